"""Orders, values and events in words, and orders read back from words; the same for every game.

Places are written by their labels, names as they are. Several values of a slot are joined by ``+``, the members of
one of them by ``:`` (``fire=109-FA:4+687-FA:4``); names with spaces or those marks stand in double quotes.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from enum import Enum
from fractions import Fraction
from typing import Any

from fireplan_core import Event, Form, Order, Scenario, Slot
from fireplan_core.chance import Face

_PAIR, _CORNERS = 2, 3
_SHOWN = 6
_LIKE = 100
"""Characters that a word is compared by with others like it."""
_MARKS = frozenset(' \t+:="')
_FRACTION = re.compile("-?[0-9]{1,18}(/[1-9][0-9]{0,17})?")
_TOKEN = re.compile(r'(?:[^\s"]|"[^"]*"?)+')


class WordsError(ValueError):
    """Words that are no order here; the message says what was expected."""


class Words:
    """The words of one scenario."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._frame = scenario.frame
        self._alone = len(scenario.missions) == 1

    # --- writing ---------------------------------------------------------------------------------
    def value(self, value: Any, name: str = "", *, quoted: bool = False) -> str:
        """Return a small value as a player says it; a name in the plural (``rows``) holds several, never a place."""
        if isinstance(value, bool):
            return "yes" if value else "no"
        if value is None:
            return "none"
        if isinstance(value, Enum):
            return str(value.value) if isinstance(value.value, str) else value.name.lower()
        if isinstance(value, str):
            return f'"{value}"' if quoted and (_MARKS & set(value) or not value) else value
        if isinstance(value, Order):
            return self.order(value)
        if isinstance(value, tuple | frozenset):
            return self._several(value, name, quoted=quoted)
        return str(value)

    def _several(self, values: Any, name: str, *, quoted: bool) -> str:
        if not name.endswith("s") and (label := self._label(values)) is not None:
            return label
        items = sorted(values, key=str) if isinstance(values, frozenset) else values
        said = []
        for item in items:
            if isinstance(item, tuple) and (label := self._label(item)) is None:
                said.append(":".join(self.value(part, quoted=quoted) for part in item))
            else:
                said.append(self.value(item, quoted=quoted))
        return "+".join(said) or "none"

    def _label(self, value: Any) -> str | None:
        """The label of a place; None for what is no place of this table."""
        if not (_numbers(value) or (len(value) == _CORNERS and all(_numbers(corner) for corner in value))):
            return None
        try:
            return self._frame.label(value)
        except (ValueError, TypeError):
            return None

    def order(self, order: Order, forms: Iterable[Form] = ()) -> str:
        """Return an order as a player types it, its slots in the order of its form."""
        form = next((form for form in forms if form.verb == order.verb), None)
        names = [slot.name for slot in form.slots] if form else []
        values = sorted(order.values, key=lambda pair: names.index(pair[0]) if pair[0] in names else len(names))
        return " ".join([order.verb, *(f"{name}={self.value(value, quoted=True)}" for name, value in values)])

    def event(self, event: Event) -> str:
        """Return what happened, without the rule; modifiers as they are added to a roll."""
        if event.kind == "modifier":
            roll = str(event["roll"]).partition(".")[2].replace("_", " ")
            return f"{event['value']:+d} to the {roll} roll: {event['summary']}"
        values = ", ".join(self._field(name, value) for name, value in event.fields if not self._plain(name))
        return f"{event.kind.replace('_', ' ')}{': ' if values else ''}{values}"

    def _plain(self, name: str) -> bool:
        """Return whether a field need not be said: the only mission of a table."""
        return name == "mission" and self._alone

    def _field(self, name: str, value: Any) -> str:
        if name == "gap" and isinstance(value, int | Fraction):
            return f"gap {self._frame.gap_metres(value):.0f} m"
        return f"{name.replace('_', ' ')} {self.value(value, name)}"

    def ruling(self, event: Event) -> str:
        """Return what happened, with its rule."""
        return f"{self.event(event)} ({event.cite})"

    # --- reading ---------------------------------------------------------------------------------
    def read_order(self, text: str, forms: Sequence[Form]) -> Order:
        """Return the order that was typed in full.

        Raises ``WordsError`` for words that cannot be read. A verb or slot that no form has is read all the same:
        that is for the judge to refuse.
        """
        verb, *rest = _TOKEN.findall(text) or [""]
        if not verb or "=" in verb:
            known = _listed(form.verb for form in forms)
            raise WordsError(f"expected an order: a verb, then slot=value; possible are {known}")
        form = next((form for form in forms if form.verb == verb), None)
        slots = {slot.name: slot for slot in form.slots} if form else {}
        values: dict[str, Any] = {}
        for token in rest:
            name, equals, value = token.partition("=")
            if not equals:
                raise WordsError(f"{token!r}: expected slot=value; put names with spaces in double quotes")
            if name in values:
                raise WordsError(f"{name} is given twice")
            values[name] = self._read_slot(value, slots.get(name) or Slot(name, "", ()))
        return Order.of(verb, **values)

    def _read_slot(self, text: str, slot: Slot) -> Any:
        said = {self.value(value, quoted=True): value for value in slot.candidates}
        for key, value in said.items():
            if text == key:
                return value
        folded = [value for key, value in said.items() if key.casefold() == text.casefold()]
        if len(folded) == 1:
            return folded[0]
        shapes: dict[Any, Any] = {_shape(value): value for value in slot.candidates}
        for like in shapes.values() or (1, (0, 0), ""):
            try:
                return self._read_like(text, like)
            except (ValueError, KeyError):
                continue
        near = difflib.get_close_matches(text[:_LIKE], said, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise WordsError(f"{slot.name}={text}: expected {slot.meaning}, such as {_listed(said)}{hint}")

    def _read_like(self, text: str, like: Any) -> Any:
        """A value of the same kind as another; ValueError or KeyError when it is none."""
        if isinstance(like, bool):
            return {"yes": True, "true": True, "no": False, "false": False}[text.lower()]
        if isinstance(like, Enum):
            return {self.value(one): one for one in type(like)}[text.lower()]
        if isinstance(like, int):
            return int(text)
        if isinstance(like, Fraction):
            if not _FRACTION.fullmatch(text):
                raise ValueError(text)
            return Fraction(text)
        if like is None:
            return {"none": None}[text]
        if isinstance(like, tuple):
            return self._read_several(text, like)
        return _unquoted(text)

    def _read_several(self, text: str, like: tuple[Any, ...]) -> Any:
        if self._label(like) is not None:
            return self._frame.parse(_unquoted(text))
        if not like or text == "none":
            return ()
        found = []
        for part in _split(text, "+"):
            inner = like[0]
            if isinstance(inner, tuple) and self._label(inner) is None:
                pieces = _split(part, ":")
                if len(pieces) != len(inner):
                    raise ValueError(part)
                found.append(tuple(self._read_like(piece, one) for piece, one in zip(pieces, inner, strict=True)))
            else:
                found.append(self._read_like(part, inner))
        return tuple(found)


def throw_words(name: str, dice: Iterable[tuple[str, Face, bool]]) -> str:
    """Return a throw: its name, then each die with its face, and whether the program rolled it (label, face, typed)."""
    return f"roll {name}: " + ", ".join(f"{label} {face}{'' if typed else ' (rolled)'}" for label, face, typed in dice)


def _numbers(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == _PAIR and all(type(part) in (int, Fraction) for part in value)


def _shape(value: Any) -> Any:
    return tuple(_shape(part) for part in value[:1]) if isinstance(value, tuple) else type(value)


def _unquoted(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text


def _split(text: str, mark: str) -> list[str]:
    """The pieces between marks that stand outside double quotes."""
    return re.split(re.escape(mark) + r'(?=(?:[^"]*"[^"]*")*[^"]*$)', text)


def _listed(words: Iterable[str]) -> str:
    found = list(words)
    return ", ".join(found[:_SHOWN]) + (" ..." if len(found) > _SHOWN else "") or "none"
