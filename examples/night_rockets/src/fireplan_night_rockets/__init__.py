"""Night rockets: rockets answered lamp by lamp; fire that drifts over a table in centimetres. Our own invention."""

from importlib.resources import files

from fireplan_core import Game, Option, PartTypes, ScenarioForm, hookimpl, read_sentences
from fireplan_core.blocks import PlainScenario, stage_plain
from fireplan_core.chance import chart_from_csv
from fireplan_core.ledger import read_ledger
from fireplan_night_rockets.parts import DriftingFire, Eyes, Lamps, Rockets, Splinters

KEY = "night_rockets"
DATA = files(__package__) / "data"
GAME = Game(
    KEY,
    "Night rockets",
    "our own rules, first edition",
    read_ledger(DATA / "rules.toml"),
    PartTypes(Eyes, Rockets, Lamps, DriftingFire, Splinters),
    options=(Option("wind", ("east", "none"), "4.3", "whether a wind carries fire along between two falls"),),
    charts={"effects": chart_from_csv("effects", DATA / "effects.csv", provenance="printed", source="5.1")},
    capabilities=("friendly fire", "drift"),
    scenarios=ScenarioForm(PlainScenario, stage_plain, {"ford": DATA / "scenarios" / "ford.toml"}),
    sentences=read_sentences(DATA / "sentences.toml"),
)


@hookimpl
def fireplan_game() -> Game:
    """Return what the game tells about itself."""
    return GAME
