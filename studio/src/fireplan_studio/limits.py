"""The limits of the studio, read from ``limits.csv`` and checked before any work is done."""

from importlib.resources import files

import attrs

from fireplan_core.chance import read_csv


@attrs.frozen
class Limit:
    """The maximum amount of something, and a phrase for its unit and meaning."""

    most: int
    what: str


_ROWS = read_csv(files("fireplan_studio") / "limits.csv")
LIMITS = {row["name"]: Limit(int(row["most"]), row["what"]) for row in _ROWS}
"""Maps the name of each limit to the limit."""


def over(name: str, got: float) -> str | None:
    """Return a message that names the limit if an amount exceeds it, otherwise None."""
    limit = LIMITS[name]
    if got > limit.most:
        return f"{limit.what}: {got:,} is over the limit of {limit.most:,} (limit {name})"
    return None
