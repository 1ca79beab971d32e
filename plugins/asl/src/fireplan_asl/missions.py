"""Facts about Fire Missions for all parts: types, stages and fire phases."""

from fireplan_asl.places import even
from fireplan_core import FireKind, Stage, View

ON_MAP = (Stage.SPOTTING, Stage.FALLING, Stage.LINGERING)
FFE = (Stage.FALLING, Stage.LINGERING)
"""The stages with an FFE on the map, FFE:C included; ``ON_MAP`` also includes the SR stage."""
FFE_FIELDS = frozenset({"fell", "resolved", "wait"})
"""Fields of a position that make a round on the map an FFE rather than an SR."""

CONCENTRATION, HARASSING, ROCKET, CREEPING = "concentration", "harassing", "rocket", "creeping"
BARRAGES = frozenset({"barrage", "barrage_smoke", "barrage_wp", CREEPING})
SHELLS = {
    "smoke": FireKind.SMOKE,
    "wp": FireKind.WP,
    "barrage_smoke": FireKind.SMOKE,
    "barrage_wp": FireKind.WP,
}
"""Maps each type of Fire Mission that does not fire HE to its shell (C1.7)."""
SMOKES = frozenset(SHELLS)
HE_LIKE = {"smoke": CONCENTRATION, "barrage_smoke": "barrage"}
"""Maps each type of Fire Mission that fires SMOKE to the one that fires HE at the same hexes."""


# --- fire phases ----------------------------------------------------------------------------------
def two_sided(view: View) -> bool:
    """Return whether both sides have batteries.

    A moment is then a Player Turn: one side's PFPh and the other side's DFPh.
    """
    missions = view.missions
    return len(missions) > 1 and len({view.side(mission) for mission in missions}) > 1


def in_prep_fire(view: View, mission: str) -> bool:
    """Return whether a battery is in its PFPh; the first battery's side has the first PFPh."""
    return even(view.moment()) is (view.side(mission) == view.scenario.firer)
