"""OpenSpiel and PettingZoo play the trees of duels, and OpenSpiel's algorithms serve as oracle."""

from __future__ import annotations

import warnings
from fractions import Fraction
from pathlib import Path
from typing import Any

import poker
import pytest

import fireplan as fp
from fireplan.analysis import find_engagement
from fireplan.duels import DuelTree, Equilibrium, SequenceForm, equilibrium, extensive_form

pyspiel = pytest.importorskip("pyspiel")
STACK = Path(__file__).parents[3] / "examples" / "duels" / "empty_stack.toml"
OPEN = ("request", "movement=done, prone base=section")
WORLDS = ("1/4", '3/4 "american barrage 1"{stage=ended reason=lost}')
TOLLS = ("posture=1/10", "requested=1/20")


@pytest.fixture(scope="module", params=["kuhn", "leduc", "empty stack"])
def duel(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[SequenceForm, str, Path]:
    if request.param == "empty stack":
        found = fp.duel(str(STACK), "destroyed", only=OPEN, world=WORLDS, toll=TOLLS)
        form, text = found.form, found.efg()
    else:
        kind = poker.Kuhn if request.param == "kuhn" else poker.Leduc
        tree = DuelTree(poker.poker(kind, find_engagement("woods")))
        form, text = (
            SequenceForm(tree.root),
            extensive_form(tree.root, request.param, ("first", "second")),
        )
    file = tmp_path_factory.mktemp("duels") / "duel.efg"
    file.write_text(text, encoding="utf-8")
    return form, request.param, file


def game(file: Path) -> Any:
    return pyspiel.load_game("efg_game", {"filename": str(file)})


def policy(loaded: Any, form: SequenceForm, found: Equilibrium) -> Any:
    """Return our plans as an OpenSpiel policy, by the labels of the orders."""
    by_label: dict[str, float] = {}
    for player in (0, 1):
        pairs = zip(form.situations[player], found.mixtures[player], strict=True)
        for number, (at, mixture) in enumerate(pairs, 1):
            for order, share in zip(at.orders, mixture, strict=True):
                by_label[f"{player} {number}: {order}"] = float(share)
    table: dict[str, list[tuple[int, float]]] = {}
    todo = [loaded.new_initial_state()]
    while todo:
        state = todo.pop()
        if state.is_terminal():
            continue
        if not state.is_chance_node():
            player = state.current_player()
            shares = [
                (a, by_label[f"{player} {state.action_to_string(player, a)}"])
                for a in state.legal_actions()
            ]
            table[state.information_state_string()] = shares
        todo += [state.child(action) for action in state.legal_actions()]
    return pyspiel.TabularPolicy(table)


def test_open_spiel_plays_at_random_and_its_own_checks_pass(
    duel: tuple[SequenceForm, str, Path],
) -> None:
    loaded = game(duel[2])
    assert loaded.get_type().information == pyspiel.GameType.Information.IMPERFECT_INFORMATION
    assert loaded.get_type().utility == pyspiel.GameType.Utility.ZERO_SUM
    pyspiel.random_sim_test(loaded, 5, True, False)


def test_open_spiel_finds_nothing_to_be_gained_against_our_plans(
    duel: tuple[SequenceForm, str, Path],
) -> None:
    form, _, file = duel
    found, loaded = equilibrium(form), game(file)
    ours = policy(loaded, form, found)
    assert pyspiel.exploitability(loaded, ours) == pytest.approx(
        float(found.exploitability), abs=1e-7
    )
    first, second = pyspiel.expected_returns(loaded.new_initial_state(), ours, -1, True)
    assert first == pytest.approx(float(found.low), abs=1e-7)
    assert first == pytest.approx(-second)


def test_the_cfr_plus_of_open_spiel_comes_to_our_value(
    duel: tuple[SequenceForm, str, Path],
) -> None:
    form, _, file = duel
    found, loaded = equilibrium(form), game(file)
    solver = pyspiel.CFRPlusSolver(loaded)
    for _ in range(300):
        solver.evaluate_and_update_policy()
    average = solver.average_policy()
    left = pyspiel.exploitability(loaded, average)
    first, _ = pyspiel.expected_returns(loaded.new_initial_state(), average, -1, True)
    assert left < Fraction(1, 100)
    assert first == pytest.approx(float(found.low), abs=2 * left + 1e-9)


def test_petting_zoo_takes_it_and_its_api_test_passes(duel: tuple[SequenceForm, str, Path]) -> None:
    shimmy = pytest.importorskip("shimmy")
    checks = pytest.importorskip("pettingzoo.test")
    env = shimmy.OpenSpielCompatibilityV0(game_name="efg_game", config={"filename": str(duel[2])})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the wrapper declares that observations have no bounds
        checks.api_test(env, num_cycles=50)
