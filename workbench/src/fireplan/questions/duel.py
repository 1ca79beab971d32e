"""Duels: both sides choose, much is hidden, and the answer is mixed plans with guarantees."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import attrs

from fireplan.analysis import number, percent
from fireplan.duels import (
    Duel,
    DuelTree,
    Equilibrium,
    Node,
    SequenceForm,
    World,
    equilibrium,
    extensive_form,
)
from fireplan.errors import (
    InputError,
    all_data,
    argument_name,
    gathered,
    refuse,
    unknown,
)
from fireplan.extras import needs
from fireplan.questions import opening
from fireplan.questions.belief import MOST_CHANCES, described_position, mixture, weight, worlds_of
from fireplan.questions.best import SearchRequest, open_decisions_of
from fireplan.questions.position import position
from fireplan.questions.question import UnderOrders, WithFacts, asks
from fireplan.questions.result import Block, Result, Rows, Text, write
from fireplan.questions.shared_arguments import asks_moments_ahead, asks_stager
from fireplan.solver import TooLargeError
from fireplan.solver.best import MEASURES, NamedGoal
from fireplan.strategies import STANDARD_ORDERS, Strategy, scenario_under
from fireplan.table import Words, as_data, sides_of
from fireplan_core import Scenario
from fireplan_core.sentences import capitalized

Begins = tuple[Iterable[str], str | None, Iterable[str]]
"""The possible worlds, the side that chooses between them (if any), and tolls."""
NO_MORE: Begins = (), None, ()
MOST_LINES, FEW_LINES, LAST = 24, 8, 3
"""Maximum numbers of situations printed with ``why`` and without, and of observations of each."""


@attrs.frozen
class Advice:
    """The mixed order of a side in one situation.

    ``mixture`` maps each order in words to its chance. ``knowing`` lists the observations that
    distinguish the situation. ``reached`` is the chance that it arises, and ``believes`` maps each
    world to its chance in the situation.
    """

    side: str
    when: str
    knowing: tuple[str, ...]
    mixture: dict[str, Fraction]
    reached: Fraction
    believes: dict[str, Fraction]

    def __str__(self) -> str:
        knowing = f" (knowing: {'; '.join(self.knowing[-LAST:])})" if self.knowing else ""
        believing = f" (believing: {mixture(self.believes)})" if len(self.believes) > 1 else ""
        return f"{self.side}, {self.when}: {mixture(self.mixture)}{knowing}{believing}"


@attrs.frozen(eq=False, repr=False)
class DuelResult(Result):
    """The answer to a duel.

    ``low`` is the value that the side pursuing the goal can guarantee, ``high`` the value to which
    its opponent can limit it. Both are fractions, equal if the duel is solved. ``plans`` lists
    every situation that can arise if both sides follow their plans. With ``in_full``, the answer
    also says how it was found.
    """

    duel: Duel
    goal: NamedGoal
    root: Node
    form: SequenceForm
    found: Equilibrium
    low: Fraction
    high: Fraction
    plans: tuple[Advice, ...]
    cites: tuple[str, ...] = ()
    """The rule numbers that play can cite."""
    in_full: bool = False

    def efg(self) -> str:
        """Return the game tree as text in the ``.efg`` format, which OpenSpiel and Gambit read."""
        return extensive_form(self.root, self.duel.scenario.title, self.duel.sides)

    def blocks(self) -> Iterator[Block]:
        """Yield the value in a sentence, the orders of both sides, and the error of the plans."""
        yield Text(self.in_short, "bold")
        plans = sorted(self.plans, key=lambda one: (max(one.mixture.values()) == 1, -one.reached))
        lines = [*dict.fromkeys(map(str, plans))]
        most = MOST_LINES if self.in_full else FEW_LINES
        yield from map(Text, lines[:most])
        if len(lines) > most:
            where = "" if self.in_full else f"{argument_name('why')} shows more, "
            yield Text(
                f"... and {len(lines) - most:,} more situations; {where}{all_data()} has all."
            )
        gained = self.found.exploitability
        more = f"more than {_with_decimal(gained)}" if gained else "anything"
        yield Text(
            f"Neither side can gain {more} by changing its plan (exploitability {_with_decimal(gained)})."
        )
        if self.in_full:
            yield from self._why()

    @property
    def in_short(self) -> str:
        """Return a sentence with the value that the side pursuing the goal can secure."""
        words = Words(self.duel.scenario)
        side, other = (words.said("side", name) for name in self.duel.sides)
        low, high = (_amount(value, self.goal) for value in (self.low, self.high))
        tolls = ", after the costs of events" if self.duel.tolls else ""
        goal = self.goal.title.lower().replace("moment", self.duel.scenario.clock.moment)
        return (
            f"{capitalized(side)} can count on {low} ({goal}{tolls}) whatever {other} do,"
            f" and {other} can hold them to {'that' if self.low == self.high else high}."
        )

    def _why(self) -> Iterator[Block]:
        """Yield the exact value, the costs, and how the plans were found."""
        worth = (
            _with_decimal(self.low)
            if self.low == self.high
            else f"between {_with_decimal(self.low)} and {_with_decimal(self.high)}"
        )
        tolls = "".join(
            f"; each event {kind!r} costs {toll}" for kind, toll in self.duel.tolls.items()
        )
        unit = "share of the target" if self.goal.unit == "share" else self.goal.unit
        yield Text(
            f"{' against '.join(self.duel.sides)}, {self.goal.title.lower()} ({unit}): {worth}{tolls}"
        )
        yield Text(f"Found with {sum(self.form.sizes):,} sequences, {self.found.method}.")

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as plain data; rationals are text."""
        bounds = {
            "low": str(self.low),
            "high": str(self.high),
            "exploitability": str(self.found.exploitability),
        }
        return {"goal": self.goal.name, **bounds, "method": self.found.method, "plans": self.rows()}

    def rows(self) -> Rows:
        """Return one row for each situation that can arise if both sides follow their plans."""
        return [as_data(line) for line in self.plans]


