"""A side's chances at a table, and the effect of each order on them, given its knowledge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from math import isqrt, sqrt

import attrs

from fireplan import solver, table
from fireplan.analysis.phrasing import percent
from fireplan.errors import counted
from fireplan_core import Ask, Clock, Order, ProcedureError, Scenario, Severity
from fireplan_core.play import State

MOST, RUNS = 6_000, 800
"""Maximum number of states to follow, and of rule runs, while a player waits."""
HARM_LIMITS = {"harmed": (12_000, 800), "destroyed": (2_000, 300)}
"""Maximum number of states and of rule runs for each goal of harm.

The mission and its targets are followed together for these goals.
"""
HARM_AGAIN = Fraction(3, 4)
"""A goal of harm that was too large is tried again when less than this share of moments is left."""
ROUND, MOST_WALKS, ORDER_WALKS = 10, 100, 600
"""Plays sampled at a time for each order; maximum plays for one order, and for all together."""
SAMPLED_RUNS = 1_500
"""Number of rule runs after which no more plays are sampled."""
FIRST_WALKS, FIRST_ORDER_WALKS, FIRST_RUNS = 300, 1_500, 1_500
"""Maximum plays for one order, for all together, and rule runs, for the first goal alone."""
NEAR_LIMITS = 12_000, 2_600
"""Maximum number of states and of rule runs to solve the first goal alone, for the near future."""
LAST_MOMENTS = 2
"""Number of moments at the end of a game that are solved together if the first decides nothing."""
GOALS = {
    "target": "the next fire for effect is on target",
    "falls": "fire for effect falls",
    "spared": "no fire for effect falls on own troops",
    "harmed": "a unit of the other side is harmed",
    "destroyed": "a unit of the other side is destroyed",
}
"""The goals by which orders are compared, each with its meaning; a greater chance is better."""
MISSION = ("target", "falls", "spared", "spent")
"""The goals solved on the mission: three of ``GOALS``, and whether an asset is spent."""
HARM = {"harmed": Severity.SUPPRESSED, "destroyed": Severity.DESTROYED}
"""Maps each goal of harm to the least severity that counts; a game may require a greater one."""
WORTH_A_WARNING = Fraction(1, 100)
"""The least additional risk for own troops of which a player is warned."""


def first_goal(scenario: Scenario) -> str:
    """Return the goal shown beside the orders of a game until a player chooses another.

    It is harm to the other side if fire always falls where it is aimed, and otherwise that the next
    fire for effect is on target.
    """
    return next(iter(GOALS if scenario.parts.areas.weighs_aim else HARM))


@attrs.frozen
class GoalChance:
    """A chance and its standard error; the error of an exact chance is 0."""

    share: Fraction
    error: Fraction = Fraction(0)

    def __str__(self) -> str:
        """Return the chance, with twice its standard error if it is sampled.

        >>> str(GoalChance(Fraction(3, 4))), str(GoalChance(Fraction(3, 4), Fraction(1, 20)))
        ('75.0 %', '75 % ± 10')
        >>> str(GoalChance(Fraction(1), Fraction(1, 100)))
        'over 98 %'
        """
        if not self.error:
            return percent(self.share)
        points, margin = round(100 * self.share), max(1, round(200 * self.error))
        if not self.bounded:
            return f"{points} % ± {margin}"
        return f"over {points - margin} %" if points else f"under {margin} %"

    @property
    def bounded(self) -> bool:
        """True if only a bound is shown, as a sampled chance rounds to 0 or 100 %."""
        return bool(self.error) and round(100 * self.share) in (0, 100)


@attrs.frozen
class OrderOdds:
    """The chance of each goal after each order: ``after[order][goal]``, with orders as texts."""

    after: Mapping[str, Mapping[str, GoalChance]]
    whole: bool = True
    """True unless the effects of strikes on the side's own observers are left out."""
    until: int | None = None
    """The moment by whose end the goals are to be reached, or None for the end of the game."""
    near: OrderOdds | None = None
    """The exact chances of the game's first goal in the near future, if it is sampled here."""

    def by_when(self, clock: Clock) -> str:
        """Return until when the goals are to be reached, such as "by the end of turn 2"."""
        return f"by the end of {'the game' if self.until is None else clock.name(self.until)}"

    def first_of(self, order: str) -> GoalChance:
        """Return the chance of the first goal after an order."""
        return next(iter(self.after[order].values()))

    def behind(self, order: str, goal: str) -> Fraction:
        """Return the best order's chance of a goal minus this order's chance."""
        return self._best(goal).share - self.after[order][goal].share

    def bounded(self, order: str, goal: str) -> bool:
        """Return whether an order's chance, or that of the best order, is shown as a bound."""
        return self._best(goal).bounded or self.after[order][goal].bounded

    def _best(self, goal: str) -> GoalChance:
        return max((chances[goal] for chances in self.after.values()), key=lambda each: each.share)

    def unclear(self, order: str, goal: str) -> bool:
        """Return whether an order may be the best, but the sample is too small to decide."""
        leads = self.leads(goal)
        return order in leads and len(leads) > 1 and bool(self.after[order][goal].error)

    def leads(self, goal: str) -> tuple[str, ...]:
        """Return the orders that may be the best for a goal: several if they tie or are too close.

        An order is worse than the best if its exact chance is lower, or if its sampled chance is
        lower by more than two standard errors of the difference.
        """
        best = self._best(goal)
        return tuple(
            order
            for order, chances in self.after.items()
            if (best.share - chances[goal].share) ** 2
            <= 4 * (best.error**2 + chances[goal].error ** 2)
        )

    def points_behind(self, order: str, goal: str) -> str:
        """Return how many points an order is behind the best, as text, or "" if it is the best.

        The text is the difference of the two chances as they are printed, e.g. ``46.2`` for 79.8 %
        and 33.6 %, or ``46`` if they are sampled; ``<0.1`` if both print the same.
        """
        behind, chance = self.behind(order, goal), self.after[order][goal]
        if not behind:
            return ""
        share = chance.share
        if chance.error:
            points = round(100 * (share + behind)) - round(100 * share)
            return str(points) if points else "<1"
        if behind == 1:
            return "100"
        points = _in_tenths(share + behind) - _in_tenths(share)
        return f"{float(points) / 10:.1f}" if points else "<0.1"

    @property
    def ranked(self) -> list[str]:
        """Return the orders, best first: by the first goal, then by the next.

        Return an empty list if all orders are equally good.
        """
        if not self.open:
            return []
        return sorted(
            self.after, key=lambda order: [-chance.share for chance in self.after[order].values()]
        )

    @property
    def sampled(self) -> bool:
        """Return whether the chances were sampled."""
        return any(chance.error for chances in self.after.values() for chance in chances.values())

    @property
    def goals(self) -> tuple[str, ...]:
        """Return the goals for which all these orders were weighed."""
        return tuple(
            goal
            for goal in GOALS
            if self.after and all(goal in chances for chances in self.after.values())
        )

    @property
    def open(self) -> tuple[str, ...]:
        """Return the goals whose chance is not the same after every order."""
        return tuple(
            goal
            for goal in self.goals
            if len({chances[goal].share for chances in self.after.values()}) > 1
        )


