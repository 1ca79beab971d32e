"""Delays: player turns, hands of cards, the radio.

Requests wait for a card, and another card may deny them (4-8).
"""

from collections.abc import Iterator
from fractions import Fraction

from fireplan_combat_commander.call import DENIED, REQUEST, Knowing, Nerve
from fireplan_core import (
    FINAL,
    Cards,
    Clock,
    Delays,
    Event,
    Form,
    Keeps,
    Setup,
    View,
    cycle,
    kept,
    orders,
    record,
)
from fireplan_core.chance import Chance
from fireplan_core.mission import Intent, Outcome, Reason, Stage
from fireplan_core.steps.effects import Effects, ask, emit, push, step, update

WAITING = (Stage.REQUESTED, Stage.DELAYED, Stage.SPOTTING)


@record
class Radio:
    """How a radio is; one that is eliminated has ended for good."""

    broken: bool = kept(False, "whether it is broken", "7")


@record
class Turn:
    """What the active player has done with his hand."""

    played: int = kept(
        0, "orders that the active player has played in this turn", "S4", between=(0, 72)
    )


class CCDelays(Knowing, Delays):
    """Each side has a player turn in a round.

    A request needs a card, which is looked for in the hand.

    Of a hand no more is known than was asked of it: its cards are drawn when they are looked at,
    which changes no chance, since unseen cards are like those of the deck.
    """

    keeps = Keeps(assets=(Radio,), table=(Turn,))

    def shows(self, scenario: Setup, event: Event, side: str) -> Event | None:
        """4: that no card was found in a hand, whoever holds it alone is told."""
        return None if event.kind == "no_card" else super().shows(scenario, event, side)

    def clock(self) -> Clock:
        """D13: a round of two player turns, of as many minutes as the option says."""
        return Clock.even(Fraction(self.options["turn_minutes"]), "round", "D13")

    @step(cite="S4")
    def moment(self, _chance: Chance, view: View) -> Effects:
        """Give each side its player turn, who fires first."""
        return Effects(*(push(self.player_turn, side.name) for side in self.call(view).sides))

    @step(cite="S4")
    def player_turn(self, _chance: Chance, view: View, side: str) -> Effects:
        """Let a side call with its own radios, deny those of the other (asked every turn), and make up its hand."""
        own = [mission for mission in view.missions if view.side(mission) == side]
        others = [mission for mission in view.missions if view.side(mission) != side]
        heard = [mission for mission in others if view.mission(mission).reason not in FINAL]
        return Effects(
            *(push(cycle.opportunity, mission) for mission in own),
            *(push(self.activate, mission) for mission in own),
            *(ask(side, self.denial, mission, side) for mission in heard),
            push(self.end_turn, side),
        )

    @step(cite="4, D2, D19")
    def activate(self, _chance: Chance, view: View, mission: str) -> Effects:
        """Activate the leader for a radio whose fire is wanted, if he is fit to spot."""
        if view.mission(mission).stage not in WAITING:
            return Effects()
        spotter = self.call(view, mission).spotter
        if spotter in view.units:
            nerve = view.peek_unit(str(spotter), Nerve)
            if nerve.eliminated or (self.options["spotter"] == "unbroken" and nerve.broken):
                return Effects(emit("no_leader", "D2", mission=mission))
        return Effects(push(self.look, mission, view.side(mission), REQUEST))

    @step(cite="4, 7, D11")
    def look(self, chance: Chance, view: View, mission: str, side: str, wanted: str) -> Effects:
        """Look through the hand, card by card, until one of those wanted is found; play it."""
        deck = Cards(view, side)
        orders_of = self.useful(view, side)
        hand = deck.pile(side)
        for kinds, _ in hand:
            if orders_of[kinds[0]] == wanted:
                played = update(view.shared(Turn), played=view.shared(Turn).played + 1)
                follows = push(self.use, mission) if wanted == REQUEST else push(self.deny, mission)
                return Effects(deck.move(side, kinds), played, follows)
        unseen = (
            self.side(view, side).hand - view.shared(Turn).played - sum(count for _, count in hand)
        )
        if unseen <= 0:
            return Effects(
                emit("no_card", "4", mission=mission) if wanted == REQUEST else Effects()
            )
        _, card = deck.draw(chance, "hand", orders_of.__getitem__, into=side)
        return Effects(card, push(self.look, mission, side, wanted))

    @step(cite="5, 6, 8")
    def use(self, _chance: Chance, view: View, mission: str) -> Effects:
        """Repair a broken radio with the card, or call fire for effect."""
        radio = view.own(mission, Radio)
        if radio.broken:
            return Effects(update(radio, broken=False), emit("repaired", "5", mission=mission))
        return Effects(push(cycle.ready, mission, Outcome.GOOD, "card"))

    @step(cite="8, D3")
    def released(self, _chance: Chance, view: View, mission: str, intent: Intent) -> Effects:
        """D3: with a use for each card the radio may be called again in the same turn, by another leader."""
        if self.options["radio_use"] == "turn" or intent is not Intent.EFFECT:
            return Effects()
        again = push(cycle.opportunity, mission), push(self.activate, mission)
        return Effects(push(cycle.close, mission, Reason.DELIVERED, "16"), *again)

    @orders(cite="7", secret=True)
    def denial(self, _view: View, mission: str, side: str) -> Iterator[Form]:
        """Ask whether Artillery Denied is played, if the hand has one."""
        yield Form("deny", "7", does=push(self.look, mission, side, DENIED))
        yield Form("pass", "7")

    @step(cite="7")
    def deny(self, _chance: Chance, view: View, mission: str) -> Effects:
        """Break an intact radio, eliminate a broken one."""
        radio = view.own(mission, Radio)
        if radio.broken:
            return Effects(push(cycle.close, mission, Reason.LOST, "7"))
        return Effects(update(radio, broken=True), emit("radio_broken", "7", mission=mission))

    def useful(self, view: View, side: str) -> dict[int, str]:
        """Return the order on each card of a side's deck, if the side can use it here: else all are alike."""
        owners = {view.side(mission) for mission in view.missions}
        wanted = (REQUEST,) * (side in owners) + (DENIED,) * bool(owners - {side})
        return {
            number: card.order if card.order in wanted else ""
            for number, card in self.cards(view, side).items()
        }

    @step(cite="S4, S5")
    def end_turn(self, _chance: Chance, view: View, side: str) -> Effects:
        """Refill the hand with unseen cards; who has played nothing may discard first."""
        turn = view.shared(Turn)
        played = update(turn, played=0)
        if self.options["cards"] != "all":
            return Effects(played, push(self.refresh, side))
        if turn.played:
            return Effects(played)
        return (
            Effects(ask(side, self.discards, side)) if Cards(view, side).pile(side) else Effects()
        )

    @step(cite="D11")
    def refresh(self, _chance: Chance, view: View, side: str) -> Effects:
        """D11: take the deck of a side anew, its hand unseen."""
        deck = Cards(view, side)
        for kinds, _ in deck.pile(side):
            return Effects(deck.move(side, kinds, into=None), push(self.refresh, side))
        return deck.shuffle()

    @orders(cite="S4", secret=True)
    def discards(self, _view: View, side: str) -> Iterator[Form]:
        """Ask whether the cards that were of no use are discarded for new ones."""
        yield Form("discard", "S4", does=push(self.discard, side))
        yield Form("keep", "S4")

    @step(cite="S4")
    def discard(self, _chance: Chance, view: View, side: str) -> Effects:
        """Discard the cards that were looked at, one by one."""
        deck, orders_of = Cards(view, side), self.useful(view, side)
        useless = next((kinds for kinds, _ in deck.pile(side) if not orders_of[kinds[0]]), None)
        return (
            Effects()
            if useless is None
            else Effects(deck.move(side, useless), push(self.discard, side))
        )
