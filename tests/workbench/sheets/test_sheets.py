"""Sheets: games in one TOML file, which play as their Python versions do."""

import re
import sys
import tracemalloc
from importlib import import_module
from pathlib import Path

import pytest
from tiers import one_in

import fireplan as fp
from fireplan.analysis import shipped_engagements
from fireplan.cli import main
from fireplan.errors import InputError
from fireplan.sheets import admit, is_sheet, kinds_of, read_sheet, sheet_game, sheet_templates
from fireplan_core import ProcedureError
from fireplan_core.files import Document, FileError
from fireplan_core.play import Catalogue

ROOT = Path(__file__).parents[3]
SHEET = ROOT / "examples/sheets/night_rockets.toml"


GAMES = ("night_rockets", "lantern_ridge", "marsh_road")
SCENARIOS = (
    ("night_rockets", "ford", 9),
    ("lantern_ridge", "first", 3),
    pytest.param("marsh_road", "first", 4, marks=pytest.mark.long),
    ("marsh_road", "night", 7),
)


@pytest.fixture(scope="module")
def catalogue():
    both = Catalogue()
    for game in GAMES:
        sys.path.insert(0, str(ROOT / f"examples/{game}/src"))
        try:
            both.admit(import_module(f"fireplan_{game}"))
        finally:
            sys.path.pop(0)
        both.admit(read_sheet(ROOT / f"examples/sheets/{game}.toml"))
    return both


def answered(engagement, game, catalogue):
    try:
        return fp.odds(engagement, game=game, catalogue=catalogue).answer
    except InputError as error:
        return str(error).replace(game, "game").casefold()


@pytest.mark.parametrize("engagement", one_in(3, sorted(shipped_engagements())))
@pytest.mark.parametrize("game", GAMES)
def test_a_sheet_has_every_fraction_of_its_python_version(game, engagement, catalogue):
    python = answered(engagement, game, catalogue)
    sheet = answered(engagement, f"{game}_sheet", catalogue)
    if isinstance(python, str):
        assert python == sheet
    else:
        assert python.measures == sheet.measures
        assert python.delivery == sheet.delivery


@pytest.mark.parametrize(("game", "scenario", "moments"), SCENARIOS)
def test_the_scenario_of_a_sheet_has_every_fraction_of_its_python_version(
    game, scenario, moments, catalogue
):
    python, sheet = (
        fp.odds(f"{key}/{scenario}", moments=moments, catalogue=catalogue).answer
        for key in (game, f"{game}_sheet")
    )
    assert python.measures == sheet.measures


BATTLETECH = str(ROOT / "examples/sheets/battletech.toml")
IN_THE_OPEN = ("open_attack", {"frontage": 90, "depth": 60})


@pytest.mark.parametrize(
    ("engagement", "changes"),
    [
        ("woods", {}),
        ("open_attack", {}),
        ("woods", {"range": 400}),
        ("woods", {"range": 7800, "cover": "open"}),
        ("woods", {"range": 10500, "calibre": 75, "minutes": 20}),
        IN_THE_OPEN,
    ],
)
def test_battletech_as_a_sheet_has_every_fraction_of_the_plugin(engagement, changes):
    pytest.importorskip("fireplan_battletech", reason="the game is in requirements-games.txt")
    plugin, sheet = (
        fp.odds(engagement, game=game, **changes).answer for game in ("battletech", BATTLETECH)
    )
    assert plugin.measures == sheet.measures
    assert plugin.delivery == sheet.delivery


@pytest.mark.parametrize(
    ("engagement", "changes", "refused"),
    [
        ("dug_in", {}, "does not refuse a bombardment"),
        ("strongpoint", {}, "does not refuse buildings"),
        ("woods", {"weapon": "mortar"}, "does not refuse a mortar"),
        ("woods", {"night": True}, "does not refuse the night"),
        ("woods", {"calibre": 155}, ""),
        ("woods", {"men": 60}, ""),
    ],
)
def test_battletech_as_a_sheet_differs_only_where_its_comments_say(engagement, changes, refused):
    pytest.importorskip("fireplan_battletech", reason="the game is in requirements-games.txt")
    sheet = fp.odds(engagement, game=BATTLETECH, **changes).answer
    if refused:
        with pytest.raises(InputError, match="battletech cannot stage this"):
            fp.odds(engagement, game="battletech", **changes)
    else:
        assert fp.odds(engagement, game="battletech", **changes).answer.measures != sheet.measures


def test_the_worked_examples_of_battletech_as_a_sheet_play_as_written(capsys):
    assert main(["check", BATTLETECH, "--only", "L29-witnesses"]) == 0
    assert "passed L29-witnesses" in capsys.readouterr().out


