"""Playouts from compiled rows against the same dice rolled step by step at a table."""

from __future__ import annotations

import pytest

from fireplan.solver import Compiler, playout
from fireplan_core.chance import ChanceError, RandomFaces, ScriptedFaces
from fireplan_core.play import Catalogue, Table, Thrown, load_scenario, play_out, shipped_scenarios


@pytest.mark.parametrize(
    "name", ["asl/village", "wacht_am_rhein/crossroads", "red_poppies/bloody_repulse"]
)
def test_a_playout_equals_a_tables_record_byte_for_byte(name):
    catalogue = Catalogue.installed()
    scenario, _ = load_scenario(catalogue, shipped_scenarios(catalogue)[name])
    compiler = Compiler(scenario)
    for seed in (1, 2):
        table = play_out(Table(scenario, 5), RandomFaces(seed))
        found = playout(compiler, 5, RandomFaces(seed))
        assert (
            repr((found.journal, found.log)).encode() == repr((table.journal, table.log)).encode()
        )


def test_typed_dice_play_out_too_and_run_out_loudly(scenario):
    table = play_out(Table(scenario, 6), RandomFaces("typed"))
    faces = [face for given in table.journal if isinstance(given, Thrown) for face in given.faces]
    found = playout(Compiler(scenario), 6, ScriptedFaces(faces))
    assert (found.journal, found.log) == (table.journal, table.log)
    assert any(entry.throw for entry in found.log)
    with pytest.raises(ChanceError, match="ran out"):
        playout(Compiler(scenario), 6, ScriptedFaces(faces[:-1]))
