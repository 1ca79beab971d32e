"""Prompts: the order or the throw that a side is asked for, with everything it may know of it."""

from collections import Counter
from collections.abc import Iterable

import attrs

from fireplan.table.cards import CardSeen, card_seen
from fireplan.table.forecasts import Prospect, ahead, certain_of, forecast, modifiers_of, number_of
from fireplan.table.legal_orders import offered
from fireplan.table.session import Session
from fireplan.table.sides import Visibility
from fireplan.table.words import Words
from fireplan_core import Ask, Form, Order
from fireplan_core.chance import ChanceEvent, Face
from fireplan_core.play.table import Table
from fireplan_core.space import is_place

FORECASTS = 2
"""Maximum number of orders of one form whose throws are forecast."""


@attrs.frozen
class OrderSeen:
    """An order on offer, as typed and in words, with its rule or the reason why it is refused.

    ``roll`` is the throw or draw it leads to ("draw for drift"), and ``prospects`` are its possible
    results. It is ``elsewhere`` if it only records what has happened outside the table. ``remark``
    is what the game remarks on its values ("eliminates I-77"), or "".
    """

    text: str
    words: str
    verb: str
    summary: str
    cite: str
    standard: bool
    refusal: str
    roll: str
    prospects: tuple[Prospect, ...]
    elsewhere: bool = False
    remark: str = ""


@attrs.frozen
class SlotSeen:
    """A slot of an order form, with its candidates as typed.

    It is ``free`` if it may have other values too, and a ``place`` if its values are places.
    """

    verb: str
    name: str
    meaning: str
    candidates: tuple[str, ...]
    secret: bool
    may_be_left_out: bool = False
    """True if the value has no alternative and need not be typed."""
    free: bool = False
    place: bool = False


@attrs.frozen
class DieSeen:
    """A die of a throw: its meaning, its faces, and the face that fell ("" before the throw).

    ``cards`` are the different cards that may be drawn, if the game lists their printed faces.
    """

    label: str
    faces: tuple[str, ...]
    fallen: str
    cards: tuple[CardSeen, ...] = ()


@attrs.frozen
class Prompt:
    """The order or the throw for which a side is prompted, if there is one.

    ``kind`` is ``order`` (``orders`` and ``slots`` are then on offer), ``dice`` (a throw is due),
    ``wait`` (for another side) or ``over``.

    ``question`` is the question in words; for dice, the assets and units for which they are thrown;
    at the end, a sentence that the game is over. ``who`` is the side that must answer; it is empty
    for dice, and if this side must not know.

    For dice, ``roll`` is the name of the roll, ``verb`` is "Roll" or "Draw", ``prospects`` are the
    possible results, and ``certain`` describes the effects that all of them have. ``modifiers`` are
    those that the prospects include; if they are not added to the dice, ``number`` names their sum,
    such as "the number to hit is 10".
    """

    kind: str
    who: str = ""
    question: str = ""
    orders: tuple[OrderSeen, ...] = ()
    slots: tuple[SlotSeen, ...] = ()
    roll: str = ""
    dice: tuple[DieSeen, ...] = ()
    prospects: tuple[Prospect, ...] = ()
    modifiers: tuple[str, ...] = ()
    number: str = ""
    verb: str = ""
    certain: str = ""

    @property
    def choices(self) -> tuple[OrderSeen, ...]:
        """Return the orders to choose from: the legal ones that do more than record an event."""
        return tuple(each for each in self.orders if not each.refusal and not each.elsewhere)


@attrs.frozen(eq=False)
class Prompter:
    """A writer of prompts for one side; ``believed`` is the table with only the cards it knows."""

    session: Session
    side: str
    eyes: Visibility
    words: Words
    believed: Table

    def dice(self, subject: str) -> Prompt:
        """Return the prompt for the dice of the pending throw, which the ``subject`` throws."""
        waits = self.believed.throw_due
        assert waits is not None  # noqa: S101 - the same step throws, whatever cards are known
        fallen = [str(face) for face in self.session.faces]
        dice = tuple(
            DieSeen(
                self.words.die(waits.name, die.label),
                tuple(str(face) for face, weight in die.weights if weight),
                fallen[n] if n < len(fallen) else "",
                self._cards(waits, [face for face, weight in die.weights if weight]),
            )
            for n, die in enumerate(waits.faces)
        )
        prospects = forecast(self.believed, self.eyes.learns, self.side)
        return Prompt(
            "dice",
            question=subject,
            roll=self.words.roll(waits.name),
            dice=dice,
            prospects=prospects,
            modifiers=modifiers_of(prospects),
            number=number_of(prospects),
            verb=self.words.verb(waits).capitalize(),
            certain=certain_of(prospects),
        )

    def _cards(self, event: ChanceEvent, faces: Iterable[Face]) -> tuple[CardSeen, ...]:
        """Return the different cards among these faces, sorted by their dice.

        Return no cards if none are printed for this draw.
        """
        printed = self.words.cards.printed(event)
        cards = dict.fromkeys(card_seen(self.words, printed[face]) for face in faces if printed)
        return tuple(sorted(cards, key=lambda card: (card.dice, card.text)))

    def orders(self, waits: Ask) -> Prompt:
        """Return the prompt for an order that answers a question, the standard order first."""
        table = self.session.table
        rulebook = table.rulebook
        forms = rulebook.forms(waits, table.read)
        by_verb = {form.verb: form for form in forms}
        standard = rulebook.answer(waits, {}, table.read)
        orders_offered = dict(offered(self.session.table))
        orders_offered.setdefault(standard, rulebook.refuse(waits, standard, table.read))
        counts = Counter[str]()
        orders = []
        for order, refusal in sorted(orders_offered.items(), key=lambda pair: pair[0] != standard):
            counts[order.verb] += refusal is None
            forecast_it = refusal is None and counts[order.verb] <= FORECASTS
            roll, prospects = (
                ahead(self.believed, order, self.eyes.learns, self.side)
                if forecast_it
                else ("", ())
            )
            form = by_verb[order.verb]
            orders.append(
                OrderSeen(
                    text=self.words.typed.order(order, forms),
                    words=self.words.deed(order, form, waits.question),
                    verb=order.verb,
                    summary=form.summary,
                    cite=form.cite,
                    standard=order == standard,
                    refusal="" if refusal is None else str(refusal),
                    roll=roll,
                    prospects=prospects,
                    elsewhere=form.elsewhere,
                    remark=_remark(order, form),
                )
            )
        return Prompt(
            "order",
            waits.who,
            self.words.question(waits),
            orders=tuple(orders),
            slots=self._slots(forms),
        )

    def _slots(self, forms: Iterable[Form]) -> tuple[SlotSeen, ...]:
        frame = self.session.scenario.frame
        return tuple(
            SlotSeen(
                form.verb,
                slot.name,
                slot.meaning,
                tuple(
                    self.words.typed.value(value, slot.name, quoted=True)
                    for value in slot.candidates
                ),
                slot.secret,
                slot.single,
                slot.free,
                any(is_place(frame, value) for value in slot.candidates),
            )
            for form in forms
            for slot in form.slots
        )


def _remark(order: Order, form: Form) -> str:
    """Return the remarks of a form on the values of an order, or ""."""
    values = dict(order.values)
    return "; ".join(
        remark
        for slot in form.slots
        for value, remark in slot.remarks
        if slot.name in values and values[slot.name] == value
    )
