"""What-if, numbers, kitbash and the export for model checkers at the command line."""

from __future__ import annotations

import json
import re
from fractions import Fraction

import pytest


def test_a_number_before_and_after_in_an_engagement(run):
    # Two dice give 8 or less, and so a signal, on 26 of 36 rolls; 6 or less on 15.
    arguments = (
        "whatif",
        "woods",
        "--set",
        "red_poppies.signal[trench_set][0]=6",
        "--minutes",
        "20",
    )
    status, out, err = run(*arguments, "--json")
    assert status == 0, err
    games = json.loads(out)["games"]
    before, after = (
        Fraction(games[key]["measures"]["delivered"]["value"])
        for key in ("red_poppies", "red_poppies*")
    )
    assert after < before
    status, out, _ = run(*arguments)
    assert status == 0
    assert "* Delivered" in out
    assert "* Footprint" not in out
    assert f"{float(after - before) * 100:+.2f} points" in out


def test_a_number_before_and_after_in_a_scenario(run, tmp_path):
    arguments = (
        "whatif",
        "red_poppies/battle_for_pinon",
        "--set",
        "red_poppies.on_target=3",
        "--minutes",
        "30",
    )
    status, out, err = run(*arguments, "--json")
    assert status == 0, err
    data = json.loads(out)
    assert data["changed"]["numbers"] == {"on_target": "3"}
    before, after = (
        data["games"][key]["measures"]["on_target"] for key in ("red_poppies", "red_poppies*")
    )
    assert before["distribution"] != after["distribution"]
    status, out, _ = run(*arguments)
    assert status == 0
    assert "* On target" in out
    picture = tmp_path / "delivery.svg"
    status, out, _ = run(*arguments, "--csv", "--picture", str(picture))
    assert status == 0
    assert {row.partition(",")[0] for row in out.splitlines()} == {
        "game",
        "red_poppies",
        "red_poppies*",
    }
    assert picture.read_text(encoding="utf-8").startswith("<svg")


def test_one_name_may_mean_all_entries_below_it(run):
    rows = json.loads(run("numbers", "asl", "ift[12]", "--json")[1])["numbers"]
    assert [row["name"] for row in rows] == [f"asl.ift[fp12][{dr}]" for dr in range(16)]
    (row,) = json.loads(run("numbers", "asl", "ift[12][7]", "--json")[1])["numbers"]
    assert (row["value"], row["steps"], row["provenance"]) == ("1MC", ["2MC", "NMC"], "printed")
    nations = json.loads(run("numbers", "asl", "radio_contact", "--json")[1])["numbers"]
    assert len(nations) > 20


def test_every_wrong_change_at_once(run):
    status, out, err = run(
        "whatif", "--set", "asl.radio_contac=7", "asl.ift[12][7]=9MC", "als.x=1", "asl.set_breaks=soon", "asl",
        "--option", "asl.bords=1",
    )  # fmt: skip
    assert status == 2
    said = out + err
    for part in (
        "did you mean radio_contact", "'9MC' is not an entry", "'als'", "whole number", "GAME.NAME=VALUE", "'boards'",
    ):  # fmt: skip
        assert part in said, part


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("whatif", "red_poppies/battle_for_pinon", "--set", "asl.set_breaks=11"),
            "is not part of it",
        ),
        (("sensitivity",), "--game"),
        (("sensitivity", "--for", "deliverd", "--game", "asl"), "'delivered'"),
        (("sensitivity", "woods", "--game", "als"), "'asl'"),
        (("numbers", "asl", "brekdown"), "there is no number"),
        (("numbers", "als"), "'asl'"),
        (("kitbash",), "GAME is missing"),
        (
            ("kitbash", "red_poppies", "--delays", "asl", "--engagement", "strongpoint"),
            "burst_only",
        ),
        (("kitbash", "asl", "--delays", "red_poppies", "--sample", "-1"), "--sample"),
        (("export",), "Name the journal"),
    ],
)
def test_impossible_changes_end_with_status_2(run, arguments, said):
    status, out, err = run(*arguments)
    assert status == 2
    assert said in out + err


