"""Orders, values and events in words, and orders read back from words; the same for every game.

Places are written by their labels, names as they are. Several values of a slot are joined by ``+``,
the members of one of them by ``:`` (``fire=109-FA:4+687-FA:4``); names with spaces or those marks
stand in double quotes.
"""

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from fractions import Fraction
from types import MappingProxyType
from typing import Any, TypeVar

from fireplan.positions import place_shaped
from fireplan_core import Ask, Event, Form, Order, Scenario, Slot, Stage, Step
from fireplan_core.chance import Face
from fireplan_core.sentences import SEVERAL

T = TypeVar("T")
_SHOWN = 6
_LIKE = 100
"""Characters that a word is compared by with others like it."""
_MARKS = frozenset(' \t+:="')
_FRACTION = re.compile("-?[0-9]{1,18}(/[1-9][0-9]{0,17})?")
_COMMON = re.compile(r"(?:[a-z]|\d+(?:st|nd|rd|th)\b).*(?<!\d)$")
"""Match the name of a unit that is no proper name."""
_JOINED = re.compile(r"_|(?<=[a-z])\.(?=\d)")
"""Match what joins the words of a name in a file."""
_TOKEN = re.compile(r'(?:[^\s"]|"[^"]*"?)+')


class WordsError(ValueError):
    """Words that are no order here; the message says what was expected."""


