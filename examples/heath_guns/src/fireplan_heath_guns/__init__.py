"""Heath guns: guns called by a chart, whose fire the other side may shift. Our own invention."""

from importlib.resources import files

from fireplan_core import Game, PartTypes, ScenarioForm, hookimpl
from fireplan_core.blocks import PlainScenario, stage_plain
from fireplan_heath_guns.parts import Called, Eyes, Guns, Splinters, Switchboard

DATA = files(__package__) / "data"
GAME = Game.read(
    "heath_guns",
    DATA,
    PartTypes(Eyes, Called, Switchboard, Guns, Splinters),
    capabilities=("friendly fire", "denial"),
    scenarios=ScenarioForm(PlainScenario, stage_plain),
)


@hookimpl
def fireplan_game() -> Game:
    """Return what the game tells about itself."""
    return GAME
