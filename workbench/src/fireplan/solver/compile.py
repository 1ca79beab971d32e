"""Steps compiled by read set: a step is run once for each distinct set of values that it reads."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from math import gcd
from typing import Any

import attrs

from fireplan_core import Ask, Order, Pending, ProcedureError, Scenario
from fireplan_core.chance import ChanceEvent
from fireplan_core.chance import Outcome as Fall
from fireplan_core.play import Doctrine, Outcome, Rulebook
from fireplan_core.record import kind_of


@attrs.frozen
class Row:
    """One outcome of a step: its weight of the rows' total, and what it does."""

    weight: int
    outcome: Outcome


@attrs.frozen(eq=False, repr=False, slots=False)
class Rows:
    """All outcomes of a step in states that agree on what it reads; weights sum to ``total``.

    ``numbers`` are the named numbers of the game that were read on the way (none unless the compiler is given a
    ``NumberLog``). ``event`` is the chance event of the step, if any; ``falls`` are the ways it can fall, row by row.
    """

    total: int
    rows: tuple[Row, ...]
    numbers: frozenset[str] = frozenset()
    event: ChanceEvent | None = None
    falls: tuple[tuple[tuple[Fall, int], ...], ...] = ()

    @cached_property
    def fallen(self) -> dict[Fall, Row]:
        """Return the row of every way the event can fall."""
        return {
            fall: row for row, falls in zip(self.rows, self.falls, strict=True) for fall, _ in falls
        }


class NumberLog:
    """A note-pad for the names of numbers as they are read: the ``note`` of a ``Variation`` and of its compiler."""

    def __init__(self) -> None:
        self._names: set[str] = set()

    def __call__(self, name: str) -> None:
        """Note the name of a number that was read."""
        self._names.add(name)

    def take(self) -> frozenset[str]:
        """Return what was noted since the last time."""
        taken = frozenset(self._names)
        self._names.clear()
        return taken


class Reading:
    """A branching of a step's read trie: the key read next, and what follows for each value seen."""

    __slots__ = ("children", "default", "key")

    def __init__(self, key: str, default: Any) -> None:
        self.key = key
        self.default = default
        self.children: dict[Any, Reading | Rows] = {}


Branch = Reading | Rows


def below(*nodes: Branch) -> Iterator[Branch]:
    """Yield every node of some tries."""
    todo = list(nodes)
    while todo:
        node = todo.pop()
        yield node
        if isinstance(node, Reading):
            todo.extend(node.children.values())


def _without(node: Branch, names: frozenset[str]) -> Branch | None:
    """A copy of a trie less the rows that rest on those numbers; None when nothing is left.

    What a rule reads next follows from what it has read, numbers included: a branching that stays
    is still right.
    """
    if isinstance(node, Rows):
        return None if node.numbers & names else node
    children = {
        value: kept
        for value, child in node.children.items()
        if (kept := _without(child, names)) is not None
    }
    if not children:
        return None
    copy = Reading(node.key, node.default)
    copy.children = children
    return copy


def name_of(pending: Pending) -> str:
    """Return the name of a step or question."""
    return pending.question if isinstance(pending, Ask) else pending.name


