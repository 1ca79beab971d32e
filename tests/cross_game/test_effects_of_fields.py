"""Setting an option or a field changes play: games with different values are played side by side.

``tests/data/effects_unseen.toml`` lists, with reasons, the options and fields for which such play
shows no difference.
"""

import random
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import tomli
from random_values import values
from support_effects import CATALOGUE, staged

import fireplan as fp
from fireplan.analysis import shipped_engagements
from fireplan.positions import TABLE
from fireplan.positions.fields import fields_of
from fireplan_core import Ask, Refusal, Scenario
from fireplan_core.chance import RandomFaces
from fireplan_core.play import (
    Answered,
    State,
    Table,
    Thrown,
    shipped_scenarios,
)
from fireplan_kit.play_laws import wander

GAMES = sorted(CATALOGUE.games)
UNSEEN: Mapping[str, Mapping[str, Mapping[str, str]]] = tomli.loads(
    (Path(__file__).parents[1] / "data/effects_unseen.toml").read_text("utf-8")
)
INPUTS = 40
"""Number of orders and throws for which two games are compared."""
SEEDS = range(3)


def look_alike(tables: tuple[Table, Table], seed: int) -> Iterator[bool]:
    """Play two tables with the same orders and dice; yield whether they still look the same."""
    (first, second), faces = tables, RandomFaces(seed)
    for _ in range(INPUTS):
        waits = first.waits_for
        yield first.log == second.log and repr(waits) == repr(second.waits_for)
        if waits is None:
            return
        if isinstance(waits, Ask):
            orders, others = (table.rulebook.legal(waits, table.read, each=2) for table in tables)
            yield orders == others
            given = Answered(waits.question, orders[faces.below(len(orders))])
        else:
            given = Thrown(waits.name, faces.faces(waits))
        refused = [isinstance(table.submit(given), Refusal) for table in tables]
        yield not any(refused)


# --- options -------------------------------------------------------------------------------------
def option_shows(key: str, option: Any) -> bool:
    """Return whether two values of an option differ in setup, orders or the course of play."""
    shipped = [name for name in shipped_scenarios(CATALOGUE) if name.startswith(f"{key}/")]
    for name in (*shipped, *shipped_engagements()):
        scenarios = [staged(key, name, "options", option.name, value) for value in option.values]
        ready = [scenario for scenario in scenarios if scenario is not None]
        if ready and len(ready) < len(scenarios):
            return True  # the rules do not allow one of the values here
        for other in ready[1:]:
            if (ready[0].clock.minutes, repr(ready[0].frame)) != (
                other.clock.minutes,
                repr(other.frame),
            ):
                return True
            for seed in SEEDS:
                if not all(look_alike((Table(ready[0], 30), Table(other, 30)), seed)):
                    return True
    return False


@pytest.mark.long
@pytest.mark.parametrize("key", GAMES)
def test_another_value_of_an_option_changes_play(key):
    unseen = UNSEEN.get(key, {}).get("options", {})
    options = CATALOGUE[key].game.options
    assert [o.name for o in options if o.name not in unseen and not option_shows(key, o)] == []


def test_an_option_changes_play():
    assert option_shows("wacht_am_rhein", CATALOGUE["wacht_am_rhein"].game.options[0])


# --- fields --------------------------------------------------------------------------------------
def named_fields(key: str) -> list[tuple[str, str]]:
    """Return the fields of a game as pairs of a group (asset, unit, table) and a name."""
    rows = fp.fields(key).rows()
    return [(row["of"], row["name"]) for row in rows if row["of"] in ("asset", "unit", "table")]


def owners(scenario: Scenario, group: str) -> tuple[str, ...]:
    """Return the assets or units of a scenario; the table owns its own fields."""
    return {"asset": (*scenario.missions,), "unit": (*scenario.units,)}.get(group, (TABLE,))


@cache
def in_play(name: str) -> tuple[Any, tuple[State, ...]]:
    """Return the opening position of a scenario, and states of random play."""
    opening = fp.position(name)
    states = [opening.at.state]
    for seed in SEEDS:
        tables = wander(opening.at.scenario, 4, seed=seed, most=24)
        states += [table.state for table in tables if table.waits_for]
    return opening, tuple(dict.fromkeys(states))


def shows_at(name: str, group: str, word: str, tries: int) -> bool:
    """Return whether setting a field at random points of a scenario's play changes its course."""
    opening, states = in_play(name)
    scenario, choose = opening.at.scenario, random.Random(word)
    fields = fields_of(scenario)
    named = {
        owner: fields.table if owner == TABLE else fields.of(owner)
        for owner in owners(scenario, group)
    }
    having = [owner for owner in named if word in named[owner] and not named[owner][word].places]
    for _ in range(tries if having else 0):
        owner, state = choose.choice(having), choose.choice(states)
        value = choose.choice(values(choose, scenario, named[owner][word]) or [None])
        change = {word: value} if owner == TABLE else {owner: {word: value}}
        try:
            position = opening.standing(state).having(
                **{TABLE if owner == TABLE else f"{group}s": change}
            )
        except fp.InputError:
            continue
        if position.at.state == state:
            continue
        moments = state.moment + 4
        tables = Table(scenario, moments, state), Table(scenario, moments, position.at.state)
        if not all(look_alike(tables, choose.randint(1, 9))):
            return True
    return False


def field_shows(key: str, group: str, word: str, tries: int) -> bool:
    """Return whether setting a field of a game changes what happens, what is asked or may be ordered."""
    names = [name for name in shipped_scenarios(CATALOGUE) if name.startswith(f"{key}/")]
    return any(shows_at(name, group, word, tries) for name in names)


@pytest.mark.long
@pytest.mark.parametrize("key", GAMES)
def test_setting_a_field_changes_play(key):
    unseen = UNSEEN.get(key, {}).get("fields", {})
    assert [
        f"{group} {word}"
        for group, word in named_fields(key)
        if f"{group} {word}" not in unseen and not field_shows(key, group, word, 60)
    ] == []


@pytest.mark.parametrize(
    ("name", "group", "word"),
    [
        ("asl/village", "asset", "red"),
        ("asl/village", "unit", "broken"),
        ("wacht_am_rhein/crossroads", "unit", "steps"),
        ("red_poppies/battle_for_pinon", "asset", "hourglass"),
    ],
)
def test_setting_some_fields_changes_play(name, group, word):
    assert shows_at(name, group, word, 60)


def test_every_option_and_field_without_visible_effect_has_a_reason():
    for key in UNSEEN.keys() & CATALOGUE.games.keys():
        assert all(reason for listed in UNSEEN[key].values() for reason in listed.values())
        options = {option.name for option in CATALOGUE[key].game.options}
        assert {*UNSEEN[key].get("options", ())} <= options
        fields = {f"{group} {word}" for group, word in named_fields(key)}
        assert {*UNSEEN[key].get("fields", ())} <= fields
