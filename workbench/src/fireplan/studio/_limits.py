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
    "connections": Limit(256, "connections at once"),
    "connections_each": Limit(64, "connections at once from one address"),
    "request_seconds": Limit(20, "seconds until a request is there whole"),
    "answer_seconds": Limit(120, "seconds until an answer is taken"),
    "parameters": Limit(250, "parameters of an address"),
    "value_characters": Limit(200, "characters of one value"),
    "games": Limit(8, "games in one comparison"),
    "minutes": Limit(1440, "minutes watched"),
    "moments": Limit(400, "moments of a table"),
    "changes": Limit(12, "changed options and numbers"),
    "map_places": Limit(4000, "places on a map"),
    "job_seconds": Limit(60, "seconds of work for one answer"),
    "quick_seconds": Limit(10, "seconds of work for one answer before others may overtake it"),
    "quick_size": Limit(600, "minutes watched, of all games together, before others may overtake"),
    "jobs": Limit(48, "answers being worked out or waiting"),
    "jobs_each": Limit(16, "answers being worked out or waiting for one visitor"),
    "tables": Limit(200, "tables in the folder"),
    "order_characters": Limit(4000, "characters of an order"),
    "fields": Limit(100, "fields of a form that is sent"),
    "inputs": Limit(20_000, "inputs of one table"),
}
"""Every limit by name."""


def over(name: str, got: float) -> str | None:
    """Return why so much is refused, naming the limit; None when it is allowed."""
    limit = LIMITS[name]
    return f"{limit.what}: {got:,} is over the limit of {limit.most:,} (limit {name})" if got > limit.most else None
