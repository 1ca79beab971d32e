"""The registry of questions: it maps each name to its definition without loading it."""

from collections.abc import Mapping
from importlib.metadata import entry_points

GROUP = "fireplan.questions"
"""Entry-point group through which other distributions add questions."""
OWN: Mapping[str, str] = {
    "belief": "fireplan.questions.of_positions:Belief",
    "best": "fireplan.questions.of_positions:Best",
    "chance": "fireplan.questions.chance:ChanceQuestion",
    "compare": "fireplan.questions.compare:Compare",
    "decisions": "fireplan.questions.vocabulary:Decisions",
    "diff": "fireplan.questions.diff:Diff",
    "duel": "fireplan.questions.duel:DuelQuestion",
    "engagements": "fireplan.questions.lists:Engagements",
    "events": "fireplan.questions.vocabulary:Events",
    "fields": "fireplan.questions.lists:FieldsQuestion",
    "games": "fireplan.questions.lists:Games",
    "kitbash": "fireplan.questions.compare:Kitbash",
    "luck": "fireplan.questions.recorded:Luck",
    "measures": "fireplan.questions.vocabulary:MeasureList",
    "numbers": "fireplan.questions.lists:NumbersQuestion",
    "odds": "fireplan.questions.odds:Odds",
    "piles": "fireplan.questions.vocabulary:Piles",
    "rolls": "fireplan.questions.vocabulary:Rolls",
    "rules": "fireplan.questions.lists:Rules",
    "scenarios": "fireplan.questions.lists:Scenarios",
    "sensitivity": "fireplan.questions.sensitivity:SensitivityQuestion",
    "sweep": "fireplan.questions.sweep:SweepQuestion",
    "tune": "fireplan.questions.sensitivity:Tune",
    "whatif": "fireplan.questions.odds:WhatIf",
}
"""Maps each question of this distribution to its ``module:class``."""


def places() -> dict[str, str]:
    """Map each installed question to its definition, ``module:class``."""
    return {**OWN, **{entry.name: entry.value for entry in entry_points(group=GROUP)}}
