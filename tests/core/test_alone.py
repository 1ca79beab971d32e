"""The core needs no other distribution: with it and one game installed, a scenario is played to its
end.
"""

from __future__ import annotations

import re
import subprocess
import venv
from importlib.metadata import distribution, entry_points
from pathlib import Path

import pytest
import tomli
from packaging.requirements import Requirement
from tiers import one_in

ROOT = Path(__file__).resolve().parents[2]
GAMES = sorted(path.parents[3].name for path in (ROOT / "plugins").glob("*/src/*/data/rules.toml"))

PLAY = """\
from fireplan_core.chance import RandomFaces
from fireplan_core.play import Catalogue, Table, find_scenario, play_out, shipped_scenarios

catalogue = Catalogue.installed()
for name in shipped_scenarios(catalogue):
    scenario, file = find_scenario(catalogue, name)
    table = play_out(Table(scenario, file.moments), RandomFaces(1))
    print(name, "over" if table.over else "not over", len(table.log))
print([problem.reason for problem in catalogue.problems])
"""


def needed(project, found):
    """Return the distributions that a project of this workspace needs, recursively, except those of
    the workspace.
    """
    for requirement in map(Requirement, project):
        name = requirement.name
        if (
            name.startswith("fireplan")
            or name in found
            or (requirement.marker and not requirement.marker.evaluate({"extra": ""}))
        ):
            continue
        found[name] = distribution(name)
        needed(found[name].requires or (), found)
    return found


def only(folder, *members):
    """Return the Python of an environment with these members of the workspace and the distributions
    they need, and nothing else.
    """
    venv.create(folder, with_pip=False, symlinks=True)
    site = next((folder / "lib").glob("python*")) / "site-packages"
    paths = []
    for member in members:
        project = tomli.loads((ROOT / member / "pyproject.toml").read_text(encoding="utf-8"))[
            "project"
        ]
        paths.append(str(ROOT / member / "src"))
        for found in needed(project["dependencies"], {}).values():
            for top in {
                file.parts[0]
                for file in found.files or ()
                if file.parts[0] not in ("..", "__pycache__")
            }:
                if not (site / top).exists():
                    (site / top).symlink_to(found.locate_file(top))
        info = site / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
        )
        points = project.get("entry-points", {})
        lines = [
            f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in entries.items())
            for group, entries in points.items()
        ]
        (info / "entry_points.txt").write_text("\n".join(lines))
    (site / "members.pth").write_text("\n".join(paths))
    return folder / "bin" / "python"


@pytest.mark.parametrize("game", one_in(len(GAMES), GAMES))
def test_a_game_is_played_to_its_end_with_only_the_core(game, tmp_path):
    python = only(tmp_path / "alone", "core", f"plugins/{game}")
    played = subprocess.run(
        [python, "-I", "-c", PLAY], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (played.returncode, played.stderr) == (0, "")
    *lines, problems = played.stdout.splitlines()
    assert problems == "[]"
    assert lines
    assert all(line.startswith(f"{game}/") and " over " in line for line in lines)
    for absent in ("fireplan", "networkx", "rich"):
        run = subprocess.run(
            [python, "-I", "-c", f"import {absent}"], capture_output=True, check=False
        )
        assert run.returncode == 1


def test_the_workbench_brings_the_core():
    workbench = tomli.loads((ROOT / "workbench" / "pyproject.toml").read_text(encoding="utf-8"))[
        "project"
    ]
    assert any(one.startswith("fireplan-core") for one in workbench["dependencies"])
    # The games that requirements.txt installs are among the entry points of this environment.
    asked = re.findall(
        r"^-e ./plugins/(\w+)",
        (ROOT / "requirements.txt").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    assert {entry.name for entry in entry_points(group="fireplan.games")} >= set(asked)
