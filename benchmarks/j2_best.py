"""Find the best use of a spotting round in the reference job J2, phase by phase, exactly.

The game is that of ``j2.py`` with its one decision left open: a spotting round on the map can be
left alone, corrected, corrected and converted, converted in place, or cancelled. The peer is a
hand-written backward induction over the same rules (fractions, a dictionary from state to value).
Both must find the same fraction before anything is timed.

Run ``python benchmarks/j2_best.py [RUNS]``; quote the ratio, not the seconds.
"""

import sys
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import attrs
import j2
from j2 import AROUND, FFE2, FFEC, NONE, PHASES, SR, TWO_DICE, Battery, timed

from fireplan.solver.best import Each, OpenDecisions, Pattern, Process, best, join, standard_values
from fireplan_core import Effects, Form, View, ask, orders, push, step, update
from fireplan_core.chance import Chance

THREE = ("correct_convert", "correct", "convert")
ALL = (*THREE, "leave", "cancel")
NO, YES = False, True


class Decided(j2.J2):
    """J2 with a question about what to do with a spotting round on the map."""

    @orders(cite="J2")
    def decide(self, view: View, near: bool, cap: int) -> Iterator[Form]:  # noqa: FBT001
        """Offer the orders for the spotting round."""
        # Once the marker is removed, the new round places another where it lands.
        again = (
            Effects(update(view.own("a", Battery), counter=NONE), push(self.accuracy, cap))
            if cap
            else Effects()
        )
        onto = push(self.accuracy, cap) if cap else push(self.attack, FFE2)
        yield Form("correct_convert", "J2", does=onto, summary="correct_convert")
        yield Form("correct", "J2", does=again, summary="correct")
        yield Form("convert", "J2", does=push(self.attack, FFE2), summary="convert")
        yield Form("leave", "J2", summary="leave")
        yield Form("cancel", "J2", does=push(self.cancel), summary="cancel")

    @step(cite="J2")
    def order(self, chance: Chance, view: View, near: bool, cap: int) -> Effects:  # noqa: FBT001
        """Ask what to do with a spotting round if there is one on the map."""
        if view.own("a", Battery).counter == SR:
            return Effects(ask("firer", self.decide, near, cap))
        return super().order(chance, view, near, cap)


def scenario():
    """Return the job, with its question, as a scenario."""
    plain = j2.scenario(Decided)
    return attrs.evolve(plain, questions=plain.parts.delays.questions())


GOAL = Each("attack", lambda event: event["hit"])


def with_fireplan(game, verbs=ALL, phases: int = PHASES, *, usual: bool = False):
    """Return the exact optimum and its policy from the rules; with ``usual``, the standard order's value too."""
    open_decisions = OpenDecisions("firer", {"delays.decide": tuple(map(Pattern, verbs))})
    joined = join(Process(game, phases, open_decisions).explored([GOAL]), [GOAL], phases)
    return best(joined), standard_values(joined) if usual else None


def by_hand(verbs=ALL, phases: int = PHASES) -> Fraction:
    """Return the greatest expected number of hits, by memoised backward induction for this job only."""

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
                    kept += Fraction(red, chits) * value(
                        left - 1, YES, NO, black, red - 1, NONE, 0, 0
                    )
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
    """Check that both solutions agree, then time them in turn."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    game = scenario()
    print(
        f"{'orders weighed':34s} {'optimum':>9s} {'standard':>9s} {'fireplan s':>11s} {'by hand s':>10s}"
    )
    for name, verbs in (
        ("correct+convert, correct, convert", THREE),
        ("the same, leave and cancel", ALL),
    ):
        (found, plain), peer = with_fireplan(game, verbs, usual=True), by_hand(verbs)
        most, usual = found.values[0], plain.values[0]
        assert most == peer, "the two sides differ"
        mine = timed(lambda v=verbs: with_fireplan(game, v), runs)
        theirs = timed(lambda v=verbs: by_hand(v), max(1, runs // 3))
        print(f"{name:34s} {float(most):9.6f} {float(usual):9.6f} {mine:11.4f} {theirs:10.4f}")
    print("values are mean phases that hit; both sides agree exactly")


if __name__ == "__main__":
    main()
