"""What to do instead when a scenario is too large to be solved exactly: commands that do answer, ready to be copied."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable

from fireplan.cli._app import BadInputError

SAMPLE = 1000
"""Trajectories that are advised."""


def command(*words: str | int | None) -> str:
    """Return a command of fireplan as it is typed; what is None is left out."""
    return shlex.join(["fireplan", *(str(word) for word in words if word is not None)])


def named(name: str | None, game: str | None) -> tuple[str | None, ...]:
    """Return how a scenario or an engagement with a game is named on the command line."""
    return (name, *(("--game", game) if game is not None else ()))


def ahead(moments: int) -> tuple[str | int, ...]:
    """Return a watch of so many moments, as it is typed."""
    return ("--moments", moments)


def say_sampled(error: Exception, exactly: Iterable[tuple[str, str]]) -> None:
    """Say on standard error that it is too large, why, that it is sampled instead, and what answers exactly."""
    ways = "".join(f"\n  {what}: {typed}" for what, typed in exactly)
    sys.stderr.write(f"This is too large to be solved exactly: {error}. It is sampled instead.{ways}\n")


def refusal(error: Exception, instead: Iterable[tuple[str, str]]) -> BadInputError:
    """Return the refusal of what is too large: why, and commands that answer, each with what it answers."""
    ways = "".join(f"\n  {what}: {typed}" for what, typed in instead)
    return BadInputError(f"This is too large to be solved exactly: {error}." + (f" Instead{ways}" if ways else ""))
