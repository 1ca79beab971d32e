"""Conditions, exactly: what is to be expected where something is known to have happened, and how probable that is."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Protocol

import attrs

from fireplan.solver._measures import WorstSeverity
from fireplan.solver._passes import Distribution, Measure
from fireplan.solver._solve import moved_by
from fireplan_core import Event, Scenario, Severity


@attrs.frozen
class Jointly:
    """Carry several measures of events along together: the state is the tuple of theirs."""

    measures: tuple[Measure, ...]

    @property
    def kinds(self) -> frozenset[str]:
        """Return the kinds of all."""
        return frozenset().union(*(measure.kinds for measure in self.measures))

    @property
    def initial(self) -> tuple[Hashable, ...]:
        """Return what they begin with."""
        return tuple(measure.initial for measure in self.measures)

    def see(self, state: Any, letter: Event, moment: int) -> tuple[Hashable, ...]:
        """Show an event to those that look at its kind and are not settled."""
        return tuple(
            measure.see(seen, letter, moment) if letter.kind in measure.kinds and not measure.settled(seen) else seen
            for measure, seen in zip(self.measures, state, strict=True)
        )

    def concerns(self, letter: Event) -> bool:
        """Return whether an event can move one of them."""
        return any(moved_by(measure, letter) for measure in self.measures)

    def settled(self, state: Any) -> bool:
        """Return whether all are settled."""
        return all(measure.settled(seen) for measure, seen in zip(self.measures, state, strict=True))


class Solving(Protocol):
    """An analysis, as a condition is laid over it."""

    @property
    def states(self) -> int:
        """Return how many states were followed."""

    def solve(self, measure: Measure) -> Distribution:
        """Return the distribution of a measure."""

    def focus(self, measures: Sequence[Measure]) -> None:
        """Look at some measures together, before they are solved one by one."""


@attrs.frozen
class ConditionedAnalysis:
    """Answers among the cases in which a condition holds: those whose measure ends in a state that ``holds``."""

    analysis: Solving
    scenario: Scenario
    condition: Measure
    holds: Callable[[Any], bool] = bool

    @property
    def states(self) -> int:
        """Return how many states were followed."""
        return self.analysis.states

    @property
    def chance(self) -> Fraction:
        """Return the chance that the condition holds."""
        shares = self.analysis.solve(self.condition).shares.items()
        return sum((share for state, share in shares if self.holds(state)), Fraction(0))

    def solve(self, measure: Measure) -> Distribution:
        """Return the distribution of a measure among these cases.

        Raises ``ValueError`` where the condition never holds, and ``TooLargeError`` as the analysis does.
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

    def expect(self, measure: Measure, value: Callable[[Any], Fraction | int] = int) -> Fraction:
        """Return the expected value of a measure's last state among these cases."""
        shares = self.solve(measure).shares.items()
        return sum((share * value(state) for state, share in shares), Fraction(0))

    def severity(self) -> Mapping[Severity, Fraction]:
        """Return the worst severity among these cases, as ``Analysis.severity`` does among all."""
        measures = {unit: WorstSeverity(unit) for unit in self.scenario.targets}
        self.analysis.focus([Jointly((self.condition, measure)) for measure in measures.values()])
        return weighed(self.scenario, {unit: self.solve(measure).shares for unit, measure in measures.items()})


def weighed(scenario: Scenario, units: Mapping[str, Mapping[Severity, Fraction]]) -> Mapping[Severity, Fraction]:
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
