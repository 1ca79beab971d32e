"""Odds: the same steps that are played, compiled into a chain, solved exactly or sampled.

Probabilities are integers and fractions throughout; sampled figures say so, with their standard error.
"""

from fireplan.odds._analysis import Analysis
from fireplan.odds._assets import Expected, FallsOf, SpentOf, expected
from fireplan.odds._backward import Backward, backward, gradient
from fireplan.odds._build import build_chain
from fireplan.odds._chain import Chain, Edge
from fireplan.odds._compile import Compiler, Noted, Row, Rows
from fireplan.odds._lifecycle import Passage, explore_orders, mermaid, passages
from fireplan.odds._lifecycle_svg import lifecycle_svg
from fireplan.odds._luck import HARM, REACH, Luck, RollLuck, luck
from fireplan.odds._measures import (
    Ever,
    FirstFall,
    Strikes,
    WorstSeverity,
    exhausted,
    own_troops_under_fire,
)
from fireplan.odds._playout import Playout, playout
from fireplan.odds._prism import PROPERTIES, prism
from fireplan.odds._sample import Sampled, Sampler, sample
from fireplan.odds._solve import Distribution, Measure, plan, solve, solve_each
from fireplan.odds._states import TooLargeError

__all__ = [
    "HARM",
    "PROPERTIES",
    "REACH",
    "Analysis",
    "Backward",
    "Chain",
    "Compiler",
    "Distribution",
    "Edge",
    "Ever",
    "Expected",
    "FallsOf",
    "FirstFall",
    "Luck",
    "Measure",
    "Noted",
    "Passage",
    "Playout",
    "RollLuck",
    "Row",
    "Rows",
    "Sampled",
    "Sampler",
    "SpentOf",
    "Strikes",
    "TooLargeError",
    "WorstSeverity",
    "backward",
    "build_chain",
    "exhausted",
    "expected",
    "explore_orders",
    "gradient",
    "lifecycle_svg",
    "luck",
    "mermaid",
    "own_troops_under_fire",
    "passages",
    "plan",
    "playout",
    "prism",
    "sample",
    "solve",
    "solve_each",
]
