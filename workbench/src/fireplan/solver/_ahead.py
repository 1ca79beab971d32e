"""Guess what can still be read before the watch ends, as far as the rows that are known go; ``_explore`` proves it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from fireplan.solver._compile import Compiler
from fireplan.solver._states import CODES, Field
from fireplan_core import Pending


class Ahead:
    """Say which keys a step may read, and whatever it pushes: what stands at any other is as good as forgotten.

    Keys that are ``kept`` are never forgotten.
    """

    def __init__(self, compiler: Compiler, kept: set[str]) -> None:
        self.kept = kept
        self._bits: dict[str, int] = {}
        self._reads: dict[Pending, int] = {}
        """The keys that a step may read from when it is met until all that it pushes is done, as bits."""
        pushed: dict[Pending, frozenset[Pending]] = {}
        for pending in compiler.compiled:
            self._reads[pending] = self._sum(compiler.keys(pending))
            pushed[pending] = compiler.pushes(pending)
        grown = True
        while grown:
            grown = False
            for pending, pushes in pushed.items():
                before = found = self._reads[pending]
                for push in pushes:
                    found |= self._reads.get(push, 0)
                self._reads[pending] = found
                grown |= found != before

    def _sum(self, keys: Iterable[str]) -> int:
        return sum(1 << self._bits.setdefault(key, len(self._bits)) for key in keys)

    def forgotten(self, agenda: Iterable[Pending], fields: Mapping[str, Field]) -> int:
        """Return the codes of all keys that nothing reads from an agenda until the moment ends, as bits of a state."""
        read = self._sum(self.kept)
        for pending in agenda:
            read |= self._reads.get(pending, -1)  # of one that was never met nothing is known
        idle = (field for key, field in fields.items() if not read >> self._bits.get(key, len(self._bits)) & 1)
        return sum(CODES << field.shift for field in idle)
