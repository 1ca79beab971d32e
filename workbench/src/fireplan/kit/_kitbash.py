"""Parts of different games at one table: which of them can meet, tried out move by move and exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

import attrs

from fireplan.solver import Compiler
from fireplan_core import WORDS, CannotStageError, Engagement, Event, Pending, Scenario
from fireplan_core.chance import RandomFaces
from fireplan_core.play import OPENING, Catalogue, Outcome, Table, Variation, play_out, replay, stage_engagement

CLOCK = "clock/moment"


@attrs.frozen
class Meeting:
    """Say what came of a table: whose parts, why they cannot meet, or what was found.

    ``delivered`` is the exact chance that fire for effect has fallen within the moments followed, ``mass`` the sum of
    all chances; ``replayed`` is whether a game played with dice and its replay ended alike.
    """

    parts: Mapping[str, str]
    refusal: str = ""
    delivered: Fraction = Fraction(0)
    mass: Fraction = Fraction(0)
    replayed: bool = False


def tables(games: tuple[str, ...]) -> Iterator[dict[str, str]]:
    """Yield every choice of the five parts among some games."""
    for chosen in product(games, repeat=len(WORDS)):
        yield dict(zip(WORDS, chosen, strict=True))


def meet(catalogue: Catalogue, engagement: Engagement, parts: Mapping[str, str], moments: int = 2) -> Meeting:
    """Try out one table for a few moments. What is no refusal to stage is an error, and raised."""
    try:
        scenario = stage_engagement(catalogue, parts["requests"], engagement, Variation(parts=parts))
    except CannotStageError as error:
        return Meeting(parts, "; ".join(error.reasons))
    delivered, mass = follow(scenario, moments)
    table = play_out(Table(scenario, moments), RandomFaces(4))
    replayed = replay(scenario, moments, table.journal).state == table.state
    return Meeting(parts, "", delivered, mass, replayed)


_Values = tuple[tuple[str, Any], ...]
_State = tuple[tuple[Pending, ...], _Values, bool]
Fallen = Callable[[Event], bool]


def follow(
    scenario: Scenario, moments: int, fallen: Fallen = lambda event: event.kind == "fall"
) -> tuple[Fraction, Fraction]:
    """Return the chance that something has been told within so many moments, and the mass of all ends, both exact.

    What strikes do to units is left out where the mission cannot read it back: scoped steps are not followed.
    """
    compiler = Compiler(scenario)
    ended: dict[tuple[_Values, bool], Fraction] = {((), False): Fraction(1)}
    for moment in range(moments):
        now: dict[_State, Fraction] = {((OPENING,), *end): share for end, share in ended.items()}
        ended = {}
        while now:
            state, share = now.popitem()
            agenda, values, seen = state
            while agenda:
                rows = compiler.rows(agenda[0], _reader(scenario, dict(values) | {CLOCK: moment}))
                for row in rows.rows[1:]:
                    after = _after(row.outcome, agenda, values, seen, fallen)
                    now[after] = now.get(after, Fraction(0)) + share * Fraction(row.weight, rows.total)
                share *= Fraction(rows.rows[0].weight, rows.total)
                agenda, values, seen = _after(rows.rows[0].outcome, agenda, values, seen, fallen)
            ended[values, seen] = ended.get((values, seen), Fraction(0)) + share
    delivered = sum((share for (_, seen), share in ended.items() if seen), Fraction(0))
    return delivered, sum(ended.values(), Fraction(0))


def _reader(scenario: Scenario, held: Mapping[str, Any]) -> Callable[[str, Any], Any]:
    initial = scenario.initial

    def read(key: str, default: Any) -> Any:
        return held[key] if key in held else initial.get(key, default)

    return read


def _after(outcome: Outcome, agenda: tuple[Pending, ...], values: _Values, seen: bool, fallen: Fallen) -> _State:  # noqa: FBT001
    """The state after an outcome; values that were put are kept in the order of their keys."""
    pushes = tuple(pending for pending in outcome.pushes if not pending.scope)
    if outcome.updates:
        values = tuple(sorted({**dict(values), **dict(outcome.updates)}.items(), key=lambda pair: pair[0]))
    return pushes + agenda[1:], values, seen or any(map(fallen, outcome.events))
