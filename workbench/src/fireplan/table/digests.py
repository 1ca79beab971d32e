"""Digests of what an input led to and of a game's numbers, kept in a journal: by them a changed rule is noticed."""

import hashlib
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any

import attrs

from fireplan_core import Pending
from fireplan_core.chance import cells_of
from fireplan_core.play import State, Values
from fireplan_core.play.table import Entry

_OF_RULING = 8
_OF_STATE = 16
_BARE = frozenset((str, int, bool, type(None)))
SHOWN = 3
"""Keys of a state that are named."""


def text_of(value: Any) -> str:
    """Return a value of a state or an event as text, the same in every run: sets sorted, records field by field."""
    if type(value) in _BARE:
        return repr(value)
    if isinstance(value, Enum):
        return f"{type(value).__qualname__}.{value.name}"
    if isinstance(value, tuple):
        return f"({','.join(map(text_of, value))})"
    if isinstance(value, frozenset):
        return f"{{{','.join(sorted(map(text_of, value)))}}}"
    if attrs.has(type(value)):
        fields = (
            f"{field.name}={text_of(getattr(value, field.name))}"
            for field in attrs.fields(type(value))
        )
        return f"{type(value).__qualname__}({','.join(fields)})"
    return repr(value)


def _digest(text: str, length: int) -> str:
    return hashlib.sha256(text.encode(errors="backslashreplace")).hexdigest()[:length]


class Outcomes:
    """Digests of what inputs led to: one of each ruling and one of the state after them.

    That of a state is made of a number for each of its values, so that only what has changed is
    worked out anew.
    """

    def __init__(self) -> None:
        self._values = Values({})
        self._numbers: dict[str, int] = {}
        self._sum = 0
        self._pending: dict[int, tuple[Pending, str]] = {}

    def of(self, entries: Iterable[Entry], state: State) -> str:
        """Return the digests of these rulings and of a state."""
        rulings = (
            _digest(f"{entry.moment} {text_of(entry.event)}", _OF_RULING) for entry in entries
        )
        self._follow(state.values)
        return f"{' '.join(rulings)}|{_digest(f'{self._sum} {self._waiting(state)}', _OF_STATE)}"

    def _waiting(self, state: State) -> str:
        """The agenda as text; what has waited since the last input was read then."""
        known = self._pending
        self._pending = {id(one): known.get(id(one)) or (one, text_of(one)) for one in state.agenda}
        return ",".join(self._pending[id(one)][1] for one in state.agenda)

    def _follow(self, values: Values) -> None:
        changed = values.since(self._values)
        if len(self._numbers) + sum(key not in self._numbers for key in changed) != len(values):
            changed, self._numbers, self._sum = dict(values), {}, 0  # keys are gone: after an undo
        for key, value in changed.items():
            number = int(_digest(f"{key}={text_of(value)}", _OF_STATE), 16)
            self._sum += number - self._numbers.get(key, 0)
            self._numbers[key] = number
        self._values = values


def first_difference(kept: str, now: str) -> int | None:
    """Return which ruling differs between two digests, from 0.

    None where only the state after them does.
    """
    rulings, others = (digests.partition("|")[0].split() for digests in (kept, now))
    both = max(len(rulings), len(others))
    return next((n for n in range(both) if rulings[n : n + 1] != others[n : n + 1]), None)


def changed_keys(before: State, now: State) -> str:
    """Return in words which values of a state have changed, the first few of them."""
    keys = [
        key
        for key, value in sorted(now.values.since(before.values).items())
        if before.values.get(key) != value
    ]
    return (
        ", ".join(keys[:SHOWN]) + (f" and {len(keys) - SHOWN} more" if len(keys) > SHOWN else "")
        or "nothing"
    )


def digests_of(charts: Mapping[str, Any]) -> dict[str, str]:
    """Return the digest of every chart, by name."""
    return {
        name: _digest(
            "\n".join(f"{cell.path} {cell.value!r}" for cell in cells_of(chart)), _OF_STATE
        )
        for name, chart in sorted(charts.items())
    }