def test_a_sheet_is_compared_with_a_printed_game():
    compared = fp.compare("woods", games=f"miniatures_1943,{SHEET}")
    assert compared["night_rockets_sheet"].title == "Night Rockets"
    assert (
        compared["night_rockets_sheet"].measures
        == fp.odds("woods", game=str(SHEET)).answer.measures
    )


def test_the_file_of_a_sheet_is_its_first_scenario(catalogue):
    alone, named = fp.odds(str(SHEET)), fp.odds("night_rockets_sheet/ford", catalogue=catalogue)
    assert alone.answer.measures == named.answer.measures


def test_a_figure_of_a_sheet_is_a_number_that_can_be_changed():
    numbers = read_sheet(SHEET).game.charts["numbers"]
    assert [numbers.cells[name] for name in ("radius", "boxes", "accurate")] == [6, 3, 2]
    cites = {name: numbers.notes[name].cite for name in ("radius", "boxes", "accurate")}
    assert cites == {"radius": "4.2", "boxes": "2.2", "accurate": "4.1"}


FAULTS = (
    ('kind = "Track"', 'kind = "Trak"', "delays.kind", "Track"),
    ('kind = "Track"', "kind = 3", "delays.kind", "FixedDelay"),
    ('kind = "Drifting, Deviation, Circle"', 'kind = "Circle"', "areas", "only by Drifting"),
    ("boxes = 3", "", "delays.boxes", "boxes = "),
    ("boxes = 3", "boxes = 0", "delays.boxes", "boxes"),
    ("boxes = 3", 'boxes = "3"', "delays.boxes", "write boxes = 3"),
    ("boxes = 3", "boxs = 3", "delays.boxs", "did you mean boxes"),
    ('dice = "d6"', 'dice = "6"', "delays.dice", "2d6"),
    ('dice = "d6"', 'dice = "d1"', "delays.dice", "2d6"),
    ('"3-5" = 1', '"3-4" = 1', "delays.moves", "no entry for 5"),
    ('"3-5" = 1', '"2-5" = 1', "delays.moves", "2 appears twice"),
    ('"3-5" = 1', '"five" = 1', "delays.moves", '"2-6"'),
    ('moment = "2.1"', 'moment = "2.9"', "delays.rules.moment", "2.1"),
    ('moment = "2.1", ', "", "delays.rules", 'add moment = "1.1"'),
    ('moment = "2.1"', 'momnt = "2.1"', "delays.rules.momnt", "moment"),
    ('"7-10" = "pinned"', '"8-10" = "pinned"', "table.effects.rows", "no row for 7"),
    ('"7-10" = "pinned"', '"6-10" = "pinned"', "table.effects.rows", "6 appears twice"),
    ('"7-10" = "pinned"', '"7-10" = "pind"', "resolution.severities", "pind"),
    ('"7-10" = "pinned"', '"7-10" = "pinned, 2"', "table.effects.rows", "expected 1 entries"),
    ('chart = "effects"', 'chart = "efects"', "resolution.chart", "did you mean effects"),
    ('pinned = "suppressed"', 'pinned = "supressed"', "resolution.severities", "suppressed"),
    ('roll = "resolution.attack"', 'roll = "resolution.atack"', "modifier[0].roll", "attack"),
    ('roll = "resolution.attack"', 'roll = "delays.advance"', "modifier[0]", "leave these out"),
    ('cover = ["buildings", "trench"]', 'cover = ["wall"]', "modifier[0].cover", "buildings"),
    ('id = "1.2"', 'id = "1.1"', "rule[1].id", "give each its own name"),
    ('target = "0,0"', 'target = "F8"', "scenario[0].target", "a point"),
    ('kind = "table" ', 'kind = "plane" ', "map.kind", "hexes"),
    ('vectors = ["0,-2"', 'vectors = ["north"', "areas.vectors", '"0,-2"'),
    ("sheet = 1", "sheet = 2", "sheet", "1"),
    ('key = "night_rockets_sheet"', 'key = "Night Rockets"', "key", "lower-case letters"),
    ("[observers]", "[observer]", "observers", 'kind = "DeclaredSight"'),
)


@pytest.mark.parametrize("name", ["rule", "scenario"])
def test_a_sheet_whose_rules_or_scenarios_are_an_empty_list_is_refused(name, tmp_path):
    tables = SHEET.read_text(encoding="utf-8").split("\n\n")
    left = [table for table in tables if not table.lstrip().startswith(f"[[{name}")]
    assert len(left) < len(tables)
    path = tmp_path / "mine.toml"
    path.write_text(f"{name} = []\n" + "\n\n".join(left), encoding="utf-8")
    with pytest.raises(FileError, match=rf"there is no {name} - add \[\[{name}\]\]"):
        read_sheet(path)


