"""The state of a game in play: values by key, and the agenda of what still has to be done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from fireplan_core.play.scenario import Scenario
from fireplan_core.steps.effects import Pending, Step


class Values(Mapping[str, Any]):
    """An immutable map from key to value; hashable, and equal when all values are."""

    __slots__ = ("_entries", "_hash")

    def __init__(self, entries: Mapping[str, Any]) -> None:
        self._entries = dict(entries)
        self._hash: int | None = None

    def __getitem__(self, key: str) -> Any:
        """The value at a key."""
        return self._entries[key]

    def __iter__(self) -> Iterator[str]:
        """All keys."""
        return iter(self._entries)

    def __len__(self) -> int:
        """Return how many keys there are."""
        return len(self._entries)

    def __hash__(self) -> int:
        """Of all keys and values."""
        if self._hash is None:
            self._hash = hash(frozenset(self._entries.items()))
        return self._hash

    def put(self, updates: tuple[tuple[str, Any], ...]) -> Values:
        """Return these values with others put over them."""
        return Values({**self._entries, **dict(updates)}) if updates else self

    def since(self, before: Values) -> dict[str, Any]:
        """Return the values by key that are not those of ``before``."""
        known, missing = before._entries, object()
        return {key: value for key, value in self._entries.items() if known.get(key, missing) is not value}

    def __repr__(self) -> str:
        """Address by key, sorted."""
        return "Values(" + ", ".join(f"{k}={self._entries[k]!r}" for k in sorted(self._entries)) + ")"


@attrs.frozen
class State:
    """Say where a game stands; frozen, hashable, comparable."""

    values: Values
    agenda: tuple[Pending, ...]

    @property
    def moment(self) -> int:
        """Return the number of the present moment, from 0."""
        return int(self.values["clock/moment"])


OPENING = Step("core.moment")


def opening(scenario: Scenario) -> State:
    """Return the state before anything happened: the first moment is about to open."""
    return State(Values(scenario.initial), (OPENING,))
