"""Night rockets: rockets answered lamp by lamp; fire that drifts over a table in centimetres. Our own invention."""

from importlib.resources import files

from fireplan_core import Charts, Game, Option, Options, ScenarioForm, hookimpl
from fireplan_core.blocks import PlainScenario, lay_plain
from fireplan_core.chance import chart_from_csv
from fireplan_core.ledger import read_ledger
from fireplan_night_rockets.parts import DriftingFire, Eyes, Lamps, Rockets, Splinters

KEY = "night_rockets"
DATA = files(__package__) / "data"
GAME = Game(
    KEY,
    "Night rockets",
    "our own rules, first edition",
    read_ledger(DATA / "rules.toml"),
    options=(Option("wind", ("east", "none"), "4.3", "whether a wind carries fire along between two falls"),),
    charts={"effects": chart_from_csv("effects", DATA / "effects.csv", provenance="printed", source="5.1")},
    capabilities=("friendly fire", "drift"),
    scenarios=ScenarioForm(PlainScenario, lay_plain, {"ford": DATA / "scenarios" / "ford.toml"}),
)


@hookimpl
def fireplan_game() -> Game:
    """Who the game is."""
    return GAME


@hookimpl
def fireplan_observers(options: Options, charts: Charts) -> Eyes:
    """Who observes."""
    return Eyes(KEY, options, charts)


@hookimpl
def fireplan_requests(options: Options, charts: Charts) -> Rockets:
    """How fire is asked for."""
    return Rockets(KEY, options, charts)


@hookimpl
def fireplan_delays(options: Options, charts: Charts) -> Lamps:
    """What stands between request and readiness."""
    return Lamps(KEY, options, charts)


@hookimpl
def fireplan_areas(options: Options, charts: Charts) -> DriftingFire:
    """Where fire lands and what it covers."""
    return DriftingFire(KEY, options, charts)


@hookimpl
def fireplan_resolution(options: Options, charts: Charts) -> Splinters:
    """What fire does."""
    return Splinters(KEY, options, charts)
