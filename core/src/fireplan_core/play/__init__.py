"""A game in play: state and agenda, the loop, orders and dice as inputs, the catalogue of installed games."""

from fireplan_core.play.catalogue import (
    GROUP,
    AdmissionError,
    Catalogue,
    Installed,
    Problem,
    Variation,
    lay_scenario,
    make_scenario,
)
from fireplan_core.play.rulebook import Doctrine, Outcome, Rulebook
from fireplan_core.play.scenario_files import find_scenario, load_scenario, shipped_scenarios
from fireplan_core.play.state import OPENING, State, Values, opening
from fireplan_core.play.table import Answered, Entry, Input, Table, Thrown, play_out, replay

__all__ = ["GROUP", "OPENING", "AdmissionError", "Answered", "Catalogue", "Doctrine", "Entry", "Input", "Installed", "Outcome", "Problem", "Rulebook", "State", "Table", "Thrown", "Values", "Variation", "find_scenario", "lay_scenario", "load_scenario", "make_scenario", "opening", "play_out", "replay", "shipped_scenarios"]
