"""A game in play: state and agenda, the loop, orders and dice as inputs, the catalogue of installed games."""

from fireplan_core.play.admission import CONTRACTS, AdmissionError, HouseRuleError, contract_of
from fireplan_core.play.catalogue import GROUP, Catalogue, Installed, Problem, Variation, rule_names
from fireplan_core.play.rulebook import Doctrine, Outcome, Rulebook
from fireplan_core.play.scenario import Scenario
from fireplan_core.play.scenario_files import find_scenario, load_scenario, shipped_scenarios
from fireplan_core.play.staging import part_of, stage_engagement, stage_scenario
from fireplan_core.play.state import OPENING, State, Values, opening
from fireplan_core.play.table import Answered, Entry, Input, Table, Thrown, play_out, replay

__all__ = [
    "CONTRACTS", "GROUP", "OPENING", "AdmissionError", "Answered", "Catalogue", "Doctrine", "Entry", "HouseRuleError",
    "Input", "Installed", "Outcome", "Problem", "Rulebook", "Scenario", "State", "Table", "Thrown", "Values",
    "Variation", "contract_of", "find_scenario", "load_scenario", "opening", "part_of", "play_out", "replay",
    "rule_names", "shipped_scenarios", "stage_engagement", "stage_scenario",
]  # fmt: skip
