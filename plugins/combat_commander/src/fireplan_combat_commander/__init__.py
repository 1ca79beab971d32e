"""Combat Commander: Europe, from second-hand sources: artillery requests with two Fate decks."""

from importlib.resources import files

from fireplan_combat_commander.areas import CCAreas
from fireplan_combat_commander.call import read_decks, read_kinds
from fireplan_combat_commander.delays import CCDelays
from fireplan_combat_commander.observers import CCObservers
from fireplan_combat_commander.requests import CCRequests
from fireplan_combat_commander.resolution import CCResolution
from fireplan_combat_commander.scenario import CCScenario, stage_file
from fireplan_core import Game, PartTypes, ScenarioForm, hookimpl
from fireplan_core.chance import chart_from_csv

DATA = files(__package__) / "data"
GAME = Game.read(
    "combat_commander",
    DATA,
    PartTypes(CCObservers, CCRequests, CCDelays, CCAreas, CCResolution),
    charts={
        "radios": chart_from_csv("radios", DATA / "radios.csv", provenance="printed", source="6"),
        "decks": read_decks(DATA / "decks.csv"),
        "kinds": read_kinds(DATA / "units.csv"),
    },
    capabilities=("cards", "denied requests", "drift", "friendly fire", "smoke"),
    scenarios=ScenarioForm(CCScenario, stage_file),
    sources="from second-hand sources",
)
fireplan_game = hookimpl(lambda: GAME)
"""The plugin hook that registers the game with fireplan."""
