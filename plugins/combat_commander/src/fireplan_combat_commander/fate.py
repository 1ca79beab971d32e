"""Fate: cards turned in place of dice, and the triggers that they carry (1-3, 19-21)."""

from collections.abc import Callable, Hashable, Iterator
from typing import TypeVar

from fireplan_combat_commander.call import MAP, PLAIN_CARD, Card, Knowing, Nerve
from fireplan_core import DISCARDS, Cards, Effects, Form, Slot, View, ask, emit, orders, push, step
from fireplan_core.chance import Chance, Face
from fireplan_core.space import distance

K = TypeVar("K", bound=Hashable)
BY_DICE = {
    "a round": ("attack", "defence"),
    "all": (),
    "requests": ("targeting", "drift", "attack", "defence"),
}
"""The rolls that are dice, by what is still turned from the deck (D12)."""
ASIDE = "aside"
"""The pile of a Time card that stays out of the shuffle (D20)."""


class Fate(Knowing):
    """A part that turns cards as dice.

    What a trigger does to a unit is its own matter (``sniped``).
    """

    def turn(
        self, chance: Chance, view: View, side: str, roll: str, reads: Callable[[Card], K]
    ) -> tuple[K, Effects]:
        """1, 2: turn a side's top card as dice.

        Return what is read, and the triggers, which come before the roll.

        D12: with dice every pair is as likely as in a full deck, nothing is remembered, and nothing
        is triggered; snipers and events are left out where the impact is by dice.
        """
        cards = self.cards(view, side)
        if roll in BY_DICE[self.options["cards"]]:
            pairs: dict[Face, int] = {number: 1 for number in cards if number < PLAIN_CARD}
            return chance.draw(roll, pairs).look_up(lambda number: reads(cards[number])), Effects()

        told = ("time", "sniper", "event") if self.lasting else ("time",)

        def asks(number: int) -> tuple[str, tuple[str, ...], K]:
            card = cards[number]
            trigger = card.trigger if card.trigger in told else ""
            same = trigger == "sniper" and self.options["sniper"] == "same card"
            return trigger, self.near(view, side, card) if same else (), reads(card)

        last = push(self.time) if self.is_last(view, side) else Effects()
        (trigger, near, found), drawn = Cards(view, side).draw(chance, roll, asks)
        if trigger == "time":
            like = tuple(number for number in cards if asks(number) == (trigger, near, found))
            if self.options["time_card"] == "shuffled":
                return found, Effects(drawn, push(self.time))
            out = push(self.put, side, like, DISCARDS, ASIDE)
            return found, Effects(
                drawn, out, push(self.time), push(self.put, side, like, ASIDE, DISCARDS)
            )
        if trigger == "sniper":
            same = self.options["sniper"] == "same card"
            return found, Effects(
                drawn, self.marked(view, side, near) if same else push(self.sniper, side), last
            )
        return found, Effects(drawn, push(self.event, side) if trigger else Effects(), last)

    @property
    def lasting(self) -> bool:
        """D11, D12: return whether everything is turned from decks that last."""
        return bool(self.options["cards"] == "all")

    def is_last(self, view: View, side: str) -> bool:
        """19: return whether the deck runs out with its next card: all others are discarded or in the hand."""
        deck, hand = Cards(view, side), self.side(view, side).hand
        known = sum(count for _, count in deck.pile(side))
        out = sum(count for pile in (DISCARDS, ASIDE) for _, count in deck.pile(pile))
        return out + max(hand, known) >= len(self.cards(view, side)) - 1

    @step(cite="19, D20")
    def put(
        self, _chance: Chance, view: View, side: str, kinds: tuple[int, ...], pile: str, into: str
    ) -> Effects:
        """Put the Time card aside, and back."""
        return Cards(view, side).move(pile, kinds, into=into)

    @step(cite="19")
    def time(self, _chance: Chance, view: View) -> Effects:
        """Advance the time: the defender scores, both decks are shuffled, one smoke goes."""
        sides = self.call(view).sides
        defender = next((side.name for side in sides if side.defends), "")
        told = emit("time", "19", side=defender)
        return Effects(
            told, self.smoke_goes(view), *(push(self.shuffled, side.name) for side in sides)
        )

    @step(cite="1, 19")
    def shuffled(self, _chance: Chance, view: View, side: str) -> Effects:
        """Shuffle a deck with its discards; hands stay out."""
        return Cards(view, side).shuffle()

    def smoke_goes(self, view: View) -> Effects:
        """19: one smoke goes."""
        raise NotImplementedError

    def near(self, view: View, side: str, card: Card) -> tuple[str, ...]:
        """20: return the enemies in or beside the random hex of a card.

        None on the map of another game.
        """
        if view.frame != MAP:
            return ()
        hit = MAP.parse(card.random_hex)
        return tuple(
            u
            for u in view.units
            if view.unit_side(u) != side and distance(view.place_of(u), hit) <= 1
        )

    @step(cite="20, D10")
    def sniper(self, chance: Chance, view: View, side: str) -> Effects:
        """D10: turn a further card for its random hex."""
        cards = self.cards(view, side)
        near, card = Cards(view, side).draw(
            chance, "random_hex", lambda number: self.near(view, side, cards[number])
        )
        return Effects(card, self.marked(view, side, near))

    def marked(self, view: View, side: str, near: tuple[str, ...]) -> Effects:
        """Ask which of the units at the random hex is hit, if any is left there."""
        left = tuple(unit for unit in near if not view.peek_unit(unit, Nerve).eliminated)
        return Effects(ask(side, self.snipe, left) if left else Effects())

    @orders(cite="20")
    def snipe(self, view: View, units: tuple[str, ...]) -> Iterator[Form]:
        """Ask whom the sniper hits."""
        one = Slot("unit", "a unit at the random hex", units)
        yield Form("snipe", "20", (one,), lambda unit: self.sniped(view, unit))

    def sniped(self, view: View, unit: str) -> Effects:
        """20: the unit breaks."""
        raise NotImplementedError

    @step(cite="21, D9")
    def event(self, chance: Chance, view: View, side: str) -> Effects:
        """D9: turn one more card for its event, which no source tells: it has no effect."""
        _, card = Cards(view, side).draw(chance, "event", lambda _: 0)
        return Effects(card, emit("event", "21", side=side))
