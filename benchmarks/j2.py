"""Solve the reference job J2 with the public interface and with a hand-written dictionary.

J2 is a simplified request for fire. Contact is made on 2d6 <= 8 (kept on <= 9). Access needs a
black chit from 8 black and 3 red ones; the second red one ends everything. A spotting round is
accurate on 1-2 of a d6, otherwise a d6 gives the direction and another the extent of its error. In
the next phase it is corrected onto the target and converted, with at most one hex of error for
every three hexes of correction. Fire falls twice, then marks its place until access is drawn again.
There are eight phases. The question is how often the target (or a hex next to it) is hit.

Run ``python benchmarks/j2.py [RUNS]``. Both solutions must give the same fractions before anything
is timed. Quote the ratio, not the seconds.
"""

import statistics
import sys
import time
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

import attrs

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "games"))
import null_game

from fireplan.solver import Compiler, PreparedChain, build_chain, solve
from fireplan_core import (
    Delays,
    Effects,
    MissionSetup,
    Parts,
    Scenario,
    StepDef,
    View,
    emit,
    push,
    record,
    step,
    update,
)
from fireplan_core.chance import Chance, d6
from fireplan_core.sentences import Sentences
from fireplan_core.space import distance
from fireplan_core.space import step as hex_step

TARGET = (0, 0)
PHASES = 8
NONE, SR, FFE2, FFEC = range(4)
NUMBERS = ("contact_on", "kept_on", "accurate_on")
"""The numbers that rules read."""
KNOWN = Fraction(141998010973, 151524457920)
"""P(hit at least once), as found by several independent programs."""


@record
class Battery:
    """Everything that the job remembers between phases."""

    contact: bool = False
    access: bool = False
    black: int = 8
    red: int = 3
    counter: int = NONE
    at: tuple[int, int] = TARGET
    over: bool = False


