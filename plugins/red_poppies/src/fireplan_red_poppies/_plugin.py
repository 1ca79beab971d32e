"""The Red Poppies game as fireplan sees it: its record, options, charts and parts."""

from __future__ import annotations

from importlib.resources import files

from fireplan_core import Charts, Game, PartTypes, ScenarioForm, hookimpl, options_from_csv, read_sentences
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
OPTIONS = options_from_csv(DATA / "options.csv")


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
        sentences=read_sentences(DATA / "sentences.toml"),
    )
