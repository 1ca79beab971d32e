"""A duel from the rules: the questions to both sides become decisions of a game tree.

The steps are those that are played, and each side knows what its log and its view show it. Both
sides see throws: outcomes are distinguished as finely as the rules do in any world, so that the
label of an outcome betrays nothing about the world.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

import attrs

from fireplan.duels.sequences import Node, TreeDecision, TreeEnd, TreeLottery
from fireplan.duels.story import SideObservations
from fireplan.solver import StepRows, TooLargeError
from fireplan.solver.best import Goal, OpenCompiler, OpenDecisions
from fireplan_core import Ask, Order, Pending, Scenario
from fireplan_core.play import OPENING, State, Values

MOST_NODES, MOST_THROWS = 40_000, 100
"""Maximum number of branchings in a game tree, and of throws and decisions in a single game."""


@attrs.frozen
class World:
    """A state from which play may begin, and its name.

    ``chance`` is its probability, or None if a side chooses the world in secret.
    """

    name: str
    state: State
    chance: Fraction | None


@attrs.frozen(eq=False)
class Duel:
    """A duel: scenario, length, goal and the open decisions of both sides.

    The first of ``decisions`` belongs to the side pursuing the goal, the second to its opponent;
    closed questions follow the standard doctrine. Each side sees only its view of the initial
    world. ``chooser`` chooses the world, or chance if it is empty. ``tolls`` maps each kind of
    event to its cost for the side whose asset or unit it names.
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
        """The side pursuing the goal, and the side opposing it."""
        return self.decisions[0].side, self.decisions[1].side


@attrs.frozen
class Knowledge:
    """The knowledge of a side at a decision: the index of its story.

    ``moment`` and ``ask`` give the time and the question; ``ask`` is None for the choice of the
    world.
    """

    story: int
    moment: int = attrs.field(eq=False, default=-1)
    ask: Ask | None = attrs.field(eq=False, default=None)


