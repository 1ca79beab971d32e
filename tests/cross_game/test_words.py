"""Texts shown while all games are played at random: only words that players use, and a sentence for
each event.

``benchmarks/words.py`` does the same at length. The seats' pages are checked in the same way.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from tiers import first_of_each_game

from fireplan.cli import main
from fireplan.table import LogLine, begin, make_head, sides_of
from fireplan_core import REFEREE, Ask
from fireplan_core.chance import RandomFaces
from fireplan_core.play import Catalogue, shipped_scenarios
from fireplan_studio import film_of, kept_back, one_file, without_server
from fireplan_studio.limits import LIMITS, Limit

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "words.py"
CATALOGUE = Catalogue.installed()
LONG_ANSWERS = {
    "wacht_am_rhein/two_divisions",
    "miniatures_1943/river_crossing",
    "red_poppies/perfect_battle_day_2",
    "battlegroup_clash/forest_edge",
    "battlegroup_clash/causeway",
    "combat_commander/orchard",
}
"""Scenarios that only the benchmark asks, because their odds take minutes."""
LARGE_ANSWERS = {"battlegroup_clash/jammed_nets"}
"""Scenarios that are sampled once too much has been explored; one of Combat Commander is another.
"""


@pytest.fixture(scope="module")
def words():
    """Return ``benchmarks/words.py`` as a module."""
    spec = importlib.util.spec_from_file_location("words", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", first_of_each_game(shipped_scenarios(CATALOGUE)))
def test_no_text_uses_words_that_players_do_not(words, name):
    read: set[str] = set()
    assert list(words.faults(name, CATALOGUE, 1, 25, read)) == []
    assert len(read) > 5


@pytest.fixture
def played(words, request, tmp_path):
    """Return a table of a scenario after a little random play: its session, its journal, and what
    was typed.
    """
    name = request.getfixturevalue("name")
    file = tmp_path / "played.journal"
    session, verbs = begin(file, CATALOGUE, make_head(CATALOGUE, name, None, {})), set()
    for _ in words.wandering(session, RandomFaces(name), 20):
        waits = session.table.waits_for
        if isinstance(waits, Ask):
            verbs |= {form.verb for form in session.table.rulebook.forms(waits, session.table.read)}
    session.journal.close()
    return SimpleNamespace(
        session=session, file=file, typed=[*words.allowed_in(session), *sorted(verbs, key=len)]
    )


def without_rules(name, lines):
    """Return lines without the rules they cite."""
    rule = "|".join(
        map(
            re.escape,
            sorted(CATALOGUE[name.partition("/")[0]].game.ledger.rules, key=len, reverse=True),
        )
    )
    cited = re.compile(rf"\((?:{rule})(?:, (?:{rule}))*\)")
    return {cited.sub("", line).strip() for line in lines}


@pytest.mark.parametrize("name", first_of_each_game(shipped_scenarios(CATALOGUE)))
def test_no_seat_page_uses_words_that_players_do_not(words, name, played, tmp_path):
    ask, found = without_server(tmp_path), []
    for side in (*sides_of(played.session.scenario), REFEREE):
        status, _, body = asyncio.run(ask("GET", f"/tables/played/seat/{side}"))
        assert status == 200
        lines = without_rules(name, words.shown(body.decode()))
        assert len(lines) > 20
        found += [
            fault for line in lines for fault in words.odd(line, words.allowed_in(played.session))
        ]
    assert found == []


@pytest.mark.parametrize(
    "name",
    [
        *first_of_each_game({*shipped_scenarios(CATALOGUE)} - LONG_ANSWERS - LARGE_ANSWERS),
        *(
            pytest.param(name, marks=pytest.mark.long)
            for name in LARGE_ANSWERS & {*shipped_scenarios(CATALOGUE)}
        ),
    ],
)
def test_no_answer_uses_words_that_players_do_not(words, name, tmp_path, monkeypatch):
    monkeypatch.setitem(
        LIMITS, "best_seconds", Limit(1, "seconds of searching for the best orders")
    )
    monkeypatch.setitem(LIMITS, "trajectories", Limit(20, "trajectories of a sample"))
    lines = without_rules(name, words.of_answers(without_server(tmp_path), name, ("delivered",)))
    assert len(lines) > 30
    allowed = words.scenario_names(CATALOGUE, name)
    assert [fault for line in lines for fault in words.odd(line, allowed)] == []


@pytest.mark.parametrize("name", first_of_each_game(shipped_scenarios(CATALOGUE)))
def test_no_report_or_film_uses_words_that_players_do_not(words, name, played, capsys):
    """Check every export: each side's report and the whole game as text and JSON, and the films as
    HTML.
    """
    found = []
    for side in (*sides_of(played.session.scenario), REFEREE):
        assert main(["export", str(played.file), "--side", side]) == 0
        text = capsys.readouterr().out
        # The export of the whole game shows inputs as they were typed, below a head with file
        # names.
        report = [
            line
            for line in text.partition("\n\n")[2].split("\n")
            if not line.lstrip().startswith((">", "#"))
        ]
        assert main(["export", str(played.file), "--side", side, "--json"]) == 0
        told = json.loads(capsys.readouterr().out)["log"]
        events = [line["text"] for line in told if line["kind"] == "event"]
        assert events
        assert not kept_back(played.session, side) or side == REFEREE
        film = "" if kept_back(played.session, side) else film_of(played.session, side, odds=False)
        alone_in_one_file = words.shown(one_file(played.session.scenario.title, side, film))
        assert not film or all(event in "\n".join(alone_in_one_file) for event in events)
        for line in without_rules(name, [*report, *events, *alone_in_one_file]):
            found += [f"{side}: {fault}" for fault in words.odd(line, played.typed)]
    assert found == []


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("the roll for area_weapons", "a name out of the program"),
        ("waits for requests.fire", "a name out of the program"),
        ("Request_fire of the battery", "a name out of the program"),
        ("fall: on target yes, own troops", "yes or no for a field"),
        ("regret 1.072e-06", "scientific notation"),
        ("None have the sky today", "words of Python"),
        ("lies at (3, -4)", "words of Python"),
        ("in moment 4", "a moment where the game has a name for it"),
    ],
)
def test_the_check_finds_planted_examples(words, text, what):
    (found,) = words.odd(text)
    assert found.startswith(what)


def test_the_number_of_a_seal_is_not_read(words):
    assert list(words.odd(f"sealed: commitment {'871a03e9aefa3208' * 4}", ["a"])) == []


def test_orders_are_not_taken_for_words(words):
    assert list(words.odd("or with by=trench_set, at=K5", [])) == []
    assert list(words.odd("correct_convert is not an order here", ["correct_convert"])) == []
    line = LogLine(0, "turn 1", "order", "german: correct_convert at=K5")
    assert list(words.of_log([line])) == []


def test_an_event_without_a_sentence_is_found(words):
    from fireplan.table import Session
    from fireplan_core import Event
    from fireplan_core.play import find_scenario
    from fireplan_core.play.table import LogEntry

    scenario, form = find_scenario(CATALOGUE, "asl/village")
    log = [
        *Session(scenario, form.moments).table.log,
        LogEntry(0, Event("unheard_of", "C1.2", (("mission", "a"),))),
    ]
    session = SimpleNamespace(scenario=scenario, table=SimpleNamespace(log=log))
    assert list(words.unsaid(session)) == ["event unheard_of (mission, several)"]


@pytest.mark.full
def test_the_long_form_is_a_command():
    command = [
        sys.executable,
        str(SCRIPT),
        "--seeds",
        "1",
        "--inputs",
        "10",
        "--in",
        "wacht_am_rhein/crossroads",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.rstrip().endswith("different texts, 0 faults")
