"""Commands of fireplan as they are typed, to tell a person what answers."""

from __future__ import annotations

import shlex
from collections.abc import Iterable

from fireplan.api._errors import InputError


def command(*words: str | int | None) -> str:
    """Return a command of fireplan as it is typed; what is None is left out."""
    return shlex.join(["fireplan", *(str(word) for word in words if word is not None)])


def named(name: str | None, game: str | None) -> tuple[str | None, ...]:
    """Return how a scenario or an engagement with a game is named on the command line."""
    return (name, *(("--game", game) if game is not None else ()))


def ahead(moments: int) -> tuple[str | int, ...]:
    """Return a watch of so many moments, as it is typed."""
    return ("--moments", moments)


def in_moments(count: int) -> str:
    """Return so many moments in words."""
    return f"{count:,} {'moment' if count == 1 else 'moments'}"


def refusal(error: Exception, instead: Iterable[tuple[str, str]]) -> InputError:
    """Return the refusal of what is too large: why, and commands that answer, each with what it answers."""
    ways = "".join(f"\n  {what}: {typed}" for what, typed in instead)
    return InputError(f"This is too large to be solved exactly: {error}." + (f" Instead{ways}" if ways else ""))
