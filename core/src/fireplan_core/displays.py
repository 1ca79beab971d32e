"""Displays: what lies beside the map, as neutral data.

A table says it in words, or draws it as what it is.
"""

from typing import Literal

import attrs


@attrs.frozen
class Counter:
    """A counter in a display: its name, how many there are of it, what is said of it, and whether it is cut off."""

    name: str
    count: int | None = None
    words: str = ""
    cut: bool = False

    def __str__(self) -> str:
        counted = self.name if self.count is None else f"{self.name} {self.count}"
        return f"{counted} ({self.words})" if self.words else counted


@attrs.frozen
class Display:
    """Say what lies beside the map: a pile, a track, a net or a table, with its fields and the counters in each.

    A pile has one field without a name, with a counter for each kind. Those of a track are its
    boxes in a row. Those of a net are the counters that others hang on, from the top down; that
    without a name holds what hangs on nothing. Those of a table are its columns, that of the rows'
    names first; a column that is not read now is cut off.
    """

    kind: Literal["pile", "track", "net", "table"]
    name: str
    fields: tuple[tuple[str, tuple[Counter, ...]], ...]

    def __str__(self) -> str:
        """Return it in words; empty fields are left out, and columns that are not read."""
        read = (
            (name, held) for name, held in self.fields if self.kind != "table" or not held[0].cut
        )
        lying = (
            f"{name}: {', '.join(map(str, held))}".removeprefix(": ") for name, held in read if held
        )
        return f"{self.name}: {'; '.join(lying) or 'empty'}"
