"""Kuhn and Leduc poker, written with the parts of a game: cards are units that the other side does
not see.

Programs that solve games with hidden information are usually tested on them, because their values
are known.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

import attrs
from null_game import NullAreas, NullDelays, NullObservers, NullRequests

from fireplan.duels import Duel, World
from fireplan.solver.best import Goal, OpenDecisions
from fireplan_core import (
    Effects,
    Engagement,
    Form,
    Game,
    Keeps,
    PartTypes,
    Place,
    Resolution,
    Severity,
    Shot,
    Staging,
    View,
    ask,
    emit,
    hookimpl,
    kept,
    orders,
    parts_of,
    push,
    record,
    step,
    update,
)
from fireplan_core.chance import Chance
from fireplan_core.ledger import read_ledger
from fireplan_core.play import Catalogue, opening, stage_engagement
from fireplan_core.setups.setup import Setup

HERE = Path(__file__).parent
FIRST, SECOND = "card of the first", "card of the second"


@record
class Card:
    """A card in hand."""

    rank: int = kept(0, "its rank", "N5")


@record
class Pot:
    """The actions of each round, and the open card."""

    said: str = kept("", "what has been said", "N5")
    open: int = kept(0, "the rank of the open card", "N5")


class PokerDelays(NullDelays):
    """Delays for a game that takes a single moment."""

    @step(cite="N1")
    def moment(self, chance: Chance, view: View) -> Effects:
        return Effects(push(parts_of(view).resolution.manoeuvre, "firer"))


class Poker(Resolution):
    """The rules that both games share: a card for each player, and whose turn it is."""

    keeps = Keeps(units=(Card,), table=(Pot,))
    severities: ClassVar = {"destroyed": Severity.DESTROYED}

    def stage(self, staging: Staging) -> None:
        (place, *_) = staging.target_places()
        staging.unit(FIRST, "firer", place, strength=1, slot=Card(), facts=None)
        staging.unit(SECOND, "target", place, strength=1, slot=Card(), facts=None)
        staging.share(self.word, Pot())

    def hides(self, scenario: Setup, name: str, side: str) -> bool:
        return name in (FIRST, SECOND)

    @step(cite="N5")
    def strike(self, chance: Chance, view: View, mission: str, place: Place, shot: Shot) -> Effects:
        return Effects()

    @step(cite="N5")
    def manoeuvre(self, chance: Chance, view: View, side: str) -> Effects:
        return Effects(push(self.turn))

    @step(cite="N5")
    def turn(self, chance: Chance, view: View) -> Effects:
        raise NotImplementedError

    def asked(self, view: View, number: int) -> Effects:
        return Effects(ask(("firer", "target")[number], self.bet, view.shared(Pot).said))

    @orders(cite="N5")
    def bet(self, view: View, said: str) -> Iterator[Form]:
        raise NotImplementedError

    def say(self, view: View, word: str) -> Effects:
        pot = view.shared(Pot)
        return Effects(update(pot, said=pot.said + word), push(self.turn))

    def ranks(self, view: View) -> tuple[int, int]:
        return view.unit(FIRST, Card).rank, view.unit(SECOND, Card).rank


def won(amount: int) -> Effects:
    return Effects(emit("won", "N5", amount=amount))


class Kuhn(Poker):
    """Kuhn poker: three cards, one bet."""

    @orders(cite="N5")
    def bet(self, view: View, said: str) -> Iterator[Form]:
        yield Form("pass", "N5", does=self.say(view, "p"), summary="pass")
        yield Form("bet", "N5", does=self.say(view, "b"), summary="bet")

    @step(cite="N5")
    def turn(self, chance: Chance, view: View) -> Effects:
        said = view.shared(Pot).said
        first, second = self.ranks(view)
        if said in ("bp", "pbp"):
            return won(1 if said == "bp" else -1)
        if said in ("pp", "bb", "pbb"):
            return won((1 if first > second else -1) * (1 if said == "pp" else 2))
        return self.asked(view, len(said) % 2)


class Leduc(Poker):
    """Leduc poker: six cards in three ranks, two rounds with bets of 2 and 4, at most two raises
    each, one open card.
    """

    def stakes(self, said: str) -> tuple[list[int], int, int, bool]:
        """Return the payments of each player, the number of the next player, the number of bets in
        the round, and whether anybody has acted in it.
        """
        paid, player, bets, spoken, number = [1, 1], 0, 0, False, 0
        for word in said:
            if word == "/":
                player, bets, spoken, number = 0, 0, False, number + 1
                continue
            if word in "cr":
                paid[player] = max(paid)
            if word == "r":
                paid[player] += (2, 4)[number]
                bets += 1
            player, spoken = 1 - player, True
        return paid, player, bets, spoken

    @orders(cite="N5")
    def bet(self, view: View, said: str) -> Iterator[Form]:
        paid, _, bets, _ = self.stakes(said)
        yield Form("call", "N5", does=self.say(view, "c"), summary="call or check")
        if paid[0] != paid[1]:
            yield Form("fold", "N5", does=self.say(view, "f"), summary="fold")
        if bets < 2:
            yield Form("raise", "N5", does=self.say(view, "r"), summary="bet or raise")

    @step(cite="N5")
    def turn(self, chance: Chance, view: View) -> Effects:
        said = view.shared(Pot).said
        paid, player, _, spoken = self.stakes(said)
        if said.endswith("f"):
            return won(-paid[0] if player == 1 else paid[1])
        called = said.endswith("c") and spoken and (said[-2:-1] not in ("", "/"))
        if called and "/" not in said:
            return Effects(push(self.deal))
        if called:
            return Effects(push(self.showdown))
        return self.asked(view, player)

    @step(cite="N5")
    def deal(self, chance: Chance, view: View) -> Effects:
        held, pot = self.ranks(view), view.shared(Pot)
        card = chance.draw("open", {rank: 2 - held.count(rank) for rank in (1, 2, 3)}).exact()
        return Effects(
            update(pot, said=pot.said + "/", open=card),
            emit("opened", "N5", rank=card),
            push(self.turn),
        )

    @step(cite="N5")
    def showdown(self, chance: Chance, view: View) -> Effects:
        pot = view.shared(Pot)
        first, second = ((rank == pot.open, rank) for rank in self.ranks(view))
        paid = self.stakes(pot.said)[0]
        return won(0 if first == second else paid[1] if first > second else -paid[0])


class Plugin:
    """A plugin for one of the two games."""

    def __init__(self, poker: type[Poker]) -> None:
        self.poker = poker

    @hookimpl
    def fireplan_game(self) -> Game:
        parts = PartTypes(NullObservers, NullRequests, PokerDelays, NullAreas, self.poker)
        return Game("poker", "Poker", "ours", read_ledger(HERE / "null_rules.toml"), parts=parts)


@attrs.frozen
class Won(Goal):
    """A measure: the first player's winnings."""

    kind: str = "won"

    def see(self, state: Any, letter: Any) -> Any:
        return state, (Fraction(letter["amount"]), Fraction(0))


def poker(kind: type[Poker], engagement: Engagement) -> Duel:
    """Return a game of poker in which each deal is a world with its chance."""
    catalogue = Catalogue()
    catalogue.admit(Plugin(kind))
    scenario = stage_engagement(catalogue, "poker", engagement)
    start, copies = opening(scenario), 1 if kind is Kuhn else 2
    worlds = []
    for first, second in product((1, 2, 3), repeat=2):
        ways = copies * (copies - (first == second))
        dealt = (
            (f"units/{FIRST}/resolution/rank", first),
            (f"units/{SECOND}/resolution/rank", second),
        )
        if ways:
            state = attrs.evolve(start, values=start.values.put(dealt))
            worlds.append(
                World(f"{first} and {second}", state, Fraction(ways, 3 * copies * (3 * copies - 1)))
            )
    decisions = OpenDecisions("firer"), OpenDecisions("target")
    return Duel(scenario, 1, Won(), decisions, tuple(worlds))
