"""The decision process of a scenario: everything a side can decide, under all its orders."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from math import inf
from typing import Any

import attrs

from fireplan.solver import Analysis, Chain, TooLargeError, build_chain
from fireplan.solver.best.goals import (
    Each,
    Expected,
    Goal,
    Harm,
    Once,
    Struck,
    covering,
    on_average,
)
from fireplan.solver.best.open_decisions import OpenCompiler, OpenDecisions, order_of
from fireplan.solver.chain import without_cycles
from fireplan.solver.compile import cited
from fireplan.solver.measures import WorstSeverity
from fireplan.solver.places import LOCAL, Automaton, StruckPlace, reads_back, struck_places
from fireplan.solver.states import MAX_RUNS, Late
from fireplan_core import Order, ProcedureError, Scenario, Severity, Step
from fireplan_core.areas import Translation
from fireplan_core.mission import FireLimit
from fireplan_core.play import Doctrine, State

NEVER = FireLimit(0)
"""The limit of a mission whose fire never falls."""
COSTS = frozenset({"max_nodes", "max_runs", "late", "seconds"})
HARDLY_MORE = 2
"""Factor by which time must grow before a chain that was too large is tried again."""
MOST_STATES = 200_000
"""Maximum number of states explored; more take too long when every order is open."""


class Process:
    """Everything that can happen in a number of moments, under any orders of the side.

    States are lumped as for the odds: they are projected, and values that no step tells apart are
    merged. ``before`` is the compiler of a process with the same scenario and doctrine, whose
    compiled steps are reused. ``costs`` are the arguments of ``limit``. ``after`` is a number of
    later moments that are not explored; they count with the maximum of their value. A pickle does
    not contain what was explored.
    """

    def __init__(
        self,
        scenario: Scenario,
        moments: int,
        open_decisions: OpenDecisions,
        doctrine: Doctrine | None = None,
        *,
        state: State | None = None,
        before: OpenCompiler | None = None,
        after: int = 0,
        **costs: Any,
    ) -> None:
        self.scenario = scenario
        self.moments = moments
        self.after = after
        self.open_decisions = open_decisions
        self.compiler = OpenCompiler(scenario, open_decisions, doctrine)
        if before is not None:
            self.compiler.take(before)
        self.state = state
        self._chains: dict[tuple[frozenset[str] | None, bool], Explored] = {}
        """The chains explored, by the places included and whether strikes are recorded."""
        self._refused: dict[
            tuple[frozenset[str] | None, bool], tuple[float, tuple[int, int], TooLargeError]
        ] = {}
        """The chains that were too large, with the seconds and limits of the attempt."""
        self._variants: dict[tuple[Any, ...], Process] = {}
        self._relaxed: dict[frozenset[Any], Process | None] = {}
        """The relaxed processes asked for so far, by the places of their goals."""
        self.translation: Translation | None = None
        """How situations of the process that this one relaxes correspond to its own, if known."""
        self.by_place = False
        """Whether this process relaxes another for each place by itself (``RelaxedSetup``)."""
        self.followed: dict[Any, Analysis] = {}
        """Analyses of the standard doctrine (None) and of choosers, solved once for all goals."""
        self.limit(**costs)

    def __getstate__(self) -> dict[str, Any]:
        caches = ("_chains", "_refused", "_variants", "_relaxed", "followed")
        return {**vars(self), **{name: {} for name in caches}, "late": bool}

    def __copy__(self) -> Process:
        copied = object.__new__(Process)
        vars(copied).update(vars(self))
        return copied

    def limit(
        self,
        max_nodes: int | None = None,
        max_runs: int = MAX_RUNS,
        late: Late = bool,
        seconds: float = inf,
    ) -> None:
        """Set limits on states, rule runs and time, and restart the count of rule runs.

        The search ends when ``late()`` returns True, which it does after ``seconds``. If
        ``max_nodes`` is None, the usual maximum of states applies.
        """
        self.most = MOST_STATES if max_nodes is None else max_nodes, max_runs
        self.late, self.seconds = late, seconds
        self.compiler.runs = self.compiler.reads = 0

    @property
    def cites(self) -> tuple[str, ...]:
        """Return the rule numbers that the steps compiled so far cite.

        Steps compiled to follow orders are included.
        """
        followed = [analysis.compiler for analysis in self.followed.values()]
        steps = (step for each in (self.compiler, *followed) for step in each.compiled)
        return cited(self.scenario, steps)

    def varied(self, **changed: Any) -> Process:
        """Return the same process with some arguments changed, reusing the compiled steps.

        A later call with the same changes also reuses the chains explored and the refusals.
        """
        costs = {name: changed.pop(name) for name in COSTS & changed.keys()}
        key = tuple(sorted((name, repr(value)) for name, value in changed.items()))
        if changed and key not in self._variants:
            arguments: dict[str, Any] = {
                "open_decisions": self.open_decisions,
                "state": self.state,
                "before": self.compiler,
            }
            moments = self.moments + self.after - changed.get("after", self.after)
            variant = Process(
                self.scenario, moments, doctrine=self.compiler.doctrine, **(arguments | changed)
            )
            variant.compiler.offered = self.compiler.offered
            variant.compiler.plain = self.compiler.plain
            variant.compiler.usual = self.compiler.usual
            variant.compiler.single = self.compiler.single
            self._variants[key] = variant
        result = copy.copy(self._variants[key] if changed else self)
        result.limit(**costs)
        return result

    @property
    def opening(self) -> int:
        """Return the index of the first moment."""
        return 0 if self.state is None else self.state.moment

    @property
    def closing(self) -> int:
        """Return the index of the moment after the last."""
        return self.opening + self.moments + self.after

    @property
    def names_offered_places(self) -> bool:
        """Return whether play opens as set up, and orders name only places that are offered."""
        return (
            self.state is None
            and self.scenario.standing is None
            and not self.compiler.doctrine
            and not self.open_decisions.also
            and not self.open_decisions.named
        )

    def most_of(self, goal: Goal) -> Fraction | None:
        """Return the most that the limits on fire allow a goal to earn, or None without limits.

        Goals that count fire earn nothing before the first moment in which it can fall. The chance
        that a unit escapes all falls is at least the product of its chances to escape each.
        """
        if goal.least:
            return goal.most(self.moments)
        if isinstance(goal, Harm):
            return sum(
                (share * self._harm_to(unit, goal) for unit, share in goal.shares.items()),
                Fraction(0),
            )
        if goal.kind != "fall" and not goal.strikes:
            return goal.most(self.moments)
        moments = self.moments - self._earliest_fall
        limit = goal.most(moments) if moments > 0 else Fraction(0)
        if limit is None or self.state is not None:
            return limit
        closer = self._closer_limit(goal, moments)
        return limit if closer is None else min(limit, closer)

    def _closer_limit(self, goal: Goal, moments: int) -> Fraction | None:
        """Return a limit of a goal that holds only from the opening of the scenario, or None."""
        if isinstance(goal, Each) and getattr(goal.limit, "on_target", False):
            return self._most_on_target(moments, of_moments=goal.of_moments)
        if not self.names_offered_places:
            return None
        if isinstance(goal, Once) and goal.counts_first_hit:
            return self._most_of_first_hit
        usual = not self.open_decisions.belief
        return on_average(goal, usual=usual).most(moments) if isinstance(goal, Struck) else None

    @property
    def _most_of_first_hit(self) -> Fraction:
        """Return an upper bound of the chance that the side's first fall is on target."""
        chances = [
            self.scenario.parts.hit_chance(self.scenario, mission)
            for mission, setup in self.scenario.missions.items()
            if setup.side == self.open_decisions.side
        ]
        return max((Fraction(1) if each is None else each for each in chances), default=Fraction(0))

    def _most_on_target(self, moments: int, *, of_moments: bool) -> Fraction:
        """Return the maximum mean number of falls of the side's missions on their own targets.

        With ``of_moments``, falls that a game limits to the same moments count once in each.
        """
        scenario, total = self.scenario, Fraction(0)
        covered: set[int] = set()
        for mission, setup in scenario.missions.items():
            if setup.side == self.open_decisions.side:
                cell = scenario.target_cell(setup.target, setup.side)
                limits = [
                    scenario.parts.fire_limit(scenario, mission, span)
                    for span in range(1, moments + 1)
                ]
                falls = max([limit.falls for limit in limits if limit is not None], default=0)
                falls = covering(scenario, mission, cell, falls, offered=self.names_offered_places)
                within = scenario.parts.cover_moments(scenario, mission, cell)
                if of_moments and falls and within is not None:
                    covered |= within
                else:
                    total += falls * scenario.parts.fire_chance(scenario, mission)
        return total + len(covered)

    def _harm_to(self, unit: str, goal: Harm) -> Fraction:
        """Return an upper bound of the chance that any fall that can cover a unit harms it."""
        scenario, open_decisions = self.scenario, self.open_decisions
        usual = (
            self.state is None
            and scenario.units[unit].side != open_decisions.side
            and scenario.standing is None
            and not self.compiler.doctrine
            and not open_decisions.belief
            and not open_decisions.also
            and not open_decisions.named
        )
        spared = Fraction(1)
        for mission in scenario.missions:
            falls = _most_falls(scenario, mission, self.moments)
            if falls is None:
                return Fraction(1)
            if self.state is None and not scenario.mobile:
                place = scenario.units[unit].place
                falls = covering(scenario, mission, place, falls, offered=self.names_offered_places)
            if falls:
                chance = scenario.parts.harm_chance(
                    scenario, unit, goal.severity, mission, usual=usual
                )
                spared *= (1 - (Fraction(1) if chance is None else chance)) ** falls
        return 1 - spared

    @property
    def _earliest_fall(self) -> int:
        """Return the number of moments before the side's fire can fall, 0 if this is unknown."""
        if self.state is not None:
            return 0  # the limits hold only from the opening of the scenario
        limits = [
            self.scenario.parts.fire_limit(self.scenario, mission, 1)
            for mission, setup in self.scenario.missions.items()
            if setup.side == self.open_decisions.side
        ]
        falling = [0 if limit is None else limit.earliest for limit in limits if limit != NEVER]
        return min(falling, default=0)

    @cached_property
    def coarse_compiler(self) -> OpenCompiler:
        """A compiler for the coarse models of all goals.

        It also runs rules on impossible states.
        """
        compiler = OpenCompiler(self.scenario, self.open_decisions, self.compiler.doctrine)
        compiler.take(self.compiler)
        return compiler

    def relaxed(self, goal: Goal) -> Process | None:
        """Return a process in which the side can reach at least as much of a goal, or None.

        The process comes from the game (``Areas.relaxed``). It is None unless play begins at the
        opening with every order allowed, all missions are those of the side, and more is better.
        Goals with the same places share the process. It is None for harm if the setup relaxes each
        place by itself: the orders that do most harm at one place may not be those for another.
        """
        side, scenario = self.open_decisions.side, self.scenario
        if (
            goal.least
            or not self.is_unrestricted
            or {setup.side for setup in scenario.missions.values()} != {side}
        ):
            return None
        places = frozenset(_places_of(scenario, goal))
        if places not in self._relaxed:
            setup = scenario.parts.relaxed(scenario, places)
            self._relaxed[places] = None
            if setup is not None and isinstance(setup.setup, Scenario):
                named = attrs.evolve(self.open_decisions, named=setup.named)
                relaxed = Process(setup.setup, self.moments, named)
                relaxed.translation, relaxed.by_place = setup.translation, setup.by_place
                self._relaxed[places] = relaxed
        found = self._relaxed[places]
        return None if found is not None and found.by_place and goal.joint else found

    def without_units(self, questions: Iterable[str]) -> Process:
        """Return a process with the missions of the side, but no units and no other missions.

        Only these questions are open. Its best orders are good ones here if fire on the target
        counts, but its values bound nothing.
        """
        scenario, side = self.scenario, self.open_decisions.side
        own = {name: setup for name, setup in scenario.missions.items() if setup.side == side}
        alone = attrs.evolve(scenario, missions=own, units={})
        return Process(alone, self.moments, OpenDecisions(side, dict.fromkeys(questions, ())))

    @property
    def is_unrestricted(self) -> bool:
        """Return whether play begins at the opening and every order of the side is allowed."""
        return not (
            self.state is not None
            or self.after
            or self.scenario.standing is not None
            or self.compiler.doctrine
            or self.open_decisions != OpenDecisions(self.open_decisions.side)
        )

    @property
    def _mission(self) -> Explored | None:
        """Return the mission's chain without strikes.

        It is None if the mission reads the effects of strikes.
        """
        if self.scenario.mobile and self._has_read_units:
            return None  # do not explore the mission: its chain would be of no use
        mission = self.mission_apart()
        return None if reads_back(self.scenario, mission.chain) else mission

    @property
    def _has_read_units(self) -> bool:
        """Return whether any step compiled so far, apart from strikes, reads a unit or a place."""
        compiler = self.compiler
        steps = [step for step in compiler.compiled if not step.scope]
        return any(key.startswith(LOCAL) for step in steps for key in compiler.keys(step))

    def mission_apart(self) -> Explored:
        """Return the mission's chain without strikes, even if a step reads what strikes write."""
        return self._explored(frozenset())

    def _explored(self, carried: frozenset[str] | None, *, counts: bool = False) -> Explored:
        """Return the explored chain with strikes carried out only at the places ``carried``.

        If ``carried`` is None, it is the chain of mission and targets together, with the strikes
        recorded if ``counts`` is set. Raises ``TooLargeError`` if the chain is too large, at once
        if it was too large with similar limits before.
        """
        key = carried, counts
        if key not in self._chains:
            seconds, most, refusal = self._refused.get(key, (0.0, (0, 0), None))
            if refusal and self.most == most and self.seconds <= seconds * HARDLY_MORE:
                raise refusal.afresh()
            try:
                chain = self._chain(carried, counts=counts)
            except TooLargeError as error:
                self._refused[key] = self.seconds, self.most, error.afresh()
                raise
            self._chains[key] = Explored(self, chain)
        return self._chains[key]

    def _chain(self, carried: frozenset[str] | None, *, counts: bool = False) -> Chain:
        return build_chain(
            self.compiler,
            state=self.state,
            apart=carried is not None,
            carried=carried or frozenset(),
            counts=counts,
            spliced=True,
            alike=True,
            moments=self.opening + self.moments,
            horizon=self.moments,
            max_nodes=self.most[0],
            max_runs=self.most[1],
            late=self.late,
            whole=True,  # a policy looks situations up by their states
        )

    def explored(self, goals: Sequence[Goal]) -> Explored:
        """Return the chain that these goals need: the mission without the effects of strikes.

        If harm to units counts, or the mission reads the effects of strikes, the chain includes
        them; strikes are then recorded on it if a goal counts them. Raises ``ProcedureError`` if
        some goals count harm and others count strikes.
        """
        if any(goal.joint for goal in goals):
            if any(goal.strikes for goal in goals):
                raise ProcedureError(
                    "strikes and harm to units cannot be asked for together: ask for one of them"
                )
            return self._explored(None)
        mission = self._mission
        if mission is not None:
            return mission
        return self._explored(None, counts=any(goal.strikes for goal in goals))

    def struck(self, goal: Harm) -> tuple[Explored, Mapping[str, StruckPlace]] | None:
        """Return the mission's chain without strikes, and the places where it may do this harm.

        The second value maps scopes to places. Returns None if the mission reads the effects of
        strikes, if places cannot be solved separately, or if the harm is to be avoided.
        """
        mission = None if goal.least else self._mission
        places = (
            None if mission is None else struck_places(self.compiler, mission.chain, self.state, {})
        )
        if mission is None or places is None:
            return None
        scopes = {self.scenario.scope(self.scenario.units[unit].place) for unit in goal.shares}
        return mission, {scope: place for scope, place in places.items() if scope in scopes}

    def worst_harms(
        self, goal: Harm, unit: str, places: Mapping[str, StruckPlace]
    ) -> Mapping[Step, Fraction]:
        """Map each strike to its greatest chance to harm a unit while the unit is unharmed.

        The result is empty if the unit's place is never struck.
        """
        place = places.get(self.scenario.scope(self.scenario.units[unit].place))
        if place is None:
            return {}
        (automaton,) = place.automata([WorstSeverity(unit)])
        return _worst_harms(automaton, goal.severity)

    def union(self, goal: Harm) -> tuple[Goal, Explored] | None:
        """Return a goal that bounds the harm from above, and the mission's chain without strikes.

        For each unit, a strike earns the unit's share times the greatest chance that the strike
        harms it while it is unharmed (union bound). Returns None if the mission reads the effects
        of strikes, if places cannot be solved separately, or if the harm is to be avoided.
        """
        struck = self.struck(goal)
        if struck is None:
            return None
        mission, places = struck
        values: dict[Step, Fraction] = {}
        for unit, share in goal.shares.items():
            for letter, most in self.worst_harms(goal, unit, places).items():
                values[letter] = values.get(letter, Fraction(0)) + share * most
        return Expected(goal.shares, goal.severity, values), mission

    def parts(self, goal: Goal, *, together: bool = False) -> list[tuple[Goal, Explored]]:
        """Return goals whose sum is this goal, each with the chain that it needs.

        Harm at independent places is split place by place, or solved at all of them ``together``;
        places that are never struck are left out. Harm is not split if some moments are not
        explored, because other places may be struck in them.
        """
        mission = self._mission if isinstance(goal, Harm) and not self.after else None
        struck = (
            None if mission is None else struck_places(self.compiler, mission.chain, self.state, {})
        )
        if struck is None or not isinstance(goal, Harm):
            return [(goal, self.explored([goal]))]
        places: dict[str, dict[str, Fraction]] = {}
        for unit, share in goal.shares.items():
            scope = f"place {self.scenario.frame.label(self.scenario.units[unit].place)}"
            if scope in struck:
                places.setdefault(scope, {})[unit] = share
        if together or len(places) == 1:
            return [(goal, self._explored(frozenset(places)))]
        return [
            (attrs.evolve(goal, shares=shares), self._explored(frozenset({scope})))
            for scope, shares in places.items()
        ]


