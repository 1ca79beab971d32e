"""Duels in sequence form: game trees, their sequences, and the exact value of best replies.

A sequence is the list of a player's decisions on a path of the tree; a plan gives each the product
of the player's own probabilities along it. Koller, Megiddo and von Stengel (1996).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import attrs

from fireplan_core import ProcedureError

Plan = Sequence[Fraction]
Mixtures = Sequence[Sequence[Fraction]]
"""``Plan``: the probability of each sequence of a player, the empty one first.

``Mixtures``: the chances of the orders in each situation.
"""


@attrs.frozen
class TreeEnd:
    """The end of a game: the gain of the first player and loss of the second."""

    value: Fraction


@attrs.frozen
class TreeLottery:
    """A chance event: the branches with their probabilities."""

    branches: tuple[tuple[Fraction, Node], ...]


@attrs.frozen
class TreeDecision:
    """A decision of player 0 or 1, whose knowledge is ``knows``.

    There is a branch for each of the orders.
    """

    player: int
    knows: Hashable
    orders: tuple[Any, ...]
    branches: tuple[Node, ...]


Node = TreeEnd | TreeLottery | TreeDecision


@attrs.frozen
class InformationSet:
    """All decisions that a player cannot distinguish.

    ``parent`` is the sequence that leads to them; ``sequences`` are its continuations by each
    order.
    """

    knows: Any
    orders: tuple[Any, ...]
    parent: int
    sequences: range


class SequenceForm:
    """The sequence form of a tree: situations by player, and payoffs by pair of sequences.

    Each situation is listed after those that precede it in play. Raises ``ProcedureError`` if a
    player forgets something, or if a situation offers different orders at different decisions.
    """

    def __init__(self, root: Node) -> None:
        self.sizes = [1, 1]  # the number of sequences of each player
        self.situations: tuple[list[InformationSet], list[InformationSet]] = ([], [])
        self.earned: dict[tuple[int, int], Fraction] = {}
        self._by_knowledge: dict[tuple[int, Hashable], InformationSet] = {}
        todo: list[tuple[Node, Fraction, tuple[int, int]]] = [(root, Fraction(1), (0, 0))]
        while todo:
            node, chance, pair = todo.pop()
            if isinstance(node, TreeEnd):
                if earned := chance * node.value:
                    self.earned[pair] = self.earned.get(pair, Fraction(0)) + earned
            elif isinstance(node, TreeLottery):
                todo += [
                    (branch, chance * share, pair) for share, branch in reversed(node.branches)
                ]
            else:
                situation = self._situation(node, pair[node.player])
                for number, branch in reversed(
                    [*zip(situation.sequences, node.branches, strict=True)]
                ):
                    todo.append(
                        (
                            branch,
                            chance,
                            (number, pair[1]) if node.player == 0 else (pair[0], number),
                        )
                    )

    def _situation(self, node: TreeDecision, parent: int) -> InformationSet:
        situation = self._by_knowledge.get((node.player, node.knows))
        if situation is None:
            sequences = range(self.sizes[node.player], self.sizes[node.player] + len(node.orders))
            self._by_knowledge[node.player, node.knows] = situation = InformationSet(
                node.knows, node.orders, parent, sequences
            )
            self.sizes[node.player] = sequences.stop
            self.situations[node.player].append(situation)
        elif situation.parent != parent or situation.orders != node.orders:
            raise ProcedureError(
                "a player forgets, or is offered different orders in situations that look alike"
            )
        return situation

    def entries(self, player: int) -> Iterator[tuple[int, int, Fraction]]:
        """Yield a player's payoffs as ``(own sequence, opponent's sequence, payoff)``."""
        for (first, second), earned in self.earned.items():
            yield (first, second, earned) if player == 0 else (second, first, -earned)

    def reply(self, player: int, plan: Plan) -> Fraction:
        """Return the most that a player can gain on average against the opponent's plan."""
        gains = [Fraction(0)] * self.sizes[player]
        for mine, other, earned in self.entries(player):
            if plan[other]:
                gains[mine] += earned * plan[other]
        for situation in reversed(self.situations[player]):
            gains[situation.parent] += max(gains[number] for number in situation.sequences)
        return gains[0]

    def plan(self, player: int, mixtures: Mixtures) -> Plan:
        """Return a player's plan: for each sequence, the product of its orders' probabilities.

        ``mixtures`` has the probability of each order in each situation.
        """
        plan = [Fraction(1)] * self.sizes[player]
        for situation, mixture in zip(self.situations[player], mixtures, strict=True):
            for number, share in zip(situation.sequences, mixture, strict=True):
                plan[number] = plan[situation.parent] * share
        return plan

    def shares(
        self, root: Node, plans: tuple[Plan, Plan]
    ) -> dict[InformationSet, dict[int, Fraction]]:
        """Return the chance of reaching each information set under two plans.

        It is split by the branch taken at the root, ``shares[information_set][branch]``; the branch
        is -1 for a decision at the root itself.
        """
        shares_by_situation: dict[InformationSet, dict[int, Fraction]] = {}
        todo = [(root, Fraction(1), -1)]
        while todo:
            node, chance, first = todo.pop()
            branches = node.branches if isinstance(node, TreeLottery) else ()
            if isinstance(node, TreeDecision):
                situation, plan = self._by_knowledge[node.player, node.knows], plans[node.player]
                by_branch = shares_by_situation.setdefault(situation, {})
                by_branch[first] = by_branch.get(first, Fraction(0)) + chance
                branches = tuple(
                    (plan[n] / plan[situation.parent], node.branches[n - situation.sequences.start])
                    for n in situation.sequences
                )
            todo += [
                (branch, chance * share, n if first < 0 else first)
                for n, (share, branch) in enumerate(branches)
                if share
            ]
        return shares_by_situation


def extensive_form(root: Node, title: str, players: tuple[str, str]) -> str:
    """Return a tree in the extensive form format (``.efg``) that Gambit and OpenSpiel read."""
    numbers_seen: tuple[dict[Hashable, int], dict[Hashable, int]] = ({}, {})
    lines = [f'EFG 2 R "{title}" {{ "{players[0]}" "{players[1]}" }} ""']
    todo = [root]
    while todo:
        node = todo.pop()
        if isinstance(node, TreeEnd):
            lines.append(f't "" {len(lines)} "" {{ {float(node.value)} {-float(node.value)} }}')
        elif isinstance(node, TreeLottery):
            shares = " ".join(
                f'"{number}" {share}' for number, (share, _) in enumerate(node.branches)
            )
            lines.append(f'c "" {len(lines)} "" {{ {shares} }} 0')
            todo += [branch for _, branch in reversed(node.branches)]
        else:
            number = numbers_seen[node.player].setdefault(
                node.knows, len(numbers_seen[node.player]) + 1
            )
            orders = " ".join(f'"{number}: {order}"' for order in map(str, node.orders))
            lines.append(f'p "" {node.player + 1} {number} "" {{ {orders} }} 0')
            todo += reversed(node.branches)
    return "\n".join(lines) + "\n"
