"""Throws that have fallen: their outcomes, and the chance of each in the exact branches."""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from math import prod

import attrs

from fireplan_core import ProcedureError, Refusal, Scenario, Step
from fireplan_core.chance import Chance, ChanceEvent
from fireplan_core.play import Input, StepOutcome, Table, Thrown


@attrs.frozen(eq=False)
class ThrowTaken:
    """A throw of a game: the table before it, the dice, the outcome, and the outcome's chance."""

    table: Table
    event: ChanceEvent
    thrown: Thrown
    outcome: StepOutcome
    chance: Fraction


def throws_taken(scenario: Scenario, moments: int, inputs: Iterable[Input]) -> Iterator[ThrowTaken]:
    """Replay a game and yield its throws, submitting each before the next is yielded.

    Raise ``ProcedureError`` for an input that does not fit.
    """
    table = Table(scenario, moments, by_kinds=True)
    for move in inputs:
        due = table.throw_due
        if isinstance(move, Thrown) and due is not None:
            outcome = outcome_of(table, move.faces)
            branches = table.rulebook.branches(pending_step(table), table.read)
            weight = sum(weight for weight, _, branch, _ in branches if branch == outcome)
            yield ThrowTaken(table, due, move, outcome, Fraction(weight, branches[0][1]))
        if isinstance(table.submit(move), Refusal):
            raise ProcedureError(f"{move} is refused")


def outcome_of(table: Table, faces: tuple[int | str, ...]) -> StepOutcome:
    """Return the outcome of these faces for the pending throw, without submitting them."""
    return table.rulebook.run(
        pending_step(table), lambda drm: Chance(lambda event: event.read(faces), drm), table.read
    )


def chance_of(scenario: Scenario, moments: int, inputs: Iterable[Input]) -> Fraction:
    """Return the chance of the dice of a game, given its orders: the product over its throws."""
    return prod(
        (taken.chance for taken in throws_taken(scenario, moments, inputs)), start=Fraction(1)
    )


def pending_step(table: Table) -> Step:
    """Return the step that comes next; raise ``ProcedureError`` if a question comes first."""
    top = table.state.agenda[0]
    if not isinstance(top, Step):
        raise ProcedureError(f"expected a step, got {top}")
    return top
