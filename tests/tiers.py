"""Mark the quick cases of a parametrized test: the first of each game, or every n-th case.

The others run before a release.
"""

from collections.abc import Iterable
from typing import Any

import pytest

SMALL = "asl/village"
"""A scenario that is solved faster than the first of its game."""


def first_of_each_game(scenarios: Iterable[str]) -> list[Any]:
    """Return scenario names such as ``asl/ridge`` as parameters of a test.

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
    """Return the cases as parameters of a test; the first and every ``number``-th are quick, the
    others long.

    If ``number`` and the number of an argument's values have no common divisor, the quick cases
    include each value.
    """
    return [
        pytest.param(*_values(case), marks=pytest.mark.long if n % number else ())
        for n, case in enumerate(cases)
    ]


def full_then_long(cases: Iterable[Any]) -> list[Any]:
    """Return the cases as parameters of a test that is never quick: the first is full, the others
    long.
    """
    return [
        pytest.param(*_values(case), marks=pytest.mark.long if n else pytest.mark.full)
        for n, case in enumerate(cases)
    ]


def _values(case: Any) -> tuple[Any, ...]:
    return case if isinstance(case, tuple) else (case,)
