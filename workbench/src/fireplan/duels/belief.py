"""Beliefs: all that may be so by what a side has seen, each weighed by Bayes' rule, in fractions.

A world is a table that is played by the same steps. What the side has seen is given to each of
them, and one that shows it anything else is none of them; what the side has not seen goes every way
that the rules let it.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from math import prod
from typing import Any

import attrs

from fireplan.duels.story import Story
from fireplan.solver import TooLargeError
from fireplan.solver.best import OpenCompiler, OpenDecisions
from fireplan.table import Eyes, believed
from fireplan_core import Ask, Order, Pending, ProcedureError, Scenario
from fireplan_core.chance import ChanceError, ChanceEvent
from fireplan_core.play import Answered, Input, State, Table, Thrown

MOST_WORLDS = 4_000
"""Worlds that are followed at once."""
Some = list["Supposed"]
Begun = tuple[Fraction, Scenario, State]
"""A world as it began, and its chance."""


@attrs.frozen
class Supposed:
    """A world: a table, what the side has seen of it, the orders given there unseen, and how likely it is.

    An order is named by when it was given, by whom, to which question, and how many such came
    before.
    """

    share: Fraction
    table: Table
    story: Story
    orders: tuple[tuple[tuple[int, str, str, int], Order], ...] = ()

    def key(self) -> Any:
        """Return what tells it from worlds that look like it."""
        cards = self.table.dealt.seen if self.table.dealt else None
        return (
            id(self.table.scenario),
            self.table.state,
            cards,
            self.orders,
            frozenset(self.story.names.items()),
        )

    def seen(self) -> Any:
        """Return what the side sees now beside its log: how things stand, and whom the table waits for."""
        waits = self.table.waits_for
        who = waits.who if isinstance(waits, Ask) else waits and (waits.seen_by or waits.name)
        return self.story.gathered, self.story.situation(self.table.state, waits), type(waits), who

    def on(self, table: Table, share: Fraction | int = 1) -> Supposed:
        """Return this world as its table went on, with what happened seen."""
        story = self.story.fork()
        for entry in table.log[len(self.table.log) :]:
            story.happened(entry.moment, (entry.event,))
        return attrs.evolve(self, share=self.share * share, table=table, story=story)


class Beliefs:
    """What a side believes of a game that began in one of some worlds, each with its chance and its own scenario.

    ``others`` says how they answer: by the standard doctrine or a stated belief where a question is closed. Of an open
    one an order that is seen tells no more than that it was allowed, and of orders unseen each is as likely.
    """

    def __init__(
        self, moments: int, side: str, worlds: Sequence[Begun], others: OpenDecisions
    ) -> None:
        self.moments, self.side, self._others, self._begun = moments, side, others, worlds
        self._eyes = Eyes(worlds[0][1], side)
        self._stories: dict[int, Story] = {}
        self._compilers: dict[Any, OpenCompiler] = {}

    def after(
        self, scenario: Scenario, state: State, inputs: Sequence[Input]
    ) -> tuple[Supposed, ...]:
        """Return the worlds that may be so after some inputs to a game that began in this state, their shares 1 in all.

        None are returned where no world explains what the side has seen. Raises ``TooLargeError``.
        """
        shown: set[int] = set()
        while True:
            unseen, found = self._followed(
                self._opened(Fraction(1), scenario, state), inputs, shown
            )
            if found or not unseen:
                whole = sum((one.share for one in found), Fraction(0))
                return tuple(attrs.evolve(one, share=one.share / whole) for one in found)
            shown.add(
                max(unseen)
            )  # what was seen no order on offer brings, so that the order itself has been shown

    def _opened(self, share: Fraction, scenario: Scenario, state: State) -> Supposed:
        table = Table(scenario, max(self.moments, state.moment + 1), state)
        if id(scenario) not in self._stories:
            self._stories[id(scenario)] = Story(scenario, self.moments, self.side)
        story = self._stories[id(scenario)].fork()
        for entry in table.log:
            story.happened(entry.moment, (entry.event,))
        return Supposed(share, table, story)

    def _followed(
        self, truth: Supposed, inputs: Sequence[Input], shown: set[int]
    ) -> tuple[set[int], Some]:
        """Return which inputs are orders unseen and not ``shown``, and the worlds in which all was seen as it was."""
        worlds, secret, unseen = (
            [self._opened(*world) for world in self._begun],
            set[int](),
            list[Order](),
        )
        for number, given in enumerate(inputs):
            if self._sees(truth.table.waits_for):
                alike = self._alike(worlds, truth, unseen)
                worlds, unseen = (
                    [after for world in alike for after in self._ways(world, given)],
                    [],
                )
                if not worlds:
                    return secret, []
            elif isinstance(given, Answered):
                secret |= {number} - shown
                unseen += [given.order] if number in shown else []
            truth = self._on(truth, given)
        return secret, self._alike(worlds, truth, unseen)

    def _sees(self, waits: Ask | ChanceEvent | None) -> bool:
        """Return whether the side sees how that is answered which a table waits for.

        The end, too, is seen.
        """
        if isinstance(waits, Ask):
            return self._eyes.hears(waits.who, waits.question)
        return waits is None or self._eyes.sees(waits.seen_by)

    def _alike(
        self, worlds: Iterable[Supposed], truth: Supposed, shown: Sequence[Order]
    ) -> list[Supposed]:
        """Return the worlds as they stand when they have shown all that the side has seen by now, and nothing else."""
        wanted, lines, until = truth.seen(), truth.story.lines, self._sees(truth.table.waits_for)
        layer, found = _merged(worlds), list[Supposed]()
        while layer:
            later: list[Supposed] = []
            for world in layer:
                here, told = self._sees(world.table.waits_for), world.story.lines
                if here is until and told == lines and world.seen() == wanted:
                    found.append(world)
                elif not here and told == lines[: len(told)]:
                    later += self._ways(world, None, shown)
            layer = _merged(later)
            if len(layer) + len(found) > MOST_WORLDS:
                raise TooLargeError(f"more than {MOST_WORLDS:,} worlds")
        return _merged(found)

    # --- step by step ----------------------------------------------------------------------------
    def _on(self, world: Supposed, given: Input) -> Supposed:
        """Return a world after an input.

        Raises ``ChanceError`` and ``ProcedureError`` as its table does.
        """
        table, waits, story = copy.copy(world.table), world.table.waits_for, world.story.fork()
        if isinstance(given, Answered) and isinstance(waits, Ask):
            forms = table.rulebook.forms(waits, table.read)
            story.answered(table.state.moment, waits, given.order, forms)
        table.submit(given)
        return attrs.evolve(world, story=story).on(table)

    def _ways(
        self, world: Supposed, given: Input | None, shown: Iterable[Order] = ()
    ) -> Iterator[Supposed]:
        """Yield a world after an input that the side sees, where it can be given.

        Or every way that it does not see.
        """
        waits = world.table.waits_for
        if isinstance(waits, Ask):
            if isinstance(given, Answered) and given.question == waits.question:
                yield from self._ordered(world, waits, given.order, shown)
            elif given is None:
                yield from self._ordered(world, waits, None, shown)
        elif given is None:
            yield from (world.on(table, chance) for chance, table in world.table.ways())
        elif isinstance(given, Thrown) and waits is not None:
            with suppress(
                ChanceError, ProcedureError
            ):  # here other dice are thrown, or a card is gone
                after, fell = self._on(world, given), zip(waits.faces, given.faces, strict=True)
                weights = ((dict(die.weights), face) for die, face in fell)
                chance = prod(Fraction(of[face], sum(of.values())) for of, face in weights)
                yield attrs.evolve(after, share=after.share * chance)

    def _ordered(
        self, world: Supposed, ask: Ask, given: Order | None, shown: Iterable[Order]
    ) -> Iterator[Supposed]:
        """Yield a world after every order that may be given there and looks like the one given, if any was seen."""
        table, others, key = (
            world.table,
            attrs.evolve(self._others, side=ask.who),
            (id(world.table.scenario), ask.who),
        )
        weights: dict[Order, int] = {}
        if ask.who != self.side:
            if key not in self._compilers:
                self._compilers[key] = OpenCompiler(table.scenario, others)
            rows = self._compilers[key].rows(ask, table.read).rows
            weights = {row.outcome.pushes[0].args[0]: row.weight for row in rows}  # type: ignore[misc] # its order
        if open_ := ask.who == self.side or others.opens(
            ask
        ):  # what all see may be what nobody would have offered
            known = (
                *shown,
                *((given,) if given and self._open(world, ask, given) == given else ()),
            )
            fits = (one for one in known if table.rulebook.refuse(ask, one, table.read) is None)
            weights = dict.fromkeys((*weights, *fits), 1)
        seen = given and self._open(world, ask, given)
        alike = {
            one: n
            for one, n in weights.items()
            if given is None or self._open(world, ask, one) == seen
        }
        whole = sum((alike if given and open_ else weights).values())
        when = table.state.moment, ask.who, ask.question
        name = (*when, sum(one[:3] == when for one, _ in world.orders))
        for order, weight in alike.items():
            after = self._on(world, Answered(ask.question, order))
            orders = (
                *world.orders,
                *([(name, order)] if self._open(world, ask, order) != order else ()),
            )
            yield attrs.evolve(after, share=world.share * Fraction(weight, whole), orders=orders)

    def _open(self, world: Supposed, ask: Ask, order: Order) -> Order | None:
        """Return what the side sees of an order: all of its own, of another's nothing, or the open slots."""
        if not self._eyes.hears(ask.who, ask.question):
            return None
        forms = world.table.rulebook.forms(ask, world.table.read) if ask.who != self.side else ()
        secret = {
            slot.name
            for form in forms
            if form.verb == order.verb
            for slot in form.slots
            if slot.secret
        }
        return attrs.evolve(
            order, values=tuple(pair for pair in order.values if pair[0] not in secret)
        )