class J2(Delays):
    """The whole job, written as the steps of one part."""

    contact_on = 8
    kept_on = 9
    accurate_on = 2
    black = 8
    red = 3

    @step(cite="J2")
    def moment(self, chance: Chance, view: View) -> Effects:
        """Open a phase."""
        return Effects() if view.own("a", Battery).over else Effects(push(self.radio))

    @step(cite="J2")
    def radio(self, chance: Chance, view: View) -> Effects:
        """Roll for contact, or to keep it."""
        battery = view.own("a", Battery)
        needed = self.kept_on if battery.contact else self.contact_on
        if chance.dice("radio", a=d6, b=d6).total <= needed:
            return Effects(update(battery, contact=True), push(self.access))
        return Effects(update(battery, contact=False), push(self.silence))

    @step(cite="J2")
    def silence(self, chance: Chance, view: View) -> Effects:
        """Let fire fall for one more phase without contact, then lapse."""
        battery = view.own("a", Battery)
        if battery.counter == FFE2:
            return Effects(push(self.attack, FFEC))
        return Effects(push(self.cancel)) if battery.counter == FFEC else Effects()

    @step(cite="J2")
    def cancel(self, chance: Chance, view: View) -> Effects:
        """End access and remove the marker."""
        return Effects(update(view.own("a", Battery), access=False, counter=NONE, at=TARGET))

    @step(cite="J2")
    def access(self, chance: Chance, view: View) -> Effects:
        """Draw a chit, unless access is held."""
        battery = view.own("a", Battery)
        return Effects(push(self.act if battery.access and battery.counter != FFEC else self.draw))

    @step(cite="J2")
    def draw(self, chance: Chance, view: View) -> Effects:
        """Gain access on a black chit; end everything on the second red one."""
        battery = view.own("a", Battery)
        if battery.black + battery.red == 0:
            return Effects(push(self.cancel))
        if chance.draw("access", black=battery.black, red=battery.red) == "black":
            return Effects(update(battery, black=battery.black - 1, access=True), push(self.act))
        return Effects(
            update(battery, red=battery.red - 1, over=battery.red == self.red - 1),
            push(self.cancel),
        )

    @step(cite="J2")
    def act(self, chance: Chance, view: View) -> Effects:
        """Push the order step: whether the last round covers the target, and how far a correction
        may err.
        """
        off = distance(view.own("a", Battery).at, TARGET)
        return Effects(push(self.order, off <= 1, -(-off // 3)))

    @step(cite="J2")
    def order(self, chance: Chance, view: View, near: bool, cap: int) -> Effects:  # noqa: FBT001
        """Convert the spotting round, leave it, or correct it."""
        counter = view.own("a", Battery).counter
        if (counter == SR and cap == 0) or (counter == FFEC and near):
            return Effects(push(self.attack, FFE2))
        if counter == FFE2 and near:
            return Effects(push(self.attack, FFEC))
        return Effects(push(self.accuracy, 6 if counter == NONE else cap))

    @step(cite="J2")
    def accuracy(self, chance: Chance, view: View, cap: int) -> Effects:
        """Roll for accuracy: on target, or an error of at most ``cap`` hexes."""
        if chance.dice("accuracy", a=d6).total <= self.accurate_on:
            return Effects(update(view.own("a", Battery), at=TARGET), push(self.landed))
        return Effects(push(self.direction, cap))

    @step(cite="J2")
    def direction(self, chance: Chance, view: View, cap: int) -> Effects:
        """Roll for the direction of the error."""
        return Effects(push(self.extent, chance.dice("direction", a=d6).total.exact(), cap))

    @step(cite="J2")
    def extent(self, chance: Chance, view: View, direction: int, cap: int) -> Effects:
        """Roll for the extent of the error."""
        extent = chance.dice("extent", a=d6).total.clamped(high=cap).exact()
        return Effects(
            update(view.own("a", Battery), at=hex_step(TARGET, direction, extent)),
            push(self.landed),
        )

    @step(cite="J2")
    def landed(self, chance: Chance, view: View) -> Effects:
        """Mark the place of a spotting round, or let a corrected one fall for effect."""
        battery = view.own("a", Battery)
        if battery.counter in (NONE, FFEC):
            return Effects(update(battery, counter=SR))
        return Effects(push(self.attack, FFE2 if battery.counter == SR else FFEC))

    @step(cite="J2")
    def attack(self, chance: Chance, view: View, counter: int) -> Effects:
        """Let fire for effect fall."""
        battery = view.own("a", Battery)
        return Effects(
            update(battery, counter=counter),
            emit("attack", "J2", hit=distance(battery.at, TARGET) <= 1),
        )


@attrs.frozen
class Hits:
    """A measure of the number of phases that hit the target."""

    kinds: frozenset[str] = frozenset({"attack"})
    initial: int = 0

    def see(self, state, letter, moment):
        """Count one more if the event is a hit."""
        return state + letter["hit"]

    def settled(self, state):
        """Return False: another phase can always hit."""
        return False


def scenario(part: type[J2] = J2, **numbers: int) -> Scenario:
    """Return the job as a scenario whose other parts are those of the null game."""
    part = part("j2", {}, {})
    for name, value in numbers.items():
        setattr(part, name, value)
    parts = Parts(
        observers=null_game.NullObservers("n", {}, {}),
        requests=null_game.NullRequests("n", {}, {}),
        delays=part,
        areas=null_game.NullAreas("n", {}, {}),
        resolution=null_game.NullResolution("n", {}, {}),
    )
    steps: Mapping[str, StepDef] = {
        **part.steps(),
        "core.moment": StepDef("core.moment", "", lambda chance, view: Effects(push(part.moment))),
    }
    return Scenario(
        title="J2",
        parts=parts,
        steps=steps,
        questions={},
        modifiers=(),
        sentences=Sentences(),
        missions={
            "a": MissionSetup(
                "firer", TARGET, {"delays": Battery(black=part.black, red=part.red)}, {}
            )
        },
        units={},
        shared={},
        frame=parts.areas.frame(),
        clock=None,
        firer="firer",
        centre=TARGET,
    )


def with_fireplan(game: Scenario, phases: int = PHASES) -> dict[int, Fraction]:
    """Return the exact distribution of hits, computed from the rules with nothing cached."""
    return dict(
        solve(
            PreparedChain(build_chain(Compiler(game), spliced=True, alike=True, horizon=phases)),
            Hits(),
            phases,
        ).shares
    )


# --- the same computation with plain dictionaries ----------------------------------------------------
TWO_DICE = {total: 6 - abs(total - 7) for total in range(2, 13)}
AROUND = ((0, -1), (1, -1), (1, 0), (0, 1), (-1, 1), (-1, 0))


def by_hand(
    phases: int = PHASES, *, contact_on: int = 8, kept_on: int = 9, accurate_on: int = 2
) -> dict[int, Fraction]:
    """Return the distribution of hits, from a dictionary of state probabilities written for this job only."""
    mass = {(False, False, 8, 3, NONE, 0, 0, 0): Fraction(1)}
    over: dict[int, Fraction] = {}
    for _ in range(phases):
        after: dict[tuple, Fraction] = {}

        def add(state, share, after=after):
            after[state] = after.get(state, Fraction(0)) + share

        for (contact, access, black, red, counter, q, r, hits), share in mass.items():
            made = Fraction(
                sum(w for t, w in TWO_DICE.items() if t <= (kept_on if contact else contact_on)), 36
            )
            hit = int(max(abs(q), abs(r), abs(q + r)) <= 1)
            lost = share * (1 - made)
            if counter == FFE2:
                add((False, access, black, red, FFEC, q, r, hits + hit), lost)
            elif counter == FFEC:
                add((False, False, black, red, NONE, 0, 0, hits), lost)
            else:
                add((False, access, black, red, counter, q, r, hits), lost)
            kept = share * made
            draws = [(black, kept)]
            if counter == FFEC or not access:
                chits = black + red
                if not chits:
                    add((True, False, black, red, NONE, 0, 0, hits), kept)
                    continue
                refused = kept * Fraction(red, chits)
                if red == 2:
                    over[hits] = over.get(hits, Fraction(0)) + refused
                elif red:
                    add((True, False, black, red - 1, NONE, 0, 0, hits), refused)
                draws = [(black - 1, kept * Fraction(black, chits))] if black else []
            off = max(abs(q), abs(r), abs(q + r))
            for left, here in draws:
                if (counter == SR and off == 0) or (counter == FFEC and off <= 1):
                    add((True, True, left, red, FFE2, q, r, hits + 1), here)
                    continue
                if counter == FFE2 and off <= 1:
                    add((True, True, left, red, FFEC, q, r, hits + 1), here)
                    continue
                cap = 6 if counter == NONE else -(-off // 3)
                landings = {(0, 0): Fraction(accurate_on, 6)}
                for dq, dr in AROUND:
                    for face in range(1, 7):
                        far = min(face, cap)
                        place = (dq * far, dr * far)
                        landings[place] = landings.get(place, Fraction(0)) + Fraction(
                            6 - accurate_on, 6 * 36
                        )
                for (x, y), chance in landings.items():
                    near = int(max(abs(x), abs(y), abs(x + y)) <= 1)
                    if counter in (NONE, FFEC):
                        add((True, True, left, red, SR, x, y, hits), here * chance)
                    else:
                        add(
                            (
                                True,
                                True,
                                left,
                                red,
                                FFE2 if counter == SR else FFEC,
                                x,
                                y,
                                hits + near,
                            ),
                            here * chance,
                        )
        mass = after
    found = dict(over)
    for state, share in mass.items():
        found[state[-1]] = found.get(state[-1], Fraction(0)) + share
    return found


def timed(call, runs):
    """Return the median seconds of a call."""
    taken = []
    for _ in range(runs):
        start = time.perf_counter()
        call()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def main() -> None:
    """Check that both solutions agree, then time them in turn."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    game = scenario()
    ours, peer = with_fireplan(game), by_hand()
    assert ours == peer, "the two sides differ"
    assert 1 - ours[0] == KNOWN, "not the known answer"
    print(
        f"P(hit at least once in {PHASES} phases) = {1 - ours[0]} = {float(1 - ours[0]):.6f}; both sides agree"
    )
    rows = []
    for phases in (8, 20, 80):
        mine, theirs = (
            timed(lambda p=phases: with_fireplan(game, p), runs),
            timed(lambda p=phases: by_hand(p), max(1, runs // 3)),
        )
        rows.append((f"{phases} phases, cold rules to fractions", mine, theirs))
    print(f"{'job':44s} {'fireplan s':>11s} {'by hand s':>11s} {'ratio':>7s}")
    for name, mine, theirs in rows:
        print(f"{name:44s} {mine:11.4f} {theirs:11.4f} {theirs / mine:7.1f}")


if __name__ == "__main__":
    main()
