"""Arguments and options that several commands take, with their help."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

Several = Annotated[list[str] | None, Parameter(consume_multiple=True)]
GameKey = Annotated[str, Parameter(help="A game's key, as 'fireplan games' lists them.")]
ScenarioName = Annotated[
    str | None,
    Parameter(help="A shipped scenario (game/name) or a scenario file; with --game an engagement, woods by default."),
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
DiceSeed = Annotated[int | None, Parameter(help="Seed of the dice that the program rolls for you.")]
Json = Annotated[bool, Parameter(help="Print JSON instead of the table.")]
