"""A game in play: the state and its agenda, the loop, orders and dice as inputs, the journal, the catalogue of games.

The core owns the loop here; the rules are steps of the parts. Nothing here computes odds.
"""

from fireplan.table._account import SUFFIX, Account, AccountError, option_value, read_account, shipped_accounts
from fireplan.table._catalogue import GROUP, AdmissionError, Catalogue, Problem, Variation, lay_scenario, make_scenario
from fireplan.table._chronicle import LogLine
from fireplan.table._eyes import Eyes, believed, sides_of
from fireplan.table._forecast import Prospect, ahead, forecast
from fireplan.table._head import Head, HeadError, make_head, opened
from fireplan.table._journal import Journal, JournalError, Row
from fireplan.table._performance import Difference, complete_account, replay_account, write_account
from fireplan.table._rulebook import Doctrine, Outcome, Rulebook
from fireplan.table._scenarios import find_scenario, load_scenario, shipped_scenarios
from fireplan.table._seals import Seal, commitments, sealed, verify
from fireplan.table._session import Session, Told, offered
from fireplan.table._state import OPENING, State, Values, opening
from fireplan.table._store import begin, broken_seals, reopen
from fireplan.table._table import Answered, Entry, Input, Table, Thrown, play_out, replay
from fireplan.table._views import (
    AssetSeen,
    DieSeen,
    OrderSeen,
    SideView,
    Situation,
    SlotSeen,
    Spot,
    UnitSeen,
    Viewer,
    Wanted,
    as_data,
    view_of,
)
from fireplan.table._words import Words, WordsError

__all__ = [
    "GROUP",
    "OPENING",
    "SUFFIX",
    "Account",
    "AccountError",
    "AdmissionError",
    "Answered",
    "AssetSeen",
    "Catalogue",
    "DieSeen",
    "Difference",
    "Doctrine",
    "Entry",
    "Eyes",
    "Head",
    "HeadError",
    "Input",
    "Journal",
    "JournalError",
    "LogLine",
    "OrderSeen",
    "Outcome",
    "Problem",
    "Prospect",
    "Row",
    "Rulebook",
    "Seal",
    "Session",
    "SideView",
    "Situation",
    "SlotSeen",
    "Spot",
    "State",
    "Table",
    "Thrown",
    "Told",
    "UnitSeen",
    "Values",
    "Variation",
    "Viewer",
    "Wanted",
    "Words",
    "WordsError",
    "ahead",
    "as_data",
    "begin",
    "believed",
    "broken_seals",
    "commitments",
    "complete_account",
    "find_scenario",
    "forecast",
    "lay_scenario",
    "load_scenario",
    "make_head",
    "make_scenario",
    "offered",
    "opened",
    "opening",
    "option_value",
    "play_out",
    "read_account",
    "reopen",
    "replay",
    "replay_account",
    "sealed",
    "shipped_accounts",
    "shipped_scenarios",
    "sides_of",
    "verify",
    "view_of",
    "write_account",
]
