"""The games written from the documentation: a deck of cards on hexes, a request chart and a shift in the plane."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from by_hand import fireplan, made_visible

from fireplan.comparison import find_engagement
from fireplan_core import WORDS, CannotStageError, Outcome
from fireplan_core.chance import RandomFaces
from fireplan_core.play import Catalogue, Table, Variation, play_out, stage_engagement

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
KEYS = ("signal_cards", "heath_guns")
GAMES = ("asl", "miniatures_1943", "red_poppies", "wacht_am_rhein")
MOMENTS, PLAYS = 12, 4


@pytest.fixture(scope="module")
def catalogue():
    found = Catalogue.installed()
    for key in KEYS:
        sys.path.insert(0, str(EXAMPLES / key / "src"))
        found.admit(__import__(f"fireplan_{key}"))
    return found


@pytest.mark.parametrize("key", KEYS)
def test_it_passes_every_check(tmp_path, key):
    environment = made_visible(EXAMPLES / key / "src", key, tmp_path / "site")
    report = json.loads(fireplan(environment, tmp_path, "check", key, "--json").stdout)
    assert [finding for check in report["checks"] for finding in check["findings"]] == []
    assert report["passed"]


@pytest.mark.parametrize("key", KEYS)
def test_it_is_at_most_150_lines_of_python(key):
    assert sum(len(path.read_text("utf-8").splitlines()) for path in (EXAMPLES / key).rglob("*.py")) <= 150


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("other", GAMES)
@pytest.mark.parametrize("key", KEYS)
def test_each_part_plays_in_each_game_both_ways(catalogue, key, other, word):
    """No exception; in one of a few plays fire falls or a mission ends, or the table is refused with reasons."""
    for base, lent in ((key, other), (other, key)):
        try:
            scenario = stage_engagement(catalogue, base, find_engagement("woods"), Variation(parts={word: lent}))
        except CannotStageError:
            continue
        kinds = set()
        for seed in range(PLAYS):
            table = play_out(Table(scenario, MOMENTS), RandomFaces(f"{key} {other} {seed}"))
            kinds |= {entry.event.kind for entry in table.log}
        assert kinds & {"fall", "ended"}, f"{base} with the {word} of {lent}: nothing ever happens"


def test_the_chart_answers_by_two_dice_and_the_requests_of_any_game_can_read_it(catalogue):
    """2.2 of Heath guns: 3, 12, 18 and 3 of 36; a late call is tried again."""
    scenario = stage_engagement(catalogue, "heath_guns", find_engagement("woods"))
    chart = scenario.parts.delays.chart
    ways = {total: 6 - abs(7 - total) for total in range(2, 13)}
    shares = [sum(ways[total] for total, (found, _) in chart.items() if found is outcome) for outcome in Outcome]
    assert shares == [3, 12, 18, 3]
    seen = set()
    for seed in range(30):
        table = play_out(Table(scenario, 4), RandomFaces(seed))
        seen.add((table.read("missions/a/outcome", None), table.read("missions/a/answer", "")))
    assert (Outcome.GOOD, "one_section") in seen
    assert (Outcome.VERY_GOOD, "all_guns") in seen
