"""Figures: a yardstick boiled down to one exact number, to rank by, to sweep and to export."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import attrs

from fireplan.comparison._answers import GameAnswer, Measured
from fireplan.solver import Analysis, FirstFall, Measure, WorstSeverity, exhausted, own_troops_under_fire
from fireplan_core import Scenario, Severity

Worth = Callable[[Scenario, int, Sequence[Any]], Fraction]
"""Say what one trajectory comes to, from where each measure ends after so many moments."""


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


def _of_one(
    name: str, unit: str, summary: str, measure: Measure, worth: Callable[[Any, Scenario, int], Fraction]
) -> Figure:
    """Return a figure that one measure tells: the mean of what its states are worth."""

    def of(analysis: Analysis) -> Fraction:
        shares = analysis.solve(measure).shares.items()
        return sum((share * worth(state, analysis.scenario, analysis.moments) for state, share in shares), Fraction(0))

    def worth_of(scenario: Scenario, moments: int, ends: Sequence[Any]) -> Fraction:
        return worth(ends[0], scenario, moments)

    return Figure(name, unit, summary, of, lambda _scenario: (measure,), worth_of)


def _chance(name: str, summary: str, measure: Measure, happened: Callable[[Any], bool] = bool) -> Figure:
    return _of_one(name, "probability", summary, measure, lambda state, _scenario, _moments: Fraction(happened(state)))


def _covers(fall: Any) -> bool:
    return fall is not None and fall[2] is True


def _minutes(fall: Any, scenario: Scenario, moments: int) -> Fraction:
    clock = scenario.clock
    return Fraction(moments * clock.minutes if fall is None else fall[0] * clock.minutes + clock.grain)


def _harm(least: Severity) -> Figure:
    def of(analysis: Analysis) -> Fraction:
        return sum((share for severity, share in analysis.severity().items() if severity >= least), Fraction(0))

    def worth(scenario: Scenario, _moments: int, ends: Sequence[Any]) -> Fraction:
        strengths = [scenario.units[unit].strength for unit in scenario.targets]
        harmed = (strength for strength, worst in zip(strengths, ends, strict=True) if worst >= least)
        return Fraction(sum(harmed), sum(strengths) or 1)

    return Figure(
        least.name.lower(),
        "share",
        f"mean share of the target {least.name.lower()} or worse",
        of,
        lambda scenario: tuple(WorstSeverity(unit) for unit in scenario.targets),
        worth,
    )


_FIRST = FirstFall()
_MEAN = "mean minutes to the first fire for effect, the whole watch if none falls"

FIGURES = {
    figure.name: figure
    for figure in (
        _chance("delivered", "chance that fire for effect falls at least once", _FIRST, lambda fall: fall is not None),
        _chance("on_target", "chance that the first fire for effect covers the centre", _FIRST, _covers),
        _of_one("minutes", "min", _MEAN, _FIRST, _minutes),
        *(_harm(severity) for severity in Severity if severity is not Severity.NONE),
        _chance("own_troops_under_fire", "chance that own troops come under fire", own_troops_under_fire()),
        _chance("exhausted", "chance that the asset can no longer be asked", exhausted()),
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
        found["on_target"] = dict(on_target.distribution or ()).get(True, Fraction(0))
    if isinstance(worst, Measured):
        left = dict(worst.distribution or ())
        so_far = Fraction(0)
        for severity in sorted(Severity, reverse=True):
            if severity is not Severity.NONE:
                so_far += left.get(severity.name.lower(), Fraction(0))
                found[severity.name.lower()] = so_far
    return found
