"""A duel from the rules: both sides' questions become decisions of a game tree, by the steps that are played.

Each side knows what its log and its view show it. Throws are seen by both: their outcomes are told
apart as finely as the rules do in any world, so that what a throw means in one of them gives
nothing away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

import attrs

from fireplan.duels.sequences import Choice, Leaf, Lottery, Node
from fireplan.duels.story import Story
from fireplan.solver import Rows, TooLargeError
from fireplan.solver.best import Goal, OpenCompiler, OpenDecisions
from fireplan_core import Ask, Order, Pending, Scenario
from fireplan_core.play import OPENING, State, Values

MOST_NODES, MOST_THROWS = 40_000, 100
"""Branchings of a game tree, and throws and decisions of one play, that are followed at most."""


@attrs.frozen
class World:
    """A state from which play may begin, its name, and its chance, or (None) that a side chooses it in secret."""

    name: str
    state: State
    chance: Fraction | None


@attrs.frozen
class Duel:
    """Say who plays against whom for what.

    The first of ``decisions`` says what the side chooses that wants the goal, the second what the
    other does, which wants that it comes to the worst; what is not open follows the standard
    doctrine. Of the world in which play begins each side sees what its view shows; ``chooser``
    chooses it, where it is no chance. ``tolls`` say how much each event of a kind costs the side
    whose asset or unit it names.
    """

    scenario: Scenario
    moments: int
    goal: Goal
    decisions: tuple[OpenDecisions, OpenDecisions]
    worlds: tuple[World, ...]
    chooser: str = ""
    tolls: Mapping[str, Fraction] = attrs.field(factory=dict)

    @property
    def sides(self) -> tuple[str, str]:
        """Return the side that wants the goal, and the other."""
        return self.decisions[0].side, self.decisions[1].side


@attrs.frozen
class Known:
    """What a side knows where it decides: the number of its story.

    When that is, and the question (None: the world).
    """

    story: int
    moment: int = attrs.field(eq=False, default=-1)
    ask: Ask | None = attrs.field(eq=False, default=None)


@attrs.define
class _Way:
    """A play under way; without stories nobody watches it."""

    values: dict[str, Any]
    agenda: list[Pending]
    moment: int
    goal: Any
    stories: tuple[Story, ...]
    earned: Fraction = Fraction(0)
    met: frozenset[Any] = frozenset()
    depth: int = 0

    def fork(self, *, blind: bool = False) -> _Way:
        """Return one that goes on by itself, from nothing earned where it is blind."""
        stories = () if blind else tuple(story.fork() for story in self.stories)
        earned = Fraction(0) if blind else self.earned
        return _Way(
            {**self.values},
            [*self.agenda],
            self.moment,
            self.goal,
            stories,
            earned,
            self.met,
            self.depth + 1,
        )

    def key(self) -> Any:
        """Return what tells it from others, whatever was seen and earned."""
        return frozenset(self.values.items()), tuple(self.agenda), self.goal


@attrs.frozen(eq=False)
class Branching:
    """Where a duel branches as it is played: who chooses (None: chance), between what, and the way from each branch.

    At the end there are no ``branches``. ``shares`` are the chances of those that nobody chooses.
    Whoever chooses is ``told`` all that his story of this ``number`` tells.
    """

    player: int | None
    branches: tuple[Any, ...] = ()
    shares: tuple[Fraction, ...] = ()
    after: Callable[[int], Branching] = attrs.field(default=None)
    told: tuple[str, ...] = ()
    number: int = 0
    earned: Fraction = Fraction(0)


class DuelTree:
    """The game tree of a duel: its ``root``, not laid out where it is to be ``played``.

    Raises ``TooLargeError``.
    """

    def __init__(self, duel: Duel, *, played: bool = False) -> None:
        self.duel = duel
        self._compilers = tuple(
            OpenCompiler(duel.scenario, decisions) for decisions in duel.decisions
        )
        self.stories = tuple(Story(duel.scenario, duel.moments, side) for side in duel.sides)
        self._cells: dict[str, dict[Any, int]] = {}
        self._ends: dict[Any, Fraction | None] = {}
        self._finer = not played
        while self._finer:
            self._nodes, self._finer = 0, False
            self.root = self._root()

    def _begun(self) -> Iterator[_Way]:
        duel = self.duel
        for world in duel.worlds:
            stories = tuple(story.fork() for story in self.stories)
            if duel.chooser:
                stories[duel.sides.index(duel.chooser)].noted(0, "world", world.name)
            state, goal = world.state, duel.goal.initial
            yield _Way({**state.values}, [*reversed(state.agenda)], state.moment, goal, stories)

    def _root(self) -> Node:
        duel, nodes = self.duel, list[Any](map(self._follow, self._begun()))
        if duel.chooser:
            player, names = duel.sides.index(duel.chooser), tuple(one.name for one in duel.worlds)
            return Choice(player, Known(0), names, tuple(nodes))
        return Lottery(
            tuple(
                (one.chance or Fraction(0), node)
                for one, node in zip(duel.worlds, nodes, strict=True)
            )
        )

    # --- step by step ----------------------------------------------------------------------------
    def _onward(self, way: _Way) -> tuple[Pending, tuple[Order, ...], Rows | None] | None:
        """Run what needs neither dice nor a decision.

        Return what does, with its orders or its rows, if anything.
        """
        while True:
            if not way.agenda:
                way.moment += 1
                if way.moment >= self.duel.moments:
                    return None
                way.values["clock/moment"], way.met = way.moment, frozenset()
                way.agenda.append(OPENING)
                way.goal = self.duel.goal.later(way.goal)
            pending = way.agenda.pop()
            for compiler in self._compilers:
                if not compiler.is_open(pending):
                    continue
                orders = compiler.orders(pending, way.values.get)  # type: ignore[arg-type]
                if len(orders) > 1:
                    return pending, orders, None
            rows = self._compilers[0].rows(pending, way.values.get)
            if rows.event is not None:
                return pending, (), rows
            outcome = rows.rows[0].outcome
            if isinstance(pending, Ask):
                self._answered(way, pending, outcome.pushes[0].args[0])  # type: ignore[arg-type]
            else:
                self._apply(way, pending, outcome)

    def _apply(self, way: _Way, pending: Pending, outcome: Any) -> None:
        """Let a step have happened, for the state, for what is earned and for those who watch."""
        duel = self.duel
        way.values.update(outcome.updates)
        way.agenda.extend(reversed(outcome.pushes))
        events = [event for event in outcome.events if event.kind == duel.goal.kind]
        for letter in [pending] if duel.goal.strikes else events:
            way.goal, (now, later) = duel.goal.see(way.goal, letter)
            earned = now + later * (duel.moments - 1 - way.moment)
            way.earned += -earned if duel.goal.least else earned
        for event in outcome.events:
            if event.kind in duel.tolls:
                named: dict[str, Any] = dict(event.fields)
                owner = duel.scenario.owner(str(named.get("unit", named.get("mission"))))
                way.earned += duel.tolls[event.kind] * (
                    (owner == duel.sides[1]) - (owner == duel.sides[0])
                )
        for story in way.stories:
            story.happened(way.moment, outcome.events)

    def _answered(self, way: _Way, ask: Ask, order: Order) -> None:
        """Let an order be given, seen as it may be."""
        forms = self._compilers[0].rulebook.forms(ask, way.values.get) if way.stories else ()
        for story in way.stories:
            story.answered(way.moment, ask, order, forms)
        way.agenda.append(self._compilers[0].rulebook.after(ask, order))

    def _ordered(self, way: _Way, ask: Ask, order: Order) -> _Way:
        after = way.fork()
        self._answered(after, ask, order)
        return after

    def _fallen(self, way: _Way, pending: Pending, rows: Rows, fell: tuple[int, str]) -> _Way:
        """Return a way after a throw of that row, seen by whoever sees how it fell."""
        after, event = attrs.evolve(way.fork(), met=frozenset()), rows.event
        for story in after.stories:
            if event is not None and story.eyes.sees(event.seen_by):
                story.noted(way.moment, "roll", f"{story.words.roll(event.name)}: {fell[1]}")
        self._apply(after, pending, rows.rows[fell[0]].outcome)
        return after

    @staticmethod
    def _look(way: _Way, ask: Ask, player: int) -> int:
        return way.stories[player].look(
            State(Values(way.values), (ask, *reversed(way.agenda))), ask
        )

    def _end(self, way: _Way) -> Fraction | None:
        """Return what a blind way still earns on average; None where somebody still decides."""
        self._nodes += 1
        if self._nodes > MOST_NODES or way.depth > MOST_THROWS:
            raise TooLargeError(
                f"more than {MOST_NODES:,} branchings, or {MOST_THROWS} throws of one play"
            )
        key = way.key()
        if key not in self._ends:
            self._ends[key] = self._average(way)
        return self._ends[key]

    def _average(self, way: _Way) -> Fraction | None:
        found = self._onward(way)
        if found is None:
            return way.earned
        pending, orders, rows = found
        if orders or rows is None:
            return None
        average = way.earned
        for row in rows.rows:
            branch = way.fork(blind=True)
            self._apply(branch, pending, row.outcome)
            later = self._end(branch.fork(blind=True))
            if later is None:
                return None
            average += Fraction(row.weight, rows.total) * (branch.earned + later)
        return average

    # --- the tree ---------------------------------------------------------------------------------
    def _follow(self, way: _Way) -> Node | None:
        """Return the tree from here.

        None where a side has only come back to where it was in the same moment.
        """
        later = self._end(way.fork(blind=True))
        if later is not None:
            return Leaf(way.earned + later)
        pending, orders, rows = self._onward(way)  # type: ignore[misc] # somebody still decides
        if rows is None:
            return self._decided(way, pending, orders)  # type: ignore[arg-type] # only questions have orders
        return self._thrown(way, pending, rows)

    def _thrown(self, way: _Way, pending: Pending, rows: Rows) -> Node:
        cells = self._cells.setdefault(rows.event.name, {})  # type: ignore[union-attr] # asked by the caller
        parts: dict[tuple[int, int], int] = {}
        for number, falls in enumerate(rows.falls):
            fresh = len(cells)
            for fall, weight in falls:
                part = number, cells.setdefault(fall, fresh)
                parts[part] = parts.get(part, 0) + weight
        if len(parts) > len(
            {cell for _, cell in parts}
        ):  # one cell means different things here: tell it apart
            self._finer, kinds = True, dict[Any, int]()
            met = {fall: number for number, falls in enumerate(rows.falls) for fall, _ in falls}
            for fall, cell in cells.items():
                cells[fall] = kinds.setdefault((cell, met.get(fall)), len(kinds))
        branches = []
        for (number, cell), weight in parts.items():
            alike = " or ".join(
                " ".join(map(str, fall)) for fall, mine in cells.items() if mine == cell
            )
            node = self._follow(self._fallen(way, pending, rows, (number, alike)))
            assert node is not None  # noqa: S101 - only orders bring a side back to where it was
            branches.append((Fraction(weight, sum(parts.values())), node))
        return branches[0][1] if len(branches) == 1 else Lottery(tuple(branches))

    def _decided(self, way: _Way, ask: Ask, orders: tuple[Order, ...]) -> Node | None:
        here = way.key()
        if here in way.met:
            return None
        way.met |= {here}
        player = self.duel.sides.index(ask.who)
        knows = Known(self._look(way, ask, player), way.moment, ask)
        found: dict[Order, Node] = {}
        for order in orders:
            if (node := self._follow(self._ordered(way, ask, order))) is not None:
                found[order] = node
        return Choice(player, knows, tuple(found), tuple(found.values()))

    # --- played, and laid out no further ------------------------------------------------------------
    def opened(self) -> Branching:
        """Return the first branching of play: between the worlds."""
        duel, begun = self.duel, [*self._begun()]
        player = duel.sides.index(duel.chooser) if duel.chooser else None
        names, shares = zip(
            *((one.name, one.chance or Fraction(0)) for one in duel.worlds), strict=True
        )
        return Branching(player, names, shares, lambda n: self._branching(begun[n].fork()))

    def _branching(self, way: _Way) -> Branching:
        found = self._onward(way)
        if found is None:
            return Branching(None, earned=way.earned)
        pending, orders, rows = found
        if isinstance(pending, Ask) and rows is None:
            player = self.duel.sides.index(pending.who)
            number = self._look(way, pending, player)
            told = tuple(way.stories[player].read(number))

            def ordered(n: int) -> Branching:
                return self._branching(self._ordered(way, pending, orders[n]))

            return Branching(player, orders, (), ordered, told, number)
        each: Any = rows
        falls = [
            (number, fall, weight)
            for number, some in enumerate(each.falls)
            for fall, weight in some
        ]
        faces, whole = (
            [" ".join(map(str, fall)) for _, fall, _ in falls],
            sum(weight for *_, weight in falls),
        )

        def after(n: int) -> Branching:
            return self._branching(self._fallen(way, pending, each, (falls[n][0], faces[n])))

        return Branching(
            None, tuple(faces), tuple(Fraction(weight, whole) for *_, weight in falls), after
        )
