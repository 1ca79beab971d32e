"""Wacht am Rhein II for fireplan: volley barrages (chapter 12)."""

from collections.abc import Callable
from pathlib import Path

import attrs

from fireplan_core import Game, PartTypes, ScenarioForm, hookimpl
from fireplan_core.chance import Chart
from fireplan_wacht_am_rhein.areas import WarAreas
from fireplan_wacht_am_rhein.charts import (
    DATA,
    read_artillery,
    read_drm,
    read_limits,
    read_results,
    read_transport,
)
from fireplan_wacht_am_rhein.delays import WarDelays
from fireplan_wacht_am_rhein.observers import WarObservers
from fireplan_wacht_am_rhein.requests import WarRequests
from fireplan_wacht_am_rhein.resolution import WarResolution
from fireplan_wacht_am_rhein.scenarios import WarScenario, stage


def _users(read: Callable[[Path], Chart]) -> Callable[[Path], Chart]:
    """Return a chart loader whose charts are marked as the user's own."""
    return lambda file: attrs.evolve(read(file), provenance="user", source=file.name)


GAME = Game.read(
    "wacht_am_rhein",
    DATA,
    PartTypes(WarObservers, WarRequests, WarDelays, WarAreas, WarResolution),
    title="Wacht am Rhein II",
    charts={
        "barrage_results": read_results(DATA / "barrage_results.csv"),
        "german_transport": read_transport(DATA / "german_transport.csv"),
        "barrage_drm": read_drm(DATA / "barrage_drm.toml"),
        "barrage_limits": read_limits(DATA / "barrage_limits.toml"),
        "artillery_types": read_artillery(DATA / "artillery_types.csv"),
    },
    capabilities=("barrage limits", "volleys", "retreat", "depletion", "replenishment"),
    goal="reduced",
    scenarios=ScenarioForm(WarScenario, stage, place=("hex",)),
    chart_readers={
        "barrage_results": _users(read_results),
        "german_transport": _users(read_transport),
    },
)
fireplan_game = hookimpl(lambda: GAME)
"""The plugin hook; it returns the game."""
