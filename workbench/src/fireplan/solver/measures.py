"""Measures over the neutral events: first effect, delivery, own troops, exhaustion, severity."""

from collections.abc import Callable, Collection, Hashable, Mapping
from typing import Any, TypeVar

import attrs

from fireplan.solver.compile import Compiler, StepRows, merged_rows
from fireplan.solver.passes import Measure, moved_by
from fireplan_core import FINAL, Effects, Event, Pending, Scenario, Severity, View
from fireplan_core.chance import Chance, ChanceEvent, RollOutcome
from fireplan_core.play import OPENING, StepOutcome
from fireplan_core.record import Read


class Awaited:
    """A measure settled by the first event of its kinds; its state is None before that event."""

    initial: Hashable = None

    def awaits(self, letter: Event) -> bool:  # noqa: ARG002
        """Return whether this event settles the measure; by default any event of its kinds does."""
        return True

    def settled(self, state: Any) -> bool:
        """Return whether an event that the measure awaits has happened."""
        return state is not None


@attrs.frozen
class OfKind:
    """A measure that reads the events of one kind."""

    kind: str

    @property
    def kinds(self) -> frozenset[str]:
        """Return a set that contains only ``kind``."""
        return frozenset({self.kind})


@attrs.frozen
class FirstFall(Awaited):
    """The first fall of fire for effect: None, then ``(moment, gap, on_target, impact)``."""

    kinds: frozenset[str] = frozenset({"fall"})

    def see(self, state: Any, letter: Event, moment: int) -> Any:
        """Return the first fall: the earlier state, or this event if it is the first."""
        return state or (moment, letter["gap"], letter["on_target"], letter["impact"])


@attrs.frozen
class First(OfKind, Awaited):
    """A measure that keeps the value that ``tells(event)`` returns for the first event of a kind.

    Its state is None until then. An event for which ``tells`` returns None is ignored.
    """

    tells: Callable[[Event], Any]

    def see(self, state: Any, letter: Event, moment: int) -> Any:  # noqa: ARG002
        """Return the value kept from the first event, or that of this event if it is the first."""
        return self.tells(letter) if state is None else state

    def awaits(self, letter: Event) -> bool:
        """Return whether ``tells`` returns a value for the event."""
        return self.tells(letter) is not None


def falls_of(missions: frozenset[str]) -> First:
    """Return a measure of whether the first fall of these missions is on target.

    Its state is True or False, or None before the first fall.
    """
    return First("fall", lambda fall: fall["on_target"] if fall["mission"] in missions else None)


@attrs.frozen
class Ever(OfKind):
    """A measure of whether an event of a kind ever has one of ``values`` in a field.

    Only events of these ``missions`` and these ``units`` count, if they are given.
    """

    field: str
    values: tuple[Any, ...]
    missions: frozenset[str] | None = None
    units: frozenset[str] | None = None
    initial: Hashable = False

    def see(self, state: Any, letter: Event, moment: int) -> Any:  # noqa: ARG002
        """Return whether an event with one of the values has happened, up to this event.

        ``state`` is the answer before it.
        """
        return state or self.awaits(letter)

    def awaits(self, letter: Event) -> bool:
        """Return whether the field has one of the values, for one of the missions and units."""
        return (
            letter[self.field] in self.values
            and (self.missions is None or letter["mission"] in self.missions)
            and (self.units is None or letter["unit"] in self.units)
        )

    def settled(self, state: Any) -> bool:
        """Return whether an event with one of the values has happened."""
        return bool(state)


@attrs.frozen
class Count(OfKind):
    """The number of events of a kind, up to ``most``.

    With ``fits``, only events for which it is true count.
    """

    most: int = 3
    fits: Callable[[Event], Any] | None = None
    initial: Hashable = 0

    def see(self, state: Any, letter: Event, moment: int) -> Any:  # noqa: ARG002
        """Return the count after an event, at most ``most``."""
        return min(state + self.concerns(letter), self.most)

    def concerns(self, letter: Event) -> bool:
        """Return whether the event is counted."""
        return self.fits is None or bool(self.fits(letter))

    def settled(self, state: Any) -> bool:
        """Return whether the count has reached its limit."""
        return bool(state == self.most)


def own_troops_under_fire() -> Ever:
    """Return a measure of whether fire for effect ever covers the firer's own troops."""
    return Ever("fall", "own_under_fire", (True,))


def exhausted(missions: frozenset[str] | None = None) -> Ever:
    """Return a measure of whether any asset, or an asset of ``missions``, is exhausted or lost."""
    return Ever("ended", "reason", FINAL, missions)


SUFFERED = "suffered"
"""Kind of the event that gives the severity a unit suffers."""


def suffers(units: frozenset[str], least: Severity) -> Ever:
    """Return a measure of whether any of these units ever suffers this severity or a worse one."""
    worse = tuple(severity for severity in Severity if severity >= least)
    return Ever(SUFFERED, "severity", worse, units=units)


@attrs.frozen
class WorstSeverity:
    """A measure of the worst severity that one unit suffers."""

    unit: str
    kinds: frozenset[str] = frozenset({SUFFERED})
    initial: Hashable = Severity.NONE

    def see(self, state: Any, letter: Event, moment: int) -> Any:  # noqa: ARG002
        """Return the worst severity so far, this event included."""
        return max(state, letter["severity"]) if self.concerns(letter) else state

    def concerns(self, letter: Event) -> bool:
        """Return whether the event happens to this unit."""
        return bool(letter["unit"] == self.unit)

    def settled(self, state: Any) -> bool:
        """Return whether the unit is destroyed."""
        return state is Severity.DESTROYED


