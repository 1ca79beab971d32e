"""Advanced Squad Leader for fireplan: off-board artillery (C1) and barrages (E12)."""

from fireplan_asl.areas import AslAreas
from fireplan_asl.delays import AslDelays
from fireplan_asl.nations import DATA, national_charts, terrain_charts
from fireplan_asl.observers import AslObservers
from fireplan_asl.requests import AslRequests
from fireplan_asl.resolution import AslResolution
from fireplan_asl.scenario import AslScenario
from fireplan_asl.setup import build
from fireplan_core import Game, PartTypes, ScenarioForm, hookimpl
from fireplan_core.chance import chart_from_csv

GAME = Game.read(
    "asl",
    DATA,
    PartTypes(AslObservers, AslRequests, AslDelays, AslAreas, AslResolution),
    title="Advanced Squad Leader",
    charts={
        **national_charts(),
        **terrain_charts(),
        "ift": chart_from_csv(
            "ift", DATA / "ift.csv", provenance="printed", source="A7 as used by C1.5"
        ),
        # In these charts, a row is named after the lowest firepower or calibre to which it applies.
        **{
            name: chart_from_csv(
                name, DATA / f"{name}.csv", provenance="printed", source=source, consecutive=False
            )
            for name, source in (("ift_vehicle", "C1.55"), ("oba_fp", "C1.5, C1.53"))
        },
    },
    scenarios=ScenarioForm(AslScenario, build, place=("hex",)),
    capabilities=(
        "spotting rounds",
        "correction",
        "friendly fire",
        "pre-registered fire",
        "bombardment",
        "depletion",
        "lingering fire",
    ),
)
fireplan_game = hookimpl(lambda: GAME)
"""The plugin hook that registers the game with fireplan."""
