"""``fireplan games`` and ``scenarios``: lists of what is installed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fireplan import api
from fireplan.api import InputError, Result
from fireplan.cli._asked import asks


@asks(api.games)
def games() -> Iterator[Result]:
    """End with a fault where a game failed to load."""
    yield (found := api.games())
    if found.around["problems"]:
        raise InputError("some games failed to load; see above")


@asks(api.scenarios)
def scenarios(*, engagements: bool = False, **asked: Any) -> Iterator[Result]:
    """List the engagements where these are wanted."""
    yield api.engagements() if engagements else api.scenarios(**asked)
