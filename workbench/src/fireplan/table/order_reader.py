"""Orders read from the words that a player types."""

import difflib
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from enum import Enum
from fractions import Fraction
from typing import Any, TypeVar

from fireplan.errors import InputError
from fireplan.table.order_writer import OrderWriter
from fireplan_core import Form, Order, Scenario, Slot
from fireplan_core.space import CoordinateError, label_of

T = TypeVar("T")
_SHOWN = 6
_LIKE = 100
"""Maximum length of a word that is compared with others to find a similar one, in characters."""
_FRACTION = re.compile("-?[0-9]{1,18}(/[1-9][0-9]{0,17})?")
_TOKEN = re.compile(r'(?:[^\s"]|"[^"]*"?)+')


class OrderReader:
    """A reader of orders, and of their slots' values, in the notation of ``OrderWriter``."""

    def __init__(self, scenario: Scenario) -> None:
        self._writer, self._frame = OrderWriter(scenario.frame), scenario.frame

    def read(self, text: str, forms: Sequence[Form], *, fill: bool = False) -> Order:
        """Parse an order that was typed in full.

        A value without an alternative may be left out; with ``fill`` any value may be, and the
        first candidate is used. An unknown slot is accepted here, and an unknown verb with anything
        after it, because the rules refuse them later. Raise ``InputError`` for text that cannot be
        parsed or leaves out a value.
        """
        verb, *rest = self.tokens(text)
        _check_verb(verb, text, forms)
        form = _meant(verb, {form.verb: form for form in forms})
        if form is None:
            return Order.of(verb)
        slots = {slot.name: slot for slot in form.slots}
        values = {name: slot.candidates[0] for name, slot in slots.items() if slot.single}
        typed = set[str]()
        for token in _named(rest, slots, values):
            name, equals, value = token.partition("=")
            if not equals:
                raise InputError(self._misplaced(token, form, {**values}, typed))
            slot = _meant(name, slots) or Slot(name, "", ())
            if slot.name in typed:
                raise InputError(f"{slot.name} appears twice")
            typed.add(slot.name)
            values[slot.name] = self.read_value(value, slot)
        return self._completed(form, values, forms, fill=fill)

    def _completed(
        self, form: Form, values: Mapping[str, Any], forms: Sequence[Form], *, fill: bool
    ) -> Order:
        """Return the order of a form with the values typed.

        A slot without a value gets its first candidate if ``fill`` is set. Otherwise raise
        ``InputError`` with the whole order as an example. A slot without candidates stays out; the
        rules then give the reason.
        """
        left_out = [slot for slot in form.slots if slot.name not in values and slot.candidates]
        order = Order.of(
            form.verb, **{slot.name: slot.candidates[0] for slot in left_out}, **values
        )
        if left_out and not fill and all(slot.name in dict(order.values) for slot in form.slots):
            named = " and ".join(f"{slot.name} ({slot.meaning})" for slot in left_out)
            are = "is" if len(left_out) == 1 else "are"
            whole = self._writer.order(order, forms)
            raise InputError(f"{named} {are} missing: type {whole}")
        return order

    def _misplaced(
        self, token: str, form: Form, values: Mapping[str, Any], typed: Collection[str]
    ) -> str:
        """Return the message for a value typed without its slot, with an example.

        The example keeps the ``values`` of the slots ``typed`` before, and this one if it can be
        the value of a slot.
        """
        if not form.slots:
            return f"{token!r}: {form.verb} takes no values"
        shown = {slot.name: values[slot.name] for slot in form.slots if slot.name in typed}
        for slot in form.slots:
            if slot.name not in shown and slot.candidates:
                with suppress(InputError):
                    shown[slot.name] = self.read_value(token, slot)
                    break
        shown = {slot.name: slot.candidates[0] for slot in form.slots if slot.candidates} | shown
        example = self._writer.order(Order.of(form.verb, **shown), [form])
        hint = "; put names with spaces in double quotes" if typed else ""
        return f"{token!r} is missing its name: type {example}{hint}"

    @staticmethod
    def tokens(text: str) -> list[str]:
        """Return the words of an order as typed; quoted names keep their spaces and quotes."""
        return _TOKEN.findall(text) or [""]

    def read_value(self, text: str, slot: Slot) -> Any:
        """Return the value that a text names for a slot.

        Raise ``InputError`` if the text cannot be a value of this slot.
        """
        texts = {self._writer.value(value, quoted=True): (value,) for value in slot.candidates}
        if match := _meant(text, texts, prefix=False):
            return match[0]
        shapes: dict[Any, Any] = {_shape(value): value for value in slot.candidates}
        misplaced: CoordinateError | None = None
        for like in shapes.values() or (1, (0, 0), ""):
            try:
                if not isinstance(like, str) or not slot.candidates:
                    return self._read_like(text, like)
            except CoordinateError as error:
                misplaced = error
            except (ValueError, KeyError):
                continue
        # A place typed in part is a different place, not a short form of a place on offer.
        if match := _meant(text, texts, prefix=misplaced is None or not slot.free):
            return match[0]
        if any(isinstance(like, str) for like in shapes.values()):
            return _unquoted(text)
        if misplaced and "/" in text:
            raise InputError(f"{slot.name}={misplaced}")
        near = difflib.get_close_matches(text[:_LIKE], texts, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        if "," in text and any("+" in each for each in texts):
            hint = "; several are joined by +, not by commas"
        raise InputError(
            f"{slot.name}={text}: expected {slot.meaning}, such as {_listed(texts)}{hint}"
        )

    def _read_like(self, text: str, like: Any) -> Any:
        """Return the value that a text names, of the same kind as the value ``like``.

        Raises ``ValueError`` or ``KeyError`` if the text is not of that kind.
        """
        if isinstance(like, bool):
            return {"yes": True, "true": True, "no": False, "false": False}[text.lower()]
        if isinstance(like, Enum):
            return {self._writer.value(member): member for member in type(like)}[text.lower()]
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
        if label_of(self._frame, like) is not None:
            return self._frame.parse(_unquoted(text))
        if not like or text == "none":
            return ()
        values = []
        for part in _split(text, "+"):
            inner = like[0]
            if isinstance(inner, tuple) and label_of(self._frame, inner) is None:
                pieces = _split(part, ":")
                if len(pieces) != len(inner):
                    raise ValueError(part)
                values.append(
                    tuple(
                        self._read_like(piece, kind)
                        for piece, kind in zip(pieces, inner, strict=True)
                    )
                )
            else:
                values.append(self._read_like(part, inner))
        return tuple(values)


def _named(tokens: Sequence[str], slots: Iterable[str], values: Mapping[str, Any]) -> Sequence[str]:
    """Return an order's words as NAME=VALUE if the player left out all names of slots.

    The names are in the order of the slots. The slots in ``values`` have no alternative, and may be
    left out altogether. Any other words are returned unchanged.
    """
    for names in ([*slots], [name for name in slots if name not in values]):
        if tokens and len(tokens) == len(names) and not any("=" in token for token in tokens):
            return [f"{name}={token}" for name, token in zip(names, tokens, strict=True)]
    return tokens


def _meant(text: str, entries: Mapping[str, T], *, prefix: bool = True) -> T | None:
    """Return the entry that a word names: exactly, else ignoring case, else by a unique prefix.

    Return None if no entry or several are named.
    """
    folded = text.casefold()
    alike = [key for key in entries if key.casefold() == folded]
    starts = (
        [key for key in entries if key.casefold().startswith(folded)] if prefix and text else []
    )
    matches = [text] if text in entries else alike or starts
    return entries[matches[0]] if len(matches) == 1 else None


def _shape(value: Any) -> Any:
    return tuple(_shape(part) for part in value[:1]) if isinstance(value, tuple) else type(value)


def _unquoted(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text


def _split(text: str, mark: str) -> list[str]:
    """Return the pieces between marks that are outside double quotes."""
    return re.split(re.escape(mark) + r'(?=(?:[^"]*"[^"]*")*[^"]*$)', text)


def _listed(words: Iterable[str]) -> str:
    items = list(words)
    return ", ".join(items[:_SHOWN]) + (" ..." if len(items) > _SHOWN else "") or "none"


def _check_verb(verb: str, text: str, forms: Sequence[Form]) -> None:
    """Raise ``InputError``, which lists the verbs, for a text that does not begin with a word.

    Dice, a value such as ``at=K5`` and an empty text are refused.
    """
    if not verb or "=" in verb or text.replace(" ", "").isdigit():
        verbs = _listed(form.verb for form in forms)
        dice = ", not dice" if verb.isdigit() else ""
        raise InputError(f"expected an order{dice}: {verbs}")
