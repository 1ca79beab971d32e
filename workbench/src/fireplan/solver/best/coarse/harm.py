"""The harm that a strike may do to the units at its place, in the worst state it may find."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from fractions import Fraction
from math import lcm

import attrs

from fireplan.solver.best.goals import Harm
from fireplan.solver.best.process import Process
from fireplan.solver.chain import PUT
from fireplan.solver.measures import OfKind
from fireplan.solver.places import Automaton, StruckPlace, place_plan
from fireplan.solver.states import CLOCK
from fireplan_core import Event, Pending, ProcedureError, Step

Harmed = frozenset[str]
Spread = tuple[tuple[Harmed, int], ...]
"""The sets of units that a strike may newly harm, each with an integer weight."""


@attrs.frozen
class HarmedUnits(OfKind):
    """A measure of which units have suffered at least the severity that counts for a goal."""

    kind: str
    goal: Harm
    initial: Harmed = frozenset()

    def see(self, state: Harmed, letter: Event, moment: int) -> Harmed:  # noqa: ARG002
        """Return the units harmed after an event."""
        harmed: Harmed = self.goal.see(state, letter)[0]
        return harmed

    def concerns(self, letter: Event) -> bool:
        """Return whether the event may harm one of the units."""
        return letter["unit"] in self.goal.shares

    def settled(self, state: Harmed) -> bool:
        """Return whether every unit has been harmed."""
        return self.goal.settled(state)


class WorstHarm:
    """The ways in which each strike may harm units, given the units that are harmed already.

    A place's state is reduced to its harmed units, so a strike can have several spreads: one for
    each reachable state of the place in which these units are harmed. A bound takes the worst.
    """

    def __init__(self, goal: Harm, places: Mapping[str, tuple[Automaton, Collection[str]]]) -> None:
        self._shares = goal.shares
        self._units: dict[Step, Harmed] = {}
        self._spreads: dict[tuple[Step, Harmed], dict[Spread, None]] = {}
        for automaton, units in places.values():
            self._add(goal, automaton, frozenset(units))

    def matters(self, strike: Pending) -> bool:
        """Return whether a strike may harm a unit."""
        return strike in self._units

    def spreads(self, strike: Pending, harmed: Harmed) -> tuple[Spread, ...]:
        """Return the possible spreads of a strike, given the units that are harmed already.

        A strike that can harm no unit has a single spread, without harm.
        """
        assert isinstance(strike, Step)  # noqa: S101 - only steps are set apart
        nothing: Spread = ((frozenset(), 1),)
        here = self._units.get(strike, frozenset()) & harmed
        return tuple(self._spreads.get((strike, here), {nothing: None}))

    def values(self) -> dict[Step, Fraction]:
        """Map each strike to the greatest mean share of the target that it can newly harm.

        The maximum is taken over the sets of units that may have been harmed before.
        """
        values: dict[Step, Fraction] = {}
        for (strike, _), spreads in self._spreads.items():
            for spread in spreads:
                earned = sum(
                    weight * sum(self._shares[unit] for unit in units) for units, weight in spread
                )
                total = sum(weight for _, weight in spread)
                values[strike] = max(values.get(strike, Fraction(0)), Fraction(earned) / total)
        return values

    def _add(self, goal: Harm, automaton: Automaton, units: Harmed) -> None:
        see = HarmedUnits(goal.kind, goal).see
        todo: list[tuple[int, Harmed]] = [(0, frozenset())]
        met = {*todo}
        for state, harmed in todo:
            for number, ends in automaton.moves[state].items():
                shares: dict[Harmed, Fraction] = {}
                for after, events, share in ends:
                    now = harmed
                    for event in events:
                        now = see(now, event, 0)
                    shares[now - harmed] = shares.get(now - harmed, Fraction(0)) + share
                    if (after, now) not in met:
                        met.add((after, now))
                        todo.append((after, now))
                strike = automaton.letters[number]
                whole = lcm(*(share.denominator for share in shares.values()))
                spread = tuple(
                    sorted(((new, int(share * whole)) for new, share in shares.items()), key=repr)
                )
                self._spreads.setdefault((strike, harmed), {})[spread] = None
                if any(shares.keys()):
                    self._units[strike] = units


def explored_place(
    process: Process,
    goal: Harm,
    scope: str,
    strikes: Collection[Step],
    writes: Mapping[str, Collection[object]],
) -> Automaton:
    """Return the automaton of a place under these strikes and the mission's ``writes``, by key.

    Raises ``ProcedureError`` if the strikes read the clock, and ``TooLargeError`` if the place has
    too many states.
    """
    letters = tuple(sorted(strikes, key=repr))
    while True:
        plan = place_plan(process.compiler, letters, scope, process.state, None)
        puts = {Step(PUT, (key, value)) for key in plan.chain.keys for value in writes.get(key, ())}
        if puts <= {*letters}:
            break
        letters += tuple(sorted(puts.difference(letters), key=repr))
    if CLOCK in plan.chain.keys:
        raise ProcedureError("strikes read the clock, so their effect depends on the moment")
    (automaton,) = StruckPlace(scope, letters, plan).automata([HarmedUnits(goal.kind, goal)])
    return automaton
