"""Say how the game hands itself over: its options, charts and parts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import attrs

from fireplan_core import Game, PartTypes, ScenarioForm, hookimpl, options_from_csv, read_sentences
from fireplan_core.chance import Chart, numbers_from_csv
from fireplan_core.files import shipped
from fireplan_core.ledger import read_ledger
from fireplan_wacht_am_rhein.areas import WarAreas
from fireplan_wacht_am_rhein.charts import DATA, read_artillery, read_drm, read_limits, read_results, read_transport
from fireplan_wacht_am_rhein.delays import WarDelays
from fireplan_wacht_am_rhein.observers import WarObservers
from fireplan_wacht_am_rhein.requests import WarRequests
from fireplan_wacht_am_rhein.resolution import WarResolution
from fireplan_wacht_am_rhein.scenarios import WarScenario, stage

KEY = "wacht_am_rhein"

OPTIONS = options_from_csv(DATA / "options.csv")
CAPABILITIES = ("barrage limits", "volleys", "retreat", "depletion", "replenishment")


@hookimpl
def fireplan_game() -> Game:
    """Return Wacht am Rhein II with its ledger, options, charts and parts."""
    ledger = read_ledger(DATA / "rules.toml")
    charts = {
        "numbers": numbers_from_csv("numbers", DATA / "numbers.csv"),
        "barrage_results": read_results(DATA / "barrage_results.csv"),
        "german_transport": read_transport(DATA / "german_transport.csv"),
        "barrage_drm": read_drm(DATA / "barrage_drm.toml"),
        "barrage_limits": read_limits(DATA / "barrage_limits.toml"),
        "artillery_types": read_artillery(DATA / "artillery_types.csv"),
    }
    return Game(
        KEY,
        "Wacht am Rhein II",
        ledger.edition,
        ledger,
        PartTypes(WarObservers, WarRequests, WarDelays, WarAreas, WarResolution),
        OPTIONS,
        charts,
        CAPABILITIES,
        goal="reduced",
        scenarios=ScenarioForm(WarScenario, stage, shipped(DATA / "scenarios")),
        sentences=read_sentences(DATA / "sentences.toml"),
        chart_readers={"barrage_results": _users(read_results), "german_transport": _users(read_transport)},
    )


def _users(read: Callable[[Path], Chart]) -> Callable[[Path], Chart]:
    """Return a reader of the user's own file in place of a chart."""
    return lambda file: attrs.evolve(read(file), provenance="user", source=file.name)
