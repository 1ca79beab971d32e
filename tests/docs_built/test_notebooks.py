"""The notebooks run, each in a fresh kernel, and store what their code gives now."""

import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))


def test_every_notebook_has_a_page():
    assert len(NOTEBOOKS) == 5
    assert [file.with_suffix(".md").exists() for file in NOTEBOOKS] == [True] * 5
    listed = (DOCS / "how_to/notebooks.md").read_text(encoding="utf-8")
    assert [file.name for file in NOTEBOOKS if listed.count(f"notebooks/{file.stem}") != 2] == []


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_a_notebooks_outputs_are_up_to_date(file):
    command = [sys.executable, str(DOCS / "_notebooks.py"), "--check", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("as the code gives them now\n", 0), done.stderr
