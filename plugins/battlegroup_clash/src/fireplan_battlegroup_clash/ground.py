"""Observers and areas: lines of sight past obstructions (8, 9, 10), impact points, and smoke."""

import re
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
from fireplan_core.space import CoordinateError, PlaneFrame
from fireplan_core.steps.effects import Effects, emit, push, step, update

Point = tuple[float, float]
GRID_LABEL = re.compile(r"([EW])(\d{1,15}(?:\.\d{1,3})?)/([NS])(\d{1,15}(?:\.\d{1,3})?)")
"""Matches the label of a place in whole metres, such as E12.3/N8.2."""
FULL = ("dense_wood", "urban", "crest")
"""Terrain that fully obstructs sight; light wood, light urban and smoke partly obstruct it (9)."""
EYES = ("recce", "fst", "hq")
"""Unit roles that observe for fire missions (8)."""


@attrs.frozen
class Spotted(Sight):
    """The line of sight to a place, with the roles of the observers who see the place."""

    by: tuple[str, ...] = ()


class BGCObservers(Staged, Observers):
    """The observers part: recce, fire support teams, headquarters, drones, or a mortar itself."""

    def sees(self, view: View, mission: str, place: Place) -> Spotted:
        """Return the line of sight to a place, and the observer roles that have it (8, 10)."""
        by = self._seen_by(view, mission, place)
        why = f"{', '.join(by) or 'no observer'} sees it"
        return Spotted(
            ground=bool(by), burst=bool(by), known_enemy=bool(by), rule="8", why=why, by=by
        )

    def _seen_by(self, view: View, mission: str, place: Place) -> tuple[str, ...]:
        weapon, side = view.facts(mission, facts.Weapon), view.side(mission)
        blind = facts.jammed(view, side, "drone")
        if weapon.seen_by is not None:
            return tuple(role for role in weapon.seen_by if role != "uas" or not blind)
        drone = dict(view.peek_shared(facts.Activity).drones).get(side)
        watched = drone is not None and not blind and facts.in_squares(view, drone, place)
        roles = ["uas"] if watched else []
        for unit in view.units:
            role = facts.body_of(view, unit).role
            watches = view.unit_side(unit) == side and (role in EYES or unit == weapon.unit)
            if watches and facts.alive(view, unit) and self.line(view, mission, unit, place):
                roles.append(role)
        return tuple(dict.fromkeys(roles))

    def line(self, view: View, mission: str, unit: str, place: Place) -> bool:
        """Return whether a unit sees a place (9).

        A place very near is always seen. Any other must be within range, with no full obstruction,
        unit or second partial obstruction in between.
        """
        suffix = "_recce" if facts.body_of(view, unit).role == "recce" else ""
        eye = view.place_of(unit)
        far = facts.metres(view, eye, place)
        if far > self.number(f"sight{suffix}") or far <= self.number(f"near{suffix}"):
            return far <= self.number(f"near{suffix}")
        near, ends = self.number("counter"), (view.frame.metres(eye), view.frame.metres(place))
        ground = view.seen_by("observers").facts(mission, facts.Weapon).ground
        crossed = [
            disc.kind for disc in ground if _between((disc.east, -disc.north), disc.radius, *ends)
        ]
        if any(kind in FULL for kind in crossed) or any(
            _between(view.frame.metres(at), near, *ends) and facts.alive(view, other)
            for other in view.units
            if (at := view.place_of(other)) not in (eye, place)
        ):
            return False
        clouds = [
            now
            for now in map(view.mission, view.missions)
            if now.stage is Stage.LINGERING
            and now.kind is FireKind.SMOKE
            and _between(view.frame.metres(now.impact), near, *ends)
        ]
        return len(crossed) + len(clouds) <= self.number("partials")


def _between(at: Point, far: float, start: Point, end: Point) -> bool:
    """Return whether a line passes within ``far`` metres of a point.

    The result is False if either end of the line is within that distance itself.
    """
    if any(hypot(at[0] - x, at[1] - y) <= far for x, y in (start, end)):
        return False
    east, south = end[0] - start[0], end[1] - start[1]
    along = ((at[0] - start[0]) * east + (at[1] - start[1]) * south) / (east**2 + south**2)
    nearest = min(1.0, max(0.0, along))
    return hypot(at[0] - start[0] - nearest * east, at[1] - start[1] - nearest * south) <= far


