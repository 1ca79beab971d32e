"""The refusal of a request: its HTTP status, and everything that is wrong with it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import attrs

from fireplan_core.files import Fault

REFUSED, STALE, TAKEN = 422, 409, 410
"""The HTTP statuses of a change that a table refuses, of a change from an outdated page, and of an
invitation to a seat that is taken."""


def _faults(reason: str | Iterable[Fault]) -> tuple[Fault, ...]:
    if isinstance(reason, str):
        return tuple(Fault(line) for line in reason.split("\n"))
    return tuple(reason)


@attrs.frozen
class Calculation:
    """An unfinished calculation: its number, the seconds that it has taken, and its steps.

    ``done`` of ``steps`` are done; ``steps`` is 0 while their number is unknown.
    """

    number: int
    seconds: float
    done: int = 0
    steps: int = 0


@attrs.frozen
class RequestRefusedError(ValueError):
    """An error raised if a request is refused, with the HTTP status and all faults.

    The faults may be given as text, one per line.
    """

    status: int
    faults: tuple[Fault, ...] = attrs.field(converter=_faults)
    values: Mapping[str, Sequence[str]] = attrs.field(factory=dict, eq=False)
    """All typed values, by parameter, so that the form can show them again."""
    query: Any = attrs.field(default=None, eq=False)
    """The query built from the valid parameters, or None if the page could not build a query."""
    calculation: Calculation | None = None
    """The calculation that the answer is waiting for, if that is the reason for the refusal."""
    nearest: str = ""
    """The URL of the page to offer, if it is not the nearest page above the URL requested."""

    def __str__(self) -> str:
        """Return the faults as text, one per line."""
        return "\n".join(fault.message for fault in self.faults)

    def message(self, key: str) -> str:
        """Return the faults of a parameter as one message, or "" if it has none."""
        return "; ".join(fault.problem for fault in self.faults if fault.key == key)

    def typed(self, key: str, default: str = "") -> str:
        """Return the first value typed for a parameter, or the default."""
        return self.values[key][0] if self.values.get(key) else default
