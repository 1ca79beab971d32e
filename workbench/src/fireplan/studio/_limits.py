"""The limits of the studio: one table of what a request may ask for, checked before any work is done."""

from __future__ import annotations

import attrs


@attrs.frozen
class Limit:
    """The most that is allowed of something, and its unit and meaning in words."""

    most: int
    what: str


LIMITS = {
    "address_characters": Limit(2000, "characters of an address"),
    "header_bytes": Limit(16_000, "bytes of the headers of a request"),
    "body_bytes": Limit(64_000, "bytes of a form that is sent"),
    "parameters": Limit(250, "parameters of an address"),
    "value_characters": Limit(200, "characters of one value"),
    "games": Limit(8, "games in one comparison"),
    "minutes": Limit(1440, "minutes watched"),
    "moments": Limit(400, "moments of a table"),
    "changes": Limit(12, "changed options and numbers"),
    "map_places": Limit(4000, "places on a map"),
    "job_seconds": Limit(60, "seconds of work for one answer"),
    "jobs": Limit(8, "answers being worked out or waiting"),
    "tables": Limit(200, "tables in the folder"),
    "order_characters": Limit(4000, "characters of an order"),
    "fields": Limit(100, "fields of a form that is sent"),
    "inputs": Limit(20_000, "inputs of one table"),
}
"""Every limit by name."""


def over(name: str, got: int) -> str | None:
    """Return why so much is refused, naming the limit; None when it is allowed."""
    limit = LIMITS[name]
    return f"{limit.what}: {got:,} is over the limit of {limit.most:,} (limit {name})" if got > limit.most else None
