"""Battlegroup Clash: Baltics, from second-hand sources: fire plans, a drone, electronic signature and warfare."""

from functools import partial

from fireplan_battlegroup_clash.delays import Turn
from fireplan_battlegroup_clash.facts import DATA
from fireplan_battlegroup_clash.ground import Grid, Spotters
from fireplan_battlegroup_clash.requests import FireMissions
from fireplan_battlegroup_clash.resolution import Effect
from fireplan_battlegroup_clash.setup import ClashScenario, stage_file
from fireplan_core import Game, PartTypes, ScenarioForm, hookimpl, options_from_csv, read_sentences
from fireplan_core.chance import chart_from_csv, numbers_from_csv
from fireplan_core.files import shipped
from fireplan_core.ledger import read_ledger

LEDGER = read_ledger(DATA / "rules.toml")
CHART = partial(chart_from_csv, provenance="derived")
CHARTS = {name: CHART(name, DATA / f"{name}.csv", source=rule) for name, rule in (("results", "13"), ("etx", "22"))}
GAME = Game(
    "battlegroup_clash",
    LEDGER.title,
    LEDGER.edition,
    LEDGER,
    PartTypes(Spotters, FireMissions, Turn, Grid, Effect),
    options_from_csv(DATA / "options.csv"),
    {
        "numbers": numbers_from_csv("numbers", DATA / "numbers.csv"),
        "chits": CHART("chits", DATA / "chits.csv", source="25"),
        **CHARTS,
    },
    ("depletion", "pre-registered fire", "smoke", "drone", "electronic warfare"),
    scenarios=ScenarioForm(ClashScenario, stage_file, shipped(DATA / "scenarios")),
    sentences=read_sentences(DATA / "sentences.toml"),
    sources="from second-hand sources",
)


@hookimpl
def fireplan_game() -> Game:
    """Return what the game tells about itself."""
    return GAME
