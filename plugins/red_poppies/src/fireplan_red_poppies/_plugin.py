"""The Red Poppies game as fireplan sees it: its record, options, charts and parts."""

from __future__ import annotations

from importlib.resources import files

from fireplan_core import Charts, Game, Option, PartTypes, ScenarioForm, hookimpl
from fireplan_core.chance import chart_from_csv, numbers_from_csv
from fireplan_core.files import shipped
from fireplan_core.ledger import read_ledger
from fireplan_red_poppies._build import build
from fireplan_red_poppies._campaign import following
from fireplan_red_poppies._scenario import RedPoppiesScenario
from fireplan_red_poppies.areas import RedPoppiesAreas
from fireplan_red_poppies.delays import RedPoppiesDelays
from fireplan_red_poppies.observers import RedPoppiesObservers
from fireplan_red_poppies.requests import RedPoppiesRequests
from fireplan_red_poppies.resolution import RedPoppiesResolution

KEY = "red_poppies"
DATA = files("fireplan_red_poppies") / "data"
CHARTS: Charts = {"numbers": numbers_from_csv("numbers", DATA / "numbers.csv")} | {
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
    Option("barrage_breaches", ("per_line", "per_detonation"), "7.43", "how often a barrage cuts the wire of a line"),
    Option("barrage_length", ("advances", "lines"), "7.41", "a barrage's length counts advances, or lines in all"),
    Option("barrage_counts", (True, False), "7.14", "a creeping barrage sends signals to the bombarded column"),
    Option("bombarded_vehicles", ("die", "disperse"), "7.12", "AFV in the open: eliminated like all, or dispersed"),
    Option("pays_to_be_in", (False, True), "7.43", "who enters a barrage and pays at once for its trench counts as IN"),
    Option("fire_on_entry", ("each_hex", "once_per_marker"), "7.247", "fire for effect on entry: at each hex, or once"),
    Option("vehicle_cover", (True, False), "7.241", "an AFV in the hex covers its friends against fire for effect"),
    Option("gas_lasts", ("scenario", "turn"), "7.512", "gas markers stay to the scenario's end, or the turn's"),
    Option("gas_kills", (True, False), "7.511", "gas is a form of fire: a final 11 destroys"),
    Option("hill_cover", (False, True), "8.43", "hills help against guns off the map, which have no level"),
    Option("lower_obstacle", ("blocked", "open"), "4.53", "an obstacle on the level of the lower end of a line"),
    Option("farthest_tie", ("best", "strict"), "4.92", "of farthest hexes that tie: the best to see, or the first"),
    Option("night_touch", ("passed", "crossed"), "4.82", "a hex touched only at the target vertex conceals at night"),
    Option("recheck_sight", (False, True), "6.1", "the observer must still see the cross hair when its signal comes"),
    Option("bombarded_later", (False, True), "7.14", "signals stay bombarded in the counter-attack scenario"),
    Option("wind", ("NE", "SE", "S", "SW", "NW", "N"), "7.513", "where the standard answer lets gas drift"),
)  # fmt: skip


CAPABILITIES = (
    "relay delay", "signal success", "accidental fire", "stray", "friendly fire", "pre-registered fire", "bombardment",
)  # fmt: skip


@hookimpl
def fireplan_game() -> Game:
    """Return Red Poppies Campaigns, the series rules of volume 3."""
    ledger = read_ledger(DATA / "rules.toml")
    return Game(
        KEY,
        ledger.title,
        ledger.edition,
        ledger,
        PartTypes(RedPoppiesObservers, RedPoppiesRequests, RedPoppiesDelays, RedPoppiesAreas, RedPoppiesResolution),
        OPTIONS,
        CHARTS,
        CAPABILITIES,
        scenarios=ScenarioForm(RedPoppiesScenario, build, shipped(DATA / "scenarios"), following),
    )
