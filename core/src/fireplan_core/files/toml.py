"""Parsing TOML, finding the line of a key, and writing an object as TOML."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from fractions import Fraction
from typing import Any

import attrs
import tomli

from fireplan_core.files.faults import Fault, FileError, Keys, printable


def write_toml(form: attrs.AttrsInstance) -> str:
    """Return an object as TOML text, from which ``read_file`` can read it again.

    Default values are omitted.

    >>> from fireplan_core import OwnTroops
    >>> print(write_toml(OwnTroops(distance_m=200)))
    distance_m = 200
    """
    plain: dict[str, Any] = {}
    tables: list[tuple[str, Mapping[str, Any]]] = [("", plain)]
    for name, value in attrs.asdict(form, filter=_not_default).items():
        if isinstance(value, Mapping):
            tables.append((f"[{name}]", value))
        elif isinstance(value, tuple) and isinstance(value[0], Mapping):
            tables += ((f"[[{name}]]", entry) for entry in value)
        else:
            plain[name] = value
    blocks = (
        [heading, *(f"{key} = {toml_value(value)}" for key, value in table.items())]
        for heading, table in tables
    )
    return "\n\n".join(map("\n".join, blocks)).lstrip() + "\n"


def _not_default(field: attrs.Attribute[Any], value: Any) -> bool:
    factory = getattr(field.default, "factory", None)
    return value is not None and value != (factory() if factory else field.default)


def toml_value(value: Any) -> str:
    """Return a value as TOML writes it on one line: a text, number, date, list or inline table.

    >>> toml_value({"men": 40, "places": ["K5", "K6"]})
    '{ men = 40, places = ["K5", "K6"] }'
    """
    if isinstance(value, str | Fraction):
        return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(toml_value, value))}]"
    if isinstance(value, Mapping):
        pairs = ", ".join(f"{toml_key(key)} = {toml_value(held)}" for key, held in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    return value.isoformat() if isinstance(value, dt.date) else str(value).lower()


def toml_key(key: str) -> str:
    """Return a key as TOML writes it, in quotes if it needs them.

    >>> toml_key("men"), toml_key("machine guns")
    ('men', '"machine guns"')
    """
    return key if _BARE.fullmatch(key) else toml_value(key)


_MESSAGE = 255  # maximum number of characters printed from the parser's message
_SEARCHED = 5000  # maximum number of lines searched for the line of a fault
_LONGEST = 200  # maximum number of lines in one statement during that search
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_CLOSES = re.compile(r"[]}\"']")  # matches the last line of a multi-line statement

# Maps the beginning of a parser message to a suggestion.
_SYNTAX = {
    "Invalid value": 'put text in quotes ("prone"), but not numbers, dates, true or false (in lower case)',
    "Cannot ": "a key or [table] appears twice: keep one, or write each of several [[tables]] in double brackets",
    "Duplicate ": "a key appears twice: keep one",
    "Expected '=": 'write key = value, e.g. posture = "prone"',
    "Unterminated ": "close the quotes",
    "Illegal character": "close the quotes on the same line",
    "Unclosed ": "close the bracket",
    "Expected newline": "write one key = value per line, text in quotes, dates as 1944-12-18",
}


def parse(name: str, text: str) -> dict[str, Any]:
    """Return the tables in a TOML text; raises ``FileError`` with the first syntax error."""
    try:
        return tomli.loads(text)
    except tomli.TOMLDecodeError as error:
        hint = next(
            (hint for start, hint in _SYNTAX.items() if error.msg.startswith(start)),
            "write a [table], a key = value or a # comment on each line",
        )
        message = f"not TOML: {printable(error.msg, _MESSAGE)} (column {error.colno})"
        raise FileError((Fault(message, hint, line=error.lineno, file=name),)) from None
    except RecursionError:
        fault = Fault("nested too deeply", "nest tables two or three deep at most", file=name)
        raise FileError((fault,)) from None
    except ValueError:  # Python refuses integers with more than 4300 digits
        raise FileError(
            (Fault("a number with thousands of digits", "shorten it", file=name),)
        ) from None


@attrs.frozen
class Statement:
    """A header or a ``key = value`` of a TOML text.

    ``keys`` is the path of the table that a header opens, or that contains the statement.
    ``content`` is the statement parsed alone. Its lines are ``first`` to ``last``, counted from 1.
    """

    keys: Keys
    content: Mapping[str, Any]
    header: bool
    first: int
    last: int


def statements(text: str) -> Iterator[Statement]:
    r"""Yield the statements of a TOML text in order: its headers and its ``key = value`` pairs.

    Every TOML statement is valid TOML by itself, so lines are gathered until they parse. This
    handles dotted keys, inline tables and long strings without a second grammar. The search ends
    after ``_SEARCHED`` lines, or at a statement of more than ``_LONGEST`` lines.

    >>> [(statement.first, statement.header) for statement in statements("[target]\nmen = 40\n")]
    [(1, True), (2, False)]
    """
    last: dict[Keys, int] = {}  # the index of the latest entry for each [[header]]
    table: Keys = ()
    statement, first = "", 1
    for number, line in enumerate(text.split("\n")[:_SEARCHED], start=1):
        opening = not statement
        if opening:
            first = number
        statement += line + "\n"
        if number - first >= _LONGEST:
            break
        if not opening and not _CLOSES.search(line):
            continue
        try:
            content = tomli.loads(statement)
        except (ValueError, RecursionError):
            continue
        header = statement.lstrip().startswith("[")
        if header:
            table = _header(content, last)
        if content:
            yield Statement(table, content, header, first, number)
        statement = ""


def lines_of(text: str, keys_sought: AbstractSet[Keys]) -> dict[Keys, int]:
    """Return the line on which each of these keys first appears; keys not found are omitted."""
    lines: dict[Keys, int] = {}
    below = _below(keys_sought)
    for each in statements(text):
        table, content = each.keys, each.content
        if each.header:
            for n in range(1, len(table) + 1):
                lines.setdefault(table[:n], each.first)
            continue
        looked_for = [keys for key in content for keys in below.get((*table, key), ())]
        lines |= {
            k: each.first for k in looked_for if k not in lines and _holds(content, k[len(table) :])
        }
    return lines


def _below(keys_sought: AbstractSet[Keys]) -> dict[Keys, list[Keys]]:
    """Return, for each prefix of these keys, the list of keys at or below it."""
    below: dict[Keys, list[Keys]] = {}
    for keys in keys_sought:
        for n in range(1, len(keys) + 1):
            below.setdefault(keys[:n], []).append(keys)
    return below


def _header(content: Any, last: dict[Keys, int]) -> Keys:
    """Return the keys in a [header]; [[header]] starts the next entry of its list."""
    keys: Keys = ()
    while content:
        ((key, content),) = content.items()
        keys += (key,)
        if isinstance(content, list):
            last[keys] = last.get(keys, -1) + 1
            content = content[0]
        if keys in last:  # a header below a list refers to the list's latest entry
            keys += (last[keys],)
    return keys


def _holds(content: Any, keys: Keys) -> bool:
    for key in keys:
        try:
            content = content[key]
        except (LookupError, TypeError):  # TypeError: neither a table nor a list with such an entry
            return False
    return True
