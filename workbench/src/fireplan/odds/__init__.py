"""Odds: the same steps that are played, compiled into a chain, solved exactly or sampled.

Probabilities are integers and fractions throughout; sampled figures say so, with their standard error.
"""

from typing import TYPE_CHECKING

from fireplan._lazy import lazily

if TYPE_CHECKING:
    from fireplan.odds._analysis import Analysis as Analysis
    from fireplan.odds._assets import Expected as Expected
    from fireplan.odds._assets import FallsOf as FallsOf
    from fireplan.odds._assets import SpentOf as SpentOf
    from fireplan.odds._assets import expected as expected
    from fireplan.odds._backward import Backward as Backward
    from fireplan.odds._backward import backward as backward
    from fireplan.odds._backward import gradient as gradient
    from fireplan.odds._build import build_chain as build_chain
    from fireplan.odds._chain import Chain as Chain
    from fireplan.odds._chain import Edge as Edge
    from fireplan.odds._compile import Compiler as Compiler
    from fireplan.odds._compile import Noted as Noted
    from fireplan.odds._compile import Row as Row
    from fireplan.odds._compile import Rows as Rows
    from fireplan.odds._lifecycle import Passage as Passage
    from fireplan.odds._lifecycle import explore_orders as explore_orders
    from fireplan.odds._lifecycle import mermaid as mermaid
    from fireplan.odds._lifecycle import passages as passages
    from fireplan.odds._lifecycle_svg import lifecycle_svg as lifecycle_svg
    from fireplan.odds._luck import HARM as HARM
    from fireplan.odds._luck import REACH as REACH
    from fireplan.odds._luck import Luck as Luck
    from fireplan.odds._luck import RollLuck as RollLuck
    from fireplan.odds._luck import luck as luck
    from fireplan.odds._measures import Ever as Ever
    from fireplan.odds._measures import FirstFall as FirstFall
    from fireplan.odds._measures import Strikes as Strikes
    from fireplan.odds._measures import WorstSeverity as WorstSeverity
    from fireplan.odds._measures import exhausted as exhausted
    from fireplan.odds._measures import own_troops_under_fire as own_troops_under_fire
    from fireplan.odds._passes import Distribution as Distribution
    from fireplan.odds._passes import Measure as Measure
    from fireplan.odds._pause import uncollected as uncollected
    from fireplan.odds._playout import Playout as Playout
    from fireplan.odds._playout import playout as playout
    from fireplan.odds._prism import PROPERTIES as PROPERTIES
    from fireplan.odds._prism import prism as prism
    from fireplan.odds._sample import Sampled as Sampled
    from fireplan.odds._sample import Sampler as Sampler
    from fireplan.odds._sample import sample as sample
    from fireplan.odds._sample import walks as walks
    from fireplan.odds._solve import plan as plan
    from fireplan.odds._solve import solve as solve
    from fireplan.odds._solve import solve_each as solve_each
    from fireplan.odds._states import TooLargeError as TooLargeError
else:
    __all__, __getattr__, __dir__ = lazily(
        __name__,
        {
            "._analysis": ("Analysis",),
            "._assets": ("Expected", "FallsOf", "SpentOf", "expected"),
            "._backward": ("Backward", "backward", "gradient"),
            "._build": ("build_chain",),
            "._chain": ("Chain", "Edge"),
            "._compile": ("Compiler", "Noted", "Row", "Rows"),
            "._lifecycle": ("Passage", "explore_orders", "mermaid", "passages"),
            "._lifecycle_svg": ("lifecycle_svg",),
            "._luck": ("HARM", "REACH", "Luck", "RollLuck", "luck"),
            "._measures": ("Ever", "FirstFall", "Strikes", "WorstSeverity", "exhausted", "own_troops_under_fire"),
            "._passes": ("Distribution", "Measure"),
            "._pause": ("uncollected",),
            "._playout": ("Playout", "playout"),
            "._prism": ("PROPERTIES", "prism"),
            "._sample": ("Sampled", "Sampler", "sample", "walks"),
            "._solve": ("plan", "solve", "solve_each"),
            "._states": ("TooLargeError",),
        },
    )
