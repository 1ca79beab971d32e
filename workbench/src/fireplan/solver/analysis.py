"""One scenario analysed exactly: chains built once, measures asked of them.

Severity solved a place at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import attrs

from fireplan.solver.build import readied
from fireplan.solver.chain import Chain, events_of
from fireplan.solver.compile import Compiler, NumberLog
from fireplan.solver.lump import Layers
from fireplan.solver.measures import Jointly, WorstSeverity
from fireplan.solver.passes import Distribution, Measure, Reader, moved_by
from fireplan.solver.places import (
    Automaton,
    Passes,
    StruckPlace,
    Together,
    reads_back,
    struck_places,
)
from fireplan.solver.solving import Observed, Plan, focus, solve
from fireplan.solver.states import TooLargeError, uncollected
from fireplan_core import MISSION_EVENTS, Scenario, Severity
from fireplan_core.play import Doctrine, State

EACH, LONGER = 1.5e-6, 3e-9
"""Seconds that a state costs in a moment, and how much more for each moment watched, as its numbers grow."""


class Analysis:
    """Exact answers about a scenario under a doctrine, for a number of moments, from its opening or from a state.

    A ``compiler`` of one's own takes the place of the usual one. Where it is not to be ``exact``,
    mass is carried in floats: quicker over many moments, and labelled in every distribution.
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
        late: Callable[[], bool] = bool,
    ) -> None:
        self.exact = exact
        self.late = late
        """Say whether no more is to be explored."""
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
        self._watched: frozenset[str] = frozenset()
        """Keys to which the mission puts what strikes read."""
        self._focused: dict[Measure, tuple[Layers, Reader]] = {}
        self._passes = Passes(exact=exact)
        self._solved: dict[Measure, Distribution] = {}

    def varied(
        self,
        scenario: Scenario,
        changed: Collection[str] | None = None,
        noted: NumberLog | None = None,
    ) -> Analysis:
        """Return the analysis of the scenario with those numbers changed.

        Keep all that does not rest on them.

        As ``Compiler.varied``, or where nobody knows what a change bears on (None), all rules are
        run again. What has been explored only gets other weights where that is enough.
        """
        if changed is None:
            compiler = Compiler(scenario, self.compiler.doctrine, noted=noted)
        else:
            compiler = self.compiler.varied(scenario, changed, noted)
        other = Analysis(
            scenario, self.moments, state=self._state, compiler=compiler, exact=self.exact
        )
        if scenario.initial == self.scenario.initial:
            other._before = self._plans
            other._known_places = self.__dict__.get("_places") or {}
            other._watched = self._watched
            other._passes = self._passes
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
                    watched=self._watched if apart else frozenset(),
                    spliced=True,
                    alike=True,
                    horizon=self.moments,
                    moments=self.moments + (0 if self._state is None else self._state.moment),
                    late=self.late,
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
        """The places that are struck.

        None when they cannot be told apart from the mission, or from each other.
        """
        if self._mission is None:
            return None
        found = struck_places(self.compiler, self._mission.chain, self._state, self._known_places)
        watched = self._watched.union(
            *(place.reads_of_the_mission for place in (found or {}).values())
        )
        if watched != self._watched:
            # What the mission puts there must be told on its ways.
            self._watched, self._before = watched, {}
            del self._plans[True], self._mission
        return found

    @property
    def plan(self) -> Plan:
        """Return the chain that measures of the mission are solved on."""
        return self._mission or self._explored(apart=False)

    def _plan_of(self, measure: Measure) -> Plan:
        """The chain that a measure is solved on which no strike moves: of events of missions, whatever strikes do."""
        if measure.kinds <= MISSION_EVENTS or self._places is not None:
            return self.plan
        return self._explored(apart=False)

    @property
    def separable(self) -> bool:
        """Return whether the mission can be solved apart from what its strikes do."""
        return self._mission is not None

    def idle_places(self, kinds: Collection[str]) -> frozenset[str]:
        """Return the struck places that nothing else reads, and where no event of these kinds can be emitted."""
        places = (self._places or {}).values()
        return frozenset(
            place.scope
            for place in places
            if not any(event.kind in kinds for event in place.events)
        )

    @property
    def states(self) -> int:
        """Return how many states were followed (without the targets, where these can be solved apart)."""
        return len(self.plan.chain.links)

    @property
    def kinds(self) -> frozenset[str]:
        """Return every kind of event that can be emitted, by the mission or by strikes."""
        told = {
            event.kind for emission in self.plan.chain.emissions for event in events_of(emission)
        }
        return frozenset(
            told.union(
                event.kind for place in (self._places or {}).values() for event in place.events
            )
        )

    @property
    def seconds(self) -> float:
        """Return roughly how long a slow machine will take to answer all yardsticks.

        In floats nobody waits.
        """
        return self.states * self.moments * (EACH + LONGER * self.moments) if self.exact else 0.0

    @uncollected()
    def solve(self, measure: Measure) -> Distribution:
        """Return the distribution of a measure at the end, wherever the events that it looks at are emitted.

        Raises ``TooLargeError`` for events of strikes on several places where neither the mission
        and its targets together nor the measure and these places together can be followed.
        """
        if measure not in self._solved:
            self._solved[measure] = self._distribution(measure)
        return self._solved[measure]

    def _distribution(self, measure: Measure) -> Distribution:
        if not self._movers(measure):
            return solve(self._plan_of(measure), measure, self.moments, exact=self.exact)
        try:
            return self._passes(*self.focused(measure))
        except TooLargeError as places:
            try:
                return solve(self._explored(apart=False), measure, self.moments, exact=self.exact)
            except TooLargeError as joint:
                raise TooLargeError(
                    f"{joint}; {places}: ask for one unit or fewer moments", joint.moments
                ) from joint

    def given(self, condition: Measure, holds: Callable[[Any], bool] = bool) -> ConditionedAnalysis:
        """Return what is to be expected where a measure ends in a state that ``holds`` (one that is true)."""
        return ConditionedAnalysis(self, condition, holds)

    def focused(self, measure: Measure) -> tuple[Layers, Reader]:
        """Return the chain as a measure sees it, and how the measure is read along it.

        It is the mission alone where no strike can emit what moves the measure, else the places
        where that can be emitted are carried along.
        """
        self.focus([measure])
        return self._focused[measure]

    def focus(self, measures: Sequence[Measure]) -> None:
        """Look at the chain with some measures together, before they are solved: what looks alike to two is one."""
        measures = [measure for measure in measures if measure not in self._focused]
        movers = {measure: self._movers(measure) for measure in measures}
        automata: dict[tuple[str, Measure], Automaton] = {}
        # Measures that no strike moves need not know the places that are struck.
        for scope, place in (self._places or {} if any(movers.values()) else {}).items():
            moved = [measure for measure in measures if place in movers[measure]]
            automata |= {
                (scope, measure): found
                for measure, found in zip(moved, place.automata(moved), strict=True)
            }
        together = {
            measure: Together(measure, [automata[place.scope, measure] for place in places])
            for measure, places in movers.items()
            if places
        }
        looks = [Observed(measure, reader.steps) for measure, reader in together.items()]
        seen = self.plan.seen(looks, self.moments) if looks else []
        self._focused |= {
            m: (layers, reader) for (m, reader), layers in zip(together.items(), seen, strict=True)
        }
        for measure in measures:
            if measure not in together:
                self._focused[measure] = (
                    focus(self._plan_of(measure), [measure], self.moments)[0],
                    Reader(measure),
                )

    def _movers(self, measure: Measure) -> list[StruckPlace]:
        """The places set apart where an event can be emitted that moves a measure.

        None where missions tell it all.
        """
        if measure.kinds <= MISSION_EVENTS:
            return []
        places = (self._places or {}).values()
        return [
            place for place in places if any(moved_by(measure, event) for event in place.events)
        ]

    # --- severity --------------------------------------------------------------------------------
    def severity(self) -> Mapping[Severity, Fraction]:
        """Return the worst severity suffered by an element of the target drawn at random by strength.

        Where no unit of the target has any (buildings, Dummies) nobody suffers.
        """
        return weighed(
            self.scenario, self.unit_severities() if self.scenario.target_strength else {}
        )

    @uncollected()
    def unit_severities(self) -> Mapping[str, Mapping[Severity, Fraction]]:
        """Return for each unit of the target, the distribution of the worst severity that it suffers."""
        measures = {unit: WorstSeverity(unit) for unit in self.scenario.targets}
        self.focus([*measures.values()])
        none = dict.fromkeys(Severity, Fraction(0))
        return {unit: {**none, **self.solve(measure).shares} for unit, measure in measures.items()}


