"""Which cases of a test over all scenarios are quick: the first of each game; the others are full."""

from collections.abc import Iterable
from typing import Any

import pytest


def first_of_each_game(scenarios: Iterable[str]) -> list[Any]:
    """Return the scenarios, such as ``asl/village``, as parameters of a test, by name."""
    games = set[str]()
    cases = []
    for name in sorted(scenarios):
        game = name.partition("/")[0]
        cases.append(pytest.param(name, marks=pytest.mark.full) if game in games else name)
        games.add(game)
    return cases
