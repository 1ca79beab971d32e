"""Playouts: whole plays with dice, orders and log, told from compiled rows instead of running the rules again."""

from __future__ import annotations

from typing import Any

import attrs

from fireplan.solver._compile import Compiler
from fireplan_core import Ask, Pending
from fireplan_core.chance import RandomFaces, ScriptedFaces
from fireplan_core.play import OPENING, Answered, Entry, Input, Thrown


@attrs.frozen
class Playout:
    """A play to its end: every input, and everything that was told."""

    journal: tuple[Input, ...]
    log: tuple[Entry, ...]


def playout(compiler: Compiler, moments: int, faces: RandomFaces | ScriptedFaces) -> Playout:
    """Play a scenario to its end with these dice, orders by the compiler's doctrine.

    Raises ``ChanceError`` when a script of dice runs out or names a face that cannot fall.
    """
    values: dict[str, Any] = dict(compiler.scenario.initial)
    journal: list[Input] = []
    log: list[Entry] = []
    throws = 0
    rows_at, get = compiler.rows, values.get
    for moment in range(moments):
        values["clock/moment"] = moment
        agenda: list[Pending] = [OPENING]
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
                outcome = rows.fallen[rows.event.read(fallen)].outcome
            if outcome.updates:
                values.update(outcome.updates)
            if outcome.pushes:
                agenda.extend(reversed(outcome.pushes))
            if outcome.events:
                log.extend([Entry(moment, event, throw) for event in outcome.events])
    return Playout(tuple(journal), tuple(log))
