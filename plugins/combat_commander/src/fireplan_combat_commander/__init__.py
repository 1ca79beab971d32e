"""Combat Commander: Europe, from second-hand sources: requests, drift and impact with two decks of cards."""

from importlib.resources import files

from fireplan_combat_commander.areas import CCAreas
from fireplan_combat_commander.call import read_decks, read_kinds
from fireplan_combat_commander.delays import CCDelays
from fireplan_combat_commander.observers import CCObservers
from fireplan_combat_commander.requests import CCRequests
from fireplan_combat_commander.resolution import CCResolution
from fireplan_combat_commander.scenario import CCScenario, stage_file
from fireplan_core import Game, PartTypes, ScenarioForm, hookimpl, options_from_csv, read_sentences
from fireplan_core.chance import chart_from_csv, numbers_from_csv
from fireplan_core.files import shipped
from fireplan_core.ledger import read_ledger

DATA = files(__package__) / "data"


@hookimpl
def fireplan_game() -> Game:
    """Return what the game tells about itself."""
    ledger = read_ledger(DATA / "rules.toml")
    return Game(
        "combat_commander",
        ledger.title,
        ledger.edition,
        ledger,
        PartTypes(CCObservers, CCRequests, CCDelays, CCAreas, CCResolution),
        options_from_csv(DATA / "options.csv"),
        {
            "numbers": numbers_from_csv("numbers", DATA / "numbers.csv"),
            "radios": chart_from_csv("radios", DATA / "radios.csv", provenance="printed", source="6"),
            "decks": read_decks(DATA / "decks.csv"),
            "kinds": read_kinds(DATA / "units.csv"),
        },
        ("cards", "denied requests", "drift", "friendly fire", "smoke"),
        scenarios=ScenarioForm(CCScenario, stage_file, shipped(DATA / "scenarios")),
        sentences=read_sentences(DATA / "sentences.toml"),
        sources="from second-hand sources",
    )
