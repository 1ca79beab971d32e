"""The best use of the reference job J2: what to do with a spotting round, phase by phase, exactly.

The game is that of ``j2.py`` with its one decision left open: a spotting round on the map can be left where it is,
corrected, corrected and converted, converted in place, or cancelled. Beside it a hand-written backward induction over
the same rules (fractions, a dictionary from state to value). Both must find the same fraction before anything is timed.

Run: ``python benchmarks/j2_best.py [runs]``; quote the ratio, not the seconds.
"""

import sys
from fractions import Fraction
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import attrs
import j2
from j2 import AROUND, FFE2, FFEC, NONE, PHASES, SR, TARGET, TWO_DICE, Battery, timed

from fireplan.chance import Chance, d6
from fireplan.mission import Delays, Form, Order, Question, Then, View, ask, push, put, step, tell
from fireplan.odds.best import Each, Latitude, Pattern, Process, best, join, standard
from fireplan.space import distance
from fireplan.space import step as hex_step

THREE = ("correct_convert", "correct", "convert")
ALL = (*THREE, "leave", "cancel")
NO, YES = False, True


class Decided(Delays):
    """J2 with a question where a spotting round lies."""

    contact_on = 8
    kept_on = 9
    accurate_on = 2

    def questions(self):
        """What to do with the spotting round."""
        forms = tuple(Form(verb, "J2", verb) for verb in ALL)
        usual = Order.of("correct_convert")
        return {"order": Question(lambda view, off: forms, lambda view, order, off: None, lambda view, off: usual)}

    @step(cite="J2")
    def moment(self, chance: Chance, view: View) -> Then:
        """A phase opens."""
        return Then() if view.own("a", Battery).over else Then(push("radio"))

    @step(cite="J2")
    def radio(self, chance: Chance, view: View) -> Then:
        """Contact, or keeping it."""
        battery = view.own("a", Battery)
        needed = self.kept_on if battery.contact else self.contact_on
        if chance.dice("radio", a=d6, b=d6).total <= needed:
            return Then(put(battery, contact=True), push("access"))
        return Then(put(battery, contact=False), push("silence"))

    @step(cite="J2")
    def silence(self, chance: Chance, view: View) -> Then:
        """Without contact fire goes on falling for a phase, then lapses."""
        counter = view.own("a", Battery).counter
        if counter == FFE2:
            return Then(push("attack", FFEC))
        return Then(push("cancel")) if counter == FFEC else Then()

    @step(cite="J2")
    def cancel(self, chance: Chance, view: View) -> Then:
        """Access and marker are lost."""
        return Then(put(view.own("a", Battery), access=False, counter=NONE, at=TARGET))

    @step(cite="J2")
    def access(self, chance: Chance, view: View) -> Then:
        """A chit, unless access is held."""
        battery = view.own("a", Battery)
        return Then(push("act" if battery.access and battery.counter != FFEC else "draw"))

    @step(cite="J2")
    def draw(self, chance: Chance, view: View) -> Then:
        """Black gives access, the second red ends everything."""
        battery = view.own("a", Battery)
        if battery.black + battery.red == 0:
            return Then(push("cancel"))
        if chance.draw("access", black=battery.black, red=battery.red) == "black":
            return Then(put(battery, black=battery.black - 1, access=True), push("act"))
        return Then(put(battery, red=battery.red - 1, over=battery.red == 2), push("cancel"))

    @step(cite="J2")
    def act(self, chance: Chance, view: View) -> Then:
        """How far off the last round lies."""
        return Then(push("with_it", distance(view.own("a", Battery).at, TARGET)))

    @step(cite="J2")
    def with_it(self, chance: Chance, view: View, off: int) -> Then:
        """Ask where a spotting round lies; fire for effect is left while it covers the target."""
        counter = view.own("a", Battery).counter
        if counter == SR:
            return Then(ask("firer", "order", off, then="obey"))
        if counter in (FFE2, FFEC) and off <= 1:
            return Then(push("attack", FFEC if counter == FFE2 else FFE2))
        return Then(push("accuracy", 6 if counter == NONE else -(-off // 3), SR if counter != FFE2 else FFEC))

    @step(cite="J2")
    def obey(self, chance: Chance, view: View, off: int, order: Order) -> Then:
        """Carry the order out."""
        match order.verb:
            case "convert":
                return Then(push("attack", FFE2))
            case "correct_convert":
                return Then(push("attack", FFE2) if off == 0 else push("accuracy", -(-off // 3), FFE2))
            case "correct" if off:
                return Then(push("accuracy", -(-off // 3), SR))
            case "cancel":
                return Then(push("cancel"))
            case _:
                return Then()

    @step(cite="J2")
    def accuracy(self, chance: Chance, view: View, cap: int, becomes: int) -> Then:
        """On the target, or an error of at most so many hexes."""
        if chance.dice("accuracy", a=d6).total <= self.accurate_on:
            return Then(put(view.own("a", Battery), at=TARGET), push("landed", becomes))
        return Then(push("direction", cap, becomes))

    @step(cite="J2")
    def direction(self, chance: Chance, view: View, cap: int, becomes: int) -> Then:
        """The direction of error."""
        return Then(push("extent", chance.dice("direction", a=d6).total.exact(), cap, becomes))

    @step(cite="J2")
    def extent(self, chance: Chance, view: View, direction: int, cap: int, becomes: int) -> Then:
        """The extent of error."""
        extent = chance.dice("extent", a=d6).total.clamped(high=cap).exact()
        return Then(put(view.own("a", Battery), at=hex_step(TARGET, direction, extent)), push("landed", becomes))

    @step(cite="J2")
    def landed(self, chance: Chance, view: View, becomes: int) -> Then:
        """A spotting round marks its place; fire for effect falls."""
        return Then(put(view.own("a", Battery), counter=SR) if becomes == SR else push("attack", becomes))

    @step(cite="J2")
    def attack(self, chance: Chance, view: View, counter: int) -> Then:
        """Fire for effect."""
        battery = view.own("a", Battery)
        return Then(put(battery, counter=counter), tell("attack", "J2", hit=distance(battery.at, TARGET) <= 1))


def scenario():
    """The job with its question."""
    plain = j2.scenario()
    part = Decided("j2", {}, {})
    questions = {f"delays.{name}": question for name, question in part.questions().items()}
    parts = attrs.evolve(plain.parts, delays=part)
    core = {name: found for name, found in plain.steps.items() if name.startswith("core.")}
    return attrs.evolve(plain, parts=parts, steps={**part.steps(), **core}, questions=questions)


GOAL = Each("attack", lambda event: event["hit"])


def with_fireplan(game, verbs=ALL, phases: int = PHASES, *, usual: bool = False):
    """Cold: rules to the exact optimum with its policy, and, if asked, what the standard order comes to."""
    latitude = Latitude("firer", {"delays.order": tuple(map(Pattern, verbs))})
    joined = join(Process(game, phases, latitude).explored([GOAL]), [GOAL], phases)
    return best(joined), standard(joined) if usual else None


def by_hand(verbs=ALL, phases: int = PHASES) -> Fraction:
    """The most phases that hit on average, by memoised backward induction written straight for this job."""

    def off(q, r):
        return max(abs(q), abs(r), abs(q + r))

    @cache
    def landings(cap):
        found = {(0, 0): Fraction(2, 6)}
        for dq, dr in AROUND:
            for face in range(1, 7):
                far = min(face, cap)
                place = (dq * far, dr * far)
                found[place] = found.get(place, Fraction(0)) + Fraction(4, 6 * 36)
        return found

    @cache
    def value(left, contact, access, black, red, counter, q, r):  # noqa: PLR0913, PLR0917 - the state of the job
        if not left:
            return Fraction(0)
        made = Fraction(sum(w for t, w in TWO_DICE.items() if t <= (9 if contact else 8)), 36)
        hit = int(off(q, r) <= 1)
        if counter == FFE2:
            lost = hit + value(left - 1, NO, access, black, red, FFEC, q, r)
        elif counter == FFEC:
            lost = value(left - 1, NO, NO, black, red, NONE, 0, 0)
        else:
            lost = value(left - 1, NO, access, black, red, counter, q, r)
        kept = Fraction(0)
        if counter == FFEC or not access:
            chits = black + red
            if not chits:
                kept = value(left - 1, YES, NO, black, red, NONE, 0, 0)
            else:
                if red > 2 or red == 1:
                    kept += Fraction(red, chits) * value(left - 1, YES, NO, black, red - 1, NONE, 0, 0)
                if black:
                    kept += Fraction(black, chits) * act(left, black - 1, red, counter, q, r)
        else:
            kept = act(left, black, red, counter, q, r)
        return (1 - made) * lost + made * kept

    def fall(left, black, red, counter, q, r):
        return int(off(q, r) <= 1) + value(left - 1, YES, YES, black, red, counter, q, r)

    def shot(left, black, red, counter, q, r, stays):
        cap = 6 if counter == NONE else -(-off(q, r) // 3)
        total = Fraction(0)
        for (x, y), chance in landings(cap).items():
            if stays or counter in (NONE, FFEC):
                total += chance * value(left - 1, YES, YES, black, red, SR, x, y)
            else:
                total += chance * fall(left, black, red, FFE2 if counter == SR else FFEC, x, y)
        return total

    def act(left, black, red, counter, q, r):
        far = off(q, r)
        if counter == FFEC and far <= 1:
            return fall(left, black, red, FFE2, q, r)
        if counter == FFE2 and far <= 1:
            return fall(left, black, red, FFEC, q, r)
        if counter != SR:
            return shot(left, black, red, counter, q, r, NO)
        stay = value(left - 1, YES, YES, black, red, SR, q, r)
        worth = {
            "convert": lambda: fall(left, black, red, FFE2, q, r),
            "correct_convert": lambda: (
                shot(left, black, red, SR, q, r, NO) if far else fall(left, black, red, FFE2, q, r)
            ),
            "correct": lambda: stay if far == 0 else shot(left, black, red, SR, q, r, YES),
            "leave": lambda: stay,
            "cancel": lambda: value(left - 1, YES, NO, black, red, NONE, 0, 0),
        }
        return max(worth[verb]() for verb in verbs)

    return value(phases, NO, NO, 8, 3, NONE, 0, 0)


def main() -> None:
    """Check that both agree, then time both in turn."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    game = scenario()
    print(f"{'orders weighed':34s} {'optimum':>9s} {'standard':>9s} {'fireplan s':>11s} {'by hand s':>10s}")
    for name, verbs in (("correct+convert, correct, convert", THREE), ("the same, leave and cancel", ALL)):
        (found, plain), peer = with_fireplan(game, verbs, usual=True), by_hand(verbs)
        most, usual = found.values[0], plain.values[0]
        assert most == peer, "the two sides differ"
        mine = timed(lambda v=verbs: with_fireplan(game, v), runs)
        theirs = timed(lambda v=verbs: by_hand(v), max(1, runs // 3))
        print(
            f"{name:34s} {float(most):9.6f} {float(usual):9.6f} {mine:11.4f} {theirs:10.4f}"
        )
    print("values are mean phases that hit; both sides agree exactly")


if __name__ == "__main__":
    main()
