"""The clock of a game: the moments that a table is played in."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import attrs


@attrs.frozen
class Clock:
    """The moments of a game: each lasts ``minutes``; times are true to within ``grain`` minutes.

    ``name(k)`` is what the game calls moment ``k`` (from 0). A moment's events are said to happen at its
    first minute, within the grain.
    """

    minutes: Fraction
    grain: Fraction
    name: Callable[[int], str]
    moment: str
    source: str = ""

    @classmethod
    def even(cls, minutes: Fraction, moment: str, source: str = "", *, called: str = "") -> Clock:
        """Return the clock of equal moments, ``called`` by their kind unless otherwise, and numbered from 1."""
        return cls(minutes, minutes, lambda k: f"{called or moment} {k + 1}", moment, source)

    def moments(self, watch: int) -> int:
        """Return how many moments open within a watch of that many minutes; at least one."""
        return max(1, -(-Fraction(watch) // self.minutes))
