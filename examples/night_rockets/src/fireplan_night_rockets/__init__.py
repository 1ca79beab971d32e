"""Night Rockets: a rocket calls for fire, lamps answer it, and the fire drifts with the wind.

An invented game, played on a table measured in centimetres.
"""

from importlib.resources import files

from fireplan_core import Game, Option, PartTypes, ScenarioForm, hookimpl
from fireplan_core.ready_parts import PlainScenario, stage_plain
from fireplan_core.chance import chart_from_csv
from fireplan_night_rockets.parts import DriftingFire, Eyes, Lamps, Rockets, Splinters

DATA = files(__package__) / "data"
GAME = Game.read(
    "night_rockets",
    DATA,
    PartTypes(Eyes, Rockets, Lamps, DriftingFire, Splinters),
    options=(
        Option(
            "wind", ("east", "none"), "4.3", "whether a wind makes lingering fire drift to the east"
        ),
    ),
    charts={
        "effects": chart_from_csv(
            "effects", DATA / "effects.csv", provenance="printed", source="5.1"
        )
    },
    capabilities=("friendly fire", "drift"),
    scenarios=ScenarioForm(PlainScenario, stage_plain),
)
fireplan_game = hookimpl(lambda: GAME)
"""The plugin hook that hands the game to fireplan."""