def _amount(value: Fraction, goal: NamedGoal) -> str:
    """Return a value of a goal in a player's terms, such as "6.2 %"; costs may make it negative."""
    amount = percent if goal.unit in {"probability", "share"} else number
    return f"-{amount(-value)}" if value < 0 else amount(value)


def _with_decimal(value: Fraction) -> str:
    """Return a fraction with its decimal value, or only the decimal if the fraction is too long.

    A whole number stands alone.
    """
    shown = f"{float(value):.9f}".rstrip("0").rstrip(".")
    return (
        shown
        if value.denominator > MOST_CHANCES**2
        else str(value)
        if value == int(value)
        else f"{value} ({shown})"
    )


def _order(words: Words, order: Any) -> str:
    """Return an order in words, leaving out counts of zero."""
    if isinstance(order, str):
        return order
    parts = []
    for name, value in order.values:
        what = name.replace("_", " ")
        if type(value) is not int or not name.endswith("s"):
            parts.append(f"{name}={words.typed.value(value, name, quoted=True)}")
        elif value:
            singular = f"{what[:-3]}y" if what.endswith("ies") else what[:-1]
            parts.append(
                f"{value} {what}"
                if value > 1
                else f"{'an' if singular[0] in 'aeiou' else 'a'} {singular}"
            )
    return f"{order.verb} {', '.join(parts)}".rstrip()


def _advice(tree: DuelTree, form: SequenceForm, solution: Equilibrium) -> Iterator[Advice]:
    """Yield the advice for each side in every situation that the plans of ``solution`` lead to."""
    words, (one, other) = Words(tree.duel.scenario), solution.mixtures
    shares = form.shares(tree.root, (form.plan(0, one), form.plan(1, other)))
    for player in (0, 1):
        pairs = zip(form.situations[player], solution.mixtures[player], strict=True)
        told_at = {
            at: (tree.stories[player].read(at.knows.story), mixed)
            for at, mixed in pairs
            if at in shares
        }
        for at, (story, mixed) in told_at.items():
            place = at.knows.moment, at.knows.ask
            alike = [
                lines
                for one, (lines, _) in told_at.items()
                if (one.knows.moment, one.knows.ask) == place
            ]
            knowing = [
                line for line in dict.fromkeys(story) if not all(line in lines for lines in alike)
            ]
            when = (
                "before play"
                if at.knows.ask is None
                else tree.duel.scenario.clock.name(at.knows.moment)
            )
            named = {
                _order(words, order): chance for order, chance in zip(at.orders, mixed, strict=True)
            }
            reached = sum(shares[at].values(), Fraction(0))
            believes = {
                tree.duel.worlds[world].name: chance / reached
                for world, chance in shares[at].items()
            }
            yield Advice(tree.duel.sides[player], when, tuple(knowing), named, reached, believes)


