"""Rule runs of a coarse model: every value that a step may read is tried, within limits."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import Any

import attrs

from fireplan.solver import TooLargeError
from fireplan.solver.best.coarse.states import Choice
from fireplan.solver.best.coarse.values import (
    AnyReader,
    Coarsened,
    CoarseReader,
    KeyReading,
    SeveralValues,
)
from fireplan.solver.best.open_decisions import OpenCompiler
from fireplan.solver.compile import StepRows
from fireplan.solver.states import Exploration, Late
from fireplan_core import Pending

MOST_NODES, MOST_RUNS = 400_000, 150_000
"""Maximum number of nodes, and of rule runs, without a time limit."""
LOOKS = 64
"""Number of nodes between two checks of the time limit, which is also checked at each rule run."""


class KeyReadError(Exception):
    """A signal that the states explored so far lack a key, or have one that strikes write."""


@attrs.define(eq=False)
class Keys:
    """The keys found so far.

    They are the keys that steps read, and those that strikes or steps of the mission write.
    """

    read: set[str] = attrs.field(factory=set)
    """The keys that some step has read from the state."""
    loose: dict[str, None] = attrs.field(factory=dict)
    """The keys that strikes write; states leave them out."""
    written: dict[str, dict[Any, None]] = attrs.field(factory=dict)
    """The values that steps of the mission have written, by key."""

    def note_read(self, keys: set[str]) -> None:
        """Record that steps read these keys.

        Raises ``KeyReadError`` if a key not read before has already been written by the mission.
        """
        new_keys = keys - self.read
        self.read |= new_keys
        if new_keys & self.written.keys():
            raise KeyReadError

    def note_struck(self, keys: set[str]) -> None:
        """Record that strikes write these keys; raise ``KeyReadError`` if one was read before."""
        self.loose.update(dict.fromkeys(sorted(keys)))
        if keys & self.read:
            self.read -= keys
            raise KeyReadError


class SearchLimits:
    """The limits of a search: a number of nodes, and a time limit or else a number of rule runs."""

    def __init__(
        self,
        late: Late | None,
        compiler: OpenCompiler,
        most_nodes: float,
    ) -> None:
        self._late = late
        self._most_nodes = most_nodes
        self._compiler = compiler
        self._checks = 0
        self.explored = 0
        """Number of nodes in the moments explored."""

    def check(self, nodes: int) -> None:
        """Raise ``TooLargeError`` if a limit is exceeded.

        ``nodes`` is the number of nodes in the current moment so far.
        """
        self._checks += 1
        if self.explored + nodes > self._most_nodes:
            exceeded = f"{self._most_nodes:,} states"
        elif self._late is not None:
            looks = not nodes or not self._checks % LOOKS
            exceeded = "the time allowed" if looks and self._late() else ""
        else:
            over = self._compiler.runs > MOST_RUNS
            exceeded = f"{MOST_RUNS:,} distinct situations" if over else ""
        if exceeded:
            raise TooLargeError(f"the coarse model takes more than {exceeded}")


@attrs.define(eq=False)
class ReadCase:
    """The choices of a step found so far, in coarse states that agree on the values it reads."""

    keys: tuple[str, ...] = ()
    """The keys that the step reads in these states."""
    choices: dict[Choice, None] = attrs.field(factory=dict)
    readings: list[KeyReading] = attrs.field(factory=list)
    tried: int = 0
    """Number of steps tried among those that the coarse step represents."""
    runs: int = 0
    """Number of rule runs so far."""
    size: int = -1
    """The size of the coarse values when everything was tried."""
    given_up: bool = False
    """True if there were too many combinations to try."""


@attrs.define(eq=False)
class RuleRuns:
    """A runner of the rules of coarse steps, which tries every value that they may read.

    A step that would take more than ``most_runs`` runs in one case is given up, and so is an open
    question with more than ``most_orders`` orders.
    """

    compiler: OpenCompiler
    exploration: Exploration
    coarse: Coarsened
    keys: Keys
    limits: SearchLimits
    most_runs: float = inf
    most_orders: float = inf
    gives_up: bool = False
    """True once a step has been given up."""

    def untried(
        self, case: ReadCase, form: Pending, reader: CoarseReader | AnyReader
    ) -> Iterator[tuple[Pending, StepRows | None]]:
        """Run the untried steps of a case; yield each with its rows, or None if it is set apart.

        A step is run for every combination of the values that it may read, until the case is given
        up.
        """
        stands_for = list(self.coarse.steps[form])
        todo: list[tuple[Pending, dict[str, Any]]] = [
            (pending, {}) for pending in stands_for[case.tried :]
        ]
        case.tried = len(stands_for)
        for reading in case.readings:
            todo += reading.untried()
        while todo:
            pending, reader.guess = todo.pop()
            self.limits.check(0)
            if isinstance(reader, CoarseReader) and self.exploration.sets_apart(pending):
                yield pending, None
                continue
            case.runs += 1
            if isinstance(reader, CoarseReader) and case.runs > self.most_runs:
                case.given_up = self.gives_up = True
                return
            try:
                rows = self.compiler.rows(pending, reader)
            except SeveralValues as read:
                reading = KeyReading(pending, reader.guess, read.key, read.values)
                case.readings.append(reading)
                todo += reading.untried()
                continue
            except Exception:
                if reader.guess or len(stands_for) > 1 or not reader.keys <= self.keys.read:
                    continue  # combinations that never occur may raise any error
                raise
            if len(rows.rows) > self.most_orders and self.compiler.is_open(pending):
                case.given_up = self.gives_up = True
                return
            yield pending, rows
