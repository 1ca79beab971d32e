"""The limits of the studio: one table of what a request may ask for, checked before any work is done."""

from importlib.resources import files

import attrs

from fireplan_core.chance import read_csv


@attrs.frozen
class Limit:
    """The most that is allowed of something, and its unit and meaning in words."""

    most: int
    what: str


_ROWS = read_csv(files("fireplan_studio") / "limits.csv")
LIMITS = {row["name"]: Limit(int(row["most"]), row["what"]) for row in _ROWS}
"""Every limit by name."""


def over(name: str, got: float) -> str | None:
    """Return why so much is refused, naming the limit; None when it is allowed."""
    limit = LIMITS[name]
    return (
        f"{limit.what}: {got:,} is over the limit of {limit.most:,} (limit {name})"
        if got > limit.most
        else None
    )
