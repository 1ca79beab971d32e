"""A best policy: what to order in every situation that can come up under it, as a table and as a doctrine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import attrs

from fireplan.solver.best._induction import Solution
from fireplan_core import Ask, Order, ProcedureError, Scenario, View
from fireplan_core.play import Doctrine

Values = tuple[Any, ...]


@attrs.frozen
class Situation:
    """A question in a moment with the values of the state, its orders (the standard one first), and the best ones."""

    ask: Ask
    moment: int
    values: Values
    orders: tuple[Order, ...]
    best: tuple[int, ...]


class Policy:
    """Say what an optimum comes to in orders. Every order that is called best is exactly that, ties included."""

    def __init__(self, solution: Solution) -> None:
        self.solution = solution
        self.explored = solution.joined.explored
        self.process = self.explored.process
        self.keys = self.explored.chain.keys

    @cached_property
    def situations(self) -> tuple[Situation, ...]:
        """Return every situation that can come up when only best orders are given, whichever of them.

        Raises ``ProcedureError`` where the side's answer would hang on more than the state tells.
        """
        if self.untold is not None:
            raise ProcedureError(
                f"the best order to {self.untold.question} rests on what no key of the state holds; it is no doctrine"
            )
        return self._whole[0]

    @cached_property
    def _whole(self) -> tuple[tuple[Situation, ...], list[Ask]]:
        return self._merged(self.keys)

    @property
    def untold(self) -> Ask | None:
        """Return a question whose best order hangs on what no key tells, such as what waits on the agenda; or None."""
        clashes = self._whole[1]
        return clashes[0] if clashes else None

    @cached_property
    def hidden(self) -> tuple[str, ...]:
        """Return the keys that the side cannot see: of others' assets and units that a part hides from it."""
        scenario, side = self.process.scenario, self.process.open_decisions.side
        names = [
            name
            for name in (*scenario.missions, *scenario.units)
            if scenario.owner(name) not in (None, side)
            and any(part.hides(scenario, name, side) for part in scenario.parts)
        ]
        hidden = tuple(f"{kind}/{name}/" for name in names for kind in ("missions", "units"))
        return tuple(key for key in self.keys if key.startswith(hidden)) if hidden else ()

    @cached_property
    def is_bound(self) -> bool:
        """Return whether the optimum needs knowledge that the side cannot have: then it is only a bound.

        Where one best order serves whatever the hidden values are, the optimum is the side's own all the same. Where
        it hangs on what no key tells, whether the side sees that is not known, and it counts as a bound.
        """
        if self.untold is not None:
            return True
        if not self.hidden:
            return False
        seen = tuple(key for key in self.keys if key not in self.hidden)
        return bool(self._merged(seen)[1])

    def _merged(self, keys: tuple[str, ...]) -> tuple[tuple[Situation, ...], list[Ask]]:
        """Situations that look alike by these keys made one, with the orders best in all; and where none is."""
        joined, explored = self.solution.joined, self.explored
        positions = [self.keys.index(key) for key in keys]
        found: dict[tuple[Ask, int, Values], Situation] = {}
        clashes: list[Ask] = []
        opening = self.process.opening
        for moment, joined_node in self.solution.followed():
            node = joined.nodes[joined_node][0]
            ask, orders = explored.ask(node), explored.orders(node)
            chosen = self.solution.choices[moment][joined_node]
            whole = explored.chain.values[node]
            values = tuple(whole[position] for position in positions)
            key = (ask, moment + opening, values)
            before = found.get(key)
            if before is None:
                found[key] = Situation(ask, moment + opening, values, orders, chosen)
                continue
            both = {before.orders[order] for order in before.best} & {orders[order] for order in chosen}
            common = tuple(order for order in before.best if before.orders[order] in both)
            if not common:
                clashes.append(ask)
                continue
            found[key] = attrs.evolve(before, best=common)
        return tuple(found.values()), clashes

    def doctrine(self) -> Doctrine:
        """Return the policy as a doctrine: the standard order where it is among the best, or never comes up."""
        table: dict[str, dict[tuple[Any, ...], Order]] = {}
        for situation in self.situations:
            ask = situation.ask
            key = (ask.args, situation.moment, situation.values)
            table.setdefault(ask.question, {})[key] = situation.orders[situation.best[0]]
        return {question: self._rule(question, orders) for question, orders in table.items()}

    def _rule(self, question: str, orders: Mapping[tuple[Any, ...], Order]) -> Callable[..., Order]:
        scenario = self.process.scenario
        usual = self.process.compiler.doctrine.get(question) or scenario.questions[question].standard
        opening = tuple(zip(self.keys, self.explored.chain.values[0], strict=True))

        def rule(view: View, *args: Any) -> Order:
            values = tuple(view._read(key, default) for key, default in opening)  # noqa: SLF001 - by key
            return orders.get((args, view.moment(), values)) or usual(view, *args)

        return rule

    @property
    def scenario(self) -> Scenario:
        """Return what is played."""
        return self.process.scenario
