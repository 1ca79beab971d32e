"""Engagements on a page: the shipped ones by name, changed fact by fact, with the same validation as a file."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any, get_args

import attrs

from fireplan.analysis import DEFAULT, shipped_engagements
from fireplan.positions import facts, with_facts
from fireplan_core import Engagement
from fireplan_core.files import FileError, parse_toml
from fireplan_studio.addresses import BadAddressError, Fault, Parameters, near

ABSENT = "none"
"""The value of own troops where there are none."""


@attrs.frozen
class Field:
    """One field of the form: its key (``men``), how it is asked for, and what is known of it."""

    key: str
    kind: str
    help: str
    choices: tuple[str, ...] = ()


def _field(name: str, hint: Any, help_: str) -> Field:
    choices = ("true", "false") if hint is bool else get_args(hint)
    kind = "choice" if choices else {int: "whole", dt.date: "date"}.get(hint, "text")
    return Field(name, kind, help_, choices)


_OWN = {name: _field(name, hint, "") for name, hint in (("title", str), ("date", dt.date))}
_KNOWN = _OWN | {fact.name: _field(fact.name, fact.kind, fact.help) for fact in facts().values()}
FIELDS: tuple[Field, ...] = tuple(_KNOWN.values())
"""Title, date and every fact of an engagement, by the names that flags and Python have for them."""
_TROOPS, _MEN = "own_troops", "own_men"


@attrs.frozen
class EngagementChoice:
    """An engagement as an address asks for it: the shipped one's name, what was changed, and the result."""

    name: str
    changes: Mapping[str, str]
    engagement: Engagement
    facts: Mapping[str, Any] = attrs.field(factory=dict)
    """The changes as values, but for those of title and date, which flags, Python and position lines cannot say."""

    @property
    def parameters(self) -> dict[str, Any]:
        """Return its part of a canonical address."""
        name = "" if self.name == DEFAULT else self.name
        return {"engagement": name, **{f"e.{key}": text for key, text in self.changes.items()}}


def flat(engagement: Engagement) -> dict[str, str]:
    """Return each field of an engagement as the form writes it."""
    found: dict[str, str] = {}
    for key in _KNOWN:
        value: Any = engagement
        for step in (key,) if key in _OWN else facts()[key].keys:
            value = getattr(value, step) if value is not None else None
        if value is not None:
            found[key] = str(value).lower() if isinstance(value, bool) else str(value)
    return found if engagement.own_troops else {**found, _TROOPS: ABSENT}


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
        given = {
            field.key: error.typed(f"e.{field.key}", before.get(field.key, "")) for field in FIELDS
        }
        changed = sum(text != before.get(key, "") for key, text in given.items())
        return cls(name, error.typed("minutes", str(plain_one.minutes)), given, changed, error)

    def wrong(self, key: str) -> str:
        """Return what is wrong with a parameter; empty for nothing."""
        return self.error.message(key) if self.error else ""


def choose(parameters: Parameters) -> EngagementChoice:
    """Return the engagement that an address names.

    What is wrong with it is left with the parameters' faults.
    """
    shipped = shipped_engagements()
    name = parameters.choice("engagement", list(shipped), DEFAULT)
    engagement = parse_toml(shipped[name], what="engagement").read(Engagement)
    before, typed = flat(engagement), parameters.under("e.")
    faults = [
        Fault(f"e.{key}", "an engagement has no such field", near(key, _KNOWN))
        for key in typed
        if key not in _KNOWN
    ]
    changes = {
        key: text for key, text in typed.items() if key in _KNOWN and text != before.get(key, "")
    }
    if changes.get(_TROOPS, before[_TROOPS]) == ABSENT:
        changes.pop(_MEN, None)
    given = {key: known.read(text) for key, text in changes.items() if (known := facts().get(key))}
    if changes.get(_TROOPS) == ABSENT:
        given[_TROOPS] = None
    try:
        date = dt.date.fromisoformat(changes.get("date", str(engagement.date)))
        engagement = attrs.evolve(
            engagement, title=changes.get("title", engagement.title), date=date
        )
    except ValueError:
        faults.append(
            Fault("e.date", f"expected a date such as 1944-12-18, got {changes['date']!r}")
        )
    try:
        engagement = with_facts(engagement, given)
    except FileError as error:
        faults += [
            Fault(f"e.{fault.key}", fault.message, fault.suggestion) for fault in error.faults
        ]
    parameters.faults += faults
    return EngagementChoice(name, changes, engagement, given)
