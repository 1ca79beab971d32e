"""House rules from the command line: applied to odds, comparisons and games in play, named in the
answer, or refused.
"""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

ON_TARGET = """
import attrs
from fireplan_core import Effects, cycle, hookimpl, push

def on_target(step):
    def run(chance, view, mission):
        return Effects(push(cycle.landed, mission, view.mission(mission).aim))
    return attrs.evolve(step, run=run)

@hookimpl
def fireplan_variants():
    return {"areas.land": on_target}
"""
WET = """
from fireplan_core import Modifier, hookimpl

@hookimpl
def fireplan_modifiers():
    return (Modifier("delays.signal", "house rule", "wet cables", lambda view, mission: 1),)
"""
WOODS = ("--game", "red_poppies", "--moments", "3")


@pytest.fixture
def rules(monkeypatch, tmp_path):
    """Write three files of house rules into a folder, which becomes the working folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "on_target.py").write_text(ON_TARGET)
    (tmp_path / "wet.py").write_text(WET)
    (tmp_path / "lost.py").write_text(ON_TARGET.replace("areas.land", "areas.fly"))


pytestmark = pytest.mark.usefixtures("rules")


def test_odds_under_house_rules_are_named_and_exact(run):
    plain = json.loads(run("odds", *WOODS, "--json")[1])
    both = json.loads(run("odds", *WOODS, "--house-rules", "on_target.py", "wet.py", "--json")[1])
    assert both["title"] == f"{plain['title']}, house rules: on_target, wet"
    shares = {
        entry["value"]: Fraction(entry["probability"])
        for entry in both["measures"]["on_target"]["distribution"]
    }
    assert set(shares) == {True}
    fewer, more = (Fraction(answer["measures"]["delivered"]["value"]) for answer in (both, plain))
    assert fewer < more
    assert (
        run("odds", *WOODS, "--house-rules", "wet.py")[1]
        .splitlines()[0]
        .endswith("house rules: wet")
    )


def test_a_comparison_lays_them_over_every_game_that_it_shows(run):
    games = ("--games", "red_poppies,wacht_am_rhein", "--minutes", "20", "--json")
    found = json.loads(run("compare", *games, "--house-rules", "on_target.py")[1])["games"]
    assert list(found) == ["red_poppies*", "wacht_am_rhein*"]
    assert all(game["title"].endswith(", house rules: on_target") for game in found.values())


@pytest.mark.full
def test_whatif_shows_a_game_before_and_after(run):
    arguments = (
        "whatif",
        "--games",
        "red_poppies",
        "--minutes",
        "20",
        "--house-rules",
        "wet.py",
        "--json",
    )
    found = json.loads(run(*arguments)[1])["games"]
    assert list(found) == ["red_poppies", "red_poppies*"]
    before, after = (Fraction(game["measures"]["delivered"]["value"]) for game in found.values())
    assert after < before
    scenario = (
        "whatif",
        "red_poppies/battle_for_pinon",
        "--minutes",
        "20",
        "--house-rules",
        "wet.py",
    )
    assert json.loads(run(*scenario, "--json")[1])["changed"]["house_rules"] == ["wet"]
    assert run(*scenario)[1].splitlines()[0].endswith("house rules: wet")


def test_a_journal_names_its_house_rules_and_is_not_read_without_them(run):
    status, out, _ = run(
        "play", *WOODS[:2], "--house-rules", "wet.py", "--journal", "j", typed=["", "quit"]
    )
    assert (status, out.splitlines()[:2]) == (0, ["journal: j", "house rules: wet"])
    for command in ("resume", "replay", "export", "luck"):
        status, _, err = run(command, "j")
        assert (status, err) == (
            2,
            "j: this game has house rules; add wet with --house-rules\n",
        )
    assert run("resume", "j", "--house-rules", "wet.py", typed=["quit"])[0] == 0
    assert "house rules: wet" in run("replay", "j", "--house-rules", "wet.py")[1]
    assert "# house rules: wet" in run("export", "j", "--house-rules", "wet.py")[1]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("nothing.py", "there is no file or module 'nothing.py'"),
        ("no_such_module", "there is no file or module 'no_such_module'"),
        (
            "json",
            "no house rules: it has no function fireplan_modifiers or fireplan_variants marked with @hookimpl",
        ),
        ("lost.py", "red_poppies: a house rule replaces 'areas.fly', a step that no part has"),
    ],
)
def test_a_file_without_house_rules_is_refused(run, given, said):
    for command in (("odds", *WOODS), ("compare", "--games", "red_poppies"), ("play", *WOODS[:2])):
        status, _, err = run(*command, "--house-rules", given)
        assert status == 2
        assert said in err
        assert "Traceback" not in err


def test_a_misspelt_hook_is_named(run, tmp_path):
    (tmp_path / "bad.py").write_text(WET.replace("fireplan_modifiers", "fireplan_modifier"))
    status, _, err = run("odds", *WOODS, "--house-rules", "bad.py")
    assert (status, "unknown hook 'fireplan_modifier'" in err) == (2, True)
