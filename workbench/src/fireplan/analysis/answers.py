"""The answers of a comparison: a distribution, value or reason for each game and yardstick."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import attrs

from fireplan.errors import InputError, counted, unknown
from fireplan_core import Engagement
from fireplan_core.space import Outline

if TYPE_CHECKING:  # importing this module must not load the drawing code
    from fireplan.draw.palette import Look


@attrs.frozen
class Measured:
    """The answer to a measure: a single ``number``, a ``distribution``, or both.

    The number is used to compare, rank and tune tables. For minutes it is the mean, in which fire
    that never falls counts as the whole watch. A distribution is a tuple of (value, probability)
    pairs. Their probabilities and ``unresolved``, the share of missions that had no value when the
    watch ended, sum to exactly 1. Unless ``exact`` is set, the fractions were computed in floats.
    """

    unit: str
    exact: bool
    distribution: tuple[tuple[Any, Fraction], ...] | None = None
    unresolved: Fraction = Fraction(0)
    number: Fraction | None = None

    @property
    def value(self) -> Fraction:
        """Return the number; raise ``InputError`` if the answer has no single number."""
        if self.number is None:
            reason = "no fire falls" if self.unit != "severity" else "its values are words"
            raise InputError(f"This measure has no single value: {reason}; see its distribution.")
        return self.number

    def mean(self) -> float | None:
        """Return the mean of the distribution, without the ``unresolved`` share.

        Without a distribution, return the number. Return None if there is nothing to average. Raise
        ``ValueError`` if the values are words.
        """
        if self.distribution is None:
            return None if self.number is None else float(self.number)
        mass = sum((p for _, p in self.distribution), Fraction(0))
        return float(sum(Fraction(v) * p for v, p in self.distribution) / mass) if mass else None

    def quantile(self, share: Fraction) -> Any | None:
        """Return the smallest value whose cumulative probability reaches this share.

        Return None if no value's does, e.g. because too many missions are unresolved.
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
    """The reason why a game has no answer to a measure."""

    reason: str
    unit: str = ""
    exact: bool = True
    number: None = None
    distribution: None = None
    unresolved: Fraction = Fraction(0)

    @property
    def value(self) -> Fraction:
        """Raise ``InputError`` with the reason why there is no value."""
        raise InputError(f"This measure is not modelled: {self.reason}.")

    def mean(self) -> None:
        """Return None, because there is nothing to average."""


Answer = Measured | NotModelled


class Measures(dict[str, Answer]):
    """Answers by the name of the measure: every yardstick, then every other figure."""

    def __missing__(self, name: str) -> Answer:
        """Raise ``InputError`` for an unknown name, suggesting similar names."""
        raise unknown("measure", name, self)


@attrs.frozen(eq=False, repr=False)
class Picture:
    """Outlines on the map of a game, in metres east and south of the target's centre.

    ``first_falls`` are the cells where the first fire for effect may land, as (outline,
    probability). ``footprint`` has the outlines of all cells that fire on the target covers.
    ``danger`` is a step function of (metres towards the firer, chance that the first fire for
    effect covers a point at that distance).
    """

    first_falls: tuple[tuple[Outline, Fraction], ...]
    footprint: tuple[Outline, ...]
    danger: tuple[tuple[float, Fraction], ...] = ()


@attrs.frozen(eq=False, repr=False)
class GameAnswer:
    """All answers of one game, with its time scale and notes on the sources of its figures.

    ``grain`` is the precision of its times, in minutes; ``moments`` is the length of the watch, and
    ``states`` the number of states solved. Unless ``exact`` is set, every probability was computed
    in floats. ``cites`` lists the rule numbers that were followed.
    """

    key: str
    title: str
    edition: str
    moment: str
    minutes_per_moment: Fraction
    grain: Fraction
    moments: int
    measures: Measures
    notes: tuple[str, ...]
    states: int
    picture: Picture | None
    exact: bool = True
    cites: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the title, the length of the watch, and a line for each measure with a number."""
        lines = (
            f"{name}: {float(answer.number):.4g} {answer.unit}"
            for name, answer in self.measures.items()
            if isinstance(answer, Measured) and answer.number is not None
        )
        return "\n".join((f"{self.title}, {self.watched}", *lines))

    __repr__ = __str__

    @property
    def watched(self) -> str:
        """Return the length of the watch in the game's own moments, e.g. ``12 fire phases``."""
        return counted(self.moments, self.moment)

    @property
    def delivery(self) -> list[tuple[Fraction, Fraction]]:
        """Return the delivery curve: pairs of minutes and the chance that fire has fallen by then.

        The first pair is (0, 0).
        """
        minutes = self.measures.get("minutes_to_first_effect")
        pairs = (minutes.distribution or ()) if isinstance(minutes, Measured) else ()
        totals = itertools.accumulate((share for _, share in pairs), initial=Fraction(0))
        return [
            *zip((Fraction(0), *(Fraction(minute) for minute, _ in pairs)), totals, strict=True)
        ]


SAMPLED = {
    "fire for effect falls": "delivered",
    "on target at least once": "hit",
    "own troops under fire": "own_troops_under_fire",
    "asset exhausted or lost": "exhausted",
}
"""Maps each label counted in a sample to the yardstick or goal that it represents."""


@attrs.frozen(eq=False, repr=False)
class SampledAnswer:
    """The answers of a game that was sampled instead of solved.

    ``shares`` maps each label to the share of trajectories and its standard error. ``why`` is the
    reason why the game was too large to solve; it is empty if a sample was requested.
    """

    title: str
    why: str
    trajectories: int
    seed: int
    shares: Mapping[str, tuple[float, float]]
    notes: tuple[str, ...]


@attrs.frozen(eq=False, repr=False)
class Comparison:
    """One engagement, answered by several games; all mappings are keyed by game.

    ``cannot`` has the reasons why a game could not stage the engagement. ``failed`` has the reason
    why a game gave no answer: it raised an error, or would have taken too long. ``sampled`` has the
    answers of the games that were sampled instead of solved. ``titles`` covers all games. ``looks``
    has the index of each game's colour, dash and marker, the same on every sheet. ``given`` has the
    condition under which a game was solved, in words, and its chance.
    """

    engagement: Engagement
    games: Mapping[str, GameAnswer]
    cannot: Mapping[str, tuple[str, ...]]
    titles: Mapping[str, str] = attrs.field(factory=dict)
    looks: Mapping[str, int] = attrs.field(factory=dict)
    sampled: Mapping[str, SampledAnswer] = attrs.field(factory=dict)
    failed: Mapping[str, str] = attrs.field(factory=dict)
    given: Mapping[str, tuple[str, Fraction]] = attrs.field(factory=dict)

    @property
    def missing(self) -> dict[str, tuple[str, tuple[str, ...]]]:
        """Map each game without exact answers to a heading and its lines of explanation."""
        notes = {key: ("Cannot be staged:", reasons) for key, reasons in self.cannot.items()}
        notes |= {
            key: ("Sampled:", (game.why or "as requested",)) for key, game in self.sampled.items()
        }
        return notes | {key: ("Left out:", (reason,)) for key, reason in self.failed.items()}

    def look_of(self, key: str) -> Look:
        """Return the colour, dash and marker that represent a game in pictures."""
        from fireplan.draw.palette import look, looks_of

        return look((looks_of(sorted([*self.games, *self.missing])) | dict(self.looks))[key])
