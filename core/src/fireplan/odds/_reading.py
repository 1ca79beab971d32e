"""Which numbers of a game each rule run has read, and a compiler that runs again only the steps that read some.

Charts tell what is read of them (``Variation.note``); here it is noted step by step. After a number has changed, the
rows of all other steps still hold and are taken over.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from typing import Any

from fireplan.mission import Pending, Scenario
from fireplan.odds._compile import Compiler, Rows
from fireplan.table import Doctrine


class Reads:
    """The names of numbers as they are read; ``outside`` are those read while a table was laid or measured."""

    def __init__(self) -> None:
        self.outside: set[str] = set()
        self.now = self.outside

    def __call__(self, name: str) -> None:
        """A number of that name has been read."""
        self.now.add(name)


class ReadingCompiler(Compiler):
    """A compiler that notes for each step the numbers that any of its runs has read."""

    def __init__(self, scenario: Scenario, reads: Reads, doctrine: Doctrine | None = None) -> None:
        super().__init__(scenario, doctrine)
        self.reads = reads
        self.read_by: dict[Pending, set[str]] = {}

    def _outcomes(self, pending: Pending, read: Callable[[str, Any], Any]) -> Rows:
        self.reads.now = self.read_by.setdefault(pending, set())
        try:
            return super()._outcomes(pending, read)
        finally:
            self.reads.now = self.reads.outside

    def known(self, pending: Pending, get: Callable[[str, Any], Any]) -> Rows | None:
        """The rows of a step if it has been run where ``get`` gives the values it reads, else None."""
        node = self._tries.get(pending)
        while node is not None and not isinstance(node, Rows):
            node = node.children.get(get(node.address, node.default))
        return node


class RenewedCompiler(Compiler):
    """A compiler for the same table with some numbers changed: only steps that read one of them are run again."""

    def __init__(self, scenario: Scenario, before: ReadingCompiler, changed: AbstractSet[str]) -> None:
        super().__init__(scenario, before.doctrine)
        self._before = before
        self._renew = {pending for pending, read in before.read_by.items() if read & changed}

    def rows(self, pending: Pending, get: Callable[[str, Any], Any]) -> Rows:
        """The outcomes of a step, taken over where they cannot have changed."""
        if pending not in self._renew:
            found = self._before.known(pending, get)
            if found is not None:
                return found
        return super().rows(pending, get)
