"""Engagements in a form: a shipped one by name, with changed facts validated as in a file."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any, get_args

import attrs

from fireplan.analysis import DEFAULT, shipped_engagements
from fireplan.positions import facts, with_facts
from fireplan_core import Engagement
from fireplan_core.files import Fault, FileError, parse_toml
from fireplan_studio.addresses import Parameters, unknown_name
from fireplan_studio.refusals import RequestRefusedError

ABSENT = "none"
"""The value of the field ``own_troops`` in an engagement without own troops."""


@attrs.frozen
class EngagementField:
    """A field of the form: its key (e.g. ``men``), kind of input, help, and any choices."""

    key: str
    kind: str
    help: str
    choices: tuple[str, ...] = ()


def _field(name: str, hint: Any, help_: str) -> EngagementField:
    choices = ("true", "false") if hint is bool else get_args(hint)
    kind = "choice" if choices else {int: "whole", dt.date: "date"}.get(hint, "text")
    return EngagementField(name, kind, help_, choices)


_OWN = {name: _field(name, hint, "") for name, hint in (("title", str), ("date", dt.date))}
_KNOWN = _OWN | {fact.name: _field(fact.name, fact.kind, fact.help) for fact in facts().values()}
FIELDS: tuple[EngagementField, ...] = tuple(_KNOWN.values())
"""Title, date and every fact of an engagement, with the names used by options and Python."""
_TROOPS, _MEN = "own_troops", "own_men"


@attrs.frozen
class EngagementChoice:
    """The engagement in a URL: a shipped engagement, the changes to it, and the result."""

    name: str
    changes: Mapping[str, str]
    engagement: Engagement
    facts: Mapping[str, Any] = attrs.field(factory=dict)
    """The changed facts as values. Title and date are left out: position lines cannot set them."""

    @property
    def parameters(self) -> dict[str, Any]:
        """Return the parameters of the engagement in a canonical URL."""
        name = "" if self.name == DEFAULT else self.name
        return {"engagement": name, **{f"e.{key}": text for key, text in self.changes.items()}}


_SAID = {
    "date": "the date {}",
    "men": "{} men",
    "frontage": "a frontage of {} m",
    "depth": "a depth of {} m",
    "observer": "observer {}",
    "observer_distance": "the observer at {} m",
    "calibre": "{} mm guns",
    "guns": "{} guns",
    "range": "the guns at {} m",
    "own_troops": "own troops at {} m",
    "own_men": "{} own men",
    "commands": "{} other commands",
}
"""The phrase for a changed fact; other facts are named as in the form."""


def changes_in_words(choice: EngagementChoice) -> list[str]:
    """Return a phrase for each changed fact, such as "24 guns"."""
    said = []
    for name, text in choice.changes.items():
        value = text.replace("_", " ")
        if name == _TROOPS and text == ABSENT:
            said.append("no own troops")
        elif name != "title":
            said.append(_SAID.get(name, f"{name.replace('_', ' ')} {{}}").format(value))
    return said


def flat(engagement: Engagement) -> dict[str, str]:
    """Return the text of each field of an engagement in the form, by field."""
    fields: dict[str, str] = {}
    for key in _KNOWN:
        value: Any = engagement
        for step in (key,) if key in _OWN else facts()[key].keys:
            value = getattr(value, step) if value is not None else None
        if value is not None:
            fields[key] = str(value).lower() if isinstance(value, bool) else str(value)
    return fields if engagement.own_troops else {**fields, _TROOPS: ABSENT}


@attrs.frozen
class EngagementForm:
    """The form of an engagement: its values as read, or as typed together with their faults."""

    engagement: str
    minutes: str
    values: Mapping[str, str]
    changed: int
    error: RequestRefusedError | None = None

    @classmethod
    def of(cls, chosen: EngagementChoice, minutes: int) -> EngagementForm:
        """Return the form of a valid engagement."""
        return cls(chosen.name, str(minutes), flat(chosen.engagement), len(chosen.changes))

    @classmethod
    def again(cls, error: RequestRefusedError) -> EngagementForm:
        """Return the form with the values as sent, and their faults."""
        shipped = shipped_engagements()
        name = error.typed("engagement", DEFAULT)
        name = name if name in shipped else DEFAULT
        printed = parse_toml(shipped[name], what="engagement").read(Engagement)
        before = flat(printed)
        values = {
            field.key: error.typed(f"e.{field.key}", before.get(field.key, "")) for field in FIELDS
        }
        changed = sum(text != before.get(key, "") for key, text in values.items())
        return cls(name, error.typed("minutes", str(printed.minutes)), values, changed, error)

    def wrong(self, key: str) -> str:
        """Return the faults of a parameter as one message, or "" without faults."""
        return self.error.message(key) if self.error else ""


def choose(parameters: Parameters) -> EngagementChoice:
    """Return the engagement that a URL describes; record its faults in the parameters."""
    shipped = shipped_engagements()
    name = parameters.choice("engagement", list(shipped), DEFAULT)
    engagement = parse_toml(shipped[name], what="engagement").read(Engagement)
    before, typed = flat(engagement), parameters.under("e.")
    faults = [
        unknown_name("fact of an engagement", key, _KNOWN, f"e.{key}")
        for key in typed
        if key not in _KNOWN
    ]
    changes = {
        key: text for key, text in typed.items() if key in _KNOWN and text != before.get(key, "")
    }
    if changes.get(_TROOPS, before[_TROOPS]) == ABSENT:
        changes.pop(_MEN, None)
    values = {key: fact.read(text) for key, text in changes.items() if (fact := facts().get(key))}
    if changes.get(_TROOPS) == ABSENT:
        values[_TROOPS] = None
    try:
        date = dt.date.fromisoformat(changes.get("date", str(engagement.date)))
        engagement = attrs.evolve(
            engagement, title=changes.get("title", engagement.title), date=date
        )
    except ValueError:
        faults.append(
            Fault(f"expected a date such as 1944-12-18, got {changes['date']!r}", key="e.date")
        )
    try:
        engagement = with_facts(engagement, values)
    except FileError as error:
        faults += [
            Fault(fault.message, fault.suggestion, key=f"e.{fault.key}") for fault in error.faults
        ]
    parameters.faults += faults
    return EngagementChoice(name, changes, engagement, values)
