"""Reach five stated targets with ``fireplan tune`` and by chance: ``python benchmarks/tune.py``.

Each search has the same processor seconds (5, or the number given), including the time to stage and
solve the table. The search by chance draws up to three of the numbers that the table reads, and a
value for each within the same limits; each draw is solved exactly and independently.
"""

from __future__ import annotations

import random
import sys
from time import process_time

import attrs

from fireplan.analysis import FigureTarget, Setting, Shift, Tuner, find_engagement
from fireplan.questions.opening import setting_of
from fireplan_core.play import Catalogue, Variation

TARGETS = (
    ("asl", "woods", ("delivered >= 99 %", "minutes_to_first_effect <= 5 min")),
    ("asl/village", "", ("delivered >= 95 %", "on_target >= 90 %")),
    ("red_poppies", "woods", ("on_target >= 90 %", "minutes_to_first_effect < 15 min")),
    ("wacht_am_rhein", "woods", ("suppressed >= 60 %", "destroyed <= 30 %")),
    ("miniatures_1943", "woods", ("suppressed >= 60 %", "destroyed <= 20 %")),
)
MOST = 3


def clock(seconds):
    """Return two functions: the share left of this many processor seconds, and the seconds elapsed."""
    begun = process_time()
    return (lambda: 1 - (process_time() - begun) / seconds), staticmethod(
        lambda: process_time() - begun
    )


def table_of(catalogue, game, name):
    if name:
        return Setting(catalogue, game, name, name, find_engagement(name))
    return setting_of(catalogue, game, None)


def by_chance(table, wants, seconds, seed):
    """Return the seconds until the first suitable set was drawn at random (or None), and the number
    of sets tried.
    """
    left, gone = clock(seconds)
    draw = random.Random(seed)
    tuner = Tuner(table, Variation(), wants, left)
    movable = [(name, named) for name, named in tuner.numbers.items() if named.cell.steps]
    try:
        while True:
            shifts = []
            for name, named in draw.sample(movable, min(draw.randint(1, MOST), len(movable))):
                shift = Shift(name, named, draw.randrange(len(named.cell.steps)))
                shifts.append(attrs.evolve(shift, steps=draw.randint(1, shift.farthest)))
            found = tuner.trial(*shifts)
            if found is not None and not found.lacks:
                return gone(), len(tuner.tried)
    except TimeoutError:
        return None, len(tuner.tried)


class Timed(Tuner):
    """A tuner that records when the first set that reaches the target was solved."""

    first = None

    def trial(self, *shifts):
        found = super().trial(*shifts)
        if self.first is None and found is not None and not found.lacks:
            self.first = self.gone()
        return found


def main():
    seconds = float(sys.argv[1]) if sys.argv[1:] else 5.0
    catalogue = Catalogue.installed()
    print(
        "| game | target | reached after | changed | solved | by chance, three seeds |\n|---|---|---|---|---|---|"
    )
    for game, name, texts in TARGETS:
        table, wants = table_of(catalogue, game, name), [FigureTarget.read(text) for text in texts]
        left, Timed.gone = clock(seconds)
        found = Timed(table, Variation(), wants, left).search(MOST)
        changed, after = "**nothing found**", "-"
        if found.proposals:
            changed = ", ".join(
                f"{shift.number.name} {shift.value}" for shift in found.proposals[0].shifts
            )
            after = f"{found.first:.1f} s"
            assert len(found.proposals[0].shifts) <= MOST
        drawn = (by_chance(table, wants, seconds, seed) for seed in (1, 2, 3))
        chance = "; ".join(f"no ({n})" if at is None else f"{at:.1f} s ({n})" for at, n in drawn)
        said = " and ".join(str(want) for want in wants)
        print(
            f"| {game} {name} | {said} | {after} | {changed} | {len(found.tried)} | {chance} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
