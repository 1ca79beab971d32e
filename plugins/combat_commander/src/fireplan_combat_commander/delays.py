"""Delays: player turns, hands of cards, and the radio (4 to 8).

A request waits for an Artillery Request card; the opponent may play Artillery Denied.
"""

from collections.abc import Iterator
from fractions import Fraction

from fireplan_combat_commander.call import DENIED, REQUEST, CallPart, UnitState
from fireplan_core import (
    FINAL,
    REFEREE,
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
"""The stages in which a radio waits for a card."""


@record
class Radio:
    """The state of a radio; the mission of an eliminated radio has ended for good."""

    broken: bool = kept(False, "whether the radio is broken", "7")


@record
class Turn:
    """The number of orders that the active player has played this turn."""

    played: int = kept(0, "orders played by the active player this turn", "S4", between=(0, 72))


class CCDelays(CallPart, Delays):
    """The delays part: each side has a player turn in a round, and each request needs a card.

    The cards of a hand are drawn only when they are looked at. This changes no probability, because
    unseen cards in a hand and in the deck are interchangeable.
    """

    publishes = (Radio,)
    keeps = Keeps(assets=(Radio,), table=(Turn,))

    def shows(self, scenario: Setup, event: Event, side: str) -> Event | None:
        """Return an event as another side sees it; None if it shows a hand without a card (4)."""
        return None if event.kind == "no_card" else super().shows(scenario, event, side)

    def board(self, view: View, side: str) -> tuple[str, ...]:
        """Return a line on each radio that works after a call, and on each broken enemy one (6, 7).

        A radio's counter lies face up. A side's own broken radio needs no line here, because its
        own entry says that it is broken.
        """
        lines = list[str]()
        for mission in view.missions:
            enemy = side not in (REFEREE, view.side(mission))
            radio = f"the enemy's {mission}" if enemy else f"the {mission}"
            if view.mission(mission).reason in FINAL:
                continue
            if not view.peek(mission, Radio).broken:
                if view.mission(mission).stage in WAITING:
                    lines.append(f"{radio} works")
            elif enemy:
                lines.append(f"{radio} is broken")
        return tuple(lines)

    def clock(self) -> Clock:
        """Return a clock of rounds (two player turns), as long as an option says (D13)."""
        return Clock.even(Fraction(self.options["turn_minutes"]), "round", "D13")

    @step(cite="S4")
    def moment(self, _chance: Chance, view: View) -> Effects:
        """Give each side its player turn, starting with the firing side."""
        return Effects(*(push(self.player_turn, side.name) for side in self.call(view).sides))

    @step(cite="S4")
    def player_turn(self, _chance: Chance, view: View, side: str) -> Effects:
        """Let a side use its radios and deny the other side's requests, then refill its hand.

        A radio that has been called looks for a card; any other may be called.
        """
        own = [mission for mission in view.missions if view.side(mission) == side]
        others = [mission for mission in view.missions if view.side(mission) != side]
        deniable = [mission for mission in others if view.mission(mission).reason not in FINAL]
        return Effects(
            *(
                push(self.activate, mission)
                if view.mission(mission).stage in WAITING
                else push(cycle.opportunity, mission)
                for mission in own
            ),
            *(ask(side, self.denial, mission, side) for mission in deniable),
            push(self.end_turn, side),
        )

    @step(cite="4")
    def request(self, _chance: Chance, _view: View, mission: str) -> Effects:
        """Look for an Artillery Request as soon as fire is called for."""
        return Effects(push(self.activate, mission))

    @step(cite="4, D2, D19")
    def activate(self, _chance: Chance, view: View, mission: str) -> Effects:
        """Activate the leader for a radio with a request, if the leader can spot."""
        if view.mission(mission).stage not in WAITING:
            return Effects()
        spotter = self.call(view, mission).spotter
        if spotter in view.units:
            leader = view.peek_unit(str(spotter), UnitState)
            if leader.eliminated or (self.options["spotter"] == "unbroken" and leader.broken):
                return Effects(emit("no_leader", "D2", mission=mission))
        return Effects(push(self.look, mission, view.side(mission), REQUEST))

    @step(cite="4, 7, D11")
    def look(self, chance: Chance, view: View, mission: str, side: str, order: str) -> Effects:
        """Search the hand, card by card, for a card with this order, and play it.

        If the hand has none, the side plays nothing.
        """
        deck = Cards(view, side)
        orders_of = self.useful(view, side)
        hand = deck.pile(side)
        for kinds, _ in hand:
            if orders_of[kinds[0]] == order:
                played = update(view.shared(Turn), played=view.shared(Turn).played + 1)
                follows = (
                    push(self.use, mission) if order == REQUEST else push(self.deny, mission, side)
                )
                return Effects(deck.move(side, kinds), played, follows)
        unseen = (
            self.side(view, side).hand - view.shared(Turn).played - sum(count for _, count in hand)
        )
        if unseen <= 0:
            return Effects(emit("no_card", "4", mission=mission) if order == REQUEST else Effects())
        _, card = deck.draw(chance, "hand", orders_of.__getitem__, into=side)
        return Effects(card, push(self.look, mission, side, order))

    @step(cite="5, 6, 8")
    def use(self, _chance: Chance, view: View, mission: str) -> Effects:
        """Repair a broken radio with the request card, or fire with an intact radio."""
        radio = view.own(mission, Radio)
        if radio.broken:
            return Effects(update(radio, broken=False), emit("repaired", "5", mission=mission))
        return Effects(push(cycle.ready, mission, Outcome.GOOD, "card"))

    @step(cite="8, D3")
    def released(self, _chance: Chance, view: View, mission: str, intent: Intent) -> Effects:
        """Free the radio for another use in the same turn, if an option allows it (D3).

        Its fire for effect must have fallen. By default a radio is used once a turn.
        """
        if self.options["radio_use"] == "turn" or intent is not Intent.EFFECT:
            return Effects()
        again = push(cycle.opportunity, mission)
        return Effects(push(cycle.close, mission, Reason.DELIVERED, "16"), again)

    @orders(cite="7", secret=True)
    def denial(self, view: View, mission: str, side: str) -> Iterator[Form]:
        """Yield a side's orders against an enemy radio: play Artillery Denied, or pass (7)."""
        look, broken = push(self.look, mission, side, DENIED), view.own(mission, Radio).broken
        yield Form("deny", "7", does=look, fields={"broken": broken})
        yield Form("pass", "7")

    @step(cite="7")
    def deny(self, _chance: Chance, view: View, mission: str, side: str) -> Effects:
        """Break an intact radio, and ask for another card; if it is broken, end its mission."""
        radio = view.own(mission, Radio)
        if radio.broken:
            return Effects(push(cycle.close, mission, Reason.LOST, "7"))
        broken = update(radio, broken=True), emit("radio_broken", "7", mission=mission)
        return Effects(*broken, ask(side, self.denial, mission, side))

    def useful(self, view: View, side: str) -> dict[int, str]:
        """Map the card numbers of a side's deck to orders, or to "" if the order is useless now."""
        owners = {view.side(mission) for mission in view.missions}
        usable = (REQUEST,) * (side in owners) + (DENIED,) * bool(owners - {side})
        return {
            number: card.order if card.order in usable else ""
            for number, card in self.cards(view, side).items()
        }

    @step(cite="S4, S5")
    def end_turn(self, _chance: Chance, view: View, side: str) -> Effects:
        """End a player turn, after which the hand is full again.

        A side that played nothing may first discard its useless cards. Unless all rolls use cards
        (option ``cards``), the whole hand is shuffled back into the deck instead.
        """
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
        """Shuffle a side's hand back into its deck (D11)."""
        deck = Cards(view, side)
        for kinds, _ in deck.pile(side):
            return Effects(deck.move(side, kinds, into=None), push(self.refresh, side))
        return deck.shuffle()

    @orders(cite="S4", secret=True)
    def discards(self, view: View, side: str) -> Iterator[Form]:
        """Yield a side's orders for its useless cards: replace them, or keep them (S4)."""
        orders_of = self.useful(view, side)
        useful = any(orders_of[kinds[0]] for kinds, _ in Cards(view, side).pile(side))
        yield Form("discard", "S4", does=push(self.discard, side), fields={"useful": useful})
        yield Form("keep", "S4")

    @step(cite="S4")
    def discard(self, _chance: Chance, view: View, side: str) -> Effects:
        """Discard the useless cards that have been looked at, one at a time."""
        deck, orders_of = Cards(view, side), self.useful(view, side)
        useless = next((kinds for kinds, _ in deck.pile(side) if not orders_of[kinds[0]]), None)
        return (
            Effects()
            if useless is None
            else Effects(deck.move(side, useless), push(self.discard, side))
        )
