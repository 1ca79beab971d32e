"""Changing one entry of a sheet in its text; every other line and comment stays as it is."""

from __future__ import annotations

import copy
from collections.abc import Collection, Iterator, Mapping
from typing import Any

import tomli

from fireplan.errors import InputError, unknown
from fireplan.sheets.json_schema import part_schema
from fireplan.sheets.tables import ReadyClasses, cited_names, kinds_of
from fireplan_core.files import (
    Document,
    FileError,
    Statement,
    dotted_keys,
    statements,
    toml_key,
    toml_value,
)

Keys = tuple[str | int, ...]
"""The path to an entry: the keys of tables and the numbers of list entries."""
BLANK = """sheet = 1
key = "my_game"
title = "My game"

[map]
kind = "hexes"
metres = 100

[[rule]]
id = "1"
summary = "Write your rules here, one table for each."

[[scenario]]
name = "first"
title = "First try"
moments = 10
target = "J8"

[[scenario.unit]]
id = "target"
place = "J8"
"""
"""A sheet with the entries that every sheet must have, and no procedure."""


def edited(text: str, keys: Keys, value: Any) -> str:
    """Return the text of a sheet with an entry set to a value; None removes the entry.

    ``value`` is a value that TOML can hold, or a table or list of such values, written on one line.
    A missing table for the entry is added at the end. Raises ``FileError`` for a text that is not
    TOML, and ``InputError`` if the entry is written in a way that cannot be changed.
    """
    expected = _with(_content(text), keys, value)
    *above, key = keys
    table, lines, found = tuple(above), text.split("\n"), list(statements(text))
    for inline in (keys[:n] for n in range(len(keys) - 1, 0, -1)):
        if any(not one.header and _holds(one, inline) for one in found):
            return edited(text, inline, _at(expected, inline))
    own = [one for one in found if one.keys == table]
    place = next((one for one in own if not one.header and _holds(one, keys)), None)
    line = f"{toml_key(str(key))} = {toml_value(value)}"
    if place is not None:
        comment = _comment(lines[place.first - 1]) if place.first == place.last else ""
        lines[place.first - 1 : place.last] = [] if value is None else [line + comment]
    elif value is not None and own:
        lines.insert(own[-1].last, line)
    elif value is not None and not table:
        lines.insert(_after_remarks(lines), line)
    elif value is not None:
        lines = [*"\n".join(lines).rstrip().split("\n"), "", _header(table), line, ""]
    changed = "\n".join(lines)
    return _checked(changed, expected, keys)


def without(text: str, keys: Keys) -> str:
    """Return the text of a sheet without a table, or without one entry of a list of tables.

    Nested tables, such as the units of a scenario, are removed as well. Raises ``InputError`` as
    ``edited`` does.
    """
    lines, gone = text.split("\n"), set[int]()
    found = list(statements(text))
    for one in found:
        if one.keys[: len(keys)] == keys:
            gone |= {*range(one.first, one.last + 1)}
    kept = [line for number, line in enumerate(lines, start=1) if number not in gone]
    return _checked("\n".join(kept), _with(_content(text), keys, None), keys)


def with_parts(text: str, word: str, names: Collection[str]) -> str:
    """Return the text of a sheet in which a part is made of the ready parts ``names``.

    Figures that these do not have are removed. Missing figures are left to the designer to fill in;
    a missing rule number becomes the first that the part cited. Without names, only the choice of
    ready parts is removed. Raises ``InputError`` for an unknown name, and as ``edited`` does.
    """
    known = kinds_of(word)
    for name in names:
        if name not in known:
            raise unknown(f"ready part for {word}", name, known)
    kinds = tuple(known[name] for name in names)
    if not kinds:
        return edited(text, (word, "kind"), None)
    text = edited(text, (word, "kind"), ", ".join(names))
    declared = part_schema(kinds)
    table = _content(text)[word]
    for key in [key for key in table if key not in declared["properties"]]:
        text = edited(text, (word, key), None)
    return edited(text, (word, "rules"), _cited(text, word, kinds))


