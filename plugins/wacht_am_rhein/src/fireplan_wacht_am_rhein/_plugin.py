"""How the game hands itself over: its options, charts and parts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import attrs

from fireplan_core import Game, Option, PartTypes, ScenarioForm, hookimpl
from fireplan_core.chance import Chart, numbers_from_csv
from fireplan_core.files import shipped
from fireplan_core.ledger import read_ledger
from fireplan_wacht_am_rhein.areas import WarAreas
from fireplan_wacht_am_rhein.charts import DATA, read_artillery, read_drm, read_limits, read_results, read_transport
from fireplan_wacht_am_rhein.delays import WarDelays
from fireplan_wacht_am_rhein.losses import LOSSES_THEN_RETREAT, RETREAT_FIRST
from fireplan_wacht_am_rhein.observers import WarObservers
from fireplan_wacht_am_rhein.requests import WarRequests
from fireplan_wacht_am_rhein.resolution import WarResolution
from fireplan_wacht_am_rhein.scenarios import WarScenario, stage

KEY = "wacht_am_rhein"

OPTIONS = (
    Option("d10_zero", ("zero", "ten"), "12.3.1", "what the 0 of a d10 counts"),
    Option("affected", ("observed_only", "all"), "12.4.0", "whom the final result of an observed barrage falls on"),
    Option("hits", (LOSSES_THEN_RETREAT, RETREAT_FIRST), "12.4.1", "how the defender satisfies hits by habit"),
    Option("low_supply", ("in_addition", "count_toward_roll"), "12.6.4",
           "whether units depleted for low supply come on top of those rolled or out of their number"),
    Option("adjacent_command", ("required", "exempt"), "12.1.6",
           "whether artillery firing at an adjacent hex must still belong to the observer's formation or command"),
    Option("other_formation", ("any_formation", "same_corps"), "12.1.6a",
           "which other formation may join a prepared assault"),
    Option("formation_minimum", ("adjacent_apart", "adjacent_serves"), "12.1.6b",
           "whether a formation's unit that fires at an adjacent hex serves as the one that must be there"),
    Option("vantage_gain", ("formation", "corps_army"), "12.1.6d",
           "what the unit gained on a vantage point outside works and prepared assault may be"),
    Option("breakdown_cap", ("leaves_adjacent_out", "counts_adjacent"), "12.1.6e",
           "whether artillery firing at an adjacent hex counts against a breakdown unit's limit"),
    Option("strategic_observer", ("unobserved", "no_barrage", "without_modifier"), "12.1.6b",
           "what becomes of a barrage where only a unit in strategic mode would see the hex"),
    Option("air_weather", ("clear", "partly_overcast"), "12.1.6f",
           "the worst weather in which aircraft observe"),
    Option("remainder_volley", ("always", "may_decline"), "12.2.0", "whether the remainder volley must be rolled"),
    Option("density", ("at_start", "per_volley"), "12.3.1",
           "whether the steps in the hex are counted once a barrage or anew for every volley"),
    Option("stand", (False, True), "12.4.2", "the optional proficiency check to lose a step instead of retreating"),
    Option("open_retreat", ("each_unit", "one_unit"), "12.4.2",
           "who loses a step in a retreat into open ground next to the enemy (11.7.6 is not in the chapter)"),
    Option("shift_markers", (1, 2), "12.4.3", "how many Artillery Shift markers a unit may bear"),
    Option("depletion_timing", ("after_last_volley", "before_second_volley"), "12.6.1",
           "whether depleted units still give their factors to the volleys after the first"),
    Option("mixed_values", ("formation", "lowest"), "12.6.1",
           "which depletion value counts in a barrage of units with different ones"),
    Option("thaw", (False, True), "12.6.1a", "thaw weather, with the optional modifier to depletion rolls"),
)  # fmt: skip
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
        scenarios=ScenarioForm(WarScenario, stage, shipped(DATA / "scenarios")),
        chart_readers={"barrage_results": _users(read_results), "german_transport": _users(read_transport)},
    )


def _users(read: Callable[[Path], Chart]) -> Callable[[Path], Chart]:
    """Return a reader of the user's own file in place of a chart."""
    return lambda file: attrs.evolve(read(file), provenance="user", source=file.name)
