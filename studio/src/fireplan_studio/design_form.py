"""The form of a sheet: a card of fields for each table, and the changes that are made with it.

Every form is made from the text of the sheet and from the schema of sheets; a change replaces one
entry of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

import attrs

from fireplan import sheets
from fireplan.errors import InputError, quoted
from fireplan_core.files import Document, Fault, dotted_keys, keys_of
from fireplan_core.play import CONTRACTS
from fireplan_studio.addresses import Parameters

SHEET = "sheet"
"""The name of a sheet in faults, and of the part after # in a link that holds a sheet."""
LISTS = ("rule", "modifier", "option")
"""The tables of a sheet that are lists."""
NAMED = ("table", "deck")
"""The tables of a sheet that have names."""
_WHOLE = re.compile(r"[+-]?[0-9]{1,15}")
_LONG = 50
"""A text with more characters is shown in a field of several lines."""


@attrs.frozen
class SheetField:
    """A field for one entry of a sheet: its key, its schema, the text typed, and its faults."""

    key: str
    schema: Mapping[str, Any]
    typed: str
    required: bool
    faults: tuple[Fault, ...]

    @property
    def kind(self) -> str:
        """Return the control: "choice", "number", "lines", "long" or "text"."""
        kind = self.schema.get("type")
        if "enum" in self.schema or kind == "boolean":
            return "choice"
        if kind in ("object", "array"):
            return "lines"
        if kind == "integer" and (not self.typed or _WHOLE.fullmatch(self.typed)):
            return "number"
        return "long" if len(self.typed) > _LONG or "\n" in self.typed else "text"

    @property
    def choices(self) -> list[str]:
        """Return the choices, and the typed text even if it is not one of them."""
        known = [str(each) for each in self.schema.get("enum", ("true", "false"))]
        return [*known, *([self.typed] if self.typed and self.typed not in known else [])]

    @property
    def label(self) -> str:
        """Return the name of the entry in words."""
        name = keys_of(self.key)[-1]
        return str(name).replace("_", " ").capitalize()

    @property
    def help(self) -> str:
        """Return the description of the entry, or "" if it only repeats the name."""
        meaning: str = self.schema.get("description", "")
        return "" if meaning.lower() == self.label.lower() else meaning

    @property
    def example(self) -> str:
        """Return the entry's default value as text, or an example if it has none."""
        usual = str(self.schema.get("default", ""))
        examples = [typed(each) for each in self.schema.get("examples", ())]
        return usual or next((f"such as {each}" for each in examples), "")


@attrs.frozen
class SheetCard:
    """A table of a sheet as a group of fields; ``parts`` names the ready parts that it combines.

    ``known`` lists the ready parts that exist, and ``cited`` has a field for each rule that the
    combined parts may cite.
    """

    key: str
    title: str
    fields: tuple[SheetField, ...]
    faults: tuple[Fault, ...] = ()
    parts: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    cited: tuple[SheetField, ...] = ()
    removable: bool = False

    @property
    def wrong(self) -> bool:
        """Return whether anything on the card is wrong."""
        return bool(self.faults or any(f.faults for f in (*self.fields, *self.cited)))


