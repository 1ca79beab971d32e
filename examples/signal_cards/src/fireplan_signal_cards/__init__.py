"""Signal cards: fire asked for, aimed and resolved with one deck of cards. Our own invention."""

from importlib.resources import files

from fireplan_core import Game, PartTypes, ScenarioForm, hookimpl
from fireplan_core.blocks import PlainScenario, stage_plain
from fireplan_core.chance import chart_from_csv
from fireplan_signal_cards.parts import Eyes, Guns, Runners, Shells, Shots

DATA = files(__package__) / "data"
DECK = chart_from_csv("deck", DATA / "deck.csv", provenance="printed", source="1.4")
GAME = Game.read(
    "signal_cards",
    DATA,
    PartTypes(Eyes, Runners, Guns, Shots, Shells),
    charts={"deck": DECK},
    capabilities=("friendly fire", "cards"),
    scenarios=ScenarioForm(PlainScenario, stage_plain),
)


@hookimpl
def fireplan_game() -> Game:
    """Return what the game tells about itself."""
    return GAME
