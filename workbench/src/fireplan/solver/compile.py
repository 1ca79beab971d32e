"""Steps compiled by read set: a step runs once for each distinct set of values that it reads."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from math import gcd
from typing import Any

import attrs

from fireplan_core import Agenda, Ask, Order, Pending, ProcedureError, Scenario, Step
from fireplan_core.chance import Chance, ChanceEvent, RollOutcome
from fireplan_core.chance.roll import Support
from fireplan_core.play import Doctrine, Rulebook, StepOutcome
from fireplan_core.record import Read, kind_of


@attrs.frozen
class StepRow:
    """One outcome of a step with its weight."""

    weight: int
    outcome: StepOutcome


@attrs.frozen(eq=False, repr=False, slots=False)
class StepRows:
    """All outcomes of a step in states that agree on the values it reads.

    The weights sum to ``total``. ``numbers`` are the named numbers of the game that the step read
    (empty unless the compiler has a ``NumberLog``). ``event`` is the chance event of the step, or
    None. For each row, ``falls`` has the results of the event that lead to it, with their weights.
    """

    total: int
    rows: tuple[StepRow, ...]
    numbers: frozenset[str] = frozenset()
    event: ChanceEvent | None = None
    falls: tuple[Support, ...] = ()

    @cached_property
    def fallen(self) -> dict[RollOutcome, StepRow]:
        """Map each result of the chance event to its row."""
        return {
            result: row
            for row, results in zip(self.rows, self.falls, strict=True)
            for result, _ in results
        }


def merged_rows(
    branches: Iterable[tuple[StepOutcome, int, Support]],
    event: ChanceEvent | None,
    numbers: frozenset[str] = frozenset(),
) -> StepRows:
    """Return the rows of a step's branches, with equal outcomes merged and weights in lowest terms.

    A branch is its outcome, its weight, and the results of the event that lead to it.
    """
    weights: dict[StepOutcome, int] = {}
    falls: dict[StepOutcome, Support] = {}
    for outcome, weight, results in branches:
        weights[outcome] = weights.get(outcome, 0) + weight
        falls[outcome] = falls.get(outcome, ()) + results
    divisor = gcd(*weights.values())
    rows = tuple(StepRow(weight // divisor, outcome) for outcome, weight in weights.items())
    total = sum(row.weight for row in rows)
    return StepRows(total, rows, numbers, event, tuple(falls.values()))


class NumberLog:
    """A log of the names of numbers that rules read.

    It is the ``note`` of a ``Variation`` and the ``noted`` of the variation's compiler.
    """

    def __init__(self) -> None:
        self._names: set[str] = set()

    def __call__(self, name: str) -> None:
        """Log the name of a number that was read."""
        self._names.add(name)

    def take(self) -> frozenset[str]:
        """Return the names logged since the last call, and clear the log."""
        taken = frozenset(self._names)
        self._names.clear()
        return taken


class ReadNode:
    """A branch of a step's read trie: the key read next, and a child for each value met."""

    __slots__ = ("children", "default", "key")

    def __init__(self, key: str, default: Any) -> None:
        self.key = key
        self.default = default
        self.children: dict[Any, ReadNode | StepRows] = {}


Branch = ReadNode | StepRows


def tree_nodes(*nodes: Branch) -> Iterator[Branch]:
    """Yield every node of these tries, roots included."""
    todo = list(nodes)
    while todo:
        node = todo.pop()
        yield node
        if isinstance(node, ReadNode):
            todo.extend(node.children.values())


def _without(node: Branch, names: frozenset[str]) -> Branch | None:
    """Return a copy of a trie without the rows that depend on these numbers, or None if empty.

    The values that a rule has read, numbers included, determine the key that it reads next, so the
    remaining branches are still right.
    """
    if isinstance(node, StepRows):
        return None if node.numbers & names else node
    children = {
        value: branch
        for value, child in node.children.items()
        if (branch := _without(child, names)) is not None
    }
    if not children:
        return None
    copy = ReadNode(node.key, node.default)
    copy.children = children
    return copy


def cited(scenario: Scenario, pendings: Iterable[Pending]) -> tuple[str, ...]:
    """Return the rule numbers that steps and questions cite, sorted, each once."""
    defined = (scenario.steps.get(each.name) for each in pendings)
    cites = (step.cite for step in defined if step is not None)
    return tuple(sorted({part.strip() for cite in cites for part in cite.split(",")} - {""}))


