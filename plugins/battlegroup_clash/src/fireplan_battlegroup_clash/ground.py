"""Observers and areas: who sees what past which obstructions (8, 9, 10), and where fire falls and smoke lies."""

from collections.abc import Mapping
from fractions import Fraction
from math import hypot
from typing import ClassVar

import attrs

from fireplan_battlegroup_clash import facts
from fireplan_battlegroup_clash.setup import Staged
from fireplan_core import Areas, FireKind, Observers, Place, Reason, Sight, Stage, View, cycle
from fireplan_core.chance import Chance
from fireplan_core.ready_parts import Circle, figure
from fireplan_core.space import PlaneFrame
from fireplan_core.steps.effects import Effects, emit, push, step, update

Point = tuple[float, float]
FULL, EYES = ("dense_wood", "urban", "crest"), ("recce", "fst", "hq")
"""Terrain that obstructs sight; light wood, light urban and smoke do so in part (9).

Roles that observe (8).
"""


@attrs.frozen
class Spotted(Sight):
    """Say who sees a place, besides what is seen."""

    by: tuple[str, ...] = ()


class Spotters(Staged, Observers):
    """Recce, fire support teams, headquarters, the drone; a mortar sees for itself."""

    def sees(self, view: View, mission: str, place: Place) -> Spotted:
        """Return whether anybody who may observe for the asset sees the place, and who (8, 10)."""
        by = self._seen_by(view, mission, place)
        why = f"{', '.join(by) or 'nobody'} sees it"
        return Spotted(
            ground=bool(by), burst=bool(by), known_enemy=bool(by), rule="8", why=why, by=by
        )

    def _seen_by(self, view: View, mission: str, place: Place) -> tuple[str, ...]:
        weapon, side = view.facts(mission, facts.Weapon), view.side(mission)
        blind = facts.jammed(view, side, "drone")
        if weapon.seen_by is not None:
            return tuple(role for role in weapon.seen_by if role != "uas" or not blind)
        flown = dict(view.peek_shared(facts.Activity).drones).get(side)
        found = (
            [] if blind or flown is None or not facts.in_squares(view, flown, place) else ["uas"]
        )
        for unit in facts.own(view, side):
            role = facts.body_of(view, unit).role
            if (role in EYES or unit == weapon.unit) and self.line(view, mission, unit, place):
                found.append(role)
        return tuple(dict.fromkeys(found))

    def line(self, view: View, mission: str, unit: str, place: Place) -> bool:
        """Return whether a unit sees a place: near enough, and past one partial obstruction at most (9)."""
        more = "_recce" if facts.body_of(view, unit).role == "recce" else ""
        eye = view.place_of(unit)
        far = facts.metres(view, eye, place)
        if far > self.number(f"sight{more}") or far <= self.number(f"near{more}"):
            return far <= self.number(f"near{more}")
        near, ends = self.number("counter"), (view.frame.metres(eye), view.frame.metres(place))
        ground = view.seen_by("observers").facts(mission, facts.Weapon).ground
        spots: list[tuple[Point, int, bool]]
        spots = [((one.east, -one.north), one.radius, one.kind in FULL) for one in ground]
        units = {view.place_of(other) for other in view.units if facts.alive(view, other)} - {
            eye,
            place,
        }
        spots += [(view.frame.metres(at), near, True) for at in units]
        smoke = [now for now in map(view.mission, view.missions) if now.stage is Stage.LINGERING]
        spots += [
            (view.frame.metres(now.impact), near, False)
            for now in smoke
            if now.kind is FireKind.SMOKE
        ]
        met = [full for at, reach, full in spots if _between(at, reach, *ends)]
        return not any(met) and len(met) <= self.number("partials")


def _between(at: Point, far: float, start: Point, end: Point) -> bool:
    """Return whether a line passes within ``far`` metres of a point.

    What holds either end is not between them.
    """
    if any(hypot(at[0] - x, at[1] - y) <= far for x, y in (start, end)):
        return False
    east, south = end[0] - start[0], end[1] - start[1]
    along = ((at[0] - start[0]) * east + (at[1] - start[1]) * south) / (east**2 + south**2)
    nearest = min(1.0, max(0.0, along))
    return hypot(at[0] - start[0] - nearest * east, at[1] - start[1] - nearest * south) <= far


class Grid(Staged, Circle, Areas):
    """The map in metres: fire lands on the unit fired at, and suppresses round it (15).

    Smoke lies for a turn (17).
    """

    cites: ClassVar[Mapping[str, str]] = {
        "land": "7",
        "spotting": "7",
        "fall": "7",
        "lingering": "17",
    }
    kinds = (FireKind.HE, FireKind.SMOKE)
    miss_not_modelled = (
        "fire falls on the unit that it is aimed at: the roll decides over hits alone (7)"
    )
    places, radius = PlaneFrame(1.0), figure("suppressed_within")

    @step(cite="7, 17")
    def land(self, chance: Chance, view: View, mission: str) -> Effects:
        """Let fire land where it is aimed; smoke stands there at once."""
        now = view.mission(mission)
        if now.kind is not FireKind.SMOKE:
            return Effects(push(cycle.landed, mission, now.aim))
        lies = update(now, stage=Stage.LINGERING, intent=None, impact=now.aim)
        return Effects(lies, emit("smoke", "17", mission=mission, at=now.aim))

    @step(cite="5, 7, 17")
    def moment(self, chance: Chance, view: View, mission: str) -> Effects:
        """End the turn: fire is over, smoke is gone, and an asset without fire missions is spent."""
        if view.mission(mission).stage not in (Stage.FALLING, Stage.LINGERING):
            return Effects()
        reason = Reason.DELIVERED if view.peek(mission, facts.Call).left else Reason.EXHAUSTED
        return Effects(push(cycle.close, mission, reason, "7"))

    def covers(self, view: View, mission: str, place: Place, extent: Fraction) -> Fraction:
        """Return 1 for the place fired at, a half where fire only suppresses, else 0."""
        found, impact = super().covers(view, mission, place, extent), view.mission(mission).impact
        return found if not found or facts.metres(view, impact, place) <= extent else Fraction(1, 2)
