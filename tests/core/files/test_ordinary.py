"""Files named by other files: ordinary, of limited size, and below the folder of the file that
names them.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from fireplan.cli import main
from fireplan_core.chance import chart_text
from fireplan_core.files import ALLOW_OUTSIDE, FileError, below, read_ordinary
from fireplan_core.play import Catalogue, load_scenario, shipped_scenarios

GAMES = Catalogue.installed()
SCENARIO = "wacht_am_rhein/crossroads"
CHART = Path(GAMES["wacht_am_rhein"].plugin.__file__).parent / "data" / "barrage_results.csv"


def odd_files(folder):
    """Create files that must not be read, and return their names: endless, a pipe, a circular link,
    a folder.
    """
    os.mkfifo(folder / "pipe")
    (folder / "zero").symlink_to("/dev/zero")
    (folder / "circle").symlink_to("circle")
    (folder / "folder").mkdir()
    return ["pipe", "zero", "circle", "folder"]


def scenario(folder, chart, name="mine.toml"):
    """Write the crossroads scenario with a chart of this name; return its path."""
    text = shipped_scenarios(GAMES)[SCENARIO].read_text(encoding="utf-8")
    file = folder / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(f'{text}\n[charts]\nbarrage_results = "{chart}"\n', encoding="utf-8")
    return file


def test_devices_pipes_folders_and_links_in_a_circle_are_not_read(tmp_path):
    for name in odd_files(tmp_path):
        with pytest.raises(OSError, match=r"regular|directory|symbolic"):
            read_ordinary(tmp_path / name, 10)
    (tmp_path / "large").write_bytes(b"x" * 100)
    assert read_ordinary(tmp_path / "large", 10) == b"x" * 11
    with pytest.raises(OSError, match="regular"):
        chart_text(tmp_path / "zero")


def test_a_named_file_must_be_below_the_naming_files_folder(tmp_path, monkeypatch):
    folder = tmp_path / "mine"
    (folder / "sub").mkdir(parents=True)
    (tmp_path / "other").mkdir()
    (folder / "link").symlink_to(tmp_path / "other")
    for name in ("a.csv", "sub/a.csv", "sub/../a.csv", "./a.csv"):
        assert below(folder, name) == folder / name
    outside = ["../a.csv", "/etc/hostname", "link/a.csv", "sub/../../a.csv", "../mine2/a.csv"]
    for name in outside:
        with pytest.raises(
            ValueError,
            match="lies outside the folder of the file that names it: move it there or use",
        ):
            below(folder, name)
    monkeypatch.setenv(ALLOW_OUTSIDE, "1")
    for name in outside:
        assert below(folder, name) == folder / name


@pytest.mark.parametrize(
    "name", ["pipe", "zero", "circle", "folder", "/dev/zero", "../secret.csv", "link.csv"]
)
def test_a_scenario_naming_a_foreign_chart_is_refused(tmp_path, name):
    folder = tmp_path / "mine"
    folder.mkdir()
    odd_files(folder)
    shutil.copy(CHART, tmp_path / "secret.csv")
    (folder / "link.csv").symlink_to(tmp_path / "secret.csv")
    with pytest.raises(FileError) as caught:
        load_scenario(GAMES, scenario(folder, name))
    assert [fault.key for fault in caught.value.faults] == ["charts.barrage_results"]


@pytest.mark.parametrize(
    "command", [["play", "--journal", "t.fireplan"], ["odds"], ["odds", "--moments", "2"]]
)
@pytest.mark.parametrize("name", ["pipe", "/dev/zero", "zero"])
def test_commands_refuse_such_files_under_any_name(tmp_path, capsys, monkeypatch, command, name):
    monkeypatch.chdir(tmp_path)
    odd_files(tmp_path)
    for given in (scenario(tmp_path, name), name):
        assert main([command[0], str(given), *command[1:]]) == 2
        assert "Traceback" not in capsys.readouterr().err
    assert not Path("t.fireplan").exists()


def test_a_playthrough_names_files_of_its_own_folder(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    odd_files(tmp_path)
    shutil.copy(CHART, tmp_path / "mine.csv")
    scenario(tmp_path, "mine.csv")
    (tmp_path / "sub").mkdir()
    cases = {
        ("mine.toml", "."): 0,
        ("pipe", "."): 2,
        ("/dev/zero", "."): 2,
        ("../mine.toml", "sub"): 2,
    }
    for (name, folder), status in cases.items():
        file = tmp_path / folder / "told.playthrough.txt"
        file.write_text(f"fireplan playthrough 1\nscenario: {name}\n")
        assert main(["playthrough", str(file), "--write"]) == status, name
    assert "--allow-outside" in capsys.readouterr().err
    assert main(["playthrough", str(tmp_path / "pipe")]) == 2
    file.write_text("fireplan playthrough 1\nscenario: ../mine.toml\n")
    assert main(["playthrough", str(file), "--write", "--allow-outside"]) == 0


@pytest.mark.full
def test_allow_outside_holds_for_one_command_and_its_journal_keeps_the_chart(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    shutil.copy(CHART, tmp_path / "shared.csv")
    for chart, flag in (("../shared.csv", ["--allow-outside"]), (str(tmp_path / "shared.csv"), ["--allow-outside"]),
                        ("below/shared.csv", [])):  # fmt: skip
        file = scenario(tmp_path / "mine", chart)
        (tmp_path / "mine/below").mkdir(exist_ok=True)
        shutil.copy(CHART, tmp_path / "mine/below/shared.csv")
        journal = tmp_path / "t.fireplan"
        if flag:
            assert main(["play", str(file), "--journal", str(journal)]) == 2
            assert "--allow-outside" in capsys.readouterr().err
        done = subprocess.run([sys.executable, "-m", "fireplan", "play", file, "--journal", journal, *flag],
                              input=b"quit\n", capture_output=True, check=False)  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert ALLOW_OUTSIDE not in os.environ
        shutil.move(tmp_path / "shared.csv", tmp_path / "moved.csv")
        assert main(["replay", str(journal)]) == 0
        shutil.move(tmp_path / "moved.csv", tmp_path / "shared.csv")
        journal.unlink()


def test_a_chart_too_large_is_refused_by_its_size(tmp_path):
    with (tmp_path / "large.csv").open("wb") as file:
        file.truncate(10**12)
    with pytest.raises(FileError, match="larger than 32 kB"):
        chart_text(tmp_path / "large.csv")
    with pytest.raises(FileError, match="larger than 32 kB"):
        load_scenario(GAMES, scenario(tmp_path, "large.csv"))
