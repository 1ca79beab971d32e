"""Comparing games: engagements from files, yardsticks, and the answers side by side as data and picture."""

from fireplan.compare._answers import (
    Answer,
    Comparison,
    GameAnswer,
    Measured,
    NotModelled,
    Picture,
)
from fireplan.compare._changes import Change, changes
from fireplan.compare._comparison import (
    Contender,
    answer_data,
    answer_json,
    as_csv,
    as_data,
    as_json,
    compare,
    contenders,
)
from fireplan.compare._figures import FIGURES, Figure, figures_of
from fireplan.compare._files import (
    DEFAULT,
    EngagementError,
    find_engagement,
    load_engagement,
    shipped_engagements,
)
from fireplan.compare._picture import svg
from fireplan.compare._reading import in_short, in_words, number, percent, severity_at, unmodelled
from fireplan.compare._sensitivity import Effect, Moved, Sensitivity, sensitivity
from fireplan.compare._tables import Setting, is_scenario, setting
from fireplan.compare._yardsticks import YARDSTICKS, Yardstick, answer
from fireplan.files import Fault, describe

__all__ = [
    "DEFAULT",
    "FIGURES",
    "YARDSTICKS",
    "Answer",
    "Change",
    "Comparison",
    "Contender",
    "Effect",
    "EngagementError",
    "Fault",
    "Figure",
    "GameAnswer",
    "Measured",
    "Moved",
    "NotModelled",
    "Picture",
    "Sensitivity",
    "Setting",
    "Yardstick",
    "answer",
    "answer_data",
    "answer_json",
    "as_csv",
    "as_data",
    "as_json",
    "changes",
    "compare",
    "contenders",
    "describe",
    "figures_of",
    "find_engagement",
    "in_short",
    "in_words",
    "is_scenario",
    "load_engagement",
    "number",
    "percent",
    "sensitivity",
    "setting",
    "severity_at",
    "shipped_engagements",
    "svg",
    "unmodelled",
]
