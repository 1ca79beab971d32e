"""Which cases of a test over many are quick: the first of each game, or some of all; the others are full."""

from collections.abc import Iterable
from typing import Any

import pytest

SMALL = "asl/village"
"""A scenario that is solved sooner than the first of its game."""


def first_of_each_game(scenarios: Iterable[str]) -> list[Any]:
    """Return the scenarios, such as ``asl/ridge``, as parameters of a test, by name."""
    names = sorted(scenarios)
    quick: dict[str, str] = {}
    for name in sorted(names, key=lambda name: name != SMALL):
        quick.setdefault(name.partition("/")[0], name)
    return [
        name if name in quick.values() else pytest.param(name, marks=pytest.mark.full)
        for name in names
    ]


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
