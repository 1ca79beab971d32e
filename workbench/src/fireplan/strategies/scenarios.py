"""Scenarios under a strategy; the code to follow one is loaded only where it is needed."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

import attrs

from fireplan.strategies.rules import Strategy
from fireplan_core import Scenario

if TYPE_CHECKING:
    from fireplan.strategies.following import Standing


@lru_cache(maxsize=64)
def scenario_under(scenario: Scenario, strategy: Strategy) -> Scenario:
    """Return the scenario in which the orders of a strategy are the standard orders.

    For a strategy without rules, return the scenario with its own standard orders. Raise
    ``InputError`` listing every question, side, fact and value that the scenario does not have.
    """
    standing = _standing_of(scenario)
    printed = standing.scenario if standing else scenario
    if not strategy.rules:
        return printed
    from fireplan.strategies.following import Standing

    note = f"orders: {strategy}; otherwise the standard ones"
    changed = attrs.evolve(
        printed,
        standing=Standing(printed, strategy),
        provenance=(note, *printed.provenance),
    )
    return changed.made_by(_under_again, (printed, strategy))


def _under_again(pickled: bytes) -> Scenario:
    return scenario_under(*pickle.loads(pickled))  # noqa: S301 - part of a pickle that is being loaded


def strategy_of(scenario: Scenario) -> Strategy:
    """Return the strategy of a scenario, without rules if it has none."""
    standing = _standing_of(scenario)
    return standing.strategy if standing else Strategy()


def unfit(scenario: Scenario) -> Iterator[str]:
    """Yield a fault for each order of the scenario's strategy that is never on offer.

    Orders that have not been on offer so far are looked for in random play.
    """
    standing = _standing_of(scenario)
    if standing:
        yield from standing.unfit()


def _standing_of(scenario: Scenario) -> Standing | None:
    """Return the standing orders of a scenario, or None if the standard ones are in force."""
    if scenario.standing is None:
        return None
    from fireplan.strategies.following import Standing

    return scenario.standing if isinstance(scenario.standing, Standing) else None
