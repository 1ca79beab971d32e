"""Rule search: situations and their best orders condensed into a short, exact list of rules."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from fractions import Fraction
from itertools import combinations
from typing import Any

import attrs

MOST_RULES = 24
"""Maximum number of rules in a list."""
MOST_TESTS = 160
"""Maximum number of conditions that are tried in pairs."""
BEAM = 40
"""Maximum number of pairs of conditions that are tried with a third."""
MOST_TIES = 3
"""Maximum number of equally good orders that a rule lists."""
METRES = "metres "
NUMBER_OF = "number of "
COUNTED = {METRES: "m ", "moments ": "moments ", NUMBER_OF: ""}
"""Prefixes of features that count something, with the words that follow the amount."""
STANDARD = "give the standard order"
"""The order of a final rule that gives the standard order of each situation."""


@attrs.frozen
class FeatureCondition:
    """A feature compared with a value: ``=``, ``<=`` or ``>``."""

    feature: str
    how: str
    value: Any

    def holds(self, features: Mapping[str, Any]) -> bool:
        """Return whether the condition holds; false if the feature is missing."""
        if self.feature not in features:
            return False
        value = features[self.feature]
        if self.how == "=":
            return type(value) is type(self.value) and bool(value == self.value)
        if not _is_number(value):
            return False
        return bool(value <= self.value) if self.how == "<=" else bool(value > self.value)

    def __str__(self) -> str:
        """Return the condition in words, e.g. ``at most 3 moments to go``."""
        if isinstance(self.value, bool):
            return self.feature if self.value else f"not {self.feature}"
        if self.value is None and self.how == "=":
            return f"no {self.feature}"
        low, high = {"=": (True, True), "<=": (False, True), ">": (True, False)}[self.how]
        if isinstance(self.value, int) and not isinstance(self.value, Enum):
            first = self.value + (self.how == ">")
            return range_in_words(self.feature, first if low else None, first if high else None)
        words = {"=": "", "<=": "at most ", ">": "more than "}[self.how]
        return f"{self.feature} {words}{value_in_words(self.value)}"


def limits_of(
    conditions: Iterable[FeatureCondition],
) -> tuple[list[FeatureCondition], dict[str, tuple[int | None, int | None]]]:
    """Return the conditions that set no limit to a whole number, and the limits by feature.

    Limits are pairs (low, high), both included; None means no limit.
    """
    others: list[FeatureCondition] = []
    ranges: dict[str, tuple[int | None, int | None]] = {}
    for condition in conditions:
        value = condition.value
        if condition.how == "=" or not isinstance(value, int) or isinstance(value, bool | Enum):
            others.append(condition)
            continue
        low, high = ranges.get(condition.feature, (None, None))
        if condition.how == ">":
            low = value + 1 if low is None else max(low, value + 1)
        else:
            high = value if high is None else min(high, value)
        ranges[condition.feature] = low, high
    return others, ranges


def _conditions_in_words(conditions: Sequence[FeatureCondition]) -> str:
    """Return conditions joined by "and"; two limits of one number become a range."""
    others, ranges = limits_of(conditions)
    words = [str(condition) for condition in others]
    words += [range_in_words(feature, low, high) for feature, (low, high) in ranges.items()]
    return " and ".join(words)


def range_in_words(feature: str, low: int | None, high: int | None) -> str:
    """Return the limits of a whole number in words, e.g. ``between 1 and 120 m off the target``.

    The amount comes first if the feature counts something. ``None`` is no limit.
    """
    unit = next((unit for unit in COUNTED if feature.startswith(unit)), None)
    counted = "" if unit is None else COUNTED[unit] + feature.removeprefix(unit)
    if unit == METRES and high == 0:
        return f"on {feature.removeprefix(f'{METRES}off ')}"
    if unit == METRES and (low, high) == (1, None):
        return feature.removeprefix(METRES)
    if counted and high == 0:
        return f"no {counted}"
    if low == high:
        amount = str(low)
    elif low is None or high is None:
        amount = f"at most {high}" if low is None else f"at least {low}"
    else:
        amount = f"between {low} and {high}"
    return f"{amount} {counted}" if counted else f"{feature} {amount}"


@attrs.frozen
class DecisionRule:
    """A rule: if all of these conditions hold, give this order.

    ``ties`` are orders equally good wherever the rule decides; ``situations`` is the number of
    situations in which it is the first rule that holds.
    """

    when: tuple[FeatureCondition, ...]
    order: str
    ties: tuple[str, ...]
    situations: int
    rest: bool = True
    """True if other rules come before this one."""
    worth: Fraction | None = None
    """The loss if the standard order is given wherever this rule decides, None if unknown."""

    def __str__(self) -> str:
        """Return the rule as a line: conditions, order, and orders that are equally good."""
        when = _conditions_in_words(self.when) or ("otherwise" if self.rest else "always")
        more = f", {len(self.ties) - MOST_TIES} more" if len(self.ties) > MOST_TIES else ""
        ties = f" (equally good: {', '.join(self.ties[:MOST_TIES])}{more})" if self.ties else ""
        return f"{when}: {self.order}{ties}"


@attrs.frozen
class Example:
    """A situation in words: its features, the best orders, and the standard order."""

    features: Mapping[str, Any]
    best: frozenset[str]
    standard: str


def value_in_words(value: Any, label: str | None = None) -> str:
    """Return a value in words, e.g. an enum member's name; ``label`` is returned if given."""
    if label is not None:
        return label
    if value is None:
        return "none"
    if isinstance(value, Enum):
        return value.name.lower()
    if isinstance(value, tuple):
        return ("+" if any(isinstance(part, tuple) for part in value) else " ").join(
            map(value_in_words, value)
        ) or "none"
    return str(value)