class Compiler:
    """The rows of a scenario's steps, compiled by read set when they are first needed.

    They stay valid while scenario and doctrine stay the same. With ``every_order``, questions
    branch into legal orders, at most that many of each form, instead of following the doctrine; the
    weights then count orders and are not chances. ``noted`` is the log with which the scenario was
    staged; with it, rows record the numbers of the game on which they depend.
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
        self._tries: dict[Pending, ReadNode | StepRows] = {}
        self._kinds: dict[tuple[str, Any], Any] = {}
        self._proved: set[str] = set()
        self._answered: dict[StepRow, StepRow] = {}
        """The rows of all questions, equal rows once: many situations offer the same orders."""
        self.runs = 0
        self.reads = 0
        """Number of values that rules have read, a measure of the cost of running them."""

    def rows(self, pending: Pending, get: Read) -> StepRows:
        """Return the outcomes of a step, or of a question's answer, in a state.

        ``get(key, default)`` reads the state.
        """
        node = self._tries.get(pending)
        while isinstance(node, ReadNode):
            node = node.children.get(get(node.key, node.default))
        if node is None:
            node = self._compile(pending, get)
        return node

    def set_rows(self, pending: Pending, outcomes: Sequence[StepOutcome]) -> None:
        """Set the rows of a step that has no rule: these outcomes, each with weight 1."""
        self._tries[pending] = StepRows(
            len(outcomes), tuple(StepRow(1, outcome) for outcome in outcomes)
        )

    def take(
        self, before: Compiler, answers_alike: Callable[[str], bool] = lambda _question: False
    ) -> None:
        """Take over the rows of steps from a compiler of the same scenario and doctrine.

        Rows of a question are taken only if ``answers_alike(question)`` says that both compilers
        answer the question in the same way.
        """
        self._tries.update(
            (pending, node)
            for pending, node in before._tries.items()
            if not isinstance(pending, Ask) or answers_alike(pending.question)
        )

    def situation(
        self, pending: Pending, get: Read
    ) -> tuple[tuple[tuple[str, Any], ...], StepRows]:
        """Return the (key, value) pairs that a step reads in a state, and the step's rows.

        The pairs are in the order of reading.
        """
        rows = self.rows(pending, get)
        read: list[tuple[str, Any]] = []
        node = self._tries[pending]
        while isinstance(node, ReadNode):
            value = get(node.key, node.default)
            read.append((node.key, value))
            node = node.children[value]
        return tuple(read), rows

    def readings(self) -> Iterator[tuple[str, Mapping[Any, Branch]]]:
        """Yield each key that a step has read, with a mapping from each value met to its child."""
        return (
            (node.key, node.children)
            for node in tree_nodes(*self._tries.values())
            if isinstance(node, ReadNode)
        )

    def readers(self) -> Mapping[str, frozenset[str]]:
        """Map each number that rules have read so far to the names of the steps that read it."""
        readers = dict[str, frozenset[str]]()
        for pending, root in self._tries.items():
            steps = frozenset({pending.name})
            for node in tree_nodes(root):
                if isinstance(node, StepRows):
                    readers |= {
                        number: readers.get(number, frozenset()) | steps for number in node.numbers
                    }
        return readers

    def keys(self, pending: Pending) -> frozenset[str]:
        """Return every key that this step has read so far, in any state."""
        return frozenset(node.key for node in self._below(pending) if isinstance(node, ReadNode))

    def pushes(self, pending: Pending) -> frozenset[Pending]:
        """Return all steps and questions that this step has pushed so far, in any state."""
        rows = (
            row for node in self._below(pending) if isinstance(node, StepRows) for row in node.rows
        )
        return frozenset(push for row in rows for push in row.outcome.pushes)

    def situations(self, pending: Pending) -> int:
        """Return the number of distinct situations in which this step has been run."""
        return sum(isinstance(node, StepRows) for node in self._below(pending))

    def _below(self, pending: Pending) -> Iterator[Branch]:
        return tree_nodes(self._tries[pending]) if pending in self._tries else iter(())

    def varied(
        self, scenario: Scenario, changed: Collection[str], noted: NumberLog | None = None
    ) -> Compiler:
        """Return a compiler with some numbers changed, keeping all rows that do not depend on them.

        ``changed`` has the names of these numbers; ``scenario`` must differ in nothing else. A
        number that is read while the table is staged affects more than rows and needs a new
        compiler.
        """
        other = Compiler(scenario, self.doctrine, every_order=self.every_order, noted=noted)
        names = frozenset(changed)
        other._proved |= self._proved
        for pending, node in self._tries.items():
            branch = _without(node, names)
            if branch is not None:
                other._tries[pending] = branch
        return other

    @property
    def numbers(self) -> frozenset[str]:
        """Return the names of all game numbers on which some row depends."""
        nodes = tree_nodes(*self._tries.values())
        return frozenset().union(*(node.numbers for node in nodes if isinstance(node, StepRows)))

    @property
    def compiled(self) -> Agenda:
        """Return every step and question compiled so far, the earliest first."""
        return tuple(self._tries)

    @property
    def cites(self) -> tuple[str, ...]:
        """Return the rule numbers cited by all steps and questions compiled so far, sorted."""
        return cited(self.scenario, self.compiled)

    def _compile(self, pending: Pending, get: Read) -> StepRows:
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
        if isinstance(pending, Ask):
            same = tuple([self._answered.setdefault(row, row) for row in rows.rows])
            rows = attrs.evolve(rows, rows=same)
        if self.noted is not None:
            rows = attrs.evolve(rows, numbers=self.noted.take())
        if not reads:
            self._tries[pending] = rows
            return rows
        (key, value), *rest = reads.items()
        root = self._tries.setdefault(pending, ReadNode(key, fallback[key]))
        if not isinstance(root, ReadNode) or root.key != key:
            raise ProcedureError(
                f"{pending} does not always read the same key first: rules must be deterministic"
            )
        node = root
        for following, next_value in rest:
            child = node.children.setdefault(value, ReadNode(following, fallback[following]))
            if not isinstance(child, ReadNode) or child.key != following:
                raise ProcedureError(
                    f"{pending} read {following} where it read another key before: "
                    "rules must be deterministic"
                )
            node, value = child, next_value
        node.children[value] = rows
        return rows

    def _proven(self, pending: Pending, read: Read) -> StepRows:
        """Return the outcomes of a rule after checking the solver's assumptions.

        Raises ``ProcedureError`` if a rule gives different results in the same situation (each is
        run twice at first), or if it writes a value equal to one of another type, since states
        cannot tell such values apart.
        """
        rows = self._outcomes(pending, read)
        name = pending.name
        if name not in self._proved:
            self._proved.add(name)
            if self._outcomes(pending, read).rows != rows.rows:
                raise ProcedureError(
                    f"{pending} gives a different result when it is run again: "
                    "keep everything that changes in a record"
                )
        for row in rows.rows:
            values = (*row.outcome.updates, *((p.name, p.args) for p in row.outcome.pushes))
            for where, value in values:
                if self._kinds.setdefault((where, value), kind := kind_of(value)) != kind:
                    raise ProcedureError(
                        f"{pending} writes {value!r} to {where}, "
                        "which held an equal value of another type"
                    )
        return rows

    def _outcomes(self, pending: Pending, read: Read) -> StepRows:
        if isinstance(pending, Ask):
            if not self.every_order:
                return self._answers(pending, {self._standard(pending, read): 1}, read)
            legal = self.rulebook.legal(pending, read, each=self.every_order)
            return self._answers(pending, dict.fromkeys(legal, 1), read)
        branches = self._branches(pending, read)
        total = branches[0][1]
        if any(branch_total != total for _, branch_total, _, _ in branches):
            raise ProcedureError(
                f"{pending}: the branches of one step must come from one chance event"
            )
        if (whole := sum(weight for weight, *_ in branches)) != total:
            raise ProcedureError(f"{pending}: the weights sum to {whole}, expected {total}")
        rolls = [chance.roll for *_, chance in branches]
        return merged_rows(
            (
                (outcome, weight, () if roll is None else roll.left)
                for (weight, _, outcome, _), roll in zip(branches, rolls, strict=True)
            ),
            next((roll.event for roll in rolls if roll is not None), None),
        )

    def _answers(self, ask: Ask, weights: Mapping[Order, int], read: Read) -> StepRows:
        """Return the rows of a question answered by these orders, with their weights."""
        divisor, book = gcd(*weights.values()), self.rulebook
        rows = tuple(
            StepRow(
                weight // divisor,
                StepOutcome(book.noted(ask, order, read), (book.after(ask, order),), ()),
            )
            for order, weight in weights.items()
        )
        return StepRows(sum(row.weight for row in rows), rows)

    def _standard(self, ask: Ask, read: Read) -> Order:
        """Return the doctrine's order, which is judged only when it is carried out."""
        return self.rulebook.answer(ask, self.doctrine, read)

    def _branches(self, step: Step, read: Read) -> list[tuple[int, int, StepOutcome, Chance]]:
        """Return the branches of a step; raise ``ProcedureError`` if it is a refused order."""
        try:
            return self.rulebook.branches(step, read)
        except Exception as error:
            if step.name not in self.scenario.questions:
                raise
            order: Any = step.args[0]
            ask = Ask("", step.name, step.args[1:], step.scope)
            refusal = self.rulebook.refuse(ask, order, read)
            if refusal is None:
                raise
            raise ProcedureError(
                f"{order}, the doctrine's answer to {step.name}, is refused: {refusal}"
            ) from error
