"""A policy: the best orders of a solution by situation, and its exact value."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import attrs

from fireplan.solver import Analysis
from fireplan.solver.best.goals import Goal, Harm
from fireplan.solver.best.induction import Solution, standard_values
from fireplan.solver.best.joining import join
from fireplan.solver.best.open_decisions import Chooser, Legal, OpenCompiler
from fireplan.solver.best.process import Explored, Process
from fireplan.solver.states import CLOCK, CODES, MAX_RUNS, Late, PackedField, with_type
from fireplan_core import Ask, Order
from fireplan_core.record import Read


@attrs.frozen
class Decision:
    """A question in a moment with the values of the state, its orders, and the indices of the best.

    The standard order comes first. For each key, ``values`` has all values that no rule tells apart
    in this situation. ``seen`` is the goals' state, such as the units already harmed, if the best
    orders depend on it, otherwise None.
    """

    ask: Ask
    moment: int
    values: tuple[tuple[Any, ...], ...]
    orders: tuple[Order, ...]
    best: tuple[int, ...]
    seen: Any = None


class Policy:
    """The best order of a solution for each situation that the side can distinguish.

    A policy depends on the clock, or on the goals' states, only where no order is best regardless
    of them. With ``everywhere``, it also has orders for situations to which best orders never lead.
    With ``few_keys``, it depends on no value that the orders of a moment do not need, so it can be
    followed where other values differ.
    """

    def __init__(
        self, solution: Solution, *, everywhere: bool = False, few_keys: bool = False
    ) -> None:
        explored = solution.joined.explored
        explorer: Any = explored.chain.explorer
        fields = explorer.packing.fields
        self.process = explored.process
        self.hidden = hidden(explored.process, fields) | _left_out(explored.process, fields)
        self._fields = {key: field for key, field in fields.items() if key not in self.hidden}
        decided = list(solution.decided() if everywhere else solution.followed())
        if few_keys:
            self._fields = _needed(solution, self._fields, decided)
        self.keys = tuple(self._fields)
        self._by_goal_state: dict[tuple[Ask, int], dict[int, dict[Any, Decision]]] = {}
        self.is_determined = True
        """True if the side's view and the goals' states determine the best orders."""
        visible_bits = sum(CODES << field.shift for field in self._fields.values())
        for moment, joined in decided:
            node, states = solution.joined.nodes[joined]
            seen = states if len(states) > 1 else states[0]
            ask = explored.chain.tops[node]
            if isinstance(ask, Ask):
                code = explorer.packed_states[node] & visible_bits
                values = tuple(
                    field.members[code >> field.shift & CODES] for field in self._fields.values()
                )
                orders, best = explored.orders(node), solution.choices[moment][joined]
                situation = Decision(ask, moment + self.process.opening, values, orders, best, seen)
                by_seen = self._by_goal_state.setdefault((ask, code), {}).setdefault(moment, {})
                common = _common(by_seen.get(seen, situation), situation)
                self.is_determined &= common is not None
                by_seen[seen] = common or by_seen[seen]

    @cached_property
    def situations(self) -> tuple[Decision, ...]:
        """Return every situation that can come up if only best orders are given.

        A situation is listed once for each state of the goals if no order is best in all of them.
        """
        situations: list[Decision] = []
        for by_seen in (
            by_seen for moments in self._by_goal_state.values() for by_seen in moments.values()
        ):
            common = _common(*by_seen.values())
            situations += by_seen.values() if common is None else [attrs.evolve(common, seen=None)]
        return tuple(situations)

    @cached_property
    def _by_moment(self) -> dict[tuple[Ask, int], dict[int, Decision]]:
        """Map (question, code of the values) to a decision for each moment.

        The orders that count as best are those best in all situations of that moment with this
        code. If no order is best in all, the decision is that of the first situation.
        """
        return {
            key: {
                moment: _common(*by_seen.values()) or next(iter(by_seen.values()))
                for moment, by_seen in moments.items()
            }
            for key, moments in self._by_goal_state.items()
        }

    @cached_property
    def _timeless(self) -> dict[tuple[Ask, int], tuple[Order, ...]]:
        """Map (question, code of the values) to the orders that are best in every moment."""
        timeless = {}
        for key, moments in self._by_moment.items():
            first, *others = [
                tuple(situation.orders[number] for number in situation.best)
                for situation in moments.values()
            ]
            timeless[key] = tuple(order for order in first if all(order in best for best in others))
        return timeless

    def values(self, read: Read) -> tuple[Any, ...]:
        """Return the values that ``read`` gives for the keys that distinguish situations."""
        return tuple([read(key, field.opening) for key, field in self._fields.items()])

    def __call__(self, ask: Ask, read: Read, legal: Legal) -> tuple[Order, ...]:  # noqa: ARG002 - a Chooser
        """Return the best orders in a situation, empty if the situation never comes up."""
        code = 0
        for key, field in self._fields.items():
            value = field.codes.get(with_type(read(key, field.opening)))
            if value is None:
                return ()
            code |= value << field.shift
        always = self._timeless.get((ask, code))
        if always or always is None:
            return always or ()
        situation = self._by_moment[ask, code].get(read(CLOCK, 0) - self.process.opening)
        return (
            ()
            if situation is None
            else tuple(situation.orders[number] for number in situation.best)
        )


def _needed(
    solution: Solution, fields: Mapping[str, PackedField], decided: Iterable[tuple[int, int]]
) -> dict[str, PackedField]:
    """Return the fewest of the fields, dropped in turn, that still tell the best orders apart.

    ``decided`` has pairs of a moment and a node; orders may differ between moments.
    """
    joined = solution.joined
    explorer: Any = joined.explored.chain.explorer
    situations = []
    for moment, decision in decided:
        node, states = joined.nodes[decision]
        orders = joined.explored.orders(node)
        best = [orders[number] for number in solution.choices[moment][decision]]
        top = joined.explored.chain.tops[node]
        situations.append((top, moment, states, explorer.packed_states[node], best))
    needed = dict(fields)
    for key in fields:
        bits = sum(CODES << field.shift for name, field in needed.items() if name != key)
        orders_of: dict[Any, list[Order]] = {}
        if all(
            orders_of.setdefault((top, moment, states, code & bits), best) == best
            for top, moment, states, code, best in situations
        ):
            del needed[key]
    return needed


def _common(first: Decision, *others: Decision) -> Decision | None:
    """Return the first situation, with only the orders that are best in all, or None if none is."""
    bests = [{other.orders[number] for number in other.best} for other in others]
    best = tuple(
        number for number in first.best if all(first.orders[number] in each for each in bests)
    )
    return attrs.evolve(first, best=best) if best else None


def hidden(process: Process, keys: Iterable[str]) -> frozenset[str]:
    """Return the keys among these that the side cannot see.

    They belong to hidden missions and units of other sides, or to secret fields.
    """
    scenario, side = process.scenario, process.open_decisions.side
    names = [
        name
        for name in (*scenario.missions, *scenario.units)
        if scenario.owner(name) not in (None, side)
        and any(part.hides(scenario, name, side) for part in scenario.parts)
    ]
    unseen = tuple(f"{kind}/{name}/" for name in names for kind in ("missions", "units"))
    secret = scenario.assumed_by(side)
    return frozenset(key for key in keys if key in secret or key.startswith(unseen))


def _left_out(process: Process, keys: Iterable[str]) -> frozenset[str]:
    """Return the keys of units that the scenario of a process leaves out.

    The policy is followed where they exist, so it must not depend on them.
    """
    kinds = [(key, key.split("/")[:2]) for key in keys if key.startswith("units/")]
    return frozenset(key for key, (_, unit) in kinds if unit not in process.scenario.units)


class Follower(OpenCompiler):
    """A compiler in which the side gives a chooser's first legal order, else the standard order."""

    def __init__(self, process: Process, chooser: Chooser | None = None) -> None:
        everything = frozenset(process.scenario.questions)
        decisions = attrs.evolve(process.open_decisions, keep=everything, aimed=frozenset())
        super().__init__(process.scenario, decisions, process.compiler.doctrine)
        self.chooser = chooser
        self.offered = process.compiler.offered
        self.plain = process.compiler.plain
        self.usual = process.compiler.usual
        self.single = process.compiler.single

    def _standard(self, ask: Ask, read: Read) -> Order:
        standard_order = super()._standard(ask, read)
        if ask.who != self.open_decisions.side:
            return standard_order
        given = self._chosen(ask, read, standard_order)
        # Check this last, so that the first key read does not depend on earlier questions.
        if ask.question not in self.offered:
            for form in self.rulebook.forms(ask, read):
                self.note_offered(ask, form)
        return given

    def _note_single(self, question: str, order: Order) -> None:
        """Note the order that places one item of a kind where the standard order places several.

        All slots of such an order are whole numbers, as in ``place barrages=3 dummies=0``.
        """
        counts = {name: value for name, value in order.values if type(value) is int}
        if question in self.single or len(counts) < len(order.values):
            return
        first = next((name for name, count in counts.items() if count > 1), None)
        if first is not None:
            slots = {name: int(name == first) for name in counts}
            self.single[question] = Order.of(order.verb, **slots)

    def _chosen(self, ask: Ask, read: Read, standard_order: Order) -> Order:
        """Return the first of the chooser's orders that is legal, or else the standard order."""
        if self.chooser is None:
            self.usual.add((ask.question, standard_order.verb))
            self._note_single(ask.question, standard_order)
            return standard_order
        return self.first_legal(self.chooser, ask, read, standard_order)


