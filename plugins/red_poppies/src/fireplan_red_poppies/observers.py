"""Observers of Red Poppies: infantry, or an aircraft that sees everything (4.7, 6.1, 7.21).

An engagement declares the line of sight; a scenario traces it across the terrain.
"""

from fireplan_core import Observers, Place, Sight, Staging, View, query
from fireplan_red_poppies.ground import ScenarioMap, is_hex
from fireplan_red_poppies.massed import clouds_over
from fireplan_red_poppies.setup import Forces, Group, Staged
from fireplan_red_poppies.sight import SightRules, blocked, hidden
from fireplan_red_poppies.track import AIRCRAFT, TRENCH_SET, GroupCall
from fireplan_red_poppies.troops import TroopState, ground_of


class RedPoppiesObservers(Staged, Observers):
    """The observers part: friendly infantry, the trench set's company, or an aircraft (7.21)."""

    def set_up(self, staging: Staging, forces: Forces) -> None:
        """Set up the observers; refuse a trench set's company that is not infantry of its side."""
        super().set_up(staging, forces)
        for entry in forces.groups:
            designated = forces.mode_of(entry) == TRENCH_SET and entry.observer is not None
            if designated and entry.observer not in forces.infantry_of(entry.side):
                staging.cannot(
                    f"{entry.name}: {entry.observer} is not {entry.side} infantry (7.21)"
                )

    def sees(self, view: View, mission: str, place: Place) -> Sight:
        """Return the best line of sight from the group's observers to a place.

        In an engagement it is declared, and is the same for every place.
        """
        group, runner = view.facts(mission, Group), view.peek(mission, GroupCall).runner
        if (sights := group.forces.sights) is not None:
            return sights[runner]
        if group.mode == AIRCRAFT and not runner:
            return Sight(ground=True, burst=True, rule="4.7, 7.21", why="aircraft")
        assert group.forces.ground is not None  # noqa: S101 - only engagements declare sight and lack a map
        return self._seen_by_units(
            view, group.forces.ground, group.infantry if runner else group.units, place
        )

    def _seen_by_units(
        self, view: View, ground: ScenarioMap, units: tuple[str, ...], place: Place
    ) -> Sight:
        """Return the units' first clear line of sight, or else the first unit's obstruction (4.1).

        Units that are off the map or destroyed see nothing.
        """
        clouds, rules, first = clouds_over(view), SightRules.of(self), None
        for unit in units:
            at = view.place_of(unit)
            if at is None or (
                not view.scenario.mobile and view.peek_unit(unit, TroopState).destroyed
            ):
                continue
            stopped = blocked(ground, at, place, frozenset(clouds), rules)
            if stopped is None:
                rule = "4.1, 6.1, 7.21" if is_hex(place) else "4.1, 4.92, 6.1, 7.21"
                return Sight(ground=True, burst=True, rule=rule, why=unit)
            first = first or (unit, stopped)
        if first is None:
            return Sight(
                ground=False, burst=False, rule="6.1, 7.21", why="no infantry is left to observe"
            )
        unit, stopped = first
        cloud = clouds.get(stopped.at) if "4.82" in stopped.cite and not ground.dark else None
        cite = stopped.cite if cloud is None else f"{stopped.cite}, {cloud.value}"
        seer, at = (
            self.words.unit(unit) or unit.replace(".", " "),
            view.frame.label(stopped.at),
        )
        why = f"{seer} cannot see it: the line of sight is blocked by {stopped.what} in {at}"
        return Sight(ground=False, burst=False, rule=cite, why=why)

    # --- numbers behind a line of sight ----------------------------------------------------------
    @query(cite="4.3, 8.41")
    def level(self, view: View, unit: str) -> int | None:
        """Return the level from which a unit sees, or None if it has left the map."""
        at = view.place_of(unit)
        return None if at is None else _ground(view, unit).plot(at).level

    @query(cite="4.81, 4.82")
    def concealment(self, view: View, unit: str, place: Place) -> int | None:
        """Return the number of hexes of concealment between a unit and a hex.

        ``concealing_hexes`` of them block the line of sight. Return None if the unit has left the
        map.
        """
        at, clouds = view.place_of(unit), frozenset(clouds_over(view))
        if at is None:
            return None
        return hidden(_ground(view, unit), at, place, clouds, SightRules.of(self))

    @query(cite="4.1, 4.2")
    def obstruction(self, view: View, unit: str, place: Place) -> tuple[str, str, Place] | None:
        """Return the obstacle between a unit and a place, its rules and its hex, or None."""
        at, clouds = view.place_of(unit), frozenset(clouds_over(view))
        if at is None:
            return None
        stopped = blocked(_ground(view, unit), at, place, clouds, SightRules.of(self))
        return None if stopped is None else (stopped.what, stopped.cite, stopped.at)


def _ground(view: View, unit: str) -> ScenarioMap:
    return ground_of(view.seen_by("resolution"), unit)
