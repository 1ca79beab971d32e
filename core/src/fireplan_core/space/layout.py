"""Printed coordinates of hex maps, as data.

A ``Layout`` contains the column names from west to east, the row numbers, and the hexes of the map.
It also labels hexes beyond the map, because fire can land on them. Each game provides the layout of
its map as data; ``hexes`` provides the geometry.
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
    """An error for text that is not a place.

    ``suggestion`` is a valid label, or None.
    """

    def __init__(self, text: str, problem: str, suggestion: str | None = None) -> None:
        super().__init__(text, problem, suggestion)
        self.text = text
        self.problem = problem
        self.suggestion = suggestion

    def __str__(self) -> str:
        hint = f"; did you mean {self.suggestion}?" if self.suggestion else ""
        return f"{self.text!r}: {self.problem}{hint}"


def _letters(number: int) -> str:
    """Return the letters for a number: A for 1, Z for 26, AA for 27, AB for 28."""
    text = ""
    while number:
        number, digit = divmod(number - 1, 26)
        text = ascii_uppercase[digit] + text
    return text


def _number(letters: str) -> int:
    """Return the number for some letters; the inverse of ``_letters``."""
    number = 0
    for letter in letters:
        number = number * 26 + ascii_uppercase.index(letter) + 1
    return number


def lettered_columns(count: int, *, doubled: bool = False) -> tuple[str, ...]:
    """Return the first ``count`` column names in letters.

    After A to Z come AA, AB, AC or, if ``doubled``, AA, BB, CC.

    >>> lettered_columns(28)[-3:]
    ('Z', 'AA', 'AB')
    """
    if doubled:
        return tuple(ascii_uppercase[i % 26] * (i // 26 + 1) for i in range(count))
    return tuple(_letters(i + 1) for i in range(count))


def numbered_columns(first: int, last: int) -> tuple[str, ...]:
    """Return the column names from ``first`` to ``last``, padded with zeros to two digits.

    >>> numbered_columns(8, 11)
    ('08', '09', '10', '11')
    """
    return tuple(f"{number:02}" for number in range(first, last + 1))


def _check_columns(
    _layout: object, _attribute: Attribute[tuple[str, ...]], columns: tuple[str, ...]
) -> None:
    if not columns or len(set(columns)) != len(columns):
        raise ValueError("a map needs at least one column, and column names must be unique")
    letters = all(re.fullmatch("[A-Z]+", name) for name in columns)
    numbers = all(re.fullmatch("[0-9]+", name) for name in columns)
    if not (letters or (numbers and len({len(name) for name in columns}) == 1)):
        raise ValueError(
            "column names must be all capital letters, or all numbers of the same width"
        )


def _check_rows(
    _layout: object, attribute: Attribute[tuple[int, int]], rows: tuple[int, int]
) -> None:
    first, last = rows
    if first > last:
        raise ValueError(
            f"{attribute.name} runs from {first} to {last}, but the first row must be the northernmost, with the lower number"
        )


@frozen
class Layout:
    """The labels of the hexes of a map.

    A hex in a column with odd q lies half a hex lower than the hexes with the same row number in
    the adjacent columns: row = r + floor(q / 2). If the first column of a map is a lower column,
    ``first_q`` is odd.

    Labels beyond the printed columns begin with a sign for the edge: ``+A5`` is in the first column
    east of the map, ``-B5`` in the second column west of it. Row numbers continue beyond the map
    (``P12``, ``P-1``).

    >>> board = Layout(lettered_columns(9), even_rows=(1, 9), odd_rows=(1, 9))
    >>> board.label(board.middle), board.on_map(board.parse("E12"))
    ('E5', False)
    """

    columns: tuple[str, ...] = field(validator=_check_columns)
    """The printed column names from west to east: all letters, or all numbers of equal width."""
    even_rows: tuple[int, int] = field(validator=_check_rows)
    """The first and last row numbers in columns with even q."""
    odd_rows: tuple[int, int] = field(validator=_check_rows)
    """The first and last row numbers in columns with odd q."""
    digits: int = field(default=1, validator=validators.ge(1))
    """The minimum number of digits in a row number: 1 for ``H6``, 2 for ``N09``."""
    first_q: int = 0
    """The axial q of the westernmost column; negative if columns lie west of q = 0."""
    out: frozenset[Hex] = frozenset()
    """Printed hexes that are not in play, which keep their labels but count as off the map."""

    def label(self, hex_: Hex) -> str:
        """Return the label of a hex, on the map or beyond it."""
        q, r = hex_
        row = r + q // 2
        number = f"{'-' if row < 0 else ''}{abs(row):0{self.digits}}"
        return self._column_name(q) + number

    def parse(self, text: str, *, virtual: bool = True) -> Hex:
        """Return the hex with this label, in upper or lower case.

        Raises ``CoordinateError``, suggesting the nearest valid label, if the text is not a label
        of this layout, or if the hex is off the map and ``virtual`` is false.
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
            padding = f"rows are padded with zeros to {self.digits} digits"
            problem = padding if self.digits > 1 else "rows are written without leading zeros"
            raise CoordinateError(text, problem, written)
        if not virtual and not self.on_map(hex_):
            nearest = min(self.hexes(), key=lambda h: (span(h, hex_), h))
            raise CoordinateError(text, "this hex is off the map", self.label(nearest))
        return hex_

    def on_map(self, hex_: Hex) -> bool:
        """Return whether a hex is on the map."""
        q, r = hex_
        first, last = self.rows(q)
        printed = 0 <= q - self.first_q < len(self.columns) and first <= r + q // 2 <= last
        return printed and hex_ not in self.out

    def hexes(self) -> tuple[Hex, ...]:
        """Return every hex on the map, in columns from west to east, each from north to south."""
        hexes: list[Hex] = []
        for q in range(self.first_q, self.first_q + len(self.columns)):
            first, last = self.rows(q)
            hexes.extend((q, row - q // 2) for row in range(first, last + 1))
        return tuple(hex_ for hex_ in hexes if hex_ not in self.out) if self.out else tuple(hexes)

    @property
    def middle(self) -> Hex:
        """The hex in the middle of the map; the western or northern hex if there are two."""
        q = self.first_q + (len(self.columns) - 1) // 2
        return q, sum(self.rows(q)) // 2 - q // 2

    def rows(self, q: int) -> tuple[int, int]:
        """Return the first and last row numbers of a column."""
        return self.odd_rows if q % 2 else self.even_rows

    def _column_name(self, q: int) -> str:
        i = q - self.first_q
        if i < 0:
            return f"-{_letters(-i)}"
        if i >= len(self.columns):
            return f"+{_letters(i - len(self.columns) + 1)}"
        return self.columns[i]

    def _split(self, text: str, cleaned: str) -> tuple[str, str]:
        """Return the column name and row number in a label within the printed columns."""
        numeric = self.columns[0].isdigit()
        column = f"[0-9]{{{len(self.columns[0])}}}" if numeric else "[A-Z]+"
        match = re.fullmatch(f"({column})({_ROW})", cleaned)
        if not match:
            example = self.label((self.first_q, self.rows(self.first_q)[0] - self.first_q // 2))
            problem = f"a label is a column and a row, like {example}"
            raise CoordinateError(text, problem, self._closest(cleaned))
        name, number = match.groups()
        if name not in self.columns:
            ends = f"{self.columns[0]} to {self.columns[-1]}"
            problem = f"there is no column {name} (west to east: {ends})"
            raise CoordinateError(text, problem, self._closest(cleaned))
        return name, number

    def _closest(self, cleaned: str) -> str:
        """Return the most similar label on the map: the most similar column, its nearest row."""
        # Letters and digits are used even in the wrong order or among other characters.
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
