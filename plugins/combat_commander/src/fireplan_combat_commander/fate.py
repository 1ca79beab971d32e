"""Fate: cards turned instead of dice, and their triggers (1 to 3, 19 to 21)."""

from collections.abc import Callable, Hashable, Iterator
from functools import cache
from typing import TypeVar

from fireplan_combat_commander.call import BY_DICE, MAP, PLAIN_CARD, CallPart, Card, UnitState
from fireplan_core import DISCARDS, Cards, Effects, Form, Slot, View, ask, emit, orders, push, step
from fireplan_core.chance import Chance, Face
from fireplan_core.space import Hex, distance

K = TypeVar("K", bound=Hashable)
ASIDE = "aside"
"""The pile for a Time card that stays out of the shuffle (D20)."""


class Fate(CallPart):
    """A part that turns cards instead of rolling dice.

    Its subclasses apply a sniper's hit (``sniped``) and remove smoke (``smoke_goes``).
    """

    def turn(
        self, chance: Chance, view: View, side: str, roll: str, reads: Callable[[Card], K]
    ) -> tuple[K, Effects]:
        """Turn a side's top card for a roll; return its value and the effects (1, 2).

        ``reads`` gives the value of a card. Triggers come before the result of the roll. If an
        option replaces the cards with dice, every pair is as likely as in a full deck, and nothing
        is triggered or remembered (D12).
        """
        cards = self.cards(view, side)
        if roll in BY_DICE[self.options["cards"]]:
            pairs: dict[Face, int] = {number: 1 for number in cards if number < PLAIN_CARD}
            return chance.draw(roll, pairs).look_up(lambda number: reads(cards[number])), Effects()

        triggers = self.triggers

        def reading(number: int) -> tuple[str, tuple[str, ...], K]:
            card = cards[number]
            trigger = card.trigger if card.trigger in triggers else ""
            same = trigger == "sniper" and self.options["sniper"] == "same card"
            return trigger, self.near(view, side, card) if same else (), reads(card)

        last = push(self.time) if self.is_last(view, side) else Effects()
        (trigger, near, value), drawn = Cards(view, side).draw(chance, roll, reading)
        if trigger == "time":
            like = tuple(number for number in cards if reading(number) == (trigger, near, value))
            if self.options["time_card"] == "shuffled":
                return value, Effects(drawn, push(self.time))
            out = push(self.put, side, like, DISCARDS, ASIDE)
            return value, Effects(
                drawn, out, push(self.time), push(self.put, side, like, ASIDE, DISCARDS)
            )
        if trigger == "sniper":
            same = self.options["sniper"] == "same card"
            return value, Effects(
                drawn, self.marked(view, side, near) if same else push(self.sniper, side), last
            )
        return value, Effects(drawn, push(self.event, side) if trigger else Effects(), last)

    def is_last(self, view: View, side: str) -> bool:
        """Return whether the next card is the last of the deck (19)."""
        deck, hand = Cards(view, side), self.side(view, side).hand
        seen = sum(count for _, count in deck.pile(side))
        out = sum(count for pile in (DISCARDS, ASIDE) for _, count in deck.pile(pile))
        return out + max(hand, seen) >= len(self.cards(view, side)) - 1

    @step(cite="19, D20")
    def put(
        self, _chance: Chance, view: View, side: str, kinds: tuple[int, ...], pile: str, into: str
    ) -> Effects:
        """Move the Time card from one pile to another: the discards or the pile aside."""
        return Cards(view, side).move(pile, kinds, into=into)

    @step(cite="19")
    def time(self, _chance: Chance, view: View) -> Effects:
        """Advance time: score for the defender, remove a smoke marker, and shuffle both decks."""
        sides = self.call(view).sides
        defender = next((side.name for side in sides if side.defends), "")
        event = emit("time", "19", side=defender)
        return Effects(
            event, self.smoke_goes(view), *(push(self.shuffled, side.name) for side in sides)
        )

    @step(cite="1, 19")
    def shuffled(self, _chance: Chance, view: View, side: str) -> Effects:
        """Shuffle a side's discards into its deck; hands stay out."""
        return Cards(view, side).shuffle()

    def smoke_goes(self, view: View) -> Effects:
        """Return the effects of removing one smoke marker (19)."""
        raise NotImplementedError

    def near(self, view: View, side: str, card: Card) -> tuple[str, ...]:
        """Return the names of the enemies in or next to a card's random hex (20).

        There are none on another game's map.
        """
        if view.frame is not MAP and view.frame != MAP:
            return ()
        hit = _random_hex(card.random_hex)
        return tuple(
            u
            for u in view.units
            if view.unit_side(u) != side and distance(view.place_of(u), hit) <= 1
        )

    @step(cite="20, D10")
    def sniper(self, chance: Chance, view: View, side: str) -> Effects:
        """Turn a card for its random hex, near which the side may hit an enemy unit (20, D10)."""
        cards = self.cards(view, side)
        near, card = Cards(view, side).draw(
            chance, "random_hex", lambda number: self.near(view, side, cards[number])
        )
        return Effects(card, self.marked(view, side, near))

    def marked(self, view: View, side: str, near: tuple[str, ...]) -> Effects:
        """Return the effects of asking which of the surviving units in ``near`` is hit.

        There are none if no unit there survives. ``near`` are the units at the random hex.
        """
        alive = tuple(unit for unit in near if not view.peek_unit(unit, UnitState).eliminated)
        return Effects(ask(side, self.snipe, alive) if alive else Effects())

    @orders(cite="20")
    def snipe(self, view: View, units: tuple[str, ...]) -> Iterator[Form]:
        """Yield the order that names the unit hit by the sniper, one of ``units`` (20)."""
        target = Slot("unit", "a unit at the random hex", units)
        yield Form("snipe", "20", (target,), lambda unit: self.sniped(view, unit))

    def sniped(self, view: View, unit: str) -> Effects:
        """Return the effects of breaking the unit, or of recording it for later (20)."""
        raise NotImplementedError

    @step(cite="21, D9")
    def event(self, chance: Chance, view: View, side: str) -> Effects:
        """Turn one more card for its event, which has no effect as no source describes it (D9)."""
        _, card = Cards(view, side).draw(chance, "event", lambda _: 0)
        return Effects(card, emit("event", "21", side=side))


@cache
def _random_hex(label: str) -> Hex:
    return MAP.parse(label)
