"""The LOS of a battery's Observer to SRs and FFEs, past SMOKE, and to enemy units.

The LOS comes from ``observers``, or from another game's observers in a mixed game.
"""

import attrs

from fireplan_asl.missions import FFE
from fireplan_asl.observers import AslObservers
from fireplan_core import Place, Sight, Stage, View, parts_of


def enemies(view: View, mission: str, *, known: bool = False) -> tuple[str, ...]:
    """Return the names of the enemy units in play that are not hidden (C1.21).

    With ``known``, return the names of the Known ones (C1.6). If another game supplies the
    observers, no unit is hidden.
    """
    observers = parts_of(view).find(AslObservers)
    if observers is not None:
        return observers.enemies(view.seen_by("observers"), mission, known=known)
    units = tuple(unit for unit in view.units if view.unit_side(unit) != view.side(mission))
    if not known:
        return units
    sights = {unit: view.sees(mission, view.place_of(unit)) for unit in units}
    return tuple(unit for unit, sight in sights.items() if sight.partly and sight.known_enemy)


def burst_seen(view: View, mission: str, *, smoke: bool = True) -> bool:
    """Return whether the Blast Height of the SR or FFE on the map is in the Observer's LOS (C1.32).

    An SR has its Blast Height in its own hex, an FFE in every hex of its Blast Area. SMOKE is
    ignored if ``smoke`` is false.
    """
    now = view.mission(mission)

    observers = parts_of(view).find(AslObservers)
    eyes = view.seen_by("observers")

    def burst(place: Place) -> bool:
        if observers is None:
            return view.sees(mission, place).burst
        return observers.burst(eyes, mission, place, smoke=smoke)

    if now.stage is Stage.SPOTTING:
        return burst(now.impact)
    return now.stage in FFE and any(map(burst, view.footprint(mission)[0]))


def sight_past_smoke(view: View, mission: str, place: Place) -> Sight:
    """Return the Observer's LOS to a place as if there were no SMOKE.

    SMOKE counts if another game supplies the observers.
    """
    observers = parts_of(view).find(AslObservers)
    if observers is None:
        return view.sees(mission, place)
    return observers.sees_past_smoke(view.seen_by("observers"), mission, place)


def partly_seen(view: View, mission: str, place: Place) -> bool:
    """Return whether the Observer sees the ground of a place or a part above it (C1.3)."""
    observers = parts_of(view).find(AslObservers)
    if observers is None:
        return view.sees(mission, place).partly
    return observers.partly(view.seen_by("observers"), mission, place)


def hindrance_to(view: View, mission: str, place: Place, *, between: bool) -> int:
    """Return the total Hindrance of the Observer's LOS to a place (C1.62).

    If ``between`` is true, SMOKE and FFEs in the place itself are left out.
    """
    observers = parts_of(view).find(AslObservers)
    if observers is None:
        return view.sees(mission, place).hindrance
    return observers.hindrance(view.seen_by("observers"), mission, place, between=between)


@attrs.frozen
class Seen:
    """The Observer's LOS to an SR or FFE: to its Base Level, its Blast Height and a Known enemy."""

    ground: bool
    burst: bool
    known_enemy: bool

    @property
    def may_fire_there(self) -> bool:
        """Return whether an FFE may be placed or left in the hex of the SR or FFE.

        See C1.333, C1.334 and C1.342.
        """
        return self.ground or (self.burst and self.known_enemy)


def seen(view: View, mission: str, *, smoke: bool = True) -> Seen:
    """Return the Observer's LOS to the SR or FFE on the map.

    SMOKE is ignored if ``smoke`` is false (C1.334, C1.335).
    """
    now = view.mission(mission)
    sight = view.sees(mission, now.impact) if smoke else sight_past_smoke(view, mission, now.impact)
    # An SR has its Blast Height in its own hex, an FFE in other hexes as well.
    spotting = now.stage is Stage.SPOTTING
    burst = sight.burst or (not spotting and burst_seen(view, mission, smoke=smoke))
    return Seen(sight.ground, burst, sight.known_enemy)
