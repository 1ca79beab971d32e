"""The yardsticks: their definitions, and how an analysis of a scenario answers each."""

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from importlib.resources import files
from typing import Any

import attrs

from fireplan.analysis.answers import Answer, GameAnswer, Measured, Measures, NotModelled, Picture
from fireplan.solver import (
    Analysis,
    ConditionedAnalysis,
    Distribution,
    FirstFall,
    exhausted,
    own_troops_under_fire,
    uncollected,
)
from fireplan_core import Game, Scenario, Severity, View
from fireplan_core.chance import read_csv
from fireplan_core.play import Values
from fireplan_core.space import Outline

Point = tuple[float, float]

HARM = tuple(severity for severity in Severity if severity is not Severity.NONE)


@attrs.frozen(eq=False, repr=False)
class Yardstick:
    """A yardstick: its name, its title in tables, its unit, and its definition in words."""

    name: str
    title: str
    unit: str
    definition: str


YARDSTICKS = tuple(
    Yardstick(**row) for row in read_csv(files("fireplan.analysis") / "yardsticks.csv")
)


@uncollected()
def answer(
    game: Game,
    analysis: Analysis,
    progress: Callable[[str], None] = lambda _yardstick: None,
    *,
    given: ConditionedAnalysis | None = None,
    drawn: bool = False,
    harm: bool = True,
) -> GameAnswer:
    """Return a game's answers to all yardsticks, under the condition ``given`` if there is one.

    With ``drawn``, the answer includes the picture; unless ``harm``, the effect on the target,
    which takes by far the longest, is not worked out. ``progress`` is called with the name of each
    yardstick.
    """
    scenario, exact, source = analysis.scenario, analysis.exact, given or analysis
    first = source.solve(FirstFall())
    progress("minutes_to_first_effect")
    footprint = _rounded(scenario.parts.areas.footprint(*_on_target(scenario))[1], 2)
    measures: dict[str, Answer] = {
        "minutes_to_first_effect": _minutes(scenario, first, analysis.moments),
        "delivered": Measured("probability", exact=exact, number=1 - _never(first)),
        "on_target": _on_target_answer(first),
        "miss_metres": _miss(scenario, first),
        "footprint_hectares": Measured("ha", exact=False, number=footprint),
    }
    severities = (
        tuple((severity.name.lower(), share) for severity, share in source.severity().items())
        if harm
        else ()
    )
    progress("target_severity")
    effects = dict(_harm(severities, exact=exact))
    if not harm:
        effects = dict.fromkeys(effects, NotModelled("the effect on the target was not asked for"))
    elif not scenario.target_strength:
        effects = dict.fromkeys(
            effects, NotModelled("no unit of the target has a strength to lose")
        )
    measures["target_severity"] = effects.pop("target_severity")
    measures["own_troops_under_fire"] = (
        _chance(source.solve(own_troops_under_fire()))
        if any(setup.side == scenario.firer for setup in scenario.units.values())
        else NotModelled("the engagement has no own troops near the target")
    )
    progress("own_troops_under_fire")
    measures["exhausted"] = _chance(source.solve(exhausted()))
    progress("exhausted")
    return GameAnswer(
        key=game.key,
        title=game.title,
        edition=game.edition,
        moment=scenario.clock.moment,
        minutes_per_moment=scenario.clock.minutes,
        grain=scenario.clock.grain,
        moments=analysis.moments,
        measures=Measures({each.name: measures[each.name] for each in YARDSTICKS} | effects),
        notes=scenario.provenance,
        states=analysis.states,
        picture=_picture(scenario, first) if drawn else None,
        exact=exact,
        cites=analysis.compiler.cites,
    )


def _fallen(first: Distribution, field: int) -> list[tuple[Any, Fraction]]:
    """Return (value, share) pairs for one element of the first fall's state, sorted by value.

    ``field`` is the index of the element. Missions without a fall are left out.
    """
    shares = first.by(lambda state: None if state is None else state[field])
    return sorted((value, share) for value, share in shares.items() if value is not None)


def _spread(unit: str, pairs: Iterable[tuple[Any, Fraction]], first: Distribution) -> Measured:
    """Return an answer with these values and their chances.

    Its unresolved share is the share of missions without fire.
    """
    return Measured(unit, exact=first.exact, distribution=tuple(pairs), unresolved=_never(first))


def _never(first: Distribution) -> Fraction:
    return first.by(lambda state: state is None).get(True, Fraction(0))


def _chance(distribution: Distribution) -> Measured:
    return Measured(
        "probability", exact=distribution.exact, number=distribution.shares.get(True, Fraction(0))
    )


def _minutes(scenario: Scenario, first: Distribution, moments: int) -> Measured:
    clock = scenario.clock
    pairs = [(moment * clock.minutes + clock.grain, share) for moment, share in _fallen(first, 0)]
    spread, watch = _spread("min", pairs, first), moments * clock.minutes
    fallen = sum((minutes * share for minutes, share in pairs), Fraction(0))
    return attrs.evolve(spread, number=fallen + spread.unresolved * watch)


