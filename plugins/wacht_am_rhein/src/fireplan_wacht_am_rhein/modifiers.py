"""Die-roll modifiers of a barrage: which of a target hex's terrain, works, armour and density count (12.3.1).

The numbers are data (``barrage_drm.toml``); this module knows which exclude one another.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from fireplan_wacht_am_rhein.charts import DrmTable


@attrs.frozen
class Hex:
    """What a target hex offers: its terrains, the best works in it, armour (none, mixed, pure), steps.

    ``strategic``: the units there are in strategic mode. ``vantage``: it is a vantage point itself.
    """

    terrain: Sequence[str] = ("clear",)
    works: str = "none"
    armour: str = "none"
    steps: int = 3
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


def density(table: DrmTable, target: Hex) -> int:
    """Return the modifier for the steps in the hex."""
    return table.of_density(target.steps)


def net(table: DrmTable, values: Sequence[int]) -> int:
    """Return the sum, held between the table's bounds."""
    return max(-table.max_net, min(table.max_net, sum(values)))
