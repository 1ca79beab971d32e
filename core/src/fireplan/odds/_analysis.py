"""One scenario analysed exactly: chains built once, measures asked of them; severity solved a place at a time."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any

from fireplan.mission import Place, Scenario, Severity
from fireplan.odds._build import build_chain
from fireplan.odds._chain import Chain
from fireplan.odds._compile import Compiler
from fireplan.odds._lump import Layers
from fireplan.odds._measures import WorstSeverity
from fireplan.odds._pause import uncollected
from fireplan.odds._severity import Struck, reads_back, struck_units
from fireplan.odds._solve import Distribution, Measure, Plan, Reader, focus, plan, solve
from fireplan.table import Doctrine, State


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
        self._known: dict[str, Any] = {}

    @property
    def _last(self) -> int:
        """The number of the moment before which all ends."""
        return self.moments + (0 if self._state is None else self._state.moment)

    def _explored(self, *, apart: bool) -> Chain:
        return build_chain(
            self.compiler,
            state=self._state,
            apart=apart,
            spliced=True,
            alike=True,
            horizon=self.moments,
            moments=self._last,
        )

    @cached_property
    def chain(self) -> Chain:
        """Every reachable state of mission and targets together."""
        return self._explored(apart=False)

    @cached_property
    def _joint(self) -> Plan:
        return plan(self.chain)

    @cached_property
    def _mission(self) -> Chain | None:
        """The mission alone, strikes set apart; None when the mission reads back what strikes do."""
        chain = self._explored(apart=True)
        return None if reads_back(self.scenario, chain) else chain

    @cached_property
    def _apart(self) -> Plan | None:
        return None if self._mission is None else plan(self._mission)

    @property
    def plan(self) -> Plan:
        """The chain that measures of the mission are solved on."""
        return self._apart or self._joint

    @property
    def separable(self) -> bool:
        """Whether places can be solved apart from the mission."""
        return self._mission is not None

    @property
    def states(self) -> int:
        """How many states were followed (without the targets, where these can be solved apart)."""
        return len((self._mission or self.chain).links)

    @uncollected()
    def solve(self, measure: Measure) -> Distribution:
        """The distribution of a measure at the end. Measures of units need the joint chain."""
        ready = self._joint if isinstance(measure, WorstSeverity) else self.plan
        return solve(ready, measure, self.moments, exact=self.exact)

    # --- severity --------------------------------------------------------------------------------
    def severity(self) -> Mapping[Severity, Fraction]:
        """The worst severity suffered by an element of the target drawn at random by strength."""
        shares = dict.fromkeys(Severity, Fraction(0))
        strength = sum(self.scenario.units[unit].strength for unit in self.scenario.targets)
        for unit, distribution in self.unit_severities().items():
            weight = Fraction(self.scenario.units[unit].strength, strength)
            for severity, share in distribution.items():
                shares[severity] += weight * share
        return shares

    @uncollected()
    def unit_severities(self) -> Mapping[str, Mapping[Severity, Fraction]]:
        """For each unit of the target, the distribution of the worst severity that it suffers."""
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
        """The chain as a measure sees it, and how the measure is read along it."""
        if isinstance(measure, WorstSeverity) and self._struck is not None and measure.unit in self._struck:
            struck = self._struck[measure.unit]
            return struck.layers, struck.reader()
        ready = self._joint if isinstance(measure, WorstSeverity) else self.plan
        (seen,) = focus(ready, [measure], self.moments)
        return seen.layers, Reader(measure)
