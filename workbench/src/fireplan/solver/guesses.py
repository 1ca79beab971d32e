"""Guesses from compiled rows: values that no step tells apart, keys that are not read again.

The exploration proves or refutes them.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping
from typing import Any

from fireplan.solver.compile import Branch, Compiler, StepRows
from fireplan.solver.states import CODES, PackedField
from fireplan_core import Pending

Groups = Mapping[str, tuple[tuple[Any, ...], ...]]
"""Maps each key to its groups of two or more values that no step distinguishes."""

MOST_VALUES = 1000
"""Maximum number of a key's values to compare; with more (hands of cards), none are grouped."""


def alike_values(compiler: Compiler, keys: Collection[str], never: Collection[str]) -> Groups:
    """Map keys, except those in ``never``, to groups of values that no step has distinguished."""
    contexts: dict[str, list[Mapping[Any, Branch]]] = {}
    for key, children in compiler.readings():
        if key in keys and key not in never:
            contexts.setdefault(key, []).append(children)
    comparison = _Comparison(frozenset(keys))
    return {
        key: groups
        for key, branchings in contexts.items()
        if (groups := _grouped(branchings, comparison))
    }


def _grouped(
    contexts: list[Mapping[Any, Branch]], comparison: _Comparison
) -> tuple[tuple[Any, ...], ...]:
    profiles: dict[Any, dict[int, Branch]] = {}
    for number, children in enumerate(contexts):
        if len(children) > 1:
            for value, branch in children.items():
                profiles.setdefault(value, {})[number] = branch
    if len(profiles) > MOST_VALUES:
        return ()
    groups: list[list[Any]] = []
    for value, profile in profiles.items():
        for group in groups:
            # Keep None apart: it means "absent", and a rule that reads it reads nothing further.
            if type(value) is not type(group[0]):
                continue
            if all(comparison.agree(profile, profiles[member]) for member in group):
                group.append(value)
                break
        else:
            groups.append([value])
    return tuple(tuple(group) for group in groups if len(group) > 1)


class _Comparison:
    """A comparison of the rows below two values, restricted to the keys of a state."""

    def __init__(self, held_keys: frozenset[str]) -> None:
        self._held_keys = held_keys
        self._effects: dict[StepRows, int] = {}
        self._numbers: dict[Hashable, int] = {}

    def agree(self, first: Mapping[int, Branch], second: Mapping[int, Branch]) -> bool:
        """Return whether two values have the same effect in every case in which both were met.

        ``first`` and ``second`` map the number of a case to the branch below each value. False if
        both were never met in the same case.
        """
        shared = first.keys() & second.keys()
        return bool(shared) and all(self.same(first[number], second[number]) for number in shared)

    def same(self, first: Branch, second: Branch) -> bool:
        """Return whether two branches have the same effect in every case in which both have run."""
        if isinstance(first, StepRows) or isinstance(second, StepRows):
            return (
                isinstance(first, StepRows)
                and isinstance(second, StepRows)
                and self.effect(first) == self.effect(second)
            )
        if first.key != second.key:
            return False
        return all(
            self.same(first.children[value], second.children[value])
            for value in first.children.keys() & second.children.keys()
        )

    def effect(self, rows: StepRows) -> int:
        """Return the index of the effect of rows on a state; equal effects have the same index."""
        number = self._effects.get(rows)
        if number is None:
            shares: dict[Hashable, int] = {}
            for row in rows.rows:
                updates = tuple(
                    (key, value) for key, value in row.outcome.updates if key in self._held_keys
                )
                change = (updates, row.outcome.pushes, row.outcome.events)
                shares[change] = shares.get(change, 0) + row.weight
            effect = (rows.total, frozenset(shares.items()))
            number = self._effects[rows] = self._numbers.setdefault(effect, len(self._numbers))
        return number


class Ahead:
    """The keys that each step, or any step it pushes, may read; other keys can be dropped.

    The keys in ``kept`` are never dropped.
    """

    def __init__(self, compiler: Compiler, kept: set[str]) -> None:
        self.kept = kept
        self._bits: dict[str, int] = {}
        self._reads: dict[Pending, int] = {}
        """Maps each step to a bit set of keys that it, or any step it pushes, may read."""
        pushed: dict[Pending, frozenset[Pending]] = {}
        for pending in compiler.compiled:
            self._reads[pending] = self._bits_of(compiler.keys(pending))
            pushed[pending] = compiler.pushes(pending)
        changed = True
        while changed:
            changed = False
            for pending, pushes in pushed.items():
                before = reads = self._reads[pending]
                for push in pushes:
                    reads |= self._reads.get(push, 0)
                self._reads[pending] = reads
                changed |= reads != before

    def _bits_of(self, keys: Iterable[str]) -> int:
        return sum(1 << self._bits.setdefault(key, len(self._bits)) for key in keys)

    def forgotten(self, agenda: Iterable[Pending], fields: Mapping[str, PackedField]) -> int:
        """Return the state bits of the keys that are not read until the moment ends."""
        read = self._bits_of(self.kept)
        for pending in agenda:
            read |= self._reads.get(pending, -1)  # an unknown step may read any key
        unread = (
            field
            for key, field in fields.items()
            if not read >> self._bits.get(key, len(self._bits)) & 1
        )
        return sum(CODES << field.shift for field in unread)
