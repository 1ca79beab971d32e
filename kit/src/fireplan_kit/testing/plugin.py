"""A pytest plugin that prints the shortest failing story of a test and saves it as a journal."""

from __future__ import annotations

import sys
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from fireplan_kit.testing.strategies import Story

FOLDER = "fireplan-failures"
"""Name of the folder for journals of failing stories, below pytest's temporary folder."""


def _latest() -> list[Story]:
    """Return a list of the story drawn last; it is empty if no test has imported the strategies."""
    module: Any = sys.modules.get("fireplan_kit.testing.strategies")
    return [] if module is None else module.LATEST


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Clear the story of the previous test."""
    _latest().clear()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add a failing story's last position, and the journal that replays it, to the report."""
    report = yield
    if call.when == "call" and report.failed and (stories := _latest()):
        report.sections.append(("fireplan", "\n".join(_summary(stories[0], item))))
    return report


def _summary(story: Story, item: pytest.Item) -> list[str]:
    lines = [f"position: {story.position}"]
    factory: Any = getattr(item.config, "_tmp_path_factory", None)
    if factory is None:
        return lines
    folder = Path(factory.getbasetemp()) / FOLDER
    folder.mkdir(exist_ok=True)
    name = "".join(char if char.isalnum() or char in "-_" else "-" for char in item.name)[:80]
    file = folder / f"{name}.fireplan"
    file.unlink(missing_ok=True)
    try:
        story.save(file)
    except Exception as error:  # noqa: BLE001 - must not hide the failure of the test
        return [*lines, f"it cannot be saved as a journal: {error}"]
    return [*lines, f"journal: fireplan replay {file}"]
