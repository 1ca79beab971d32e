"""Guesses from known rows: values that no step tells apart, keys that are read no more.

``_explore`` proves them.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping
from typing import Any

from fireplan.solver.compile import Branch, Compiler, Rows
from fireplan.solver.states import CODES, Field
from fireplan_core import Pending

Groups = Mapping[str, tuple[tuple[Any, ...], ...]]
"""By key: groups of at least two values that are alike."""

MOST_VALUES = 1000
"""Each of a key's values is compared with each kind of it: where there are more, as of hands, none are guessed."""


def alike_values(compiler: Compiler, keys: Collection[str], never: Collection[str]) -> Groups:
    """Return groups of alike values at these keys, but for those where values are ``never`` made one."""
    contexts: dict[str, list[Mapping[Any, Branch]]] = {}
    for key, children in compiler.readings():
        if key in keys and key not in never:
            contexts.setdefault(key, []).append(children)
    comparison = _Comparison(frozenset(keys))
    return {
        key: groups for key, found in contexts.items() if (groups := _grouped(found, comparison))
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
            # "None" stands for "not there": rules never read on where it is.
            if type(value) is not type(group[0]):
                continue
            if all(comparison.agree(profile, profiles[member]) for member in group):
                group.append(value)
                break
        else:
            groups.append([value])
    return tuple(tuple(group) for group in groups if len(group) > 1)


class _Comparison:
    """Compares what follows from two values, at the keys that states keep."""

    def __init__(self, kept: frozenset[str]) -> None:
        self._kept = kept
        self._effects: dict[Rows, int] = {}
        self._numbers: dict[Hashable, int] = {}

    def agree(self, one: Mapping[int, Branch], other: Mapping[int, Branch]) -> bool:
        """Return whether two values did the same at least once, and nowhere differed."""
        both = one.keys() & other.keys()
        return bool(both) and all(self.same(one[number], other[number]) for number in both)

    def same(self, one: Branch, other: Branch) -> bool:
        """Return whether two branches do the same as far as both are known."""
        if isinstance(one, Rows) or isinstance(other, Rows):
            return (
                isinstance(one, Rows)
                and isinstance(other, Rows)
                and self.effect(one) == self.effect(other)
            )
        if one.key != other.key:
            return False
        return all(
            self.same(one.children[v], other.children[v])
            for v in one.children.keys() & other.children.keys()
        )

    def effect(self, rows: Rows) -> int:
        """A number that rows share when they do the same to states."""
        number = self._effects.get(rows)
        if number is None:
            shares: dict[Hashable, int] = {}
            for row in rows.rows:
                updates = tuple(
                    (key, value) for key, value in row.outcome.updates if key in self._kept
                )
                done = (updates, row.outcome.pushes, row.outcome.events)
                shares[done] = shares.get(done, 0) + row.weight
            effect = (rows.total, frozenset(shares.items()))
            number = self._effects[rows] = self._numbers.setdefault(effect, len(self._numbers))
        return number


class Ahead:
    """Say which keys a step may read, and whatever it pushes: what stands at any other is as good as forgotten.

    Keys that are ``kept`` are never forgotten.
    """

    def __init__(self, compiler: Compiler, kept: set[str]) -> None:
        self.kept = kept
        self._bits: dict[str, int] = {}
        self._reads: dict[Pending, int] = {}
        """The keys that a step may read from when it is met until all that it pushes is done, as bits."""
        pushed: dict[Pending, frozenset[Pending]] = {}
        for pending in compiler.compiled:
            self._reads[pending] = self._sum(compiler.keys(pending))
            pushed[pending] = compiler.pushes(pending)
        grown = True
        while grown:
            grown = False
            for pending, pushes in pushed.items():
                before = found = self._reads[pending]
                for push in pushes:
                    found |= self._reads.get(push, 0)
                self._reads[pending] = found
                grown |= found != before

    def _sum(self, keys: Iterable[str]) -> int:
        return sum(1 << self._bits.setdefault(key, len(self._bits)) for key in keys)

    def forgotten(self, agenda: Iterable[Pending], fields: Mapping[str, Field]) -> int:
        """Return the codes of all keys that nothing reads from an agenda until the moment ends, as bits of a state."""
        read = self._sum(self.kept)
        for pending in agenda:
            read |= self._reads.get(pending, -1)  # of one that was never met nothing is known
        idle = (
            field
            for key, field in fields.items()
            if not read >> self._bits.get(key, len(self._bits)) & 1
        )
        return sum(CODES << field.shift for field in idle)
