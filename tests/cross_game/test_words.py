"""What is said at the tables of all games, played at random: nothing that no player says, and each event its sentence.

``benchmarks/words.py`` is the same at length. The pages of the seats are read in the same way.
"""

from __future__ import annotations

import asyncio
import html
import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from fireplan.studio import alone
from fireplan.table import LogLine, begin, make_head, sides_of
from fireplan_core import REFEREE
from fireplan_core.chance import RandomFaces
from fireplan_core.play import Catalogue, shipped_scenarios

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "words.py"
CATALOGUE = Catalogue.installed()


@pytest.fixture(scope="module")
def words():
    """The benchmark as a module."""
    spec = importlib.util.spec_from_file_location("words", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", sorted(shipped_scenarios(CATALOGUE)))
def test_nothing_is_said_that_no_player_says(words, name):
    read: set[str] = set()
    assert list(words.faults(name, CATALOGUE, 1, 25, read)) == []
    assert len(read) > 5


@pytest.mark.parametrize("name", sorted(shipped_scenarios(CATALOGUE)))
def test_no_page_of_a_seat_says_what_no_player_says(words, name, tmp_path):
    session = begin(tmp_path / "played.journal", CATALOGUE, make_head(CATALOGUE, name, None, {}))
    for _ in words.wandering(session, RandomFaces(name), 20):
        pass
    session.journal.close()
    rule = "|".join(map(re.escape, sorted(CATALOGUE[name.partition("/")[0]].game.ledger.rules, key=len, reverse=True)))
    cited = re.compile(rf"\((?:{rule})(?:, (?:{rule}))*\)")
    ask, found = alone(tmp_path), []
    for side in (*sides_of(session.scenario), REFEREE):
        status, _, body = asyncio.run(ask("GET", f"/tables/played/seat/{side}"))
        assert status == 200
        # What is typed stands on buttons and in code.
        shown = re.sub(r"<(script|style|code|button)\b.*?</\1>", "", body.decode(), flags=re.DOTALL)
        shown = re.sub(r"\b[0-9a-f]{64}\b", "commitment", html.unescape(re.sub(r"<[^>]+>", "\n", shown)))
        lines = {cited.sub("", line).strip() for line in shown.split("\n")}
        assert len(lines) > 20
        found += [fault for line in lines for fault in words.odd(line, words.allowed_in(session))]
    assert found == []


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("the roll for area_weapons", "a name out of the program"),
        ("waits for requests.fire", "a name out of the program"),
        ("fall: on target yes, own troops", "yes or no for a field"),
        ("regret 1.072e-06", "scientific notation"),
        ("None have the sky today", "words of Python"),
        ("lies at (3, -4)", "words of Python"),
        ("in moment 4", "a moment where the game has a name for it"),
    ],
)
def test_the_check_finds_what_it_looks_for(words, text, what):
    (found,) = words.odd(text)
    assert found.startswith(what)


def test_orders_are_not_taken_for_words(words):
    assert list(words.odd("or with by=trench_set, at=K5", [])) == []
    assert list(words.odd("correct_convert is not an order here", ["correct_convert"])) == []
    line = LogLine(0, "turn 1", "order", "german: correct_convert at=K5")
    assert list(words.of_log([line])) == []


def test_an_event_without_a_sentence_is_found(words):
    from fireplan.table import Session
    from fireplan_core import Event
    from fireplan_core.play import find_scenario
    from fireplan_core.play.table import Entry

    scenario, form = find_scenario(CATALOGUE, "asl/village")
    log = [*Session(scenario, form.moments).table.log, Entry(0, Event("unheard_of", "C1.2", (("mission", "a"),)))]
    session = SimpleNamespace(scenario=scenario, table=SimpleNamespace(log=log))
    assert list(words.unsaid(session)) == ["event unheard_of (mission, several)"]


def test_the_long_form_is_a_command():
    command = [sys.executable, str(SCRIPT), "--seeds", "1", "--inputs", "10", "--in", "wacht_am_rhein/crossroads"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.rstrip().endswith("different texts, 0 faults")
