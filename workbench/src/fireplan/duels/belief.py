"""Beliefs: the worlds that fit what a side has seen, weighted by Bayes' rule in fractions.

A world is a table played by the same steps. Every input that the side saw is submitted to each
world; a world that shows the side anything different is dropped. Unseen inputs may be any that the
rules allow.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import islice
from math import factorial, prod
from typing import Any

import attrs

from fireplan.duels.story import SideObservations
from fireplan.solver import TooLargeError
from fireplan.solver.best import OpenCompiler, OpenDecisions
from fireplan.table import Visibility, believed
from fireplan_core import Ask, MissionSetup, Order, Pending, ProcedureError, Scenario
from fireplan_core.chance import ChanceError, ChanceEvent
from fireplan_core.play import Answered, Input, State, Table, Thrown

MOST_WORLDS = 4_000
"""Maximum number of worlds followed at once."""
Worlds = list["PossibleWorld"]
Begun = tuple[Fraction, Scenario, State]
"""The chance of a world, its scenario and its initial state."""


@attrs.frozen(eq=False)
class PossibleWorld:
    """A possible world: a table, the side's observations of it, unseen orders, and a share.

    The share is the probability of the world. The key of an unseen order is its moment, side and
    question, and the number of earlier orders with the same moment, side and question.
    """

    share: Fraction
    table: Table
    story: SideObservations
    orders: tuple[tuple[tuple[int, str, str, int], Order], ...] = ()

    def key(self) -> Any:
        """Return a hashable value that is equal for worlds that can be merged."""
        cards = self.table.dealt.seen if self.table.dealt else None
        return (
            id(self.table.scenario),
            self.table.state,
            cards,
            self.orders,
            frozenset(self.story.names.items()),
        )

    def seen(self) -> Any:
        """Return the side's view of the table, without the ordered lines of its log.

        The view includes who must give the next input.
        """
        waits = self.table.waits_for
        who = waits.who if isinstance(waits, Ask) else waits and (waits.seen_by or waits.name)
        return self.story.unordered, self.story.situation(self.table.state, waits), type(waits), who

    def on(self, table: Table, share: Fraction | int = 1) -> PossibleWorld:
        """Return this world after its table has advanced to ``table``.

        The new events are added to its story, and its share is multiplied by ``share``.
        """
        story = self.story.fork()
        for entry in table.log[len(self.table.log) :]:
            story.add_events(entry.moment, (entry.event,))
        return attrs.evolve(self, share=self.share * share, table=table, story=story)


class Beliefs:
    """The beliefs of a side about a game that began in one of several worlds.

    Each world has its chance and its own scenario. ``others`` contains the decisions of the other
    sides: a closed question is answered by the standard doctrine or a stated belief. At an open
    question, an observed order shows only that it was legal, and unseen orders are equally likely.
    """

    def __init__(
        self, moments: int, side: str, worlds: Sequence[Begun], others: OpenDecisions
    ) -> None:
        self.moments, self.side, self._others, self._begun = moments, side, others, worlds
        self._eyes = Visibility(worlds[0][1], side)
        self._stories: dict[int, SideObservations] = {}
        self._compilers: dict[Any, OpenCompiler] = {}

    def after(
        self, scenario: Scenario, state: State, inputs: Sequence[Input]
    ) -> tuple[PossibleWorld, ...]:
        """Return the possible worlds after the inputs of a game that began in this state.

        Their shares sum to 1. The result is empty if no world explains what the side has seen.
        Raises ``TooLargeError`` for more than ``MOST_WORLDS``.
        """
        shown: set[int] = set()
        while True:
            unseen, worlds = self._followed(
                self._opened(Fraction(1), scenario, state), inputs, shown
            )
            if worlds or not unseen:
                total = sum((world.share for world in worlds), Fraction(0))
                return tuple(attrs.evolve(world, share=world.share / total) for world in worlds)
            # No order on offer explains what the side has seen, so assume that it saw this order.
            shown.add(max(unseen))

    def _opened(self, share: Fraction, scenario: Scenario, state: State) -> PossibleWorld:
        table = Table(scenario, max(self.moments, state.moment + 1), state)
        if id(scenario) not in self._stories:
            self._stories[id(scenario)] = SideObservations(scenario, self.moments, self.side)
        story = self._stories[id(scenario)].fork()
        for entry in table.log:
            story.add_events(entry.moment, (entry.event,))
        return PossibleWorld(share, table, story)

    def _followed(
        self, truth: PossibleWorld, inputs: Sequence[Input], shown: set[int]
    ) -> tuple[set[int], Worlds]:
        """Return the indices of unseen orders not in ``shown``, and the worlds that fit."""
        worlds, secret, unseen = (
            [self._opened(*world) for world in self._begun],
            set[int](),
            list[Order](),
        )
        for number, given in enumerate(inputs):
            if self._sees(truth.table.waits_for):
                alike = self._alike(worlds, truth, unseen)
                worlds, unseen = (
                    [after for world in alike for after in self._branches(world, given)],
                    [],
                )
                if not worlds:
                    return secret, []
            elif isinstance(given, Answered):
                secret |= {number} - shown
                unseen += [given.order] if number in shown else []
            truth = self._with_input(truth, given)
        return secret, self._alike(worlds, truth, unseen)

    def _sees(self, waits: Ask | ChanceEvent | None) -> bool:
        """Return whether the side will see the pending order or throw; True at the end of play."""
        if isinstance(waits, Ask):
            return self._eyes.hears(waits.who, waits.question)
        return waits is None or self._eyes.sees(waits.seen_by)

    def _alike(
        self, worlds: Iterable[PossibleWorld], truth: PossibleWorld, shown: Sequence[Order]
    ) -> list[PossibleWorld]:
        """Return the worlds consistent with what the side has seen, each advanced to that point.

        Raises ``TooLargeError`` for more than ``MOST_WORLDS``.
        """
        expected, lines, until = truth.seen(), truth.story.lines, self._sees(truth.table.waits_for)
        layer, matching = _merged(worlds), list[PossibleWorld]()
        while layer:
            later: list[PossibleWorld] = []
            for world in layer:
                seen_next, world_lines = self._sees(world.table.waits_for), world.story.lines
                if seen_next is until and world_lines == lines and world.seen() == expected:
                    matching.append(world)
                elif not seen_next and world_lines == lines[: len(world_lines)]:
                    later += self._branches(world, None, shown)
            layer = _merged(later)
            if len(layer) + len(matching) > MOST_WORLDS:
                raise TooLargeError(f"more than {MOST_WORLDS:,} possible worlds")
        return _merged(matching)

    # --- step by step ----------------------------------------------------------------------------
    def _with_input(self, world: PossibleWorld, given: Input) -> PossibleWorld:
        """Return a world after an input.

        Raises ``ChanceError`` or ``ProcedureError`` if the input does not fit the world.
        """
        table, waits, story = copy.copy(world.table), world.table.waits_for, world.story.fork()
        if isinstance(given, Answered) and isinstance(waits, Ask):
            forms = table.rulebook.forms(waits, table.read)
            story.add_order(table.state.moment, waits, given.order, forms)
        table.submit(given)
        return attrs.evolve(world, story=story).on(table)

    def _branches(
        self, world: PossibleWorld, given: Input | None, shown: Iterable[Order] = ()
    ) -> Iterator[PossibleWorld]:
        """Yield the world after ``given`` if it fits, or after every input if ``given`` is None."""
        waits = world.table.waits_for
        if isinstance(waits, Ask):
            if isinstance(given, Answered) and given.question == waits.question:
                yield from self._ordered(world, waits, given.order, shown)
            elif given is None:
                yield from self._ordered(world, waits, None, shown)
        elif given is None:
            yield from (world.on(table, chance) for chance, table in world.table.ways())
        elif isinstance(given, Thrown) and waits is not None:
            # A world is dropped if it throws other dice or lacks the card drawn.
            with suppress(ChanceError, ProcedureError):
                after = self._with_input(world, given)
                pairs = zip(waits.faces, given.faces, strict=True)
                weights = ((dict(die.weights), face) for die, face in pairs)
                chance = prod(
                    Fraction(face_weights[face], sum(face_weights.values()))
                    for face_weights, face in weights
                )
                yield attrs.evolve(after, share=after.share * chance)

    def _ordered(
        self, world: PossibleWorld, ask: Ask, given: Order | None, shown: Iterable[Order]
    ) -> Iterator[PossibleWorld]:
        """Yield the world after each order that looks like ``given`` (None: after every order)."""
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
            weights = {row.outcome.pushes[0].args[0]: row.weight for row in rows}  # type: ignore[misc] # the row's order
        # An order that everybody sees may be legal without being on offer.
        if open_ := ask.who == self.side or others.opens(ask):
            orders_seen = (
                *shown,
                *((given,) if given and self._visible(world, ask, given) == given else ()),
            )
            legal = (
                order
                for order in orders_seen
                if table.rulebook.refuse(ask, order, table.read) is None
            )
            weights = dict.fromkeys((*weights, *legal), 1)
        visible = given and self._visible(world, ask, given)
        consistent = {
            order: weight
            for order, weight in weights.items()
            if given is None or self._visible(world, ask, order) == visible
        }
        total = sum((consistent if given and open_ else weights).values())
        when = table.state.moment, ask.who, ask.question
        name = (*when, sum(unseen[:3] == when for unseen, _ in world.orders))
        for order, weight in consistent.items():
            after = self._with_input(world, Answered(ask.question, order))
            orders = (
                *world.orders,
                *([(name, order)] if self._visible(world, ask, order) != order else ()),
            )
            yield attrs.evolve(after, share=world.share * Fraction(weight, total), orders=orders)

    def _visible(self, world: PossibleWorld, ask: Ask, order: Order) -> Order | None:
        """Return an order as the side sees it, without secret slots, or None if it is not seen."""
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


def _merged(worlds: Iterable[PossibleWorld]) -> list[PossibleWorld]:
    """Return the worlds with those of equal key merged and their shares added."""
    by_key: dict[Any, PossibleWorld] = {}
    for world in worlds:
        twin = by_key.get(key := world.key())
        by_key[key] = attrs.evolve(world, share=world.share + twin.share) if twin else world
    return [*by_key.values()]


# --- initial worlds -----------------------------------------------------------------------------
def arranged(scenario: Scenario, state: State, side: str) -> Iterator[Begun]:
    """Yield (chance, scenario, state) for each way to arrange the assets hidden from a side.

    The number of assets of each kind is known, and all orders of them are equally likely; hidden
    units are left out. A secret field of another side has the value that this side assumes; secret
    facts, such as plans written before play, are taken as known. Worlds that differ only in
    exchanging assets with the same facts count as one. Raises ``TooLargeError`` for more than
    ``MOST_WORLDS``.
    """
    eyes = Visibility(scenario, side)
    seen, state_known = believed(scenario, state, eyes, scenario.missions)
    side_scenario = scenario  # unchanged if possible, because a changed scenario cannot be pickled
    if seen.units.keys() != scenario.units.keys():
        side_scenario = attrs.evolve(seen, missions=scenario.missions)
    worlds = [(1, state_known)]
    for owner in dict.fromkeys(setup.side for setup in scenario.missions.values()):
        names = [
            name
            for name, setup in scenario.missions.items()
            if setup.side == owner and eyes.hidden(name)
        ]
        alike = [facts_of(name, scenario.missions[name]) for name in names]
        worlds = [
            (count * ways, permuted)
            for count, before in worlds
            for ways, permuted in _permuted(before, names, alike)
        ]
    total = sum(count for count, _ in worlds)
    yield from ((Fraction(count, total), side_scenario, permuted) for count, permuted in worlds)


def alike_assets(scenario: Scenario, side: str) -> dict[str, tuple[str, ...]]:
    """Map each asset hidden from a side to the hidden assets with equal facts, itself included."""
    eyes = Visibility(scenario, side)
    groups: dict[Hashable, tuple[str, ...]] = {}
    for name, setup in scenario.missions.items():
        if eyes.hidden(name):
            facts = facts_of(name, setup)
            groups[facts] = (*groups.get(facts, ()), name)
    return {name: group for group in groups.values() for name in group}


def facts_of(name: str, setup: MissionSetup) -> Hashable:
    """Return the facts about an asset except its name; interchangeable assets have equal facts."""
    facts = ((word, _nameless(name, fact)) for word, fact in sorted(setup.facts.items()))
    return setup.side, setup.target, *facts


def _nameless(name: str, fact: Any) -> Hashable:
    values = (
        (getattr(fact, field.name) for field in attrs.fields(type(fact)))
        if attrs.has(type(fact))
        else (fact,)
    )
    return type(fact), *("" if value == name else value for value in values)


def _permuted(
    state: State, names: Sequence[str], alike: Sequence[Hashable]
) -> Iterator[tuple[int, State]]:
    """Yield (number of permutations, state) for each different result of permuting named assets.

    Permutations that differ only among assets that are ``alike`` give the same result.
    """
    asset_states = {name: _asset_state(state, name) for name in names}
    awaiting = {
        name: {_renamed(step, {name: ""}) for step in state.agenda if name in step.args}
        for name in names
    }
    # Steps that are pending for all the assets do not distinguish them.
    shared = set[Pending].intersection(*awaiting.values()) if awaiting else set()
    kinds = [(str(asset_states[name]), frozenset(awaiting[name] - shared)) for name in names]
    concerns = [
        shared.isdisjoint(_renamed(step, {arg: ""}) for arg in step.args) for step in state.agenda
    ]
    # Sort the arrangements, so that their order reveals nothing about the actual one.
    for arrangement, ways in sorted(_arrangements(kinds, alike).items(), key=str):
        names_left = {
            kind: [name for name, place in zip(names, arrangement, strict=True) if place == kind]
            for kind in arrangement
        }
        new_names: dict[Any, str] = {
            name: names_left[kind].pop(0) for name, kind in zip(names, kinds, strict=True)
        }
        updates = (
            (f"missions/{new_names[name]}/{field}", value)
            for name in names
            for field, value in asset_states[name].items()
        )
        agenda = (
            _renamed(pending, new_names) if concerned else pending
            for pending, concerned in zip(state.agenda, concerns, strict=True)
        )
        yield ways, State(state.values.put(tuple(updates)), tuple(agenda))


def _arrangements(
    kinds: Sequence[Hashable], alike: Sequence[Hashable]
) -> dict[tuple[Hashable, ...], int]:
    """Map one arrangement of the kinds from each group to the number of arrangements in the group.

    The members of a group differ only in places that are ``alike``. Raises ``TooLargeError`` if
    there are more than ``MOST_WORLDS`` groups.
    """
    counts = dict(sorted(Counter(kinds).items(), key=str))
    groups: dict[Hashable, list[int]] = {}
    for place, group in enumerate(alike):
        groups.setdefault(group, []).append(place)
    begun: list[tuple[dict[int, Hashable], dict[Hashable, int]]] = [({}, counts)]
    for places in groups.values():
        longer = (
            (
                filled | dict(zip(places, chosen, strict=True)),
                {kind: left - chosen.count(kind) for kind, left in remaining.items()},
            )
            for filled, remaining in begun
            for chosen in _chosen([*remaining.items()], len(places))
        )
        begun = [*islice(longer, MOST_WORLDS + 1)]
        if len(begun) > MOST_WORLDS:
            raise TooLargeError(
                f"more than {MOST_WORLDS:,} arrangements of {len(kinds)} hidden assets"
            )
    arrangements = (tuple(filled[place] for place in range(len(kinds))) for filled, _ in begun)
    return {arrangement: _ways(arrangement, alike) for arrangement in arrangements}


def _chosen(counts: Sequence[tuple[Hashable, int]], size: int) -> Iterator[tuple[Hashable, ...]]:
    """Yield each choice of ``size`` items, given (kind, number of items) pairs."""
    if not counts:
        yield from () if size else ((),)
        return
    (kind, most), *others = counts
    for number in range(min(most, size) + 1):
        yield from ((kind,) * number + rest for rest in _chosen(others, size - number))


def _ways(arrangement: Sequence[Hashable], alike: Sequence[Hashable]) -> int:
    """Return the number of different arrangements made by permuting places of the same group.

    ``alike`` has the group of each place.
    """
    sizes, counts = Counter(alike), Counter(zip(alike, arrangement, strict=True))
    return prod(map(factorial, sizes.values())) // prod(map(factorial, counts.values()))


def _renamed(pending: Pending, new_names: Mapping[Any, str]) -> Pending:
    return attrs.evolve(pending, args=tuple(new_names.get(arg, arg) for arg in pending.args))


def _asset_state(state: State, name: str) -> dict[str, Any]:
    """Return the state of an asset, by field."""
    prefix = f"missions/{name}/"
    return {
        key.removeprefix(prefix): value
        for key, value in state.values.items()
        if key.startswith(prefix)
    }
