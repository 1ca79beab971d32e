"""Red Poppies Campaigns for fireplan: off-map artillery, its calls, signals and fire for effect."""

from importlib.resources import files

from fireplan_core import Game, PartTypes, ScenarioForm, hookimpl
from fireplan_core.chance import chart_from_csv
from fireplan_red_poppies.areas import RedPoppiesAreas
from fireplan_red_poppies.delays import RedPoppiesDelays
from fireplan_red_poppies.observers import RedPoppiesObservers
from fireplan_red_poppies.requests import RedPoppiesRequests
from fireplan_red_poppies.resolution import RedPoppiesResolution
from fireplan_red_poppies.scenario import RedPoppiesScenario
from fireplan_red_poppies.staging import build, following

DATA = files(__package__) / "data"
GAME = Game.read(
    "red_poppies",
    DATA,
    PartTypes(
        RedPoppiesObservers,
        RedPoppiesRequests,
        RedPoppiesDelays,
        RedPoppiesAreas,
        RedPoppiesResolution,
    ),
    charts={
        name: chart_from_csv(name, DATA / f"{name}.csv", provenance=provenance, source=source)
        for name, provenance, source in (
            ("signal", "printed", "7.21: signal numbers, row 1 after a bombardment"),
            ("relay", "printed", "7.21: relay delay in turns, row 1 after a bombardment"),
            (
                "modifiers",
                "printed",
                "reference card: circumstances of fire, row 1 against high-angle guns",
            ),
            (
                "companies",
                "reconstructed",
                "cohesion of an infantry company, which depends on its quality: green, average or veteran",
            ),
        )
    },
    capabilities=(
        "relay delay",
        "signal success",
        "accidental fire",
        "stray",
        "friendly fire",
        "pre-registered fire",
        "bombardment",
    ),
    scenarios=ScenarioForm(RedPoppiesScenario, build, follow=following, place=("at",)),
)
fireplan_game = hookimpl(lambda: GAME)
"""The plugin hook that registers the game with fireplan."""
