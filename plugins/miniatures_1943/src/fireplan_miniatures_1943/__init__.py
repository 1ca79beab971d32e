"""The "1943" miniatures rules for fireplan: requests, barrages and air strikes (chapter 6)."""

from functools import partial

from fireplan_core import Game, PartTypes, ScenarioForm, hookimpl
from fireplan_miniatures_1943.areas import M1943Areas
from fireplan_miniatures_1943.charts import (
    DATA,
    read_air_superiority,
    read_area_weapons,
    read_request_chart,
)
from fireplan_miniatures_1943.delays import M1943Delays
from fireplan_miniatures_1943.observers import M1943Observers
from fireplan_miniatures_1943.requests import M1943Requests
from fireplan_miniatures_1943.resolution import M1943Resolution
from fireplan_miniatures_1943.scenario import M1943Scenario, faults_of_boxes, stage_file

GAME = Game.read(
    "miniatures_1943",
    DATA,
    PartTypes(M1943Observers, M1943Requests, M1943Delays, M1943Areas, M1943Resolution),
    charts={
        "request_chart": read_request_chart(DATA / "request_chart.csv"),
        "area_weapons": read_area_weapons(DATA / "area_weapons.toml"),
        "air_superiority": read_air_superiority(DATA / "air_superiority.csv", provenance="printed"),
    },
    capabilities=(
        "barrages",
        "air strikes",
        "dummy requests",
        "friendly fire",
        "smoke",
        "terrain lost",
        "moving bases",
        "hidden requests",
        "depletion",
    ),
    chart_readers={
        "request_chart": partial(read_request_chart, provenance="user"),
        "area_weapons": read_area_weapons,
        "air_superiority": partial(read_air_superiority, provenance="user"),
    },
    scenarios=ScenarioForm(
        M1943Scenario, stage_file, faults=faults_of_boxes, units="base", place=("x", "y")
    ),
)
fireplan_game = hookimpl(lambda: GAME)
"""The plugin hook; it returns the game."""