class Words:
    """The words of one scenario."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._sentences = scenario.sentences
        self._sides = {scenario.owner(name) for name in (*scenario.missions, *scenario.units)}
        self._frame = scenario.frame
        self._alone = len(scenario.missions) == 1

    # --- writing ---------------------------------------------------------------------------------
    def value(self, value: Any, name: str = "", *, quoted: bool = False) -> str:
        """Return a small value as a player says it.

        A name in the plural (``rows``) holds several, never a place.
        """
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
        if not place_shaped(value):
            return None
        try:
            return self._frame.label(value)
        except (ValueError, TypeError):
            return None

    def order(self, order: Order, forms: Iterable[Form] = ()) -> str:
        """Return an order as a player types it, its slots in the order of its form."""
        form = next((form for form in forms if form.verb == order.verb), None)
        names = [slot.name for slot in form.slots] if form else []
        values = sorted(
            order.values, key=lambda pair: names.index(pair[0]) if pair[0] in names else len(names)
        )
        return " ".join(
            [order.verb, *(f"{name}={self.value(value, quoted=True)}" for name, value in values)]
        )

    # --- sentences -------------------------------------------------------------------------------
    def event(self, event: Event) -> str:
        """Return what happened as the game says it, without the rule."""
        fields = dict(event.fields)
        if event.kind == "modifier":
            roll = str(event["roll"]).partition(".")[2]
            fields |= {"value": f"{event['value']:+d}", "roll": self.roll(roll)}
        text = self._sentence("events", event.kind, fields)
        return text[:1].upper() + text[1:]

    def ruling(self, event: Event) -> str:
        """Return what happened, with its rule."""
        return f"{self.event(event)} ({event.cite})" if event.cite else self.event(event)

    def roll(self, name: str) -> str:
        """Return what a roll is for."""
        return self._sentence("rolls", name)

    def question(self, asked: Ask) -> str:
        """Return a question as its side is asked it, about the asset that is the first thing it is asked with."""
        about = [("mission", name) for name in asked.args[:1] if name in self._scenario.missions]
        return self._sentence("questions", asked.question, dict(about))

    def stage(self, stage: Stage) -> str:
        """Return where a mission stands."""
        return self._sentence("stages", stage.value)

    def step(self, step: Step) -> str:
        """Return what a step that waits means for who throws.

        Empty where the game has no words for it.
        """
        fields = {str(number): value for number, value in enumerate(step.args)}
        return self._sentences.say("steps", step.name, fields, self.said) or ""

    def detail(self, name: str, value: Any) -> str:
        """Return a field of a record with its value: of yes and no its name alone, or that there is none."""
        said = self._sentences.say("fields", name, {name: value}, self.said)
        if said is None and isinstance(value, bool):
            said = _plain(name) if value else f"no {_plain(name)}"
        return said or f"{_plain(name)} {self.said(name, value)}"

    def _sentence(
        self, table: str, key: str, fields: Mapping[str, Any] = MappingProxyType({})
    ) -> str:
        """Return a sentence; of what the game has none for, its name and its values."""
        found = self._sentences.say(table, key, {**fields, SEVERAL: not self._alone}, self.said)
        if found is not None:
            return found
        values = ", ".join(
            f"{name} {self.said(name, value)}"
            for name, value in fields.items()
            if name != "mission"
        )
        return _plain(f"{key.rpartition('.')[2]}{': ' if values else ''}{values}")

    def said(self, name: str, value: Any) -> str:
        """Return the value of a field as a sentence has it: places by their labels, assets and sides by their names."""
        if name == "mission":
            setup = self._scenario.missions.get(value)
            key = "assets" if setup is None or not self._alone else "asset"
            return (
                str(value)
                if setup is None
                else self._name(key, name=_plain(value), side=setup.side)
            )
        if name == "gap" and isinstance(value, int | Fraction):
            return f"{self._frame.gap_metres(value):.0f} m"
        if isinstance(value, tuple | frozenset) and (
            name.endswith("s") or self._label(value) is None
        ):
            items = [
                self._item(item)
                for item in (sorted(value, key=str) if isinstance(value, frozenset) else value)
            ]
            return " and ".join(filter(None, (", ".join(items[:-1]), *items[-1:])))
        if isinstance(value, str) and value in self._scenario.units:
            name = _plain(value)
            return f"the {name}" if _COMMON.match(name) else name
        return (
            self._name(value)
            if isinstance(value, str) and value in self._sides
            else _plain(self.value(value, name))
        )

    def _item(self, value: Any) -> str:
        if isinstance(value, tuple) and self._label(value) is None:
            head, *rest = (self.said("", part) for part in value)
            return f"{head} ({'/'.join(rest)})" if rest else head
        return self.said("", value)

    def _name(self, key: str, **fields: Any) -> str:
        return self._sentences.say("names", key, fields, self.said) or key

    # --- reading ---------------------------------------------------------------------------------
    def read_order(self, text: str, forms: Sequence[Form]) -> Order:
        """Return the order that was typed in full.

        Raises ``WordsError`` for words that cannot be read. A verb or slot that no form has is read
        all the same: that is for the judge to refuse.
        """
        verb, *rest = _TOKEN.findall(text) or [""]
        if not verb or "=" in verb or text.replace(" ", "").isdigit():
            known = _listed(form.verb for form in forms)
            raise WordsError(
                f"expected an order{', not dice' * verb.isdigit()}; possible are {known}"
            )
        form = _meant(verb, {form.verb: form for form in forms})
        slots = {slot.name: slot for slot in form.slots} if form else {}
        if rest and len(rest) == len(slots) and not any("=" in token for token in rest):
            rest = [f"{name}={token}" for name, token in zip(slots, rest, strict=True)]
        values: dict[str, Any] = {}
        for token in rest:
            name, equals, value = token.partition("=")
            if not equals:
                raise WordsError(
                    self._astray(token, verb, form, forms)
                    + "; names with spaces in double quotes" * bool(values)
                )
            slot = _meant(name, slots) or Slot(name, "", ())
            if slot.name in values:
                raise WordsError(f"{slot.name} is given twice")
            values[slot.name] = self._read_slot(value, slot)
        return Order.of(form.verb if form else verb, **values)

    def _astray(self, token: str, verb: str, form: Form | None, forms: Sequence[Form]) -> str:
        """Return what is wrong where a value stands without its slot, with an example."""
        if form is None:
            return (
                f"{verb!r} is not an order here; possible are {_listed(one.verb for one in forms)}"
            )
        if not form.slots:
            return f"{token!r}: {form.verb} is typed alone"
        known = ((slot.name, next(map(self.value, slot.candidates), "...")) for slot in form.slots)
        return f"{token!r}: {form.verb} is typed like {form.verb} {' '.join(f'{name}={value}' for name, value in known)}"

    def _read_slot(self, text: str, slot: Slot) -> Any:
        said = {self.value(value, quoted=True): (value,) for value in slot.candidates}
        if found := _meant(text, said, begun=False):
            return found[0]
        shapes: dict[Any, Any] = {_shape(value): value for value in slot.candidates}
        for like in shapes.values() or (1, (0, 0), ""):
            try:
                if not isinstance(like, str) or not slot.candidates:
                    return self._read_like(text, like)
            except (ValueError, KeyError):
                continue
        if found := _meant(text, said):
            return found[0]
        if any(isinstance(like, str) for like in shapes.values()):
            return _unquoted(text)
        near = difflib.get_close_matches(text[:_LIKE], said, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise WordsError(
            f"{slot.name}={text}: expected {slot.meaning}, such as {_listed(said)}{hint}"
        )

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
                found.append(
                    tuple(
                        self._read_like(piece, one)
                        for piece, one in zip(pieces, inner, strict=True)
                    )
                )
            else:
                found.append(self._read_like(part, inner))
        return tuple(found)


def _plain(text: str) -> str:
    return _JOINED.sub(" ", text)


def _meant(text: str, known: Mapping[str, T], *, begun: bool = True) -> T | None:
    """Return what a word stands for: itself, the same in another letter case, or the only one that it begins."""
    folded = text.casefold()
    alike = [key for key in known if key.casefold() == folded]
    starts = [key for key in known if key.casefold().startswith(folded)] if begun and text else []
    found = [text] if text in known else alike or starts
    return known[found[0]] if len(found) == 1 else None


def throw_words(name: str, dice: Iterable[tuple[str, Face, bool]]) -> str:
    """Return a throw: its name, then each die with its face, and whether the program rolled it (label, face, typed)."""
    return f"roll {name}: " + ", ".join(
        f"{label} {face}{'' if typed else ' (rolled)'}" for label, face, typed in dice
    )


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