def typed(value: Any) -> str:
    """Return a value of a sheet as a user types it in a field.

    A list has a line for each entry, a table a line ``key = value``.
    """
    if isinstance(value, Mapping):
        return "\n".join(f"{key} = {typed(each)}" for key, each in value.items())
    if isinstance(value, list | tuple):
        return "\n".join(map(typed, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def untyped(text: str, schema: Mapping[str, Any]) -> Any:
    """Return the value that a field's text represents, or None if the field is empty.

    A text that does not fit the schema is returned unchanged; reading the sheet reports the fault.
    """
    text, kind = text.strip(), schema.get("type")
    kinds = kind if isinstance(kind, list) else [kind]
    if not text:
        return None
    if kind == "object":
        held = schema.get("additionalProperties") or {}
        pairs = (line.partition("=") for line in text.split("\n") if line.strip())
        values = {key.strip(): untyped(value, held) for key, _, value in pairs}
        return {key: "" if value is None else value for key, value in values.items()}
    if kind == "array":
        return [each.strip() for each in text.split("\n") if each.strip()]
    if text in ("true", "false") and "boolean" in kinds:
        return text == "true"
    return int(text) if "integer" in kinds and _WHOLE.fullmatch(text) else text


@cache
def _properties() -> Mapping[str, Any]:
    """Return the schema of each entry at the top of a sheet, by its key."""
    properties: Mapping[str, Any] = sheets.schema()["properties"]
    return properties


class SheetForm:
    """The cards of a sheet: one for each of the five parts, and further cards for other tables."""

    def __init__(self, text: str, faults: Iterable[Fault]) -> None:
        self._faults = tuple(faults)
        self._schema = _properties()
        self.content: Mapping[str, Any] = Document.of(SHEET, text).content
        self.parts = tuple(self._part(word) for word in CONTRACTS)
        self.rest: dict[str, list[SheetCard]] = {}
        """The other cards, by the title of their group."""
        for group, card in self._rest():
            self.rest.setdefault(group, []).append(card)

    def entry(self, key: str) -> tuple[Mapping[str, Any], str] | None:
        """Return the schema of an entry and the text in its field, or None if it has no field."""
        cards = (*self.parts, *(card for cards in self.rest.values() for card in cards))
        fields = (field for card in cards for field in (*card.fields, *card.cited))
        return next(((each.schema, each.typed) for each in fields if each.key == key), None)

    def _under(self, key: str) -> tuple[Fault, ...]:
        """Return the faults of an entry and of everything below it."""
        return tuple(
            fault
            for fault in self._faults
            if fault.key == key or fault.key.startswith((f"{key}.", f"{key}["))
        )

    def _fields(
        self, table: Any, declared: Mapping[str, Any], above: tuple[str | int, ...]
    ) -> Iterator[SheetField]:
        held = table if isinstance(table, Mapping) else {}
        required = declared.get("required", ())
        names = sorted(declared["properties"], key=lambda name: name not in required)
        for name in names:
            schema = declared["properties"][name]
            if _has_field(schema):
                key, value = dotted_keys((*above, name)), held.get(name, "")
                yield SheetField(key, schema, typed(value), name in required, self._under(key))

    def _part(self, word: str) -> SheetCard:
        known, table = sheets.kinds_of(word), self.content.get(word)
        kind = table.get("kind") if isinstance(table, Mapping) else None
        names = [name.strip() for name in kind.split(",")] if isinstance(kind, str) else []
        kinds = tuple(known[name] for name in names if name in known)
        fields: list[SheetField] = []
        cited: list[SheetField] = []
        if kinds:
            declared = sheets.part_schema(kinds)
            fields = [
                each
                for each in self._fields(table, declared, (word,))
                if each.key not in (f"{word}.kind", f"{word}.rules")
            ]
            rules = table.get("rules") if isinstance(table, Mapping) else {}
            cited = [*self._fields(rules, declared["properties"]["rules"], (word, "rules"))]
        shown = {fault for field in (*fields, *cited) for fault in field.faults}
        faults = tuple(fault for fault in self._under(word) if fault not in shown)
        return SheetCard(
            word,
            word.capitalize(),
            tuple(fields),
            faults,
            tuple(dict.fromkeys(names)),
            tuple(known),
            tuple(cited),
        )

    def _rest(self) -> Iterator[tuple[str, SheetCard]]:
        """Yield (title of the group, card) for everything in the sheet except the five parts."""
        top = {
            name: schema
            for name, schema in self._schema.items()
            if name != SHEET and _has_field(schema)
        }
        yield (
            "Game",
            SheetCard("", "The game", (*self._fields(self.content, {"properties": top}, ()),)),
        )
        yield "Map", self._card(("map",), "Map", self.content.get("map"), self._schema["map"])
        for name in LISTS:
            entries = self.content.get(name)
            for number, table in enumerate(entries if isinstance(entries, list) else ()):
                held = table if isinstance(table, Mapping) else {}
                named = held.get("id") or held.get("name") or held.get("summary") or number + 1
                title, schema = f"{name.capitalize()} {named}", self._schema[name]["items"]
                yield f"{name.capitalize()}s", self._card((name, number), title, table, schema)
        for name in NAMED:
            tables = self.content.get(name)
            for key, table in tables.items() if isinstance(tables, Mapping) else ():
                title = f"{name.capitalize()} {key}"
                schema = self._schema[name]["additionalProperties"]
                yield f"{name.capitalize()}s", self._card((name, key), title, table, schema)

    def _card(
        self, keys: tuple[str | int, ...], title: str, table: Any, schema: Mapping[str, Any]
    ) -> SheetCard:
        fields = tuple(self._fields(table, schema, keys))
        shown = {fault for field in fields for fault in field.faults}
        own = tuple(fault for fault in self._under(dotted_keys(keys)) if fault not in shown)
        return SheetCard(dotted_keys(keys), title, fields, own, removable=len(keys) > 1)


def _has_field(schema: Mapping[str, Any]) -> bool:
    """Return whether a field can hold an entry: a value, a list of texts, or a table of values."""
    kind = schema.get("type", "string" if "enum" in schema else None)
    if kind == "object":
        held = schema.get("additionalProperties")
        return isinstance(held, Mapping) and held.get("type") not in ("object", "array")
    return kind is not None and schema.get("items", {}).get("type") != "object"


def changed(text: str, parameters: Parameters) -> str:
    """Return the text of a sheet with the changes of a form.

    ``f.KEY`` sets an entry, ``part.WORD`` names the ready parts of a part, ``add`` adds a table and
    ``remove`` removes one. Raises ``FileError`` for a text that is not TOML, and ``InputError``
    listing every change that cannot be made.
    """
    wrong: list[str] = []
    for word in CONTRACTS:
        if f"part.{word}" in parameters.values:
            names = parameters.lines(f"part.{word}")
            if list(names) != [*next(c for c in SheetForm(text, ()).parts if c.key == word).parts]:
                text = _tried(wrong, text, sheets.with_parts, word, names)
    fields = parameters.under("f.")
    form = SheetForm(text, ())
    for key, value in fields.items():
        entry = form.entry(key)
        if entry is None:
            continue  # the entry was in a part that has just been replaced
        schema, before = entry
        if value.replace("\r\n", "\n").strip() != before.strip():
            new = untyped(value.replace("\r\n", "\n"), schema)
            text = _tried(wrong, text, sheets.edited, keys_of(key), new)
    if added := parameters.choice("add", ("", *LISTS, *NAMED), ""):
        text = _with_another(wrong, text, added)
    if removed := parameters.text("remove", ""):
        keys = keys_of(removed)
        if not keys:
            wrong.append(f"There is no table {quoted(removed)} to remove")
        text = _tried(wrong, text, sheets.without, keys) if keys else text
    if wrong:
        raise InputError("\n".join(wrong))
    return text


def _with_another(wrong: list[str], text: str, added: str) -> str:
    """Return a sheet's text with one more table of a kind; append any fault to ``wrong``.

    ``added`` is the kind, e.g. ``rule`` or ``deck``. A table of a kind in ``NAMED`` gets an unused
    name.
    """
    held = SheetForm(text, ()).content.get(added, ())
    if not isinstance(held, list | tuple | Mapping):
        wrong.append(f"{added}: expected tables, so none can be added: correct it in the text")
        return text
    if added in LISTS:
        first = "id" if added == "rule" else "roll" if added == "modifier" else "name"
        return _tried(wrong, text, sheets.edited, (added, len(held), first), "")
    name = next(f"{added}{n}" for n in range(1, 1000) if f"{added}{n}" not in held)
    entry_name = "rows" if added == "table" else "cards"
    return _tried(wrong, text, sheets.edited, (added, name, entry_name), {})


def _tried(wrong: list[str], text: str, change: Any, *arguments: Any) -> str:
    try:
        new: str = change(text, *arguments)
    except InputError as error:
        wrong += error.faults
        return text
    return new
