"""A pytest plugin that prints the shortest failing mission of a test and saves it as a journal."""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from fireplan_kit.testing.strategies import PlayedMission

FOLDER = "fireplan-failures"
"""Name of the folder for journals of failing missions, below pytest's temporary folder."""


def _latest() -> list[PlayedMission]:
    """Return a list with the mission drawn last, empty if no test uses the strategies."""
    module: Any = sys.modules.get("fireplan_kit.testing.strategies")
    return [] if module is None else module.LATEST


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Forget the mission that the previous test drew."""
    _latest().clear()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add a failing mission's last position, and the journal that replays it, to the report."""
    report = yield
    if call.when == "call" and report.failed and (missions := _latest()):
        report.sections.append(("fireplan", "\n".join(_summary(missions[0], item))))
    return report


def _summary(mission: PlayedMission, item: pytest.Item) -> Iterator[str]:
    """Yield the mission's position and its journal; an error must not hide the test's failure."""
    try:
        yield f"position: {mission.position}"
    except Exception as error:  # noqa: BLE001 - e.g. an error in the rules under test
        yield f"its position cannot be written as a line: {error}"
    factory: Any = getattr(item.config, "_tmp_path_factory", None)
    if factory is None:
        return
    name = "".join(char if char.isalnum() or char in "-_" else "-" for char in item.name)[:80]
    try:
        folder = Path(factory.getbasetemp()) / FOLDER
        folder.mkdir(exist_ok=True)
        file = folder / f"{name}.fireplan"
        file.unlink(missing_ok=True)
        mission.save(file)
    except Exception as error:  # noqa: BLE001 - e.g. the disk is full
        yield f"it cannot be saved as a journal: {error}"
    else:
        yield f"journal: fireplan replay {file}"
