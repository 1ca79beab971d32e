"""Tests of rules for authors' games: the generated cases, the report of a failing case, and figures
that must not fall.
"""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.vendor.pretty import pretty

import fireplan as fp
from fireplan import InputError
from fireplan.analysis import shipped_engagements
from fireplan.positions import Sources, position_of
from fireplan.table import OrderReader, reopen
from fireplan_core import Ask, Order
from fireplan_kit.testing import (
    assert_monotone,
    catalogue,
    for_every_game,
    orders,
    played_missions,
    positions,
    sources_of,
)

FAILING = """
from hypothesis import given, settings, strategies as st
from fireplan_kit.testing import played_missions

@settings(derandomize=True, database=None, deadline=None)
@given(mission=played_missions("miniatures_1943", where=lambda source: source.name.endswith("chits_in_hand")))
def test_nothing_is_ever_requested(mission):
    assert not any(entry.event.kind == "requested" for entry in mission.log)

def test_that_draws_nothing():
    assert False

@settings(derandomize=True, database=None, deadline=None, max_examples=1)
@given(mission=played_missions("miniatures_1943", inputs=0))
def test_a_mission_without_a_position(mission):
    object.__setattr__(mission, "table", None)
    assert False
"""


@pytest.fixture(scope="module")
def failure(tmp_path_factory):
    folder = tmp_path_factory.mktemp("failing")
    (folder / "test_failing.py").write_text(FAILING)
    there = [entry.value for entry in entry_points(group="pytest11")]
    load = () if "fireplan_kit.testing.plugin" in there else ("-p", "fireplan_kit.testing.plugin")
    command = [sys.executable, "-m", "pytest", "-q", *load, "-c", "/dev/null", "-p", "no:cacheprovider",
               "--basetemp", str(folder / "kept"), "test_failing.py"]  # fmt: skip
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stdout


@pytest.mark.long
def test_a_failing_case_is_printed_as_its_shortest_position_and_a_journal_that_replays_it(failure):
    line = re.search(r"^position: (fp1 .*)$", failure, re.MULTILINE)[1]
    position = position_of(line, Sources(catalogue(), shipped_engagements()))
    assert str(position) == line
    journal = re.search(r"^journal: fireplan replay (\S+)$", failure, re.MULTILINE)[1]
    session, _ = reopen(Path(journal), catalogue(), read_only=True)
    assert any(entry.event.kind == "requested" for entry in session.table.log)
    # After shrinking, the last input is the one that causes the failure.
    assert any(entry.event.kind == "requested" for entry in session.history.story[-1].entries)
    replayed = subprocess.run(
        [sys.executable, "-m", "fireplan", "replay", journal],
        capture_output=True,
        text=True,
        check=False,
    )
    assert replayed.returncode == 0, replayed.stderr


@pytest.mark.full
def test_a_test_without_drawn_cases_prints_no_case(failure):
    assert failure.count("position: ") == 1
    assert "3 failed" in failure


@pytest.mark.full
def test_a_mission_without_a_position_fails_only_its_own_test(failure):
    """A game under test may have a state that no line can describe."""
    assert "its position cannot be written as a line: 'NoneType' object has no attribute" in failure
    assert "it cannot be saved as a journal: " in failure
    assert "INTERNALERROR" not in failure


@for_every_game
@settings(max_examples=10)
@given(data=st.data())
def test_missions_are_played_by_the_rules(game, data):
    mission = data.draw(played_missions(game, inputs=15))
    assert mission.source in sources_of(game)
    again = type(mission.table)(mission.table.scenario, mission.table.moments)
    for one in mission.inputs:
        again.submit(one)
    assert again.state == mission.table.state


@for_every_game(but=("asl",))
@settings(max_examples=10)
@given(data=st.data())
def test_orders_are_legal_where_one_is_asked_for(game, data):
    assert game != "asl"
    position = data.draw(positions(game, inputs=15))
    table = position.table()
    if isinstance(table.waits_for, Ask):
        order = data.draw(orders(position))
        assert table.rulebook.refuse(table.waits_for, order, table.read) is None


@for_every_game
@settings(max_examples=10)
@given(data=st.data())
def test_a_drawn_order_prints_as_it_is_typed_and_is_read_back(game, data):
    position = data.draw(positions(game, inputs=15))
    table = position.table()
    if isinstance(table.waits_for, Ask):
        order = data.draw(orders(position))
        forms = tuple(table.rulebook.forms(table.waits_for, table.read))
        back = OrderReader(table.scenario).read(repr(order), forms)
        assert back == order
        assert order == back
        assert hash(back) == hash(order)
        assert order != Order(f"{order.verb}!", order.values)
        assert pretty(order) == str(order) == repr(order)


@for_every_game
@settings(max_examples=5, deadline=None)
@given(data=st.data())
def test_a_drawn_position_answers_questions_like_any_other(game, data):
    drawn = data.draw(positions(game, inputs=10))
    position = fp.position(str(drawn))
    assert repr(drawn) == position.line
    if position.question is not None:
        order = data.draw(orders(position))
        assert position.why_not(str(order)) is None
        assert position.play(str(order)) == position.play(order)


@pytest.mark.full
def test_a_falling_figure_is_reported_with_the_value():
    said = r"asl: own_troops_under_fire falls from 0\.\d+ at own_troops = 50 to 0\.\d+ at own_troops = 100 \(exactly"
    with pytest.raises(AssertionError, match=said):
        assert_monotone("own_troops_under_fire", over="own_troops", values=(50, 100), game="asl")
    with pytest.raises(AssertionError, match="asl: delivered grows from"):
        assert_monotone("delivered", over="minutes", values=(5, 10), game="asl", falling=True)


def test_an_unknown_fact_is_refused():
    with pytest.raises(InputError, match="did you mean guns"):
        assert_monotone("delivered", over="gunz", values=(1, 2), game="asl")
