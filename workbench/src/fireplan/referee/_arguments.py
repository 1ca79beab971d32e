"""Arguments of tools: what may be said, as a JSON schema, and everything that is wrong with what was said."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from fireplan.api import refuse, unknown

LONGEST, ENTRIES = 4_000, 40
"""Characters of a text, and entries of a mapping, that are read at most."""
PLAIN = {"type": ["string", "integer", "boolean"]}
KINDS: Mapping[str, tuple[tuple[type, ...], Mapping[str, Any]]] = {
    "str": ((str,), {"type": "string", "maxLength": LONGEST}),
    "int": ((int,), {"type": "integer"}),
    "None": ((), {}),
    "Said": ((dict,), {"type": "object", "additionalProperties": PLAIN, "maxProperties": ENTRIES}),
}
WORDS = {str: "a text", int: "a whole number", dict: "an object of names with plain values"}


def schema(tool: Callable[..., Any]) -> dict[str, Any]:
    """Return the JSON schema of a tool's arguments."""
    parameters = inspect.signature(tool).parameters.values()
    properties = {}
    for one in parameters:
        among = [KINDS[kind][1] for kind in one.annotation.split(" | ") if KINDS[kind][0]]
        properties[one.name] = among[0] if len(among) == 1 else {"anyOf": among}
    needed = [one.name for one in parameters if one.default is one.empty]
    return {"type": "object", "properties": properties, "required": needed, "additionalProperties": False}


def check(tool: Callable[..., Any], given: Mapping[str, Any]) -> None:
    """Raise ``InputError`` with everything that is wrong with the arguments of a tool."""
    parameters = inspect.signature(tool).parameters
    faults = [str(unknown("argument", name[:LONGEST], parameters)) for name in given if name not in parameters]
    for name, one in parameters.items():
        if given.get(name) is not None:
            kinds = tuple(each for kind in one.annotation.split(" | ") for each in KINDS[kind][0])
            faults += _wrong(name, given[name], kinds)
        elif one.default is one.empty or (name in given and one.default is not None):
            faults.append(f"{name}: is needed.")
    refuse(faults)


def _wrong(name: str, value: Any, kinds: tuple[type, ...]) -> Iterator[str]:
    if not isinstance(value, kinds) or isinstance(value, bool):
        yield f"{name}: expected {' or '.join(WORDS[kind] for kind in kinds)}."
    elif isinstance(value, str):
        yield from _long(name, value)
    elif isinstance(value, dict):
        if len(value) > ENTRIES:
            yield f"{name}: expected at most {ENTRIES} entries, got {len(value):,}."
            return
        for key, entry in value.items():
            yield from _long(f"a name in {name}", key)
            if not isinstance(entry, str | int):
                yield f"{name}, {key[:LONGEST]!r}: expected a text, a whole number, true or false."
            elif isinstance(entry, str):
                yield from _long(f"a value in {name}", entry)


def _long(name: str, text: str) -> Iterator[str]:
    if len(text) > LONGEST:
        yield f"{name}: expected at most {LONGEST:,} characters, got {len(text):,}."
    if any(not one.isprintable() for one in text):
        yield f"{name}: holds control characters; write it as one line of plain text."
