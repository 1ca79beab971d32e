"""Test helpers: all installed games, the tables that each can stage, and monotone figures."""

from collections.abc import Callable, Collection, Iterable
from fractions import Fraction
from functools import cache
from importlib.metadata import entry_points
from itertools import pairwise
from typing import Any

import pytest

from fireplan import sheets
from fireplan.analysis import DEFAULT, FIGURES, shipped_engagements
from fireplan.positions import Source, Sources
from fireplan.questions.opening import engagement_named
from fireplan.solver import Analysis
from fireplan_core import CannotStageError
from fireplan_core.files import FileError
from fireplan_core.play import GROUP, Catalogue, shipped_scenarios, stage_engagement


def for_every_game(test: Callable[..., Any] | None = None, /, *, but: Collection[str] = ()) -> Any:
    """Parametrize a test with the keys of all installed games, as its argument ``game``.

    ``but`` lists installed games to leave out. The keys of the sheets in use, such as those that
    the environment variable FIREPLAN_SHEETS lists, are always added.
    """
    names = sorted({entry.name for entry in entry_points(group=GROUP)} - set(but))
    names += sheets.in_use()
    mark = pytest.mark.parametrize("game", names)
    return mark if test is None else mark(test)


@cache
def catalogue() -> Catalogue:
    """Return the catalogue of installed games, loaded once.

    >>> "asl" in catalogue().games
    True
    """
    return sheets.installed()


@cache
def sources() -> Sources:
    """Return the ``Sources`` of positions for the installed games; each table is staged once."""
    return Sources(catalogue(), shipped_engagements())


@cache
def sources_of(game: str) -> tuple[Source, ...]:
    """Return the sources for missions of a game: its scenarios and the default engagement.

    The engagement is left out if the game cannot stage it. Raises KeyError if the game is not
    installed, and ValueError if it has no source at all.

    >>> [source.name for source in sources_of("asl")]
    ['asl/creeping', 'asl/ridge', 'asl/set_piece', 'asl/village', 'woods']
    """
    starts = [
        Source(name=name)
        for name in shipped_scenarios(catalogue())
        if name.partition("/")[0] == game
    ]
    default = Source(name=DEFAULT, game=catalogue()[game].game.key)
    try:
        sources().scenario(default)
    except (CannotStageError, FileError):
        pass
    else:
        starts.append(default)
    if not starts:
        raise ValueError(f"{game} has no scenarios and cannot stage the engagement {DEFAULT!r}")
    return tuple(starts)


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
    """Assert that a figure never falls as a fact takes these values in turn; return the figures.

    ``figure`` is one of ``fireplan.analysis.FIGURES`` (delivered, on_target,
    minutes_to_first_effect, destroyed ...), and ``over`` is a fact by its short name (guns, range,
    own_troops ...). ``facts`` are set in the engagement (woods by default) for every value. With
    ``falling`` the figure must never grow. The figures returned are exact fractions, one for each
    value. Raises ``InputError`` for unknown names and values, ``CannotStageError`` if the game
    cannot stage the engagement.

    >>> assert_monotone("destroyed", over="guns", values=(4, 12), game="wacht_am_rhein")
    [Fraction(1, 5), Fraction(1, 5)]
    """
    figures: list[tuple[Any, Fraction]] = []
    for value in values:
        staged = engagement_named(engagement, {**facts, over: value})
        scenario = stage_engagement(catalogue(), game, staged)
        moments = scenario.clock.moments(staged.minutes)
        figures.append((value, FIGURES[figure].of(Analysis(scenario, moments))))
    for (value, lower), (next_value, upper) in pairwise(figures):
        if (upper > lower) if falling else (upper < lower):
            change = "grows" if falling else "falls"
            raise AssertionError(
                f"{game}: {figure} {change} from {float(lower):.6f} at {over} = {value} to {float(upper):.6f} at"
                f" {over} = {next_value} (exactly {lower} and {upper})"
            )
    return [share for _, share in figures]
