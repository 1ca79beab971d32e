"""Printed coordinates of a hex map, as data: which hex is called what.

A `Layout` says how columns are named from west to east, how rows are numbered and which
hexes are on the map.  It also names hexes beyond the map, because fire can fall there.
Geometry is in `_hexes`; which layout a map has is data of that map's game.
"""

from __future__ import annotations

import difflib
import re
from string import ascii_uppercase

from attrs import Attribute, field, frozen, validators

from fireplan_core.space.hexes import Hex, span

_ROW = "-?[0-9]{1,9}"
_BEYOND = re.compile(f"([+-])([A-Z]{{1,9}})({_ROW})")


class CoordinateError(ValueError):
    """A text that names no place: what was written, what is wrong, what may be meant."""

    def __init__(self, text: str, problem: str, suggestion: str | None = None) -> None:
        super().__init__(text, problem, suggestion)
        self.text = text
        self.problem = problem
        self.suggestion = suggestion

    def __str__(self) -> str:
        hint = f"; did you mean {self.suggestion}?" if self.suggestion else ""
        return f"{self.text!r}: {self.problem}{hint}"


def _letters(number: int) -> str:
    """Return A for 1 .. Z for 26, AA for 27, AB for 28 and so on."""
    text = ""
    while number:
        number, digit = divmod(number - 1, 26)
        text = ascii_uppercase[digit] + text
    return text


def _number(letters: str) -> int:
    """Return the number that `_letters` writes so."""
    number = 0
    for letter in letters:
        number = number * 26 + ascii_uppercase.index(letter) + 1
    return number


