"""The best use of a game's artillery: the side's own questions left open, and the optimum found exactly.

Everybody else keeps to a doctrine or to stated beliefs. Nothing here is imported by the rest of the odds.
"""

from fireplan.odds.best._decision_rules import DecisionRules, decision_rules
from fireplan.odds.best._frontier import Frontier, frontier
from fireplan.odds.best._goals import MEASURES, Each, Goal, Measured, Once
from fireplan.odds.best._induction import Solution, best, standard
from fireplan.odds.best._narrow import Left, Narrowed, narrowed
from fireplan.odds.best._open_decisions import OpenCompiler, OpenDecisions, Pattern
from fireplan.odds.best._policy import Policy, Situation
from fireplan.odds.best._process import Process, join
from fireplan.odds.best._rule_search import Condition, Rule, condensed
from fireplan.odds.best._trial import CONFIRMED, SCREENED, Change, Estimate, Trial, trial

__all__ = [
    "CONFIRMED",
    "MEASURES",
    "SCREENED",
    "Change",
    "Condition",
    "DecisionRules",
    "Each",
    "Estimate",
    "Frontier",
    "Goal",
    "Left",
    "Measured",
    "Narrowed",
    "Once",
    "OpenCompiler",
    "OpenDecisions",
    "Pattern",
    "Policy",
    "Process",
    "Rule",
    "Situation",
    "Solution",
    "Trial",
    "best",
    "condensed",
    "decision_rules",
    "frontier",
    "join",
    "narrowed",
    "standard",
    "trial",
]
