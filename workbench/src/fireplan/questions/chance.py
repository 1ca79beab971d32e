"""The chance of one event from a point in play onward, under conditions."""

from __future__ import annotations

import re
from typing import Any

from fireplan.errors import InputError, argument_name, besides, gathered, quoted
from fireplan.questions.answers import ChanceResult
from fireplan.questions.conditions import Happens, read_condition, read_fields
from fireplan.questions.from_position import FromPosition
from fireplan.questions.question import asks
from fireplan.questions.sampling import asks_sample, asks_seed
from fireplan.questions.shared_arguments import CONDITION

_EVENT = re.compile(r"\s*(\w+)\s*(?::(.*))?", re.DOTALL)
_BOUNDS = ("least", "most")


def read_event(text: str) -> Happens:
    """Return the event that a text names, such as ``fall: on_target=yes, impact=K5``.

    ``least=2`` and ``most=0`` bound the number of events. Raise ``InputError`` for other text.
    """
    parts = _EVENT.fullmatch(text)
    fields = gathered([], read_fields, parts[2] or "") if parts else None
    if parts is None or fields is None:
        raise InputError(
            f"{quoted(text)} is not an event: write KIND, or KIND: FIELD=VALUE, FIELD=VALUE, such as"
            " 'fall: on_target=yes'."
        )
    bounds = {name: fields.pop(name) for name in _BOUNDS if type(fields.get(name)) is int}
    read = tuple(fields.items())
    return Happens(parts[1], read, **{"least": min(1, bounds.get("most", 1)), **bounds})


class ChanceQuestion(FromPosition[ChanceResult]):
    """Work out the chance that an event happens from here on, exactly or sampled.

    ``fireplan events GAME`` lists the events, their fields and values, and ``fireplan rolls`` the
    rolls that can be fixed. The answer cites the rules that were followed.
    """

    key = "chance"
    example = """
        >>> fp.chance('asl/village', event='fall', by='turn 1').chance
        Fraction(7891, 17496)
    """
    estimated = True

    event: str | None = asks(
        "The event: its kind ('fall'), or its kind with fields ('fall: on_target=yes, impact=K5');"
        " 'suffered: severity=destroyed, least=2' is at least two, 'least=0, most=0' is none.",
        option="--of",
    )
    by: str | None = asks(
        "Up to the end of a moment, by its name ('turn 4') or as a number of moments since the"
        " opening; by default the length of the scenario."
    )
    given: tuple[str, ...] = asks(
        CONDITION,
        (),
        repeated=True,
    )
    sample: int = asks_sample("Draw this many trajectories instead of solving exactly.")
    seed: int = asks_seed()

    def answer(self) -> ChanceResult:
        """Return the chance; raise ``InputError`` if it is too large to be solved exactly."""
        faults: list[str] = []
        if not self.event:
            faults.append(
                f"{argument_name('event')}: name an event, such as 'fall: on_target=yes'."
            )
        event: Any = gathered(faults, read_event, self.event or "fall")
        position = self.position(faults)
        conditions = dict(map(read_condition, self.given))
        asked: Any = gathered(faults, position.given, **conditions) if conditions else position
        with besides(faults):
            result: ChanceResult = (asked or position).chance(
                event or "fall", self.by, sample=self.sample, seed=self.seed, begin=self.begin
            )
        return result
