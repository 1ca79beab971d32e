"""Fire Missions as every part counts them: types and stages, whose fire phase it is, what the Observer sees of them."""

import attrs

from fireplan_asl.places import even
from fireplan_core import FireKind, Place, Sight, Stage, View, parts_of

ON_MAP = (Stage.SPOTTING, Stage.FALLING, Stage.LINGERING)
FFE = (Stage.FALLING, Stage.LINGERING)
"""The stages with a SR or FFE on the map; those with a FFE, FFE:C too."""

CONCENTRATION, HARASSING, ROCKET, CREEPING = "concentration", "harassing", "rocket", "creeping"
BARRAGES = frozenset({"barrage", "barrage_smoke", "barrage_wp", CREEPING})
SHELLS = {
    "smoke": FireKind.SMOKE,
    "wp": FireKind.WP,
    "barrage_smoke": FireKind.SMOKE,
    "barrage_wp": FireKind.WP,
}
"""The types of Fire Missions (C1.7): those that cover a line, and what those fire that do not fire HE."""
SMOKES = frozenset(SHELLS)


# --- whose fire phase it is ------------------------------------------------------------------------
def two_sided(view: View) -> bool:
    """Return whether both sides have batteries: a moment is then a Player Turn, a PFPh of one and a DFPh of others."""
    return len({view.side(mission) for mission in view.missions}) > 1


def in_prep_fire(view: View, mission: str) -> bool:
    """Return whether a battery is in its PFPh: those of the first battery's side are in the first Player Turn, ..."""
    return even(view.moment()) is (view.side(mission) == view.scenario.firer)


# --- what an Observer sees -------------------------------------------------------------------------
def burst_seen(view: View, mission: str, *, smoke: bool = True) -> bool:
    """Return whether the Blast Height of the SR or FFE on the map is in the Observer's LOS (C1.32).

    A SR has it in its own hex, a FFE in every hex of its Blast Area. SMOKE may be disregarded.
    """
    now = view.mission(mission)

    def burst(place: Place) -> bool:
        return (
            view.sees(mission, place) if smoke else sight_past_smoke(view, mission, place)
        ).burst

    if now.stage is Stage.SPOTTING:
        return burst(now.impact)
    return now.stage in FFE and any(map(burst, view.footprint(mission)[0]))


def sight_past_smoke(view: View, mission: str, place: Place) -> Sight:
    """Return what the Observer would see of a place if there were no SMOKE."""
    return parts_of(view).observers.sees_past_smoke(view.seen_by("observers"), mission, place)


@attrs.frozen
class Seen:
    """Say what the Observer sees of the SR or FFE on the map: Base Level, Blast Height, a Known enemy by it."""

    ground: bool
    burst: bool
    known_enemy: bool

    @property
    def may_fire_there(self) -> bool:
        """Return whether fire for effect may be put or left in that hex (C1.333, C1.334, C1.342)."""
        return self.ground or (self.burst and self.known_enemy)


def seen(view: View, mission: str, *, smoke: bool = True) -> Seen:
    """Return the Observer's LOS to what lies on the map.

    SMOKE may be disregarded (C1.334, C1.335).
    """
    now = view.mission(mission)
    sight = view.sees(mission, now.impact) if smoke else sight_past_smoke(view, mission, now.impact)
    return Seen(sight.ground, burst_seen(view, mission, smoke=smoke), sight.known_enemy)
