"""The chain of a scenario: every state that a doctrine can reach, compiled from the steps that are played.

Two ideas keep it small. A step is run once for each distinct set of values that it reads, and serves every state
that agrees on them. And a state keeps only the addresses that some reached step has read: exploration starts with
none, and starts again with one more whenever a step reads a new one (rows already computed are kept).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from math import gcd
from typing import Any

import attrs

from fireplan.chance import explore
from fireplan.mission import Ask, Event, Pending, ProcedureError, Scenario, Step
from fireplan.table import OPENING, Doctrine, Outcome, Rulebook, State

MAX_NODES = 400_000
MAX_RUNS = 10_000
"""Rule runs (distinct situations of a step) that the exact solver takes on."""
MAX_STEPS = 10_000
CLOCK = "clock/moment"


class TooLargeError(Exception):
    """A scenario with more states than the exact solver takes on; sample it instead."""


class _Unread(BaseException):
    """A step read an address that the states do not keep yet."""

    def __init__(self, address: str, default: Any) -> None:
        self.address = address
        self.default = default


@attrs.frozen
class Row:
    """One outcome of a step: its weight of the rows' total, and what it does."""

    weight: int
    outcome: Outcome


@attrs.frozen(eq=False)
class Rows:
    """All outcomes of a step in states that agree on what it reads; weights sum to ``total``.

    ``numbers`` are the named numbers of the game that were read on the way (empty unless the compiler is given a
    ``Noted``).
    """

    total: int
    rows: tuple[Row, ...]
    numbers: frozenset[str] = frozenset()


class Noted:
    """A note-pad for the names of numbers as they are read: the ``note`` of a ``Variation`` and of its compiler."""

    def __init__(self) -> None:
        self._names: set[str] = set()

    def __call__(self, name: str) -> None:
        """Note one."""
        self._names.add(name)

    def take(self) -> frozenset[str]:
        """What was noted since the last time."""
        taken = frozenset(self._names)
        self._names.clear()
        return taken


class _Node:
    """A branching of a step's read trie: the address read next, and what follows for each value seen."""

    __slots__ = ("address", "children", "default")

    def __init__(self, address: str, default: Any) -> None:
        self.address = address
        self.default = default
        self.children: dict[Any, _Node | Rows] = {}


def _without(node: _Node | Rows, names: frozenset[str]) -> _Node | Rows | None:
    """A copy of a trie less the rows that rest on those numbers; None when nothing is left.

    What a rule reads next follows from what it has read, numbers included: a branching that stays is still right.
    """
    if isinstance(node, Rows):
        return None if node.numbers & names else node
    children = {value: kept for value, child in node.children.items() if (kept := _without(child, names)) is not None}
    if not children:
        return None
    copy = _Node(node.address, node.default)
    copy.children = children
    return copy


