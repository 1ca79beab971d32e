"""The process in which best orders are searched for a scenario, and a goal of its firer."""

from __future__ import annotations

import fireplan as fp
from fireplan.solver.best import MEASURES, OpenDecisions, Process
from fireplan.solver.best.goals import Goal


def process_of(scenario: str, moments: int, **limits: int) -> Process:
    """Return a process in which all decisions of the firer are open; a path also names a scenario."""
    staged = fp.position(scenario).at.scenario
    return Process(staged, moments, OpenDecisions(staged.firer), **limits)


def goal_of(process: Process, name: str) -> Goal:
    """Return a goal of the firer by its measure, such as "falls"."""
    return MEASURES[name].goal_of(process.scenario, process.scenario.firer)
