"""A Python module beside a sheet runs where it is allowed, and nowhere else."""

import os
import pickle
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
import tomli

import fireplan as fp
from fireplan import sheets
from fireplan.cli import main
from fireplan.errors import InputError
from fireplan.questions.question import ask_question, question_named
from fireplan.sheets import ALLOW_CODE, read_sheet, registry, schema, sheet_game
from fireplan_core.files import ALLOW_OUTSIDE, Document, FileError
from fireplan_core.play import Catalogue

ROOT = Path(__file__).parents[3]
READY = (ROOT / "examples/sheets/night_rockets.toml").read_text(encoding="utf-8")
TABLE = """[table.effects]
rule = "5.1"
rows = { "2-6" = "-", "7-10" = "pinned", "11-12" = "lost" }
"""
MINE = (
    READY.replace("night_rockets_sheet", "mine")
    .replace('kind = "TableLookUp"\nchart = "effects"', 'module = "my_resolution.py"\nlost_at = 11')
    .replace('severities = { "-" = "none", pinned = "suppressed", lost = "destroyed" }\n', "")
    .replace(TABLE, "")
)
MODULE = '''"""The resolution of Night Rockets, written out."""

from typing import Annotated

from fireplan_core import Effects, Severity, step
from fireplan_core.ready_parts import Stated, TableLookUp


class Stands(TableLookUp):
    """Two dice for each stand: 7 or more pins it, ``lost_at`` or more destroys it.

    Modifiers are registered for ``resolution.attack``.
    """

    chart, severities = "", {}
    lost_at: Annotated[int, Stated("strike")]

    @step(cite="5.1")
    def attack(self, chance, view, mission, unit, strength):
        """Throw the dice for a stand."""
        severity, card = self.thrown(chance, view, "attack", self.dice, self._read)
        return Effects(card, self.suffer(view, unit, severity))

    def _read(self, total):
        if total >= self.lost_at:
            return Severity.DESTROYED
        return Severity.SUPPRESSED if total >= 7 else Severity.NONE
'''
LINE = 1 + MINE.split("\n").index('module = "my_resolution.py"')
RAN = "from pathlib import Path\nPath(__file__).with_name('ran').touch()\n"


@pytest.fixture(autouse=True)
def _no_other_sheets(monkeypatch):
    monkeypatch.setattr(registry, "_IN_USE", {})
    monkeypatch.delenv(ALLOW_CODE, raising=False)


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """Return the path of a sheet called mine.toml in the working directory, with a module beside
    it.
    """
    monkeypatch.chdir(tmp_path)
    Path("mine.toml").write_text(MINE, encoding="utf-8")
    Path("my_resolution.py").write_text(MODULE + RAN, encoding="utf-8")
    return Path("mine.toml")


@pytest.fixture
def allowed(monkeypatch):
    monkeypatch.setenv(ALLOW_CODE, "1")


def figures(sheet, engagement):
    catalogue = Catalogue()
    catalogue.admit(sheet)
    key = sheet.game.key
    if engagement is None:
        return fp.odds(sheet.first_scenario, catalogue=catalogue).answer.measures
    return fp.odds(engagement, game=key, catalogue=catalogue).answer.measures


@pytest.mark.usefixtures("allowed")
@pytest.mark.parametrize("engagement", ["woods", "dug_in", None])
def test_a_part_in_a_module_has_the_fractions_of_the_ready_part(mine, engagement):
    ready = sheet_game(Document.of("ready.toml", READY))
    assert figures(read_sheet(mine), engagement) == figures(ready, engagement)


@pytest.mark.usefixtures("allowed")
def test_a_figure_that_the_class_declares_is_a_number_of_the_game(mine):
    wider = READY.replace('"7-10" = "pinned", "11-12"', '"7-9" = "pinned", "10-12"')
    ready = sheet_game(Document.of("ready.toml", wider))
    changed = fp.whatif("woods", set=("mine.toml.lost_at=10",))["mine*"].measures
    assert changed == figures(ready, "woods")
    assert changed != figures(read_sheet(mine), "woods")


@pytest.mark.usefixtures("allowed")
def test_the_version_of_a_game_depends_on_the_text_of_its_module(mine):
    versions = set()
    for text in (MODULE, MODULE.replace("total >= 7", "total >= 8")):
        Path("my_resolution.py").write_text(text, encoding="utf-8")
        sheets.use(mine)
        versions.add(sheets.installed()["mine"].version)
    assert len(versions) == 2


