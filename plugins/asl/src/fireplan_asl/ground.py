"""Records of what lies on the map: the FFE of each battery, SMOKE, and the weather over it."""

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from fireplan_asl.path import Grain
from fireplan_core import ByPlace, FireKind, Place, View, kept, record

NO_SMOKE = frozenset({"rain", "heavy_wind"})
"""Weather in which no SMOKE lies (C1.71)."""
Counter = tuple[Place, int, bool, FireKind]
"""A SMOKE counter: its hex, its Hindrance, whether it is Dispersed, and whether it is smoke or WP."""


_Said = int | tuple[int, bool] | tuple[int, bool, FireKind]


def _said(counter: Counter) -> tuple[Place, _Said]:
    at, strength, dispersed, kind = counter
    if kind is not FireKind.SMOKE:
        return at, (strength, dispersed, kind)
    return at, (strength, True) if dispersed else strength


def _meant(at: Place, said: Any) -> Counter:
    strength, dispersed, kind, *_ = (
        *(said if isinstance(said, tuple) else (said, False)),
        FireKind.SMOKE,
    )
    return at, strength, dispersed, kind


SMOKE = ByPlace(
    _Said, lambda counters: map(_said, counters), lambda said: tuple(_meant(*one) for one in said)
)
"""SMOKE hex by hex: its Hindrance, with yes behind it where it is Dispersed, and then the kind where it is no smoke."""


@record
class Fire:
    """The FFE on the map; ``grain`` is kept where those of the battery's Barrages differ."""

    resolved: bool = kept(
        False, "whether the FFE:1 has been resolved, so that it is a FFE:2", "C1.5"
    )
    wait: Fraction = kept(Fraction(0), "minutes until the FFE falls again or lapses", "C1.5")
    grain: Grain | None = kept(None, "the hex grain of a Barrage, as a step of two hexes", "E12.31")
    early: bool = kept(False, "whether the FFE has been seen to already in this fire phase", "C1.5")
    drawn_by: str = kept(
        "", "the Observer who put the FFE over himself Accurately", "C1.54", among="unit"
    )


@record
class Ground:
    """SMOKE and weather: ``cells`` are the counters of the first battery's side, ``theirs`` those of the others.

    Each side's counters change in its own time. ``weather`` is what comes up when, ``no_smoke``
    where no SMOKE lies.
    """

    cells: tuple[Counter, ...] = kept(
        (), "Hindrance of its SMOKE", "C1.71", word="smoke", places=SMOKE
    )
    theirs: tuple[Counter, ...] = kept(
        (), "Hindrance of the enemy's", "C1.71", word="enemy_smoke", places=SMOKE
    )
    weather: tuple[tuple[int, str], ...] = kept(
        (), "the weather that comes up, each with its moment", "C1.71"
    )
    no_smoke: frozenset[Place] = kept(frozenset(), "hexes where no SMOKE can lie", "C1.71")


def weather_now(view: View, ground: Ground) -> str:
    """Return the weather of this moment.

    Gusts pass at once, and it is empty where nothing has come up.
    """
    changes = ground.weather
    if not changes:
        return ""
    now = view.moment()
    return next(
        (what for when, what in sorted(changes, reverse=True) if when <= now and what != "gusts"),
        "",
    )


def thinned(counters: tuple[Counter, ...], times: int) -> tuple[Counter, ...]:
    """Return the counters after so many times: full ones become Dispersed, Dispersed ones leave."""
    for _ in range(times):
        full = (
            (cell, strength, kind) for cell, strength, dispersed, kind in counters if not dispersed
        )
        counters = tuple((cell, strength - 1, True, kind) for cell, strength, kind in full)
    return counters


def placed(counters: tuple[Counter, ...], more: Iterable[Counter]) -> tuple[Counter, ...]:
    """Return the counters with more beside them, in order."""
    return tuple(sorted((*counters, *more), key=lambda counter: (*counter[:3], counter[3].value)))
