"""The laws that every game must keep, game by game and law by law."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fireplan.kit import LAWS, Bench, Law
from fireplan.table import Catalogue


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.id)
def test_law(bench: Bench, law: Law) -> None:
    assert law.check(bench) == []


PLAY = """
import sys
sys.path[:0] = sys.argv[2:]
import conftest, null_game
from fireplan.chance import RandomFaces
from fireplan.kit import Bench
from fireplan.table import Table, play_out
bench = Bench(conftest.alone(sys.argv[1]), sys.argv[1], conftest.ENGAGEMENT)
table = play_out(Table(bench.scenario, 8), RandomFaces(11))
print(table.journal)
print(table.log)
print(table.state)
print([(str(t), [(e.target, e.weight) for e in es]) for t, es in zip(bench.chain.tops, bench.chain.edges)][:3000])
"""


def test_same_seed_same_bytes_whatever_the_hash_seed(game: str) -> None:
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
