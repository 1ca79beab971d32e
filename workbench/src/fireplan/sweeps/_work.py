"""Solving one point of a grid: what a worker does. It needs nothing but the point, and prints nothing."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import attrs

from fireplan.comparison import answer, answer_data, broken, figures_of, load_engagement
from fireplan.positions import with_facts
from fireplan.solver import TooLargeError
from fireplan.sweeps._plan import Point
from fireplan_core import CannotStageError, Scenario
from fireplan_core.play import Catalogue, Variation, load_scenario, stage_engagement

SOLVED, CANNOT, TOO_LARGE, REFUSED = "solved", "cannot be staged", "too large", "refused"


@attrs.frozen
class Solved:
    """Say what came of a point: its outcome, why if it is not solved, and its answers (exact rationals as strings)."""

    number: int
    outcome: str
    reason: str
    moments: int
    states: int
    game_version: str
    figures: Mapping[str, str | None]
    answer: str


@cache
def _catalogue() -> Catalogue:
    return Catalogue.installed()


def solve_points(points: Iterable[Point]) -> list[Solved]:
    """Solve some points, one after the other."""
    return [solve_point(point) for point in points]


def solve_point(point: Point) -> Solved:
    """Stage and solve one point exactly. What cannot be staged or solved is an outcome, not an error."""
    catalogue = _catalogue()
    game = catalogue[point.game]
    blank = Solved(point.number, SOLVED, "", 0, 0, game.version, {}, "")
    try:
        scenario, moments = _laid(catalogue, point)
        found = answer(point.game, game.game.title, game.game.edition, scenario, moments, lambda _yardstick: None)
    except CannotStageError as error:
        return attrs.evolve(blank, outcome=CANNOT, reason="; ".join(error.reasons))
    except TooLargeError as error:
        return attrs.evolve(blank, outcome=TOO_LARGE, reason=str(error))
    except Exception as error:  # noqa: BLE001 - a game that breaks takes no other point with it
        return attrs.evolve(blank, outcome=REFUSED, reason=broken(error))
    figures = {name: None if value is None else str(value) for name, value in figures_of(found).items()}
    text = json.dumps(answer_data(found), ensure_ascii=False, sort_keys=True)
    return attrs.evolve(blank, moments=moments, states=found.states, figures=figures, answer=text)


def _laid(catalogue: Catalogue, point: Point) -> tuple[Scenario, int]:
    variation = Variation(options=dict(point.options), numbers=dict(point.numbers))
    path = Path(point.path)
    if point.is_scenario:
        scenario, form = load_scenario(catalogue, path, variation=variation)
        return scenario, form.moments if point.minutes is None else scenario.clock.moments(point.minutes)
    engagement = with_facts(load_engagement(path), dict(point.facts))
    scenario = stage_engagement(catalogue, point.game, engagement, variation)
    return scenario, scenario.clock.moments(point.minutes or engagement.minutes)
