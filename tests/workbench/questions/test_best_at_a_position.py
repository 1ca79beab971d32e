"""Best orders in mid-mission: Bellman's equation from position to position, and what is refused."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import pytest
from tiers import full_then_long

import fireplan as fp
from fireplan.analysis import percent
from fireplan.cli import main

CUT_WIRES, CROSSROADS = "red_poppies/cut_wires", "wacht_am_rhein/crossroads"


@cache
def worth(position, goal):
    found = position.best(goal).found
    assert found.exact
    return found.value


@pytest.mark.parametrize(
    ("name", "goal", "steps"), full_then_long([(CROSSROADS, "reduced", 3), (CUT_WIRES, "hit", 2)])
)
def test_the_value_of_orders_is_the_best_or_the_mean_of_later_values(name, goal, steps):
    position, met = fp.position(name), set()
    for _ in range(steps):
        rolls = position.waits_for.startswith("roll ")
        met.add("throw" if rolls else "order")
        pairs = [(row.chance, row.position) for row in position.outcomes()] if rolls else [
            (Fraction(1), position.play(order)) for order in position.legal()
        ]  # fmt: skip
        values = [share * worth(after, goal) for share, after in pairs]
        assert worth(position, goal) == (sum(values) if rolls else max(values)) > 0
        position = max(pairs, key=lambda pair: worth(pair[1], goal))[1]
    assert "throw" in met


def test_a_line_on_the_command_line_gives_its_positions_answer(capsys):
    position = fp.position(CROSSROADS).story(3, 1).end
    assert main(["best", "--from", position.line, "--for", "reduced"]) == 0
    told = capsys.readouterr().out
    assert f"The best there is: {percent(worth(position, 'reduced'))} of the target" in told
    # A segment is over, so less can be gained than from the opening.
    assert 0 < worth(position, "reduced") < worth(fp.position(CROSSROADS), "reduced")


def test_a_recorded_game_is_asked_after_a_number_of_inputs(capsys):
    assert main(["best", "wacht_am_rhein/one_segment", "--at", "0", "--for", "reduced"]) == 0
    opens = fp.position(CROSSROADS)
    told = capsys.readouterr().out
    assert f"The best there is: {percent(worth(opens, 'reduced'))} of the target" in told
    assert opens.best("reduced", only=("requests.declare",)).found.value == fp.best(
        CROSSROADS, "reduced", only=("requests.declare",)).found.value  # fmt: skip


def test_a_line_beside_a_scenario_is_refused_with_every_other_fault(capsys):
    assert (
        main(["best", CUT_WIRES, "--from", fp.position(CUT_WIRES).line, "--picture", "x.svg"]) == 2
    )
    told = capsys.readouterr().err
    assert "--from is a whole position" in told
    assert "--picture draws a frontier" in told


def test_a_throw_under_way_is_finished_first():
    position = fp.position(CUT_WIRES)
    while not position.waits_for.startswith("roll "):
        position = position.play(next(iter(position.legal())))
    begun = position.play(dice=next(iter(position.outcomes())).dice[0][:1])
    assert begun.at.faces
    with pytest.raises(fp.InputError, match="Finish the throw first"):
        begun.best("hit")
