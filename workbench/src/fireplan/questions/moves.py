"""Moves from a position: legal orders, outcomes, stories, and facts under the rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import groupby, islice, product
from operator import itemgetter
from typing import Any, Self

import attrs

from fireplan import analysis
from fireplan.positions import GROUND, UNFIT, Position, arguments, fields_of
from fireplan.questions.best import BestResult, SearchRequest, open_decisions_of, search
from fireplan.questions.conditions import Happens
from fireplan.questions.errors import InputError, outside, refuse, refusing, unknown
from fireplan.questions.inquiry import Questions
from fireplan.questions.opening import LONGEST
from fireplan.questions.orders import (
    MOST,
    LegalOrders,
    OutcomesResult,
    legal_orders,
    outcomes_of,
    read_order,
)
from fireplan.questions.question import Progress, silent
from fireplan.questions.result import Block, Listing, Result, Text
from fireplan.questions.sampling import MOST_TRAJECTORIES
from fireplan.solver import Compiler, playout
from fireplan.solver.best import MEASURES, Process
from fireplan.table import Words
from fireplan_core import Ask, Order, Place, Refusal, Shot, Stage, Step, View
from fireplan_core.chance import Face, RandomFaces
from fireplan_core.mission import Sight
from fireplan_core.play import Answered, Entry, Input, State, Table, Thrown
from fireplan_core.space import CoordinateError
from fireplan_core.steps.effects import push, within


@attrs.frozen(eq=False, repr=False)
class Story(Result):
    """One possible course of play under the standard doctrine: its events, chance and end."""

    line: str
    chance: Fraction
    log: tuple[Entry, ...]
    end: Any
    told: tuple[str, ...]

    def blocks(self, width: int = 100) -> Iterator[Block]:  # noqa: ARG002
        """Yield the events, moment by moment."""
        yield Text(
            f"From {self.line}; its dice have the chance {analysis.percent(self.chance)}", "bold"
        )
        for moment, rows in groupby(self.rows(), itemgetter("moment")):
            yield Listing(moment, tuple(row["happens"] for row in rows))

    def to_dict(self) -> dict[str, Any]:
        """Return the starting position, the chance, the events and the end."""
        return {
            "position": self.line,
            "chance": str(self.chance),
            "happens": self.rows(),
            "end": str(self.end),
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return one row for each event."""
        name = self.end.at.scenario.clock.name
        pairs = zip(self.log, self.told, strict=True)
        return [{"moment": name(entry.moment), "happens": text} for entry, text in pairs]


