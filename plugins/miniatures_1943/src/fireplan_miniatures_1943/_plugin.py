"""What the plugin hands to fireplan: the game's record with its options and charts, and its five parts."""

from __future__ import annotations

from functools import partial
from importlib.resources import files

from fireplan_core import (
    Areas,
    Charts,
    Delays,
    Game,
    Observers,
    Option,
    Options,
    Requests,
    Resolution,
    ScenarioForm,
    hookimpl,
)
from fireplan_core.chance import numbers_from_csv
from fireplan_core.ledger import read_ledger
from fireplan_miniatures_1943.areas import M1943Areas
from fireplan_miniatures_1943.charts import read_air_superiority, read_area_weapons, read_request_chart
from fireplan_miniatures_1943.delays import M1943Delays
from fireplan_miniatures_1943.observers import M1943Observers
from fireplan_miniatures_1943.requests import M1943Requests
from fireplan_miniatures_1943.resolution import M1943Resolution
from fireplan_miniatures_1943.scenario import M1943Scenario, lay, shipped_scenarios

KEY = "miniatures_1943"
DATA = files("fireplan_miniatures_1943") / "data"

OPTIONS = (
    Option("turn_minutes", (3, 2, 4, 5, 6, 10), "6.1.i", "minutes of a game turn; the rules say a few"),
    Option(
        "request_lines",
        ("reconstructed", "attested"),
        "6.1.i",
        "whether lines may have one progress box, or only none or two, as the rules attest",
    ),
    Option("chit", ("barrage", "air strike", "dummy"), "6.1.c", "which chit an asset is"),
    Option("supply", ("renewed", "used up"), "S.c, S.d", "whether a used chit can be placed again"),
    Option("limit", ("placed", "in line"), "6.1.e", "which barrages the limit of eight counts"),
    Option("may_hold", (False, True), "6.2.a", "whether an arrived barrage may be kept"),
    Option("duration_turns", (1, 2, 3), "6.2.d", "Artillery Barrages phases until a barrage is lifted"),
    Option("spotting", ("placed", "fire phase"), "6.2.b, 6.2.c", "when it is seen whether a barrage is spotted"),
    Option("strip_width", (80, 40, 120, 160, 240), "6.2.j", "yards of an air strike's front edge"),
    Option("limit_per", ("line", "player"), "6.1.e", "whether the limit of eight holds for each line or each player"),
    Option("moving_out", ("rolls", "free"), "6.2.f", "whether a base that leaves a barrage, or passes it, rolls too"),
    Option("firing_out", (-1, -2, 0), "6.4.b", "the minus for firing out of a barrage; the rules give no size"),
    Option("strike_terrain", (False, True), "6.4.f, 6.4.h", "whether air strikes destroy terrain as barrages do"),
    Option("trench_crater", (False, True), "6.4.i", "whether a lost trench leaves a crater too"),
    Option(
        "equally_near",
        ("preference", "lowest id"),
        "6.4.k",
        "which of equally near segments is lost: by the order of the rule, or the first by name",
    ),
    Option("yards_per_inch", (40, 20), "6.2.b", "the scale of the table, for distances in inches"),
    Option("base", ("40x20", "20x20", "40x40"), "6.2.e", "frontage and depth of a base in yards"),
    Option("d_results", (True, False), "6.3.a", "whether the Area Weapons Chart disrupts bases"),
)


@hookimpl
def fireplan_game() -> Game:
    """The game's record."""
    ledger = read_ledger(DATA / "rules.toml")
    return Game(
        KEY,
        ledger.title,
        ledger.edition,
        ledger,
        OPTIONS,
        {
            "numbers": numbers_from_csv("numbers", DATA / "numbers.csv"),
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
        ),
        {
            "request_chart": partial(read_request_chart, provenance="user"),
            "area_weapons": read_area_weapons,
            "air_superiority": partial(read_air_superiority, provenance="user"),
        },
        ScenarioForm(M1943Scenario, lay, shipped_scenarios()),
    )


@hookimpl
def fireplan_observers(options: Options, charts: Charts) -> Observers:
    """Friendly bases on the ground."""
    return M1943Observers(KEY, options, charts)


@hookimpl
def fireplan_requests(options: Options, charts: Charts) -> Requests:
    """Chits and markers."""
    return M1943Requests(KEY, options, charts)


@hookimpl
def fireplan_delays(options: Options, charts: Charts) -> Delays:
    """The Artillery Request Chart."""
    return M1943Delays(KEY, options, charts)


@hookimpl
def fireplan_areas(options: Options, charts: Charts) -> Areas:
    """Circles and strips."""
    return M1943Areas(KEY, options, charts)


@hookimpl
def fireplan_resolution(options: Options, charts: Charts) -> Resolution:
    """The Area Weapons Chart."""
    return M1943Resolution(KEY, options, charts)