@attrs.define
class _Game:
    """A game in progress; it has no stories if only its gain is computed.

    ``met`` has the positions decided since the last throw or the opening of the moment, and
    ``depth`` counts the throws and decisions before.
    """

    values: dict[str, Any]
    agenda: list[Pending]
    moment: int
    goal: Any
    stories: tuple[SideObservations, ...]
    earned: Fraction = Fraction(0)
    met: frozenset[Any] = frozenset()
    depth: int = 0

    def fork(self, *, blind: bool = False) -> _Game:
        """Return an independent copy whose ``depth`` is one greater.

        If ``blind``, the copy has no stories and a gain of 0.
        """
        stories = () if blind else tuple(story.fork() for story in self.stories)
        earned = Fraction(0) if blind else self.earned
        return _Game(
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
        """Return a value that identifies the game, apart from its stories and its gain."""
        return frozenset(self.values.items()), tuple(self.agenda), self.goal


@attrs.frozen(eq=False)
class Branching:
    """A point where a duel branches during play.

    ``player`` chooses among ``branches``; if it is None, chance does, with the probabilities
    ``shares``. At the end there are no branches. ``after`` returns the branching to which a branch
    leads. ``story`` contains the lines of the player's story, and ``number`` is its index.
    ``earned`` is the first player's gain at the end.
    """

    player: int | None
    branches: tuple[Any, ...] = ()
    shares: tuple[Fraction, ...] = ()
    after: Callable[[int], Branching] = attrs.field(default=None)
    story: tuple[str, ...] = ()
    number: int = 0
    earned: Fraction = Fraction(0)


class DuelTree:
    """The game tree of a duel; ``root`` is not built if the duel is only to be ``played``.

    Raises ``TooLargeError`` beyond ``MOST_NODES`` branchings or ``MOST_THROWS`` throws in a game.
    """

    def __init__(self, duel: Duel, *, played: bool = False) -> None:
        self.duel = duel
        self._compilers = tuple(
            OpenCompiler(duel.scenario, decisions) for decisions in duel.decisions
        )
        self.stories = tuple(
            SideObservations(duel.scenario, duel.moments, side) for side in duel.sides
        )
        self._cells: dict[str, dict[Any, int]] = {}
        self._ends: dict[Any, Fraction | None] = {}
        self._finer = not played
        while self._finer:
            self._nodes, self._finer = 0, False
            self.root = self._root()

    def _starts(self) -> Iterator[_Game]:
        duel = self.duel
        for world in duel.worlds:
            stories = tuple(story.fork() for story in self.stories)
            if duel.chooser:
                stories[duel.sides.index(duel.chooser)].add_line(0, "world", world.name)
            state, goal = world.state, duel.goal.initial
            yield _Game({**state.values}, [*reversed(state.agenda)], state.moment, goal, stories)

    def _root(self) -> Node:
        duel, nodes = self.duel, list[Any](map(self._follow, self._starts()))
        if duel.chooser:
            player = duel.sides.index(duel.chooser)
            names = tuple(world.name for world in duel.worlds)
            return TreeDecision(player, Knowledge(0), names, tuple(nodes))
        return TreeLottery(
            tuple(
                (world.chance or Fraction(0), node)
                for world, node in zip(duel.worlds, nodes, strict=True)
            )
        )

    @property
    def cites(self) -> tuple[str, ...]:
        """The rule numbers that play can cite, in order."""
        return tuple(sorted({cite for compiler in self._compilers for cite in compiler.cites}))

    # --- step by step ----------------------------------------------------------------------------
    def _onward(self, game: _Game) -> tuple[Pending, tuple[Order, ...], StepRows | None] | None:
        """Run the steps that need neither dice nor a decision.

        Returns the first step that needs dice, with its rows, or the first decision, with its
        orders; None at the end of play.
        """
        while True:
            if not game.agenda:
                game.moment += 1
                if game.moment >= self.duel.moments:
                    return None
                game.values["clock/moment"], game.met = game.moment, frozenset()
                game.agenda.append(OPENING)
                game.goal = self.duel.goal.later(game.goal)
            pending = game.agenda.pop()
            for compiler in self._compilers:
                if not compiler.is_open(pending):
                    continue
                orders = compiler.orders(pending, game.values.get)  # type: ignore[arg-type]
                if len(orders) > 1:
                    return pending, orders, None
            rows = self._compilers[0].rows(pending, game.values.get)
            if rows.event is not None:
                return pending, (), rows
            outcome = rows.rows[0].outcome
            if isinstance(pending, Ask):
                self._answered(game, pending, outcome.pushes[0].args[0])  # type: ignore[arg-type]
            else:
                self._apply(game, pending, outcome)

    def _apply(self, game: _Game, pending: Pending, outcome: Any) -> None:
        """Apply the outcome of a step to the state, the gain and the stories."""
        duel = self.duel
        game.values.update(outcome.updates)
        game.agenda.extend(reversed(outcome.pushes))
        events = [event for event in outcome.events if event.kind == duel.goal.kind]
        for letter in [pending] if duel.goal.strikes else events:
            game.goal, (at_once, later) = duel.goal.see(game.goal, letter)
            earned = at_once + later * (duel.moments - 1 - game.moment)
            game.earned += -earned if duel.goal.least else earned
        for event in outcome.events:
            if event.kind in duel.tolls:
                named: dict[str, Any] = dict(event.fields)
                owner = duel.scenario.owner(str(named.get("unit", named.get("mission"))))
                game.earned += duel.tolls[event.kind] * (
                    (owner == duel.sides[1]) - (owner == duel.sides[0])
                )
        for story in game.stories:
            story.add_events(game.moment, outcome.events)

    def _answered(self, game: _Game, ask: Ask, order: Order) -> None:
        """Submit an order, and add the part that each side sees to its story."""
        forms = self._compilers[0].rulebook.forms(ask, game.values.get) if game.stories else ()
        for story in game.stories:
            story.add_order(game.moment, ask, order, forms)
        book = self._compilers[0].rulebook
        game.values.update(book.noted(ask, order, game.values.get))
        game.agenda.append(book.after(ask, order))

    def _ordered(self, game: _Game, ask: Ask, order: Order) -> _Game:
        after = game.fork()
        self._answered(after, ask, order)
        return after

    def _fallen(
        self, game: _Game, pending: Pending, rows: StepRows, fell: tuple[int, str]
    ) -> _Game:
        """Return the game after a throw; ``fell`` is the index and label of its outcome."""
        after, event = attrs.evolve(game.fork(), met=frozenset()), rows.event
        for story in after.stories:
            if event is not None and story.eyes.sees(event.seen_by):
                story.add_line(game.moment, "roll", f"{story.words.roll(event.name)}: {fell[1]}")
        self._apply(after, pending, rows.rows[fell[0]].outcome)
        return after

    @staticmethod
    def _story_number(game: _Game, ask: Ask, player: int) -> int:
        return game.stories[player].look(
            State(Values(game.values), (ask, *reversed(game.agenda))), ask
        )

    def _end(self, game: _Game) -> Fraction | None:
        """Return the expected remaining gain if nobody has a decision left, else None.

        Raises ``TooLargeError`` beyond the limits of the tree.
        """
        self._nodes += 1
        if self._nodes > MOST_NODES or game.depth > MOST_THROWS:
            raise TooLargeError(
                f"more than {MOST_NODES:,} branchings, or {MOST_THROWS} throws in one game"
            )
        key = game.key()
        if key not in self._ends:
            self._ends[key] = self._average(game)
        return self._ends[key]

    def _average(self, game: _Game) -> Fraction | None:
        pending_step = self._onward(game)
        if pending_step is None:
            return game.earned
        pending, orders, rows = pending_step
        if orders or rows is None:
            return None
        average = game.earned
        for row in rows.rows:
            branch = game.fork(blind=True)
            self._apply(branch, pending, row.outcome)
            later = self._end(branch.fork(blind=True))
            if later is None:
                return None
            average += Fraction(row.weight, rows.total) * (branch.earned + later)
        return average

    # --- the tree ---------------------------------------------------------------------------------
    def _follow(self, game: _Game) -> Node | None:
        """Return the game tree from this point of a game.

        Orders can lead back to a position of the same moment; such a loop adds no branch, so None
        is returned if play is only back at an earlier position.
        """
        later = self._end(game.fork(blind=True))
        if later is not None:
            return TreeEnd(game.earned + later)
        pending, orders, rows = self._onward(game)  # type: ignore[misc] # not None: decisions remain
        if rows is None:
            return self._decided(game, pending, orders)  # type: ignore[arg-type] # only questions have orders
        return self._thrown(game, pending, rows)

    def _thrown(self, game: _Game, pending: Pending, rows: StepRows) -> Node:
        cells = self._cells.setdefault(rows.event.name, {})  # type: ignore[union-attr] # checked by the caller
        parts: dict[tuple[int, int], int] = {}
        for number, falls in enumerate(rows.falls):
            fresh = len(cells)
            for fall, weight in falls:
                part = number, cells.setdefault(fall, fresh)
                parts[part] = parts.get(part, 0) + weight
        # A cell whose throws have different outcomes here must be split.
        if len(parts) > len({cell for _, cell in parts}):
            self._finer, kinds = True, dict[Any, int]()
            met = {fall: number for number, falls in enumerate(rows.falls) for fall, _ in falls}
            for fall, cell in cells.items():
                cells[fall] = kinds.setdefault((cell, met.get(fall)), len(kinds))
        branches = []
        for (number, cell), weight in parts.items():
            label = " or ".join(
                " ".join(map(str, fall)) for fall, fall_cell in cells.items() if fall_cell == cell
            )
            node = self._follow(self._fallen(game, pending, rows, (number, label)))
            assert node is not None  # noqa: S101 - only orders lead back to an earlier position
            branches.append((Fraction(weight, sum(parts.values())), node))
        return branches[0][1] if len(branches) == 1 else TreeLottery(tuple(branches))

    def _decided(self, game: _Game, ask: Ask, orders: tuple[Order, ...]) -> Node | None:
        position = game.key()
        if position in game.met:
            return None
        game.met |= {position}
        player = self.duel.sides.index(ask.who)
        knows = Knowledge(self._story_number(game, ask, player), game.moment, ask)
        nodes: dict[Order, Node] = {}
        for order in orders:
            if (node := self._follow(self._ordered(game, ask, order))) is not None:
                nodes[order] = node
        return TreeDecision(player, knows, tuple(nodes), tuple(nodes.values()))

    # --- played without building the tree --------------------------------------------------------
    def opened(self) -> Branching:
        """Return the first branching of play: the choice of the world."""
        duel, games = self.duel, [*self._starts()]
        player = duel.sides.index(duel.chooser) if duel.chooser else None
        names, shares = zip(
            *((world.name, world.chance or Fraction(0)) for world in duel.worlds), strict=True
        )
        return Branching(player, names, shares, lambda n: self._branching(games[n].fork()))

    def _branching(self, game: _Game) -> Branching:
        pending_step = self._onward(game)
        if pending_step is None:
            return Branching(None, earned=game.earned)
        pending, orders, rows = pending_step
        if isinstance(pending, Ask) and rows is None:
            player = self.duel.sides.index(pending.who)
            number = self._story_number(game, pending, player)
            story = tuple(game.stories[player].read(number))

            def ordered(n: int) -> Branching:
                return self._branching(self._ordered(game, pending, orders[n]))

            return Branching(player, orders, (), ordered, story, number)
        thrown_rows: Any = rows
        falls = [
            (number, fall, weight)
            for number, row_falls in enumerate(thrown_rows.falls)
            for fall, weight in row_falls
        ]
        faces = [" ".join(map(str, fall)) for _, fall, _ in falls]
        total = sum(weight for *_, weight in falls)

        def after(n: int) -> Branching:
            return self._branching(
                self._fallen(game, pending, thrown_rows, (falls[n][0], faces[n]))
            )

        return Branching(
            None, tuple(faces), tuple(Fraction(weight, total) for *_, weight in falls), after
        )
