"""Options of commands that are not questions, with their help from ``options.toml``."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Annotated

import tomli
from cyclopts import Parameter


@cache
def words() -> dict[str, dict[str, str]]:
    """Map each command to its options' help; ``shared`` contains those of several commands."""
    return tomli.loads(Path(__file__).with_name("options.toml").read_text(encoding="utf-8"))


def said(command: str, name: str, *, several: bool = False) -> Parameter:
    """Return the parameter for an option of a command (or of ``shared``), with its help."""
    return Parameter(help=words()[command][name], consume_multiple=several)


Several = Annotated[list[str] | None, Parameter(consume_multiple=True)]
GameKey = Annotated[str, said("shared", "game")]
ScenarioName = Annotated[str | None, said("shared", "scenario")]
HouseRules = Annotated[
    list[str] | None, Parameter(name="--house-rules"), said("shared", "house_rules", several=True)
]
DiceSeed = Annotated[int | None, said("shared", "dice_seed")]
Json = Annotated[bool, said("shared", "json")]
Yes = Annotated[bool, said("shared", "yes")]
