"""Volleys: a sum of Barrage Factors made into volleys (12.2.0), and each volley read on the results table (12.3).

Pure arithmetic on numbers and charts; who fires is in ``barrage``, what the hits do in ``losses``. ``full`` is the
number of Barrage Factors of a full volley, which also counts as this game's normal concentration.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from fireplan_core.chance import Chart, Die
from fireplan_wacht_am_rhein.charts import read_result

Group = tuple[int, Mapping[int, tuple[int, bool]]]


def volleys(factors: int, full: int) -> tuple[int, ...]:
    """Return the Barrage Values of the volleys: as many full ones as there are, then the remainder (12.2.0)."""
    number, rest = divmod(factors, full)
    return (full,) * number + ((rest,) if rest else ())


def strength(factors: int, full: int) -> Fraction:
    """Return how many of this game's normal concentrations (one full volley) so many factors are."""
    return Fraction(factors, full)


def factors_of(intensity: Fraction, full: int) -> int:
    """Return the Barrage Factors of an intensity, fractions rounded up as everywhere in this game."""
    return -(-intensity * full // 1)


def reading(results: Chart, value: int, drm: int, die: Die) -> dict[int, tuple[int, bool]]:
    """Return for each face of the die the hits and the artillery shift of one volley (12.3.1, 12.3.2)."""
    return {face: read_result(results.cell(face + drm, f"bv{value}")) for face in die.faces}


def groups(results: Chart, values: Sequence[int], drm: int, die: Die, first_only: int = 0) -> tuple[Group, ...]:
    """Return volleys of these values as groups of like dice for a fold; ``first_only`` is for the first alone."""
    counts: dict[tuple[int, int], int] = {}
    for number, value in enumerate(values):
        key = (value, drm + (first_only if number == 0 else 0))
        counts[key] = counts.get(key, 0) + 1
    return tuple((count, reading(results, value, net, die)) for (value, net), count in counts.items())
