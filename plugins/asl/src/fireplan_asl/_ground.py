"""Records of what lies on the map: the FFE of each battery, SMOKE, and the weather over it."""

from __future__ import annotations

from fractions import Fraction

from fireplan_asl._grains import Grain
from fireplan_core import Place, View, record

NO_SMOKE = frozenset({"rain", "heavy_wind"})
"""Weather in which no SMOKE lies (C1.71)."""
Counter = tuple[Place, int, bool]
"""A SMOKE counter: its hex, its Hindrance, and whether it is Dispersed."""


@record
class Fire:
    """The FFE on the map: whether FFE:1 has been resolved, and the minutes until it falls again or lapses.

    ``grain`` is that of a Barrage where those of its battery differ. ``early``: it has been seen to in this moment,
    before the fire phase of the other side. ``drawn_by`` is the Observer who put it over himself Accurately (C1.54).
    """

    resolved: bool = False
    wait: Fraction = Fraction(0)
    grain: Grain | None = None
    early: bool = False
    drawn_by: str = ""


@record
class Ground:
    """SMOKE and weather: ``cells`` are the counters of the first battery's side, ``theirs`` those of the others.

    Each side's counters change in its own time. ``weather`` is what comes up when, ``no_smoke`` where no SMOKE lies.
    """

    cells: tuple[Counter, ...] = ()
    theirs: tuple[Counter, ...] = ()
    weather: tuple[tuple[int, str], ...] = ()
    no_smoke: frozenset[Place] = frozenset()


def weather_now(view: View, ground: Ground) -> str:
    """Return the weather of this moment; gusts pass at once, and it is empty where nothing has come up."""
    changes = ground.weather
    if not changes:
        return ""
    now = view.moment()
    return next((what for when, what in sorted(changes, reverse=True) if when <= now and what != "gusts"), "")


def thinned(counters: tuple[Counter, ...], times: int) -> tuple[Counter, ...]:
    """Return the counters after so many times: full ones become Dispersed, Dispersed ones leave."""
    for _ in range(times):
        counters = tuple((cell, strength - 1, True) for cell, strength, dispersed in counters if not dispersed)
    return counters
