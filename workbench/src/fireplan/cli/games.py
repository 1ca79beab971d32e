"""``fireplan games``: what is installed, and what failed to load."""

from __future__ import annotations

from typing import Any

import attrs

from fireplan.cli import _core as core
from fireplan.cli._app import BadInputError
from fireplan.cli._options import Json
from fireplan.cli._print import say_json, say_text


def games(*, json: Json = False) -> None:
    """List the installed games, and what is wrong with those that failed to load."""
    installed = core.Catalogue.installed()
    found: list[dict[str, Any]] = [
        {
            "key": key,
            "title": entry.game.title,
            "edition": entry.game.edition,
            "distribution": entry.distribution,
            "version": entry.version,
            "capabilities": list(entry.game.capabilities),
            "options": {
                option.name: {"values": list(option.values), "rule": option.cite, "summary": option.summary}
                for option in entry.game.options
            },
        }
        for key, entry in installed.games.items()
    ]
    problems = [attrs.asdict(problem) for problem in installed.problems]
    if json:
        say_json({"games": found, "problems": problems})
    else:
        from rich.text import Text

        for game in found:
            say_text(Text.assemble((str(game["key"]), "bold"), f" {game['title']}, {game['edition']}"))
            say_text(f"    {game['distribution']} {game['version']}")
            if can := game["capabilities"]:
                say_text(f"    can: {', '.join(can)}")
        for problem in problems:
            say_text(f"{problem['entry_point']} ({problem['distribution']}) failed: {problem['reason']}")
    if problems:
        raise BadInputError("some games failed to load; see above")