@attrs.frozen
class Jointly:
    """Several measures carried along together; the state is the tuple of their states."""

    measures: tuple[Measure, ...]

    @property
    def kinds(self) -> frozenset[str]:
        """Return the kinds of events that any of the measures reads."""
        return frozenset().union(*(measure.kinds for measure in self.measures))

    @property
    def initial(self) -> tuple[Hashable, ...]:
        """Return the initial states of all measures."""
        return tuple(measure.initial for measure in self.measures)

    def see(self, state: Any, letter: Event, moment: int) -> tuple[Hashable, ...]:
        """Return the states after an event; only unsettled measures that read its kind change."""
        return tuple(
            measure.see(seen, letter, moment)
            if letter.kind in measure.kinds and not measure.settled(seen)
            else seen
            for measure, seen in zip(self.measures, state, strict=True)
        )

    def concerns(self, letter: Event) -> bool:
        """Return whether an event can change one of the measures."""
        return any(moved_by(measure, letter) for measure in self.measures)

    def settled(self, state: Any) -> bool:
        """Return whether all measures are settled."""
        return all(
            measure.settled(seen) for measure, seen in zip(self.measures, state, strict=True)
        )


# --- rolls and endings as events ------------------------------------------------------------------
ROLLED, ENDING = "a roll", "the ending"
"""Kinds of events that no rule emits: the result of a named roll, the end of a play."""

Fits = Callable[[ChanceEvent, RollOutcome], bool]
Answer = TypeVar("Answer")


class _PlaceReadError(Exception):
    """A signal that the place ``scope`` was read although strikes on it were left out."""

    def __init__(self, scope: str) -> None:
        super().__init__(scope)
        self.scope = scope


class RollCompiler(Compiler):
    """A compiler that emits a ``ROLLED`` event for each named roll.

    ``rolls`` maps each name to tests of the roll. The event has the fields ``roll`` (the name) and
    ``fits`` (a tuple of the tests' results). Strikes on the places ``left_out`` have no effect,
    which is right only if no rule reads their effects.
    """

    def __init__(
        self,
        scenario: Scenario,
        rolls: Mapping[str, tuple[Fits, ...]],
        left_out: Collection[str] = (),
    ) -> None:
        super().__init__(scenario)
        self._rolls = rolls
        self._left_out = left_out

    def _outcomes(self, pending: Pending, read: Read) -> StepRows:
        rows = self._watched(super()._outcomes(pending, read))
        if not any(
            push.scope in self._left_out for row in rows.rows for push in row.outcome.pushes
        ):
            return rows
        reduced = tuple(attrs.evolve(row, outcome=self._without(row.outcome)) for row in rows.rows)
        return attrs.evolve(rows, rows=reduced)

    def _without(self, outcome: StepOutcome) -> StepOutcome:
        return attrs.evolve(
            outcome, pushes=tuple(p for p in outcome.pushes if p.scope not in self._left_out)
        )

    def _watched(self, rows: StepRows) -> StepRows:
        event = rows.event
        tests = self._rolls.get(event.name) if event is not None else None
        if event is None or not tests:
            return rows
        branches = []
        for row, fallen in zip(rows.rows, rows.falls, strict=True):
            for fall, weight in fallen:
                fits = tuple(test(event, fall) for test in tests)
                rolled = Event(ROLLED, "", (("roll", event.name), ("fits", fits)))
                outcome = attrs.evolve(row.outcome, events=(rolled, *row.outcome.events))
                branches.append((outcome, weight, ((fall, weight),)))
        return merged_rows(branches, event, rows.numbers)


def ending_in(
    scenario: Scenario,
    until: int,
    value: Callable[[Read], Hashable],
    left_out: Collection[str],
) -> Scenario:
    """Return the scenario, cut short by an ``ENDING`` event as soon as moment ``until`` would open.

    ``value`` computes the event's value from ``read(key, default)``. Solve the scenario inside
    ``leaving_out``, which handles the error that is raised if ``value`` reads a place in
    ``left_out``.
    """
    step = scenario.steps[OPENING.name]

    def reader(view: View) -> Read:
        def read(key: str, default: Any) -> Any:
            if left_out and (scope := scenario.scope_of(key)) in left_out:
                raise _PlaceReadError(scope)
            return view._read(key, default)  # noqa: SLF001 - any key may be read

        return read

    def opens(chance: Chance, view: View) -> Effects:
        if view.moment() < until:
            return step.run(chance, view)
        return Effects(Event(ENDING, "", (("value", value(reader(view))),)))

    return attrs.evolve(
        scenario, steps={**scenario.steps, OPENING.name: attrs.evolve(step, run=opens)}
    )


def leaving_out(places: frozenset[str], solve: Callable[[frozenset[str]], Answer]) -> Answer:
    """Return the answer of ``solve(left_out)`` for the largest subset of places that it accepts.

    A place in which ``solve`` needs the effects of strikes is removed, and ``solve`` is called
    again.
    """
    left_out = places
    while True:
        try:
            return solve(left_out)
        except _PlaceReadError as read:
            left_out -= {read.scope}


def ending() -> First:
    """Return a measure of the ending's value.

    Its state is ``(value,)``, or None before the ending.
    """
    return First(ENDING, lambda event: (event["value"],))
