"""Which questions there are, and where each is defined: nothing of them is loaded."""

from collections.abc import Mapping
from importlib.metadata import entry_points

GROUP = "fireplan.questions"
"""The group of entry points by which another distribution adds a question."""
OWN: Mapping[str, str] = {
    "belief": "fireplan.questions.of_positions:Belief",
    "best": "fireplan.questions.of_positions:Best",
    "compare": "fireplan.questions.compare:Compare",
    "diff": "fireplan.questions.diff:Diff",
    "duel": "fireplan.questions.duel:DuelQuestion",
    "engagements": "fireplan.questions.lists:Engagements",
    "fields": "fireplan.questions.lists:Fields",
    "games": "fireplan.questions.lists:Games",
    "kitbash": "fireplan.questions.compare:Kitbash",
    "luck": "fireplan.questions.of_positions:Luck",
    "numbers": "fireplan.questions.lists:Numbers",
    "odds": "fireplan.questions.odds:Odds",
    "rules": "fireplan.questions.lists:Rules",
    "scenarios": "fireplan.questions.lists:Scenarios",
    "sensitivity": "fireplan.questions.sensitivity:SensitivityQuestion",
    "sweep": "fireplan.questions.sweep:SweepQuestion",
    "tune": "fireplan.questions.sensitivity:Tune",
    "whatif": "fireplan.questions.odds:WhatIf",
}
"""The questions of this distribution: ``module:class`` by name."""


def places() -> dict[str, str]:
    """Return where each installed question is defined, as ``module:class``, by its name."""
    return {**OWN, **{entry.name: entry.value for entry in entry_points(group=GROUP)}}
