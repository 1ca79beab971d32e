"""Facts about Fire Missions for all parts: types, stages, fire phases, and the Observer's LOS."""

import attrs

from fireplan_asl.places import even
from fireplan_core import FireKind, Place, Sight, Stage, View, parts_of

ON_MAP = (Stage.SPOTTING, Stage.FALLING, Stage.LINGERING)
FFE = (Stage.FALLING, Stage.LINGERING)
"""The stages with an FFE on the map, FFE:C included; ``ON_MAP`` also includes the SR stage."""

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


# --- fire phases ----------------------------------------------------------------------------------
def two_sided(view: View) -> bool:
    """Return whether both sides have batteries.

    A moment is then a Player Turn: one side's PFPh and the other side's DFPh.
    """
    return len({view.side(mission) for mission in view.missions}) > 1


def in_prep_fire(view: View, mission: str) -> bool:
    """Return whether a battery is in its PFPh; the first battery's side has the first PFPh."""
    return even(view.moment()) is (view.side(mission) == view.scenario.firer)


# --- what an Observer sees ------------------------------------------------------------------------
def burst_seen(view: View, mission: str, *, smoke: bool = True) -> bool:
    """Return whether the Blast Height of the SR or FFE on the map is in the Observer's LOS (C1.32).

    An SR has its Blast Height in its own hex, an FFE in every hex of its Blast Area. SMOKE is
    ignored if ``smoke`` is false.
    """
    now = view.mission(mission)

    def burst(place: Place) -> bool:
        if smoke:
            return view.sees(mission, place).burst
        return sight_past_smoke(view, mission, place).burst

    if now.stage is Stage.SPOTTING:
        return burst(now.impact)
    return now.stage in FFE and any(map(burst, view.footprint(mission)[0]))


def sight_past_smoke(view: View, mission: str, place: Place) -> Sight:
    """Return the Observer's LOS to a place as if there were no SMOKE."""
    return parts_of(view).observers.sees_past_smoke(view.seen_by("observers"), mission, place)


@attrs.frozen
class Seen:
    """The Observer's LOS to an SR or FFE: to its Base Level, its Blast Height and a Known enemy."""

    ground: bool
    burst: bool
    known_enemy: bool

    @property
    def may_fire_there(self) -> bool:
        """Return whether an FFE may be placed or left in that hex (C1.333, C1.334, C1.342)."""
        return self.ground or (self.burst and self.known_enemy)


def seen(view: View, mission: str, *, smoke: bool = True) -> Seen:
    """Return the Observer's LOS to the SR or FFE on the map.

    SMOKE is ignored if ``smoke`` is false (C1.334, C1.335).
    """
    now = view.mission(mission)
    sight = view.sees(mission, now.impact) if smoke else sight_past_smoke(view, mission, now.impact)
    return Seen(sight.ground, burst_seen(view, mission, smoke=smoke), sight.known_enemy)