@pytest.mark.usefixtures("allowed")
def test_the_rules_that_a_module_cites_are_cited_by_the_game(mine):
    line = 1 + MODULE.split("\n").index('    @step(cite="5.1")')
    assert f"my_resolution.py:{line}" in read_sheet(mine).citations["5.1"]


@pytest.mark.usefixtures("allowed")
def test_another_process_has_the_module_as_it_was_read(mine):
    content = pickle.dumps(read_sheet(mine))
    Path("my_resolution.py").unlink()
    program = (
        "import pickle, sys; print(pickle.load(sys.stdin.buffer).game.parts.resolution.__mro__)"
    )
    others = {name: value for name, value in os.environ.items() if name != ALLOW_CODE}
    done = subprocess.run(
        [sys.executable, "-c", program], input=content, env=others, capture_output=True, check=True
    )
    assert b"Stands" in done.stdout


@pytest.mark.usefixtures("mine")
@pytest.mark.full
def test_workers_of_a_sweep_use_the_module(monkeypatch):
    monkeypatch.setenv(ALLOW_CODE, "1")
    Path("plan.toml").write_text(
        'title = "Losses"\nengagements = ["woods"]\ngames = ["mine.toml"]\n'
        '[[vary]]\nnumber = "mine.toml.lost_at"\nvalues = [9, 12]\n',
        encoding="utf-8",
    )
    rows = fp.sweep("plan.toml", workers=2).rows()
    assert len(rows) == 2
    assert rows[0] != rows[1]


@pytest.mark.usefixtures("mine")
def test_the_option_allows_it_for_one_command(capsys):
    assert main(["odds", "mine.toml", "--allow-code"]) == 0
    assert ALLOW_CODE not in os.environ
    assert main(["odds", "mine.toml"]) == 2
    assert "--allow-code" in capsys.readouterr().err
    assert main(["--help"]) == 0
    assert "--allow-code" in capsys.readouterr().out


@pytest.mark.full
@pytest.mark.usefixtures("mine")
def test_check_reads_the_module_as_the_source_of_a_game(capsys):
    clock = MODULE.replace(
        "from fireplan_core import Eff", "import time\nfrom fireplan_core import Eff"
    )
    clock = clock.replace("        if total >=", "        time.time()\n        if total >=")
    Path("my_resolution.py").write_text(clock, encoding="utf-8")
    assert main(["check", "mine.toml", "--only", "L12-pure", "--allow-code"]) == 2
    printed = capsys.readouterr().out
    assert "failed L12-pure" in printed
    assert "my_resolution.py" in printed


@pytest.mark.long
@pytest.mark.usefixtures("mine")
def test_check_holds_a_sheet_with_a_module_to_every_law(capsys):
    Path("my_resolution.py").write_text(MODULE, encoding="utf-8")
    status, printed = main(["check", "mine.toml", "--allow-code"]), capsys.readouterr().out
    assert status == 0, printed
    assert "passed L13-deterministic" in printed


PLAN = 'title = "P"\nengagements = ["woods"]\ngames = ["mine.toml"]\n'


