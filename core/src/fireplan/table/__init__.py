"""A game in play: the state and its agenda, the loop, orders and dice as inputs, the journal, the catalogue of games.

The core owns the loop here; the rules are steps of the parts. Nothing here computes odds.
"""

from fireplan.table._catalogue import Catalogue, Problem, Variation, lay_scenario, make_scenario
from fireplan.table._rulebook import Doctrine, Outcome, Rulebook
from fireplan.table._state import OPENING, State, Values, opening
from fireplan.table._table import Answered, Entry, Input, Table, Thrown, play_out, replay

__all__ = [
    "OPENING",
    "Answered",
    "Catalogue",
    "Doctrine",
    "Entry",
    "Input",
    "Outcome",
    "Problem",
    "Rulebook",
    "State",
    "Table",
    "Thrown",
    "Values",
    "Variation",
    "lay_scenario",
    "make_scenario",
    "opening",
    "play_out",
    "replay",
]
