"""Whatever takes a game takes a sheet: questions, commands, journals, sweeps and positions."""

from contextvars import copy_context
from io import StringIO
from pathlib import Path

import pytest

import fireplan as fp
from fireplan import sheets
from fireplan.cli import main
from fireplan.errors import REMOTE, InputError
from fireplan.questions.question import ask_question, question_named
from fireplan.questions.sheet_names import with_sheets
from fireplan.sheets import registry

ROOT = Path(__file__).parents[3]
SHEET = ROOT / "examples/sheets/night_rockets.toml"


@pytest.fixture(autouse=True)
def _no_other_sheets(monkeypatch):
    monkeypatch.setattr(registry, "_IN_USE", {})


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """Return the path of a sheet called mine.toml in the working directory."""
    monkeypatch.chdir(tmp_path)
    text = SHEET.read_text(encoding="utf-8").replace("night_rockets_sheet", "mine")
    Path("mine.toml").write_text(text, encoding="utf-8")
    return Path("mine.toml")


def test_a_changed_number_is_named_by_the_file_of_the_sheet(mine):
    by_file = fp.whatif("woods", set=("mine.toml.radius=8",))
    by_key = fp.whatif("woods", games=("mine.toml",), set={"mine.radius": 8})
    assert by_file["mine*"].measures == by_key["mine*"].measures
    assert by_file["mine*"].measures != by_file["mine"].measures


def test_the_best_orders_of_a_sheet_are_found_for_its_first_scenario(mine):
    by_file, by_name = (
        fp.best("mine.toml", goal="on_target"),
        fp.best("mine/ford", goal="on_target"),
    )
    assert by_file.to_dict() == by_name.to_dict()


def test_a_position_of_a_sheet_reads_back_from_its_line(mine):
    line = fp.position("mine.toml").line
    assert line.startswith("fp1 mine/ford")
    assert fp.position(line.replace("mine/", "mine.toml/")).line == line


def test_a_unit_of_a_sheet_is_set_up_elsewhere(mine):
    ford = fp.position("mine.toml")
    unit = next(iter(ford.at.scenario.units))
    moved = fp.position("mine.toml", setup={unit: {"at": "40,30"}})
    assert moved.at.scenario.units[unit].place == (40, 30)
    assert fp.position(moved.line) == moved


def test_a_hybrid_takes_a_part_of_a_sheet(mine):
    hybrid = fp.kitbash("miniatures_1943", delays="mine.toml")
    assert any("Night Rockets" in answer.title for answer in hybrid.comparison.games.values())