def _on_target_answer(first: Distribution) -> Measured:
    pairs = _fallen(first, 2)
    return attrs.evolve(
        _spread("probability", pairs, first), number=dict(pairs).get(True, Fraction(0))
    )


def _harm(
    severities: Sequence[tuple[str, Fraction]], *, exact: bool
) -> Iterator[tuple[str, Answer]]:
    """Yield (name, answer): the distribution of the worst results, then a share for each severity.

    The share is the chance that an element of the target suffers this severity or worse.
    """
    yield "target_severity", Measured("severity", exact=exact, distribution=tuple(severities))
    shares = dict(severities)
    beyond = itertools.accumulate(
        shares.get(severity.name.lower(), Fraction(0)) for severity in sorted(HARM, reverse=True)
    )
    values = dict(zip(sorted(HARM, reverse=True), beyond, strict=True))
    for severity in HARM:
        yield severity.name.lower(), Measured("share", exact=exact, number=values[severity])


def _miss(scenario: Scenario, first: Distribution) -> Answer:
    reason = scenario.parts.areas.miss_not_modelled
    if reason:
        return NotModelled(reason)
    metres: dict[float, Fraction] = {}
    for gap, share in _fallen(first, 1):
        away = round(scenario.frame.gap_metres(gap), 1)
        metres[away] = metres.get(away, Fraction(0)) + share
    spread = _spread("m", sorted(metres.items()), first)
    fallen = 1 - spread.unresolved
    mean = sum((_rounded(away, 1) * share for away, share in metres.items()), Fraction(0))
    return attrs.evolve(spread, number=mean / fallen if fallen else None)


def _rounded(number: float, digits: int) -> Fraction:
    """Return a number, rounded to ``digits`` decimals, as an exact fraction."""
    return Fraction(f"{number:.{digits}f}")


def _at(scenario: Scenario, place: Any) -> tuple[View, str]:
    """Return a view in which the first mission's impact is at a place, and the mission's id."""
    mission = scenario.mission_ids[0]
    values = Values({**scenario.initial, f"missions/{mission}/impact": place})
    return View(values.get, scenario, "areas"), mission


def _on_target(scenario: Scenario) -> tuple[View, str]:
    """Return a view with the first mission's fire on its target, and the mission's id."""
    mission = scenario.mission_ids[0]
    return _at(scenario, scenario.missions[mission].target)


def _picture(scenario: Scenario, first: Distribution) -> Picture:
    areas = scenario.parts.areas
    x, y = scenario.frame.metres(scenario.centre)

    def centred(outlines: Iterable[Outline]) -> tuple[Outline, ...]:
        return tuple(
            tuple((east - x, south - y) for east, south in outline) for outline in outlines
        )

    falls = _fallen(first, 3)
    return Picture(
        tuple((centred([scenario.frame.outline(place)])[0], share) for place, share in falls),
        centred(areas.shape(*_on_target(scenario))),
        danger((centred(areas.shape(*_at(scenario, place))), share) for place, share in falls),
    )


# --- fire near own troops: the chance that a point at some distance from the target is covered ----
def reach(outlines: Iterable[Sequence[Point]]) -> list[Point]:
    """Return the intervals of the line north from (0, 0) that outlines cover, in metres.

    They are sorted and disjoint. Points are metres east and south.
    """
    covered: list[Point] = []
    for outline in outlines:
        crossings: list[float] = []
        for (ax, ay), (bx, by) in zip(outline, (*outline[1:], *outline[:1]), strict=True):
            # A corner on the line counts as west of it, so that each crossing counts once.
            if (ax <= 0) != (bx <= 0):
                crossings.append(-(ay + (by - ay) * (0 - ax) / (bx - ax)))
        crossings.sort()
        covered += [
            (max(0.0, a), b) for a, b in zip(crossings[::2], crossings[1::2], strict=True) if b > 0
        ]
    merged: list[Point] = []
    for start, end in sorted(covered):
        if merged and start <= merged[-1][1] + 0.01:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def danger(
    falls: Iterable[tuple[Iterable[Sequence[Point]], Fraction]],
) -> tuple[tuple[float, Fraction], ...]:
    """Return (metres, chance) steps: the chance that fire covers a point this far north of (0, 0).

    The last chance is 0. ``falls`` has the outlines that fire covers at each place where it may
    land, and the chance of that place.
    """
    changes: dict[float, Fraction] = {0.0: Fraction(0)}
    for outlines, share in falls:
        for start, end in reach(outlines):
            for metres, change in ((round(start, 2), share), (round(end, 2), -share)):
                changes[metres] = changes.get(metres, Fraction(0)) + change
    steps: list[tuple[float, Fraction]] = []
    height = Fraction(0)
    for metres in sorted(changes):
        height += changes[metres]
        if not steps or steps[-1][1] != height:
            steps.append((metres, height))
    return tuple(steps)