@pytest.mark.parametrize(
    "command",
    [
        ["odds", "mine.toml"],
        ["odds", "woods", "--game", "mine.toml"],
        ["compare", "woods", "--games", "asl,mine.toml"],
        ["check", "mine.toml"],
        ["play", "mine.toml"],
        ["new", "mine", "--from", "mine.toml"],
        ["sweep", "plan.toml", "--workers", "1"],
        ["odds", "fp1 mine.toml/ford"],
        ["odds", "mine.toml", "--allow-outside"],
    ],
)
@pytest.mark.usefixtures("mine")
def test_without_the_option_no_command_runs_the_module(command, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", StringIO())
    Path("plan.toml").write_text(PLAN, encoding="utf-8")
    assert main(command) == 2
    told = capsys.readouterr().err
    assert f"line {LINE}: resolution.module" in told
    assert "my_resolution.py is a Python program" in told
    assert f"--allow-code with the command, or set {ALLOW_CODE}=1" in told
    assert told.count("mine.toml: line") == 1
    assert not Path("ran").exists()


@pytest.mark.parametrize("value", ["", "0", "no"])
def test_a_variable_with_another_value_does_not_allow_it(mine, monkeypatch, value):
    monkeypatch.setenv(ALLOW_CODE, value)
    with pytest.raises(FileError, match="is a Python program"):
        read_sheet(mine)
    assert not Path("ran").exists()


def test_a_variable_that_names_the_sheet_does_not_allow_its_module(mine, monkeypatch, capsys):
    monkeypatch.setenv(sheets.VARIABLE, str(mine))
    assert main(["numbers", "mine"]) == 2
    assert "--allow-code" in capsys.readouterr().err
    assert not Path("ran").exists()


@pytest.mark.usefixtures("allowed", "mine")
@pytest.mark.parametrize(
    "given", [{"scenario": "mine.toml"}, {"scenario": "woods", "game": "mine.toml"}]
)
def test_a_question_from_another_machine_never_runs_the_module(given):
    with pytest.raises(InputError):
        ask_question(question_named("odds"), given, remote=True)
    assert not Path("ran").exists()


@pytest.mark.usefixtures("allowed", "mine")
def test_the_text_of_a_sheet_never_runs_a_module():
    with pytest.raises(FileError) as refused:
        sheet_game(Document.of("sheet", MINE))
    (fault,) = refused.value.faults
    assert (fault.key, fault.line) == ("resolution.module", LINE)
    assert "a link, a page or a journal contains only the sheet" in fault.message
    assert not Path("ran").exists()


@pytest.mark.usefixtures("mine")
def test_a_journal_never_runs_a_module_but_that_of_the_sheet_in_use(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", StringIO())
    assert main(["play", "mine.toml", "--journal", "a.fireplan", "--allow-code"]) == 0
    Path("ran").unlink()
    for name in [name for name in sys.modules if name.startswith("fireplan_sheet_module_")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(registry, "_IN_USE", {})
    assert main(["replay", "a.fireplan", "--allow-code"]) == 2
    assert "my_resolution.py is not available" in capsys.readouterr().err
    assert not Path("ran").exists()
    monkeypatch.setenv(sheets.VARIABLE, "mine.toml")
    assert main(["replay", "a.fireplan", "--allow-code"]) == 0
    assert "The ford at night" in capsys.readouterr().out


def faults_of(mine, **changes):
    text = MINE
    for before, after in changes.values():
        assert before in text
        text = text.replace(before, after)
    mine.write_text(text, encoding="utf-8")
    with pytest.raises(FileError) as refused:
        read_sheet(mine)
    assert all(fault.suggestion for fault in refused.value.faults)
    assert all(fault.line for fault in refused.value.faults if "sentences" not in fault.key)
    return {fault.key: f"{fault.message} - {fault.suggestion}" for fault in refused.value.faults}


@pytest.mark.usefixtures("allowed")
@pytest.mark.parametrize(
    "name",
    ["../my_resolution.py", "sub/my_resolution.py", "/my_resolution.py", "my_resolution", ""],
)
def test_only_the_name_of_a_python_file_is_taken(mine, name, monkeypatch):
    monkeypatch.setenv(ALLOW_OUTSIDE, "1")
    faults = faults_of(mine, name=('"my_resolution.py"', f'"{name}"'))
    assert "without folders" in faults["resolution.module"]
    assert 'module = "my_resolution.py"' in faults["resolution.module"]


@pytest.mark.usefixtures("allowed")
def test_a_name_that_is_not_text_is_refused(mine):
    faults = faults_of(mine, name=('module = "my_resolution.py"', "module = 3"))
    assert "got 3" in faults["resolution.module"]


@pytest.mark.usefixtures("allowed")
def test_a_link_to_a_file_in_another_folder_is_refused(mine, tmp_path_factory, monkeypatch):
    monkeypatch.setenv(ALLOW_OUTSIDE, "1")
    other = tmp_path_factory.mktemp("other") / "my_resolution.py"
    Path("my_resolution.py").rename(other)
    Path("my_resolution.py").symlink_to(other)
    assert "in another folder" in faults_of(mine)["resolution.module"]
    assert not other.with_name("ran").exists()


@pytest.mark.usefixtures("allowed")
def test_a_file_that_cannot_be_read_is_refused(mine):
    path = Path("my_resolution.py")
    path.rename("my_resolutoin.py")
    assert "did you mean my_resolutoin.py?" in faults_of(mine)["resolution.module"]
    path.mkdir()
    assert "is a folder" in faults_of(mine)["resolution.module"]
    path.rmdir()
    path.symlink_to("my_resolution.py")
    assert "my_resolution.py: " in faults_of(mine)["resolution.module"]
    path.unlink()
    path.write_bytes(b"\xff")
    assert "UTF-8" in faults_of(mine)["resolution.module"]
    path.write_text("#" * 64_001, encoding="utf-8")
    assert "more than 64000 bytes" in faults_of(mine)["resolution.module"]
    path.unlink()
    os.mkfifo(path)
    assert "not a regular file" in faults_of(mine)["resolution.module"]


READY_PARTS = "from fireplan_core.ready_parts import *\nfrom fireplan_core import Resolution\n"
READY_PARTS = READY_PARTS.replace("import *", "import FixedDelay, TableLookUp")


@pytest.mark.usefixtures("allowed")
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("def broken(:", "my_resolution.py, line 1: SyntaxError"),
        ("\n\n1 / 0", "my_resolution.py, line 3: ZeroDivisionError"),
        ("import sys\nsys.exit()", "my_resolution.py, line 2: SystemExit"),
        ("import no_such_module", "my_resolution.py, line 1: ModuleNotFoundError"),
        ("", "defines no class for resolution - such as class Mine("),
        (READY_PARTS, "defines no class for resolution"),
        (f"{READY_PARTS}class A(FixedDelay): ...", "defines no class for resolution"),
        (
            f"{READY_PARTS}class A(TableLookUp): ...\nclass B(A): ...",
            "defines more than one class for resolution: A and B - keep one",
        ),
        (
            f"{READY_PARTS}class A(Resolution): ...",
            "A in my_resolution.py does not inherit from a ready part",
        ),
        (f"{READY_PARTS}class A(TableLookUp):\n    when: bytes", "A.when in my_resolution.py has"),
        (f"{READY_PARTS}class A(TableLookUp):\n    when: 'Nothing'", "NameError"),
        (
            f"{READY_PARTS}class A(TableLookUp):\n    def attack(self, chance, view): ...",
            "correct the class in the module",
        ),
    ],
)
def test_a_module_without_one_class_for_the_part_is_refused(mine, text, told):
    Path("my_resolution.py").write_text(text, encoding="utf-8")
    assert told in faults_of(mine)["resolution.module"]


@pytest.mark.usefixtures("allowed")
def test_a_part_is_in_a_module_or_made_of_ready_parts(mine):
    both = ("module =", 'kind = "TableLookUp"\nmodule =')
    assert "remove kind, or module" in faults_of(mine, both=both)["resolution.kind"]


@pytest.mark.usefixtures("allowed")
def test_figures_and_rules_of_a_module_are_checked_as_those_of_ready_parts(mine):
    faults = faults_of(mine, figure=("lost_at", "last_at"))
    assert "did you mean lost_at?" in faults["resolution.last_at"]
    faults = faults_of(mine, rule=('strike = "5.1"', 'stroke = "5.1"'))
    assert "did you mean strike?" in faults["resolution.rules.stroke"]


@pytest.mark.usefixtures("allowed")
def test_an_event_of_a_module_needs_a_sentence(mine):
    emits = MODULE.replace("import Effects, ", "import Effects, emit, ").replace(
        "Effects(card, ", 'Effects(card, emit("whistled", "5.1", unit=unit), '
    )
    Path("my_resolution.py").write_text(emits, encoding="utf-8")
    assert "whistled" in faults_of(mine)["sentences.events.whistled"]
    said = MINE + '\n[sentences.events]\nwhistled = "A rocket whistles over {unit}"\n'
    mine.write_text(said, encoding="utf-8")
    assert read_sheet(mine).game.key == "mine"


def test_the_schema_takes_a_sheet_with_a_module():
    validator = pytest.importorskip("jsonschema").Draft202012Validator(schema())
    content = tomli.loads(MINE)
    assert validator.is_valid(content)
    part = content["resolution"]
    assert not validator.is_valid({**content, "resolution": {**part, "kind": "TableLookUp"}})
    assert not validator.is_valid({**content, "resolution": {"lost_at": 11}})
    ready = {"kind": "TableLookUp", "lost_at": 11}
    assert not validator.is_valid({**content, "resolution": ready})
