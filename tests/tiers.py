"""Which cases of a test over many are quick: the first of each game, or some of all.

Of the others some are full, and the rest runs before a release.
"""

from collections.abc import Iterable
from typing import Any

import pytest

SMALL = "asl/village"
"""A scenario that is solved sooner than the first of its game."""


def first_of_each_game(scenarios: Iterable[str]) -> list[Any]:
    """Return the scenarios, such as ``asl/ridge``, as parameters of a test, by name.

    The first of each game is quick, the second full; the others are long.
    """
    names = sorted(scenarios)
    of_game: dict[str, list[str]] = {}
    for name in sorted(names, key=lambda name: name != SMALL):
        of_game.setdefault(name.partition("/")[0], []).append(name)
    place = {name: n for group in of_game.values() for n, name in enumerate(group)}
    return [pytest.param(name, marks=_MARKS[min(place[name], 2)]) for name in names]


def one_in(number: int, cases: Iterable[Any]) -> list[Any]:
    """Return the cases as parameters of a test, of which the first and every ``number``-th is quick.

    The case after each of these is full, the others are long. A number that has no divisor in
    common with how many values an argument has meets all of them.
    """
    return [
        pytest.param(*_values(case), marks=_MARKS[min(n % number, 2)])
        for n, case in enumerate(cases)
    ]


def full_then_long(cases: Iterable[Any]) -> list[Any]:
    """Return the cases as parameters of a test that is not quick: the first is full, the rest long."""
    return [
        pytest.param(*_values(case), marks=_MARKS[min(n + 1, 2)]) for n, case in enumerate(cases)
    ]


_MARKS = ((), pytest.mark.full, pytest.mark.long)


def _values(case: Any) -> tuple[Any, ...]:
    return case if isinstance(case, tuple) else (case,)
