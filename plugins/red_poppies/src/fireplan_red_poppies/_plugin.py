"""The Red Poppies game as fireplan sees it: its record, options, charts, and the six hooks."""

from __future__ import annotations

from importlib.resources import files

from fireplan.chance import chart_from_csv
from fireplan.ledger import read_ledger
from fireplan.mission import (
    Areas,
    Charts,
    Delays,
    Game,
    Observers,
    Option,
    Options,
    Requests,
    Resolution,
    hookimpl,
)
from fireplan_red_poppies.areas import RedPoppiesAreas
from fireplan_red_poppies.delays import RedPoppiesDelays
from fireplan_red_poppies.observers import RedPoppiesObservers
from fireplan_red_poppies.requests import RedPoppiesRequests
from fireplan_red_poppies.resolution import RedPoppiesResolution

KEY = "red_poppies"
DATA = files("fireplan_red_poppies") / "data"
CHARTS = {
    name: chart_from_csv(name, DATA / f"{name}.csv", provenance=provenance, source=source)
    for name, provenance, source in (
        ("signal", "printed", "7.21: signal numbers, row 1 after a bombardment"),
        ("relay", "printed", "7.21: relay delay in turns, row 1 after a bombardment"),
        ("modifiers", "printed", "reference card: circumstances of fire, row 1 against high-angle guns"),
        ("companies", "reconstructed", "cohesion of an infantry company: 0 green, 1 average, 2 veteran"),
    )
}
OPTIONS = (
    Option("accuracy_modifiers", ("add", "max_one"), "7.242", "both accuracy modifiers count, or only one"),
    Option("hit_before", ("impact", "aim_point"), "7.242", "what makes a vertex hit before: an impact, an aim"),
    Option("high_ground", (False, True), "7.242", "the firing side controls a hex of the map's top level"),
    Option("infiltration", (False, True), "5.12", "a side uses infiltration tactics: one couplet more"),
    Option(
        "night_relief", ("total", "difference"), "5.12",
        "after a turn without couplets, or one whose difference night brought to 0, night takes none",
    ),
    Option("rounding", ("up", "nearest"), "7.0", "fractions of firepower by calibre: up, or nearest"),
    Option("old_guns", (False, True), "7.0", "the guns were made before 1897: firepower one less"),
)  # fmt: skip


CAPABILITIES = ("relay delay", "signal success", "accidental fire", "stray", "friendly fire", "pre-registered fire")


@hookimpl
def fireplan_game() -> Game:
    """Red Poppies Campaigns, the series rules of volume 3."""
    ledger = read_ledger(DATA / "rules.toml")
    return Game(KEY, ledger.title, ledger.edition, ledger, OPTIONS, CHARTS, CAPABILITIES)


@hookimpl
def fireplan_observers(options: Options, charts: Charts) -> Observers:
    """Infantry or aircraft."""
    return RedPoppiesObservers(KEY, options, charts)


@hookimpl
def fireplan_requests(options: Options, charts: Charts) -> Requests:
    """The cross hair."""
    return RedPoppiesRequests(KEY, options, charts)


@hookimpl
def fireplan_delays(options: Options, charts: Charts) -> Delays:
    """Couplets, hour glasses and signals."""
    return RedPoppiesDelays(KEY, options, charts)


@hookimpl
def fireplan_areas(options: Options, charts: Charts) -> Areas:
    """Vertices and their three hexes."""
    return RedPoppiesAreas(KEY, options, charts)


@hookimpl
def fireplan_resolution(options: Options, charts: Charts) -> Resolution:
    """Cohesion checks."""
    return RedPoppiesResolution(KEY, options, charts)