class SideOdds:
    """The odds of one side, cached during a game.

    They are computed from the side's knowledge; later orders follow the standard doctrine.
    """

    def __init__(self, side: str) -> None:
        self.side = side
        self._compilers: dict[tuple[str, ...], solver.Compiler] = {}
        self._values: dict[tuple[tuple[str, ...], int], solver.StateValues] = {}
        self._harm: dict[tuple[str, tuple[str, ...], int], solver.StateValues] = {}
        self._near: dict[tuple[tuple[str, ...], int], solver.StateValues] = {}

    @solver.uncollected()
    def orders(
        self,
        session: table.Session,
        texts: Sequence[str],
        last: int | None = None,
        *,
        sample: bool = True,
        harm: bool = True,
    ) -> OrderOdds:
        """Return the odds after each of these orders, which the side may give now.

        The odds are the chances of goals by the end of the game or of moment ``last``. They are
        empty if no order is due from the side, if it has no assets, or if it does not know the
        question. With ``sample``, chances that are too large to solve are sampled; otherwise they
        are left out. The goals of harm need both ``sample`` and ``harm``.
        """
        viewer, own = table.Viewer(session, self.side), own_assets(session, self.side)
        waits = session.table.waits_for
        if not own or not isinstance(waits, Ask) or waits.who != self.side:
            return OrderOdds({})
        last = session.moments if last is None else last
        try:
            forms, reader = viewer.forms(), table.OrderReader(session.scenario)
            states = {text: believed_after(viewer, reader.read(text, forms)) for text in texts}
            odds = self._solved(states, own, last)
        except ProcedureError:
            return OrderOdds({})
        with suppress(ProcedureError):
            if sample:
                return self._completed(odds, states, own, last, harm=harm)
        return odds

    def danger(
        self, session: table.Session, order: str, usual: str, odds: OrderOdds | None = None
    ) -> str:
        """Return a warning if ``order`` endangers own troops more than its ``usual`` form, else "".

        The side may give both orders now. ``odds`` are the odds of the orders weighed already; an
        order missing from them is weighed here. There is no warning if an order is too large to
        weigh.
        """
        if order == usual:
            return ""
        after = {} if odds is None else {usual: odds.after.get(usual, {})}
        new = [text for text in (order, usual) if text not in after]
        after |= self.orders(session, new, harm=False).after
        if not all("spared" in after.get(text, {}) for text in (order, usual)):
            return ""
        chance, least = after[order]["spared"], after[usual]["spared"]
        more = least.share - chance.share
        if more < WORTH_A_WARNING or more**2 <= 4 * (chance.error**2 + least.error**2):
            return ""
        risk = GoalChance(1 - chance.share, chance.error)
        return f"own troops may come under this fire: {risk}"

    def _solved(
        self, states: Mapping[str, tuple[Scenario, State]], own: frozenset[str], last: int
    ) -> OrderOdds:
        """Return the odds after these orders, without those that are too large to solve.

        ``states`` maps each order to the scenario and state after it, and ``own`` names the side's
        assets.
        """
        after: dict[str, Mapping[str, GoalChance]] = {}
        whole = True
        for text, (scenario, state) in states.items():
            values = self._of(scenario, own, last)
            try:
                after[text] = _named([GoalChance(share) for share in values(state)])
            except solver.TooLargeError:
                continue
            whole = values.whole
        return OrderOdds(after, whole)

    def _completed(
        self,
        odds: OrderOdds,
        states: Mapping[str, tuple[Scenario, State]],
        own: frozenset[str],
        last: int,
        *,
        harm: bool,
    ) -> OrderOdds:
        """Return the odds with missing chances sampled; with ``harm``, the goals of harm too.

        ``states`` maps each order to the scenario and state after it, and ``own`` names the side's
        assets.
        """
        goals = [goal for goal in GOALS if harm or goal not in HARM]
        exact = {
            text: {**chances, **(self._harm_after(*states[text], last) if harm else {})}
            for text, chances in odds.after.items()
        }
        near = self._near_future(states, exact, own, last, goals)
        if near is not None and near.until is None:
            exact = {text: {**near.after[text], **exact.get(text, {})} for text in states}
            near = None
        few = {
            text: each for text, each in states.items() if not {*goals} <= {*exact.get(text, {})}
        }
        sampled = self._sampled_goals(few, exact, near, own, last, goals)
        after = {text: {**sampled.get(text, {}), **exact.get(text, {})} for text in states}
        return OrderOdds(
            {
                text: {goal: chances[goal] for goal in goals if goal in chances}
                for text, chances in after.items()
                if chances
            },
            odds.whole,
            near=near,
        )

    def _sampled_goals(
        self,
        positions: Mapping[str, tuple[Scenario, State]],
        exact: Mapping[str, Mapping[str, GoalChance]],
        near: OrderOdds | None,
        own: frozenset[str],
        last: int,
        goals: Sequence[str],
    ) -> dict[str, dict[str, GoalChance]]:
        """Return sampled chances after each order, ``chances[order][goal]``.

        For the game's first goal, if it is one of ``goals`` and without an ``exact`` chance, more
        plays are sampled than for the others.
        """
        sampled, plays = self._sampled(positions, own, last)
        vague = {
            text: (scenario, state)
            for text, (scenario, state) in positions.items()
            if first_goal(scenario) in {*goals} - {*exact.get(text, {})}
        }
        for text, chance in self._sampled_first(vague, near, own, last, plays).items():
            goal = first_goal(positions[text][0])
            sampled[text] = {**sampled.get(text, {}), goal: chance}
        return sampled

    def _near_future(
        self,
        states: Mapping[str, tuple[Scenario, State]],
        exact: Mapping[str, Mapping[str, GoalChance]],
        own: frozenset[str],
        last: int,
        goals: Sequence[str],
    ) -> OrderOdds | None:
        """Return the exact chances that the game's first goal is reached soon after each order.

        Soon is by the end of this moment or, if no order reaches it then and the next moment is the
        last, by the end of the game. Return None if every order has an ``exact`` chance of the
        goal, if they are too large, or if the goal is none of ``goals``.
        """
        if not states:
            return None
        scenario, state = next(iter(states.values()))
        goal = first_goal(scenario)
        if goal not in goals or all(goal in exact.get(text, {}) for text in states):
            return None
        near = None
        to_the_end = [last] if last - state.moment == LAST_MOMENTS else []
        for until in (state.moment + 1, *to_the_end):
            try:
                chances = {
                    text: GoalChance(*self._near_of(goal, each, own, until)(after))
                    for text, (each, after) in states.items()
                }
            except solver.TooLargeError:
                break
            near = OrderOdds(
                {text: {goal: chance} for text, chance in chances.items()},
                until=None if until == last else until - 1,
            )
            if any(chance.share for chance in chances.values()):
                break
        return near

    def _harm_after(self, scenario: Scenario, state: State, last: int) -> dict[str, GoalChance]:
        """Map the goals of harm to their exact chances.

        The first goal that is too large to solve is left out, and so are the goals after it.
        """
        chances: dict[str, GoalChance] = {}
        with suppress(solver.TooLargeError):
            for goal in HARM:
                chances[goal] = GoalChance(*self._harm_of(goal, scenario, last)(state))
        return chances

    def now(self, session: table.Session, last: int | None = None) -> list[str]:
        """Return lines with the chances of the side's own assets under the standard doctrine.

        Assets hidden from the side are left out. Chances are exact, up to the end of the game or to
        moment ``last``; a table that is too large is sampled, and the lines say so. If the side has
        no assets, or its position cannot be solved, a single line says so.
        """
        viewer, own = table.Viewer(session, self.side), own_assets(session, self.side)
        if not own:
            return [f"no asset belongs to {viewer.words.said('side', self.side)}"]
        scenario, state = believed_after(viewer)
        last = session.moments if last is None else last
        method, whole = "if standard orders follow", True
        try:
            try:
                values = self._of(scenario, own, last)
                shares = map(GoalChance, values(state))
                chances = dict(zip(MISSION, shares, strict=True))
                chances |= self._harm_after(scenario, state, last)
                whole = values.whole
            except solver.TooLargeError:
                sampled, plays = self._sampled({"": (scenario, state)}, own, last)
                chances = sampled[""]
                error = Fraction(1, 2 * isqrt(plays))
                method += f"; sampled over {plays} plays, not exact (standard error up to {percent(error)})"
        except ProcedureError as error:
            return [f"cannot be solved from here ({error})"]
        aimed = ("target",) if scenario.parts.areas.weighs_aim else ()
        shown = [goal for goal in ("falls", *aimed, *HARM) if goal in chances]
        moments_left, moment = last - state.moment, scenario.clock.moment
        return [
            f"chances of {viewer.words.said('side', self.side)} in the {counted(moments_left, moment)} left, {method}:",
            *(
                viewer.words.of_fire(f"{GOALS[goal]}: {percent(chances[goal].share)}")
                for goal in shown
            ),
            f"an asset has no fire left or is lost: {percent(chances['spent'].share)}",
            *([] if whole else [NOT_WHOLE]),
            *(["Not included: what is hidden from this side"] if viewer.eyes.veiled else []),
            *(["Not included: the dice already rolled in this throw"] if session.faces else []),
        ]

    def _compiler(self, scenario: Scenario) -> solver.Compiler:
        units = tuple(scenario.units)
        return self._compilers.setdefault(units, solver.Compiler(scenario))

    def _of(self, scenario: Scenario, own: frozenset[str], last: int) -> solver.StateValues:
        key = tuple(scenario.units), last
        if key not in self._values:
            goals = _goals(own)
            self._values[key] = solver.StateValues(
                self._compiler(scenario), goals, last, MOST, RUNS
            )
        return self._values[key]

    def _harm_of(self, goal: str, scenario: Scenario, last: int) -> solver.StateValues:
        key = goal, tuple(scenario.units), last
        if key not in self._harm:
            most, runs = HARM_LIMITS[goal]
            self._harm[key] = solver.StateValues(
                self._compiler(scenario),
                [self._harm_goal(goal, scenario)],
                last,
                most,
                runs,
                together=True,
                again=HARM_AGAIN,
            )
        return self._harm[key]

    def _near_of(
        self, goal: str, scenario: Scenario, own: frozenset[str], until: int
    ) -> solver.StateValues:
        """Return the values of the game's first goal alone, up to moment ``until``."""
        key = tuple(scenario.units), until
        if key not in self._near:
            harm = goal in HARM
            self._near[key] = solver.StateValues(
                self._compiler(scenario),
                [self._first_goal(scenario, own)],
                until,
                *NEAR_LIMITS,
                together=harm,
            )
        return self._near[key]

    def _first_goal(self, scenario: Scenario, own: frozenset[str]) -> solver.StateGoal:
        goal = first_goal(scenario)
        return self._harm_goal(goal, scenario) if goal in HARM else _goals(own)[0]

    def _harm_goal(self, goal: str, scenario: Scenario) -> solver.StateGoal:
        units = scenario.units.items()
        others = frozenset(name for name, setup in units if setup.side != self.side)
        least = max(HARM[goal], scenario.parts.resolution.least_weighed)
        return solver.StateGoal(solver.suffers(others, least))

    def _sampled(
        self, positions: Mapping[str, tuple[Scenario, State]], own: frozenset[str], last: int
    ) -> tuple[dict[str, dict[str, GoalChance]], int]:
        """Return the chances over sampled plays, ``chances[order][goal]``, and the number of plays.

        ``positions`` maps each order to the scenario and state after it, and ``own`` names the
        side's assets. The dice are the same for every order. Orders not reached within the limit
        are left out.
        """
        reached: dict[str, Counter[str]] = {}
        begun, plays = self._runs, 0
        for text, (scenario, state) in positions.items():
            if reached and self._runs - begun > SAMPLED_RUNS:
                break
            reached[text] = self._played(scenario, state, own, last, 0)
        while reached:
            plays += ROUND
            most = min(MOST_WALKS, ORDER_WALKS // len(reached))
            if self._runs - begun > SAMPLED_RUNS or plays + ROUND > most:
                break
            for text, counts in reached.items():
                counts.update(self._played(*positions[text], own, last, plays))
        return {
            text: {goal: _estimate(counts[goal], plays) for goal in (*MISSION, *HARM)}
            for text, counts in reached.items()
        }, plays

    def _sampled_first(
        self,
        positions: Mapping[str, tuple[Scenario, State]],
        near: OrderOdds | None,
        own: frozenset[str],
        last: int,
        plays: int,
    ) -> dict[str, GoalChance]:
        """Return the chance of the game's first goal after each order, over plays of its own.

        A play ends when the goal is settled, so that there is time for more. Of the ``near`` future
        the exact chance is taken, and only what follows is sampled. Nothing is returned unless
        there are more plays than ``plays``, the number for all goals.
        """
        most = min(FIRST_WALKS, FIRST_ORDER_WALKS // max(1, len(positions)))
        reached: Counter[str] = Counter()
        begun, walked = self._runs, 0
        while positions and walked + ROUND <= most and self._runs - begun <= FIRST_RUNS:
            for text, (scenario, state) in positions.items():
                goal = self._first_goal(scenario, own)
                reached[text] += self._plays_of([goal], scenario, state, last, walked)[0]
                if near is not None and near.until is not None:
                    # The same dice again: plays that reach the goal by then are not counted.
                    soon = self._plays_of([goal], scenario, state, near.until + 1, walked)
                    reached[text] -= soon[0]
            walked += ROUND
        if walked <= plays:
            return {}
        chances = {text: _estimate(reached[text], walked) for text in positions}
        if near is None:
            return chances
        return {text: _later(near.first_of(text), chance) for text, chance in chances.items()}

    @property
    def _runs(self) -> int:
        return sum(compiler.runs for compiler in self._compilers.values())

    def _played(
        self, scenario: Scenario, state: State, own: frozenset[str], last: int, first: int
    ) -> Counter[str]:
        """Map each goal to the number of plays that reach it, in one round of ``ROUND`` plays.

        ``first`` is the number of the first play, which sets its dice.
        """
        goals = dict(zip(MISSION, _goals(own), strict=True))
        goals |= {goal: self._harm_goal(goal, scenario) for goal in HARM}
        counts = self._plays_of([*goals.values()], scenario, state, last, first)
        return Counter(dict(zip(goals, counts, strict=True)))

    def _plays_of(
        self,
        goals: Sequence[solver.StateGoal],
        scenario: Scenario,
        state: State,
        last: int,
        first: int,
    ) -> list[int]:
        """Return how many plays of one round reach each goal; ``first`` is the first play."""
        drawn = solver.sample(
            self._compiler(scenario),
            [goal.measure for goal in goals],
            last,
            ROUND,
            state.moment,
            first=first,
            state=state,
        )
        return [
            sum(n for end, n in sampled.counts.items() if goal.reached(end))
            for goal, sampled in zip(goals, drawn, strict=True)
        ]


NOT_WHOLE = "Not included: the risk to your own observer (the joint problem is too large)"


def _goals(own: frozenset[str]) -> list[solver.StateGoal]:
    """Return the state goals of these assets, in the order of ``MISSION``."""
    falls = solver.falls_of(own)
    return [
        solver.StateGoal(falls),
        solver.StateGoal(falls, frozenset({True, False})),
        solver.StateGoal(solver.Ever("fall", "own_under_fire", (True,), own), frozenset({False})),
        solver.StateGoal(solver.exhausted(own)),
    ]


def _named(chances: Sequence[GoalChance]) -> dict[str, GoalChance]:
    """Map the goals of ``MISSION`` for which orders are weighed to their chances.

    ``chances`` has a chance for each goal of ``MISSION``, in this order.
    """
    named = zip(MISSION, chances, strict=True)
    return {name: chance for name, chance in named if name in GOALS}


def _in_tenths(share: Fraction) -> int:
    """Return a chance in tenths of a percentage point, rounded as ``percent`` rounds it."""
    return int(f"{float(share) * 100:.1f}".replace(".", ""))


def _estimate(times: int, walks: int) -> GoalChance:
    """Return the chance sampled if ``times`` of ``walks`` plays reach a goal.

    Its error is above 0 even if all plays have the same result.
    """
    likely = Fraction(times + 1, walks + 2)
    return GoalChance(Fraction(times, walks), Fraction(sqrt(likely * (1 - likely) / walks)))


def _later(soon: GoalChance, later: GoalChance) -> GoalChance:
    """Return the chance of a goal, from the chances that it is reached soon, and only later."""
    share = min(soon.share + later.share, Fraction(1))
    return soon if soon.share == 1 else GoalChance(share, later.error)


def own_assets(session: table.Session, side: str) -> frozenset[str]:
    """Return the names of a side's assets."""
    return frozenset(
        name for name, setup in session.scenario.missions.items() if setup.side == side
    )


def believed_after(viewer: table.Viewer, order: Order | None = None) -> tuple[Scenario, State]:
    """Return the scenario and state as a viewer's side knows them, after ``order`` if given.

    Raises ``ProcedureError`` if the side does not know the question that the order answers.
    """
    session, waits = viewer.session, viewer.session.table.waits_for
    scenario, state = table.believed(
        session.scenario, session.table.state, viewer.eyes, viewer.known.names
    )
    if order is None:
        return scenario, state
    if not isinstance(waits, Ask) or state.agenda[:1] != (waits,):
        raise ProcedureError("this side does not know the question that the order answers")
    return scenario, State(
        state.values, (session.table.rulebook.after(waits, order), *state.agenda[1:])
    )
