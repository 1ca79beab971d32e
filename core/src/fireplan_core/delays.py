"""Delays: the clock, and everything between a request and the moment the asset may act on it.

Steps the core calls (``moment`` is required, the others if the part has them):

* ``moment()``: opens a moment for all missions; answers ``core.opportunity`` for idle assets and drives the
  progress of the others, ending in ``core.ready`` when an asset is at hand.
* ``request(m)``: fire has been asked for; the delay begins.
* ``clearance(m)``: the last check on the link before a shot leaves; cease or close the mission to stop it.
* ``released(m, intent)``: a shot has landed.
* ``ceased(m, stage)`` and ``closed(m)``: fire ceased in that stage; the mission ended.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import ClassVar

import attrs

from fireplan_core.steps.part import Part


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

    def moments(self, watch: int) -> int:
        """How many moments open within a watch of that many minutes; at least one."""
        return max(1, -(-Fraction(watch) // self.minutes))


class Delays(Part):
    """The clock and the delay from request to readiness."""

    word: ClassVar[str] = "delays"

    def clock(self) -> Clock:
        """The moments of this game."""
        raise NotImplementedError
