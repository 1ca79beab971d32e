"""The templates of sheets and the schema: shipped, described, copied, and correct."""

import json
from importlib.resources import files
from pathlib import Path

import pytest
import tomli
from tiers import full_then_long, one_in

import fireplan as fp
from fireplan.cli import main
from fireplan.sheets import read_sheet, schema, sheet_templates
from fireplan.sheets.tables import figure_types, kinds_of, meaning
from fireplan_core.chance import read_csv
from fireplan_core.play import CONTRACTS

EXAMPLES = sorted((Path(__file__).parents[3] / "examples/sheets").glob("*.toml"))


@pytest.mark.parametrize("name", sheet_templates())
def test_a_template_is_a_game_whose_first_scenario_can_be_answered(name):
    text = sheet_templates()[name].read_text(encoding="utf-8")
    assert "What it models" in " ".join(text.replace("\n# ", " ").split())
    assert fp.odds(str(sheet_templates()[name])).answer.delivery
    sheet = read_sheet(Path(str(sheet_templates()[name])))
    assert sheet.game.key == name
    assert sheet.form.summary


@pytest.mark.parametrize("name", one_in(4, sheet_templates()))
def test_a_template_stages_the_first_engagement_of_the_pages_without_sampling(name):
    assert fp.odds("woods", game=str(sheet_templates()[name]), moments=6).answer.exact


@pytest.mark.parametrize("name", full_then_long(sheet_templates()))
def test_a_template_passes_every_check(name, capsys):
    assert main(["check", str(sheet_templates()[name])]) == 0, capsys.readouterr().out


def test_a_template_is_copied_under_a_key_of_its_own_and_never_over_a_file(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    assert main(["sheet", "rocket_salvo", "mine.toml"]) == 0
    assert read_sheet(Path("mine.toml")).game.key == "mine"
    assert main(["sheet", "rocket_salvo", "mine.toml"]) == 2
    assert main(["sheet", "rocket_salv", "other.toml"]) == 2
    assert "rocket_salvo" in capsys.readouterr().err
    assert main(["sheet", "rocket_salvo", "Not A Key.toml"]) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["mine.toml"]


def test_the_schema_has_every_key_of_every_ready_part_with_help(capsys):
    assert main(["sheet", "--schema"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed == json.loads(json.dumps(schema()))
    for word in CONTRACTS:
        keys = printed["properties"][word]["properties"]
        for kind in kinds_of(word).values():
            assert set(figure_types((kind,))) <= set(keys)
        assert all(described["description"] for described in keys.values())


@pytest.mark.parametrize(
    "file", [*EXAMPLES, *sheet_templates().values()], ids=lambda file: file.name
)
def test_the_schema_takes_every_shipped_sheet(file):
    jsonschema = pytest.importorskip("jsonschema")
    content = tomli.loads(file.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema()).validate(content)
    wrong = {**content, "delays": {**content["delays"], "kind": "Trak"}}
    assert not jsonschema.Draft202012Validator(schema()).is_valid(wrong)


def test_every_figure_has_a_meaning_without_code_names():
    told = set()
    for word in CONTRACTS:
        for name, kind in kinds_of(word).items():
            for figure in figure_types((kind,)):
                said = meaning((kind,), figure)
                assert "_" not in said, (name, figure)
                assert not said.startswith(figure), (name, figure)
                assert len(said.split()) > 3, (name, figure)
                told.add((word, figure))
    rows = {
        (row["part"], row["figure"]) for row in read_csv(files("fireplan.sheets") / "meanings.csv")
    }
    assert {(word, figure) for word, figure in rows if word} <= told, "some keys lack a meaning"
