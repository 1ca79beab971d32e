"""The checks of the kit, game by game: the same that ``fireplan check`` and ``GameSuite`` run."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest
from tiers import full_then_long

from fireplan_core.play import Catalogue
from fireplan_kit import LAWS, Bench, Finding, Law

IN_THEIR_OWN_FOLDERS = {"battlegroup_clash", "battletech", "combat_commander"}
"""Games whose own folders test the laws, on tables that they can stage."""
GAMES = {entry.name for entry in entry_points(group="fireplan.games")} - IN_THEIR_OWN_FOLDERS
DEAR = {
    "L04": {"asl"},
    "L05": {"red_poppies", "wacht_am_rhein"},
    "L08": {"null", *GAMES},
    "L12": {"asl"},
    "L14": {"asl"},
    "L15": {"asl"},
    "L18": {"asl"},
    "L19": {"red_poppies"},
    "L20": {"null", *GAMES},
    "L21": {"miniatures_1943"},
    "L23": {"asl"},
    "L24": {"asl", "red_poppies", "wacht_am_rhein"},
    "L26": {"asl", "red_poppies"},
    "L27": {"null", *GAMES},
    "L28": {"null", *GAMES},
}
"""Games for which a law takes two seconds or more: ``.ci/run`` runs these, the quick tests the
others.
"""


DEAREST = {
    ("asl", "L04"),
    ("asl", "L15"),
    ("asl", "L24"),
    ("asl", "L27"),
    ("asl", "L28"),
    ("red_poppies", "L27"),
    ("red_poppies", "L28"),
}
"""The laws that take longest for a game: they run before a release."""


def law_of(game: str, law: Law) -> Any:
    """Return a game's law as a test case."""
    name, number = f"{game}-{law.id}", law.id.partition("-")[0]
    dear = game in DEAR.get(number, ())
    tier = pytest.mark.long if (game, number) in DEAREST else pytest.mark.full
    return pytest.param(game, law, id=name, marks=[tier] if dear else [])


@pytest.mark.parametrize(
    ("game", "law"), [law_of(game, law) for game in ("null", *sorted(GAMES)) for law in LAWS]
)
def test_law(bench: Bench, law: Law) -> None:
    if law.whole_game and bench.key == "null":
        # The null game is a single module for tests, without a package, a ledger or other files.
        return
    assert [str(Finding(bench.key, law.id, flaw)) for flaw in law.flaws(bench)] == []


def test_a_game_names_the_edition_that_its_ledger_is_of(bench: Bench) -> None:
    game = bench.catalogue[bench.key].game
    if bench.key == "null":
        return
    assert game.edition == game.ledger.edition != ""


def test_at_least_ten_positions_of_every_game_are_frozen(game: str) -> None:
    if game == "null":
        return
    (entry,) = entry_points(group="fireplan.games", name=game)
    package = Path(str(entry.load().__file__)).parent
    assert len(list((package / "data" / "perft").glob("*.txt"))) >= 10


PLAY = """
import sys
sys.path[:0] = sys.argv[2:]
import conftest, null_game
from fireplan_core.chance import RandomFaces
from fireplan_kit import Bench
from fireplan_core.play import Table, play_out
bench = Bench(conftest.alone(sys.argv[1]), sys.argv[1], conftest.ENGAGEMENT)
table = play_out(Table(bench.scenario, 8), RandomFaces(11))
print(table.journal)
print(table.log)
print(table.state)
print([(str(t), [(e.target, e.weight) for e in es]) for t, es in zip(bench.chain.tops, bench.chain.edges)][:3000])
"""


@pytest.mark.parametrize("game", full_then_long(["asl", *sorted(GAMES - {"asl"}), "null"]))
def test_same_seed_same_bytes_whatever_the_hash_seed(game: str) -> None:
    """Compare both play and chain under two hash seeds; law L27 compares the play of every game."""
    here = Path(__file__).parent
    outputs = []
    for hash_seed in ("0", "1234"):
        run = subprocess.run(
            [sys.executable, "-c", PLAY, game, str(here), str(here.parent / "games")],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            check=True,
        )
        outputs.append(run.stdout)
    assert outputs[0] == outputs[1]
    assert len(outputs[0]) > 1000


def test_every_installed_game_is_admitted() -> None:
    catalogue = Catalogue.installed()
    assert catalogue.problems == []
    assert len(catalogue.games) >= 4
