"""What a site is built of, and when none is: the runtime held by its checksum, pure Python alone, no folder lost."""

import io
import zipfile

import pytest

from fireplan.api import InputError
from fireplan.cli import main
from fireplan.site._pack import packed
from fireplan.site._runtime import runtime_files
from fireplan_core.play import Catalogue


def names(archive):
    return zipfile.ZipFile(io.BytesIO(archive)).namelist()


@pytest.fixture(scope="module")
def archives():
    return packed(Catalogue.installed())


def test_every_installed_game_goes_in_with_its_data_and_its_entry_point(archives):
    found = names(archives["packages.zip"])
    for installed in Catalogue.installed().games.values():
        package = installed.distribution.replace("-", "_")
        assert f"{package}-{installed.version}.dist-info/entry_points.txt" in found
        assert any(name.startswith(f"{package}/data/") for name in found)


def test_what_the_browser_does_not_need_stays_out(archives):
    found = names(archives["packages.zip"])
    tops = {name.split("/")[0] for name in found}
    assert not tops & {"docutils", "pygments", "rich", "cyclopts", "uvicorn", "networkx", "numpy"}
    assert not [name for name in found if name.endswith((".so", ".pyc"))]
    assert {name.split("/")[0].partition("-")[0] for name in names(archives["later.zip"])} == {"networkx"}


def test_libraries_bring_their_licences(archives):
    found = names(archives["packages.zip"])
    for library in ("jinja2", "starlette", "attrs", "anyio"):
        assert any(name.startswith(library) and "/licenses/" in name for name in found), library


def test_the_same_games_give_the_same_bytes(archives):
    assert packed(Catalogue.installed()) == archives


def test_another_tarball_than_the_pinned_one_is_refused(tmp_path):
    other = tmp_path / "pyodide.tgz"
    other.write_bytes(b"another")
    with pytest.raises(InputError, match="is not the pinned pyodide"):
        runtime_files(other)
    with pytest.raises(FileNotFoundError):  # which a command says in words
        runtime_files(tmp_path / "none.tgz")


def test_without_npm_it_is_said_how_to_bring_the_runtime(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InputError, match=r"npm is not installed.*--runtime"):
        runtime_files(None)


def test_a_folder_that_is_no_site_is_not_touched(tmp_path, capsys):
    (tmp_path / "letters.txt").write_text("mine")
    assert main(["site", "build", str(tmp_path)]) == 2
    assert "no site of fireplan" in capsys.readouterr().err
    assert (tmp_path / "letters.txt").read_text() == "mine"


def test_a_library_with_native_code_is_named(monkeypatch):
    from fireplan.site import _pack

    monkeypatch.setattr(_pack, "_DISPENSABLE", frozenset({"tomli"}))
    with pytest.raises(InputError, match="MarkupSafe has native code"):
        packed(Catalogue.installed())
