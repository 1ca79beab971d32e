"""Observers of Red Poppies: infantry on the map, or an aircraft that sees every vertex (4.7, 6.1, 7.21).

Which mode carries the word to the guns is the delays' business; whether a cross hair may be placed without
sight is the requests'. In an engagement the sight is declared; over the ground of a scenario it is traced.
"""

from typing import cast

import attrs

from fireplan_core import Observers, Place, Sight, Staging, View
from fireplan_red_poppies._ground import Ground, is_hex
from fireplan_red_poppies._massed import clouds_over
from fireplan_red_poppies._scenario import GroupEntry
from fireplan_red_poppies._setup import Forces, Staged
from fireplan_red_poppies._sight import SightRules, blocked
from fireplan_red_poppies._track import AIRCRAFT, TRENCH_SET, GroupCall
from fireplan_red_poppies._troops import Troops


@attrs.frozen(eq=False)
class ObservingUnits:
    """Say who observes for a group of a scenario, over which ground: nobody's eyes are needed where it is ``flown``.

    ``infantry`` is all that its side has: whoever observes when a call goes by runner, whatever the own mode (7.21).
    """

    ground: Ground
    units: tuple[str, ...]
    flown: bool = False
    infantry: tuple[str, ...] = ()


class RedPoppiesObservers(Staged, Observers):
    """Any friendly infantry; for a trench set the designated company; or an aircraft."""

    def set_up(self, staging: Staging, forces: Forces) -> None:
        """Set up who watches for each group, or the sight that is declared."""
        for massed in forces.massed:
            staging.mission(massed.name, self.word, facts=massed)
        for group in forces.groups:
            staging.mission(group.name, self.word, facts=forces.sights or self._units(staging, forces, group))

    @staticmethod
    def _units(staging: Staging, forces: Forces, group: GroupEntry) -> ObservingUnits:
        assert forces.ground is not None  # noqa: S101 - what has no declared sight has ground
        own = ((name, one.facts["resolution"]) for name, one in forces.units.items() if one.side == group.side)
        infantry = watching = tuple(name for name, company in own if company.type == "infantry")
        mode = forces.mode_of(group)
        if mode == TRENCH_SET and group.observer is not None:
            if group.observer not in infantry:
                staging.cannot(f"{group.name}: {group.observer} is no infantry of {group.side} (7.21)")
            watching = (group.observer,)
        return ObservingUnits(forces.ground, watching, flown=mode == AIRCRAFT, infantry=infantry)

    def sees(self, view: View, mission: str, place: Place) -> Sight:
        """Return the declared sight, alike for every place; in a scenario the best of the group's observers'."""
        facts, runner = view.scenario.missions[mission].facts.get(self.word), view.peek(mission, GroupCall).runner
        if isinstance(facts, ObservingUnits):
            if facts.flown and not runner:
                return Sight(ground=True, burst=True, rule="4.7, 7.21", why="aircraft")
            return self._seen_by_units(view, facts.ground, facts.infantry if runner else facts.units, place)
        by_mode, by_runner = view.facts(mission, tuple)
        return cast("Sight", by_runner if runner else by_mode)

    def _seen_by_units(self, view: View, ground: Ground, units: tuple[str, ...], place: Place) -> Sight:
        """Return the best that these units see of a place, or what keeps the first of them from it (4.1, 4.8)."""
        clouds, rules, first = clouds_over(view), SightRules.of(self), None
        for unit in units:
            at = view.place_of(unit)
            if at is None or (not view.scenario.mobile and view.peek_unit(unit, Troops).destroyed):
                continue
            stopped = blocked(ground, at, place, frozenset(clouds), rules)
            if stopped is None:
                rule = "4.1, 6.1, 7.21" if is_hex(place) else "4.1, 4.92, 6.1, 7.21"
                return Sight(ground=True, burst=True, rule=rule, why=unit)
            first = first or (unit, stopped)
        if first is None:
            return Sight(ground=False, burst=False, rule="6.1, 7.21", why="no infantry is left to observe")
        unit, stopped = first
        cloud = clouds.get(stopped.at) if "4.82" in stopped.cite and not ground.dark else None
        cite = stopped.cite if cloud is None else f"{stopped.cite}, {cloud.value}"
        why = f"{unit}: {stopped.what} in {view.frame.label(stopped.at)}"
        return Sight(ground=False, burst=False, rule=cite, why=why)
