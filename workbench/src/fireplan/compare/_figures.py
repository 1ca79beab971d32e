"""Figures: a yardstick boiled down to one exact number, to rank by, to sweep and to export."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import attrs

from fireplan.compare._answers import GameAnswer, Measured
from fireplan.odds import Analysis, FirstFall, Measure, WorstSeverity, exhausted, own_troops_under_fire
from fireplan_core import Scenario, Severity

Worth = Callable[[Scenario, int, Sequence[Any]], Fraction]
"""What one trajectory comes to, from where each measure ends after so many moments."""


@attrs.frozen
class Figure:
    """One number of a solved scenario: its name, its unit, what it means, and how it is read off.

    ``of`` reads it off an exact analysis. Of a sampled trajectory, ``measures`` are followed, and ``worth`` says what
    their last states come to; the figure is the mean.
    """

    name: str
    unit: str
    summary: str
    of: Callable[[Analysis], Fraction]
    measures: Callable[[Scenario], Sequence[Measure]]
    worth: Worth


def _first_fall(_scenario: Scenario) -> tuple[Measure, ...]:
    return (FirstFall(),)


def _fallen(name: str, unit: str, summary: str, worth: Callable[[Any, Scenario, int], Fraction]) -> Figure:
    """A figure of the first fall of fire for effect: what its state is worth."""

    def of(analysis: Analysis) -> Fraction:
        shares = analysis.solve(FirstFall()).shares
        worths = (share * worth(state, analysis.scenario, analysis.moments) for state, share in shares.items())
        return sum(worths, Fraction(0))

    return Figure(
        name, unit, summary, of, _first_fall, lambda scenario, moments, ends: worth(ends[0], scenario, moments)
    )


def _minutes(state: Any, scenario: Scenario, moments: int) -> Fraction:
    clock = scenario.clock
    return Fraction(moments * clock.minutes if state is None else state[0] * clock.minutes + clock.grain)


def _harm(least: Severity) -> Figure:
    def of(analysis: Analysis) -> Fraction:
        return sum((share for severity, share in analysis.severity().items() if severity >= least), Fraction(0))

    def worth(scenario: Scenario, _moments: int, ends: Sequence[Any]) -> Fraction:
        strengths = [scenario.units[unit].strength for unit in scenario.targets]
        harmed = (strength for strength, worst in zip(strengths, ends, strict=True) if worst >= least)
        return Fraction(sum(harmed), sum(strengths))

    return Figure(
        least.name.lower(),
        "share",
        f"mean share of the target {least.name.lower()} or worse",
        of,
        lambda scenario: tuple(WorstSeverity(unit) for unit in scenario.targets),
        worth,
    )


def _ever(name: str, summary: str, measure: Measure) -> Figure:
    return Figure(
        name,
        "probability",
        summary,
        lambda analysis: analysis.solve(measure).shares.get(True, Fraction(0)),
        lambda _scenario: (measure,),
        lambda _scenario, _moments, ends: Fraction(bool(ends[0])),
    )


FIGURES = {
    figure.name: figure
    for figure in (
        _fallen(
            "delivered",
            "probability",
            "chance that fire for effect falls at least once",
            lambda state, _scenario, _moments: Fraction(state is not None),
        ),
        _fallen(
            "on_target",
            "probability",
            "chance that the first fire for effect covers the centre",
            lambda state, _scenario, _moments: Fraction(state is not None and state[2] is True),
        ),
        _fallen(
            "minutes",
            "min",
            "mean minutes to the first fire for effect, the whole watch if none falls",
            _minutes,
        ),
        *(_harm(severity) for severity in Severity if severity is not Severity.NONE),
        _ever("own_troops_under_fire", "chance that own troops come under fire", own_troops_under_fire()),
        _ever("exhausted", "chance that the asset can no longer be asked", exhausted()),
    )
}
"""Every figure by name."""


def figures_of(answer: GameAnswer) -> dict[str, Fraction | None]:
    """Return the same figures read off answers already found; None where a game has no such figure."""
    minutes = answer.measures["minutes_to_first_effect"]
    found: dict[str, Fraction | None] = dict.fromkeys(FIGURES)
    if isinstance(minutes, Measured):
        fallen = sum((Fraction(value) * share for value, share in minutes.distribution or ()), Fraction(0))
        found["minutes"] = fallen + minutes.unresolved * answer.moments * answer.minutes_per_moment
    for name in ("delivered", "own_troops_under_fire", "exhausted"):
        measured = answer.measures[name]
        if isinstance(measured, Measured) and isinstance(measured.value, Fraction):
            found[name] = measured.value
    on_target, worst = answer.measures["on_target"], answer.measures["target_severity"]
    if isinstance(on_target, Measured):
        shares = (share for value, share in on_target.distribution or () if value is True)
        found["on_target"] = sum(shares, Fraction(0))
    if isinstance(worst, Measured):
        left = dict(worst.distribution or ())
        so_far = Fraction(0)
        for severity in sorted(Severity, reverse=True):
            if severity is not Severity.NONE:
                so_far += left.get(severity.name.lower(), Fraction(0))
                found[severity.name.lower()] = so_far
    return found
