"""The games written from the documentation: a deck of cards on hexes, and a request chart and
deviation on a plane.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from itertools import product
from pathlib import Path

import pytest
from by_hand import fireplan, made_visible
from playing_on import submit_on
from tiers import full_then_long, one_in

from fireplan.analysis import find_engagement
from fireplan.table.words import Words
from fireplan_core import WORDS, Ask, CannotStageError, Outcome, View
from fireplan_core.chance import RandomFaces
from fireplan_core.play import (
    Catalogue,
    Table,
    Variation,
    find_scenario,
    play_out,
    stage_engagement,
)

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
KEYS = ("lantern_ridge", "marsh_road")
GAMES = ("asl", "miniatures_1943", "red_poppies", "wacht_am_rhein")
MOMENTS, PLAYS = 12, 4
PAIR = Path(__file__).parent / "pair.toml"


@pytest.fixture(scope="module")
def catalogue():
    found = Catalogue.installed()
    for key in KEYS:
        sys.path.insert(0, str(EXAMPLES / key / "src"))
        found.admit(__import__(f"fireplan_{key}"))
    return found


@pytest.mark.parametrize("key", full_then_long(KEYS))
def test_it_passes_every_check(tmp_path, key):
    environment = made_visible(EXAMPLES / key / "src", key, tmp_path / "site")
    report = json.loads(fireplan(environment, tmp_path, "check", key, "--json").stdout)
    assert [finding for check in report["checks"] for finding in check["findings"]] == []
    assert report["passed"]
    assert "rules" not in report["not_looked_at"]


@pytest.mark.parametrize(("key", "other", "word"), one_in(3, product(KEYS, GAMES, WORDS)))
def test_each_part_plays_in_each_game_both_ways(catalogue, key, other, word):
    """Within a few plays fire falls or a mission ends, or the table is refused with reasons; no
    other error occurs.
    """
    for base, lent in ((key, other), (other, key)):
        try:
            scenario = stage_engagement(
                catalogue, base, find_engagement("woods"), Variation(parts={word: lent})
            )
        except CannotStageError:
            continue
        kinds = set()
        for seed in range(PLAYS):
            table = play_out(Table(scenario, MOMENTS), RandomFaces(f"{key} {other} {seed}"))
            kinds |= {entry.event.kind for entry in table.log}
        assert kinds & {"fall", "ended"}, (
            f"{base} with the {word} of {lent}: no fire falls and no mission ends"
        )


def test_the_chart_answers_by_a_ten_sided_die_and_the_requests_of_any_game_can_read_it(catalogue):
    """Rule 6 of Marsh Road: 1 is refused, 2 to 5 wait, 6 to 8 arrive the turn after next, 9 next
    turn, 10 at once.
    """
    scenario = stage_engagement(catalogue, "marsh_road", find_engagement("woods"))
    answers = scenario.parts.delays.answers
    assert Counter(answers(face) for face in range(1, 11)) == {
        (Outcome.REFUSED, "refused", 0): 1,
        (Outcome.LATE, "wait", 0): 4,
        (Outcome.GOOD, "turn_after_next", 2): 3,
        (Outcome.GOOD, "next_turn", 1): 1,
        (Outcome.VERY_GOOD, "at_once", 0): 1,
    }
    seen = set()
    for seed in range(60):
        table = play_out(Table(scenario, 4), RandomFaces(seed))
        seen.add((table.read("missions/a/outcome", None), table.read("missions/a/answer", "")))
    assert (Outcome.GOOD, "at hand") in seen
    assert (Outcome.VERY_GOOD, "at_once") in seen


def test_a_question_names_the_asset_it_is_about(catalogue):
    """Rule 11 of Marsh Road: the other side is asked where a battery's fire strikes, in the words
    of the game.
    """
    scenario, file = find_scenario(catalogue, "marsh_road/first")
    table = Table(scenario, file.moments)
    faces = RandomFaces(1)
    while not (isinstance(table.waits_for, Ask) and table.waits_for.question == "areas.shift"):
        submit_on(table, faces)
    asset = table.waits_for.args[0]
    assert Words(scenario).question(table.waits_for) == f"Where does the fire of the {asset} land?"


def test_a_stand_is_struck_once_a_turn_whichever_battery_fires(catalogue):
    """Rule 18 of Marsh Road: once one of two batteries has rolled in a turn, the other makes no
    roll.
    """
    scenario, file = find_scenario(catalogue, str(PAIR))
    again = 0
    for seed in range(60):
        turns = Counter()
        table = play_out(Table(scenario, file.moments), RandomFaces(seed))
        for entry in table.log:
            turns[entry.moment] += entry.event.kind == "hits"
        assert max(turns.values(), default=0) <= 1
        again += sum(turns.values()) > 1
    assert again


def test_each_battery_of_a_file_has_facts_of_its_own(catalogue):
    """Rules 2 and 4 of Marsh Road: 3 guns are a troop and reach 200 cm of 25 m each, 12 are a
    regiment and reach 480 cm.
    """
    scenario, _ = find_scenario(catalogue, str(PAIR))
    view = View(lambda _key, default: default, scenario, "requests")
    assert {name: scenario.parts.requests.reach_of(view, name) for name in view.missions} == {
        "light": 5000,
        "heavy": 12000,
    }
