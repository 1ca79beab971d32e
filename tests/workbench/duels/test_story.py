"""A side's story: two plays have the same story exactly if the side cannot tell them apart."""

from __future__ import annotations

from pathlib import Path

import pytest

import fireplan as fp
from fireplan.duels import SideObservations
from fireplan_core import Ask, Order, Refusal
from fireplan_core.play import Answered, Table

STACK = Path(__file__).parents[3] / "examples" / "duels" / "empty_stack.toml"
BARRAGE = Order.of("place", barrages=1, dummies=0, air_strikes=0)
DUMMY = Order.of("place", barrages=0, dummies=1, air_strikes=0)
BOTH = Order.of("place", barrages=1, dummies=1, air_strikes=0)
PASS = Order.of("pass")


def stories(side: str, *orders: Order) -> list[int]:
    """Return the number of the side's story after each of these first American orders."""
    opens = fp.position(str(STACK))
    begun = SideObservations(opens.at.scenario, 2, side)
    found = []
    for order in orders:
        table, story = Table(opens.at.scenario, 2), begun.fork()
        waits = table.waits_for
        assert isinstance(waits, Ask)
        story.add_order(0, waits, order, table.rulebook.forms(waits, table.read))
        entries = table.submit(Answered(waits.question, order))
        assert not isinstance(entries, Refusal)
        story.add_events(0, [entry.event for entry in entries])
        found.append(story.look(table.state, None))
    return found


def test_6_1_h_the_contents_of_a_stack_are_not_in_the_other_sides_story() -> None:
    barrage, dummy, both, nothing = stories("german", BARRAGE, DUMMY, BOTH, PASS)
    assert barrage == dummy == both
    assert nothing != barrage


@pytest.mark.parametrize("side", ["american", "referee"])
def test_a_side_that_can_tell_plays_apart_has_different_stories(side: str) -> None:
    assert len(set(stories(side, BARRAGE, DUMMY, BOTH, PASS))) == 4
