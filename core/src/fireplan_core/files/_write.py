"""Writing an object of an attrs class as the text of its file."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import attrs


def write_toml(form: attrs.AttrsInstance) -> str:
    """Return what ``read_file`` would read the object from, without what is as by default."""
    plain: dict[str, Any] = {}
    tables: list[tuple[str, Mapping[str, Any]]] = [("", plain)]
    for name, value in attrs.asdict(form, filter=_given).items():
        if isinstance(value, Mapping):
            tables.append((f"[{name}]", value))
        elif isinstance(value, tuple) and isinstance(value[0], Mapping):
            tables += ((f"[[{name}]]", entry) for entry in value)
        else:
            plain[name] = value
    blocks = ([heading, *(f"{key} = {_value(one)}" for key, one in table.items())] for heading, table in tables)
    return "\n\n".join(map("\n".join, blocks)).lstrip() + "\n"


def _given(field: attrs.Attribute[Any], value: Any) -> bool:
    made = getattr(field.default, "factory", None)
    return value is not None and value != (made() if made else field.default)


def _value(value: Any) -> str:
    if isinstance(value, str | Fraction):
        return json.dumps(str(value), ensure_ascii=False)
    if isinstance(value, tuple):
        return f"[{', '.join(map(_value, value))}]"
    return value.isoformat() if isinstance(value, dt.date) else str(value).lower()