def _cited(text: str, word: str, kinds: ReadyClasses) -> Mapping[str, str] | None:
    """Map each rule name that a part made of these classes cites to a rule number.

    A needed rule without a number gets the number of the part's first rule. Returns None if the
    part cites no rules.
    """
    content = _content(text)
    cited = content[word].get("rules")
    rules = dict(cited) if isinstance(cited, Mapping) else {}
    listed = content.get("rule")
    first = listed[0] if isinstance(listed, list) and listed else {}
    usual = next(iter(rules.values()), first.get("id", "1") if isinstance(first, Mapping) else "1")
    needs, may = cited_names(kinds)
    figures = part_schema(kinds)["properties"]
    kept = {name: rule for name, rule in rules.items() if name in (*needs, *may, *figures)}
    return {**kept, **{name: usual for name in needs if name not in kept}} or None


def _content(text: str) -> dict[str, Any]:
    return dict(Document.of("sheet", text).content)


def _holds(statement: Statement, keys: Keys) -> bool:
    return statement.keys == keys[:-1] and keys[-1] in statement.content


def _at(content: Any, keys: Keys) -> Any:
    for key in keys:
        content = content[key]
    return content


def _with(content: dict[str, Any], keys: Keys, value: Any) -> dict[str, Any]:
    """Return the tables of a sheet with an entry set to a value, or removed for None.

    Raises ``InputError`` if the entry cannot be set.
    """
    whole = copy.deepcopy(content)
    *above, last = keys
    holder: Any = whole
    try:
        for key, following in zip(above, keys[1:], strict=True):
            if isinstance(holder, list):
                holder += [{}] * (key == len(holder))
                holder = holder[int(key)]
            else:
                holder = holder.setdefault(key, [] if isinstance(following, int) else {})
        if value is None:
            holder.pop(last)
        else:
            holder[last] = value
    except (LookupError, TypeError, AttributeError):
        if value is not None:
            raise _cannot(keys) from None
    expected: dict[str, Any] = _plain(whole)
    return expected


def _plain(value: Any) -> Any:
    """Return a value as the parser would read it, without the empty lists and tables in a table."""
    if isinstance(value, Mapping):
        held = {key: _plain(each) for key, each in value.items()}
        return {key: each for key, each in held.items() if each not in ([], {})}
    return [_plain(each) for each in value] if isinstance(value, tuple | list) else value


def _checked(text: str, expected: Mapping[str, Any], keys: Keys) -> str:
    """Return a changed text; raise ``InputError`` unless it has the intended content."""
    try:
        content = _plain(_content(text))
    except FileError:
        content = None
    if content != expected:
        raise _cannot(keys)
    return text


def _cannot(keys: Keys) -> InputError:
    return InputError(
        f"{dotted_keys(keys)}: the form cannot change how this is written. Change it in the text of the"
        " sheet, or write its table with a [header] of its own."
    )


def _header(table: Keys) -> str:
    named = ".".join(toml_key(key) for key in table if isinstance(key, str))
    return f"[[{named}]]" if isinstance(table[-1], int) else f"[{named}]"


def _after_remarks(lines: list[str]) -> int:
    """Return the number of comment lines with which a text begins."""
    return next((n for n, line in enumerate(lines) if not line.startswith("#")), len(lines))


def _comment(line: str) -> str:
    """Return the comment at the end of a statement's line with the space before it, or ""."""
    whole = tomli.loads(line)
    for place in _marks(line):
        try:
            if tomli.loads(line[:place]) == whole:
                before = line[:place].rstrip()
                return line[len(before) :]
        except tomli.TOMLDecodeError:
            continue
    return ""


def _marks(line: str) -> Iterator[int]:
    return (place for place, character in enumerate(line) if character == "#")