def _places_of(scenario: Scenario, goal: Goal) -> Iterator[Any]:
    """Yield the places where fire counts for a goal: those of its units, or the targets."""
    if isinstance(goal, Harm):
        yield from (scenario.units[unit].place for unit, share in goal.shares.items() if share)
    elif isinstance(goal, Struck):
        sides = {setup.side for setup in scenario.missions.values()}
        yield from (unit.place for unit in scenario.units.values() if unit.side not in sides)
    else:
        for setup in scenario.missions.values():
            yield scenario.target_cell(setup.target, setup.side)


def most_strikes(scenario: Scenario, moments: int) -> int | None:
    """Return the maximum number of strikes at one place, or None if nothing limits it.

    Each fall strikes a place once, whichever side fires.
    """
    total = 0
    for mission in scenario.missions:
        falls = _most_falls(scenario, mission, moments)
        if falls is None:
            return None
        total += falls
    return total


def _most_falls(scenario: Scenario, mission: str, moments: int) -> int | None:
    """Return the maximum number of falls of a mission, or None if nothing limits it."""
    limits = [scenario.parts.fire_limit(scenario, mission, span) for span in range(1, moments + 1)]
    falls = [limit.falls for limit in limits if limit is not None]
    return None if len(falls) < len(limits) else max(falls, default=0)