def condensed(rows: Sequence[Example]) -> tuple[tuple[DecisionRule, ...], int]:
    """Return the best list of rules found, and the number of rows that it leaves uncovered.

    The best list leaves the fewest rows uncovered and then has the fewest rules and conditions.
    Every order is tried as the final rule. The exceptions to it are covered greedily by the
    conditions (up to three together) that cover most exceptions and no row wrongly.
    """
    if not rows:
        return (), 0
    merged: dict[tuple[Any, ...], tuple[Example, int]] = {}
    for row in rows:
        key = (tuple(sorted((name, repr(value)) for name, value in row.features.items())), row.best)
        entry = merged.get(key)
        merged[key] = (row, 1 if entry is None else entry[1] + 1)
    table = _Examples([row for row, _ in merged.values()], [count for _, count in merged.values()])
    lists = [table.rules(otherwise) for otherwise in (*table.labels, STANDARD)]
    return min(
        lists, key=lambda entry: (entry[1], len(entry[0]), sum(len(rule.when) for rule in entry[0]))
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | Fraction) and not isinstance(value, bool | Enum)


class _Examples:
    """The example situations (rows), and each condition as the bit set of rows where it holds."""

    def __init__(self, rows: list[Example], counts: list[int]) -> None:
        self.rows = rows
        self.counts = counts
        popularity: dict[str, int] = {}
        for row in rows:
            for label in row.best:
                popularity[label] = popularity.get(label, 0) + (2 if label == row.standard else 1)
        self.labels = sorted(popularity, key=lambda label: (-popularity[label], label))
        self.good = {label: self._bits(label in row.best for row in rows) for label in self.labels}
        self.good[STANDARD] = self._bits(row.standard in row.best for row in rows)
        self.tests = self._tests()

    @staticmethod
    def _bits(flags: Iterable[bool]) -> int:
        return sum(1 << position for position, flag in enumerate(flags) if flag)

    def _tests(self) -> list[tuple[FeatureCondition, int]]:
        """Return (condition, bits) for conditions that hold in some but not all rows.

        Of conditions with the same bit set of rows, only one is returned.
        """
        names = dict.fromkeys(name for row in self.rows for name in row.features)
        conditions_by_bits: dict[int, FeatureCondition] = {}
        all_rows = (1 << len(self.rows)) - 1
        for name in names:
            values = [row.features[name] for row in self.rows if name in row.features]
            distinct = {(type(value), value): value for value in values}
            numbers = sorted({value for value in distinct.values() if _is_number(value)})
            conditions = [FeatureCondition(name, "=", value) for value in distinct.values()]
            conditions += [
                FeatureCondition(name, how, number)
                for number in numbers[:-1]
                for how in ("<=", ">")
            ]
            for condition in conditions:
                bits = self._bits(condition.holds(row.features) for row in self.rows)
                if bits not in (0, all_rows):
                    conditions_by_bits.setdefault(bits, condition)
        return [(condition, bits) for bits, condition in conditions_by_bits.items()]

    def rules(self, otherwise: str) -> tuple[tuple[DecisionRule, ...], int]:
        """Return rules that end with this order, and the number of rows they leave uncovered."""
        undecided = (1 << len(self.rows)) - 1
        rules: list[DecisionRule] = []
        uncovered = 0
        while exceptions := undecided & ~self.good[otherwise]:
            best = self._best(undecided, exceptions) if len(rules) < MOST_RULES else None
            if best is None:
                # No condition covers these rows, and the final rule would be wrong for them.
                uncovered = exceptions
                break
            when, label, bits = best
            rules.append(self._rule(when, label, bits & undecided))
            undecided &= ~bits
        undecided &= ~uncovered
        if undecided:
            rules.append(attrs.evolve(self._rule((), otherwise, undecided), rest=bool(rules)))
        return tuple(rules), self._count(uncovered)

    def _count(self, bits: int) -> int:
        return sum(count for position, count in enumerate(self.counts) if bits >> position & 1)

    def _rule(self, when: tuple[FeatureCondition, ...], label: str, bits: int) -> DecisionRule:
        ties = tuple(
            other for other in self.labels if other != label and not bits & ~self.good[other]
        )
        return DecisionRule(when, label, ties, self._count(bits))

    def _best(
        self, undecided: int, exceptions: int
    ) -> tuple[tuple[FeatureCondition, ...], str, int] | None:
        """Return the conditions, order and rows of a rule that covers many exceptions.

        Rows are a bit set, and the rule is right for every row it covers. Pairs of conditions are
        tried if no single condition covers half of the exceptions, and three conditions if neither
        one nor two are right. Returns None if there is no such rule.
        """
        useful: dict[int, FeatureCondition] = {}
        for condition, bits in self.tests:
            if bits & exceptions:
                useful.setdefault(bits & undecided, condition)
        tests = list(useful.items())
        single = self._pick(
            ((bits, (condition,)) for bits, condition in tests), undecided, exceptions
        )
        if (
            single is not None
            and (single[2] & exceptions).bit_count() * 2 >= exceptions.bit_count()
        ):
            return single
        tests.sort(key=lambda test: -self._promise(test[0], exceptions))
        pairs = [
            (first_bits & second_bits, (first, second))
            for (first_bits, first), (second_bits, second) in combinations(tests[:MOST_TESTS], 2)
            if first_bits & second_bits & exceptions
        ]
        pair_choice = self._pick(iter(pairs), undecided, exceptions)
        if pair_choice is None and single is None:
            pairs.sort(key=lambda pair: -self._promise(pair[0], exceptions))
            return self._pick(
                (
                    (bits & third, (*when, condition))
                    for bits, when in pairs[:BEAM]
                    for third, condition in tests
                    if bits & third & exceptions
                ),
                undecided,
                exceptions,
            )
        if single is None or (
            pair_choice is not None
            and (pair_choice[2] & exceptions).bit_count() > 2 * (single[2] & exceptions).bit_count()
        ):
            return pair_choice
        return single

    def _promise(self, bits: int, exceptions: int) -> float:
        """Return the purity of a set of rows, weighted by the number of exceptions in it."""
        most = max((bits & self.good[label]).bit_count() for label in self.labels)
        return (bits & exceptions).bit_count() * (most / bits.bit_count()) ** 4

    def _pick(
        self,
        candidates: Iterator[tuple[int, tuple[FeatureCondition, ...]]],
        undecided: int,
        exceptions: int,
    ) -> tuple[tuple[FeatureCondition, ...], str, int] | None:
        choice: tuple[tuple[FeatureCondition, ...], str, int] | None = None
        most = 0
        for bits, when in candidates:
            size = (bits & exceptions).bit_count()
            if size <= most:
                continue
            for label in self.labels:
                if not bits & undecided & ~self.good[label]:
                    choice, most = (when, label, bits), size
                    break
        return choice
