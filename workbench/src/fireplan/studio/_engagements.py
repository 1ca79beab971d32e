"""Engagements on a page: the shipped ones by name, changed field by field, with the same validation as a file."""

from __future__ import annotations

import copy
import datetime as dt
import types
from collections.abc import Mapping
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import attrs

from fireplan.compare import DEFAULT, shipped_engagements
from fireplan.studio._addresses import Asked, BadAddressError, Fault, near
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
    span: tuple[int, int] | None = None


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
        elif hint is int:
            found.append(Field(key, "whole", about, span=field.metadata.get("range")))
        else:
            found.append(Field(key, "date" if hint is dt.date else "text", about))
    return found


FIELDS: tuple[Field, ...] = tuple(_fields(Engagement))
"""Every field of an engagement, in the order of the file."""


def _value(field: Field, text: str, fault: Any) -> Any:
    if field.kind == "whole":
        try:
            return int(text) if len(text) < 12 else fault(f"{text!r} is no whole number in reason")  # noqa: PLR2004
        except ValueError:
            return fault(f"expected a whole number, got {text!r}")
    if field.kind == "date":
        try:
            return dt.date.fromisoformat(text)
        except ValueError:
            return fault(f"expected a date such as 1944-12-18, got {text!r}")
    if field.choices == ("true", "false"):
        return {"true": True, "false": False}.get(text, text)
    return text


@attrs.frozen
class Chosen:
    """An engagement as an address asks for it: the shipped one's name, what was changed, and the result."""

    name: str
    changes: Mapping[str, str]
    engagement: Engagement

    @property
    def parameters(self) -> dict[str, Any]:
        """Its part of a canonical address."""
        name = "" if self.name == DEFAULT else self.name
        return {"engagement": name, **{f"e.{key}": text for key, text in self.changes.items()}}


def flat(engagement: Engagement) -> dict[str, str]:
    """Each field of an engagement as the form writes it."""
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
class Typed:
    """The engagement as the form shows it: what is asked for, or what was typed and what is wrong with that."""

    engagement: str
    minutes: str
    values: Mapping[str, str]
    changed: int
    error: BadAddressError | None = None

    @classmethod
    def of(cls, chosen: Chosen, minutes: int) -> Typed:
        """The form of an engagement that can be answered."""
        return cls(chosen.name, str(minutes), flat(chosen.engagement), len(chosen.changes))

    @classmethod
    def again(cls, error: BadAddressError) -> Typed:
        """The form as it was sent, with everything wrong in it."""
        shipped = shipped_engagements()
        name = error.kept("engagement", DEFAULT)
        name = name if name in shipped else DEFAULT
        plain_one = parse_toml(shipped[name], what="engagement").read(Engagement)
        before = flat(plain_one)
        given = {field.key: error.kept(f"e.{field.key}", before.get(field.key, "")) for field in FIELDS}
        changed = sum(text != before.get(key, "") for key, text in given.items())
        return cls(name, error.kept("minutes", str(plain_one.minutes)), given, changed, error)

    def wrong(self, key: str) -> str:
        """What is wrong with a parameter; empty for nothing."""
        return self.error.said(key) if self.error else ""


def choose(asked: Asked) -> Chosen | None:
    """The engagement that an address names; faults are left with ``asked``, and the answer is then None."""
    shipped = shipped_engagements()
    name = asked.choice("engagement", list(shipped), DEFAULT)
    document = parse_toml(shipped[name], what="engagement")
    plain_one = document.read(Engagement)
    before = flat(plain_one)
    content = copy.deepcopy(dict(document.content))
    given = asked.under("e.")
    known = {field.key: field for field in FIELDS}
    changes: dict[str, str] = {}
    faulty = False
    absent = {key for key, text in given.items() if key in known and known[key].kind == "table" and text == ABSENT}
    for key, text in given.items():
        field = known.get(key)

        def fault(message: str, suggestion: str = "", key: str = key) -> None:
            nonlocal faulty
            faulty = True
            asked.faults.append(Fault(f"e.{key}", message, suggestion))

        if field is None:
            fault("an engagement has no such field", near(key, known))
            continue
        if any(key.startswith(f"{table}.") for table in absent) or before.get(key, "") == text:
            continue
        changes[key] = text
        if field.kind == "table":
            content.pop(key, None)
            continue
        *tables, last = key.split(".")
        at = content
        for table in tables:
            at = at.setdefault(table, {})
        at[last] = _value(field, text, fault)
    if faulty:
        return None
    try:
        engagement = Document("form", "", content).read(Engagement) if changes else plain_one
    except FileError as error:
        asked.faults += [Fault(f"e.{fault.key}", fault.message, fault.suggestion) for fault in error.faults]
        return None
    return Chosen(name, changes, engagement)
