"""``fireplan whatif``: a game changed, before and after; or which of its numbers move a figure most."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fireplan import api
from fireplan import comparison as comparing
from fireplan.api import Result, besides, catalogue
from fireplan.cli._asked import asks


@asks(api.whatif)
def whatif(
    *,
    game: str | None = None,
    sensitivity: bool = False,
    measure: str = "delivered",
    top: int = 25,
    csv: bool,
    picture: Path | None,
    **asked: Any,
) -> Iterator[Result]:
    """Ask which numbers move a measure most where that is wanted."""
    installed, name = catalogue(), asked.get("name")
    scenario = name is not None and comparing.is_scenario(installed, name)
    faults = []
    if (csv or picture) and (scenario or sensitivity):
        faults.append("--csv and --picture are for engagements; this is printed as a table or with --json.")
    also = asked.pop("games", None)
    with besides(faults):
        if sensitivity:
            found: Result = api.sensitivity(game=game, measure=measure, top=top, catalogue=installed, **asked)
        else:
            found = api.whatif(games=also or (game and [game]), catalogue=installed, **asked)
    yield found