@attrs.frozen
class ConditionedAnalysis:
    """Answers among the cases in which a condition holds: those whose measure ends in a state that ``holds``."""

    analysis: Analysis
    condition: Measure
    holds: Callable[[Any], bool] = bool

    @property
    def chance(self) -> Fraction:
        """Return the chance that the condition holds."""
        shares = self.analysis.solve(self.condition).shares.items()
        return sum((share for state, share in shares if self.holds(state)), Fraction(0))

    def solve(self, measure: Measure) -> Distribution:
        """Return the distribution of a measure among these cases.

        Raises ``ValueError`` where the condition never holds, and ``TooLargeError`` as the analysis
        does.
        """
        joint = self.analysis.solve(Jointly((self.condition, measure)))
        shares: dict[Any, Fraction] = {}
        for (known, state), share in joint.shares.items():
            if self.holds(known):
                shares[state] = shares.get(state, Fraction(0)) + share
        chance = sum(shares.values(), Fraction(0))
        if not chance:
            raise ValueError("the condition never holds, so nothing can be expected where it does")
        return Distribution({state: share / chance for state, share in shares.items()}, joint.exact)

    def severity(self) -> Mapping[Severity, Fraction]:
        """Return the worst severity among these cases, as ``Analysis.severity`` does among all."""
        scenario = self.analysis.scenario
        measures = {unit: WorstSeverity(unit) for unit in scenario.targets}
        self.analysis.focus([Jointly((self.condition, measure)) for measure in measures.values()])
        return weighed(
            scenario, {unit: self.solve(measure).shares for unit, measure in measures.items()}
        )


def weighed(
    scenario: Scenario, units: Mapping[str, Mapping[Severity, Fraction]]
) -> Mapping[Severity, Fraction]:
    """Return the severity for an element drawn at random by strength: nothing where no unit of the target has any."""
    shares = dict.fromkeys(Severity, Fraction(0))
    strength = scenario.target_strength
    if not strength:
        return {**shares, Severity.NONE: Fraction(1)}
    for unit, distribution in units.items():
        weight = Fraction(scenario.units[unit].strength, strength)
        for severity, share in distribution.items():
            shares[severity] += weight * share
    return shares
