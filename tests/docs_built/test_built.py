"""The documentation built as documented: without a warning and without any network."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Does the same as ``python -m sphinx -W -b html docs docs/_build``, but with the network blocked.
WITHOUT_NETWORK = """
import socket, sys

def shut(*_args, **_kwargs):
    raise OSError("the documentation is built without network")

socket.socket.connect = socket.getaddrinfo = socket.create_connection = shut
from sphinx.cmd.build import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """Return the folder of the documentation, as built here.

    ``.ci/run`` names one, which the browser tests use later.
    """
    folder = os.environ.get("FIREPLAN_BUILT_DOCS") or tmp_path_factory.mktemp("built")
    command = [
        sys.executable,
        "-c",
        WITHOUT_NETWORK,
        "-W",
        "-q",
        "-E",
        "-b",
        "html",
        "docs",
        str(folder),
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return Path(folder)


def test_generated_texts_in_the_pages_are_up_to_date():
    sys.path.insert(0, str(ROOT / "docs"))
    import _generate

    stale = [
        page.name
        for page, text in _generate.pages().items()
        if page.read_text(encoding="utf-8") != text
    ]
    assert stale == [], "run: python docs/_generate.py"


def test_no_page_takes_anything_from_elsewhere(built):
    outside = re.compile(
        r"""<(?:script|img|iframe|source|video|audio|embed|object|use)\b[^>]*\b(?:src|srcset|data|href)=["'](?:\w+:)?//[^"']*"""
        r"""|<link\b[^>]*\bhref=["'](?:\w+:)?//[^"']*"""
        r"""|@import\s+(?:url\()?["']?(?:\w+:)?//[^"')]*|url\(\s*["']?(?:\w+:)?//[^"')]*"""
        r"""|\b(?:fetch|importScripts)\(\s*["'](?:\w+:)?//[^"']*"""
    )
    found = {
        f"{file.relative_to(built)}: {hit}"
        for file in built.rglob("*")
        if file.suffix in (".html", ".css", ".js", ".svg")
        for hit in outside.findall(file.read_text(encoding="utf-8"))
    }
    assert found == set()


def test_the_game_pages_include_the_generated_texts(built):
    page = (built / "games" / "asl.html").read_text(encoding="utf-8")
    assert "life.svg" in page
    assert "ffe_c_without_contact" in page


def test_every_command_is_on_the_page_of_commands(built):
    page = (built / "reference" / "commands.html").read_text(encoding="utf-8")
    assert "sensitivity" in page
    assert "--scheduler" in page


def test_the_reference_shows_the_docstrings(built):
    page = (built / "reference" / "api.html").read_text(encoding="utf-8")
    assert 'id="fireplan.kitbash"' in page
    assert "Compare every installed game on one engagement, side by side." in page
    assert 'id="fireplan.Result.save"' in page


def test_a_notebook_is_shown_with_its_stored_outputs(built):
    page = (built / "notebooks" / "players_question.html").read_text(encoding="utf-8")
    assert "1767623449078479481/2073041835515707392" in page
    assert '<th scope="row">Delivered</th>' in page
