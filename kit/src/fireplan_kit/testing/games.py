"""Every installed game, what of it can be staged, and figures that must not fall as a fact of the engagement grows."""

from collections.abc import Callable, Collection, Iterable
from fractions import Fraction
from functools import cache
from importlib.metadata import entry_points
from itertools import pairwise
from typing import Any

import pytest

from fireplan.analysis import DEFAULT, FIGURES, shipped_engagements
from fireplan.positions import Source, Sources
from fireplan.questions.opening import engagement_named
from fireplan.solver import Analysis
from fireplan_core import CannotStageError
from fireplan_core.files import FileError
from fireplan_core.play import GROUP, Catalogue, shipped_scenarios, stage_engagement


def for_every_game(test: Callable[..., Any] | None = None, /, *, but: Collection[str] = ()) -> Any:
    """Run a test once for every installed game, whose key is its argument ``game``.

    ``but`` names games left out.
    """
    names = sorted({entry.name for entry in entry_points(group=GROUP)} - set(but))
    mark = pytest.mark.parametrize("game", names)
    return mark if test is None else mark(test)


@cache
def catalogue() -> Catalogue:
    """Return the installed games, loaded once."""
    return Catalogue.installed()


@cache
def sources() -> Sources:
    """Return what can be staged with the installed games, each table staged once."""
    return Sources(catalogue(), shipped_engagements())


@cache
def sources_of(game: str) -> tuple[Source, ...]:
    """Return the tables of a game that stories begin at: its shipped scenarios, and the usual engagement if it can.

    Raises KeyError for a game that is not installed, ValueError for one that stages neither.
    """
    found = [
        Source(name=name)
        for name in shipped_scenarios(catalogue())
        if name.partition("/")[0] == game
    ]
    usual = Source(name=DEFAULT, game=catalogue()[game].game.key)
    try:
        sources().scenario(usual)
    except (CannotStageError, FileError):
        pass
    else:
        found.append(usual)
    if not found:
        raise ValueError(f"{game} has no scenarios and cannot stage the engagement {DEFAULT!r}")
    return tuple(found)


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

    ``figure`` is one of ``fireplan.analysis.FIGURES`` (delivered, on_target, minutes, destroyed ...), ``over`` a fact
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
