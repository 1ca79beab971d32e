"""Random values for fields of positions: absent, empty or extreme ones, and names and places of the
table.
"""

import random
from enum import Enum
from fractions import Fraction
from typing import get_args, get_origin

from fireplan.positions.hints import members
from fireplan_core.space import PLACE

STRANGER = "nobody of this name"


def numbers(choose, field, kind):
    """Return the smallest, the largest and a small number that a field takes."""
    low, high = field.about.get("range") or (0, 5)
    return [kind(low), kind(high), kind(choose.randint(int(low), int(min(high, low + 5))))]


def lists(choose, scenario, kind):
    """Return empty and short lists or sets for a field that takes one."""
    names = [*scenario.units, *scenario.missions]
    make = list if get_origin(kind) is tuple else set
    items = {str: [choose.choice(names), STRANGER], int: [choose.randint(0, 3)]}
    held = get_args(kind)[0]
    return [make(), *([make([item]) for item in items.get(held, ())])]


def values(choose, scenario, field):
    """Return values for a field: absent, empty or extreme ones, and names and places of the table."""
    places = [
        getattr(setup, "place", None) or getattr(setup, "target", None)
        for setup in (*scenario.units.values(), *scenario.missions.values())
    ]
    found = []
    for kind in members(field.hint):
        if kind is bool:
            found += [True, False]
        elif kind in (int, Fraction):
            found += numbers(choose, field, kind)
        elif kind == PLACE:
            found += [None, scenario.frame.label(choose.choice([each for each in places if each]))]
        elif kind is str:
            found += ["", choose.choice([*scenario.units, *scenario.missions]), STRANGER]
        elif kind is type(None):
            found.append(None)
        elif isinstance(kind, type) and issubclass(kind, Enum):
            found.append(choose.choice(list(kind)).name.lower())
        elif get_origin(kind) in (tuple, frozenset):
            found += lists(choose, scenario, kind)
    return found


def random_choices(seed):
    """Return a player that chooses at random, once and for all, for each question in each moment."""

    def choose(ask, read, legal):
        orders = sorted(legal(), key=repr)
        return (
            [random.Random(f"{seed} {ask.question} {read('clock/moment', 0)}").choice(orders)]
            if orders
            else []
        )

    return choose
