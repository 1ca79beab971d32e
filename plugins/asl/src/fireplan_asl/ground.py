"""The records of the counters on the map (each battery's FFE, SMOKE) and of the weather."""

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from fireplan_asl.path import Grain
from fireplan_core import ByPlace, FireKind, Place, View, kept, record

NO_SMOKE = frozenset({"rain", "heavy_wind"})
"""Kinds of weather in which SMOKE cannot exist (C1.71)."""
Counter = tuple[Place, int, bool, FireKind]
"""A SMOKE counter: its hex, its Hindrance, whether it is Dispersed, and its kind (smoke or WP)."""


_Written = int | tuple[int, bool] | tuple[int, bool, FireKind]


def _written(counter: Counter) -> tuple[Place, _Written]:
    at, strength, dispersed, kind = counter
    if kind is not FireKind.SMOKE:
        return at, (strength, dispersed, kind)
    return at, (strength, True) if dispersed else strength


def _counter(at: Place, value: Any) -> Counter:
    strength, dispersed, kind, *_ = (
        *(value if isinstance(value, tuple) else (value, False)),
        FireKind.SMOKE,
    )
    return at, strength, dispersed, kind


SMOKE = ByPlace(
    _Written,
    lambda counters: map(_written, counters),
    lambda values: tuple(_counter(*value) for value in values),
)
"""Notation for SMOKE counters by hex: Hindrance, yes if Dispersed, and the kind if not smoke."""


@record
class FFEState:
    """The state of a battery's FFE; ``grain`` is tracked only if its Barrages differ in grain."""

    resolved: bool = kept(
        False, "whether the FFE:1 has been resolved, so that it is an FFE:2", "C1.5"
    )
    wait: Fraction = kept(Fraction(0), "minutes until the FFE falls again or lapses", "C1.5")
    grain: Grain | None = kept(None, "the hex grain of a Barrage, as a step of two hexes", "E12.31")
    early: bool = kept(False, "whether the FFE has been resolved in this fire phase", "C1.5")
    drawn_by: str = kept(
        "", "the Observer who Accurately placed the FFE over himself", "C1.54", among="unit"
    )


@record
class MapState:
    """The SMOKE on the map and the weather.

    ``cells`` are the counters of the first battery's side and ``theirs`` are the other side's,
    which disperse at other times. ``weather`` lists changes as (moment, weather); ``no_smoke`` are
    the hexes where no SMOKE can lie.
    """

    cells: tuple[Counter, ...] = kept(
        (), "Hindrance of its SMOKE", "C1.71", word="smoke", places=SMOKE
    )
    theirs: tuple[Counter, ...] = kept(
        (), "Hindrance of the enemy's SMOKE", "C1.71", word="enemy_smoke", places=SMOKE
    )
    weather: tuple[tuple[int, str], ...] = kept(
        (), "the changes of weather, each with its moment", "C1.71"
    )
    no_smoke: frozenset[Place] = kept(frozenset(), "hexes where no SMOKE can lie", "C1.71")


def weather_now(view: View, ground: MapState) -> str:
    """Return the current weather, or '' if it has not changed yet; gusts are ignored."""
    changes = ground.weather
    if not changes:
        return ""
    now = view.moment()
    return next(
        (
            weather
            for start, weather in sorted(changes, reverse=True)
            if start <= now and weather != "gusts"
        ),
        "",
    )


def thinned(counters: tuple[Counter, ...], times: int) -> tuple[Counter, ...]:
    """Return the counters after dispersing ``times`` times: full, then Dispersed, then removed."""
    for _ in range(times):
        full = (
            (cell, strength, kind) for cell, strength, dispersed, kind in counters if not dispersed
        )
        counters = tuple((cell, strength - 1, True, kind) for cell, strength, kind in full)
    return counters


def placed(counters: tuple[Counter, ...], more: Iterable[Counter]) -> tuple[Counter, ...]:
    """Return the counters together with ``more``, as one sorted tuple."""
    return tuple(sorted((*counters, *more), key=lambda counter: (*counter[:3], counter[3].value)))