def _merged(worlds: Iterable[Supposed]) -> list[Supposed]:
    """Return worlds, those that are alike in all made one."""
    found: dict[Any, Supposed] = {}
    for world in worlds:
        alike = found.get(key := world.key())
        found[key] = attrs.evolve(world, share=world.share + alike.share) if alike else world
    return [*found.values()]


# --- where it may have begun ------------------------------------------------------------------------
def arranged(scenario: Scenario, state: State, side: str) -> Iterator[Begun]:
    """Yield how what is hidden from a side may lie: its assets in any order, each as likely.

    Units are left out.

    How many assets there are of each kind is known. Raises ``TooLargeError``.
    """
    eyes = Eyes(scenario, side)
    known, begun = believed(scenario, state, eyes, scenario.missions)
    ways = [begun]
    for owner in dict.fromkeys(setup.side for setup in scenario.missions.values()):
        names = [
            name
            for name, setup in scenario.missions.items()
            if setup.side == owner and eyes.hidden(name)
        ]
        ways = [other for way in ways for other in _changed_about(way, names)]
    yield from ((Fraction(1, len(ways)), known, way) for way in ways)


def _changed_about(state: State, names: Sequence[str]) -> Iterator[State]:
    """Yield a state with how some assets stand changed about in every way that differs, alike ones counted once."""
    at = {name: _stands(state, name) for name in names}
    due = {
        name: {_renamed(one, {name: ""}) for one in state.agenda if name in one.args}
        for name in names
    }
    usual = (
        set[Pending].intersection(*due.values()) if due else set()
    )  # what awaits each of them tells none apart
    kinds = [(str(at[name]), frozenset(due[name] - usual)) for name in names]
    own = [usual.isdisjoint(_renamed(one, {arg: ""}) for arg in one.args) for one in state.agenda]
    for way in sorted(_arrangements(kinds), key=str):  # in an order that tells nothing of how it is
        spots = {
            kind: [name for name, one in zip(names, way, strict=True) if one == kind]
            for kind in way
        }
        called: dict[Any, str] = {
            name: spots[kind].pop(0) for name, kind in zip(names, kinds, strict=True)
        }
        updates = (
            (f"missions/{called[of]}/{field}", value)
            for of in names
            for field, value in at[of].items()
        )
        agenda = (
            _renamed(one, called) if mine else one
            for one, mine in zip(state.agenda, own, strict=True)
        )
        yield State(state.values.put(tuple(updates)), tuple(agenda))


def _arrangements(kinds: Sequence[Any]) -> list[tuple[Any, ...]]:
    ways = [tuple[Any, ...]()]
    for _ in kinds:
        ways = [(*way, one) for way in ways for one in Counter(kinds) - Counter(way)]
        if len(ways) > MOST_WORLDS:
            raise TooLargeError(
                f"more than {MOST_WORLDS:,} ways in which {len(kinds)} hidden assets may lie"
            )
    return ways


def _renamed(pending: Pending, called: Mapping[Any, str]) -> Pending:
    return attrs.evolve(pending, args=tuple(called.get(arg, arg) for arg in pending.args))


def _stands(state: State, name: str) -> dict[str, Any]:
    """Return how an asset stands, by field."""
    prefix = f"missions/{name}/"
    return {
        key.removeprefix(prefix): value
        for key, value in state.values.items()
        if key.startswith(prefix)
    }
