"""Measures over the neutral events: first effect, delivery, own troops, exhaustion, severity."""

from collections.abc import Callable, Collection, Hashable, Mapping
from math import gcd
from typing import Any

import attrs

from fireplan.solver.compile import Compiler, Row, Rows
from fireplan.solver.passes import Measure, moved_by
from fireplan_core import FINAL, Effects, Event, Pending, Scenario, Severity, View
from fireplan_core.chance import Chance, ChanceEvent
from fireplan_core.chance import Outcome as Fall
from fireplan_core.play import OPENING, Outcome


class Awaited:
    """The first event of its kinds, whichever it is: None until then."""

    initial: Hashable = None

    def awaits(self, letter: Event) -> bool:  # noqa: ARG002
        """Return true: any of them will do."""
        return True

    def settled(self, state: Any) -> bool:
        """Return whether it has happened."""
        return state is not None


@attrs.frozen
class OfKind:
    """A measure that looks at the events of one kind."""

    kind: str

    @property
    def kinds(self) -> frozenset[str]:
        """Return its one kind."""
        return frozenset({self.kind})


@attrs.frozen
class FirstFall(Awaited):
    """The first fall of fire for effect: None until then, afterwards ``(moment, gap, on_target, impact)``."""

    kinds: frozenset[str] = frozenset({"fall"})

    def see(self, state: Any, letter: Event, moment: int) -> Any:
        """Note the first fall."""
        return state or (moment, letter["gap"], letter["on_target"], letter["impact"])


@attrs.frozen
class First(OfKind, Awaited):
    """What the first event of a kind ``tells``: None until then.

    An event of which it tells None is passed over.
    """

    tells: Callable[[Event], Any]

    def see(self, state: Any, letter: Event, moment: int) -> Any:  # noqa: ARG002
        """Note what the first tells."""
        return self.tells(letter) if state is None else state

    def awaits(self, letter: Event) -> bool:
        """Return whether an event tells something."""
        return self.tells(letter) is not None


def falls_of(missions: frozenset[str]) -> First:
    """Return whether fire for effect of some missions falls on the target when it first does.

    None until then.
    """
    return First("fall", lambda fall: fall["on_target"] if fall["mission"] in missions else None)


@attrs.frozen
class Ever(OfKind):
    """Say whether an event of a kind, with a field of a value, ever happens (to one of ``missions``, if given)."""

    field: str
    values: tuple[Any, ...]
    missions: frozenset[str] | None = None
    initial: Hashable = False

    def see(self, state: Any, letter: Event, moment: int) -> Any:  # noqa: ARG002
        """Return true from the first such event on."""
        return state or self.awaits(letter)

    def awaits(self, letter: Event) -> bool:
        """Return whether it is such an event."""
        return letter[self.field] in self.values and (
            self.missions is None or letter["mission"] in self.missions
        )

    def settled(self, state: Any) -> bool:
        """Return whether it has happened."""
        return bool(state)


@attrs.frozen
class Count(OfKind):
    """Count the events of a kind, up to ``most``; of these, where that is said, those that fit."""

    most: int = 3
    fits: Callable[[Event], Any] | None = None
    initial: Hashable = 0

    def see(self, state: Any, letter: Event, moment: int) -> Any:  # noqa: ARG002
        """Count one more if it fits."""
        return min(state + self.concerns(letter), self.most)

    def concerns(self, letter: Event) -> bool:
        """Return whether an event is counted."""
        return self.fits is None or bool(self.fits(letter))

    def settled(self, state: Any) -> bool:
        """Return whether there are so many that no more are counted."""
        return bool(state == self.most)


def own_troops_under_fire() -> Ever:
    """Return whether fire for effect covers the firer's own troops at least once."""
    return Ever("fall", "own_under_fire", (True,))


def exhausted(missions: frozenset[str] | None = None) -> Ever:
    """Return whether an asset (one of these) is exhausted or lost."""
    return Ever("ended", "reason", FINAL, missions)


SUFFERED = "suffered"
"""The kind of event that says how severely a unit suffers."""


@attrs.frozen
class WorstSeverity:
    """The worst severity that one unit suffers."""

    unit: str
    kinds: frozenset[str] = frozenset({SUFFERED})
    initial: Hashable = Severity.NONE

    def see(self, state: Any, letter: Event, moment: int) -> Any:  # noqa: ARG002
        """Return the worse of before and now, if it is this unit."""
        return max(state, letter["severity"]) if self.concerns(letter) else state

    def concerns(self, letter: Event) -> bool:
        """Return whether this unit suffers."""
        return bool(letter["unit"] == self.unit)

    def settled(self, state: Any) -> bool:
        """Return whether it is destroyed."""
        return state is Severity.DESTROYED


