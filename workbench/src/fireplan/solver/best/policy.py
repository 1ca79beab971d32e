"""A policy: the best orders of a solution by situation, and what following them is worth in the states of the odds."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import attrs

from fireplan.solver import Analysis
from fireplan.solver.best.goals import Goal, Harm
from fireplan.solver.best.induction import Solution, standard
from fireplan.solver.best.joining import join
from fireplan.solver.best.open_decisions import OpenCompiler
from fireplan.solver.best.process import Explored, Process
from fireplan.solver.states import CLOCK, CODES, typed
from fireplan_core import Ask, Order
from fireplan_core.play.scenario import Read

Legal = Callable[[], Iterator[Order]]
"""Gives every order that may be given in a situation."""

Chooser = Callable[[Ask, Read, Legal], Iterable[Order]]
"""Say which orders are to be given in a situation, the first that may be.

None for the standard order.
"""


@attrs.frozen
class Situation:
    """A question in a moment with the values of the state, its orders (the standard one first), and the best ones.

    ``values`` are for each key all that no rule tells apart there. ``seen`` is None, or what the goal has seen where
    the best orders hang on that as well: of harm the units to which it has come.
    """

    ask: Ask
    moment: int
    values: tuple[tuple[Any, ...], ...]
    orders: tuple[Order, ...]
    best: tuple[int, ...]
    seen: Any = None


class Policy:
    """The best orders of a solution by situation, as far as its states tell situations apart.

    What the side cannot see does not tell them apart. Where the same order is best in every moment
    in which a situation comes up, nobody need look at the clock; nor remember what the goal has
    seen, where it is best after all of that.
    """

    def __init__(self, solution: Solution) -> None:
        explored = solution.joined.explored
        explorer: Any = explored.chain.explorer
        self.process = explored.process
        self.hidden = hidden(explored.process, explorer.fields)
        self._fields = {
            key: field for key, field in explorer.fields.items() if key not in self.hidden
        }
        self.keys = tuple(self._fields)
        self._noted: dict[tuple[Ask, int], dict[int, dict[Any, Situation]]] = {}
        self.told_apart = True
        """Whether situations and what the goal has seen tell all that the best orders hang on."""
        told = sum(CODES << field.shift for field in self._fields.values())
        for moment, joined in solution.followed():
            node, states = solution.joined.nodes[joined]
            seen = states if len(states) > 1 else states[0]
            ask = explored.chain.tops[node]
            if isinstance(ask, Ask):
                code = explorer.packed_states[node] & told
                values = tuple(
                    field.members[code >> field.shift & CODES] for field in self._fields.values()
                )
                orders, best = explored.orders(node), solution.choices[moment][joined]
                found = Situation(ask, moment + self.process.opening, values, orders, best, seen)
                after = self._noted.setdefault((ask, code), {}).setdefault(moment, {})
                common = _common(after.get(seen, found), found)
                self.told_apart &= common is not None
                after[seen] = common or after[seen]

    @cached_property
    def situations(self) -> tuple[Situation, ...]:
        """Return every situation that can come up when only best orders are given, whichever of them.

        Those in which no order is best whatever the goal has seen are there once for each of that.
        """
        found: list[Situation] = []
        for after in (after for moments in self._noted.values() for after in moments.values()):
            common = _common(*after.values())
            found += after.values() if common is None else [attrs.evolve(common, seen=None)]
        return tuple(found)

    @cached_property
    def _found(self) -> dict[tuple[Ask, int], dict[int, Situation]]:
        """By what is asked and moment: of situations that look alike the orders best in all, or else in the first."""
        return {
            asked: {
                moment: _common(*after.values()) or next(iter(after.values()))
                for moment, after in moments.items()
            }
            for asked, moments in self._noted.items()
        }

    @cached_property
    def _always(self) -> dict[tuple[Ask, int], tuple[Order, ...]]:
        """The orders that are best in every moment in which a situation comes up."""
        found = {}
        for situation, moments in self._found.items():
            first, *others = [
                tuple(each.orders[number] for number in each.best) for each in moments.values()
            ]
            found[situation] = tuple(
                order for order in first if all(order in each for each in others)
            )
        return found

    def values(self, read: Read) -> tuple[Any, ...]:
        """Return what the keys hold that tell situations apart."""
        return tuple([read(key, field.opening) for key, field in self._fields.items()])

    def __call__(self, ask: Ask, read: Read, legal: Legal) -> tuple[Order, ...]:  # noqa: ARG002 - it knows them
        """Return the orders that are best in a situation; none where it never comes up."""
        code = 0
        for key, field in self._fields.items():
            value = field.codes.get(typed(read(key, field.opening)))
            if value is None:
                return ()
            code |= value << field.shift
        always = self._always.get((ask, code))
        if always or always is None:
            return always or ()
        found = self._found[ask, code].get(read(CLOCK, 0) - self.process.opening)
        return () if found is None else tuple(found.orders[number] for number in found.best)


def _common(first: Situation, *others: Situation) -> Situation | None:
    """Return the first of situations with the orders that are best in all of them.

    None where there are none.
    """
    bests = [{other.orders[number] for number in other.best} for other in others]
    best = tuple(
        number for number in first.best if all(first.orders[number] in each for each in bests)
    )
    return attrs.evolve(first, best=best) if best else None


def hidden(process: Process, keys: Iterable[str]) -> frozenset[str]:
    """Return those of these keys that the side cannot see: of others' assets and units that a part hides from it."""
    scenario, side = process.scenario, process.open_decisions.side
    names = [
        name
        for name in (*scenario.missions, *scenario.units)
        if scenario.owner(name) not in (None, side)
        and any(part.hides(scenario, name, side) for part in scenario.parts)
    ]
    unseen = tuple(f"{kind}/{name}/" for name in names for kind in ("missions", "units"))
    return frozenset(key for key in keys if key.startswith(unseen)) if unseen else frozenset()


