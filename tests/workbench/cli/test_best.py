"""``fireplan best`` as a user types it: the studies, JSON, the frontier, and every fault at once with status 2."""

from __future__ import annotations

import json
import re
import shlex
from fractions import Fraction
from xml.etree import ElementTree as ET

import pytest

from fireplan.api import _best_search
from fireplan.cli import main
from fireplan.solver import TooLargeError
from fireplan.solver.best import _narrow, _process, _trial

CHITS = ("best", "miniatures_1943/chits_in_hand", "--for", "moments_under_fire", "--only", "request")


def run(capsys, *arguments):
    status = main(list(arguments))
    out, err = capsys.readouterr()
    return status, out, err


def test_the_study_of_chits_says_value_regret_and_a_rule(capsys):
    status, out, _ = run(capsys, *CHITS)
    assert status == 0
    figures = {line.split("  ")[1].strip(): line for line in out.splitlines() if line.startswith("  ")}
    assert figures["optimum"].split()[-1] == "3"
    assert figures["standard doctrine"].split()[-1] == "1"
    assert "always: place barrages 1" in out
    assert "narrowed by --only" in out


def test_json_is_exact_and_holds_the_whole_policy(capsys):
    status, out, _ = run(capsys, "best", "red_poppies/cut_wires", "--for", "hit", "--only", "command",
                         "--moments", "3", "--json")  # fmt: skip
    assert status == 0
    found = json.loads(out)
    assert Fraction(found["value"]) > Fraction(found["standard"]) == 0
    assert Fraction(found["regret"]) == Fraction(found["value"]) - Fraction(found["standard"])
    assert found["is_bound"] is False
    assert found["weighed"] == {"delays.command": []}
    assert all(entry["best"] for entry in found["policy"])
    (thumb,) = found["rules"]
    assert [rule["order"] for rule in thumb["rules"]] == ["cancel", "call by telephone"]


def test_asl_study_corrects_and_keeps_to_what_is_weighed(capsys):
    orders = "fire=leave, correct_convert at=target, correct at=target, convert, cancel"
    status, out, _ = run(capsys, "best", "--game", "asl", "--for", "falls", "--moments", "4", "--only", orders)
    assert status == 0
    assert "requests.fire" in out
    assert "correct_convert at=target" in out


def test_wacht_am_rhein_study_divides_its_factors(capsys):
    status, out, _ = run(capsys, "best", "wacht_am_rhein/dividing_fire", "--for", "reduced", "--moments", "1",
                         "--only", "declare", "--only", "barrage", "--also", "barrage.fire=107-FA:2")  # fmt: skip
    assert status == 0
    assert "in all" in out
    assert "1 further values of fire" in out


def test_a_frontier_is_printed_and_drawn(capsys, tmp_path):
    picture = tmp_path / "frontier.svg"
    status, out, _ = run(capsys, *CHITS, "--frontier", "exhausted", "--picture", str(picture))
    assert status == 0
    assert "frontier: moments_under_fire against exhausted" in out
    root = ET.fromstring(picture.read_text(encoding="utf-8"))
    corners = root.findall(".//{http://www.w3.org/2000/svg}circle")
    assert len(corners) > 1
    assert f"Picture: {picture}" in out


def test_every_fault_is_told_at_once_with_a_suggestion(capsys):
    status, out, err = run(
        capsys, "best", "miniatures_1943/chits_in_hand", "--for", "fals", "--moments", "0", "--side", "americans",
        "--only", "requests.reqest=place x", "--also", "at=3", "--belief", "marker=often mark", "--picture", "x.svg",
    )  # fmt: skip
    assert status == 2
    assert not out
    assert len(err.splitlines()) == 8
    for hint in ("'falls'", "1 to 1000", "'american'", "'requests.request'", "QUESTION.SLOT=VALUE", "WEIGHT ORDER",
                 "SLOT=VALUE", "--frontier"):  # fmt: skip
        assert hint in err


def test_an_unknown_scenario_goal_or_order_is_status_2(capsys):
    status, _, err = run(capsys, "best", "miniatures_1943/chits_in_hnd", "--for", "hit")
    assert status == 2
    assert "Did you mean 'miniatures_1943/chits_in_hand'" in err
    status, _, err = run(capsys, *CHITS[:-1], "request=plac")
    assert status == 2
    assert "Did you mean 'place'" in err


