"""Conditions, exactly: what is to be expected where something is known to have happened, and how probable that is."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from fractions import Fraction
from typing import Any

import attrs

from fireplan.solver._passes import Distribution, Measure
from fireplan_core import Event


@attrs.frozen
class Both:
    """Carry two measures of events along together: the state is the pair of theirs."""

    one: Measure
    other: Measure
    scope: str = ""

    @property
    def kinds(self) -> frozenset[str]:
        """Return the kinds of both."""
        return self.one.kinds | self.other.kinds

    @property
    def initial(self) -> Hashable:
        """Return the pair that they begin with."""
        return self.one.initial, self.other.initial

    def see(self, state: Any, letter: Event, moment: int) -> Any:
        """Show an event to those of the two that look at its kind and are not settled."""
        return tuple(
            measure.see(seen, letter, moment) if letter.kind in measure.kinds and not measure.settled(seen) else seen
            for measure, seen in zip((self.one, self.other), state, strict=True)
        )

    def settled(self, state: Any) -> bool:
        """Return whether both are settled."""
        one, other = state
        return self.one.settled(one) and self.other.settled(other)


@attrs.frozen
class ConditionedAnalysis:
    """Answers among the cases in which a condition holds: those whose measure ends in a state that ``holds``."""

    solver: Callable[[Measure], Distribution]
    condition: Measure
    holds: Callable[[Any], bool] = bool

    @property
    def chance(self) -> Fraction:
        """Return the chance that the condition holds."""
        shares = self.solver(self.condition).shares.items()
        return sum((share for state, share in shares if self.holds(state)), Fraction(0))

    def solve(self, measure: Measure) -> Distribution:
        """Return the distribution of a measure among these cases.

        Raises ``ValueError`` where the condition never holds or a measure looks at strikes of one place, and
        ``TooLargeError`` as the analysis does.
        """
        if measure.scope or self.condition.scope:
            raise ValueError("a condition is about events, not about strikes that are set apart")
        joint = self.solver(Both(self.condition, measure))
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
