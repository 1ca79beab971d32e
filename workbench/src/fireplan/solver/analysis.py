"""The exact analysis of one scenario: its chains are built once and shared by all measures.

Severity is solved one place at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import attrs

from fireplan.solver.build import build_chain, prepared_plan
from fireplan.solver.chain import Chain, events_of
from fireplan.solver.citations import OpenSteps
from fireplan.solver.compile import Compiler, NumberLog, cited
from fireplan.solver.lump import Layers
from fireplan.solver.measures import Jointly, WorstSeverity
from fireplan.solver.passes import Distribution, Measure, Reader, moved_by
from fireplan.solver.places import (
    Automaton,
    JointReader,
    PassRunner,
    StruckPlace,
    reads_back,
    struck_places,
)
from fireplan.solver.solving import MeasureObservation, PreparedChain, focus, solve
from fireplan.solver.states import MAX_RUNS, Late, TooLargeError, uncollected
from fireplan_core import MISSION_EVENTS, Pending, Scenario, Severity
from fireplan_core.play import Doctrine, State


class Analysis:
    """Exact answers about a scenario under a doctrine, from its opening or from ``state``.

    ``moments`` is the number of moments to follow. ``compiler`` replaces the usual compiler.
    Without ``exact``, probabilities are floats, which is faster over many moments; distributions
    are then marked as not exact. Exploring stops with ``TooLargeError`` once ``late()`` is true.
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
        late: Late = bool,
    ) -> None:
        self.exact = exact
        self.late = late
        """Returns true when exploring must stop."""
        self.max_runs = MAX_RUNS
        """Maximum number of rule runs of a chain."""
        self.scenario = scenario
        self.moments = moments
        self.compiler = compiler or Compiler(scenario, doctrine)
        self._state = state
        self._plans: dict[bool, PreparedChain] = {}
        """Plans of the mission without strikes (True), and of mission and targets (False)."""
        self._refused: dict[bool, TooLargeError] = {}
        self._before: Mapping[bool, PreparedChain] = {}
        self._known_places: Mapping[str, StruckPlace] = {}
        """Struck places of the analysis that this one varies, to be reused where possible."""
        self._watched: frozenset[str] = frozenset()
        """The keys that the mission writes and strikes read."""
        self._focused: dict[Measure, tuple[Layers, Reader]] = {}
        self._passes = PassRunner(exact=exact)
        self._solved: dict[Measure, Distribution] = {}

    def varied(
        self,
        scenario: Scenario,
        changed: Collection[str] | None = None,
        noted: NumberLog | None = None,
    ) -> Analysis:
        """Return the analysis of a scenario that differs from this one only in some numbers.

        ``changed`` has the names of these numbers, and chains that they do not affect are reused;
        if it is None (unknown), all rules run again. ``noted`` records the numbers that rules read.
        Where only weights change, chains already explored are reweighed instead of explored again.
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

    def _explored(self, *, apart: bool) -> PreparedChain:
        if apart not in self._plans:
            if apart in self._refused:
                raise self._refused[apart].afresh()
            try:
                self._plans[apart] = prepared_plan(
                    self._before.get(apart),
                    self.compiler,
                    apart=apart,
                    watched=self._watched if apart else frozenset(),
                    **self._options,
                )
            except TooLargeError as error:
                if not self.late():  # with more time the chain may still be explored
                    self._refused[apart] = error.afresh()
                raise
        return self._plans[apart]

    @property
    def _options(self) -> dict[str, Any]:
        return {
            "state": self._state,
            "spliced": True,
            "alike": True,
            "horizon": self.moments,
            "moments": self.moments + (0 if self._state is None else self._state.moment),
            "late": self.late,
            "max_runs": self.max_runs,
        }

    @property
    def chain(self) -> Chain:
        """Return the chain of mission and targets together."""
        return self._explored(apart=False).chain

    @cached_property
    def chain_with_strikes(self) -> Chain:
        """Return the chain of mission and targets together, with every strike recorded."""
        return build_chain(self.compiler, counts=True, **self._options)

    @cached_property
    def _mission(self) -> PreparedChain | None:
        """Return the prepared chain of the mission without strikes.

        It is None if the mission reads the effects of strikes.
        """
        mission = self._explored(apart=True)
        return None if reads_back(self.scenario, mission.chain) else mission

    @cached_property
    def _places(self) -> dict[str, StruckPlace] | None:
        """Return the struck places by scope, or None if they cannot be solved apart.

        Places can be solved apart if they are independent of the mission and of each other.
        """
        if self._mission is None:
            return None
        places = struck_places(self.compiler, self._mission.chain, self._state, self._known_places)
        watched = self._watched.union(
            *(place.reads_of_the_mission for place in (places or {}).values())
        )
        if watched != self._watched:
            # The mission's transitions must record its writes to these keys.
            self._watched, self._before = watched, {}
            del self._plans[True], self._mission
        return places

    @property
    def plan(self) -> PreparedChain:
        """Return the prepared chain on which measures of the mission are solved."""
        return self._mission or self._explored(apart=False)

    def _plan_of(self, measure: Measure) -> PreparedChain:
        """Return the prepared chain on which to solve a measure.

        It includes the targets only if the measure may depend on strikes that cannot be solved
        apart.
        """
        if measure.kinds <= MISSION_EVENTS or self._places is not None:
            return self.plan
        return self._explored(apart=False)

    @property
    def separable(self) -> bool:
        """Return whether the mission can be solved apart from the effects of its strikes."""
        return self._mission is not None

    def idle_places(self, kinds: Collection[str]) -> frozenset[str]:
        """Return the scopes of struck places that emit no event of these kinds.

        The result is empty if places cannot be solved apart.
        """
        places = (self._places or {}).values()
        return frozenset(
            place.scope
            for place in places
            if not any(event.kind in kinds for event in place.events)
        )

    @property
    def states(self) -> int:
        """Return the number of states explored, without targets if they are solved apart."""
        return len(self.plan.chain.links)

    @property
    def kinds(self) -> frozenset[str]:
        """Return every kind of event that the mission or its strikes can emit."""
        kinds = {
            event.kind for emission in self.plan.chain.emissions for event in events_of(emission)
        }
        return frozenset(
            kinds.union(
                event.kind for place in (self._places or {}).values() for event in place.events
            )
        )

    @uncollected()
    def solve(self, measure: Measure) -> Distribution:
        """Return the distribution of a measure at the end, including the effects of strikes.

        If strikes on several places change the measure, either mission and targets together or the
        measure and these places together must be small enough to follow. Raises ``TooLargeError``
        if neither is.
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
                    f"{joint}; {places}: ask for a single unit or for fewer moments", joint.moments
                ) from joint

    def given(self, condition: Measure, holds: Callable[[Any], bool] = bool) -> ConditionedAnalysis:
        """Return the analysis given that a measure ends in a state for which ``holds`` is true."""
        return ConditionedAnalysis(self, condition, holds)

    def focused(self, measure: Measure) -> tuple[Layers, Reader]:
        """Return the layers of the chain lumped for a measure, and the reader that follows them.

        If strikes on places that are solved apart can change the measure, the reader also carries
        the states of these places.
        """
        self.focus([measure])
        return self._focused[measure]

    def focus(self, measures: Sequence[Measure]) -> None:
        """Lump the chain for several measures together, sharing states where possible."""
        measures = [measure for measure in measures if measure not in self._focused]
        movers = {measure: self._movers(measure) for measure in measures}
        automata: dict[tuple[str, Measure], Automaton] = {}
        # Measures that no strike affects do not need the struck places, which are slow to explore.
        for scope, place in (self._places or {} if any(movers.values()) else {}).items():
            moved = [measure for measure in measures if place in movers[measure]]
            automata |= {
                (scope, measure): automaton
                for measure, automaton in zip(moved, place.automata(moved), strict=True)
            }
        together = {
            measure: JointReader(measure, [automata[place.scope, measure] for place in places])
            for measure, places in movers.items()
            if places
        }
        observations = [
            MeasureObservation(measure, reader.steps) for measure, reader in together.items()
        ]
        seen = self.plan.seen(observations, self.moments) if observations else []
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
        """Return the struck places whose events can change a measure.

        The list is empty for a measure that reads mission events only.
        """
        if measure.kinds <= MISSION_EVENTS:
            return []
        places = (self._places or {}).values()
        return [
            place for place in places if any(moved_by(measure, event) for event in place.events)
        ]

    def rests_on(self, *measures: Measure) -> tuple[str, ...]:
        """Return the rule numbers, e.g. ``C1.33``, on which the values of these measures rest.

        They are those of the steps taken while the measures are still open; the rules of struck
        places count if a strike there can change one of the measures.
        """
        steps = set[Pending]()
        for measure in measures:
            scopes = {place.scope for place in self._movers(measure)}
            steps.update(OpenSteps(self._plan_of(measure).chain, measure, self.moments, scopes))
            steps.update(step for step in self.compiler.compiled if step.scope in scopes)
        return cited(self.scenario, steps)

    # --- severity --------------------------------------------------------------------------------
    def severity(self) -> Mapping[Severity, Fraction]:
        """Map each severity to the chance that it is the worst that a random element suffers.

        The element is drawn from the target, with units weighted by their strength. A target
        without strength (buildings, Dummies) suffers nothing.
        """
        return weighed(
            self.scenario, self.unit_severities() if self.scenario.target_strength else {}
        )

    @uncollected()
    def unit_severities(self) -> Mapping[str, Mapping[Severity, Fraction]]:
        """Map each unit of the target to the distribution of the worst severity that it suffers."""
        measures = {unit: WorstSeverity(unit) for unit in self.scenario.targets}
        self.focus([*measures.values()])
        none = dict.fromkeys(Severity, Fraction(0))
        return {unit: {**none, **self.solve(measure).shares} for unit, measure in measures.items()}