def test_without_a_goal_the_usual_one_is_taken_and_all_are_named(capsys):
    status, out, _ = run(capsys, "best", "wacht_am_rhein/dividing_fire", "--moments", "1", "--only", "declare")
    assert status == 0
    told = " ".join(out.split())
    assert "No goal was named: reduced is the usual one here. There are: delivered, on_target, hit" in told
    assert "goal: reduced" in told


def test_an_order_that_never_comes_up_is_told(capsys):
    status, out, _ = run(capsys, *CHITS[:-1], "request=place, plac")
    assert status == 0
    assert "plac (never possible)" in out


def test_too_large_a_choice_says_how_to_weigh_less(capsys, monkeypatch):
    monkeypatch.setattr("fireplan.solver.best._process.MOST_STATES", 50)
    status, _, err = run(capsys, *CHITS)
    assert status == 2
    assert "more than 50 states" in err
    assert "fewer moments: fireplan best miniatures_1943/chits_in_hand" in err


def test_help_says_what_can_be_asked(capsys):
    status, out, _ = run(capsys, "best", "--help")
    assert status == 0
    for word in ("--for", "--only", "--also", "--belief", "--frontier", "--moments", "--side", "--json"):
        assert word in out


@pytest.fixture
def small(monkeypatch):
    """Little is taken on, so that a small study is too large."""
    monkeypatch.setattr(_process, "MOST_STATES", 100)
    monkeypatch.setattr(_narrow, "TRIED_STATES", 400)


WIRES = ("best", "red_poppies/cut_wires", "--for", "delivered")


def test_what_is_too_large_is_narrowed_and_what_it_names_answers(capsys, small):
    status, out, err = run(capsys, *WIRES)
    assert status == 0, err
    assert "too large to be weighed whole" in err
    assert "NARROWED" in out.splitlines()[0]
    weighed, left = out.partition("left to the standard doctrine")[::2]
    assert "requests.cross_hair: every order" in weighed
    assert "delays.command: more than 400 states" in left
    named = re.findall(r": fireplan (best .*--only .*)", left)
    assert named
    for command in named:
        status, out, err = run(capsys, *shlex.split(command))
        assert status == 0, err
        assert "NARROWED" not in out
    status, out, err = run(capsys, *WIRES, "--json")
    found = json.loads(out)
    assert found["exact"] is True
    assert found["narrowed"]["weighed"] == ["requests.cross_hair"]
    assert list(found["narrowed"]["standard"]) == ["delays.command"]
    assert Fraction(found["value"]) >= Fraction(found["standard"])


def test_the_whole_or_a_question_that_is_named_is_never_narrowed(capsys, small):
    for given in (("--whole",), ("--only", "command")):
        status, out, err = run(capsys, *WIRES, *given)
        assert status == 2
        assert not out
        assert "too large to be solved exactly" in err
        for line in err.splitlines()[1:]:
            assert run(capsys, *shlex.split(line.partition(": fireplan ")[2]))[0] == 0, line


def test_where_nothing_can_be_weighed_single_changes_are_sampled(capsys, monkeypatch):
    def too_large(*_args):
        raise TooLargeError("more than 1 states", 2)

    monkeypatch.setattr(_best_search, "find", too_large)
    monkeypatch.setattr(_best_search.solving, "narrowed", too_large)
    monkeypatch.setattr(_trial, "SCREENED", 60)
    monkeypatch.setattr(_trial, "CONFIRMED", 60)
    study = ("best", "red_poppies/cut_wires", "--for", "hit")
    status, out, err = run(capsys, *study)
    assert status == 0, err
    assert "SAMPLED" in out.splitlines()[0]
    assert "no optimum" in out
    assert "fireplan best red_poppies/cut_wires --for hit --moments 2" in out
    status, out, _ = run(capsys, *study, "--json")
    found = json.loads(out)
    assert found["exact"] is False
    assert {"question", "verb", "gain", "standard_error", "trajectories"} <= set(found["changes"][0])
    status, out, err = run(capsys, *study, "--frontier", "falls")
    assert status == 2
    assert "one goal alone" in err