class DuelQuestion(UnderOrders[DuelResult], WithFacts[DuelResult]):
    """Solve a duel: mixed orders and bluffs for both sides, with exact guarantees.

    Each side knows only what it may see. One side pursues the goal and the other opposes it. The
    answer gives each side's plan as a mixture of orders in words, and the most that either side
    could gain by changing its plan, as a fraction.
    """

    key = "duel"
    example = """
        >>> duel = fp.duel('miniatures_1943/chits_in_hand', 'destroyed', moments=2, only=['request'])
        >>> duel.low == duel.high
        True
    """

    scenario: str | None = asks(
        "A shipped scenario (game/name) or a scenario file; with a game, an engagement.",
        placed=True,
        named="position",
    )
    goal: str | None = asks(
        "The goal, as in 'fireplan best'; by default the game's usual one.",
        placed=True,
        option="--for",
        choices=tuple(MEASURES),
    )
    game: str | None = asks_stager()
    moments: int | None = asks_moments_ahead()
    side: str | None = asks("The side that wants the goal; by default the firing side.")
    only: tuple[str, ...] = asks(
        'Leave only these orders open: "QUESTION", or "QUESTION=ORDER, ORDER ...", of both sides, as in'
        " 'fireplan best'. Without this option every question of both sides is open.",
        (),
        repeated=True,
    )
    also: tuple[str, ...] = asks(
        'Weigh further values of a slot: "QUESTION.SLOT=VALUE".', (), repeated=True
    )
    world: tuple[str, ...] = asks(
        'Play may begin like this: "WEIGHT DESCRIPTION", as in the line of a position, such as'
        " '1/4 \"barrage 1\"{stage=ended reason=lost}'; a weight by itself is the scenario as it is.",
        (),
        repeated=True,
    )
    chosen_by: str | None = asks(
        "The side that chooses between the worlds in secret; they are then given without weights,"
        ' and "as it is" stands for the scenario itself.'
    )
    toll: tuple[str, ...] = asks(
        'Each event of a kind costs the side it belongs to: "EVENT=FRACTION".', (), repeated=True
    )
    why: bool = asks(
        "Also explain how the answer was found: exact values, costs, and more situations.", False
    )
    efg: Path | None = asks(
        "Also write the game tree into this file, for OpenSpiel and Gambit.", local=True
    )

    def answer(self) -> DuelResult:
        """Return the value of the duel and both sides' plans.

        If ``efg`` is set, also save the game tree to that file. Raise ``InputError`` if the duel is
        too large or the extra 'duel' is not installed.
        """
        request = SearchRequest(
            self.goal, moments=self.moments, side=self.side, only=self.only, also=self.also
        )
        duel, measured = duel_of(
            self.scenario,
            attrs.asdict(request),
            self.game,
            (self.world, self.chosen_by, self.toll),
            self.orders,
            **self.facts,
        )
        if find_spec("highspy") is None:
            raise InputError(needs("highspy"))
        try:
            tree = DuelTree(duel)
        except TooLargeError as error:
            fewer = f"fewer {argument_name('moments')}, or {argument_name('only')} some questions and orders"
            raise InputError(f"This duel is too large: {error}. Ask for {fewer}.") from error
        solution = equilibrium(form := SequenceForm(tree.root))
        signed = (-value if duel.goal.least else value for value in (solution.low, solution.high))
        low, high = (measured.shown(value, duel.scenario, duel.moments) for value in signed)
        result = DuelResult(
            duel,
            measured,
            tree.root,
            form,
            solution,
            low,
            high,
            tuple(_advice(tree, form, solution)),
            tree.cites,
            self.why,
        )
        if self.efg is not None:
            write(self.efg, result.efg())
        return result


def duel_of(
    scenario: str | None,
    sought: Mapping[str, Any],
    game: str | None = None,
    begins: Begins = NO_MORE,
    orders: Strategy = STANDARD_ORDERS,
    **facts: Any,
) -> tuple[Duel, NamedGoal]:
    """Return a duel and its goal; raise ``InputError`` listing every fault.

    ``sought`` has the fields of a ``SearchRequest``. ``begins`` contains the possible worlds, the
    side that chooses between them (or None), and the costs of events. ``orders`` answer the
    questions that are not open, instead of the standard orders.
    """
    request, (world, chosen_by, toll) = SearchRequest(**sought), begins
    installed = opening.catalogue_for(scenario, game)
    faults = request.faults()
    table: Any = gathered(faults, opening.opened, installed, scenario, game, (), None, facts)
    if table is None:
        refuse(faults)
    head, printed, own = table
    under_orders: Any = gathered(faults, scenario_under, printed, orders)
    staged: Scenario = under_orders or printed
    first, other = _sides(staged, request.side, chosen_by, faults)
    measured = MEASURES.get(request.goal or installed[head.game].game.goal) or MEASURES["delivered"]
    decisions = open_decisions_of(staged, attrs.evolve(request, side=first), faults)
    opens: Any = gathered(faults, position, scenario or "", game=game, **facts)
    read = partial(described_position, opens)
    supposed = worlds_of(opens, world, faults, read, weighed=not chosen_by)
    worlds = tuple(
        World(name, one.at.state, None if chosen_by else share) for share, name, one in supposed
    )
    priced = [(text, *text.partition("=")[::2]) for text in toll]
    tolls = {kind.strip(): weight("toll", text, cost, faults) for text, kind, cost in priced}
    refuse(dict.fromkeys(faults))
    aim, others = measured.goal_of(staged, first), attrs.evolve(decisions, side=other)
    last = request.moments or own
    return Duel(staged, last, aim, (decisions, others), worlds, chosen_by or "", tolls), measured


def _sides(
    staged: Scenario, side: str | None, chooser: str | None, faults: list[str]
) -> tuple[str, str]:
    sides, first = sides_of(staged), side or staged.firer
    others = [name for name in sides if name != first]
    faults += [
        str(unknown("side", name, sides)) for name in (first, chooser) if name and name not in sides
    ]
    faults += (
        []
        if len(others) == 1 or first not in sides
        else [f"A duel has two sides, not {', '.join(sides)}."]
    )
    return first, others[0]
