"""A game in play: the state and its agenda, the loop, orders and dice as inputs, the journal, the catalogue of games.

The core owns the loop here; the rules are steps of the parts. Nothing here computes odds.
"""

from fireplan.table._catalogue import Catalogue, Problem, Variation, lay_scenario, make_scenario
from fireplan.table._forecast import Prospect, forecast
from fireplan.table._journal import Journal, JournalError, Row
from fireplan.table._rulebook import Doctrine, Outcome, Rulebook
from fireplan.table._scenarios import find_scenario, load_scenario, shipped_scenarios
from fireplan.table._session import Session, offered
from fireplan.table._state import OPENING, State, Values, opening
from fireplan.table._table import Answered, Entry, Input, Table, Thrown, play_out, replay

__all__ = [
    "OPENING",
    "Answered",
    "Catalogue",
    "Doctrine",
    "Entry",
    "Input",
    "Journal",
    "JournalError",
    "Outcome",
    "Problem",
    "Prospect",
    "Row",
    "Rulebook",
    "Session",
    "State",
    "Table",
    "Thrown",
    "Values",
    "Variation",
    "find_scenario",
    "forecast",
    "lay_scenario",
    "load_scenario",
    "make_scenario",
    "offered",
    "opening",
    "play_out",
    "replay",
    "shipped_scenarios",
]
