"""Shipped scenarios as OpenSpiel games, set up as they are at the table, and as PettingZoo
environments.
"""

from __future__ import annotations

import random
import subprocess
import sys
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any

import poker
import pytest

from fireplan.analysis import find_engagement
from fireplan.duels import DuelTree, SequenceForm, equilibrium
from fireplan.errors import InputError
from fireplan_core import Ask
from fireplan_core.play import Catalogue, shipped_scenarios

pyspiel = pytest.importorskip("pyspiel")
open_spiel: Any = import_module("fireplan.open_spiel")
EXAMPLE = Path(__file__).parents[3] / "examples" / "duels" / "duel_game.py"
NAMES = shipped_scenarios(Catalogue.installed())
CARDS = sorted(
    f"combat_commander/{file.stem}"
    for file in Path(__file__)
    .parents[3]
    .glob("plugins/combat_commander/src/*/data/scenarios/*.toml")
)
"""The scenarios of the game in which sides draw cards unseen, whether it is installed or not."""
NOT_ADMISSIBLE: dict[str, str] = {}
"""Shipped scenarios that OpenSpiel cannot play, with the reason: at most one in twenty."""


def test_at_least_95_in_100_shipped_scenarios_are_admissible() -> None:
    assert 100 * len(NOT_ADMISSIBLE) <= 5 * len(NAMES)
    assert all(NOT_ADMISSIBLE.values())


@pytest.mark.parametrize("name", [name for name in NAMES if name not in NOT_ADMISSIBLE])
def test_open_spiel_plays_a_shipped_scenario_at_random(name: str) -> None:
    """OpenSpiel's own checks: chances add up to 1, orders are accepted, gains are opposite, a copy
    plays on alone.
    """
    pyspiel.random_sim_test(open_spiel.game(name, moments=1), 1, False, False)


def test_a_play_is_written_and_read_back() -> None:
    pyspiel.random_sim_test(open_spiel.game("asl/ridge", moments=1), 1, True, False)


def test_unanswerable_questions_are_refused_at_once() -> None:
    with pytest.raises(InputError) as told:
        open_spiel.game("asl/ridge", "fame", side="french", toll=["posture"])
    assert all(word in str(told.value) for word in ("fame", "french", "posture"))


def test_the_example_is_played() -> None:
    command = [sys.executable, str(EXAMPLE), "red_poppies/cut_wires"]
    played = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "terminal" in played.stdout


def test_its_cfr_plus_comes_to_the_known_value_of_kuhn_poker() -> None:
    duel = poker.poker(poker.Kuhn, find_engagement("woods"))
    game = open_spiel.DuelGame({}, DuelTree(duel, played=True))
    value = float(equilibrium(SequenceForm(DuelTree(duel).root)).low)
    solver = pyspiel.CFRPlusSolver(game)
    for _ in range(60):
        solver.evaluate_and_update_policy()
    average = solver.average_policy()
    left = pyspiel.exploitability(game, average)
    first, second = pyspiel.expected_returns(game.new_initial_state(), average, -1, True)
    assert left < 1 / 50
    assert first == pytest.approx(value, abs=2 * left)
    assert first == pytest.approx(-second)


@pytest.mark.parametrize(
    "name", ["miniatures_1943/chits_in_hand", "asl/ridge", "red_poppies/cut_wires"]
)
def test_petting_zoo_takes_a_shipped_scenario_and_its_api_test_passes(name: str) -> None:
    pytest.importorskip("shimmy")
    checks = pytest.importorskip("pettingzoo.test")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the wrapper declares that observations have no bounds
        checks.api_test(open_spiel.environment(name, moments=1), num_cycles=20)


def test_an_environment_has_its_games_rewards() -> None:
    pytest.importorskip("shimmy")
    env, chance = (
        open_spiel.environment("miniatures_1943/chits_in_hand", "destroyed", moments=2),
        random.Random(4),
    )
    env.reset(seed=4)
    for _ in env.agent_iter():
        _, _, ended, cut, info = env.last()
        if ended or cut:
            break  # shimmy adds the gain again for the player who learns of the end second
        env.step(chance.choice([*info["action_mask"].nonzero()[0]]))
    assert [*env.rewards.values()] == env.game_state.returns()
    assert any(env.game_state.returns())


def test_without_open_spiel_the_extra_is_named() -> None:
    code = "import sys; sys.modules['pyspiel'] = None; import fireplan.open_spiel"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (
        "ImportError: fireplan.open_spiel needs the extra 'open_spiel' (pyspiel is missing)"
        in done.stderr
    )
    assert "pip install 'fireplan[open_spiel]'" in done.stderr


@pytest.mark.parametrize(
    "name", [name for name in NAMES if name.startswith(("miniatures_1943/ch", "combat", "asl/r"))]
)
def test_a_sides_information_differs_if_it_has_seen_something_else(name: str) -> None:
    game, told = open_spiel.game(name, moments=1), dict[Any, tuple[str, ...]]()
    chance = random.Random(7)
    for _ in range(6):
        at = game.node(())
        while at.branches:
            if at.player is not None:
                assert told.setdefault((at.player, at.number), at.story) == at.story
            at = at.after(chance.randrange(len(at.branches)))
    assert len({*told}) == len({(player, lines) for (player, _), lines in told.items()}) > 1


@pytest.mark.parametrize("name", CARDS)
def test_a_private_roll_reveals_nothing_to_the_other_side(name: str) -> None:
    """Whichever card one side draws, the other side's log is the same, in duels as at the table."""
    pytest.importorskip("fireplan_combat_commander", reason="the game is in requirements-games.txt")
    game, chance, compared = open_spiel.game(name, moments=2), random.Random(3), 0
    tree = game.tree
    way, sides = next(iter(tree._starts())), tree.duel.sides
    while (found := tree._onward(way)) is not None:
        pending, orders, rows = found
        if rows is None:
            assert isinstance(pending, Ask)
            way = tree._ordered(way, pending, chance.choice(orders))
            continue
        if rows.event.seen_by:
            other = 1 - sides.index(rows.event.seen_by)
            ways = [
                tree._fallen(way, pending, rows, (row, str(row))) for row in range(len(rows.rows))
            ]
            assert len({str(after.stories[other].lines) for after in ways}) == 1
            assert len({str(after.stories[1 - other].lines) for after in ways}) == len(ways)
            compared += 1
        way = tree._fallen(way, pending, rows, (chance.randrange(len(rows.rows)), "so"))
    assert compared