@attrs.frozen
class Jointly:
    """Carry several measures of events along together: the state is the tuple of theirs."""

    measures: tuple[Measure, ...]

    @property
    def kinds(self) -> frozenset[str]:
        """Return the kinds of all."""
        return frozenset().union(*(measure.kinds for measure in self.measures))

    @property
    def initial(self) -> tuple[Hashable, ...]:
        """Return what they begin with."""
        return tuple(measure.initial for measure in self.measures)

    def see(self, state: Any, letter: Event, moment: int) -> tuple[Hashable, ...]:
        """Show an event to those that look at its kind and are not settled."""
        return tuple(
            measure.see(seen, letter, moment)
            if letter.kind in measure.kinds and not measure.settled(seen)
            else seen
            for measure, seen in zip(self.measures, state, strict=True)
        )

    def concerns(self, letter: Event) -> bool:
        """Return whether an event can move one of them."""
        return any(moved_by(measure, letter) for measure in self.measures)

    def settled(self, state: Any) -> bool:
        """Return whether all are settled."""
        return all(
            measure.settled(seen) for measure, seen in zip(self.measures, state, strict=True)
        )


# --- rolls and endings as events: how a named roll falls, what a state comes to ---------------------
ROLLED, ENDING = "a roll", "the ending"
"""Kinds of events that no rule emits."""

Fits = Callable[[ChanceEvent, Fall], bool]


class NeededPlaceError(Exception):
    """A place whose strikes were left out is read after all."""

    def __init__(self, scope: str) -> None:
        super().__init__(scope)
        self.scope = scope


class RollCompiler(Compiler):
    """A compiler that emits, of rolls by name, whether they fall so: ``ROLLED`` with ``roll`` and ``fits``.

    Strikes on the places ``left_out`` do nothing: right where nobody else reads what these do.
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

    def _outcomes(self, pending: Pending, read: Callable[[str, Any], Any]) -> Rows:
        rows = self._watched(super()._outcomes(pending, read))
        if not any(
            then.scope in self._left_out for row in rows.rows for then in row.outcome.pushes
        ):
            return rows
        kept = tuple(attrs.evolve(row, outcome=self._without(row.outcome)) for row in rows.rows)
        return attrs.evolve(rows, rows=kept)

    def _without(self, outcome: Outcome) -> Outcome:
        return attrs.evolve(
            outcome, pushes=tuple(p for p in outcome.pushes if p.scope not in self._left_out)
        )

    def _watched(self, rows: Rows) -> Rows:
        event = rows.event
        tests = self._rolls.get(event.name) if event is not None else None
        if event is None or not tests:
            return rows
        weights: dict[Outcome, int] = {}
        falls: dict[Outcome, tuple[tuple[Fall, int], ...]] = {}
        for row, fallen in zip(rows.rows, rows.falls, strict=True):
            for fall, weight in fallen:
                fits = tuple(test(event, fall) for test in tests)
                told = Event(ROLLED, "", (("roll", event.name), ("fits", fits)))
                outcome = attrs.evolve(row.outcome, events=(told, *row.outcome.events))
                weights[outcome] = weights.get(outcome, 0) + weight
                falls[outcome] = (*falls.get(outcome, ()), (fall, weight))
        divisor = gcd(*weights.values())
        found = tuple(Row(weight // divisor, outcome) for outcome, weight in weights.items())
        return Rows(
            sum(row.weight for row in found), found, rows.numbers, event, tuple(falls.values())
        )


def ending_in(
    scenario: Scenario,
    until: int,
    value: Callable[[Callable[[str, Any], Any]], Hashable],
    left_out: Collection[str] = (),
) -> Scenario:
    """Return the scenario with an event ``ENDING`` as moment ``until`` would open, and nothing after it.

    Its ``value`` is what the function makes of the state: it is given ``read(key, default)``, which
    raises ``NeededPlaceError`` for what lies at a place ``left_out``.
    """
    step = scenario.steps[OPENING.name]

    def reader(view: View) -> Callable[[str, Any], Any]:
        def read(key: str, default: Any) -> Any:
            if left_out and (scope := scenario.scope_of(key)) in left_out:
                raise NeededPlaceError(scope)
            return view._read(key, default)  # noqa: SLF001 - every key, by its address

        return read

    def opens(chance: Chance, view: View) -> Effects:
        if view.moment() < until:
            return step.run(chance, view)
        return Effects(Event(ENDING, "", (("value", value(reader(view))),)))

    return attrs.evolve(
        scenario, steps={**scenario.steps, OPENING.name: attrs.evolve(step, run=opens)}
    )


def ending() -> First:
    """Return the value that the ending had, alone in a tuple; None until then."""
    return First(ENDING, lambda event: (event["value"],))
