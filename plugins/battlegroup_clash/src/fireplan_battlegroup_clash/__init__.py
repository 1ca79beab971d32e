"""Battlegroup Clash: Baltics, from second-hand sources: fire plans, drones, electronic warfare."""

from fireplan_battlegroup_clash.delays import BGCDelays
from fireplan_battlegroup_clash.facts import DATA
from fireplan_battlegroup_clash.ground import BGCAreas, BGCObservers, east_and_north
from fireplan_battlegroup_clash.requests import BGCRequests
from fireplan_battlegroup_clash.resolution import BGCResolution
from fireplan_battlegroup_clash.setup import ClashScenario, stage_file
from fireplan_core import Game, PartTypes, ScenarioForm, hookimpl
from fireplan_core.chance import chart_from_csv

GAME = Game.read(
    "battlegroup_clash",
    DATA,
    PartTypes(BGCObservers, BGCRequests, BGCDelays, BGCAreas, BGCResolution),
    charts={
        name: chart_from_csv(name, DATA / f"{name}.csv", provenance="derived", source=rule)
        for name, rule in (("chits", "25"), ("results", "13"), ("etx", "22"))
    },
    capabilities=("depletion", "pre-registered fire", "smoke", "drone", "electronic warfare"),
    scenarios=ScenarioForm(
        ClashScenario, stage_file, place=("east", "north"), coordinates=east_and_north
    ),
    sources="from second-hand sources",
)
fireplan_game = hookimpl(lambda: GAME)
"""The plugin hook; it returns the game."""
