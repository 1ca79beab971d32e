"""The yardsticks: one definition each, and how each is read off a scenario's exact analysis."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from importlib.resources import files
from typing import Any

import attrs

from fireplan.comparison._answers import Answer, GameAnswer, Measured, NotModelled, Picture
from fireplan.comparison._danger import danger
from fireplan.solver import (
    Analysis,
    ConditionedAnalysis,
    Distribution,
    FirstFall,
    exhausted,
    own_troops_under_fire,
    uncollected,
)
from fireplan_core import Scenario, View
from fireplan_core.chance import read_csv
from fireplan_core.play import Values

Outline = tuple[tuple[float, float], ...]


@attrs.frozen(eq=False, repr=False)
class Yardstick:
    """A measure's name, its title in tables, its unit, and its one-line definition."""

    name: str
    title: str
    unit: str
    definition: str


YARDSTICKS = tuple(Yardstick(**row) for row in read_csv(files("fireplan.comparison") / "yardsticks.csv"))


@uncollected()
def answer(  # noqa: PLR0913 - what is answered, and how
    key: str,
    title: str,
    edition: str,
    scenario: Scenario,
    moments: int,
    progress: Callable[[str], None],
    *,
    exact: bool = True,
    drawn: bool = False,
    begin: Callable[[float], None] = lambda _seconds: None,
    analysis: Analysis | ConditionedAnalysis | None = None,
) -> GameAnswer:
    """Return all that a game answers about a staged engagement, exactly or in floats; with its picture if ``drawn``.

    ``progress`` is told of each yardstick, ``begin`` roughly how many seconds they will take; it may raise.
    An ``analysis`` of these moments answers from where it begins, and under its condition.
    """
    if analysis is None:
        analysis = Analysis(scenario, moments, exact=exact)
        begin(analysis.seconds)
    first = analysis.solve(FirstFall())
    progress("minutes_to_first_effect")
    footprint = round(scenario.parts.areas.footprint(*_on_target(scenario))[1], 2)
    measures: dict[str, Answer] = {
        "minutes_to_first_effect": _minutes(scenario, first),
        "delivered": Measured("probability", exact=exact, value=1 - _never(first)),
        "on_target": _spread("probability", _fallen(first, 2), first),
        "miss_metres": _miss(scenario, first),
        "footprint_hectares": Measured("ha", exact=False, value=footprint),
    }
    severities = tuple((severity.name.lower(), share) for severity, share in analysis.severity().items())
    progress("target_severity")
    measures["target_severity"] = (
        Measured("severity", exact=exact, distribution=severities)
        if scenario.target_strength
        else NotModelled("no unit of the target has a strength that could suffer")
    )
    measures["own_troops_under_fire"] = (
        _chance(analysis.solve(own_troops_under_fire()))
        if any(setup.side == scenario.firer for setup in scenario.units.values())
        else NotModelled("the engagement has no troops of the firer's own nearby")
    )
    progress("own_troops_under_fire")
    measures["exhausted"] = _chance(analysis.solve(exhausted()))
    progress("exhausted")
    return GameAnswer(
        key=key,
        title=title,
        edition=edition,
        moment=scenario.clock.moment,
        minutes_per_moment=scenario.clock.minutes,
        grain=scenario.clock.grain,
        moments=moments,
        measures={yardstick.name: measures[yardstick.name] for yardstick in YARDSTICKS},
        notes=scenario.provenance,
        states=analysis.states,
        picture=_picture(scenario, first) if drawn else None,
        exact=exact,
    )


def _fallen(first: Distribution, field: int) -> list[tuple[Any, Fraction]]:
    """Return the shares of one field of the first fall, in order."""
    shares = first.by(lambda state: None if state is None else state[field])
    return sorted((value, share) for value, share in shares.items() if value is not None)


def _spread(unit: str, pairs: Iterable[tuple[Any, Fraction]], first: Distribution) -> Measured:
    """Return what the first fall came to; ``first`` says how often there was none."""
    return Measured(unit, exact=first.exact, distribution=tuple(pairs), unresolved=_never(first))


def _never(first: Distribution) -> Fraction:
    return first.by(lambda state: state is None).get(True, Fraction(0))


def _chance(distribution: Distribution) -> Measured:
    return Measured("probability", exact=distribution.exact, value=distribution.shares.get(True, Fraction(0)))


def _minutes(scenario: Scenario, first: Distribution) -> Measured:
    clock = scenario.clock
    pairs = ((moment * clock.minutes + clock.grain, share) for moment, share in _fallen(first, 0))
    return _spread("min", pairs, first)


def _miss(scenario: Scenario, first: Distribution) -> Answer:
    reason = scenario.parts.areas.miss_not_modelled
    if reason:
        return NotModelled(reason)
    metres: dict[float, Fraction] = {}
    for gap, share in _fallen(first, 1):
        away = round(scenario.frame.gap_metres(gap), 1)
        metres[away] = metres.get(away, Fraction(0)) + share
    return _spread("m", sorted(metres.items()), first)


def _at(scenario: Scenario, place: Any) -> tuple[View, str]:
    """Return a view in which the first mission's fire lies at a place."""
    mission = scenario.mission_ids[0]
    values = Values({**scenario.initial, f"missions/{mission}/impact": place})
    return View(values.get, scenario, "areas"), mission


def _on_target(scenario: Scenario) -> tuple[View, str]:
    """Return a view in which the first mission's fire lies where it is wanted."""
    mission = scenario.mission_ids[0]
    return _at(scenario, scenario.missions[mission].target)


def _picture(scenario: Scenario, first: Distribution) -> Picture:
    areas = scenario.parts.areas
    x, y = scenario.frame.metres(scenario.centre)

    def centred(outlines: Iterable[Outline]) -> tuple[Outline, ...]:
        return tuple(tuple((east - x, south - y) for east, south in outline) for outline in outlines)

    falls = _fallen(first, 3)
    return Picture(
        tuple((centred([areas.outline(place)])[0], share) for place, share in falls),
        centred(areas.shape(*_on_target(scenario))),
        danger((centred(areas.shape(*_at(scenario, place))), share) for place, share in falls),
    )
