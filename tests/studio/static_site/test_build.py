"""Building a site, and refusing to: runtime verified by checksum, only pure Python, no folder
overwritten.
"""

import io
import sys
import zipfile
from importlib import import_module

import pytest

from fireplan.cli import main
from fireplan.errors import InputError
from fireplan_core.play import Catalogue
from fireplan_studio.static_site import builder
from fireplan_studio.static_site.bytecode import AS_SOURCE, compiled
from fireplan_studio.static_site.pack import packed
from fireplan_studio.static_site.runtime import runtime_files, with_bytecode


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


def test_files_the_browser_does_not_need_stay_out(archives):
    found = names(archives["packages.zip"])
    tops = {name.split("/")[0] for name in found}
    assert not tops & {"docutils", "pygments", "rich", "cyclopts", "uvicorn", "networkx", "numpy"}
    assert not [name for name in found if name.endswith((".so", ".pyc"))]
    assert {name.split("/")[0].partition("-")[0] for name in names(archives["later.zip"])} == {
        "networkx"
    }


def test_libraries_bring_their_licences(archives):
    found = names(archives["packages.zip"])
    for library in ("jinja2", "starlette", "attrs", "anyio"):
        assert any(name.startswith(library) and "/licenses/" in name for name in found), library


def test_the_same_games_give_the_same_bytes(archives):
    assert packed(Catalogue.installed()) == archives


def test_another_tarball_than_the_pinned_one_is_refused(tmp_path):
    other = tmp_path / "pyodide.tgz"
    other.write_bytes(b"another")
    with pytest.raises(InputError, match="not the pinned pyodide"):
        runtime_files(other)
    with pytest.raises(FileNotFoundError):  # a command reports this error in words
        runtime_files(tmp_path / "none.tgz")


def test_without_npm_the_message_explains_how_to_supply_the_runtime(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InputError, match=r"npm is not installed.*--runtime"):
        runtime_files(None)


def test_a_folder_that_is_not_a_site_is_not_touched(tmp_path, capsys):
    (tmp_path / "letters.txt").write_text("mine")
    assert main(["site", "build", str(tmp_path)]) == 2
    assert "is not a fireplan site" in capsys.readouterr().err
    assert (tmp_path / "letters.txt").read_text() == "mine"


@pytest.mark.parametrize(
    "wrong", ["example.org", "ftp://example.org", "https://", "https://example.org/?a=1"]
)
def test_an_invalid_web_address_is_refused_before_work_begins(tmp_path, capsys, wrong):
    assert main(["site", "build", str(tmp_path / "site"), "--public-url", wrong]) == 2
    assert "is not the address of a site" in capsys.readouterr().err
    assert not (tmp_path / "site").exists()


@pytest.mark.parametrize("address", ["https://a.example/b", "https://a.example/b/"])
def test_the_picture_beside_a_link_is_in_the_folder_of_the_site(monkeypatch, address):
    async def drawn(*_):
        return 200, {}, b"<svg/>"

    monkeypatch.setattr(builder, "without_server", lambda _: drawn)
    monkeypatch.setattr(builder, "png", lambda _: bytes(24))
    tags, _ = builder._preview(address)
    assert 'og:image" content="https://a.example/b/preview.png"' in tags


@pytest.mark.full
def test_a_link_to_a_site_with_an_address_comes_with_a_picture(monkeypatch, tmp_path):
    monkeypatch.setattr(builder, "_python", lambda *_: iter(()))
    monkeypatch.setattr(builder, "_first", lambda *_: iter(()))
    builder.build(tmp_path / "plain", Catalogue.installed())
    assert "og:image" not in (tmp_path / "plain/index.html").read_text()
    builder.build(tmp_path / "site", Catalogue.installed(), public_url='https://a.example/"x"')
    page = (tmp_path / "site/index.html").read_text()
    assert 'og:image" content="https://a.example/&quot;x&quot;/preview.png"' in page
    image = (tmp_path / "site/preview.png").read_bytes()
    width, height = (int.from_bytes(image[at : at + 4], "big") for at in (16, 20))
    assert f'og:image:width" content="{width}"' in page
    assert f'og:image:height" content="{height}"' in page
    assert len(image) < 300_000
    assert "preview.png" not in (tmp_path / "site/sw.js").read_text(), (
        "the preview is stored for offline use"
    )


def test_a_library_with_native_code_is_named(monkeypatch):
    from fireplan_studio.static_site import pack

    monkeypatch.setattr(pack, "_DISPENSABLE", frozenset({"tomli"}))
    with pytest.raises(InputError, match="MarkupSafe has native code"):
        packed(Catalogue.installed())


def test_only_modules_loaded_at_the_start_are_compiled(monkeypatch, tmp_path):
    source, untouched = "HERE = __file__\n", "this is never (compiled"
    archive = tmp_path / "packages.zip"
    with zipfile.ZipFile(archive, "w") as made:
        for name in ("fired/__init__.py", "fired/late.py", *AS_SOURCE, "fired/data.toml"):
            made.writestr(name, untouched if name == "fired/late.py" else source)
    folder = str(tmp_path / "there")
    compiled(
        archive,
        folder,
        {f"{folder}/fired/__init__.py", *(f"{folder}/{name}" for name in AS_SOURCE)},
    )
    with zipfile.ZipFile(archive) as made:
        assert set(made.namelist()) == {
            "fired/__init__.pyc",
            "fired/late.py",
            *AS_SOURCE,
            "fired/data.toml",
        }
        assert made.read("fired/late.py").decode() == untouched
        made.extractall(folder)
    for place in (str(archive), folder):  # from the zip, then unpacked
        monkeypatch.setattr(sys, "path", [place, *sys.path])
        monkeypatch.delitem(sys.modules, "fired", raising=False)
        assert f"{place}/fired/__init__.pyc" == import_module("fired").HERE


def test_unreachable_modules_are_left_out_unless_the_start_loads_them(tmp_path):
    names = (
        "encodings/cp437.py",
        "encodings/cp949.py",
        "encodings/iso8859_1.py",
        "encodings/utf_16.py",
        "pdb.py",
    )
    archive = tmp_path / "python_stdlib.zip"
    for used, left in (
        (set(), {*names[:1], *names[2:4]}),
        ({"/lib/pdb.py"}, {*names[:1], *names[2:4], "pdb.pyc"}),
    ):
        with zipfile.ZipFile(archive, "w") as made:
            for name in names:
                made.writestr(name, "HERE = 1\n")
        compiled(archive, "/lib", used)
        with zipfile.ZipFile(archive) as made:
            assert set(made.namelist()) == left


def test_without_node_the_modules_stay_as_they_are(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert with_bytecode({"packages.zip": b"modules"}) == {"packages.zip": b"modules"}


def test_a_studio_that_does_not_start_in_node_is_reported(monkeypatch, tmp_path):
    node = tmp_path / "node"
    node.write_text(
        "#!/bin/sh\necho 'Traceback' >&2\necho 'ImportError: no module named guns' >&2\nexit 1\n"
    )
    node.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        InputError,
        match=r"does not start in the browser.s Python: ImportError: no module named guns",
    ):
        with_bytecode({"packages.zip": b"modules"})
