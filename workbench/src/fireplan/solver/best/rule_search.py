"""Condensing: a table of situations and their best orders made into a short list of rules, exactly."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from fractions import Fraction
from itertools import combinations
from typing import Any

import attrs

MOST_RULES = 24
"""Rules of a list at most."""
MOST_TESTS = 160
"""Conditions that are tried two at a time."""
BEAM = 40
"""Pairs of conditions that are tried with a third."""
MOST_TIES = 3
"""Orders that are told to be as good; there may be more."""
STANDARD = "as the standard doctrine"
"""Say what may be done otherwise: the standard order of the situation, whichever that is."""


@attrs.frozen
class Condition:
    """A feature compared with a value: ``=``, ``<=`` or ``>``."""

    feature: str
    how: str
    value: Any

    def holds(self, features: Mapping[str, Any]) -> bool:
        """Return whether it holds; never where the feature is not there."""
        if self.feature not in features:
            return False
        found = features[self.feature]
        if self.how == "=":
            return type(found) is type(self.value) and bool(found == self.value)
        if not _is_number(found):
            return False
        return bool(found <= self.value) if self.how == "<=" else bool(found > self.value)

    def __str__(self) -> str:
        """In words."""
        if isinstance(self.value, bool):
            return self.feature if self.value else f"not {self.feature}"
        words = {"=": "", "<=": "at most ", ">": "more than "}[self.how]
        return f"{self.feature} {words}{said(self.value)}"


@attrs.frozen
class Rule:
    """Under all of these conditions, this order; ``ties`` are as good wherever the rule decides.

    ``situations`` is in how many situations it is the first that holds.
    """

    when: tuple[Condition, ...]
    order: str
    ties: tuple[str, ...]
    situations: int
    rest: bool = True
    """Say whether other rules come before it."""

    def __str__(self) -> str:
        """As a line."""
        when = " and ".join(map(str, self.when)) or ("otherwise" if self.rest else "always")
        more = f", {len(self.ties) - MOST_TIES} more" if len(self.ties) > MOST_TIES else ""
        ties = f" (or {', '.join(self.ties[:MOST_TIES])}{more}: the same)" if self.ties else ""
        return f"{when}: {self.order}{ties}"


@attrs.frozen
class Row:
    """A situation as it is told: its features, the orders that are best, and the standard one."""

    features: Mapping[str, Any]
    best: frozenset[str]
    standard: str


def said(value: Any, label: str | None = None) -> str:
    """Return a value in a condition or order."""
    if label is not None:
        return label
    if value is None:
        return "none"
    if isinstance(value, Enum):
        return value.name.lower()
    if isinstance(value, tuple):
        return ("+" if any(isinstance(part, tuple) for part in value) else " ").join(
            map(said, value)
        ) or "none"
    return str(value)


def condensed(rows: Sequence[Row]) -> tuple[tuple[Rule, ...], int]:
    """Return the shortest list found, and how many of the rows it leaves open.

    Each order in turn is taken as what is done otherwise, and the exceptions to it are covered
    greedily by the conditions (one, two or three together) that cover most of them and nothing
    wrongly.
    """
    if not rows:
        return (), 0
    merged: dict[tuple[Any, ...], tuple[Row, int]] = {}
    for row in rows:
        key = (tuple(sorted((name, repr(value)) for name, value in row.features.items())), row.best)
        kept = merged.get(key)
        merged[key] = (row, 1 if kept is None else kept[1] + 1)
    table = _Table([row for row, _ in merged.values()], [count for _, count in merged.values()])
    lists = [table.rules(otherwise) for otherwise in (*table.labels, STANDARD)]
    return min(
        lists, key=lambda found: (found[1], len(found[0]), sum(len(rule.when) for rule in found[0]))
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | Fraction) and not isinstance(value, bool | Enum)


class _Table:
    """Rows and conditions as bits, one a row."""

    def __init__(self, rows: list[Row], counts: list[int]) -> None:
        self.rows = rows
        self.counts = counts
        usual: dict[str, int] = {}
        for row in rows:
            for label in row.best:
                usual[label] = usual.get(label, 0) + (2 if label == row.standard else 1)
        self.labels = sorted(usual, key=lambda label: (-usual[label], label))
        self.good = {label: self._bits(label in row.best for row in rows) for label in self.labels}
        self.good[STANDARD] = self._bits(row.standard in row.best for row in rows)
        self.tests = self._tests()

    @staticmethod
    def _bits(flags: Iterable[bool]) -> int:
        return sum(1 << position for position, flag in enumerate(flags) if flag)

    def _tests(self) -> list[tuple[Condition, int]]:
        """Conditions that tell some rows from others, simple ones first.

        Of alike ones the first.
        """
        names = dict.fromkeys(name for row in self.rows for name in row.features)
        found: dict[int, Condition] = {}
        whole = (1 << len(self.rows)) - 1
        for name in names:
            values = [row.features[name] for row in self.rows if name in row.features]
            distinct = {(type(value), value): value for value in values}
            numbers = sorted({value for value in distinct.values() if _is_number(value)})
            conditions = [Condition(name, "=", value) for value in distinct.values()]
            conditions += [
                Condition(name, how, number) for number in numbers[:-1] for how in ("<=", ">")
            ]
            for condition in conditions:
                bits = self._bits(condition.holds(row.features) for row in self.rows)
                if bits not in (0, whole):
                    found.setdefault(bits, condition)
        return [(condition, bits) for bits, condition in found.items()]

    def rules(self, otherwise: str) -> tuple[tuple[Rule, ...], int]:
        """A list that ends with this order, and how many rows it leaves open."""
        left = (1 << len(self.rows)) - 1
        rules: list[Rule] = []
        uncovered = 0
        while exceptions := left & ~self.good[otherwise]:
            best = self._best(left, exceptions) if len(rules) < MOST_RULES else None
            if best is None:
                # What is done otherwise is wrong there: these are told apart from what the list
                # decides.
                uncovered = exceptions
                break
            when, label, bits = best
            rules.append(self._rule(when, label, bits & left))
            left &= ~bits
        left &= ~uncovered
        if left:
            rules.append(attrs.evolve(self._rule((), otherwise, left), rest=bool(rules)))
        return tuple(rules), self._count(uncovered)

    def _count(self, bits: int) -> int:
        return sum(count for position, count in enumerate(self.counts) if bits >> position & 1)

    def _rule(self, when: tuple[Condition, ...], label: str, bits: int) -> Rule:
        ties = tuple(
            other for other in self.labels if other != label and not bits & ~self.good[other]
        )
        return Rule(when, label, ties, self._count(bits))

    def _best(self, left: int, exceptions: int) -> tuple[tuple[Condition, ...], str, int] | None:
        """The conditions that cover most exceptions, all they cover with one best order.

        As few as can be.
        """
        live: dict[int, Condition] = {}
        for condition, bits in self.tests:
            if bits & exceptions:
                live.setdefault(bits & left, condition)
        tests = list(live.items())
        single = self._pick(((bits, (condition,)) for bits, condition in tests), left, exceptions)
        if (
            single is not None
            and (single[2] & exceptions).bit_count() * 2 >= exceptions.bit_count()
        ):
            return single
        tests.sort(key=lambda test: -self._promise(test[0], exceptions))
        pairs = [
            (one & other, (first, second))
            for (one, first), (other, second) in combinations(tests[:MOST_TESTS], 2)
            if one & other & exceptions
        ]
        double = self._pick(iter(pairs), left, exceptions)
        if double is None and single is None:
            pairs.sort(key=lambda pair: -self._promise(pair[0], exceptions))
            return self._pick(
                (
                    (bits & third, (*when, condition))
                    for bits, when in pairs[:BEAM]
                    for third, condition in tests
                    if bits & third & exceptions
                ),
                left,
                exceptions,
            )
        if single is None or (
            double is not None
            and (double[2] & exceptions).bit_count() > 2 * (single[2] & exceptions).bit_count()
        ):
            return double
        return single

    def _promise(self, bits: int, exceptions: int) -> float:
        """Return how pure a set of rows is, weighed with how many exceptions it has."""
        most = max((bits & self.good[label]).bit_count() for label in self.labels)
        return (bits & exceptions).bit_count() * (most / bits.bit_count()) ** 4

    def _pick(
        self, candidates: Iterator[tuple[int, tuple[Condition, ...]]], left: int, exceptions: int
    ) -> tuple[tuple[Condition, ...], str, int] | None:
        found: tuple[tuple[Condition, ...], str, int] | None = None
        most = 0
        for bits, when in candidates:
            size = (bits & exceptions).bit_count()
            if size <= most:
                continue
            for label in self.labels:
                if not bits & left & ~self.good[label]:
                    found, most = (when, label, bits), size
                    break
        return found
