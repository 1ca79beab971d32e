"""Digests of the effects of each input, and of a game's numbers.

A journal stores them, so that later changes to the rules are noticed when it is opened.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import Any

import attrs

from fireplan.table.words import Words
from fireplan_core import Pending
from fireplan_core.chance import cells_of
from fireplan_core.play import State, Values
from fireplan_core.play.table import LogEntry

_OF_RULING = 8
_OF_STATE = 16
_BARE = frozenset((str, int, bool, type(None)))
SHOWN = 3
"""Maximum number of changed keys that a message names."""


def text_of(value: Any) -> str:
    """Return a value of a state or an event as text that is identical in every run.

    Sets are sorted, and records are written field by field.
    """
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
    """The digests of an input's effects: one for each ruling, and one for the resulting state.

    A state's digest is the sum of one number per value, so only values that changed since the last
    input are hashed again.
    """

    def __init__(self) -> None:
        self._values = Values({})
        self._numbers: dict[str, int] = {}
        self._sum = 0
        self._texts: dict[int, tuple[Pending, str]] = {}

    def of(self, entries: Iterable[LogEntry], state: State) -> str:
        """Return the digests of the rulings and of the state as text: ``"RULING RULING|STATE"``."""
        rulings = (
            _digest(f"{entry.moment} {text_of(entry.event)}", _OF_RULING) for entry in entries
        )
        self._update_sum(state.values)
        return f"{' '.join(rulings)}|{_digest(f'{self._sum} {self._waiting(state)}', _OF_STATE)}"

    def _waiting(self, state: State) -> str:
        """Return the agenda as text, reusing the text of entries already on it."""
        texts = self._texts
        self._texts = {
            id(pending): texts.get(id(pending)) or (pending, text_of(pending))
            for pending in state.agenda
        }
        return ",".join(self._texts[id(pending)][1] for pending in state.agenda)

    def _update_sum(self, values: Values) -> None:
        changed = values.since(self._values)
        if len(self._numbers) + sum(key not in self._numbers for key in changed) != len(values):
            # An undo has removed keys: start again.
            changed, self._numbers, self._sum = dict(values), {}, 0
        for key, value in changed.items():
            number = int(_digest(f"{key}={text_of(value)}", _OF_STATE), 16)
            self._sum += number - self._numbers.get(key, 0)
            self._numbers[key] = number
        self._values = values


def difference(
    recorded: str,
    recomputed: str,
    entries: Sequence[LogEntry],
    words: Words,
    states: tuple[State, State] | None = None,
) -> str:
    """Return a description of how the effects of an input differ from the recorded ones.

    The text names the first ruling that differs, as the current rules make it. If only the state
    differs, it names the keys that the input now changes, given the states before and after it.
    """
    rulings, rulings_now = (digests.partition("|")[0].split() for digests in (recorded, recomputed))
    for number in range(max(len(rulings), len(rulings_now))):
        if rulings[number : number + 1] != rulings_now[number : number + 1]:
            present = (
                words.ruling(entries[number].event) if number < len(entries) else "nothing more"
            )
            return f"ruling {number + 1} differs: the present rules say {present!r}"
    keys = f" (it now changes {changed_keys(*states)})" if states else ""
    return f"the rulings are the same, but the state differs{keys}"


def changed_keys(before: State, now: State) -> str:
    """Return the first few keys whose values differ between two states, as text, or "nothing"."""
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
    """Map the name of each chart to its digest."""
    return {
        name: _digest(
            "\n".join(f"{cell.path} {cell.value!r}" for cell in cells_of(chart)), _OF_STATE
        )
        for name, chart in sorted(charts.items())
    }