@attrs.frozen
class ConditionedAnalysis:
    """Answers given a condition: a measure ends in a state for which ``holds`` is true."""

    analysis: Analysis
    condition: Measure
    holds: Callable[[Any], bool] = bool

    @property
    def chance(self) -> Fraction:
        """Return the probability of the condition."""
        shares = self.analysis.solve(self.condition).shares.items()
        return sum((share for state, share in shares if self.holds(state)), Fraction(0))

    def solve(self, measure: Measure) -> Distribution:
        """Return the distribution of a measure given the condition.

        Raises ``ValueError`` if the condition never holds, and ``TooLargeError`` as the analysis
        does.
        """
        joint = self.analysis.solve(Jointly((self.condition, measure)))
        shares: dict[Any, Fraction] = {}
        for (condition_state, state), share in joint.shares.items():
            if self.holds(condition_state):
                shares[state] = shares.get(state, Fraction(0)) + share
        chance = sum(shares.values(), Fraction(0))
        if not chance:
            raise ValueError("the condition never holds, so the question has no answer")
        return Distribution({state: share / chance for state, share in shares.items()}, joint.exact)

    def severity(self) -> Mapping[Severity, Fraction]:
        """Map each severity to the chance that it is the worst that a random element suffers.

        The chance is given the condition; the element is drawn from the target. Raises
        ``ValueError`` if the condition never holds, and ``TooLargeError`` as the analysis does.
        """
        scenario = self.analysis.scenario
        measures = {unit: WorstSeverity(unit) for unit in scenario.targets}
        self.analysis.focus([Jointly((self.condition, measure)) for measure in measures.values()])
        return weighed(
            scenario, {unit: self.solve(measure).shares for unit, measure in measures.items()}
        )


def weighed(
    scenario: Scenario, units: Mapping[str, Mapping[Severity, Fraction]]
) -> Mapping[Severity, Fraction]:
    """Return the distribution of severity for a random element of the target.

    ``units`` has the distribution of each unit; units are weighted by their strength. A target
    without strength suffers nothing.
    """
    shares = dict.fromkeys(Severity, Fraction(0))
    strength = scenario.target_strength
    if not strength:
        return {**shares, Severity.NONE: Fraction(1)}
    for unit, distribution in units.items():
        weight = Fraction(scenario.units[unit].strength, strength)
        for severity, share in distribution.items():
            shares[severity] += weight * share
    return shares
