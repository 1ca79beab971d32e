"""The game's record: its parts, options and charts."""

from __future__ import annotations

from functools import partial

from fireplan_core import Game, PartTypes, ScenarioForm, hookimpl, options_from_csv, read_sentences
from fireplan_core.files import shipped
from fireplan_core.ledger import read_ledger
from fireplan_miniatures_1943.areas import M1943Areas
from fireplan_miniatures_1943.charts import DATA, NUMBERS, read_air_superiority, read_area_weapons, read_request_chart
from fireplan_miniatures_1943.delays import M1943Delays
from fireplan_miniatures_1943.observers import M1943Observers
from fireplan_miniatures_1943.requests import M1943Requests
from fireplan_miniatures_1943.resolution import M1943Resolution
from fireplan_miniatures_1943.scenario import M1943Scenario, stage_file

KEY = "miniatures_1943"

OPTIONS = options_from_csv(DATA / "options.csv")
"""The choices that the rules leave."""


@hookimpl
def fireplan_game() -> Game:
    """Return the game's record."""
    ledger = read_ledger(DATA / "rules.toml")
    return Game(
        KEY,
        ledger.title,
        ledger.edition,
        ledger,
        PartTypes(M1943Observers, M1943Requests, M1943Delays, M1943Areas, M1943Resolution),
        OPTIONS,
        {
            "numbers": NUMBERS,
            "request_chart": read_request_chart(DATA / "request_chart.csv"),
            "area_weapons": read_area_weapons(DATA / "area_weapons.toml"),
            "air_superiority": read_air_superiority(DATA / "air_superiority.csv"),
        },
        (
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
        {
            "request_chart": partial(read_request_chart, provenance="user"),
            "area_weapons": read_area_weapons,
            "air_superiority": partial(read_air_superiority, provenance="user"),
        },
        scenarios=ScenarioForm(M1943Scenario, stage_file, shipped(DATA / "scenarios")),
        sentences=read_sentences(DATA / "sentences.toml"),
    )
