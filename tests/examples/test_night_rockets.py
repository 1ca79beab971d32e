"""The fifth game, from its own folder: it passes the kit and can be compared, with little code of
its own.
"""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest
from by_hand import fireplan, made_visible

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "night_rockets"
OWN = sorted(FOLDER.rglob("*.py"))


@pytest.mark.long
def test_it_passes_every_check_and_is_compared(tmp_path):
    """Run the whole kit here; ``.ci/run`` runs it on the larger example Lantern Ridge only."""
    environment = made_visible(FOLDER / "src", "night_rockets", tmp_path / "site")
    report = json.loads(fireplan(environment, tmp_path, "check", "night_rockets", "--json").stdout)
    assert [finding for check in report["checks"] for finding in check["findings"]] == []
    assert report["passed"]
    compared = json.loads(
        fireplan(environment, tmp_path, "compare", "--games", "night_rockets", "--json").stdout
    )
    assert "night_rockets" in json.dumps(compared)


def test_it_is_less_than_150_lines_of_python():
    assert sum(len(path.read_text(encoding="utf-8").splitlines()) for path in OWN) < 150


def test_it_uses_only_public_names():
    private = []
    for path in OWN:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.ImportFrom)
                and node.module
                and node.module.startswith("fireplan.")
            ):
                names = [*node.module.split("."), *(alias.name for alias in node.names)]
                private += [name for name in names if name.startswith("_")]
    assert private == []