class Compiler:
    """Runs steps by read set. Keeps its rows for as long as scenario and doctrine stay the same.

    With ``every_order`` questions branch into legal orders, at most so many of each form, instead of following a
    doctrine; the weights then count orders and are no chances. With ``noted``, the note-pad that the scenario was
    laid with, rows remember which numbers of the game they rest on.
    """

    def __init__(
        self,
        scenario: Scenario,
        doctrine: Doctrine | None = None,
        *,
        every_order: int = 0,
        noted: Noted | None = None,
    ) -> None:
        self.scenario = scenario
        self.doctrine: Doctrine = doctrine or {}
        self.every_order = every_order
        self.noted = noted
        self.rulebook = Rulebook(scenario)
        self._tries: dict[Pending, _Node | Rows] = {}
        self.runs = 0

    def rows(self, pending: Pending, get: Callable[[str, Any], Any]) -> Rows:
        """The outcomes of a step (or of the doctrine's answer) where ``get(address, default)`` gives the values."""
        node = self._tries.get(pending)
        while isinstance(node, _Node):
            node = node.children.get(get(node.address, node.default))
        if node is None:
            node = self._compile(pending, get)
        return node

    def addresses(self, pending: Pending) -> frozenset[str]:
        """Every address that this step has read so far, in any state."""
        found: set[str] = set()
        todo = [self._tries.get(pending)]
        while todo:
            node = todo.pop()
            if isinstance(node, _Node):
                found.add(node.address)
                todo.extend(node.children.values())
        return frozenset(found)

    def varied(self, scenario: Scenario, changed: Collection[str], noted: Noted | None = None) -> Compiler:
        """A compiler for the same scenario with those numbers changed: keeps all rows that rest on none of them.

        ``scenario`` must differ in nothing else; a number that is read while the table is laid changes more than
        rows, so start afresh for that.
        """
        other = Compiler(scenario, self.doctrine, every_order=self.every_order, noted=noted)
        names = frozenset(changed)
        for pending, node in self._tries.items():
            kept = _without(node, names)
            if kept is not None:
                other._tries[pending] = kept  # noqa: SLF001 - its own class
        return other

    @property
    def compiled(self) -> tuple[Pending, ...]:
        """Every step and question compiled so far."""
        return tuple(self._tries)

    def _compile(self, pending: Pending, get: Callable[[str, Any], Any]) -> Rows:
        reads: dict[str, Any] = {}
        fallback: dict[str, Any] = {}

        def read(address: str, default: Any) -> Any:
            if address in reads:
                return reads[address]
            fallback[address] = default
            reads[address] = value = get(address, default)
            return value

        self.runs += 1
        if self.noted is not None:
            self.noted.take()
        rows = self._outcomes(pending, read)
        if self.noted is not None:
            rows = attrs.evolve(rows, numbers=self.noted.take())
        if not reads:
            self._tries[pending] = rows
            return rows
        (address, value), *rest = reads.items()
        root = self._tries.setdefault(pending, _Node(address, fallback[address]))
        if not isinstance(root, _Node) or root.address != address:
            msg = f"{pending} does not always read the same address first; rules must be deterministic"
            raise ProcedureError(msg)
        node = root
        for following, next_value in rest:
            child = node.children.setdefault(value, _Node(following, fallback[following]))
            if not isinstance(child, _Node) or child.address != following:
                msg = f"{pending} read {following} where it had read something else before"
                raise ProcedureError(msg)
            node, value = child, next_value
        node.children[value] = rows
        return rows

    def _outcomes(self, pending: Pending, read: Callable[[str, Any], Any]) -> Rows:
        if isinstance(pending, Ask) and self.every_order:
            orders = self.rulebook.legal(pending, read, each=self.every_order)
            rows = (Row(1, Outcome((), (self.rulebook.after(pending, order),), ())) for order in orders)
            return Rows(len(orders), tuple(rows))
        if isinstance(pending, Ask):
            order = self.rulebook.answer(pending, self.doctrine, read)
            refusal = self.rulebook.refuse(pending, order, read)
            if refusal is not None:
                msg = f"the doctrine's answer to {pending.question}, {order}, is refused: {refusal}"
                raise ProcedureError(msg)
            return Rows(1, (Row(1, Outcome((), (self.rulebook.after(pending, order),), ())),))
        branches = explore(
            lambda chance: self.rulebook.perform(pending, chance, read),
            self.rulebook.modifiers_for(pending, read),
        )
        merged: dict[Outcome, int] = {}
        total = branches[0][1]
        for weight, branch_total, outcome, _ in branches:
            if branch_total != total:
                msg = f"{pending}: the branches of one step must come from one chance event"
                raise ProcedureError(msg)
            merged[outcome] = merged.get(outcome, 0) + weight
        if sum(merged.values()) != total:
            msg = f"{pending}: the weights sum to {sum(merged.values())} of {total}"
            raise ProcedureError(msg)
        divisor = gcd(total, *merged.values())
        return Rows(total // divisor, tuple(Row(weight // divisor, outcome) for outcome, weight in merged.items()))


@attrs.frozen(eq=False)
class Edge:
    """A way from one state to the next: target node, weight, what was told and which scoped steps were set apart.

    ``ends`` is set when the moment ends with it; the target then stands at the opening of the next one.
    """

    target: int
    weight: int
    events: tuple[Event, ...]
    apart: tuple[Step, ...]
    ends: bool


@attrs.frozen(eq=False)
class Chain:
    """All reachable states: for each node the total of its weights and its edges; node 0 is the opening.

    ``addresses`` are what a state keeps, ``values`` what each node holds there; ``tops`` is what each node does
    next; ``altered`` are addresses where something new is put that nobody reads; ``sources`` are the rows behind
    each node (edge by edge, None where the watch ends).
    """

    addresses: tuple[str, ...]
    values: tuple[tuple[Any, ...], ...]
    tops: tuple[Pending, ...]
    totals: tuple[int, ...]
    edges: tuple[tuple[Edge, ...], ...]
    altered: frozenset[str] = frozenset()
    sources: tuple[Rows | None, ...] = ()


def build_chain(
    compiler: Compiler,
    *,
    start: tuple[Pending, ...] = (OPENING,),
    state: State | None = None,
    apart: bool = False,
    spliced: bool = False,
    moments: int | None = None,
    max_nodes: int = MAX_NODES,
) -> Chain:
    """Explore everything reachable from ``start``, a moment after a moment.

    With ``apart``, steps that carry a scope are not carried out but set apart on their edge, so that what they do
    With ``apart``, steps that carry a scope are not carried out but set apart on their edge, so that what they do
    can be solved on its own. With ``state`` the first moment is what is left of that state's. With ``spliced``, a
    state from which there is one way on is not kept: the edge leads
    through it and bears what is told on the way. Where a rule reads the clock, time is part of the state; then
    nothing is explored beyond ``moments``.

    Raises ``TooLargeError`` beyond ``max_nodes`` states.
    """
    initial = compiler.scenario.initial if state is None else state.values
    known: dict[str, Any] = {}
    while True:
        try:
            explorer = _Explorer(compiler, start, known, initial, state=state, apart=apart, spliced=spliced)
            return explorer.explore(moments, max_nodes)
        except _Unread as unread:
            known[unread.address] = initial.get(unread.address, unread.default)


class _Explorer:
    """One pass over the states that keep the known addresses.

    An address that is read for the first time joins them at once as long as nothing was put there: all states so far
    then hold its opening value. Values are kept without those at their end that are still the opening ones, so that
    such states need no change. Where something had been put (and left out), all starts again.
    """

    def __init__(
        self,
        compiler: Compiler,
        start: tuple[Pending, ...],
        known: dict[str, Any],
        initial: Mapping[str, Any],
        *,
        state: State | None,
        apart: bool,
        spliced: bool,
    ) -> None:
        self.compiler = compiler
        self.apart = apart
        self.spliced = spliced
        self.known = known
        self.initial = initial
        self.index = {address: position for position, address in enumerate(known)}
        self.opening: list[Any] = list(known.values())
        self.left_out: set[str] = set()
        self.altered: set[str] = set()
        self.values: tuple[Any, ...] = ()
        # Agendas are kept as linked cells, so that pushing on a long one costs nothing.
        self.cells: list[tuple[Pending, int]] = [(OPENING, 0)]
        self.cell_ids: dict[tuple[Pending, int], int] = {}
        self.again = self.push(start, 0)
        self.ids: dict[tuple[int, tuple[Any, ...]], int] = {}
        self.nodes: list[tuple[int, tuple[Any, ...]]] = []
        self.node(self.again if state is None else self.push(state.agenda, 0), self.values)

    def push(self, pushes: tuple[Pending, ...], cell: int) -> int:
        for pending in reversed(pushes):
            key = (pending, cell)
            found = self.cell_ids.get(key)
            if found is None:
                found = self.cell_ids[key] = len(self.cells)
                self.cells.append(key)
            cell = found
        return cell

    def node(self, cell: int, values: tuple[Any, ...]) -> int:
        key = (cell, values)
        found = self.ids.get(key)
        if found is None:
            found = self.ids[key] = len(self.nodes)
            self.nodes.append(key)
        return found

    def get(self, address: str, default: Any) -> Any:
        position = self.index.get(address)
        if position is None:
            if address in self.left_out:
                raise _Unread(address, default)
            self.index[address] = len(self.opening)
            value = self.known[address] = self.initial.get(address, default)
            self.opening.append(value)
            return value
        return self.values[position] if position < len(self.values) else self.opening[position]

    def explore(self, moments: int | None, max_nodes: int) -> Chain:
        totals: list[int] = []
        edges: list[tuple[Edge, ...]] = []
        tops: list[Pending] = []
        sources: list[Rows | None] = []
        done = 0
        while done < len(self.nodes):
            if done > max_nodes or self.compiler.runs > MAX_RUNS:
                what = f"{max_nodes:,} states" if done > max_nodes else f"{MAX_RUNS:,} distinct situations"
                raise TooLargeError(f"more than {what}")
            cell, values = self.nodes[done]
            done += 1
            pending, rest = self.cells[cell]
            self.values = values
            if moments is not None and CLOCK in self.index and self.get(CLOCK, 0) >= moments:
                tops.append(pending)
                totals.append(1)
                sources.append(None)
                edges.append((Edge(done - 1, 1, (), (), ends=True),))
                continue
            rows = self.compiler.rows(pending, self.get)
            tops.append(pending)
            totals.append(rows.total)
            sources.append(rows)
            edges.append(tuple(self.edge(row, values, rest) for row in rows.rows))
        whole = tuple(self.opening)
        values_of = tuple(v + whole[len(v) :] for _, v in self.nodes)
        return Chain(
            tuple(self.index),
            values_of,
            tuple(tops),
            tuple(totals),
            tuple(edges),
            frozenset(self.altered),
            tuple(sources),
        )

    def edge(self, row: Row, values: tuple[Any, ...], rest: int) -> Edge:
        """The edge of a row, followed through states with one way on when these are to be spliced."""
        cell, values, apart = self.after(row.outcome, values, rest)
        events = row.outcome.events
        for _ in range(MAX_STEPS):
            if cell == 0:
                return Edge(self.node(self.again, self.later(values)), row.weight, events, apart, ends=True)
            if not self.spliced:
                break
            pending, rest = self.cells[cell]
            self.values = values
            rows = self.compiler.rows(pending, self.get).rows
            if len(rows) > 1:
                break
            outcome = rows[0].outcome
            cell, values, more = self.after(outcome, values, rest)
            if outcome.events:
                events += outcome.events
            if more:
                apart += more
        else:
            raise ProcedureError(f"the moment never ends after {self.cells[cell][0]}")
        return Edge(self.node(cell, values), row.weight, events, apart, ends=False)

    def after(
        self, outcome: Outcome, values: tuple[Any, ...], rest: int
    ) -> tuple[int, tuple[Any, ...], tuple[Step, ...]]:
        """Agenda and values after an outcome, and the scoped steps set apart."""
        if outcome.puts:
            values = self.changed(values, outcome.puts)
        pushes = outcome.pushes
        apart: tuple[Step, ...] = ()
        if self.apart and any(pending.scope for pending in pushes):
            apart = tuple(p for p in pushes if p.scope and isinstance(p, Step))
            pushes = tuple(p for p in pushes if not p.scope)
        return self.push(pushes, rest), values, apart

    def changed(self, values: tuple[Any, ...], puts: tuple[tuple[str, Any], ...]) -> tuple[Any, ...]:
        """The values with others put over them, without opening values at their end."""
        opening = self.opening
        changed = list(values)
        for address, value in puts:
            position = self.index.get(address)
            if position is None:
                self.left_out.add(address)
                if not _same(value, self.initial.get(address)):
                    self.altered.add(address)
                continue
            if position >= len(changed):
                changed.extend(opening[len(changed) : position + 1])
            changed[position] = value
        while changed and _same(changed[-1], opening[len(changed) - 1]):
            changed.pop()
        return tuple(changed)

    def later(self, values: tuple[Any, ...]) -> tuple[Any, ...]:
        """The values at the opening of the next moment."""
        if CLOCK not in self.index:
            # The clock is put forward at every moment's end: whoever reads it later must start again.
            self.left_out.add(CLOCK)
            return values
        self.values = values
        return self.changed(values, ((CLOCK, self.get(CLOCK, 0) + 1),))


def _same(one: Any, other: Any) -> bool:
    """Whether two values are the same to a rule: ``True`` is not 1."""
    return bool(one == other) and type(one) is type(other)
