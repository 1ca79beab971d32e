"""Conversion of a sheet: the plugin written from it plays the same, to the last fraction."""

import sys
from importlib import import_module
from pathlib import Path

import pytest

import fireplan as fp
from fireplan.cli import main
from fireplan.sheets import read_sheet
from fireplan_core.play import Catalogue

SHEETS = Path(__file__).parents[2] / "examples/sheets"
SCENARIOS = {
    "night_rockets": ("ford", 9),
    "lantern_ridge": ("first", 3),
    "marsh_road": ("night", 7),
    "battletech": ("ridge", 8),
}


@pytest.mark.parametrize("watched", [3, pytest.param(None, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", SCENARIOS)
def test_the_plugin_written_from_a_sheet_has_its_fractions(name, watched, tmp_path, monkeypatch):
    sheet = read_sheet(SHEETS / f"{name}.toml")
    key = f"{name}_{watched or 'whole'}"
    arguments = ["--from", str(SHEETS / f"{name}.toml"), "--into", str(tmp_path)]
    assert main(["new", key, *arguments]) == 0
    monkeypatch.setattr(sys, "path", [str(tmp_path / key / "src"), *sys.path])
    both = Catalogue()
    both.admit(sheet)
    both.admit(import_module(f"fireplan_{key}"))
    for engagement in ("woods", "dug_in"):
        written, own = (
            fp.odds(engagement, game=game, moments=watched, catalogue=both).answer
            for game in (key, sheet.game.key)
        )
        assert written.measures == own.measures
    scenario, moments = SCENARIOS[name]
    written, own = (
        fp.odds(f"{game}/{scenario}", moments=watched or moments, catalogue=both).answer
        for game in (key, sheet.game.key)
    )
    assert written.measures == own.measures
    figures = sheet.game.charts["numbers"]
    assert both[key].game.charts["numbers"].cells == figures.cells
    assert both[key].game.sentences == sheet.game.sentences
    assert [option.values for option in both[key].game.options] == [
        option.values for option in sheet.game.options
    ]


MODULE = """from fireplan_core.ready_parts import TableLookUp


class Stands(TableLookUp):
    def column(self, view, mission, unit, strength):
        return "hard" if view.mission(mission).fell else "soft"
"""


def test_the_plugin_has_the_module_of_a_part(tmp_path, monkeypatch):
    text = (SHEETS / "night_rockets.toml").read_text(encoding="utf-8")
    hard = '{ "2-6" = "-, pinned", "7-10" = "pinned, lost", "11-12" = "lost, lost" }'
    for before, after in (
        ("night_rockets_sheet", "own"),
        ('kind = "TableLookUp"', 'module = "parts.py"'),
        ('rows = { "2-6"', f'columns = ["soft", "hard"]\nrows = {hard}\n# {{ "2-6"'),
    ):
        assert before in text
        text = text.replace(before, after)
    (tmp_path / "mine.toml").write_text(text, encoding="utf-8")
    (tmp_path / "parts.py").write_text(MODULE, encoding="utf-8")
    arguments = ["--from", str(tmp_path / "mine.toml"), "--into", str(tmp_path)]
    assert main(["new", "with_module", *arguments]) == 2
    assert not (tmp_path / "with_module").exists()
    assert main(["new", "with_module", *arguments, "--allow-code"]) == 0
    package = tmp_path / "with_module/src/fireplan_with_module"
    assert (package / "resolution.py").read_text(encoding="utf-8") == MODULE
    monkeypatch.setattr(sys, "path", [str(package.parent), *sys.path])
    monkeypatch.setenv("FIREPLAN_ALLOW_CODE", "1")
    both = Catalogue()
    both.admit(read_sheet(tmp_path / "mine.toml"))
    both.admit(import_module("fireplan_with_module"))
    both.admit(read_sheet(SHEETS / "night_rockets.toml"))
    own, written, without = (
        fp.odds("woods", game=game, catalogue=both).answer.measures
        for game in ("own", "with_module", "night_rockets_sheet")
    )
    assert own == written != without


def test_a_plugin_is_not_written_from_a_faulty_sheet(tmp_path, capsys):
    text = (SHEETS / "night_rockets.toml").read_text(encoding="utf-8")
    path = tmp_path / "mine.toml"
    path.write_text(text.replace("boxes = 3", "boxs = 3"), encoding="utf-8")
    assert main(["new", "mine", "--from", str(path), "--into", str(tmp_path)]) == 2
    assert "did you mean boxes" in capsys.readouterr().err
    assert not (tmp_path / "mine").exists()
