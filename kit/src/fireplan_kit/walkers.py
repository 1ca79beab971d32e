"""Two independent counts of the outcomes of the next throws; they share only the rules.

``by_branches`` follows the branches that the rules distinguish; ``by_faces`` throws every single
combination of dice faces and chits on a table. Both return, for each number of throws, how many
sequences lead to each outcome.
"""

import copy
from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from fireplan_core import Agenda, Ask, Event, Pending, Scenario
from fireplan_core.chance import Chance, ChanceEvent, Draw, Face
from fireplan_core.play import OPENING, Answered, Rulebook, StepOutcome, Table, Values

Tally = dict[str, tuple[int, Fraction]]
"""Maps each outcome's label to the number of face sequences that lead to it, and their chance."""

MOST_FACES = 1_296
"""Maximum number of face combinations in one throw that are played one by one.

A throw with more combinations is played once for each outcome, with its weight.
"""


class Labels:
    """The words for the outcome of a throw: events, the next throw, places still to be struck."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario

    def label(self, events: Iterable[Event], agenda: Agenda, moment: int) -> str:
        """Return one line of text that describes the outcome of a throw."""
        described = (
            ", ".join(self.event(event) for event in events if event.kind != "modifier")
            or "nothing happens"
        )
        if not agenda:
            return f"{described}; over"
        scopes = dict.fromkeys(pending.scope for pending in agenda if pending.scope)
        struck = (
            f" at {', '.join(scope.removeprefix('place ') for scope in scopes)}" if scopes else ""
        )
        return f"{described}; then {self._pending(agenda[0])}{struck} in moment {moment + 1}"

    def event(self, event: Event) -> str:
        """Return an event in one line: ``KIND FIELD=VALUE ... [RULE]``."""
        fields = " ".join(f"{name}={self._value(value)}" for name, value in event.fields)
        return f"{event.kind}{' ' if fields else ''}{fields} [{event.cite}]"

    def _pending(self, pending: Pending) -> str:
        name = pending.name
        return f"{name}({', '.join(self._value(arg) for arg in pending.args)})"

    def _value(self, value: Any) -> str:
        if isinstance(value, tuple) and value:
            try:
                return str(self._scenario.frame.label(value))
            except (ValueError, TypeError, KeyError, IndexError):
                return "(" + " ".join(self._value(item) for item in value) + ")"
        return str(getattr(value, "name", value)).lower()


def by_branches(table: Table, depth: int) -> list[Tally]:
    """Return a tally for each number of throws up to ``depth``, by following weighted branches.

    The count runs steps on values and agendas, without a table in play.
    """
    walker = _Branches(table.scenario, table.moments)
    level: dict[tuple[Values, Agenda], tuple[int, Fraction]] = {
        (table.state.values, table.state.agenda): (1, Fraction(1))
    }
    tallies: list[Tally] = []
    for _ in range(depth):
        following: dict[tuple[Values, Agenda], tuple[int, Fraction]] = {}
        tally: Tally = {}
        for (values, agenda), (ways, chance) in level.items():
            if agenda:
                for weight, total, label, state in walker.throw(values, agenda):
                    entry = (ways * weight, chance * Fraction(weight, total))
                    _add(tally, label, entry)
                    _add(following, state, entry)
        level = following
        if tally:
            tallies.append(tally)
    return tallies


class _Branches:
    """A walker that runs steps on values and an agenda, without a table in play."""

    def __init__(self, scenario: Scenario, moments: int) -> None:
        self._rulebook = Rulebook(scenario)
        self._labels = Labels(scenario)
        self._moments = moments

    def throw(
        self, values: Values, agenda: Agenda
    ) -> Iterable[tuple[int, int, str, tuple[Values, Agenda]]]:
        top, *rest = agenda
        for weight, total, outcome, _ in self._rulebook.branches(top, values.get):  # type: ignore[arg-type]
            after, waiting, events = self._advanced(
                values.put(outcome.updates), (*outcome.pushes, *rest), list(outcome.events)
            )
            label = self._labels.label(events, waiting, int(after["clock/moment"]))
            yield weight, total, label, (after, waiting)

    def _advanced(
        self, values: Values, agenda: Agenda, events: list[Event]
    ) -> tuple[Values, Agenda, list[Event]]:
        """Run steps to the next throw or the end of play; return the values, agenda and events."""
        while True:
            if not agenda:
                moment = int(values["clock/moment"]) + 1
                values = values.put((("clock/moment", moment),))
                if moment >= self._moments:
                    return values, (), events
                agenda = (OPENING,)
            top, *rest = agenda
            if isinstance(top, Ask):
                order = self._rulebook.answer(top, {}, values.get)
                agenda = (self._rulebook.after(top, order), *rest)
                continue
            branches = self._rulebook.branches(top, values.get)
            if branches[0][3].roll is not None:
                return values, agenda, events
            outcome = branches[0][2]
            values, agenda = values.put(outcome.updates), (*outcome.pushes, *rest)
            events.extend(outcome.events)


def by_faces(table: Table, depth: int, most: int | None = None) -> list[Tally]:
    """Return a tally for each number of throws, by throwing every combination of faces on a table.

    The count stops at ``depth`` throws, or earlier if the next throw has more than ``most``
    combinations.
    """
    labels = Labels(table.scenario)
    level: dict[Hashable, tuple[Table, int, Fraction]] = {table.state: (table, 1, Fraction(1))}
    tallies: list[Tally] = []
    for _ in range(depth):
        following: dict[Hashable, tuple[Table, int, Fraction]] = {}
        tally: Tally = {}
        for position, ways, chance in level.values():
            if isinstance(position.waits_for, Ask) or position.waits_for is None:
                continue
            total = sum(weight for _, weight in position.waits_for.space)
            for weight, after in _played(position, position.waits_for):
                give_standard_orders(after)
                events = [entry.event for entry in after.log[len(position.log) :]]
                label = labels.label(events, after.state.agenda, after.state.moment)
                entry = (ways * weight, chance * Fraction(weight, total))
                _add(tally, label, entry)
                state = after.state, after.dealt and after.dealt.seen
                _, before, share = following.get(state, (after, 0, Fraction(0)))
                following[state] = (after, before + entry[0], share + entry[1])
        level = following
        if tally:
            tallies.append(tally)
        if (
            most is not None
            and sum(_combinations(position) for position, _, _ in level.values()) > most
        ):
            break
    return tallies


def _combinations(table: Table) -> int:
    event = table.throw_due
    if event is None:
        return 0
    return min(len(event.space), prod(len(faces.weights) for faces in event.faces))


def _played(table: Table, event: ChanceEvent) -> Iterable[tuple[int, Table]]:
    """Yield (weight, table) after each outcome of a throw.

    The rule is run for each reading of the faces; play continues once for each distinct outcome.
    """
    dealt = table.dealt is not None and isinstance(event, Draw) and event.deck != ""
    weights = Counter[tuple[StepOutcome, Face | None]]()
    outcomes: dict[tuple[Any, ...], StepOutcome] = {}
    if prod(len(faces.weights) for faces in event.faces) <= MOST_FACES:
        for combination in product(*(faces.weights for faces in event.faces)):
            faces = tuple(face for face, _ in combination)
            if (fell := event.read(faces)) not in outcomes:
                outcomes[fell] = table._run(fell)  # noqa: SLF001 - throw without an input
            outcome = outcomes[fell]
            weights[outcome, faces[0] if dealt else None] += prod(w for _, w in combination)
    else:
        for fell, weight in event.space:
            weights[table._run(fell), None] += weight  # noqa: SLF001 - as above
    for (outcome, face), weight in weights.items():
        after = copy.copy(table)
        after._settle(outcome, None, face)  # noqa: SLF001 - apply the outcome of the throw
        after._advance()  # noqa: SLF001
        yield weight, after


def fixed_outcome(outcome: tuple[Any, ...]) -> Callable[[Any], Chance]:
    """Return a function that maps a roll's modifiers to a ``Chance`` with this fixed outcome."""
    return lambda modifiers: Chance(lambda _event: outcome, modifiers)


def give_standard_orders(table: Table) -> None:
    """Give standard orders until the table waits for a throw or play is over."""
    while (ask := table.question_due) is not None:
        order = table.rulebook.answer(ask, {}, table.read)
        table.submit(Answered(ask.question, order))


def _add(into: dict[Any, tuple[int, Fraction]], key: Hashable, entry: tuple[int, Fraction]) -> None:
    ways, chance = into.get(key, (0, Fraction(0)))
    into[key] = (ways + entry[0], chance + entry[1])
