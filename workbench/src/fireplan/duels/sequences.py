"""A duel by sequences: game trees, their sequence form, and the exact value of best replies.

A sequence is what a player has decided on a way through the tree; a plan gives each the probability
with which the player lets it happen. Koller, Megiddo and von Stengel (1996).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import attrs

from fireplan_core import ProcedureError

Plan = Sequence[Fraction]
Mixtures = Sequence[Sequence[Fraction]]
"""The probability of each sequence of a player, the empty one first.

The chances of the orders in each situation.
"""


@attrs.frozen
class Leaf:
    """The end of a play: what the first player gains, which the second loses."""

    value: Fraction


@attrs.frozen
class Lottery:
    """A chance event: the branches with their probabilities."""

    branches: tuple[tuple[Fraction, Node], ...]


@attrs.frozen
class Choice:
    """A decision of player 0 or 1, who knows ``knows`` and nothing else.

    A branch for each of the orders.
    """

    player: int
    knows: Hashable
    orders: tuple[Any, ...]
    branches: tuple[Node, ...]


Node = Leaf | Lottery | Choice


@attrs.frozen
class Situation:
    """All decisions of a player that look alike: the sequence that they follow, and those that its orders begin."""

    knows: Any
    orders: tuple[Any, ...]
    parent: int
    sequences: range


class SequenceForm:
    """The sequence form of a tree: situations by player, each after those it follows, and what pairs of sequences earn.

    Raises ``ProcedureError`` for a player who forgets, and where one situation offers different
    orders.
    """

    def __init__(self, root: Node) -> None:
        self.sizes = [1, 1]  # how many sequences each player has
        self.situations: tuple[list[Situation], list[Situation]] = ([], [])
        self.earned: dict[tuple[int, int], Fraction] = {}
        self._known: dict[tuple[int, Hashable], Situation] = {}
        todo: list[tuple[Node, Fraction, tuple[int, int]]] = [(root, Fraction(1), (0, 0))]
        while todo:
            node, chance, pair = todo.pop()
            if isinstance(node, Leaf):
                if earned := chance * node.value:
                    self.earned[pair] = self.earned.get(pair, Fraction(0)) + earned
            elif isinstance(node, Lottery):
                todo += [(below, chance * share, pair) for share, below in reversed(node.branches)]
            else:
                at = self._situation(node, pair[node.player])
                for number, below in reversed([*zip(at.sequences, node.branches, strict=True)]):
                    todo.append(
                        (
                            below,
                            chance,
                            (number, pair[1]) if node.player == 0 else (pair[0], number),
                        )
                    )

    def _situation(self, node: Choice, parent: int) -> Situation:
        found = self._known.get((node.player, node.knows))
        if found is None:
            sequences = range(self.sizes[node.player], self.sizes[node.player] + len(node.orders))
            self._known[node.player, node.knows] = found = Situation(
                node.knows, node.orders, parent, sequences
            )
            self.sizes[node.player] = sequences.stop
            self.situations[node.player].append(found)
        elif found.parent != parent or found.orders != node.orders:
            raise ProcedureError(
                "a player forgets, or is offered other orders where everything looks alike"
            )
        return found

    def entries(self, player: int) -> Iterator[tuple[int, int, Fraction]]:
        """Yield what pairs of sequences earn a player: own sequence, the other's, how much."""
        for (first, second), earned in self.earned.items():
            yield (first, second, earned) if player == 0 else (second, first, -earned)

    def reply(self, player: int, plan: Plan) -> Fraction:
        """Return the most that a player gains against the other's plan."""
        gains = [Fraction(0)] * self.sizes[player]
        for mine, other, earned in self.entries(player):
            if plan[other]:
                gains[mine] += earned * plan[other]
        for at in reversed(self.situations[player]):
            gains[at.parent] += max(gains[number] for number in at.sequences)
        return gains[0]

    def plan(self, player: int, mixtures: Mixtures) -> Plan:
        """Return the plan of a player by the chances of the orders in each situation."""
        plan = [Fraction(1)] * self.sizes[player]
        for at, mixture in zip(self.situations[player], mixtures, strict=True):
            for number, share in zip(at.sequences, mixture, strict=True):
                plan[number] = plan[at.parent] * share
        return plan

    def shares(self, root: Node, plans: tuple[Plan, Plan]) -> dict[Situation, dict[int, Fraction]]:
        """Return the chances with which play by two plans comes to each situation, by the first branch that it took."""
        found: dict[Situation, dict[int, Fraction]] = {}
        todo = [(root, Fraction(1), -1)]
        while todo:
            node, chance, first = todo.pop()
            below = node.branches if isinstance(node, Lottery) else ()
            if isinstance(node, Choice):
                at, plan = self._known[node.player, node.knows], plans[node.player]
                here = found.setdefault(at, {})
                here[first] = here.get(first, Fraction(0)) + chance
                below = tuple(
                    (plan[n] / plan[at.parent], node.branches[n - at.sequences.start])
                    for n in at.sequences
                )
            todo += [
                (one, chance * share, n if first < 0 else first)
                for n, (share, one) in enumerate(below)
                if share
            ]
        return found


def extensive_form(root: Node, title: str, players: tuple[str, str]) -> str:
    """Return a tree in the extensive form format (``.efg``) that Gambit and OpenSpiel read."""
    said: tuple[dict[Hashable, int], dict[Hashable, int]] = ({}, {})
    lines = [f'EFG 2 R "{title}" {{ "{players[0]}" "{players[1]}" }} ""']
    todo = [root]
    while todo:
        node = todo.pop()
        if isinstance(node, Leaf):
            lines.append(f't "" {len(lines)} "" {{ {float(node.value)} {-float(node.value)} }}')
        elif isinstance(node, Lottery):
            shares = " ".join(
                f'"{number}" {share}' for number, (share, _) in enumerate(node.branches)
            )
            lines.append(f'c "" {len(lines)} "" {{ {shares} }} 0')
            todo += [below for _, below in reversed(node.branches)]
        else:
            number = said[node.player].setdefault(node.knows, len(said[node.player]) + 1)
            orders = " ".join(f'"{number}: {order}"' for order in map(str, node.orders))
            lines.append(f'p "" {node.player + 1} {number} "" {{ {orders} }} 0')
            todo += reversed(node.branches)
    return "\n".join(lines) + "\n"
