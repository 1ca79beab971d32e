"""Engagements on a page: the shipped ones by name, changed field by field, with the same validation as a file."""

from __future__ import annotations

import copy
import datetime as dt
import types
from collections.abc import Mapping
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import attrs

from fireplan.comparison import DEFAULT, shipped_engagements
from fireplan.studio._addresses import BadAddressError, Fault, Parameters, near
from fireplan_core import Engagement
from fireplan_core.files import Document, FileError, parse_toml

ABSENT = "none"
"""The value of a whole table that is left out."""


@attrs.frozen
class Field:
    """One field of the form: its key (``target.men``), how it is asked for, and what is known of it."""

    key: str
    kind: str
    help: str
    choices: tuple[str, ...] = ()


def _fields(kind: type, before: str = "") -> list[Field]:
    hints = get_type_hints(kind)
    found: list[Field] = []
    for field in attrs.fields(kind):
        hint, key = hints[field.name], f"{before}{field.name}"
        about = field.metadata.get("help", "")
        if get_origin(hint) in (Union, types.UnionType):
            hint = next(each for each in get_args(hint) if each is not type(None))
            found.append(Field(key, "table", about))
        if attrs.has(hint):
            found += _fields(hint, f"{key}.")
        elif get_origin(hint) is Literal:
            found.append(Field(key, "choice", about, tuple(get_args(hint))))
        elif hint is bool:
            found.append(Field(key, "choice", about, ("true", "false")))
        else:
            found.append(Field(key, {int: "whole", dt.date: "date"}.get(hint, "text"), about))
    return found


FIELDS: tuple[Field, ...] = tuple(_fields(Engagement))
"""Every field of an engagement, in the order of the file."""
_KNOWN = {field.key: field for field in FIELDS}
_TABLES = frozenset(key for key, field in _KNOWN.items() if field.kind == "table")
_LONGEST = 12


def _value(field: Field, text: str) -> Any:
    """Return the value that was typed for a field. Raises ValueError for what it cannot be."""
    if field.kind == "whole":
        if len(text) > _LONGEST or not text.removeprefix("-").isdecimal():
            raise ValueError(f"expected a whole number, got {text!r}")
        return int(text)
    if field.kind == "date":
        try:
            return dt.date.fromisoformat(text)
        except ValueError:
            raise ValueError(f"expected a date such as 1944-12-18, got {text!r}") from None
    return {"true": True, "false": False}.get(text, text) if field.choices == ("true", "false") else text


@attrs.frozen
class EngagementChoice:
    """An engagement as an address asks for it: the shipped one's name, what was changed, and the result."""

    name: str
    changes: Mapping[str, str]
    engagement: Engagement

    @property
    def parameters(self) -> dict[str, Any]:
        """Return its part of a canonical address."""
        name = "" if self.name == DEFAULT else self.name
        return {"engagement": name, **{f"e.{key}": text for key, text in self.changes.items()}}


def flat(engagement: Engagement) -> dict[str, str]:
    """Return each field of an engagement as the form writes it."""
    found: dict[str, str] = {}
    for field in FIELDS:
        value: Any = engagement
        for step in field.key.split("."):
            value = getattr(value, step) if value is not None else None
        if field.kind == "table":
            found[field.key] = ABSENT if value is None else ""
        elif value is not None:
            found[field.key] = str(value).lower() if isinstance(value, bool) else str(value)
    return found


@attrs.frozen
class EngagementForm:
    """The engagement as the form shows it: what is asked for, or what was typed and what is wrong with that."""

    engagement: str
    minutes: str
    values: Mapping[str, str]
    changed: int
    error: BadAddressError | None = None

    @classmethod
    def of(cls, chosen: EngagementChoice, minutes: int) -> EngagementForm:
        """Return the form of an engagement that can be answered."""
        return cls(chosen.name, str(minutes), flat(chosen.engagement), len(chosen.changes))

    @classmethod
    def again(cls, error: BadAddressError) -> EngagementForm:
        """Return the form as it was sent, with everything wrong in it."""
        shipped = shipped_engagements()
        name = error.typed("engagement", DEFAULT)
        name = name if name in shipped else DEFAULT
        plain_one = parse_toml(shipped[name], what="engagement").read(Engagement)
        before = flat(plain_one)
        given = {field.key: error.typed(f"e.{field.key}", before.get(field.key, "")) for field in FIELDS}
        changed = sum(text != before.get(key, "") for key, text in given.items())
        return cls(name, error.typed("minutes", str(plain_one.minutes)), given, changed, error)

    def wrong(self, key: str) -> str:
        """Return what is wrong with a parameter; empty for nothing."""
        return self.error.message(key) if self.error else ""


def choose(parameters: Parameters) -> EngagementChoice:
    """Return the engagement that an address names; what is wrong with it is left with the parameters' faults."""
    shipped = shipped_engagements()
    name = parameters.choice("engagement", list(shipped), DEFAULT)
    document = parse_toml(shipped[name], what="engagement")
    printed = document.read(Engagement)
    before = flat(printed)
    typed = parameters.under("e.")
    faults = [
        Fault(f"e.{key}", "an engagement has no such field", near(key, _KNOWN)) for key in typed if key not in _KNOWN
    ]
    absent = tuple(f"{key}." for key, text in typed.items() if text == ABSENT and key in _TABLES)
    changes = {
        key: text
        for key, text in typed.items()
        if key in _KNOWN and text != before.get(key, "") and not key.startswith(absent)
    }
    content = copy.deepcopy(dict(document.content))
    for key, text in changes.items():
        *tables, last = key.split(".")
        at = content
        for table in tables:
            at = at.setdefault(table, {})
        try:
            at[last] = _value(_KNOWN[key], text)
        except ValueError as error:
            faults.append(Fault(f"e.{key}", str(error)))
        if key in _TABLES:
            del content[key]
    engagement = printed
    if changes and not faults:
        try:
            engagement = Document("form", "", content).read(Engagement)
        except FileError as error:
            faults = [Fault(f"e.{fault.key}", fault.message, fault.suggestion) for fault in error.faults]
    parameters.faults += faults
    return EngagementChoice(name, changes, engagement)