def _worst_harms(place: Automaton, severity: Severity) -> Mapping[Step, Fraction]:
    """Map each letter to its greatest chance of harm over the unharmed states of a unit."""
    chances: dict[Step, Fraction] = {}
    unharmed = [0]
    for state in unharmed:
        for number, ends in place.moves[state].items():
            spared = [end for end in ends if all(event["severity"] < severity for event in end[1])]
            unharmed += dict.fromkeys(after for after, _, _ in spared if after not in unharmed)
            harmed = 1 - sum((share for _, _, share in spared), Fraction(0))
            chances[place.letters[number]] = max(
                chances.get(place.letters[number], Fraction(0)), harmed
            )
    return chances


class Explored:
    """The explored chain of a process, with the cycles inside each moment solved.

    ``decides`` contains the nodes at which a decision is made.

    Raises ``ProcedureError`` if an order can be repeated without end within a moment.
    """

    def __init__(self, process: Process, chain: Chain) -> None:
        self.process = process
        self.decides = frozenset(
            node
            for node, top in enumerate(chain.tops)
            if process.compiler.is_open(top) and chain.totals[node] > 1
        )
        self.chain = chain
        self.emissions = chain.emissions
        self.links, self.totals, self.topological_order = without_cycles(chain)
        for node in self.decides:
            if self.links[node] is not chain.links[node]:
                raise ProcedureError(
                    f"an order to {chain.tops[node]} can be repeated without end within a moment"
                )
        self._orders: dict[int, tuple[Order, ...]] = {}

    def orders(self, node: int) -> tuple[Order, ...]:
        """Return the orders of a decision node by link, the standard order first."""
        orders = self._orders.get(node)
        if orders is None:
            leaf = self.chain.leaves[node]
            assert leaf is not None  # noqa: S101 - nodes beyond the horizon have no decisions
            orders = self._orders[node] = tuple(order_of(row) for row in leaf.cases[0][1].rows)
        return orders