@attrs.frozen(eq=False, repr=False)
class Stories(Result, Sequence[Story]):
    """Possible courses of play, likeliest first, each listed once."""

    found: tuple[Story, ...]
    drawn: int
    met: Callable[[Story, Happens], bool]

    def __getitem__(self, number: Any) -> Any:
        return self.found[number]

    def __len__(self) -> int:
        return len(self.found)

    def blocks(self, width: int = 100) -> Iterator[Block]:  # noqa: ARG002
        """Yield each story as its chance and its last event."""
        ends = tuple(
            f"{analysis.percent(story.chance)}: {story.told[-1]}"
            for story in self.found
            if story.told
        )
        yield Listing(
            f"{len(self)} ways, of {self.drawn:,} drawn: the chance of the dice, and what happens last",
            ends,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return every story, and the number drawn."""
        return {"drawn": self.drawn, "stories": [story.to_dict() for story in self.found]}

    def where(self, condition: Happens | str | Callable[[Any], bool]) -> Stories:
        """Return the stories in which an event happens, or whose end satisfies a function."""
        wanted = Happens(condition) if isinstance(condition, str) else condition

        def fits(story: Story) -> bool:
            return (
                self.met(story, wanted) if isinstance(wanted, Happens) else bool(wanted(story.end))
            )

        return attrs.evolve(self, found=tuple(filter(fits, self.found)))


@attrs.frozen(eq=False, repr=False, slots=False)
class Moves(Questions):
    """The moves from a position.

    ``past`` contains the position at which play began, and the inputs played since.
    """

    past: tuple[Position, tuple[Input, ...]] | None = attrs.field(default=None, eq=False)

    @property
    def moment(self) -> str:
        """Return the name of the current moment."""
        return self.at.scenario.clock.name(self.at.moment)

    @property
    def waits_for(self) -> str:
        """Return the pending question or throw in words."""
        waits = self.at.table().waits_for
        if waits is None:
            return "nothing"
        return f"{waits.who}: {waits.question}" if isinstance(waits, Ask) else f"roll {waits.name}"

    def standing(self, state: State) -> Self:
        """Return the position of another state of the same table."""
        return attrs.evolve(
            self, at=Position.of(self.at.source, self.at.scenario, state), past=None
        )

    def _played(self, table: Table) -> Self:
        """Return the position that a table has reached, adding its inputs to ``past``."""
        begun, before = self.past or (self.at, ())
        return attrs.evolve(self.standing(table.state), past=(begun, (*before, *table.journal)))

    def _table(self) -> Table:
        return self.at.table(self.at.moment + LONGEST)

    # --- orders ----------------------------------------------------------------------------------
    def legal(self, most: int = MOST) -> LegalOrders:
        """Return every legal order, with every place for orders that take one.

        If places are endless (a table in yards), or a form has more than ``most`` orders, only the
        orders worth offering are judged, and the form is not ``complete``. Raise ``InputError`` if
        no order is due.
        """
        table, ask = self._asking()
        return legal_orders(str(self), table, ask, most)

    def why_not(self, order: str | Order) -> str | None:
        """Return the reason, with its rule, why an order is refused, or None if it is legal."""
        table, ask = self._asking()
        found = table.rulebook.refuse(ask, read_order(table, ask, order), table.read)
        return None if found is None else str(found)

    def play(self, order: str | Order | None = None, dice: Sequence[Face] = ()) -> Self:
        """Return the position after an order (``"correct at=K5"``), the dice of a throw, or both.

        A throw may be entered in part. Raise ``InputError`` for an order that is refused or dice
        that cannot fall.
        """
        table = self._ordered(order)
        faces = (*self.at.faces, *dice)
        waits = table.waits_for
        if not faces:
            return self._played(table)
        if waits is None or isinstance(waits, Ask):
            raise InputError(
                f"No dice are thrown now; what is waited for is {self.standing(table.state).waits_for}."
            )
        with refusing("played"):
            if len(faces) < len(waits.faces):
                played = self._played(table)
                return attrs.evolve(played, at=attrs.evolve(played.at, faces=faces))
            table.submit(Thrown(waits.name, faces))
        return self._played(table)

    def outcomes(self, order: str | Order | None = None) -> OutcomesResult:
        """Return every result of an order and its throw, or of the pending throw.

        Each has its chance, its dice and the position it leads to. Raises the same errors as
        ``play``.
        """
        return outcomes_of(str(self), self._ordered(order), self.at.faces, self.standing)

    def _asking(self) -> tuple[Table, Ask]:
        table = self._table()
        if not isinstance(table.waits_for, Ask):
            raise InputError(f"No order is waited for; what is waited for is {self.waits_for}.")
        return table, table.waits_for

    def _ordered(self, said: str | Order | None) -> Table:
        """Return the table after an order, or the current table if there is none."""
        if said is None:
            table = self._table()
            if isinstance(table.waits_for, Ask):
                raise InputError(f"An order is waited for: {self.waits_for}.")
            return table
        table, ask = self._asking()
        order = read_order(table, ask, said)
        if (refused := table.rulebook.refuse(ask, order, table.read)) is not None:
            raise InputError(f"{Words(self.at.scenario).order(order)}: {refused}")
        table.submit(Answered(ask.question, order))
        return table

    def best(
        self, goal: str | None = None, *, progress: Progress = silent, **asked: Any
    ) -> BestResult:
        """Return the best orders from here on; the arguments are those of ``fireplan.best``.

        Only what happens from here on counts. Raise ``InputError`` listing every fault, or if a
        throw is only partly entered.
        """
        if self.at.faces:
            raise InputError(
                "Finish the throw first: orders are weighed before a throw or after it."
            )
        request = SearchRequest(goal, **asked)
        faults = request.faults()
        open_decisions = open_decisions_of(self.at.scenario, request, faults)
        refuse(faults)
        moments = request.moments or self._until(None) - self.at.moment
        process = Process(self.at.scenario, moments, open_decisions, state=self._begun)
        wanted = [MEASURES[name] for name in (goal or self.game.goal, request.frontier) if name]
        return BestResult(search(process, wanted, request, progress), goal is None)

    # --- stories ---------------------------------------------------------------------------------
    def story(self, seed: int | str = 1, by: str | int | None = None) -> Story:
        """Return one course of play, from seeded dice and the standard orders."""
        return self._story(Compiler(self.at.scenario), seed, self._until(by))

    def stories(self, number: int = 100, by: str | int | None = None, *, seed: int = 1) -> Stories:
        """Draw this many courses of play; return the distinct ones, likeliest first.

        ``where`` of the result keeps those with an outcome. The chance of a story is the chance of
        all its throws.
        """
        refuse(outside("number", number, 1, MOST_TRAJECTORIES))
        until, compiler = self._until(by), Compiler(self.at.scenario)
        found: dict[Any, Story] = {}
        for trial in range(number):
            story = self._story(compiler, f"{seed}/{trial}", until)
            found.setdefault(tuple((entry.moment, entry.event) for entry in story.log), story)
        return Stories(
            tuple(sorted(found.values(), key=lambda story: -story.chance)), number, self._met
        )

    def _story(self, compiler: Compiler, seed: int | str, until: int) -> Story:
        if self.at.faces:
            raise InputError("Finish the throw first: a story begins with whole throws.")
        told = playout(compiler, until, RandomFaces(seed), self.at.state)
        words = Words(self.at.scenario)
        lines = tuple(words.ruling(entry.event) for entry in told.log)
        end: Any = self.standing(told.end)
        return Story(str(self), told.chance, told.log, end, lines)

    def _met(self, story: Story, wanted: Happens) -> bool:
        condition = self._vocabulary.event(wanted)
        state = condition.measure.initial
        for entry in story.log:
            if entry.event.kind in condition.measure.kinds:
                state = condition.measure.see(state, entry.event, entry.moment)
        return condition.holds(state)

    # --- facts -----------------------------------------------------------------------------------
    def sees(self, asset: str, place: str) -> Sight:
        """Return the line of sight from the observer of an asset to a place.

        It gives the visibility of the ground and of a burst, the hindrance, and the rule that
        decides.
        """
        return self._view().sees(self._asset(asset), self._place(place))

    def covers(self, asset: str, at: str) -> frozenset[str]:
        """Return the places that an asset's fire for effect would cover, with smoke and gas."""
        view = self._view({f"missions/{self._asset(asset)}/impact": self._place(at)})
        return frozenset(map(self.at.scenario.frame.label, view.footprint(asset)[0]))

    def attack(self, asset: str, place: str, shot: Shot | None = None) -> OutcomesResult:
        """Return the results of one strike of an asset's fire on a place, over its first throw.

        The targets at the place are attacked in order; call ``outcomes()`` on the resulting
        positions to continue. The fire is the asset's usual kind at full strength, unless ``shot``
        says otherwise.
        """
        scenario, mission, at = self.at.scenario, self._asset(asset), self._place(place)
        fire = shot or Shot(self._view().mission(mission).kind)
        strike: Any = within(
            scenario.scope(at), push(scenario.parts.resolution.strike, mission, at, fire)
        )
        return self._doing(strike, (f"missions/{mission}/impact", at))[1]

    def throw(self, name: str, asset: str) -> OutcomesResult:
        """Return the results of one throw for an asset, made now: ``throw("contact", "a")``.

        The throw need not be due. Raise ``InputError`` if the rules make no such throw here for a
        single asset.
        """
        mission, found = self._asset(asset), dict[str, OutcomesResult]()
        for step, told in self.at.scenario.steps.items():
            if [name for name, _ in arguments(told.run) or ()] == ["mission"]:
                with suppress(*UNFIT):  # the rules cannot reach this state
                    answer = self._doing(Step(step, (mission,)))[1]
                    found.setdefault(answer.roll, answer)
        if name not in found:
            raise unknown("throw", name, filter(None, found))
        return found[name]

    def may_fire(self, asset: str) -> dict[str, str | None]:
        """Map each order for an asset's fire to the reason it is refused, or None if it is legal.

        The result is empty if the rules ask for no such order now.
        """
        mission, requests = self._asset(asset), self.at.scenario.parts.requests
        idle = self._view().mission(mission).stage is Stage.IDLE
        asked: Any = push(requests.opportunity if idle else requests.ready, mission)
        table = self._doing(asked)[0]
        found: dict[str, str | None] = {}
        for form in (
            table.rulebook.forms(table.waits_for, table.read)
            if isinstance(table.waits_for, Ask)
            else ()
        ):
            names, choices = (
                [slot.name for slot in form.slots],
                product(*(slot.candidates for slot in form.slots)),
            )
            orders = (
                Order.of(form.verb, **dict(zip(names, some, strict=True)))
                for some in islice(choices, MOST)
            )
            refused = [
                isinstance(judged, Refusal) and str(judged) for judged in map(form.judge, orders)
            ]
            found[form.verb] = (
                min(refused, key=bool, default="there is nothing to choose from") or None
            )
        return found

    def lies(self) -> dict[str, dict[str, Any]]:
        """Return the effects on the ground of each place, such as ``{"K5": {"smoke": 3}}``."""
        fields, read = fields_of(self.at.scenario), self.at.read
        spots = (fields.spot(key) for key in self.at.state.values if key.startswith(f"{GROUND}/"))
        told = [
            (spot.place, spot.field.name, read(spot.field.key(GROUND, spot.place), None))
            for spot in spots
        ]
        for field in fields.ground.values():
            spread = (
                field.places.spread(read(field.key("shared"), field.default))
                if field.places
                else ()
            )
            told += [
                (self.at.scenario.frame.label(place), field.name, value)
                for place, value in spread
                if value
            ]
        return {place: {name: one for at, name, one in told if at == place} for place, *_ in told}

    def _doing(self, step: Step, *updates: tuple[str, Any]) -> tuple[Table, OutcomesResult]:
        """Return a table with a single step on its agenda, and the outcomes of that step."""
        begun = self.standing(State(self.at.state.values.put(updates), (step,)))
        table = begun.at.table()
        return table, outcomes_of(str(begun), table, (), self.standing)

    def _view(self, changed: dict[str, Any] | None = None) -> View:
        return View({**self.at.state.values, **(changed or {})}.get, self.at.scenario, "core")

    def _asset(self, name: str) -> str:
        if name not in self.at.scenario.missions:
            raise unknown("asset", name, self.at.scenario.missions)
        return name

    def _place(self, text: str) -> Place:
        try:
            return self.at.scenario.frame.parse(text)
        except (CoordinateError, ValueError) as error:
            raise InputError(str(error)) from error
