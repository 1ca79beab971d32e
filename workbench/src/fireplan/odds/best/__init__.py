"""The best use of a game's artillery: the side's own questions left open, and the optimum found exactly.

Everybody else keeps to a doctrine or to stated beliefs. Nothing here is imported by the rest of the odds.
"""

from fireplan.odds.best._condense import Condition, Rule, condensed
from fireplan.odds.best._frontier import Frontier, frontier
from fireplan.odds.best._goals import MEASURES, Each, Goal, Measured, Once
from fireplan.odds.best._induction import Solution, best, standard
from fireplan.odds.best._latitude import Latitude, OpenCompiler, Pattern
from fireplan.odds.best._narrow import Left, Narrowed, narrowed
from fireplan.odds.best._policy import Policy, Situation
from fireplan.odds.best._process import Process, join
from fireplan.odds.best._thumb import Thumb, thumbs
from fireplan.odds.best._trial import CONFIRMED, SCREENED, Change, Estimate, Trial, trial

__all__ = [
    "CONFIRMED",
    "MEASURES",
    "SCREENED",
    "Change",
    "Condition",
    "Each",
    "Estimate",
    "Frontier",
    "Goal",
    "Latitude",
    "Left",
    "Measured",
    "Narrowed",
    "Once",
    "OpenCompiler",
    "Pattern",
    "Policy",
    "Process",
    "Rule",
    "Situation",
    "Solution",
    "Thumb",
    "Trial",
    "best",
    "condensed",
    "frontier",
    "join",
    "narrowed",
    "standard",
    "thumbs",
    "trial",
]
