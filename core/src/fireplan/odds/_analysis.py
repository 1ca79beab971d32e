"""One scenario analysed exactly: chains built once, measures asked of them; severity solved a place at a time."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any

from fireplan.mission import Place, Scenario, Severity, Step
from fireplan.odds._chain import Chain
from fireplan.odds._compile import Compiler
from fireplan.odds._explore import build_chain
from fireplan.odds._measures import Strikes, WorstSeverity
from fireplan.odds._solve import Distribution, Measure, Plan, focus, passes, plan, solve, solve_each
from fireplan.table import Doctrine, State

LOCAL = ("units/", "ground/")
"""Addresses that belong to a place."""


Runs = tuple[tuple[Step, int], ...]
"""A sequence of strikes: runs of like ones."""


class Analysis:
    """Exact answers about a scenario under a doctrine, for a number of moments, from its opening or from a state."""

    def __init__(
        self, scenario: Scenario, moments: int, doctrine: Doctrine | None = None, *, state: State | None = None
    ) -> None:
        self.scenario = scenario
        self.moments = moments
        self.compiler = Compiler(scenario, doctrine)
        self._state = state
        self._known: dict[str, Any] = {}

    @property
    def _last(self) -> int:
        """The number of the moment before which all ends."""
        return self.moments + (0 if self._state is None else self._state.moment)

    @cached_property
    def chain(self) -> Chain:
        """Every reachable state of mission and targets together."""
        return build_chain(self.compiler, state=self._state, spliced=True, alike=True, moments=self._last)

    @cached_property
    def _joint(self) -> Plan:
        return plan(self.chain)

    @cached_property
    def _mission(self) -> Chain | None:
        """The mission alone, strikes set apart; None when the mission reads back what strikes do."""
        chain = build_chain(self.compiler, state=self._state, apart=True, spliced=True, alike=True, moments=self._last)
        return None if any(address.startswith(LOCAL) for address in chain.addresses) else chain

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
        return len((self._mission or self.chain).edges)

    def solve(self, measure: Measure) -> Distribution:
        """The exact distribution of a measure at the end. Measures of units need the joint chain."""
        ready = self._joint if isinstance(measure, WorstSeverity) else self.plan
        return solve(ready, measure, self.moments)

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
        places: dict[Place, list[str]] = {}
        for unit in self.scenario.targets:
            places.setdefault(self.scenario.units[unit].place, []).append(unit)
        struck = self._strikes(tuple(places))
        found: dict[str, Mapping[Severity, Fraction]] = {}
        for place, units in places.items():
            effects = None if struck is None else self._effects(place, struck[place].shares, units)
            for unit in units:
                found[unit] = (
                    solve(self._joint, WorstSeverity(unit), self.moments).shares if effects is None else effects[unit]
                )
        return found

    def _strikes(self, places: tuple[Place, ...]) -> dict[Place, Distribution] | None:
        """How often each place is struck; places that look alike to the mission are solved once."""
        if self._apart is None:
            return None
        scopes = [f"place {self.scenario.frame.label(place)}" for place in places]
        answers: dict[int, Distribution] = {}
        found: dict[Place, Distribution] = {}
        for place, seen in zip(places, focus(self._apart, [Strikes(scope) for scope in scopes]), strict=True):
            if seen.start not in answers:
                *_, after = passes(seen, self.moments)
                answers[seen.start] = after()
            found[place] = answers[seen.start]
        return found

    def _effects(
        self, place: Place, sequences: Mapping[Runs, Fraction], units: list[str]
    ) -> dict[str, dict[Severity, Fraction]] | None:
        """Severities at one place: how often it is struck, times what so many strikes do; None if not separable."""
        effect: dict[tuple[Runs, str], Mapping[Severity, Fraction]] = {}
        for runs in sorted(sequences, key=lambda runs: sum(times for _, times in runs), reverse=True):
            if not runs:
                effect.update({(runs, unit): {Severity.NONE: Fraction(1)} for unit in units})
                continue
            if (runs, units[0]) in effect:
                continue
            (step, times), *others = runs
            ready = self._local(place, *(s for s, n in runs for _ in range(n))) if others else self._local(place, step)
            if ready is None:
                return None
            for unit in units:
                if others:
                    effect[runs, unit] = solve(ready, WorstSeverity(unit), 1).shares
                    continue
                # Like strikes in a row are one chain, read as it goes.
                for n, after in enumerate(solve_each(ready, WorstSeverity(unit), times), start=1):
                    effect[((step, n),), unit] = after.shares
        answer = {unit: dict.fromkeys(Severity, Fraction(0)) for unit in units}
        for runs, share in sequences.items():
            for unit in units:
                for severity, chance in effect[runs, unit].items():
                    answer[unit][severity] += share * chance
        return answer

    def _local(self, place: Place, *strikes: Step) -> Plan | None:
        """The chain of these strikes on one place alone.

        None when they read anything but that place, or what the mission itself puts there.
        """
        scope = f"place {self.scenario.frame.label(place)}"
        start = tuple(Step(s.name, (s.args[0], place, *s.args[1:]), scope) for s in strikes)
        chain = build_chain(self.compiler, start=start, spliced=True, alike=True)
        touched = frozenset() if self._mission is None else self._mission.altered
        if any(not address.startswith(LOCAL) or address in touched for address in chain.addresses):
            return None
        return plan(chain)
