"""Changing a number changes play: random play of a game is repeated with another value.

``tests/data/numbers_unseen.toml`` lists, with reasons, the numbers for which such play shows no
difference.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest
import tomli
from support_effects import CATALOGUE, staged, staged_with

from fireplan.analysis import shipped_engagements
from fireplan_core import Ask, Refusal, Scenario, numbers_of
from fireplan_core.chance import RandomFaces
from fireplan_core.play import (
    Answered,
    Table,
    Thrown,
    Variation,
    shipped_scenarios,
)

ENGAGEMENTS = tuple(shipped_engagements())
UNSEEN: Mapping[str, Mapping[str, str]] = tomli.loads(
    (Path(__file__).parents[1] / "data/numbers_unseen.toml").read_text("utf-8")
)
GAMES = {"seeds": 4, "moments": 30, "inputs": 80}
"""The number of games played of each scenario, and the number of inputs of each."""


@cache
def scenarios(key: str) -> Mapping[str, frozenset[str]]:
    """Return, by scenario and engagement, the numbers of a game that random play reads."""
    names = [name for name in shipped_scenarios(CATALOGUE) if name.startswith(f"{key}/")]
    read: dict[str, frozenset[str]] = {}
    for name in (*names, *ENGAGEMENTS):
        seen: set[str] = set()
        variation = Variation(note=seen.add)
        if staged(key, name, "numbers") is None:
            continue
        scenario = staged_with(key, name, variation)
        for seed in range(GAMES["seeds"]):
            for _ in together(scenario, scenario, seed):
                pass
        read[name] = frozenset(each.partition(".")[2] for each in seen)
    return read


def together(one: Scenario, other: Scenario, seed: int) -> Iterator[bool]:
    """Play two scenarios with the same orders and dice; yield whether they still look the same."""
    tables = Table(one, GAMES["moments"]), Table(other, GAMES["moments"])
    faces, (first, second) = RandomFaces(seed), tables
    for _ in range(GAMES["inputs"]):
        waits = first.waits_for
        yield (
            first.log == second.log
            and repr(waits) == repr(second.waits_for)
            and first.state.values == second.state.values
        )
        if waits is None:
            return
        if isinstance(waits, Ask):
            orders, others = (table.rulebook.legal(waits, table.read, each=2) for table in tables)
            yield orders == others
            given = Answered(waits.question, orders[faces.below(len(orders))])
            refused = [isinstance(table.submit(given), Refusal) for table in tables]
            yield not any(refused)
        else:
            thrown = faces.faces(waits)
            for table in tables:
                table.submit(Thrown(waits.name, thrown))


def further(value: int) -> tuple[int, ...]:
    """Return values farther away than the nearest ones."""
    return 0, value + 3, value - 3, value + 10, 2 * value, value // 2, 100 * value


def shows(key: str, number: str) -> bool:
    """Return whether another value of a number changes a scenario, its clock, or its play."""
    cell = numbers_of(CATALOGUE[key].game.charts)[number].cell
    for name, read in scenarios(key).items():
        if number not in read:
            continue
        printed = staged(key, name, "numbers")
        for value in dict.fromkeys((*cell.steps, *further(cell.value))):
            changed = staged(key, name, "numbers", number, str(value))
            if changed is None:
                continue
            if (printed.clock.minutes, repr(printed.frame)) != (
                changed.clock.minutes,
                repr(changed.frame),
            ):
                return True
            for seed in range(GAMES["seeds"]):
                if not all(together(printed, changed, seed)):
                    return True
    return False


def changeable(key: str) -> list[str]:
    """Return the numbers of a game that can have another value."""
    named = numbers_of(CATALOGUE[key].game.charts).values()
    return [each.name for each in named if each.chart == "numbers" and each.cell.steps]


@pytest.mark.long
@pytest.mark.parametrize("key", sorted(CATALOGUE.games))
def test_another_value_of_a_number_changes_play(key):
    unseen = UNSEEN.get(key, {})
    assert [n for n in changeable(key) if n not in unseen and not shows(key, n)] == []


def test_every_number_without_visible_effect_has_a_reason():
    assert all(reason for reasons in UNSEEN.values() for reason in reasons.values())
    for key in UNSEEN.keys() & CATALOGUE.games.keys():
        assert {*UNSEEN[key]} <= {*changeable(key)}
