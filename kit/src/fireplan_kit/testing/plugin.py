"""The pytest plugin: after a test that drew a story and failed, its shortest form is printed and kept as a journal."""

from __future__ import annotations

import sys
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from fireplan_kit.testing.strategies import Story

FOLDER = "fireplan-failures"
"""Say where journals of failing stories are kept, below pytest's own temporary folder."""


def _latest() -> list[Story]:
    """The story drawn last; nothing is loaded where no test uses the strategies."""
    module: Any = sys.modules.get("fireplan_kit.testing.strategies")
    return [] if module is None else module.LATEST


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Forget the story of the test before."""
    _latest().clear()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add to the report of a failing test where its story stood, and the journal that replays it."""
    report = yield
    if call.when == "call" and report.failed and (found := _latest()):
        report.sections.append(("fireplan", "\n".join(_told(found[0], item))))
    return report


def _told(story: Story, item: pytest.Item) -> list[str]:
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
    except Exception as error:  # noqa: BLE001 - whatever stands against it, the failure itself is told
        return [*lines, f"it cannot be kept as a journal: {error}"]
    return [*lines, f"journal: fireplan replay {file}"]