@attrs.frozen
class GridFrame(PlaneFrame):
    """A map in metres whose places are labelled in kilometres east and north, like its grid.

    >>> grid = GridFrame(1.0)
    >>> grid.label((12_300, -8_000)), grid.parse("E12.3/N8")
    ('E12.3/N8', (12300, -8000))
    """

    def label(self, place: Place) -> str:
        """Return a point's label in kilometres, e.g. ``E12.3/N8`` or, off the grid, ``W0.1/S2``.

        A point that is not at whole metres is labelled in metres.
        """
        east, south = place
        if any(metres != int(metres) for metres in place):
            return super().label(place)
        return f"{'W' if east < 0 else 'E'}{_km(east)}/{'S' if south > 0 else 'N'}{_km(south)}"

    def parse(self, text: str) -> Place:
        """Return the point with this label, or with metres east and south such as ``7/2,0``.

        Raises ``CoordinateError`` for any other text.
        """
        if match := GRID_LABEL.fullmatch(text.strip().upper()):
            east, north = (
                round(facts.SQUARE * Fraction(km)) * (1 if ahead in "EN" else -1)
                for ahead, km in ((match[1], match[2]), (match[3], match[4]))
            )
            return east, -north
        try:
            return super().parse(text)
        except CoordinateError:
            expected = "write a place as kilometres east and north, e.g. E12.3/N8"
            raise CoordinateError(text, expected, "E12.3/N8") from None


def east_and_north(label: str) -> tuple[int, int]:
    """Return the whole metres east and north of a place, given its label."""
    east, south = GridFrame(1.0).parse(label)
    return int(east), -int(south)


def _km(metres: int) -> str:
    """Return a number of metres as kilometres, without its sign: ``12.3`` for 12300."""
    whole, rest = divmod(abs(int(metres)), facts.SQUARE)
    return f"{whole}.{rest:03d}".rstrip("0") if rest else str(whole)


class BGCAreas(Staged, Circle, Areas):
    """The areas part: on a map in metres, fire lands on its target unit.

    The fire also suppresses units nearby (15). Smoke lasts one turn (17).
    """

    cites: ClassVar[Mapping[str, str]] = {
        "land": "7",
        "spotting": "7",
        "fall": "7",
        "lingering": "17",
    }
    kinds = (FireKind.HE, FireKind.SMOKE)
    miss_not_modelled = "fire always lands on its target unit: the roll only decides the hits (7)"
    weighs_aim = False
    places, radius = GridFrame(1.0), figure("suppressed_within")

    @step(cite="7, 17")
    def land(self, chance: Chance, view: View, mission: str) -> Effects:
        """Land the fire at its aim point; smoke forms at once."""
        now = view.mission(mission)
        if now.kind is not FireKind.SMOKE:
            return Effects(push(cycle.landed, mission, now.aim))
        lingers = update(now, stage=Stage.LINGERING, intent=None, impact=now.aim)
        return Effects(lingers, emit("smoke", "17", mission=mission, at=now.aim))

    @step(cite="5, 7, 17")
    def moment(self, chance: Chance, view: View, mission: str) -> Effects:
        """End fire and smoke with the turn; an asset without fire missions is exhausted."""
        if view.mission(mission).stage not in (Stage.FALLING, Stage.LINGERING):
            return Effects()
        reason = (
            Reason.DELIVERED
            if view.peek(mission, facts.FireMissionState).left
            else Reason.EXHAUSTED
        )
        return Effects(push(cycle.close, mission, reason, "7"))

    def covers(self, view: View, mission: str, place: Place, extent: Fraction) -> Fraction:
        """Return 1 at the target's place, 1/2 where fire only suppresses, and 0 elsewhere."""
        covered, impact = super().covers(view, mission, place, extent), view.mission(mission).impact
        if not covered or facts.metres(view, impact, place) <= extent:
            return covered
        return Fraction(1, 2)