def values_of(
    process: Process,
    goals: Sequence[Goal],
    chooser: Chooser | None = None,
    late: Late = bool,
    max_runs: int = MAX_RUNS,
) -> tuple[Fraction, ...]:
    """Return the exact values of goals (losses negative) for the orders that a chooser picks.

    Without a chooser, the side follows the standard doctrine. Raises ``TooLargeError`` if the
    orders take more than ``max_runs`` rule runs or too many states, or once ``late()`` is true.
    """
    analysis = process.followed.get(chooser)
    if analysis is None:
        follower = Follower(process, chooser)
        if (usual := process.followed.get(None)) is not None:
            # Questions that the chooser leaves alone keep their usual answers.
            answers = getattr(chooser, "answers", lambda _question: True)
            follower.take(usual.compiler, lambda question: not answers(question))
        analysis = Analysis(
            process.scenario, process.moments, state=process.state, compiler=follower
        )
    if chooser is None or "__hash__" in vars(type(chooser)):  # equal choosers pick the same orders
        process.followed[chooser] = analysis
    analysis.late, analysis.max_runs = late, max_runs
    return tuple(_value_of(process, analysis, goal) for goal in goals)


def policy_values(
    process: Process,
    goals: Sequence[Goal],
    solution: Solution,
    policy: Policy,
    late: Late = bool,
    max_runs: int = MAX_RUNS,
) -> tuple[Fraction, ...]:
    """Return the exact values of goals (losses negative) when the policy of a solution is followed.

    If the side knows everything on which the best orders depend, these are the solution's values.
    Otherwise the policy is followed under the rules. Raises ``TooLargeError`` if that takes too
    many states or more than ``max_runs`` rule runs, or once ``late()`` is true.
    """
    units = (f"units/{unit}/" for unit in process.scenario.units)
    same_problem = solution.joined.goals == tuple(goals) and not policy.process.after
    if (
        same_problem
        and policy.is_determined
        and not (any(goal.joint for goal in goals) and hidden(process, units))
    ):
        return solution.values
    return values_of(process, goals, policy, late, max_runs)


def _value_of(process: Process, analysis: Analysis, goal: Goal) -> Fraction:
    if isinstance(goal, Harm) and analysis.separable:
        severities = analysis.unit_severities()
        suffered = Fraction(0)
        for unit, share in goal.shares.items():
            worst = severities.get(unit, {})
            suffered += share * sum(
                chance for severity, chance in worst.items() if severity >= goal.severity
            )
        return -suffered if goal.least else suffered
    if isinstance(goal, Harm):
        chain = analysis.chain
    elif goal.strikes and not analysis.separable:
        chain = analysis.chain_with_strikes
    else:
        chain = analysis.plan.chain
    return standard_values(join(Explored(process, chain), [goal], process.moments)).values[0]
