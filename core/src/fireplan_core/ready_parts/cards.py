"""Ready parts with hands of cards: a side's card calls for fire, the other side's denies it."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from fireplan_core import cycle
from fireplan_core.chance import Chance
from fireplan_core.mission import Reason
from fireplan_core.ready_parts.base import Hand
from fireplan_core.ready_parts.delays import FixedDelay
from fireplan_core.ready_parts.requests import AskAndFire
from fireplan_core.steps.decks import Cards
from fireplan_core.steps.effects import Effects, ask, push, step
from fireplan_core.steps.questions import Form, orders
from fireplan_core.steps.view import View


class KindsOfCards(Hand):
    """A part whose sides hold cards of a few kinds.

    ``kinds`` maps the number on a card to its kind.
    """

    kinds: Mapping[int, str]

    def kind_of(self, face: Any) -> Any:
        """Return the kind of a card in a hand, given its number."""
        return self.kinds[face]


class CallByCard(KindsOfCards, AskAndFire):
    """Requests in which a card from the caller's hand calls for fire.

    A card of the kind ``calls_with`` calls for fire. Instead, the caller may discard a card of the
    kind ``changes`` and draw another; if ``changes`` is empty, no card may be discarded. With
    ``shuffled``, the discards are shuffled into the deck before each opportunity, not only when the
    deck is empty.

    >>> class Calls(CallByCard):
    ...     cites = dict.fromkeys(("hand", "requested", "fire", "cancel", "sight"), "3.1")
    ...     deck, hand, calls_with = "fate", 4, "high"
    ...     kinds = {1: "low", 2: "low", 3: "high"}
    >>> Calls("my_game", {}, {}).kind_of(3)
    'high'
    """

    calls_with: str
    changes: str = ""
    shuffled: bool = False

    @step(cite="hand")
    def opportunity(self, chance: Chance, view: View, mission: str) -> Effects:
        """Fill the caller's hand, then ask whether a card calls for fire."""
        side = view.side(mission)
        shuffle = Cards(view, self.deck).shuffle() if self.shuffled else Effects()
        return Effects(shuffle, self.filled(view, side), ask(side, self.ask, mission))

    @orders(cite="requested", secret=True)
    def ask(self, view: View, mission: str) -> Iterator[Form]:
        """Yield the orders of the caller: call with a card, change a card, or pass."""
        cite, side = self.cites["requested"], view.side(mission)
        call = self.play(view, side, self.calls_with, push(cycle.request, mission), cite)
        yield Form("call", cite, does=call)
        if self.changes:
            change = self.play(view, side, self.changes, push(self.deal, side), cite)
            yield Form("change", cite, does=change)
        yield Form("pass", cite)


class DeniedByCard(KindsOfCards, FixedDelay):
    """Delays in which a card of the other side may deny a request.

    The card is of the kind ``denies_with``. A request that is not denied has a fixed delay.

    >>> from fractions import Fraction
    >>> class Signals(DeniedByCard):
    ...     cites = dict.fromkeys(("moment", "delay", "hand", "denied"), "2.1")
    ...     minutes, delay = Fraction(5), 1
    ...     deck, hand, denies_with = "fate", 4, "low"
    ...     kinds = {1: "low", 2: "low", 3: "high"}
    >>> list(Signals("my_game", {}, {}).questions())
    ['delays.answer']
    """

    needs: ClassVar[tuple[str, ...]] = ("denied",)
    denies_with: str

    @step(cite="denied")
    def request(self, chance: Chance, view: View, mission: str) -> Effects:
        """Fill the other side's hand, and ask whether it denies the request."""
        other = view.other(view.side(mission))
        return Effects(self.filled(view, other), ask(other, self.answer, mission))

    @step(cite="delay")
    def allowed(self, chance: Chance, view: View, mission: str) -> Effects:
        """Begin the delay for a request that is not denied."""
        return super().request(chance, view, mission)

    @orders(cite="denied", secret=True)
    def answer(self, view: View, mission: str) -> Iterator[Form]:
        """Yield the orders of the other side: deny with a card, or allow the request."""
        cite, other = self.cites["denied"], view.other(view.side(mission))
        over = push(cycle.close, mission, Reason.DENIED, cite)
        yield Form("deny", cite, does=self.play(view, other, self.denies_with, over, cite))
        yield Form("allow", cite, does=push(self.allowed, mission))
