"""Figures: a yardstick boiled down to one exact number, to rank by, to sweep and to export."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import attrs

from fireplan.compare._answers import GameAnswer, Measured
from fireplan.mission import Severity
from fireplan.odds import Analysis, FirstFall, exhausted, own_troops_under_fire


@attrs.frozen
class Figure:
    """One exact number of a solved scenario: its name, its unit, what it means, and how it is read off."""

    name: str
    unit: str
    gist: str
    of: Callable[[Analysis], Fraction]


def _delivered(analysis: Analysis) -> Fraction:
    return 1 - analysis.solve(FirstFall()).shares.get(None, Fraction(0))


def _on_target(analysis: Analysis) -> Fraction:
    shares = analysis.solve(FirstFall()).shares
    return sum((share for state, share in shares.items() if state is not None and state[2] is True), Fraction(0))


def _minutes(analysis: Analysis) -> Fraction:
    clock = analysis.scenario.clock
    watch = analysis.moments * clock.minutes
    shares = analysis.solve(FirstFall()).shares
    after = {state: watch if state is None else state[0] * clock.minutes + clock.grain for state in shares}
    return sum((share * after[state] for state, share in shares.items()), Fraction(0))


def _harm(least: Severity) -> Callable[[Analysis], Fraction]:
    def of(analysis: Analysis) -> Fraction:
        return sum((share for severity, share in analysis.severity().items() if severity >= least), Fraction(0))

    return of


FIGURES = {
    figure.name: figure
    for figure in (
        Figure("delivered", "probability", "chance that fire for effect falls at least once", _delivered),
        Figure("on_target", "probability", "chance that the first fire for effect covers the centre", _on_target),
        Figure("minutes", "min", "mean minutes to the first fire for effect, the whole watch if none falls", _minutes),
        *(
            Figure(s.name.lower(), "share", f"mean share of the target {s.name.lower()} or worse", _harm(s))
            for s in Severity
            if s is not Severity.NONE
        ),
        Figure(
            "own_troops_under_fire",
            "probability",
            "chance that own troops come under fire",
            lambda analysis: analysis.solve(own_troops_under_fire()).shares.get(True, Fraction(0)),
        ),
        Figure(
            "exhausted",
            "probability",
            "chance that the asset can no longer be asked",
            lambda analysis: analysis.solve(exhausted()).shares.get(True, Fraction(0)),
        ),
    )
}
"""Every figure by name."""


def figures_of(answer: GameAnswer) -> dict[str, Fraction | None]:
    """The same figures read off answers already found; None where a game has no such figure."""
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