class Follower(OpenCompiler):
    """Rows in which the side gives the orders that are chosen.

    Its usual one where none of them may be given.
    """

    def __init__(self, process: Process, chooser: Chooser | None = None) -> None:
        everything = frozenset(process.scenario.questions)
        kept = attrs.evolve(process.open_decisions, keep=everything, aimed=frozenset())
        super().__init__(process.scenario, kept, process.compiler.doctrine)
        self.chooser = chooser
        self.offered = process.compiler.offered

    def _standard(self, ask: Ask, read: Read) -> Order:
        usual = super()._standard(ask, read)
        if ask.who == self.open_decisions.side and ask.question not in self.offered:
            self.offered[ask.question] = dict.fromkeys(
                form.verb for form in self.rulebook.forms(ask, read)
            )
        if self.chooser is not None and ask.who == self.open_decisions.side:
            for order in self.chooser(ask, read, lambda: self._legal(ask, read, usual)):
                if self.rulebook.refuse(ask, order, read) is None:
                    return order
        return usual


def worth(
    process: Process,
    goals: Sequence[Goal],
    chooser: Chooser | None = None,
    late: Callable[[], bool] = bool,
) -> tuple[Fraction, ...]:
    """Return the exact values of goals (losses negative) when orders are chosen so.

    Else of the standard doctrine.

    Raises ``TooLargeError`` where the odds cannot follow it, or not before it is ``late``.
    """
    known = process.followed.get(chooser)
    if known is None:
        follower = Follower(process, chooser)
        known = Analysis(process.scenario, process.moments, state=process.state, compiler=follower)
    if chooser is None or "__hash__" in vars(type(chooser)):  # what is equal gives the same orders
        process.followed[chooser] = known
    known.late = late
    return tuple(_worth(process, known, goal) for goal in goals)


def reached(
    process: Process,
    goals: Sequence[Goal],
    solution: Solution,
    policy: Policy,
    late: Callable[[], bool] = bool,
) -> tuple[Fraction, ...]:
    """Return what the policy of a solution is worth for goals of a process.

    Where the side knows all that the best orders hang on, that is what was solved for; else it is
    followed.
    """
    units = (f"units/{unit}/" for unit in process.scenario.units)
    whole = solution.joined.goals == tuple(goals) and not policy.process.after
    if (
        whole
        and policy.told_apart
        and not (any(goal.joint for goal in goals) and hidden(process, units))
    ):
        return solution.values
    return worth(process, goals, policy, late)


def _worth(process: Process, analysis: Analysis, goal: Goal) -> Fraction:
    if isinstance(goal, Harm) and analysis.separable:
        severities = analysis.unit_severities()
        suffered = Fraction(0)
        for unit, share in goal.shares.items():
            worst = severities.get(unit, {})
            suffered += share * sum(
                chance for severity, chance in worst.items() if severity >= goal.severity
            )
        return -suffered if goal.least else suffered
    chain = analysis.chain if isinstance(goal, Harm) else analysis.plan.chain
    return standard(join(Explored(process, chain), [goal], process.moments)).values[0]
