"""Steps are typed: the type checker or admission refuses misspelt and mistyped references, naming
the line.

Faults are seeded into a copy of a game. mypy reads the copy once, with the workspace's own
settings, and must name the file and line of each. Faults outside a type checker's reach are refused
when the game is admitted.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import attrs
import null_game
import pytest

from fireplan_core import Effects, PartTypes, ProcedureError, hookimpl, step
from fireplan_core.play import Catalogue

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "plugins" / "asl" / "src" / "fireplan_asl"

# Each row: the fault, its file, a text in the file, and the replacement.
SEEDED = (
    (
        "a misspelt step of the core",
        "delays.py",
        "push(cycle.opportunity, mission)",
        "push(cycle.oportunity, mission)",
    ),
    (
        "too many arguments",
        "radio_contact.py",
        "push(cycle.opportunity, mission)",
        "push(cycle.opportunity, mission, 17)",
    ),
    (
        "a misspelt step of the part",
        "delays.py",
        "push(self.repair, mission)",
        "push(self.repiar, mission)",
    ),
    ("a misspelt field of a record", "delays.py", "radio, taken=True", "radio, takn=True"),
    (
        "a field of the wrong type",
        "radio_contact.py",
        "radio, contact=True",
        'radio, contact="yes"',
    ),
    (
        "a missing argument",
        "accuracy.py",
        "push(areas.extent, mission, toward, cap, convert)",
        "push(areas.extent, mission, toward)",
    ),
    (
        "an argument of the wrong type",
        "accuracy.py",
        "push(areas.direction, mission, cap, convert)",
        'push(areas.direction, mission, "far", convert)',
    ),
    (
        "a misspelt step of another part",
        "delays.py",
        "push(areas.phase_begins, mission, 0)",
        "push(areas.phase_begin, mission, 0)",
    ),
    (
        "a field that another record has",
        "accuracy.py",
        "update(fire, grain=grain)",
        "update(fire, black=3)",
    ),
    (
        "the fields of another record",
        "requests.py",
        "update(view.own(mission, Announced), blind=True)",
        "update(view.mission(mission), blind=True)",
    ),
    (
        "a step of another game's part",
        "accuracy.py",
        "push(areas.acted, mission)",
        "push(AslRequests.ready, mission)",
    ),
    (
        "a question put with other arguments",
        "requests.py",
        "self.call, mission)",
        "self.call, mission, 3)",
    ),
    (
        "a step in place of a question",
        "requests.py",
        "self.fire, mission)",
        "self.acted, mission)",
    ),
    (
        "a text in place of an effect",
        "requests.py",
        "does=push(cycle.request, mission)",
        'does="request"',
    ),
)


def seeded(folder):
    """Copy the game with every fault in it; return the file and line of each fault by name."""
    copy = folder / "fireplan_asl"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__", "data"))
    lines = {}
    for what, file, right, wrong in SEEDED:
        text = (copy / file).read_text(encoding="utf-8")
        assert right in text, f"{what}: {file} does not hold {right!r}"
        (copy / file).write_text(text.replace(right, wrong, 1), encoding="utf-8")
    for what, file, _, wrong in SEEDED:
        text = (copy / file).read_text(encoding="utf-8")
        lines[what] = (file, text[: text.index(wrong)].count("\n") + 1)
    return lines


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    folder = tmp_path_factory.mktemp("seeded")
    lines = seeded(folder)
    pytest.importorskip(
        "mypy", reason="the checkers are in requirements-dev.txt; .ci/run runs this test with them"
    )
    settings = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    table = settings[settings.index("[tool.mypy]") : settings.index("[tool.importlinter]")]
    table = re.sub(
        r"mypy_path = \[.*?\]", f'mypy_path = ["{ROOT / "core" / "src"}"]', table, flags=re.DOTALL
    )
    table = re.sub(r"files = \[.*?\]", f'files = ["{folder}"]', table, flags=re.DOTALL)
    (folder / "pyproject.toml").write_text(table, encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", "pyproject.toml", "--cache-dir", str(folder / "cache")],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    found = {
        (m[1], int(m[2]))
        for m in re.finditer(r"^fireplan_asl/([\w.]+):(\d+): error", run.stdout, re.MULTILINE)
    }
    return lines, found


@pytest.mark.parametrize("what", [what for what, *_ in SEEDED])
def test_the_type_checker_names_file_and_line_of(what, told):
    lines, found = told
    file, line = lines[what]
    # For a call over several lines, the type checker names one of the lines.
    assert {(file, line + near) for near in range(-2, 4)} & found


# --- faults found when a game is admitted --------------------------------------------------------
class Plugin:
    """The null game with one part replaced."""

    def __init__(self, **parts):
        self.parts = parts

    @hookimpl
    def fireplan_game(self):
        game = null_game.fireplan_game()
        return attrs.evolve(game, parts=attrs.evolve(game.parts, **self.parts))


class Unmarked(null_game.NullAreas):
    """Areas in which a step of the contract lacks its decorator."""

    def closed(self, chance, view, mission):
        return Effects()


class Narrow(null_game.NullAreas):
    """Areas in which a step of the contract has too few arguments."""

    @step(cite="N3")
    def land(self, chance, view):
        return Effects()


class Replaced(null_game.NullAreas):
    """Areas in which a plain method that is not a step overrides a step."""

    def direction(self, chance, view, m):
        return Effects()


class Loose(null_game.NullAreas):
    """Areas that publish values that are not records."""

    publishes = (int,)


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        ({"areas": Unmarked}, r"test_typed_wire\.py:\d+: Unmarked\.closed .* mark it @step"),
        (
            {"areas": Narrow},
            r"test_typed_wire\.py:\d+: Narrow\.land takes \(self, chance, view\), not",
        ),
        (
            {"areas": Replaced},
            r"test_typed_wire\.py:\d+: Replaced\.direction overrides a step",
        ),
        ({"areas": Loose}, r"Loose\.publishes names <class 'int'>, which is not a record"),
        ({"areas": null_game.NullDelays}, r"areas: .*NullDelays.* is not a subclass of Areas"),
        ({"delays": null_game.Delays}, r"the step delays\.moment is missing"),
    ],
)
def test_admission_refuses(parts, told):
    with pytest.raises(ProcedureError, match=told):
        Catalogue().admit(Plugin(**parts))


def test_part_types_are_the_five_words():
    assert [field.name for field in attrs.fields(PartTypes)] == [
        "observers", "requests", "delays", "areas", "resolution",
    ]  # fmt: skip
