"""Rows of an answer as a data frame with numeric columns.

An answer's rows contain exact rationals as text, and a column may mix numbers with words such as
"unresolved". A frame needs a single type for each column, so such a column becomes two.
"""

import json
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from fireplan.analysis import FIGURES
from fireplan.errors import InputError, unknown

LIBRARIES = ("pandas", "polars")
_EXACT = re.compile(r"-?\d+(/[1-9]\d*)?")
_DECIMAL = re.compile(r"-?\d+\.\d+")
_SHARES = frozenset({"probability", "chance", "share"})
_OF_LUCK = frozenset({"before", "after", "at_least", "variance"})
_RATIONALS = _SHARES | _OF_LUCK | FIGURES.keys()
"""Columns of exact rationals, even if all values of a frame happen to be integers."""
_NUMBERS = "decimal"
"""The column of numbers written as text; in others, such text may be a rule number like 5.10."""


def frame(rows: Sequence[Mapping[str, Any]], library: str | None = None) -> Any:
    """Return rows as a data frame of ``library``: pandas if installed, else polars, by default.

    Raise ``InputError`` if the library is unknown or not installed.
    """
    if library is not None and library not in LIBRARIES:
        raise unknown("library", library, LIBRARIES)
    for name in (library,) if library else LIBRARIES:
        if find_spec(name) is not None:
            return import_module(name).DataFrame(columns(rows))
    wanted = library or "pandas or polars"
    raise InputError(f"A data frame needs {wanted}: pip install {library or 'pandas'}")


def columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Return the columns of rows, each of one type, with None where a row has no value.

    Nested values are JSON text. The decimals of answers are floats. A column of exact rationals
    stays text and is followed by ``NAME_float``; a column of numbers and words keeps the numbers
    and is followed by ``NAME_text``, which contains every value as text (for ``decimal``, only the
    words).
    """
    found: dict[str, list[Any]] = {}
    for name in dict.fromkeys(name for row in rows for name in row):
        found |= _typed(name, [_cell(row.get(name)) for row in rows])
    return found


def _typed(name: str, cells: list[Any]) -> dict[str, list[Any]]:
    """Map names to columns of a single type: the column itself, or that column and a second one.

    Exact rationals stay text and are followed by ``NAME_float``. If numbers and other values are
    mixed, the numbers stay and are followed by ``NAME_text``, which contains every value.
    """
    given = [cell for cell in cells if cell is not None]
    kinds = {type(cell) for cell in given}
    if _all_match(_EXACT, given) and (name in _RATIONALS or any("/" in cell for cell in given)):
        return {name: cells, f"{name}_float": _floats(cells)}
    if name == _NUMBERS:
        return _numbers(name, cells)
    if kinds == {int, float}:
        return {name: _floats(cells)}
    if len(kinds) <= 1:
        return {name: cells}
    texts = [None if cell is None else str(cell) for cell in cells]
    numbers = [cell if type(cell) in {int, float} else None for cell in cells]
    if not kinds & {int, float}:
        return {name: texts}
    return {name: _floats(numbers) if float in kinds else numbers, f"{name}_text": texts}


def _numbers(name: str, cells: list[Any]) -> dict[str, list[Any]]:
    """Return a column of numbers in text as floats; if it has words, ``NAME_text`` follows."""
    words = [None if cell is None or _DECIMAL.fullmatch(str(cell)) else cell for cell in cells]
    pairs = zip(cells, words, strict=True)
    numbers = _floats([cell if word is None else None for cell, word in pairs])
    return {name: numbers, **({f"{name}_text": words} if any(words) else {})}


def _all_match(pattern: re.Pattern[str], given: list[Any]) -> bool:
    """Return whether there are any values and all of them are texts that match a pattern."""
    return bool(given) and all(isinstance(cell, str) and pattern.fullmatch(cell) for cell in given)


def _floats(cells: list[Any]) -> list[float | None]:
    return [None if cell is None else float(Fraction(cell)) for cell in cells]


def _cell(value: Any) -> Any:
    """Return a value as a cell of a data frame.

    Nested values become JSON text, fractions become text, and "" becomes None.
    """
    if isinstance(value, Mapping | list | tuple):
        return json.dumps(value, ensure_ascii=False, default=str)
    if isinstance(value, Fraction):
        return str(value)
    return None if value == "" else value
