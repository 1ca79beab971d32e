"""The chance of dice that have fallen: throw by throw the branch that the rules took, the orders as they were given."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from math import prod

import attrs

from fireplan_core import Ask, Refusal, Scenario, Step
from fireplan_core.chance import Chance, ChanceEvent
from fireplan_core.play import Input, Outcome, Table, Thrown
from fireplan_core.record import ProcedureError


@attrs.frozen(eq=False)
class ThrowTaken:
    """A throw of a game: the table before it, what was thrown, what it led to, and the chance of that branch."""

    table: Table
    event: ChanceEvent
    thrown: Thrown
    outcome: Outcome
    chance: Fraction


def throws_taken(scenario: Scenario, moments: int, inputs: Iterable[Input]) -> Iterator[ThrowTaken]:
    """Yield the throws of a game as they are replayed; the table goes on after each.

    Raises ``ProcedureError`` for an input that does not fit.
    """
    table = Table(scenario, moments, by_kinds=True)
    for given in inputs:
        waits = table.waits_for
        if isinstance(given, Thrown) and waits is not None and not isinstance(waits, Ask):
            outcome = outcome_of(table, given.faces)
            branches = table.rulebook.branches(_top(table), table.read)
            weight = sum(weight for weight, _, found, _ in branches if found == outcome)
            yield ThrowTaken(table, waits, given, outcome, Fraction(weight, branches[0][1]))
        if isinstance(table.submit(given), Refusal):
            raise ProcedureError(f"{given} is refused")


def outcome_of(table: Table, faces: tuple[int | str, ...]) -> Outcome:
    """Return what faces of the throw that a table waits for lead to, without giving them."""
    return table.rulebook.run(_top(table), lambda drm: Chance(lambda event: event.read(faces), drm), table.read)


def chance_of(scenario: Scenario, moments: int, inputs: Iterable[Input]) -> Fraction:
    """Return the chance of the dice of a game, its orders as they were given: the product over its throws."""
    return prod((taken.chance for taken in throws_taken(scenario, moments, inputs)), start=Fraction(1))


def _top(table: Table) -> Step:
    top = table.state.agenda[0]
    if not isinstance(top, Step):
        raise ProcedureError(f"{top} is not a step")
    return top
