"""Playouts: whole plays with dice, orders and log, told from compiled rows instead of running the rules again."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import attrs

from fireplan.solver._compile import Compiler
from fireplan_core import Ask, Pending
from fireplan_core.chance import RandomFaces, ScriptedFaces
from fireplan_core.play import OPENING, Answered, Entry, Input, State, Thrown, Values, opening


@attrs.frozen
class Playout:
    """A play to its end: every input, everything that was told, the chance of its throws, and the state at the end."""

    journal: tuple[Input, ...]
    log: tuple[Entry, ...]
    chance: Fraction
    end: State


def playout(
    compiler: Compiler, moments: int, faces: RandomFaces | ScriptedFaces, state: State | None = None
) -> Playout:
    """Play a scenario from a state, or its opening, to its end with these dice, orders by the compiler's doctrine.

    Raises ``ChanceError`` when a script of dice runs out or names a face that cannot fall.
    """
    begun = opening(compiler.scenario) if state is None else state
    values: dict[str, Any] = dict(begun.values)
    weight, total = 1, 1
    journal: list[Input] = []
    log: list[Entry] = []
    throws = 0
    rows_at, get = compiler.rows, values.get
    for moment in range(begun.moment, moments):
        values["clock/moment"] = moment
        agenda: list[Pending] = [*reversed(begun.agenda)] if moment == begun.moment else [OPENING]
        while agenda:
            top = agenda.pop()
            rows = rows_at(top, get)
            throw = None
            if rows.event is None:
                outcome = rows.rows[0].outcome
                if isinstance(top, Ask):
                    # The doctrine's answer is the last argument of the step that carries it out.
                    journal.append(Answered(top.question, outcome.pushes[0].args[0]))  # type: ignore[arg-type]
            else:
                fallen = faces.faces(rows.event)
                throws += 1
                throw = throws
                journal.append(Thrown(rows.event.name, fallen))
                row = rows.fallen[rows.event.read(fallen)]
                outcome, weight, total = row.outcome, weight * row.weight, total * rows.total
            if outcome.updates:
                values.update(outcome.updates)
            if outcome.pushes:
                agenda.extend(reversed(outcome.pushes))
            if outcome.events:
                log.extend([Entry(moment, event, throw) for event in outcome.events])
    values["clock/moment"] = moments
    return Playout(tuple(journal), tuple(log), Fraction(weight, total), State(Values(values), (OPENING,)))
