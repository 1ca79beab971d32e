"""Displays beside the map, as neutral data that a table can print or draw."""

from collections.abc import Iterator
from typing import Literal

import attrs


@attrs.frozen
class Counter:
    """A counter in a display: its name, number and remark, and whether it is cut off.

    >>> str(Counter("red chits", 2, "drawn"))
    'red chits 2 (drawn)'
    """

    name: str
    count: int | None = None
    words: str = ""
    cut: bool = False

    def __str__(self) -> str:
        counted = self.name if self.count is None else f"{self.name} {self.count}"
        return f"{counted} ({self.words})" if self.words else counted


@attrs.frozen
class Display:
    """A display beside the map: its kind, its name, and its fields with their counters.

    A pile has one unnamed field with a counter for each kind of card. A track has a field for each
    box, in order. A net has a field for each counter from which other counters hang, from the top
    down, and an unnamed field for the counters that hang from nothing. A table has a field for each
    column, with the row names first; a column that is not in use is cut off.

    >>> chits = Counter("red", 2), Counter("black", 5)
    >>> str(Display("pile", "Chits", (("", chits),)))
    'Chits: red 2, black 5'
    >>> top, guns = (Counter("corps"),), (Counter("75s", None, "ready"),)
    >>> str(Display("net", "Command", (("", top), ("corps", guns))))
    'Command: 75s (under corps; ready)'
    """

    kind: Literal["pile", "track", "net", "table"]
    name: str
    fields: tuple[tuple[str, tuple[Counter, ...]], ...]

    def __str__(self) -> str:
        """Return the display as one line of text, leaving out empty fields and unused columns."""
        named = {counter.name for _, counters in self.fields for counter in counters}
        if self.kind == "net" and all(name in named for name, _ in self.fields if name):
            return f"{self.name}: {', '.join(self._ends()) or 'empty'}"
        in_use = (
            (name, counters)
            for name, counters in self.fields
            if self.kind != "table" or not counters[0].cut
        )
        filled = (
            f"{name}: {', '.join(map(str, counters))}".removeprefix(": ")
            for name, counters in in_use
            if counters
        )
        return f"{self.name}: {'; '.join(filled) or 'empty'}"

    def _ends(self) -> Iterator[str]:
        """Yield the words for each counter from which no other hangs, and for those above it."""
        above = {each.name: name for name, counters in self.fields for each in counters}
        for name, counters in self.fields:
            for counter in counters:
                if counter.name in dict(self.fields):
                    continue
                chain, parent = list[str](), name
                while parent:
                    chain.append(f"under {parent}")
                    parent = above.get(parent, "")
                words = "; ".join(filter(None, [" ".join(chain), counter.words]))
                yield str(attrs.evolve(counter, words=words))
