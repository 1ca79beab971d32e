"""Which cases of a test over many are quick: the first of each game, or some of all.

The others run before a release.
"""

from collections.abc import Iterable
from typing import Any

import pytest

SMALL = "asl/village"
"""A scenario that is solved sooner than the first of its game."""


def first_of_each_game(scenarios: Iterable[str]) -> list[Any]:
    """Return the scenarios, such as ``asl/ridge``, as parameters of a test, by name.

    The first of each game is quick, the others are long.
    """
    names = sorted(scenarios)
    first: dict[str, str] = {}
    for name in sorted(names, key=lambda name: name != SMALL):
        first.setdefault(name.partition("/")[0], name)
    return [
        pytest.param(name, marks=() if name in first.values() else pytest.mark.long)
        for name in names
    ]


def one_in(number: int, cases: Iterable[Any]) -> list[Any]:
    """Return the cases as parameters of a test, of which the first and every ``number``-th is quick.

    The others are long. If ``number`` and the number of values of an argument have no common
    divisor, the quick cases include each of these values.
    """
    return [
        pytest.param(*_values(case), marks=pytest.mark.long if n % number else ())
        for n, case in enumerate(cases)
    ]


def full_then_long(cases: Iterable[Any]) -> list[Any]:
    """Return the cases as parameters of a test that is not quick: the first is full, the rest long."""
    return [
        pytest.param(*_values(case), marks=pytest.mark.long if n else pytest.mark.full)
        for n, case in enumerate(cases)
    ]


def _values(case: Any) -> tuple[Any, ...]:
    return case if isinstance(case, tuple) else (case,)
