"""The extras of fireplan, read from its metadata, and the games that they install."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version

GAMES = ("games", "more_games")
"""The extras that install games."""
_IN_EXTRA = re.compile(r"([\w.-]+).*\bextra == ['\"]([\w.-]+)['\"]")


def contents() -> Iterator[tuple[str, str]]:
    """Yield (extra, distribution) for each distribution that an extra of fireplan installs."""
    try:
        requirements = requires("fireplan")
    except PackageNotFoundError:
        requirements = None
    for requirement in requirements or ():
        if match := _IN_EXTRA.match(requirement):
            yield match[2].replace("-", "_"), match[1]


def game_to_install(name: str) -> str | None:
    """Return the distribution that an extra would install for a game, or None.

    The result is None if the distribution is installed or no extra contains it. ``name`` is the
    game's key, or begins with it, as the names of scenarios do.
    """
    wanted = f"fireplan-{name.partition('/')[0].replace('_', '-')}"
    if wanted not in {brought for extra, brought in contents() if extra in GAMES}:
        return None
    try:
        version(wanted)
    except PackageNotFoundError:
        return wanted
    return None
