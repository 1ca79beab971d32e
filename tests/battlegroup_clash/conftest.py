"""Scenarios of Battlegroup Clash for tests: two sides, blue (NATO) and red (Russia), played by
scripts.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import attrs
import pytest

import fireplan_battlegroup_clash as plugin
from fireplan.analysis import find_engagement
from fireplan_battlegroup_clash.facts import Jamming, TerrainEntry, UnitEntry, Weapon
from fireplan_battlegroup_clash.setup import ClashScenario
from fireplan_core import Order, Refusal
from fireplan_core.play import (
    Answered,
    Catalogue,
    Table,
    Thrown,
    Variation,
    stage_engagement,
    stage_scenario,
)

QUIET = {
    "requests.plan": "keep",
    "requests.activate": "pass",
    "delays.counter": "let",
    "requests.again": "enough",
}
"""The answers to every question that a script leaves out."""
AWAY = {"east": 60_000, "north": 60_000}
"""The place of units whose place does not matter."""


def laid(
    units=(),
    assets=(),
    ground=(),
    jamming=(),
    *,
    numbers=None,
    ratings=(0, 0),
    modifiers=(0, 0),
    **options,
):
    """Stage a scenario; assets are dictionaries with a kind, units dictionaries with a place.

    Each side gets a headquarters, and an idle asset if it has none.
    """
    units = [
        {"id": f"{side} staff", "side": side, "role": "hq", **AWAY} for side in ("blue", "red")
    ] + list(units)
    kinds = [{"side": "blue", "missions": 5, **one} for one in assets]
    without = sorted({"blue", "red"} - {one["side"] for one in kinds})
    kinds += [
        {"id": f"idle {side}", "side": side, "kind": "fpv", "missions": 1} for side in without
    ]
    other = {"blue": "red staff", "red": "blue staff"}
    form = ClashScenario(
        game="battlegroup_clash",
        title="test",
        moments=9,
        sides=("blue", "red"),
        first="blue",
        drones=("blue", "red"),
        ratings=ratings,
        modifiers=modifiers,
        options={"ew": "none", **options},
        asset=tuple(Weapon(**{"target": other[one["side"]], **one}) for one in kinds),
        unit=tuple(UnitEntry(**one) for one in units),
        ground=tuple(TerrainEntry(**one) for one in ground),
        jamming=tuple(Jamming(**one) for one in jamming),
    )
    assert list(form.check()) == []
    catalogue = Catalogue()
    catalogue.admit(plugin)
    return stage_scenario(catalogue, form, Path(), Variation(numbers=numbers or {}))


@pytest.fixture
def lay():
    """Return the function that stages a scenario: ``laid``."""
    return laid


class Driven:
    """A table played by a script, with its log and the orders that it refused."""

    def __init__(self, scenario, turns):
        self.scenario, self.table, self.refused = scenario, Table(scenario, turns), []

    def events(self, kind):
        """Return the events of a kind as dictionaries of their fields."""
        return [dict(entry.event.fields) for entry in self.table.log if entry.event.kind == kind]

    def of(self, unit, name):
        """Return a unit's field as it is now."""
        return self.table.read(f"units/{unit}/resolution/{name}", None)

    def left(self, asset):
        """Return the number of fire missions that an asset has left."""
        return self.table.read(f"missions/{asset}/requests/left", None)

    def tokens(self, side):
        """Return the number of tokens that a side has drawn and not revealed."""
        return sum(
            count
            for *pile, _, count in self.table.read("shared/out", ())
            if pile == ["etx", f"{side} drawn"]
        )


def driven(scenario, script=(), turns=1, **faces):
    """Play some turns by a script and return the table.

    ``script`` is a list of (question, verb, values). Each order is given the next time its question
    is asked, in the order listed; a fourth item is the rule that must refuse it. ``faces`` gives
    the dice of each named roll, one after the other; a roll that is not named shows its lowest
    faces. Every order and every face must be used.
    """
    run, wanted = Driven(scenario, turns), defaultdict(list)
    for question, *order in script:
        wanted[question].append(order)
    dice = {name: list(found) for name, found in faces.items()}
    while (waits := run.table.waits_for) is not None:
        if hasattr(waits, "question"):
            wishes = wanted[waits.question]
            if wishes and len(wishes[0]) > 1 and wishes[0][1].get("by", waits.who) != waits.who:
                wishes = []
            verb, *rest = wishes.pop(0) if wishes else (QUIET.get(waits.question, ""), {})
            values = {
                name: value for name, value in (rest[0] if rest else {}).items() if name != "by"
            }
            standard = run.table.rulebook.answer(waits, {}, run.table.read) if not verb else None
            answer = run.table.submit(
                Answered(waits.question, standard or Order.of(verb, **values))
            )
            if rest[1:]:
                assert isinstance(answer, Refusal), answer
                assert rest[1] in answer.cite, answer
                run.refused.append(answer)
            elif isinstance(answer, Refusal) and waits.question == "requests.activate":
                # The order is no longer possible in this turn: try it again in the next.
                wanted[waits.question].insert(0, [verb, *rest])
                run.table.submit(Answered(waits.question, Order.of("pass")))
            else:
                assert not isinstance(answer, Refusal), answer
        else:
            left = dice.get(waits.name)
            least = [min(face for face, weight in die.weights if weight) for die in waits.faces]
            if waits.name == "initiative":
                least = [2, 1]  # a tie is rolled again
            thrown = tuple(left.pop(0) if left else face for face in least)
            run.table.submit(Thrown(waits.name, thrown))
    assert not any(wanted.values()), dict(wanted)
    assert not any(dice.values()), dice
    return run


@pytest.fixture
def drive():
    """Return the function that plays a scenario by a script: ``driven``."""
    return driven


@pytest.fixture
def stage():
    """Return a function that stages a shipped engagement under options."""

    def staged(name, changes=None, **options):
        catalogue = Catalogue()
        catalogue.admit(plugin)
        engagement = find_engagement(name)
        for word, fields in (changes or {}).items():
            engagement = attrs.evolve(
                engagement, **{word: attrs.evolve(getattr(engagement, word), **fields)}
            )
        return stage_engagement(
            catalogue, "battlegroup_clash", engagement, Variation(options=options)
        )

    return staged