@pytest.mark.parametrize(
    ("right", "wrong", "key", "hint"), FAULTS, ids=[f"{case[0]} -> {case[1]}" for case in FAULTS]
)
def test_a_fault_in_a_sheet_is_answered_with_its_line_and_a_suggestion(
    right, wrong, key, hint, tmp_path
):
    text = SHEET.read_text(encoding="utf-8")
    assert right in text
    path = tmp_path / "mine.toml"
    path.write_text(text.replace(right, wrong, 1), encoding="utf-8")
    with pytest.raises(FileError) as refused:
        read_sheet(path)
    faults = [fault for fault in refused.value.faults if fault.key.startswith(key)]
    assert faults, str(refused.value)
    assert any(hint in f"{fault.message} {fault.suggestion}" for fault in faults), str(faults)
    assert all(fault.line for fault in faults if fault.key != "observers")


def test_every_fault_of_a_sheet_is_listed_at_once(tmp_path):
    text = SHEET.read_text(encoding="utf-8")
    for right, wrong in (("Track", "Trak"), ("radius = 6", "radus = 6"), ("men = 15", "men = 0")):
        text = text.replace(right, wrong, 1)
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as refused:
        fp.odds("woods", game=str(path))
    assert all(word in str(refused.value) for word in ("Trak", "radus", "unit[0].men"))
    assert len(re.findall(r"line \d+", str(refused.value))) >= 3


def test_a_sheet_cannot_take_the_key_of_an_installed_game(tmp_path):
    path = tmp_path / "mine.toml"
    text = SHEET.read_text(encoding="utf-8")
    path.write_text(text.replace("night_rockets_sheet", "miniatures_1943"), encoding="utf-8")
    with pytest.raises(InputError, match="choose another"):
        fp.compare("woods", games=f"miniatures_1943,{path}")


@pytest.mark.parametrize("word", ["observers", "requests", "delays", "areas", "resolution"])
def test_every_ready_part_can_be_derived(word):
    from fireplan.sheets.tables import part_table

    assert all(part_table((kind,)) for kind in kinds_of(word).values())


def test_a_sheet_in_place_of_an_engagement_is_reported_in_one_line(capsys):
    assert main(["compare", str(SHEET)]) == 2
    printed = capsys.readouterr().err.strip().splitlines()
    assert len(printed) == 1
    assert "a sheet is a game, not an engagement" in " ".join(printed)


@pytest.mark.parametrize("kind", ["sparse", "broken"])
def test_of_a_file_too_large_to_be_a_sheet_no_more_is_read_than_a_sheet_may_have(tmp_path, kind):
    file = tmp_path / "huge.toml"
    with file.open("wb") as opened:
        opened.write(b"sheet = 1\n[" if kind == "broken" else b"")
        opened.truncate(100_000_000)
    tracemalloc.start()
    assert is_sheet(str(file)) == (kind == "broken")
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 10_000_000


def test_a_sheet_that_is_not_admitted_leaves_the_one_of_its_key_in_place(monkeypatch):
    catalogue = Catalogue()
    text = SHEET.read_text(encoding="utf-8")
    first, second = (sheet_game(Document.of("s", f"{text}\n# {number}")) for number in (1, 2))
    admit(catalogue, first)

    def refuse(*_given, **_more):
        raise ProcedureError("no")

    monkeypatch.setattr(Catalogue, "admit", refuse)
    with pytest.raises(ProcedureError):
        admit(catalogue, second)
    assert catalogue.games[first.game.key].plugin is first


def test_sentences_are_held_to_the_same_names_where_only_bytecode_is_left(monkeypatch):
    text = sheet_templates()["radio_and_scatter"].read_text(encoding="utf-8")
    sound = text + '\n[sentences.events]\nrequested = "{mission} is called for"\n'
    wrong = text + '\n[sentences.events]\nreqested = "{mission} is called for"\n'

    def faults(written):
        try:
            sheet_game(Document.of("sheet", written))
        except FileError as error:
            return error.faults
        return ()

    before = [faults(sound), faults(wrong)]
    assert (before[0], len(before[1])) == ((), 1)

    def without_source(_module):
        raise OSError("could not get source code")

    monkeypatch.setattr("inspect.getsource", without_source)
    assert [faults(sound), faults(wrong)] == before