def lettered_columns(count: int, *, doubled: bool = False) -> tuple[str, ...]:
    """Return the first `count` column names, A to Z and on.

    After Z come AA, AB, AC; or, with `doubled`, AA, BB, CC.
    """
    if doubled:
        return tuple(ascii_uppercase[i % 26] * (i // 26 + 1) for i in range(count))
    return tuple(_letters(i + 1) for i in range(count))


def numbered_columns(first: int, last: int, digits: int = 2) -> tuple[str, ...]:
    """Return column names that are numbers, `first` to `last`, padded with zeros."""
    return tuple(f"{number:0{digits}}" for number in range(first, last + 1))


def _check_columns(
    _layout: object, _attribute: Attribute[tuple[str, ...]], columns: tuple[str, ...]
) -> None:
    if not columns or len(set(columns)) != len(columns):
        raise ValueError("a map needs columns, each with a name of its own")
    letters = all(re.fullmatch("[A-Z]+", name) for name in columns)
    numbers = all(re.fullmatch("[0-9]+", name) for name in columns)
    if not (letters or (numbers and len({len(name) for name in columns}) == 1)):
        raise ValueError("column names must be all capital letters, or all numbers of one width")


def _check_rows(
    _layout: object, attribute: Attribute[tuple[int, int]], rows: tuple[int, int]
) -> None:
    first, last = rows
    if first > last:
        raise ValueError(
            f"{attribute.name} runs from {first} to {last}: the first row is the northern one"
        )


@frozen
class Layout:
    """Say how the hexes of one map are labelled.

    A column of odd q sits half a hex lower than the same row number in the columns of even q beside
    it: row = r + floor(q / 2). On a map whose first column is one of the lower ones, `first_q` is
    odd.

    Beyond the printed columns a label carries the edge it lies over: ``+A5`` is in the first column
    east of the map, ``-B5`` in the second one west of it. Rows beyond the map simply go on
    (``P12``, ``P-1``).
    """

    columns: tuple[str, ...] = field(validator=_check_columns)
    """Printed names from west to east in whatever order the map has them: all letters, or all numbers of one
    width."""
    even_rows: tuple[int, int] = field(validator=_check_rows)
    """First and last row number in columns of even q."""
    odd_rows: tuple[int, int] = field(validator=_check_rows)
    """First and last row number in columns of odd q."""
    digits: int = field(default=1, validator=validators.ge(1))
    """Least number of digits of a row: 1 writes H6, 2 writes N09."""
    first_q: int = 0
    """Axial q of the westernmost column; negative when columns lie west of q = 0."""
    out: frozenset[Hex] = frozenset()
    """Printed hexes that are not in play: they keep their names and are off the map."""

    def label(self, hex_: Hex) -> str:
        """Return the printed label of a hex, on the map or beyond it."""
        q, r = hex_
        row = r + q // 2
        number = f"{'-' if row < 0 else ''}{abs(row):0{self.digits}}"
        return self._column_name(q) + number

    def parse(self, text: str, *, virtual: bool = True) -> Hex:
        """Return the hex of a label, which may be in small letters.

        Hexes beyond the map are accepted unless `virtual` is false. Raises CoordinateError when the
        text is no label of this layout, or names a hex off the map while `virtual` is false; with
        the nearest valid label.
        """
        cleaned = text.strip().upper()
        if beyond := _BEYOND.fullmatch(cleaned):
            sign, letters, number = beyond.groups()
            off = _number(letters)
            q = self.first_q + (len(self.columns) - 1 + off if sign == "+" else -off)
        else:
            column, number = self._split(text, cleaned)
            q = self.first_q + self.columns.index(column)
        hex_ = (q, int(number) - q // 2)
        if (written := self.label(hex_)) != cleaned:
            raise CoordinateError(text, f"a row is written with {self.digits} digit(s)", written)
        if not virtual and not self.on_map(hex_):
            nearest = min(self.hexes(), key=lambda h: (span(h, hex_), h))
            raise CoordinateError(text, "this hex is off the map", self.label(nearest))
        return hex_

    def on_map(self, hex_: Hex) -> bool:
        """Tell whether the map has this hex."""
        q, r = hex_
        first, last = self.rows(q)
        printed = 0 <= q - self.first_q < len(self.columns) and first <= r + q // 2 <= last
        return printed and hex_ not in self.out

    def hexes(self) -> tuple[Hex, ...]:
        """Return every hex of the map, column by column eastward, each southward."""
        found: list[Hex] = []
        for q in range(self.first_q, self.first_q + len(self.columns)):
            first, last = self.rows(q)
            found.extend((q, row - q // 2) for row in range(first, last + 1))
        return tuple(hex_ for hex_ in found if hex_ not in self.out) if self.out else tuple(found)

    @property
    def middle(self) -> Hex:
        """Return the hex in the middle of the map; of two the western, the northern one."""
        q = self.first_q + (len(self.columns) - 1) // 2
        return q, sum(self.rows(q)) // 2 - q // 2

    def rows(self, q: int) -> tuple[int, int]:
        """Return the first and last row number of a column."""
        return self.odd_rows if q % 2 else self.even_rows

    def _column_name(self, q: int) -> str:
        i = q - self.first_q
        if i < 0:
            return f"-{_letters(-i)}"
        if i >= len(self.columns):
            return f"+{_letters(i - len(self.columns) + 1)}"
        return self.columns[i]

    def _split(self, text: str, cleaned: str) -> tuple[str, str]:
        """Return the column name and the row number of a label inside the columns."""
        numeric = self.columns[0].isdigit()
        column = f"[0-9]{{{len(self.columns[0])}}}" if numeric else "[A-Z]+"
        found = re.fullmatch(f"({column})({_ROW})", cleaned)
        if not found:
            example = self.label((self.first_q, self.rows(self.first_q)[0] - self.first_q // 2))
            problem = f"a label is a column and a row, like {example}"
            raise CoordinateError(text, problem, self._closest(cleaned))
        name, number = found.groups()
        if name not in self.columns:
            ends = f"{self.columns[0]} to {self.columns[-1]}"
            problem = f"there is no column {name} (west to east: {ends})"
            raise CoordinateError(text, problem, self._closest(cleaned))
        return name, number

    def _closest(self, cleaned: str) -> str:
        """Return a label of the map that is like a text: the column most like its own, the row nearest to its own."""
        # A row before its column, or stray signs, are the right parts all the same.
        if self.columns[0].isdigit():
            digits, width = re.sub("[^0-9]", "", cleaned[:20]), len(self.columns[0])
            name, number = digits[:width], digits[width:]
            column = min(self.columns, key=lambda other: abs(int(other) - int(name or 0)))
        else:
            name, number = (
                next(iter(re.findall(part, cleaned[:20])), "") for part in ("[A-Z]+", "[0-9]+")
            )
            column = max(
                self.columns, key=lambda other: difflib.SequenceMatcher(None, other, name).ratio()
            )
        q = self.first_q + self.columns.index(column)
        first, last = self.rows(q)
        row = min(max(int(number[: len(str(last))] or first), first), last)
        return self.label((q, row - q // 2))
