"""Comparing games: engagements from files, yardsticks, and the answers side by side as data and picture."""

from fireplan.compare._answers import (
    Answer,
    Comparison,
    GameAnswer,
    Measured,
    NotModelled,
    Picture,
)
from fireplan.compare._comparison import Contender, answer_json, as_csv, as_data, as_json, compare, contenders
from fireplan.compare._files import (
    DEFAULT,
    EngagementError,
    find_engagement,
    load_engagement,
    shipped_engagements,
)
from fireplan.compare._picture import svg
from fireplan.compare._yardsticks import YARDSTICKS, Yardstick, answer
from fireplan.files import Fault, describe

__all__ = [
    "DEFAULT",
    "YARDSTICKS",
    "Answer",
    "Comparison",
    "Contender",
    "EngagementError",
    "Fault",
    "GameAnswer",
    "Measured",
    "NotModelled",
    "Picture",
    "Yardstick",
    "answer",
    "answer_json",
    "as_csv",
    "as_data",
    "as_json",
    "compare",
    "contenders",
    "describe",
    "find_engagement",
    "load_engagement",
    "shipped_engagements",
    "svg",
]
