"""The dice of a barrage: factors made into volleys (12.2.0), their modifiers (12.3.1) and results (12.3.2).

Pure arithmetic on numbers and charts; who fires is in ``barrage``, what the hits do in ``losses``. ``full`` is the
number of Barrage Factors of a full volley, which also counts as this game's normal concentration.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction

import attrs

from fireplan_core.chance import Chart, Die
from fireplan_wacht_am_rhein.charts import DrmTable, read_result

Group = tuple[int, Mapping[int, tuple[int, bool]]]


# --- volleys -------------------------------------------------------------------------------------
def volleys(factors: int, full: int) -> tuple[int, ...]:
    """Return the Barrage Values of the volleys: as many full ones as there are, then the remainder (12.2.0)."""
    number, rest = divmod(factors, full)
    return (full,) * number + ((rest,) if rest else ())


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


# --- modifiers -----------------------------------------------------------------------------------
@attrs.frozen
class Hex:
    """Say what a target hex offers: its terrains, the best works in it, armour (none, mixed, pure), steps.

    ``strategic``: the units there are in strategic mode. ``vantage``: it is a vantage point itself.
    """

    terrain: Sequence[str] = ("clear",)
    works: str = "none"
    armour: str = "none"
    steps: int = 0
    strategic: bool = False
    vantage: bool = False


def shelter(table: DrmTable, target: Hex) -> dict[str, int]:
    """Return the modifiers of the groups terrain, works and armour that count; 0 for those that do not.

    Of several terrains the defender's best counts. A fort leaves terrain out; units in strategic mode have none of
    the three; with armour among other units the best two of the three count, with armour alone armour and the
    better of the other two.
    """
    found = {
        "terrain": min((table.terrain[one] for one in target.terrain), default=0),
        "works": table.works[target.works],
        "armour": table.armour[target.armour],
    }
    if target.strategic:
        return dict.fromkeys(found, 0)
    if target.works == "fortification":
        found["terrain"] = 0
    if target.armour == "none":
        return found
    forced = ["armour"] if target.armour == "pure" else []
    open_ = [name for name in sorted(found, key=lambda name: found[name]) if name not in forced]
    kept = {*forced, *open_[: table.pure_best if forced else table.mixed_best]}
    return {name: value if name in kept else 0 for name, value in found.items()}
