"""Say what a comparison answers: for each game and yardstick a distribution, a figure, or why it is not modelled."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import attrs

from fireplan_core import Engagement

if TYPE_CHECKING:  # who only computes does not load what draws
    from fireplan.draw.palette import Look


@attrs.frozen
class Measured:
    """A yardstick's answer.

    Probabilities are exact fractions when ``exact``, else those that floats stand for.

    Either ``distribution`` (pairs of value and probability, with ``unresolved`` for what has not
    happened within the watch; together exactly 1) or ``value``.
    """

    unit: str
    exact: bool
    distribution: tuple[tuple[Any, Fraction], ...] | None = None
    unresolved: Fraction = Fraction(0)
    value: Fraction | float | None = None

    def mean(self) -> float | None:
        """Return the mean of what has happened, or None when nothing can."""
        if self.distribution is None:
            return None if self.value is None else float(self.value)
        mass = sum((p for _, p in self.distribution), Fraction(0))
        return float(sum(Fraction(v) * p for v, p in self.distribution) / mass) if mass else None

    def quantile(self, share: Fraction) -> Any | None:
        """Return the least value by which at least that share has happened.

        None when it never does.
        """
        pairs = self.distribution or ()
        so_far = itertools.accumulate(probability for _, probability in pairs)
        return next(
            (
                value
                for (value, _), happened in zip(pairs, so_far, strict=True)
                if happened >= share
            ),
            None,
        )


@attrs.frozen
class NotModelled:
    """A yardstick that a game has no figure for, and why."""

    reason: str


Answer = Measured | NotModelled


@attrs.frozen(eq=False, repr=False)
class Picture:
    """Say what is drawn for a game, in metres east and south of the target's centre.

    ``first_falls`` are the places where the first fire for effect lands with their probability, each with the
    outline of its cell; ``footprint`` are the outlines of the cells that fire on the target covers. ``danger`` are
    steps (metres towards the firer, the chance from there on that the first fire for effect covers such a point).
    """

    first_falls: tuple[tuple[tuple[tuple[float, float], ...], Fraction], ...]
    footprint: tuple[tuple[tuple[float, float], ...], ...]
    danger: tuple[tuple[float, Fraction], ...] = ()


@attrs.frozen(eq=False, repr=False)
class GameAnswer:
    """All answers of one game, with its time, and what its figures rest on.

    Where it is not ``exact``, every probability was found in floats.
    """

    key: str
    title: str
    edition: str
    moment: str
    minutes_per_moment: Fraction
    grain: Fraction
    moments: int
    measures: Mapping[str, Answer]
    notes: tuple[str, ...]
    states: int
    picture: Picture | None
    exact: bool = True

    @property
    def watched(self) -> str:
        """Return how long is watched, in moments of the game's own: ``12 fire phases``."""
        return f"{self.moments} {self.moment}{'s' * (self.moments != 1)}"

    @property
    def delivery(self) -> list[tuple[Fraction, Fraction]]:
        """Return minutes, each with the chance that fire for effect has fallen by then.

        The first are (0, 0).
        """
        told = self.measures.get("minutes_to_first_effect")
        pairs = (told.distribution or ()) if isinstance(told, Measured) else ()
        totals = itertools.accumulate((share for _, share in pairs), initial=Fraction(0))
        return [
            *zip((Fraction(0), *(Fraction(minutes) for minutes, _ in pairs)), totals, strict=True)
        ]


SAMPLED = {
    "fire for effect falls": "delivered",
    "on target at least once": "hit",
    "own troops under fire": "own_troops_under_fire",
    "asset exhausted or lost": "exhausted",
}
"""What a sample counts, by what it is called, and the yardstick or goal that it is."""


@attrs.frozen(eq=False, repr=False)
class SampledAnswer:
    """A game that was sampled, ``why`` if it was too large: shares over trajectories with their standard errors."""

    title: str
    why: str
    trajectories: int
    seed: int
    shares: Mapping[str, tuple[float, float]]
    notes: tuple[str, ...]


@attrs.frozen(eq=False, repr=False)
class Comparison:
    """One engagement, answered by several games.

    ``cannot`` holds, by game, why it could not be staged.

    ``sampled`` are those that were too large to be solved; ``failed`` holds why others have no answer: the game broke,
    or it would have taken too long.
    ``titles`` are those of all of them; ``looks`` number the colour, dash and marker that each keeps on every sheet,
    whoever stands beside it.
    """

    engagement: Engagement
    games: Mapping[str, GameAnswer]
    cannot: Mapping[str, tuple[str, ...]]
    titles: Mapping[str, str] = attrs.field(factory=dict)
    looks: Mapping[str, int] = attrs.field(factory=dict)
    sampled: Mapping[str, SampledAnswer] = attrs.field(factory=dict)
    failed: Mapping[str, str] = attrs.field(factory=dict)

    @property
    def missing(self) -> dict[str, tuple[str, tuple[str, ...]]]:
        """Return what is said in the place of each game without exact answers: a heading and its lines."""
        said = {key: ("Cannot be staged:", reasons) for key, reasons in self.cannot.items()}
        said |= {key: ("Sampled:", (one.why or "as asked",)) for key, one in self.sampled.items()}
        return said | {key: ("Left out:", (reason,)) for key, reason in self.failed.items()}

    def look_of(self, key: str) -> Look:
        """Return a game's colour, dash and marker."""
        from fireplan.draw.palette import look, looks_of

        return look((looks_of(sorted([*self.games, *self.missing])) | dict(self.looks))[key])
