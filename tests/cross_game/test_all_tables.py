"""Every choice of the five parts of the installed games: they work together, chances sum to 1, play
and replay agree.

Each is followed for one moment, and some further, to compare them with the compiled solution.
docs/reference/kitbash.md prints what is tested here.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from fireplan.analysis import find_engagement
from fireplan.solver import Analysis, FirstFall
from fireplan_core import WORDS
from fireplan_core.play import Catalogue, Variation, stage_engagement
from fireplan_kit import chance_of_fire, combinations, markdown, meet

ROOT = Path(__file__).parent.parent.parent
MARK = "<!-- fireplan tables -->\n"
SHIPPED = ("asl", "miniatures_1943", "red_poppies", "wacht_am_rhein")


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    """Return the four games of this repository, whatever else is installed."""
    found = Catalogue.installed()
    found.games = {key: found.games[key] for key in SHIPPED}
    return found


@pytest.fixture(scope="module")
def meetings(catalogue):
    woods = find_engagement("woods")
    return [meet(catalogue, woods, parts, 1) for parts in combinations(SHIPPED)]


@pytest.mark.full
def test_all_parts_of_all_games_meet_play_and_replay(meetings):
    assert len(meetings) == len(SHIPPED) ** len(WORDS)
    assert len({tuple(meeting.parts.values()) for meeting in meetings}) == len(meetings)
    for meeting in meetings:
        if not meeting.refusal:
            assert meeting.mass == 1, meeting.parts
            assert 0 <= meeting.delivered <= 1
            assert meeting.replayed, meeting.parts


@pytest.mark.full
def test_the_printed_table_matches_the_games(catalogue, meetings):
    page = (ROOT / "docs" / "reference/kitbash.md").read_text(encoding="utf-8")
    assert page.count(MARK) == 1
    assert page.partition(MARK)[2] == markdown(catalogue, meetings), "run: fireplan tables"


@pytest.mark.parametrize("number", range(5, 4**5, 97))
def test_following_a_hybrid_plainly_is_solving_it(catalogue, engagement, number):
    parts = list(combinations(SHIPPED))[number]
    if parts["delays"] == "asl" and parts["requests"] != parts["delays"]:
        parts["delays"] = (
            "red_poppies"  # chains of these parts take long to compile, however few the moments
        )
    scenario = stage_engagement(catalogue, parts["requests"], engagement, Variation(parts=parts))
    analysis = Analysis(scenario, 2)
    assert analysis.separable
    never = analysis.solve(FirstFall()).shares.get(None, 0)
    assert chance_of_fire(scenario, 2) == (1 - never, 1)
