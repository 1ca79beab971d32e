"""Modes of transmission (7.21): which mode an engagement's link means, and its numbers from the charts.

No steps here: the delays throw against these numbers, observers and requests ask who must see.
"""

from __future__ import annotations

import attrs

from fireplan_core import Charts, Engagement

AIRCRAFT = "aircraft"
FLARE = "flare"
RUNNER = "runner"
TELEPHONE = "telephone"
TRENCH_SET = "trench_set"

_BY_LINK = {
    "aircraft": AIRCRAFT,
    "flare": FLARE,
    "radio": TRENCH_SET,
    "runner": RUNNER,
    "telephone": TELEPHONE,
}


@attrs.frozen
class Mode:
    """A mode as this scenario has it: 2d6 at or below ``number`` succeeds, after ``delay`` turns (7.21)."""

    name: str
    number: int
    delay: int


def flown(engagement: Engagement) -> bool:
    """Whether an aircraft observes, which sees every vertex (4.7, 7.21); never at night (11.522)."""
    watch = engagement.observer
    return AIRCRAFT in (watch.kind, watch.link) and not engagement.situation.night


def mode_name(engagement: Engagement) -> str:
    """The mode that the engagement's link means; at night an aircraft's counts as telephone (11.522)."""
    watch = engagement.observer
    if AIRCRAFT in (watch.kind, watch.link):
        return TELEPHONE if engagement.situation.night else AIRCRAFT
    return _BY_LINK[watch.link]


def trench_on_map(engagement: Engagement) -> bool:
    """Whether either side has a trench: the target lies in one, or the observer's side has dug itself in."""
    return engagement.target.cover == "trench" or engagement.observer.works == "entrenched"


def mode(name: str, charts: Charts, *, bombarded: bool, trench: bool) -> Mode:
    """A mode with its numbers: bombarded column or not, telephone with or without a trench on the map (7.14, 7.21)."""
    row = int(bombarded)
    column = "telephone_no_trench" if name == TELEPHONE and not trench else name
    return Mode(name, int(charts["signal"].cell(row, column)), int(charts["relay"].cell(row, column)))
