"""Values that no step tells apart, as far as the rows that are known go: a guess, which ``_explore`` proves."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from typing import Any

from fireplan.solver._compile import Branch, Compiler, Rows

Groups = Mapping[str, tuple[tuple[Any, ...], ...]]
"""By key: groups of at least two values that are alike."""


def alike_values(compiler: Compiler, keys: Collection[str], never: Collection[str]) -> Groups:
    """Return groups of alike values at these keys, but for those where values are ``never`` made one."""
    contexts: dict[str, list[Mapping[Any, Branch]]] = {}
    for key, children in compiler.readings():
        if key in keys and key not in never:
            contexts.setdefault(key, []).append(children)
    comparison = _Comparison(frozenset(keys))
    return {key: groups for key, found in contexts.items() if (groups := _grouped(found, comparison))}


def _grouped(contexts: list[Mapping[Any, Branch]], comparison: _Comparison) -> tuple[tuple[Any, ...], ...]:
    profiles: dict[Any, dict[int, Branch]] = {}
    for number, children in enumerate(contexts):
        if len(children) > 1:
            for value, branch in children.items():
                profiles.setdefault(value, {})[number] = branch
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
            return isinstance(one, Rows) and isinstance(other, Rows) and self.effect(one) == self.effect(other)
        if one.key != other.key:
            return False
        return all(self.same(one.children[v], other.children[v]) for v in one.children.keys() & other.children.keys())

    def effect(self, rows: Rows) -> int:
        """A number that rows share when they do the same to states."""
        number = self._effects.get(rows)
        if number is None:
            shares: dict[Hashable, int] = {}
            for row in rows.rows:
                updates = tuple((key, value) for key, value in row.outcome.updates if key in self._kept)
                done = (updates, row.outcome.pushes, row.outcome.events)
                shares[done] = shares.get(done, 0) + row.weight
            effect = (rows.total, frozenset(shares.items()))
            number = self._effects[rows] = self._numbers.setdefault(effect, len(self._numbers))
        return number
