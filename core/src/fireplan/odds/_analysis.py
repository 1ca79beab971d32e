"""One scenario analysed exactly: chains built once, measures asked of them; severity solved a place at a time."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any

from fireplan.mission import Scenario, Severity, Step
from fireplan.odds._chain import Chain, Compiler, build_chain
from fireplan.odds._measures import Strikes, WorstSeverity
from fireplan.odds._solve import Distribution, Measure, Plan, plan, solve, solve_each
from fireplan.table import Doctrine

LOCAL = ("units/", "ground/")
"""Addresses that belong to a place."""


class Analysis:
    """Exact answers about a scenario under a doctrine, for a number of moments."""

    def __init__(self, scenario: Scenario, moments: int, doctrine: Doctrine | None = None) -> None:
        self.scenario = scenario
        self.moments = moments
        self.compiler = Compiler(scenario, doctrine)
        self._known: dict[str, Any] = {}

    @cached_property
    def chain(self) -> Chain:
        """Every reachable state of mission and targets together."""
        return build_chain(self.compiler)

    @cached_property
    def _joint(self) -> Plan:
        return plan(self.chain)

    @cached_property
    def _apart(self) -> Plan | None:
        """The mission alone, strikes set apart; None when the mission reads back what strikes do."""
        chain = build_chain(self.compiler, apart=True)
        if any(address.startswith(LOCAL) for address in chain.addresses):
            return None
        return plan(chain)

    @property
    def mission_chain(self) -> Chain:
        """The chain that measures of the mission are solved on: without its targets where these stand apart."""
        return (self._apart or self._joint).chain

    @property
    def separable(self) -> bool:
        """Whether places can be solved apart from the mission."""
        return self._apart is not None

    def solve(self, measure: Measure) -> Distribution:
        """The exact distribution of a measure at the end. Measures of units need the joint chain."""
        if isinstance(measure, WorstSeverity) or self._apart is None:
            return solve(self._joint, measure, self.moments)
        return solve(self._apart, measure, self.moments)

    @cached_property
    def states(self) -> int:
        """How many states the mission has (without its targets, where these can be solved apart)."""
        return len(self.mission_chain.edges)

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

    def unit_severities(self) -> Mapping[str, Mapping[Severity, Fraction]]:
        """For each unit of the target, the distribution of the worst severity that it suffers."""
        found: dict[str, Mapping[Severity, Fraction]] = {}
        by_scope: dict[str, list[str]] = {}
        for unit in self.scenario.targets:
            label = self.scenario.frame.label(self.scenario.units[unit].place)
            by_scope.setdefault(f"place {label}", []).append(unit)
        for scope, units in by_scope.items():
            local = self._by_place(scope, units)
            for unit in units:
                found[unit] = (
                    local[unit]
                    if local is not None
                    else dict(solve(self._joint, WorstSeverity(unit), self.moments).shares)
                )
        return found

    def _by_place(self, scope: str, units: list[str]) -> dict[str, dict[Severity, Fraction]] | None:
        """Severities at one place: how often it is struck, times what so many strikes do; None if not separable."""
        if self._apart is None:
            return None
        strikes = solve(self._apart, Strikes(scope), self.moments).shares
        effects = self._effects(tuple(strikes), units)
        if effects is None:
            return None
        answer = {unit: dict.fromkeys(Severity, Fraction(0)) for unit in units}
        for sequence, share in strikes.items():
            for unit in units:
                for severity, chance in effects[sequence, unit].items():
                    answer[unit][severity] += share * chance
        return answer

    def _effects(
        self, sequences: tuple[tuple[Step, ...], ...], units: list[str]
    ) -> dict[tuple[tuple[Step, ...], str], Mapping[Severity, Fraction]] | None:
        """What each sequence of strikes does to each unit; like strikes in a row are one chain, read as it goes."""
        found: dict[tuple[tuple[Step, ...], str], Mapping[Severity, Fraction]] = {}
        for sequence in sorted(sequences, key=len, reverse=True):
            if not sequence:
                found.update({(sequence, unit): {Severity.NONE: Fraction(1)} for unit in units})
                continue
            alike = len(set(sequence)) == 1
            if alike and (sequence, units[0]) in found:
                continue
            ready = self._local(*(sequence[:1] if alike else sequence))
            if ready is None:
                return None
            times = len(sequence) if alike else 1
            for unit in units:
                for n, after in enumerate(solve_each(ready, WorstSeverity(unit), times), start=1):
                    found[sequence[:n] if alike else sequence, unit] = after.shares
        return found

    def _local(self, *strikes: Step) -> Plan | None:
        """The chain of these strikes on one place alone; None when they read anything but that place."""
        chain = build_chain(self.compiler, start=strikes)
        if any(not address.startswith(LOCAL) for address in chain.addresses):
            return None
        return plan(chain)
