"""Figures: one exact number for each yardstick, for rankings, sweeps and exports."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any

import attrs

from fireplan.analysis.answers import GameAnswer
from fireplan.analysis.phrasing import number, percent
from fireplan.solver import (
    Analysis,
    FirstFall,
    Measure,
    WorstSeverity,
    exhausted,
    own_troops_under_fire,
)
from fireplan_core import Scenario, Severity

_MOST_DECIMALS = 6

Worth = Callable[[Any], Fraction]
"""Returns the value of a measure's final state, as a fraction."""


@attrs.frozen
class Figure:
    """A number computed from a solved scenario: the sum of the expected values of some measures.

    ``parts(scenario, moments)`` maps each measure to a function from its final state to a value.
    """

    name: str
    unit: str
    summary: str
    parts: Callable[[Scenario, int], Mapping[Measure, Worth]]

    def shown(self, value: Fraction | float, decimals: int = 1) -> str:
        """Return a value of the figure as text, such as "74.8 %"."""
        if self.unit == "min":
            return f"{number(value, decimals)} min"
        return percent(value, decimals)

    def compared(self, new: Fraction, old: Fraction) -> str:
        """Return two values as text, such as "74.8 % instead of 59.0 %".

        More decimals, up to six, are shown if one does not tell the values apart.
        """
        for decimals in range(1, _MOST_DECIMALS + 1):
            texts = self.shown(new, decimals), self.shown(old, decimals)
            if texts[0] != texts[1]:
                return " instead of ".join(texts)
        return f"{self.shown(new)}, {'as' if new == old else 'nearly as'} before"

    def moved(self, by: Fraction) -> str:
        """Return a change of the figure as text, such as "15.8 points less"."""
        if not by:
            return "no change"
        size = self.shown(abs(by)).replace(" %", " points")
        return f"{size} {'more' if by > 0 else 'less'}"

    def __reduce__(self) -> tuple[Callable[[str], Figure], tuple[str]]:
        return _figure_named, (self.name,)

    def __deepcopy__(self, _memo: dict[int, Any]) -> Figure:
        return self

    def of(self, analysis: Analysis) -> Fraction:
        """Return the value of the figure, solving its measures in an exact analysis."""
        parts = self.parts(analysis.scenario, analysis.moments)
        analysis.focus([*parts])
        solved = (
            (analysis.solve(measure).shares.items(), worth) for measure, worth in parts.items()
        )
        return sum(
            (share * worth(state) for shares, worth in solved for state, share in shares),
            Fraction(0),
        )


def _chance(
    name: str, summary: str, measure: Measure, happened: Callable[[Any], bool] = bool
) -> Figure:
    return Figure(
        name, "probability", summary, lambda *_: {measure: lambda state: Fraction(happened(state))}
    )


def _minutes(scenario: Scenario, moments: int) -> Mapping[Measure, Worth]:
    clock = scenario.clock

    def worth(fall: Any) -> Fraction:
        return Fraction(
            moments * clock.minutes if fall is None else fall[0] * clock.minutes + clock.grain
        )

    return {_FIRST: worth}


def _harm(least: Severity) -> Figure:
    def parts(scenario: Scenario, _moments: int) -> Mapping[Measure, Worth]:
        def worth_of(strength: int) -> Worth:
            return lambda worst: Fraction(strength * (worst >= least), scenario.target_strength)

        units = scenario.targets if scenario.target_strength else ()
        return {WorstSeverity(unit): worth_of(scenario.units[unit].strength) for unit in units}

    name = least.name.lower()
    reached = name if least is max(Severity) else f"{name} or worse"
    return Figure(name, "share", f"mean share of the target {reached}", parts)


DELIVERED = "delivered"
_FIRST = FirstFall()
_covers: Callable[[Any], bool] = lambda fall: bool(fall and fall[2])  # noqa: E731
_MEAN = "mean minutes to the first fire for effect, the whole watch if none falls"

FIGURES = {
    figure.name: figure
    for figure in (
        _chance(
            DELIVERED,
            "chance that fire for effect falls at least once",
            _FIRST,
            lambda fall: fall is not None,
        ),
        _chance(
            "on_target", "chance that the first fire for effect covers the centre", _FIRST, _covers
        ),
        Figure("minutes_to_first_effect", "min", _MEAN, _minutes),
        *(_harm(severity) for severity in Severity if severity is not Severity.NONE),
        _chance(
            "own_troops_under_fire",
            "chance that own troops come under fire",
            own_troops_under_fire(),
        ),
        _chance("exhausted", "chance that the asset is spent or lost for good", exhausted()),
    )
}
"""All figures, by name."""


def delivered_by(minutes: int) -> Figure:
    """Return the figure for the chance that fire for effect falls within a number of minutes."""

    def parts(scenario: Scenario, _moments: int) -> Mapping[Measure, Worth]:
        clock = scenario.clock

        def worth(fall: Any) -> Fraction:
            return Fraction(fall is not None and fall[0] * clock.minutes + clock.grain <= minutes)

        return {_FIRST: worth}

    summary = f"chance that fire for effect falls within {minutes} minutes"
    return Figure(f"{DELIVERED} by {minutes}", "probability", summary, parts)


def _figure_named(name: str) -> Figure:
    return FIGURES[name] if name in FIGURES else delivered_by(int(name.rpartition(" ")[2]))


def figures_of(answer: GameAnswer) -> dict[str, Fraction | None]:
    """Return the value of every figure by name, from solved answers; None if not modelled."""
    measured = {name: answer.measures[name] for name in FIGURES}
    return {name: each.number for name, each in measured.items()}


def overtakings(lines: Mapping[str, Mapping[int, Fraction]]) -> Iterator[tuple[str, str, int, int]]:
    """Yield each time one line overtakes another, as (leader, overtaken, before, after).

    ``lines`` maps each name to its figures, by the value of a changed fact. ``before`` is the last
    of these values at which the leader is behind or level; ``after`` is the first at which it is
    ahead.
    """
    for first, second in combinations(sorted(lines), 2):
        gaps = [
            (value, lines[first][value] - lines[second][value])
            for value in sorted({*lines[first]} & {*lines[second]})
        ]
        for (before, old_gap), (after, new_gap) in pairwise(
            [(value, gap) for value, gap in gaps if gap]
        ):
            if (old_gap > 0) != (new_gap > 0):
                level = [value for value, gap in gaps if before < value < after and not gap]
                pair = (first, second) if new_gap > 0 else (second, first)
                yield (*pair, max(level, default=before), after)
