"""Which cases of a test over many are quick: the first of each game, or some of all; the others are full."""

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


def one_in(number: int, cases: Iterable[Any]) -> list[Any]:
    """Return the cases as parameters of a test, of which the first and every ``number``-th is quick.

    A number that has no divisor in common with how many values an argument has meets all of them.
    """
    return [
        case if n % number == 0 else pytest.param(*_values(case), marks=pytest.mark.full)
        for n, case in enumerate(cases)
    ]


def _values(case: Any) -> tuple[Any, ...]:
    return case if isinstance(case, tuple) else (case,)
