"""The best use of a game's artillery: the side's own questions left open, and the optimum found exactly.

Everybody else keeps to a doctrine or to stated beliefs. Nothing here is imported by the rest of the odds.
"""

from fireplan.odds.best._condense import Condition, Rule, condensed
from fireplan.odds.best._frontier import Frontier, frontier
from fireplan.odds.best._goals import MEASURES, Each, Goal, Measured, Once
from fireplan.odds.best._induction import Solution, best, standard
from fireplan.odds.best._latitude import Latitude, OpenCompiler, Pattern
from fireplan.odds.best._policy import Policy, Situation
from fireplan.odds.best._process import Process, join
from fireplan.odds.best._thumb import Thumb, thumbs

__all__ = [
    "MEASURES",
    "Condition",
    "Each",
    "Frontier",
    "Goal",
    "Latitude",
    "Measured",
    "Once",
    "OpenCompiler",
    "Pattern",
    "Policy",
    "Process",
    "Rule",
    "Situation",
    "Solution",
    "Thumb",
    "best",
    "condensed",
    "frontier",
    "join",
    "standard",
    "thumbs",
]