def test_a_journal_holds_its_sheet_and_is_resumed_without_the_file(mine, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", StringIO())
    assert main(["play", "mine.toml", "--journal", "a.fireplan"]) == 0
    mine.unlink()
    monkeypatch.setattr(registry, "_IN_USE", {})
    assert main(["replay", "a.fireplan"]) == 0
    assert "The ford at night" in capsys.readouterr().out


@pytest.mark.full
def test_a_sweep_takes_sheets_beside_its_plan(mine):
    Path("plan.toml").write_text(
        'title = "Boxes"\nengagements = ["woods"]\ngames = ["mine.toml"]\n'
        '[[vary]]\nnumber = "mine.toml.boxes"\nvalues = [2, 3]\n',
        encoding="utf-8",
    )
    rows = fp.sweep("plan.toml", workers=1).rows()
    assert len(rows) == 2
    assert rows[0] != rows[1]


@pytest.mark.full
def test_a_sheet_is_compared_only_where_it_is_named(mine):
    before = fp.compare("woods", minutes=4).to_dict()
    fp.odds("woods", game="mine.toml")
    assert fp.compare("woods", minutes=4).to_dict() == before


def test_figures_stored_for_one_form_of_a_sheet_are_not_taken_for_another(mine):
    versions = []
    for radius in (6, 7):
        text = mine.read_text(encoding="utf-8").replace("radius = 6", f"radius = {radius}")
        mine.write_text(text, encoding="utf-8")
        sheets.use(mine)
        versions.append(sheets.installed()["mine"].version)
    assert len(set(versions)) == 2


def test_a_sheet_is_read_again_after_it_was_changed(mine):
    before = fp.odds("woods", game="mine.toml").answer.measures
    text = mine.read_text(encoding="utf-8").replace("boxes = 3", "boxes = 1")
    mine.write_text(text, encoding="utf-8")
    assert fp.odds("woods", game="mine.toml").answer.measures != before
    assert "boxes = 1" in sheets.in_use()["mine"].document.text


def test_sheets_that_a_variable_names_are_known_to_every_command(mine, monkeypatch, capsys):
    monkeypatch.setenv(sheets.VARIABLE, str(mine.resolve()))
    assert main(["numbers", "mine"]) == 0
    assert "mine.boxes" in capsys.readouterr().out


def test_a_question_from_another_machine_reads_no_sheet(mine):
    with pytest.raises(InputError, match=r"mine\.toml"):
        ask_question(
            question_named("odds"), {"scenario": "woods", "game": "mine.toml"}, remote=True
        )
    assert not sheets.in_use()
    assert not REMOTE.get()


def test_no_name_is_read_as_that_of_a_sheet_in_a_question_from_another_machine(mine):
    def asked():
        REMOTE.set(True)
        return with_sheets("mine.toml", "position")

    assert copy_context().run(asked) == "mine.toml"
    assert not sheets.in_use()


def test_a_figure_cites_its_own_rule_where_one_is_named(mine):
    text = mine.read_text(encoding="utf-8")
    mine.write_text(text.replace('drift = "4.3" }', 'drift = "4.3", radius = "4.1" }'), "utf-8")
    assert sheets.use(mine).game.charts["numbers"].notes["radius"].cite == "4.1"


def test_a_file_without_a_version_is_reported(mine):
    mine.write_text(mine.read_text(encoding="utf-8").replace("sheet = 1", ""), encoding="utf-8")
    with pytest.raises(InputError, match="sheet: this key is missing"):
        fp.odds("mine.toml")


def test_a_sheet_that_is_not_toml_names_the_line(mine):
    mine.write_text(mine.read_text(encoding="utf-8").replace("[map]", "[map"), encoding="utf-8")
    with pytest.raises(InputError, match="line 8"):
        fp.odds("mine.toml")


@pytest.mark.long
def test_a_sheet_keeps_every_law_of_the_kit(capsys):
    assert main(["check", str(SHEET)]) == 0, capsys.readouterr().out
    printed = capsys.readouterr().out
    assert "passed L13-deterministic" in printed
    assert "rules without a witness" in printed


def test_a_sheet_with_an_installed_games_key_names_the_line(mine):
    mine.write_text(
        mine.read_text(encoding="utf-8").replace('key = "mine"', 'key = "asl"'), "utf-8"
    )
    with pytest.raises(InputError, match=r"line \d+: key: asl is the key of an installed game"):
        fp.odds("mine.toml")


@pytest.mark.parametrize(
    "command",
    [
        ["check", "mien.toml"],
        ["odds", "mien.toml"],
        ["odds", "woods", "--game", "mien.toml"],
        ["compare", "woods", "--games", "asl,mien.toml"],
        ["compare", "mien.toml"],
        ["whatif", "woods", "--set", "mien.toml.radius=8"],
    ],
)
def test_a_missing_file_is_reported_with_a_similar_name(mine, capsys, command):
    assert main(command) == 2
    told = capsys.readouterr().err
    assert "The file 'mien.toml' does not exist. Did you mean 'mine.toml'?" in told
    assert "There is no" not in told


def test_no_name_from_another_machine_is_looked_for_among_the_files(mine):
    with pytest.raises(InputError, match=r"There is no game .mien\.toml.") as refused:
        ask_question(
            question_named("odds"), {"scenario": "woods", "game": "mien.toml"}, remote=True
        )
    assert "mine.toml" not in str(refused.value)
