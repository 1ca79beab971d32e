"""``fireplan duel``: both sides choose, and what one hides the other must guess."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fireplan import api
from fireplan.api import Result
from fireplan.cli._app import write
from fireplan.cli._asked import asks


@asks(api.duel)
def duel(*, efg: Path | None = None, **asked: Any) -> Iterator[Result]:
    """Write the game tree where that is asked for."""
    found = api.duel(**asked)
    if efg is not None:
        write(efg, found.efg())
    yield found