class Compiler:
    """Runs steps by read set. Keeps its rows for as long as scenario and doctrine stay the same.

    With ``every_order`` questions branch into legal orders, at most so many of each form, instead
    of following a doctrine; the weights then count orders and are no chances. With ``noted``, the
    note-pad that the scenario was laid with, rows remember which numbers of the game they rest on.
    """

    def __init__(
        self,
        scenario: Scenario,
        doctrine: Doctrine | None = None,
        *,
        every_order: int = 0,
        noted: NumberLog | None = None,
    ) -> None:
        self.scenario = scenario
        self.doctrine: Doctrine = doctrine or {}
        self.every_order = every_order
        self.noted = noted
        self.rulebook = Rulebook(scenario)
        self._tries: dict[Pending, Reading | Rows] = {}
        self._kinds: dict[tuple[str, Any], Any] = {}
        self._proved: set[str] = set()
        self.runs = 0
        self.reads = 0
        """Say how often rules have read a value: what running them costs."""

    def rows(self, pending: Pending, get: Callable[[str, Any], Any]) -> Rows:
        """Return the outcomes of a step (or of the doctrine's answer) where ``get(key, default)`` gives the values."""
        node = self._tries.get(pending)
        while isinstance(node, Reading):
            node = node.children.get(get(node.key, node.default))
        if node is None:
            node = self._compile(pending, get)
        return node

    def lay(self, pending: Pending, outcomes: Sequence[Outcome]) -> None:
        """Lay rows for something that no rule runs: these outcomes, each with weight 1."""
        self._tries[pending] = Rows(len(outcomes), tuple(Row(1, outcome) for outcome in outcomes))

    def situation(
        self, pending: Pending, get: Callable[[str, Any], Any]
    ) -> tuple[tuple[tuple[str, Any], ...], Rows]:
        """Return the outcomes there, with every key that the step reads and the value it finds."""
        rows = self.rows(pending, get)
        read: list[tuple[str, Any]] = []
        node = self._tries[pending]
        while isinstance(node, Reading):
            value = get(node.key, node.default)
            read.append((node.key, value))
            node = node.children[value]
        return tuple(read), rows

    def readings(self) -> Iterator[tuple[str, Mapping[Any, Branch]]]:
        """Return every place in every step where a key is read, with what follows for each value met."""
        return (
            (node.key, node.children)
            for node in below(*self._tries.values())
            if isinstance(node, Reading)
        )

    def keys(self, pending: Pending) -> frozenset[str]:
        """Return every key that this step has read so far, in any state."""
        return frozenset(node.key for node in self._below(pending) if isinstance(node, Reading))

    def pushes(self, pending: Pending) -> frozenset[Pending]:
        """Return everything that this step has pushed so far, in any state."""
        rows = (row for node in self._below(pending) if isinstance(node, Rows) for row in node.rows)
        return frozenset(push for row in rows for push in row.outcome.pushes)

    def situations(self, pending: Pending) -> int:
        """Return in how many distinct situations this step has been met."""
        return sum(isinstance(node, Rows) for node in self._below(pending))

    def _below(self, pending: Pending) -> Iterator[Branch]:
        return below(self._tries[pending]) if pending in self._tries else iter(())

    def varied(
        self, scenario: Scenario, changed: Collection[str], noted: NumberLog | None = None
    ) -> Compiler:
        """Return a compiler for the same scenario with those numbers changed: keeps all rows that rest on none of them.

        ``scenario`` must differ in nothing else; a number that is read while the table is laid changes more than
        rows, so start afresh for that.
        """
        other = Compiler(scenario, self.doctrine, every_order=self.every_order, noted=noted)
        names = frozenset(changed)
        other._proved |= self._proved
        for pending, node in self._tries.items():
            kept = _without(node, names)
            if kept is not None:
                other._tries[pending] = kept
        return other

    @property
    def numbers(self) -> frozenset[str]:
        """Return every named number that some row rests on."""
        nodes = below(*self._tries.values())
        return frozenset().union(*(node.numbers for node in nodes if isinstance(node, Rows)))

    @property
    def compiled(self) -> tuple[Pending, ...]:
        """Return every step and question compiled so far."""
        return tuple(self._tries)

    def _compile(self, pending: Pending, get: Callable[[str, Any], Any]) -> Rows:
        reads: dict[str, Any] = {}
        fallback: dict[str, Any] = {}

        def read(key: str, default: Any) -> Any:
            self.reads += 1
            if key in reads:
                return reads[key]
            fallback[key] = default
            reads[key] = value = get(key, default)
            return value

        self.runs += 1
        if self.noted is not None:
            self.noted.take()
        rows = self._proven(pending, read)
        if self.noted is not None:
            rows = attrs.evolve(rows, numbers=self.noted.take())
        if not reads:
            self._tries[pending] = rows
            return rows
        (key, value), *rest = reads.items()
        root = self._tries.setdefault(pending, Reading(key, fallback[key]))
        if not isinstance(root, Reading) or root.key != key:
            raise ProcedureError(
                f"{pending} does not always read the same key first; rules must be deterministic"
            )
        node = root
        for following, next_value in rest:
            child = node.children.setdefault(value, Reading(following, fallback[following]))
            if not isinstance(child, Reading) or child.key != following:
                raise ProcedureError(
                    f"{pending} read {following} where it had read something else before"
                )
            node, value = child, next_value
        node.children[value] = rows
        return rows

    def _proven(self, pending: Pending, read: Callable[[str, Any], Any]) -> Rows:
        """The outcomes of a rule, held to what the solver rests on.

        A rule answers alike in the same situation (each is run twice when first met), and values
        that are equal are of one kind, since states cannot tell them apart.
        """
        rows = self._outcomes(pending, read)
        name = name_of(pending)
        if name not in self._proved:
            self._proved.add(name)
            if self._outcomes(pending, read).rows != rows.rows:
                raise ProcedureError(
                    f"{pending} answers otherwise when it is run again: keep what changes in a record"
                )
        for row in rows.rows:
            values = (*row.outcome.updates, *((name_of(p), p.args) for p in row.outcome.pushes))
            for where, value in values:
                if self._kinds.setdefault((where, value), kind := kind_of(value)) != kind:
                    raise ProcedureError(
                        f"{pending} puts {value!r} to {where}, which had its equal of another kind"
                    )
        return rows

    def _outcomes(self, pending: Pending, read: Callable[[str, Any], Any]) -> Rows:
        if isinstance(pending, Ask):
            if not self.every_order:
                return self._answers(pending, {self._standard(pending, read): 1})
            return self._answers(
                pending, dict.fromkeys(self.rulebook.legal(pending, read, each=self.every_order), 1)
            )
        branches = self.rulebook.branches(pending, read)
        merged: dict[Outcome, int] = {}
        falls: dict[Outcome, tuple[tuple[Fall, int], ...]] = {}
        total = branches[0][1]
        event = None
        for weight, branch_total, outcome, chance in branches:
            if branch_total != total:
                raise ProcedureError(
                    f"{pending}: the branches of one step must come from one chance event"
                )
            merged[outcome] = merged.get(outcome, 0) + weight
            if chance.roll is not None:
                event = chance.roll.event
                falls[outcome] = falls.get(outcome, ()) + chance.roll.left
        if sum(merged.values()) != total:
            raise ProcedureError(f"{pending}: the weights sum to {sum(merged.values())} of {total}")
        divisor = gcd(total, *merged.values())
        rows = tuple(Row(weight // divisor, outcome) for outcome, weight in merged.items())
        return Rows(total // divisor, rows, event=event, falls=tuple(falls.values()))

    def _answers(self, ask: Ask, weights: Mapping[Order, int]) -> Rows:
        """The rows of a question that is answered by these orders."""
        divisor = gcd(*weights.values())
        rows = tuple(
            Row(weight // divisor, Outcome((), (self.rulebook.after(ask, order),), ()))
            for order, weight in weights.items()
        )
        return Rows(sum(row.weight for row in rows), rows)

    def _standard(self, ask: Ask, read: Callable[[str, Any], Any]) -> Order:
        """The doctrine's order. Raises ``ProcedureError`` when it is refused."""
        order = self.rulebook.answer(ask, self.doctrine, read)
        refusal = self.rulebook.refuse(ask, order, read)
        if refusal is not None:
            raise ProcedureError(
                f"the doctrine's answer to {ask.question}, {order}, is refused: {refusal}"
            )
        return order
