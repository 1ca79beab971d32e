"""Heath guns: guns called by a chart, whose fire the other side may shift. Our own invention."""

from importlib.resources import files

from fireplan_core import Game, PartTypes, ScenarioForm, hookimpl
from fireplan_core.blocks import PlainScenario, stage_plain
from fireplan_core.chance import numbers_from_csv
from fireplan_core.ledger import read_ledger
from fireplan_heath_guns.parts import Called, Eyes, Guns, Splinters, Switchboard

DATA = files(__package__) / "data"
GAME = Game(
    "heath_guns",
    "Heath guns",
    "our own rules, first edition",
    read_ledger(DATA / "rules.toml"),
    PartTypes(Eyes, Called, Switchboard, Guns, Splinters),
    charts={"numbers": numbers_from_csv("numbers", DATA / "numbers.csv")},
    capabilities=("friendly fire", "denial"),
    scenarios=ScenarioForm(PlainScenario, stage_plain, {"barrow": DATA / "scenarios" / "barrow.toml"}),
)


@hookimpl
def fireplan_game() -> Game:
    """Return what the game tells about itself."""
    return GAME
