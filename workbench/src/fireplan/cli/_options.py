"""Arguments and options that several commands take, with their help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

Several = Annotated[list[str] | None, Parameter(consume_multiple=True)]
GameKey = Annotated[str, Parameter(help="A game's key, as 'fireplan games' lists them.")]
ScenarioName = Annotated[
    str | None,
    Parameter(help="A shipped scenario (game/name) or a scenario file; with --game an engagement, woods by default."),
]
EngagementName = Annotated[
    str | None, Parameter(help="A shipped engagement or the path of your own file; woods by default.")
]
HouseRules = Annotated[
    list[str] | None,
    Parameter(
        name="--house-rules",
        consume_multiple=True,
        help="Lay house rules over the game: a Python file or an importable module with their hooks, any number of"
        " them (docs/house_rules.md).",
    ),
]
Minutes = Annotated[int | None, Parameter(help="Watch for so many minutes instead of the engagement's own.")]
Moments = Annotated[int | None, Parameter(help="Watch so many moments instead of the scenario's own.")]
Seed = Annotated[int, Parameter(help="Seed of the sample: the same seed gives the same figures everywhere.")]
DiceSeed = Annotated[int | None, Parameter(help="Seed of the dice that the program rolls for you.")]
Picture = Annotated[Path | None, Parameter(help="Also draw the comparison into this SVG file.")]
Csv = Annotated[bool, Parameter(help="Print comma-separated lines instead of the table.")]
Json = Annotated[bool, Parameter(help="Print JSON instead of the table.")]
