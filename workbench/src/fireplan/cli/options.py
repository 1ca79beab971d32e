"""Options of commands that are not questions, with their help from ``options.toml``."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Annotated

import tomli
from cyclopts import Parameter


@cache
def words() -> dict[str, dict[str, str]]:
    """Map each command to the help of its options; ``shared`` has options of several commands."""
    return tomli.loads(Path(__file__).with_name("options.toml").read_text(encoding="utf-8"))


def option(
    command: str, name: str, *, several: bool = False, stands_for: str | None = None
) -> Parameter:
    """Return the parameter for an option of a command (or of ``shared``), with its help.

    With ``several``, it takes several values at once. ``stands_for`` is the placeholder of the
    value in the help, in capitals.
    """
    return Parameter(help=words()[command][name], consume_multiple=several, metavar=stands_for)


Changes = Annotated[list[str] | None, Parameter(consume_multiple=True, metavar="NAME=VALUE...")]
SomeGame = Annotated[str | None, Parameter(metavar="GAME")]
SomeEngagement = Annotated[str | None, Parameter(metavar="ENGAGEMENT")]
SomeSide = Annotated[str | None, Parameter(metavar="SIDE")]
Seat = Annotated[str, Parameter(metavar="SIDE")]
GameKey = Annotated[str, option("shared", "game")]
ScenarioName = Annotated[str | None, option("shared", "scenario")]
HouseRules = Annotated[
    list[str] | None,
    Parameter(name="--house-rules"),
    option("shared", "house_rules", several=True, stands_for="FILE..."),
]
DiceSeed = Annotated[int | None, option("shared", "dice_seed")]
Json = Annotated[bool, option("shared", "json")]
Yes = Annotated[bool, option("shared", "yes")]
