"""The JSON Schema of sheets, with help texts for editors, and the shipped templates of sheets."""

from collections.abc import Mapping
from fractions import Fraction
from importlib.resources import files
from importlib.resources.abc import Traversable
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

import attrs

from fireplan.sheets.forms import SheetHead
from fireplan.sheets.tables import (
    MODULE_MEANING,
    ReadyClasses,
    cited_names,
    figure_types,
    in_sheet,
    kinds_of,
    part_table,
)
from fireplan_core.play import CONTRACTS

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def sheet_templates() -> dict[str, Traversable]:
    """Return the shipped templates of sheets, by name."""
    folder = files(__package__ or "") / "templates"
    found = [file for file in folder.iterdir() if file.name.endswith(".toml")]
    return {file.name.removesuffix(".toml"): file for file in sorted(found, key=lambda f: f.name)}


def schema() -> dict[str, Any]:
    """Return the JSON Schema of sheets, which editors use for completion and validation."""
    parts = {word: _part(word) for word in CONTRACTS}
    whole = _table(SheetHead)
    return {
        "$schema": DIALECT,
        "title": "A sheet of fireplan",
        **whole,
        "properties": {**whole["properties"], **parts},
        "required": [*whole["required"], *parts],
    }


def _part(word: str) -> dict[str, Any]:
    """Return the schema of a part's table: the keys of all ready parts that it may be made of.

    A part in a module may have other keys, which its class declares.
    """
    kinds = kinds_of(word)
    keys: dict[str, Any] = {}
    owners: dict[str, list[str]] = {}
    for name, kind in kinds.items():
        for key, described in _table(part_table((kind,)))["properties"].items():
            keys.setdefault(key, described)
            owners.setdefault(key, []).append(name)
    for key, names in owners.items():
        if len(names) < len(kinds):
            description = keys[key].get("description", "")
            keys[key] = {**keys[key], "description": f"{description} ({', '.join(names)})"}
    pattern = "|".join(kinds)
    chosen = {
        "type": "string",
        "description": f"the ready parts, separated by commas: {', '.join(kinds)}",
        "examples": list(kinds),
        "pattern": rf"^\s*({pattern})(\s*,\s*({pattern}))*\s*$",
    }
    module = {"type": "string", "description": MODULE_MEANING, "examples": [f"my_{word}.py"]}
    return {
        "type": "object",
        "properties": {**keys, "kind": chosen, "module": module},
        "if": {"required": ["module"]},
        "then": {"not": {"required": ["kind"]}},
        "else": {"required": ["kind"], "propertyNames": {"enum": [*keys]}},
    }


def part_schema(kinds: ReadyClasses) -> dict[str, Any]:
    """Return the schema of the table of a part that is made of these ready classes.

    The rules that the classes may cite are properties of ``rules``. The default of a figure is
    given as a text.
    """
    described = _table(part_table(kinds))
    needs, may = cited_names(kinds)
    keys = described["properties"]
    keys["rules"]["properties"] = {name: {"type": "string"} for name in (*needs, *may)}
    for name in figure_types(kinds):
        usual = next((getattr(kind, name) for kind in kinds if hasattr(kind, name)), None)
        if isinstance(usual, int | str | Fraction | Mapping):
            keys[name]["default"] = in_sheet(usual)
    return described


def _table(kind: type) -> dict[str, Any]:
    """Return the schema of a table, from the fields of its class."""
    attrs.resolve_types(kind)
    fields = attrs.fields(kind)
    return {
        "type": "object",
        "properties": {field.name: _entry(field) for field in fields},
        "required": [field.name for field in fields if field.default is attrs.NOTHING],
        "additionalProperties": False,
    }


def _entry(field: Any) -> dict[str, Any]:
    about = field.metadata
    described = _type(field.type)
    if about.get("help"):
        described["description"] = about["help"]
    if about.get("range") and described.get("type") == "integer":
        least, most = about["range"]
        described |= {"minimum": least, **({} if most is None else {"maximum": most})}
    if about.get("example") is not None:
        described["examples"] = [_plain(about["example"])]
    return described


_PLAIN = {bool: "boolean", int: "integer", str: "string", Fraction: "string", NoneType: "null"}


def _type(kind: Any) -> dict[str, Any]:
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Literal:
        return {"enum": list(inner)}
    if origin in (Union, UnionType):
        kinds = [_type(one) for one in inner if one is not NoneType]
        if len(kinds) == 1:
            return kinds[0]
        return {"type": [one["type"] for one in kinds]}
    if origin is tuple:
        return {"type": "array", "items": _type(inner[0])}
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": _type(inner[1])}
    if attrs.has(kind):
        return _table(kind)
    return {"type": _PLAIN[kind]} if kind in _PLAIN else {}


def _plain(example: Any) -> Any:
    return list(example) if isinstance(example, tuple) else example
