"""One scenario analysed exactly: chains built once, measures asked of them; severity solved a place at a time."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any

from fireplan.solver._build import readied
from fireplan.solver._chain import Chain
from fireplan.solver._compile import Compiler, NumberLog
from fireplan.solver._given import ConditionedAnalysis, weighed
from fireplan.solver._lump import Layers
from fireplan.solver._measures import SUFFERED, WorstSeverity
from fireplan.solver._passes import Distribution, Measure, Reader, passes
from fireplan.solver._pause import uncollected
from fireplan.solver._places import Around, StruckPlace, Together, moved_by, struck_places
from fireplan.solver._severity import Struck, reads_back, struck_units
from fireplan.solver._solve import Plan, focus, solve
from fireplan.solver._states import TooLargeError
from fireplan_core import MISSION_EVENTS, ProcedureError, Scenario, Severity
from fireplan_core.play import Doctrine, State

EACH, LONGER = 1.5e-6, 3e-9
"""Seconds that a state costs in a moment, and how much more for each moment watched, as its numbers grow."""


class Analysis:
    """Exact answers about a scenario under a doctrine, for a number of moments, from its opening or from a state.

    A ``compiler`` of one's own takes the place of the usual one. Where it is not to be ``exact``, mass is carried in
    floats: quicker over many moments, and labelled in every distribution.
    """

    def __init__(
        self,
        scenario: Scenario,
        moments: int,
        doctrine: Doctrine | None = None,
        *,
        state: State | None = None,
        compiler: Compiler | None = None,
        exact: bool = True,
    ) -> None:
        self.exact = exact
        self.scenario = scenario
        self.moments = moments
        self.compiler = compiler or Compiler(scenario, doctrine)
        self._state = state
        self._plans: dict[bool, Plan] = {}
        """Say what has been explored: the mission alone, strikes set apart (True), and together with the targets."""
        self._refused: dict[bool, TooLargeError] = {}
        self._before: Mapping[bool, Plan] = {}
        self._known_places: Mapping[str, StruckPlace] = {}
        """The same of the scenario that this one is varied from."""
        self._solved: dict[Measure, Distribution] = {}

    def varied(
        self, scenario: Scenario, changed: Collection[str] | None = None, noted: NumberLog | None = None
    ) -> Analysis:
        """Return the analysis of the scenario with those numbers changed; keep all that does not rest on them.

        As ``Compiler.varied``, or where nobody knows what a change bears on (None), all rules are run again. What has
        been explored only gets other weights where that is enough.
        """
        if changed is None:
            compiler = Compiler(scenario, self.compiler.doctrine, noted=noted)
        else:
            compiler = self.compiler.varied(scenario, changed, noted)
        other = Analysis(scenario, self.moments, state=self._state, compiler=compiler, exact=self.exact)
        if scenario.initial == self.scenario.initial:
            other._before = self._plans
            other._known_places = self.__dict__.get("_places") or {}
        return other

    def _explored(self, *, apart: bool) -> Plan:
        if apart not in self._plans:
            if apart in self._refused:
                raise self._refused[apart]
            try:
                self._plans[apart] = readied(
                    self._before.get(apart),
                    self.compiler,
                    state=self._state,
                    apart=apart,
                    spliced=True,
                    alike=True,
                    horizon=self.moments,
                    moments=self.moments + (0 if self._state is None else self._state.moment),
                )
            except TooLargeError as error:
                self._refused[apart] = error
                raise
        return self._plans[apart]

    @property
    def chain(self) -> Chain:
        """Return every reachable state of mission and targets together."""
        return self._explored(apart=False).chain

    @cached_property
    def _mission(self) -> Plan | None:
        """The mission alone, strikes set apart; None when it reads what these do."""
        mission = self._explored(apart=True)
        return None if reads_back(self.scenario, mission.chain) else mission

    @cached_property
    def _places(self) -> dict[str, StruckPlace] | None:
        """The places that are struck; None when they cannot be told apart from the mission, or from each other."""
        if self._mission is None:
            return None
        mission = self._mission.chain
        known = {scope: place.plan for scope, place in self._known_places.items() if place.alone}
        return struck_places(self.compiler, mission, self._state, known)

    @property
    def plan(self) -> Plan:
        """Return the chain that measures of the mission are solved on."""
        return self._mission or self._explored(apart=False)

    def _plan_of(self, measure: Measure) -> Plan:
        """The chain that a measure is solved on which no strike moves: of events of missions, whatever strikes do."""
        if (measure.kinds <= MISSION_EVENTS and not measure.scope) or self._places is not None:
            return self.plan
        return self._explored(apart=False)

    @property
    def separable(self) -> bool:
        """Return whether the mission can be solved apart from what its strikes do."""
        return self._mission is not None

    def idle_places(self, kinds: Collection[str]) -> frozenset[str]:
        """Return the struck places that nothing else reads, and where no event of these kinds can be emitted."""
        places = (self._places or {}).values()
        return frozenset(place.scope for place in places if not any(event.kind in kinds for event in place.events))

    @property
    def states(self) -> int:
        """Return how many states were followed (without the targets, where these can be solved apart)."""
        return len(self.plan.chain.links)

    @property
    def kinds(self) -> frozenset[str]:
        """Return every kind of event that can be emitted, by the mission or by strikes."""
        told = {event.kind for events, _ in self.plan.chain.emissions for event in events}
        return frozenset(told.union(event.kind for place in (self._places or {}).values() for event in place.events))

    @property
    def seconds(self) -> float:
        """Return roughly how long a slow machine will take to answer all yardsticks; in floats nobody waits."""
        return self.states * self.moments * (EACH + LONGER * self.moments) if self.exact else 0.0

    @uncollected()
    def solve(self, measure: Measure) -> Distribution:
        """Return the distribution of a measure at the end, wherever the events that it looks at are emitted.

        Raises ``TooLargeError`` for events of strikes on several places where neither the mission and its targets
        together nor the measure and these places together can be followed, ``ProcedureError`` for a measure that looks
        at strikes where these cannot be set apart.
        """
        if self._movers(measure):
            if measure not in self._solved:
                self._solved[measure] = self._together(measure)
            return self._solved[measure]
        if struck := self._suffering(measure):
            return Distribution(struck.severities(exact=self.exact), self.exact)
        return solve(self._plan_of(measure), measure, self.moments, exact=self.exact)

    def given(self, condition: Measure, holds: Callable[[Any], bool] = bool) -> ConditionedAnalysis:
        """Return what is to be expected where a measure ends in a state that ``holds`` (one that is true)."""
        return ConditionedAnalysis(self, self.scenario, condition, holds)

    def focused(self, measure: Measure) -> tuple[Layers, Reader]:
        """Return the chain as a measure sees it, and how the measure is read along it.

        It is the mission alone where no strike can emit what moves the measure. Else the places where that can be
        emitted are carried along, or where events of the mission might change places with theirs, all is joined.
        """
        if struck := self._suffering(measure):
            return struck.layers, struck.reader()
        if movers := self._movers(measure):
            (seen,) = self.plan.seen([Around(measure, frozenset(place.scope for place in movers))], self.moments)
            if all(place.alone for place in movers) and all(
                len({type(letter) for letter in word or ()}) <= 1 for word in seen.emission
            ):
                return seen, Together(measure, movers)
        plan = self._explored(apart=False) if movers else self._plan_of(measure)
        return focus(plan, [measure], self.moments)[0], Reader(measure)

    def _movers(self, measure: Measure) -> list[StruckPlace]:
        """The places set apart where an event can be emitted that moves a measure; none where missions tell it all."""
        if measure.kinds <= MISSION_EVENTS and not measure.scope:
            return []
        found = [
            place
            for place in (self._places or {}).values()
            if any(moved_by(measure, event) for event in place.events) and not self._suffering(measure)
        ]
        if measure.scope and (found or self._places is None):
            raise ProcedureError(f"strikes cannot be told apart from what they do: {measure} has no answer here")
        return found

    def _suffering(self, measure: Measure) -> Struck | None:
        """The unit that a measure is about, where it is solved as its place is struck."""
        if not isinstance(measure, WorstSeverity) or self._struck is None:
            return None
        if measure.unit not in self._struck:
            self._struck.update(self._struck_of([measure.unit]))
        return self._struck[measure.unit]

    def _together(self, measure: Measure) -> Distribution:
        """The distribution of a measure that strikes on places set apart can move."""
        try:
            *_, after = passes(*self.focused(measure), exact=self.exact)
            return after()
        except TooLargeError as places:
            try:
                return solve(self._explored(apart=False), measure, self.moments, exact=self.exact)
            except TooLargeError as joint:
                raise TooLargeError(f"{joint}; {places}: ask for one unit or fewer moments", joint.moments) from joint

    # --- severity --------------------------------------------------------------------------------
    def severity(self) -> Mapping[Severity, Fraction]:
        """Return the worst severity suffered by an element of the target drawn at random by strength.

        Where no unit of the target has any (buildings, Dummies) nobody suffers.
        """
        return weighed(self.scenario, self.unit_severities() if self.scenario.target_strength else {})

    @uncollected()
    def unit_severities(self) -> Mapping[str, Mapping[Severity, Fraction]]:
        """Return for each unit of the target, the distribution of the worst severity that it suffers."""
        units = self.scenario.targets
        if self._struck is None:
            return {unit: self.solve(WorstSeverity(unit)).shares for unit in units}
        # Units that suffer alike are solved once.
        known: dict[Hashable, Mapping[Severity, Fraction]] = {}
        for unit in units:
            struck = self._struck[unit]
            if struck.key not in known:
                known[struck.key] = struck.severities(exact=self.exact)
        return {unit: known[self._struck[unit].key] for unit in units}

    @cached_property
    def _struck(self) -> dict[str, Struck] | None:
        """The units of the target as they are struck; None when strikes on their place are not all that they suffer."""
        if self._places is None or not all(place.alone for place in self._places.values()):
            return None
        told = [("", event) for events, _ in self.plan.chain.emissions for event in events]
        told += [(place.scope, event) for place in self._places.values() for event in place.events]
        if any(event.kind == SUFFERED and self._scope_of(event["unit"]) != scope for scope, event in told):
            return None
        return self._struck_of(self.scenario.targets)

    def _struck_of(self, units: Iterable[str]) -> dict[str, Struck]:
        places: dict[str, list[str]] = {}
        for unit in units:
            places.setdefault(self._scope_of(unit), []).append(unit)
        return struck_units(self.plan, self.moments, places, self._places or {})

    def _scope_of(self, unit: str) -> str:
        return f"place {self.scenario.frame.label(self.scenario.units[unit].place)}"
