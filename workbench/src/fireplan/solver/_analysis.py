"""One scenario analysed exactly: chains built once, measures asked of them; severity solved a place at a time."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from fractions import Fraction
from functools import cached_property

from fireplan.solver._build import readied
from fireplan.solver._chain import Chain
from fireplan.solver._compile import Compiler, NumberLog
from fireplan.solver._lump import Layers
from fireplan.solver._measures import WorstSeverity
from fireplan.solver._passes import Distribution, Measure, Reader
from fireplan.solver._pause import uncollected
from fireplan.solver._severity import Struck, reads_back, struck_units
from fireplan.solver._solve import Plan, focus, solve
from fireplan_core import Place, Scenario, Severity
from fireplan_core.play import Doctrine, State


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
        self._before: Mapping[bool, Plan] = {}
        """The same of the scenario that this one is varied from."""

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
        return other

    def _explored(self, *, apart: bool) -> Plan:
        if apart not in self._plans:
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
        return self._plans[apart]

    @property
    def chain(self) -> Chain:
        """Return every reachable state of mission and targets together."""
        return self._explored(apart=False).chain

    @cached_property
    def _apart(self) -> Plan | None:
        """The mission alone, strikes set apart; None when the mission reads back what strikes do."""
        mission = self._explored(apart=True)
        return None if reads_back(self.scenario, mission.chain) else mission

    @property
    def plan(self) -> Plan:
        """Return the chain that measures of the mission are solved on."""
        return self._apart or self._explored(apart=False)

    @property
    def separable(self) -> bool:
        """Return whether places can be solved apart from the mission."""
        return self._apart is not None

    @property
    def states(self) -> int:
        """Return how many states were followed (without the targets, where these can be solved apart)."""
        return len(self.plan.chain.links)

    @uncollected()
    def solve(self, measure: Measure) -> Distribution:
        """Return the distribution of a measure at the end. Measures of units need the joint chain."""
        return solve(self._plan_of(measure), measure, self.moments, exact=self.exact)

    def _plan_of(self, measure: Measure) -> Plan:
        return self._explored(apart=False) if isinstance(measure, WorstSeverity) else self.plan

    # --- severity --------------------------------------------------------------------------------
    def severity(self) -> Mapping[Severity, Fraction]:
        """Return the worst severity suffered by an element of the target drawn at random by strength.

        Where no unit of the target has any (buildings, Dummies) nobody suffers.
        """
        shares = dict.fromkeys(Severity, Fraction(0))
        strength = self.scenario.target_strength
        if not strength:
            return {**shares, Severity.NONE: Fraction(1)}
        for unit, distribution in self.unit_severities().items():
            weight = Fraction(self.scenario.units[unit].strength, strength)
            for severity, share in distribution.items():
                shares[severity] += weight * share
        return shares

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
        """The units of the target as they are struck; None when mission and target cannot be parted."""
        if self._apart is None:
            return None
        places: dict[Place, list[str]] = {}
        for unit in self.scenario.targets:
            places.setdefault(self.scenario.units[unit].place, []).append(unit)
        return struck_units(self.compiler, self._apart, self.moments, places, self._state)

    def focused(self, measure: Measure) -> tuple[Layers, Reader]:
        """Return the chain as a measure sees it, and how the measure is read along it."""
        if isinstance(measure, WorstSeverity) and self._struck is not None and measure.unit in self._struck:
            struck = self._struck[measure.unit]
            return struck.layers, struck.reader()
        (seen,) = focus(self._plan_of(measure), [measure], self.moments)
        return seen, Reader(measure)
