"""Fire near one's own side: the chance that a point so many metres from the target is covered."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

Outline = Sequence[tuple[float, float]]


def reach(outlines: Iterable[Outline]) -> list[tuple[float, float]]:
    """Return the stretches of the line north from (0, 0) that outlines cover, in metres, apart and in order.

    Points are metres east and south; what lies south of (0, 0) does not count.
    """
    found: list[tuple[float, float]] = []
    for outline in outlines:
        crossings: list[float] = []
        for (ax, ay), (bx, by) in zip(outline, (*outline[1:], *outline[:1]), strict=True):
            if (ax <= 0) != (bx <= 0):  # a corner on the line belongs to one side, so each crossing counts once
                crossings.append(-(ay + (by - ay) * (0 - ax) / (bx - ax)))
        crossings.sort()
        found += [(max(0.0, a), b) for a, b in zip(crossings[::2], crossings[1::2], strict=True) if b > 0]
    merged: list[tuple[float, float]] = []
    for start, end in sorted(found):
        if merged and start <= merged[-1][1] + 0.01:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def danger(falls: Iterable[tuple[Iterable[Outline], Fraction]]) -> tuple[tuple[float, Fraction], ...]:
    """Return steps (from so many metres on, this chance) of being covered at a distance north of (0, 0); the last is 0.

    ``falls`` holds what fire covers where it may land, with the probability of each.
    """
    changes: dict[float, Fraction] = {0.0: Fraction(0)}
    for outlines, share in falls:
        for start, end in reach(outlines):
            for metres, change in ((round(start, 2), share), (round(end, 2), -share)):
                changes[metres] = changes.get(metres, Fraction(0)) + change
    steps: list[tuple[float, Fraction]] = []
    height = Fraction(0)
    for metres in sorted(changes):
        height += changes[metres]
        if not steps or steps[-1][1] != height:
            steps.append((metres, height))
    return tuple(steps)
