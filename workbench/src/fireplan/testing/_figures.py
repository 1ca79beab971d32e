"""Figures that must not fall as a fact of the engagement grows."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import pairwise
from typing import Any

from fireplan.api import engagement_named
from fireplan.comparison import FIGURES
from fireplan.solver import Analysis
from fireplan.testing._games import catalogue
from fireplan_core.play import stage_engagement


def assert_monotone(
    figure: str,
    *,
    over: str,
    values: Iterable[Any],
    game: str,
    engagement: str | None = None,
    falling: bool = False,
    **facts: Any,
) -> list[Fraction]:
    """Fail where a figure of a game falls while a fact of the engagement takes these values in turn; return it at each.

    ``figure`` is one of ``fireplan.comparison.FIGURES`` (delivered, on_target, minutes, destroyed ...), ``over`` a fact
    by its short name (guns, range, own_troops ...), ``facts`` are laid over the engagement (woods by default) for all.
    With ``falling`` it must not grow. Every figure is exact. Raises ``InputError`` for names and values that there are
    not, ``CannotStageError`` where the game cannot stage it.
    """
    found: list[tuple[Any, Fraction]] = []
    for value in values:
        staged = engagement_named(engagement, {**facts, over: value})
        scenario = stage_engagement(catalogue(), game, staged)
        moments = scenario.clock.moments(staged.minutes)
        found.append((value, FIGURES[figure].of(Analysis(scenario, moments))))
    for (before, lower), (at, upper) in pairwise(found):
        if (upper > lower) if falling else (upper < lower):
            way = "grows" if falling else "falls"
            raise AssertionError(
                f"{game}: {figure} {way} from {float(lower):.6f} at {over} = {before} to {float(upper):.6f} at"
                f" {over} = {at} (exactly {lower} and {upper})"
            )
    return [share for _, share in found]
