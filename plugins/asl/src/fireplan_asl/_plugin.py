"""How the game hands itself over: its record with ledger, options and charts, and the hooks for its five parts."""

from __future__ import annotations

from functools import cache
from importlib.resources.abc import Traversable

from fireplan_asl._cover import cover_charts
from fireplan_asl._nations import DATA, national_charts
from fireplan_asl._scenario import AslScenario, lay
from fireplan_asl.areas import AslAreas
from fireplan_asl.delays import AslDelays
from fireplan_asl.observers import AslObservers
from fireplan_asl.requests import AslRequests
from fireplan_asl.resolution import AslResolution
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
from fireplan_core.chance import Chart, chart_from_csv, numbers_from_csv, read_csv
from fireplan_core.ledger import read_ledger

KEY = "asl"

OPTIONS = (
    Option(
        "boards",
        (3, 1),
        "C1.321",
        "geomorphic boards laid north to south, the target in the middle; on one board errors fall off the map",
    ),
    Option(
        "ffe_c_without_contact",
        ("ends with the rally phase", "stays for the next fire phase"),
        "C1.22, C1.34",
        "how long a FFE:C stays whose battery was out of contact when it appeared",
    ),
    Option(
        "red_extra_chit",
        ("access is lost", "access is kept"),
        "C1.21",
        "whether a red chit in an extra draw calls for a new draw in the next fire phase",
    ),
    Option(
        "access_without_counter",
        ("a new draw", "access is kept"),
        "C1.21, C1.35",
        "whether Access that was gained needs a new draw in a later phase that opens without a SR or FFE on the map",
    ),
    Option(
        "known_enemies",
        ("as declared", "as they stand"),
        "C1.21, C1.333, C1.82",
        "whether units that fire eliminates or a Bombardment reveals change what is Known; as declared, a mission is "
        "solved apart from its targets",
    ),
    Option(
        "along_a_hexside",
        ("both", "either"),
        "C1.6, C1.62",
        "a computed LOS along a hexside: whether only what stands in both its hexes is in the way, as the example of "
        "C1.62 has U3 seen past W5, or what stands in either",
    ),
    Option(
        "blind_ar",
        ("a SR or FFE", "a FFE alone"),
        "C1.3, C1.7",
        "what must lie on the map for an AR without LOS to put the Fire Mission into the opponent's hand",
    ),
    Option(
        "registered_correction",
        ("halve, then cap", "cap, then halve"),
        "C1.4, C1.732",
        "the order of halving and capping when a Correction goes to a Pre-Registered hex",
    ),
    Option(
        "registered_must_correct",
        ("never accurate", "accurate on 4"),
        "C1.335, C1.732",
        "whether a forced Correction to a Pre-Registered hex can be accurate",
    ),
    Option(
        "ffe_unseen_enemy_seen",
        ("must correct or cancel", "may only cancel"),
        "C1.335",
        "a FFE whose Blast Height is unseen while a Known enemy in or next to its hex is seen",
    ),
    Option(
        "bombardment_fire",
        ("one or both", "one of the two"),
        "C1.823",
        "what an Original 12 leaves: Shellhole, Flame or both by dr, or (later print) one of them alone",
    ),
    Option(
        "parallel_barrages",
        ("same side", "same line"),
        "E12.2",
        "whether parallel Alternate Hex Grains lie on the same side of their line, as the example has it",
    ),
    Option(
        "creeping_adjustment",
        ("to the board edge", "same step"),
        "E12.732",
        "the new Aiming Hex: where the moved grain meets the line of the far board edge, or the old one moved by the "
        "same step",
    ),
    Option(
        "chinese_squads",
        ("4-4-7", "5-3-7", "other"),
        "C1.2, C1.211",
        "the majority squad type, which decides pile and contact of a Chinese battery",
    ),
)


def _fire_power() -> Chart:
    """HE firepower and Critical Hit column by smallest calibre; a row holds up to the next."""
    records = read_csv(DATA / "oba_fp.csv")
    columns = tuple(name for name in records[0] if name != "mm")
    cells = {(int(row["mm"]), name): row[name] for row in records for name in columns}
    return Chart("oba_fp", tuple(int(row["mm"]) for row in records), columns, cells, "printed", "C1.5, C1.53")


def _vehicle_line() -> Chart:
    """The Vehicle line of the IFT: the kill number of each column."""
    records = read_csv(DATA / "ift_vehicle.csv")
    cells = {(int(row["fp"]), "kill_number"): row["kill_number"] for row in records}
    return Chart("ift_vehicle", tuple(row for row, _ in cells), ("kill_number",), cells, "printed", "C1.55")


def shipped() -> dict[str, Traversable]:
    """The scenarios that come with the game, by name."""
    found = (DATA / "scenarios").iterdir()
    return {file.name.removesuffix(".toml"): file for file in sorted(found, key=lambda file: file.name)}


@cache
def game() -> Game:
    """The game's record; read once."""
    return Game(
        key=KEY,
        title="Advanced Squad Leader",
        edition="chapter C section 1 with errata",
        ledger=read_ledger(DATA / "rules.toml"),
        options=OPTIONS,
        charts={
            "numbers": numbers_from_csv("numbers", DATA / "numbers.csv"),
            **national_charts(),
            **cover_charts(),
            "ift": chart_from_csv("ift", DATA / "ift.csv", provenance="printed", source="A7 as used by C1.5"),
            "ift_vehicle": _vehicle_line(),
            "oba_fp": _fire_power(),
        },
        scenarios=ScenarioForm(AslScenario, lay, shipped()),
        capabilities=(
            "spotting rounds", "correction", "friendly fire", "pre-registered fire", "bombardment", "depletion",
            "lingering fire",
        ),
    )  # fmt: skip


@hookimpl
def fireplan_game() -> Game:
    """Who this is."""
    return game()


@hookimpl
def fireplan_observers(options: Options, charts: Charts) -> Observers:
    """Observers by C1.6."""
    return AslObservers(KEY, options, charts)


@hookimpl
def fireplan_requests(options: Options, charts: Charts) -> Requests:
    """Artillery Requests and the options of C1.33-C1.35."""
    return AslRequests(KEY, options, charts)


@hookimpl
def fireplan_delays(options: Options, charts: Charts) -> Delays:
    """Radio Contact and Battery Access."""
    return AslDelays(KEY, options, charts)


@hookimpl
def fireplan_areas(options: Options, charts: Charts) -> Areas:
    """Accuracy, error and Blast Area."""
    return AslAreas(KEY, options, charts)


@hookimpl
def fireplan_resolution(options: Options, charts: Charts) -> Resolution:
    """The IFT."""
    return AslResolution(KEY, options, charts)
