"""How the game hands itself over: its record and the six hooks."""

from __future__ import annotations

from typing import Any

from fireplan.ledger import read_ledger
from fireplan.mission import (
    Areas,
    Delays,
    Game,
    Observers,
    Option,
    Requests,
    Resolution,
    hookimpl,
)
from fireplan_wacht_am_rhein.areas import WarAreas
from fireplan_wacht_am_rhein.charts import DATA, read_results
from fireplan_wacht_am_rhein.delays import WarDelays
from fireplan_wacht_am_rhein.losses import LOSSES_THEN_RETREAT, RETREAT_FIRST
from fireplan_wacht_am_rhein.observers import WarObservers
from fireplan_wacht_am_rhein.requests import WarRequests
from fireplan_wacht_am_rhein.resolution import WarResolution

KEY = "wacht_am_rhein"

OPTIONS = (
    Option("d10_zero", ("zero", "ten"), "12.3.1", "what the 0 of a d10 counts"),
    Option("affected", ("observed_only", "all"), "12.4.0", "whom the final result of an observed barrage falls on"),
    Option("hits", (LOSSES_THEN_RETREAT, RETREAT_FIRST), "12.4.1", "how the defender satisfies hits by habit"),
    Option(
        "low_supply", ("in_addition", "count_toward_roll"), "12.6.4",
        "whether units depleted for low supply come on top of those rolled or out of their number",
    ),
    Option(
        "adjacent_command", ("required", "exempt"), "12.1.6",
        "whether artillery firing at an adjacent hex must still belong to the observer's formation or command",
    ),
    Option(
        "other_formation", ("any_formation", "same_corps"), "12.1.6a",
        "which other formation may join a prepared assault",
    ),
    Option(
        "formation_minimum", ("adjacent_apart", "adjacent_serves"), "12.1.6b",
        "whether a formation's unit that fires at an adjacent hex serves as the one that must be there",
    ),
    Option(
        "vantage_gain", ("formation", "corps_army"), "12.1.6d",
        "what the unit gained on a vantage point outside works and prepared assault may be",
    ),
    Option(
        "breakdown_cap", ("leaves_adjacent_out", "counts_adjacent"), "12.1.6e",
        "whether artillery firing at an adjacent hex counts against a breakdown unit's limit",
    ),
    Option("thaw", (False, True), "12.6.1a", "thaw weather, with the optional modifier to depletion rolls"),
)  # fmt: skip


CAPABILITIES = ("barrage limits", "volleys", "unobserved fire", "retreat", "ammunition depletion")


@hookimpl
def fireplan_game() -> Game:
    """Wacht am Rhein II with its ledger, options and the Barrage Results Table."""
    results = read_results(DATA / "barrage_results.csv")
    ledger = read_ledger(DATA / "rules.toml")
    return Game(KEY, "Wacht am Rhein II", ledger.edition, ledger, OPTIONS, {"barrage_results": results}, CAPABILITIES)


@hookimpl
def fireplan_observers(options: Any, charts: Any) -> Observers:
    """Who sees the target hex."""
    return WarObservers(KEY, options, charts)


@hookimpl
def fireplan_requests(options: Any, charts: Any) -> Requests:
    """Declaring barrages."""
    return WarRequests(KEY, options, charts)


@hookimpl
def fireplan_delays(options: Any, charts: Any) -> Delays:
    """The barrage segment."""
    return WarDelays(KEY, options, charts)


@hookimpl
def fireplan_areas(options: Any, charts: Any) -> Areas:
    """One hex."""
    return WarAreas(KEY, options, charts)


@hookimpl
def fireplan_resolution(options: Any, charts: Any) -> Resolution:
    """Volleys and their results."""
    return WarResolution(KEY, options, charts)
