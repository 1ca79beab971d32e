"""The commands on every shipped scenario: an exact answer, or a refusal that names commands which
do answer.

The full lengths of all scenarios take minutes; here each is played for one moment, and one that is
too large is refused and then run as the refusal suggests. ``benchmarks/matrix.py`` prints the same
as a table. With ``FIREPLAN_WHOLE=1`` in the environment each scenario has its full length.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from tiers import first_of_each_game, one_in

import fireplan as fp
from fireplan_core.play import Catalogue, shipped_scenarios

SCENARIOS = list(shipped_scenarios(Catalogue.installed()))
WHOLE = bool(os.environ.get("FIREPLAN_WHOLE"))
WATCH = () if WHOLE else ("--moments", "1")
TOO_LARGE = "wacht_am_rhein/two_divisions"
SLOW = (
    TOO_LARGE,
    "miniatures_1943/chits_in_hand",
    "miniatures_1943/hedgerow_farm",
    "miniatures_1943/river_crossing",
    "red_poppies/perfect_battle_day_1",
    "red_poppies/combined_arms_assault",
)
"""Scenarios in which finding the best orders for a moment takes five seconds or more."""
RANKED = (
    "asl/village",
    "miniatures_1943/chits_in_hand",
    "red_poppies/cut_wires",
    "wacht_am_rhein/crossroads",
)
"""Scenarios in which ranking the numbers of a moment takes a second or two."""
NUMBERS = {
    "asl": "asl.field_phone_contact=10",
    "miniatures_1943": "miniatures_1943.barrages_per_turn=1",
    "red_poppies": "red_poppies.on_target=3",
    "wacht_am_rhein": "wacht_am_rhein.men_per_step=100",
}
"""A number of each game in requirements.txt, changed."""


def moved(game):
    """Return a number of a game, changed to the next value, or the first possible one."""
    first = next(row for row in fp.numbers(game) if row["steps"])
    return NUMBERS.get(game, f"{first['name']}={first['steps'][0]}")


def instead(text):
    """Return the commands that a refusal suggests, as lists of words."""
    return [
        shlex.split(line.partition(": fireplan ")[2])
        for line in text.splitlines()
        if ": fireplan " in line
    ]


def answered(run, *words):
    """Return what a command prints.

    If it is refused as too large, return what each suggested command prints.
    """
    status, out, err = run(*words)
    if status == 0:
        return [out]
    assert status == 2, err
    assert "too large" in err, err
    found = []
    for other in instead(err):
        status, out, err = run(*other)
        assert status == 0, (other, err)
        found.append(out)
    assert found, f"{words} is refused without suggesting anything smaller"
    return found


@pytest.mark.parametrize("name", first_of_each_game(SCENARIOS))
def test_odds_are_exact_and_a_sample_agrees(run, name):
    for out in answered(run, "odds", name, *WATCH, "--json"):
        found = json.loads(out)
        if not found["exact"]:
            continue
        delivered = Fraction(found["measures"]["delivered"]["value"])
        assert 0 <= delivered <= 1
        if not WHOLE:
            _, sampled, _ = run("odds", name, *WATCH, "--sample", "200", "--json")
            share = json.loads(sampled)["measures"]["delivered"]["value"]
            # Six standard errors of the exact share.
            assert (
                abs(share - delivered) <= 6 * float(delivered * (1 - delivered) / 200) ** 0.5 + 1e-9
            )


@pytest.mark.parametrize("name", first_of_each_game(SCENARIOS))
def test_a_number_is_changed(run, name):
    watch = () if WHOLE else ("--minutes", "1")
    for out in answered(run, "whatif", name, "--set", moved(name.partition("/")[0]), *watch):
        assert "before" in out
        assert "after" in out


@pytest.mark.parametrize("name", first_of_each_game(SCENARIOS if WHOLE else {*SCENARIOS} - {*SLOW}))
def test_best_orders_are_found(run, name):
    # A scenario that is too large has a policy and a bound, or is sampled; it is never refused.
    status, out, err = run("best", name, "--for", "delivered", *WATCH)
    assert status == 0, err
    assert "\nThe best there is: " in out or "No orders can give " in out


@pytest.mark.parametrize("name", SCENARIOS if WHOLE else one_in(2, RANKED))
def test_the_numbers_are_ranked(run, name):
    watch = () if WHOLE else ("--minutes", "1")
    status, out, err = run("sensitivity", name, "--for", "delivered", *watch, "--json")
    assert status == 0, err
    assert json.loads(out)["numbers"]


@pytest.mark.full
def test_a_refusal_for_size_names_the_cause_and_a_remedy(run, monkeypatch):
    name = TOO_LARGE if WHOLE else "asl/set_piece"
    if not WHOLE:
        monkeypatch.setattr("fireplan.solver.states.MAX_WALKED", 1_000)
    status, out, err = run("odds", name)
    assert status == 0
    assert "sampled, 1,000 trajectories" in out
    assert "situations in " in err or " values, multiplied by other keys" in err
    (fewer,) = instead(err)
    assert fewer[:3] == ["odds", name, "--moments"]
    status, out, _ = run(*fewer)
    assert status == 0
    assert "every probability is exact" in out


@pytest.mark.full
def test_the_matrix_prints_a_row_for_each_command():
    script = Path(__file__).parents[2] / "benchmarks" / "matrix.py"
    words = [sys.executable, str(script), "odds", "best", "--in", "wacht_am_rhein/crossroads"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    *rows, last = done.stdout.splitlines()
    assert [row.split()[0] for row in rows] == ["0", "0", "0"]
    assert all("exact" in row for row in rows)
    assert last == "0 without an answer"
