"""``fireplan best``: the best orders for a goal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fireplan import api
from fireplan.api import Result, besides
from fireplan.cli._asked import asks


@asks(api.best)
def best(*, picture: Path | None, **asked: Any) -> Iterator[Result]:
    """Refuse a picture where there is none to be drawn."""
    lacking = picture is not None and asked.get("frontier") is None
    with besides(["--picture draws a frontier: add --frontier MEASURE."] if lacking else []):
        found = api.best(**asked)
    yield found
