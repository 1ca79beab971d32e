"""Every installed game, and what of it can be staged."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cache
from importlib.metadata import entry_points
from typing import Any

import pytest

from fireplan.comparison import DEFAULT, shipped_engagements
from fireplan.positions import Source, Sources
from fireplan_core import CannotStageError
from fireplan_core.files import FileError
from fireplan_core.play import GROUP, Catalogue, shipped_scenarios


def for_every_game(test: Callable[..., Any] | None = None, /, *, but: Collection[str] = ()) -> Any:
    """Run a test once for every installed game, whose key is its argument ``game``; ``but`` names games left out."""
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
    found = [Source(name=name) for name in shipped_scenarios(catalogue()) if name.partition("/")[0] == game]
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
