"""Facts of an engagement by short names (``guns=24``, ``own_troops=100``), to lay over a shipped one or one's own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, get_args, get_type_hints

import attrs

from fireplan_core import Engagement
from fireplan_core.files import Document, Fault, FileError, near, plain

LISTED = 24
"""Names that are told of all there are."""
UNITS = ("_mm", "_m")
"""Endings that a short name leaves out."""


@attrs.frozen
class Fact:
    """A fact of an engagement: its short name, its keys in a file, its kind, and its meaning."""

    name: str
    keys: tuple[str, ...]
    kind: Any
    help: str

    def read(self, text: str) -> Any:
        """Return what was typed for it as a file would hold it; whatever it cannot be stays text, and is refused."""
        if self.kind is bool:
            return {"true": True, "yes": True, "false": False, "no": False}.get(text.casefold(), text)
        return int(text) if self.kind is int and text.isascii() and text.removeprefix("-").isdigit() else text


@cache
def facts() -> Mapping[str, Fact]:
    """Return every fact by its short name: that of its field without the unit, or the one that the field declares."""
    found = [
        Fact(_short(field), keys, kind, field.metadata["help"])
        for keys, field, kind in _leaves(Engagement)
        if keys not in {("title",), ("summary",), ("date",)}
    ]
    return {fact.name: fact for fact in found}


def _short(field: attrs.Attribute[Any]) -> str:
    name: str = field.metadata.get("short", field.name)
    return next((name.removesuffix(unit) for unit in UNITS if name.endswith(unit)), name)


def _leaves(kind: type, keys: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], attrs.Attribute[Any], Any]]:
    found: list[tuple[tuple[str, ...], attrs.Attribute[Any], Any]] = []
    hints = get_type_hints(kind)
    for field in attrs.fields(kind):
        inner = next((one for one in (hints[field.name], *get_args(hints[field.name])) if attrs.has(one)), None)
        here = (*keys, field.name)
        found += _leaves(inner, here) if inner is not None else [(here, field, hints[field.name])]
    return found


def with_facts(engagement: Engagement, given: Mapping[str, Any]) -> Engagement:
    """Return an engagement with facts changed; ``own_troops=None`` takes the firer's own troops away.

    Raises ``FileError`` with every unknown name and every value that cannot stand, by their short names.
    """
    known = facts()
    wrong = (unknown(name, "fact of an engagement", name, known) for name in given if name not in known)
    faults = [Fault("", key, None, what, hint) for key, what, hint in wrong]
    content = attrs.asdict(engagement, filter=lambda _field, value: value is not None)
    for name, value in given.items():
        if name not in known:
            continue
        *tables, last = known[name].keys
        if value is None and "own_troops" in tables:
            content.pop("own_troops", None)
            continue
        table = content
        for key in tables:
            table = table.setdefault(key, {})
        table[last] = value
    try:
        changed = Document("", "", content).read(Engagement)
    except FileError as error:
        names = {".".join(fact.keys): name for name, fact in known.items()}
        faults += [attrs.evolve(fault, key=names.get(fault.key, fault.key), line=None) for fault in error.faults]
    if faults:
        raise FileError(tuple(faults))
    return changed


def unknown(key: str, what: str, name: str, known: Iterable[str]) -> tuple[str, str, str]:
    """Return the fault of a name that there is not: where, what is wrong, and the nearest one or what there is."""
    names = list(dict.fromkeys(known))
    meant = near(name, names)
    listed = ", ".join(names[:LISTED]) or "none"
    return key, f"there is no {what} {plain(name)!r}", f"did you mean {meant}?" if meant else f"there are {listed}"
