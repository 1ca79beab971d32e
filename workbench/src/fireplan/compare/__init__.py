"""Comparing games: engagements from files, yardsticks, and the answers side by side as data and picture."""

from typing import TYPE_CHECKING

from fireplan._lazy import lazily

if TYPE_CHECKING:
    from fireplan.compare._answers import Answer as Answer
    from fireplan.compare._answers import Comparison as Comparison
    from fireplan.compare._answers import GameAnswer as GameAnswer
    from fireplan.compare._answers import Measured as Measured
    from fireplan.compare._answers import NotModelled as NotModelled
    from fireplan.compare._answers import Picture as Picture
    from fireplan.compare._changes import Change as Change
    from fireplan.compare._changes import changes as changes
    from fireplan.compare._comparison import Contender as Contender
    from fireplan.compare._comparison import answer_data as answer_data
    from fireplan.compare._comparison import answer_json as answer_json
    from fireplan.compare._comparison import as_csv as as_csv
    from fireplan.compare._comparison import as_data as as_data
    from fireplan.compare._comparison import as_json as as_json
    from fireplan.compare._comparison import compare as compare
    from fireplan.compare._comparison import contenders as contenders
    from fireplan.compare._figures import FIGURES as FIGURES
    from fireplan.compare._figures import Figure as Figure
    from fireplan.compare._figures import figures_of as figures_of
    from fireplan.compare._files import DEFAULT as DEFAULT
    from fireplan.compare._files import EngagementError as EngagementError
    from fireplan.compare._files import find_engagement as find_engagement
    from fireplan.compare._files import load_engagement as load_engagement
    from fireplan.compare._files import shipped_engagements as shipped_engagements
    from fireplan.compare._picture import svg as svg
    from fireplan.compare._reading import in_short as in_short
    from fireplan.compare._reading import in_words as in_words
    from fireplan.compare._reading import number as number
    from fireplan.compare._reading import percent as percent
    from fireplan.compare._reading import severity_at as severity_at
    from fireplan.compare._reading import unmodelled as unmodelled
    from fireplan.compare._sampled import TRAJECTORIES as TRAJECTORIES
    from fireplan.compare._sampled import SampledSensitivity as SampledSensitivity
    from fireplan.compare._sampled import sampled_sensitivity as sampled_sensitivity
    from fireplan.compare._sensitivity import Effect as Effect
    from fireplan.compare._sensitivity import Moved as Moved
    from fireplan.compare._sensitivity import Sensitivity as Sensitivity
    from fireplan.compare._sensitivity import sensitivity as sensitivity
    from fireplan.compare._tables import Setting as Setting
    from fireplan.compare._tables import is_scenario as is_scenario
    from fireplan.compare._tables import setting as setting
    from fireplan.compare._yardsticks import YARDSTICKS as YARDSTICKS
    from fireplan.compare._yardsticks import Yardstick as Yardstick
    from fireplan.compare._yardsticks import answer as answer
    from fireplan_core.files import Fault as Fault
    from fireplan_core.files import describe as describe
else:
    __all__, __getattr__, __dir__ = lazily(
        __name__,
        {
            "._answers": ("Answer", "Comparison", "GameAnswer", "Measured", "NotModelled", "Picture"),
            "._changes": ("Change", "changes"),
            "._comparison": (
                "Contender",
                "answer_data",
                "answer_json",
                "as_csv",
                "as_data",
                "as_json",
                "compare",
                "contenders",
            ),
            "._figures": ("FIGURES", "Figure", "figures_of"),
            "._files": ("DEFAULT", "EngagementError", "find_engagement", "load_engagement", "shipped_engagements"),
            "._picture": ("svg",),
            "._reading": ("in_short", "in_words", "number", "percent", "severity_at", "unmodelled"),
            "._sampled": ("TRAJECTORIES", "SampledSensitivity", "sampled_sensitivity"),
            "._sensitivity": ("Effect", "Moved", "Sensitivity", "sensitivity"),
            "._tables": ("Setting", "is_scenario", "setting"),
            "._yardsticks": ("YARDSTICKS", "Yardstick", "answer"),
            "fireplan_core.files": ("Fault", "describe"),
        },
    )
