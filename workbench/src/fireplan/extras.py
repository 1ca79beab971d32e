"""The extras of fireplan, read from its metadata, and what to install for what is missing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version

GAMES = ("games", "more_games")
"""The extras that bring games."""
SHIPPED = ("game", "engagement", "scenario", "playthrough")
"""The kinds of names that are, or may begin with, the key of a game."""
_IN_EXTRA = re.compile(r"([\w.-]+).*\bextra == ['\"]([\w.-]+)['\"]")


def contents() -> Iterator[tuple[str, str]]:
    """Yield each extra of fireplan with each distribution that it brings."""
    for requirement in requires("fireplan") or ():
        if match := _IN_EXTRA.match(requirement):
            yield match[2].replace("-", "_"), match[1]


def game_to_install(name: str) -> str | None:
    """Return the distribution of a game that an extra brings and that is not installed, or None.

    ``name`` is the game's key, or begins with it as the names of scenarios do.
    """
    wanted = f"fireplan-{name.partition('/')[0].replace('_', '-')}"
    if wanted not in {brought for extra, brought in contents() if extra in GAMES}:
        return None
    try:
        version(wanted)
    except PackageNotFoundError:
        return wanted
    return None


def needs(distribution: str, missing: str | None = None, what: str = "This") -> str:
    """Return the sentence that something needs the extra that brings a distribution.

    ``missing`` names the module that is missing, if it is not called as the distribution. Raise
    ``LookupError`` if no extra brings it.
    """
    extra = next((extra for extra, brought in contents() if brought == distribution), None)
    if extra is None:
        raise LookupError(f"no extra of fireplan brings {distribution}")
    reason = f"{what} needs the extra {extra!r} ({missing or distribution} is missing)"
    return f"{reason}: pip install 'fireplan[{extra}]'."