def test_numbers_are_ranked_by_their_effect(run):
    arguments = (
        "sensitivity",
        "woods",
        "--game",
        "red_poppies",
        "--for",
        "on_target",
        "--minutes",
        "30",
    )
    status, out, err = run(*arguments, "--json")
    assert status == 0, err
    data = json.loads(out)
    assert data["exact"] is True
    moves = [Fraction(row["by"]) for row in data["numbers"]]
    assert moves == sorted(moves, reverse=True)
    assert moves[0] > 0
    names = [row["name"] for row in data["numbers"]]
    assert names[0] in ("red_poppies.on_target", "red_poppies.relay[trench_set][0]")
    # The troops' resistance has no effect on where fire falls.
    assert "red_poppies.deadly" not in names
    status, out, _ = run(*arguments, "--top", "2")
    assert status == 0
    assert f"{len(names) - 2} more" in out
    value, (first, *_) = Fraction(data["value"]), data["numbers"]
    assert f": {float(value) * 100:.1f} %" in " ".join(out.split())
    for step in first["steps"]:
        then = Fraction(step["value"])
        assert f"{float(then) * 100:.1f} %" in out
        assert f"{float(then - value) * 100:+.1f} points" in out
    assert not re.search(r"\d\.\d\d", out)  # shares are printed to a tenth of a percent
    status, out, _ = run(*arguments, "--sample", "40", "--top", "2")
    assert re.search(
        r": \d+(\.\d)? % ± \d+(\.\d)? \(40 trajectories, seed 1\)", " ".join(out.split())
    )
    assert re.search(r"[+-]\d+\.\d ± (\d+(\.\d)?|<0\.1) points", out)
    assert not re.search(r"\d\.\d\d", out)


@pytest.mark.full
def test_a_hybrid_may_be_sampled_and_says_so(run):
    arguments = (
        "kitbash",
        "red_poppies",
        "--resolution",
        "asl",
        "--minutes",
        "20",
        "--sample",
        "50",
    )
    status, out, err = run(*arguments)
    assert status == 0, err
    assert "Red Poppies Campaigns with resolution of asl" in out
    assert "SAMPLED, 50 trajectories, seed 1" in out
    assert "± standard errors" in out
    assert "exact" not in out
    assert run(*arguments)[1] == out


@pytest.mark.full
def test_a_ranking_that_is_too_large_is_sampled_and_says_so(run, monkeypatch):
    from fireplan import analysis
    from fireplan.solver import TooLargeError

    def too_large(*_args, **_kwargs):
        raise TooLargeError("more than 1 states")

    arguments = (
        "sensitivity",
        "miniatures_1943/chits_in_hand",
        "--for",
        "reduced",
        "--minutes",
        "6",
    )
    status, out, err = run(*arguments, "--sample", "20", "--json")
    assert status == 0, err
    asked = json.loads(out)
    assert (asked["exact"], asked["trajectories"]) == (False, 20)
    monkeypatch.setattr(analysis, "sensitivity", too_large)
    status, out, err = run(*arguments)
    assert status == 0
    assert "too large to be solved exactly: more than 1 states" in err
    assert "sampled, not exact" in out
    assert "±" in out


@pytest.mark.full
def test_a_hybrid_that_is_too_large_is_sampled_beside_its_parents(run, monkeypatch):
    from fireplan.analysis import comparison
    from fireplan.questions import sampling
    from fireplan.solver import TooLargeError

    def too_large(*_args, **_kwargs):
        raise TooLargeError("more than 1 states")

    monkeypatch.setattr(comparison, "answer", too_large)
    monkeypatch.setattr(sampling, "ADVISED", 20)
    arguments = ("kitbash", "wacht_am_rhein", "--delays", "red_poppies", "--minutes", "30")
    status, out, _ = run(*arguments)
    assert status == 0
    assert "too large to be solved exactly: more than 1 states" in out
    assert "SAMPLED, 20 trajectories" in out
    status, out, _ = run(*arguments, "--json")
    found = json.loads(out)
    assert [game["exact"] for game in found["games"].values()] == [False] * 3
    assert list(found["games"]) == ["wacht_am_rhein", "red_poppies", "hybrid"]
