"""Scenarios staged with one thing changed, for tests that compare play with and without it."""

from functools import cache
from typing import Any

from fireplan.analysis import find_engagement
from fireplan_core import Scenario
from fireplan_core.files import FileError
from fireplan_core.play import Catalogue, Variation, find_scenario, stage_engagement
from fireplan_core.setups.staging import CannotStageError

CATALOGUE = Catalogue.installed()


def staged_with(key: str, name: str, variation: Variation) -> Scenario:
    """Return a shipped scenario (game/name), or an engagement staged by a game, with one change."""
    if "/" in name:
        return find_scenario(CATALOGUE, name, variation)[0]
    return stage_engagement(CATALOGUE, key, find_engagement(name), variation)


@cache
def staged(key: str, name: str, kind: str, changed: str = "", value: Any = None) -> Scenario | None:
    """Return a scenario with one of its "options" or "numbers" changed, or None if it is refused."""
    try:
        return staged_with(key, name, Variation(**{kind: {changed: value} if changed else {}}))
    except (CannotStageError, FileError, ValueError):
        return None
