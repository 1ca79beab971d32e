"""Volleys: a sum of Barrage Factors made into volleys (12.2.0), and each volley read on the results table (12.3).

Pure arithmetic on numbers and charts; who fires is in ``barrage``, what the hits do in ``losses``.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from fireplan.chance import Chart, Die
from fireplan_wacht_am_rhein.charts import read_result

FULL_VOLLEY: Final = 8
"""Barrage Factors of a full volley (12.2.0); also what counts as this game's normal concentration."""

Group = tuple[int, Mapping[int, tuple[int, bool]]]


def volleys(factors: int) -> tuple[int, ...]:
    """Return the Barrage Values of the volleys: as many of 8 as there are, then the remainder (12.2.0)."""
    full, rest = divmod(factors, FULL_VOLLEY)
    return (FULL_VOLLEY,) * full + ((rest,) if rest else ())


def strength(factors: int) -> Fraction:
    """Return how many of this game's normal concentrations (one full volley) so many factors are."""
    return Fraction(factors, FULL_VOLLEY)


def factors_of(intensity: Fraction) -> int:
    """Return the Barrage Factors of an intensity, fractions rounded up as everywhere in this game."""
    return -(-intensity * FULL_VOLLEY // 1)


def reading(results: Chart, value: int, drm: int, die: Die) -> dict[int, tuple[int, bool]]:
    """Return for each face of the die the hits and the artillery shift of one volley (12.3.1, 12.3.2)."""
    return {face: read_result(results.cell(face + drm, f"bv{value}")) for face in die.faces}


def groups(results: Chart, factors: int, drm: int, die: Die, first_only: int = 0) -> tuple[Group, ...]:
    """Return the volleys as groups of like dice for a fold; ``first_only`` is added for the first volley alone."""
    values = volleys(factors)
    counts: dict[tuple[int, int], int] = {}
    for number, value in enumerate(values):
        key = (value, drm + (first_only if number == 0 else 0))
        counts[key] = counts.get(key, 0) + 1
    return tuple((count, reading(results, value, net, die)) for (value, net), count in counts.items())
