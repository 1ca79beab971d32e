"""The view of each side: situation, log and prompt, as values that JSON can represent."""

from fractions import Fraction
from functools import cached_property
from typing import Any

import attrs

from fireplan.errors import InputError
from fireplan.table.cards import CardSeen, card_seen, hand_of, read_card
from fireplan.table.chronicle import LogLine, SideKnowledge, ThrowResult, side_knowledge, subject_of
from fireplan.table.forecasts import (
    leads_on,
)
from fireplan.table.history import GivenInput
from fireplan.table.legal_orders import offered
from fireplan.table.order_reader import OrderReader
from fireplan.table.past_throws import outcome_of
from fireplan.table.prompts import Prompt, Prompter
from fireplan.table.session import Session
from fireplan.table.sides import Visibility
from fireplan.table.situation import Outlook, Spot, TableSituation
from fireplan.table.words import Words
from fireplan_core import (
    REFEREE,
    Ask,
    Form,
    Order,
    Place,
    Refusal,
    Scenario,
)
from fireplan_core.chance import Face
from fireplan_core.play import State
from fireplan_core.play.table import Answered, Table, Thrown
from fireplan_core.space import is_place


@attrs.frozen
class SideView:
    """Everything that a side may see: situation, log and prompt.

    ``fell`` describes the last input, if it was a roll that the side sees; ``drawn`` is the card if
    it drew one. ``hand`` contains the cards in the side's hand; a card that it has not looked at
    shows at most its name. ``heading`` says when it is, such as "turn 2 of 3".
    """

    side: str
    situation: TableSituation
    log: tuple[LogLine, ...]
    form: Prompt
    fell: str = ""
    hand: tuple[CardSeen, ...] = ()
    drawn: tuple[CardSeen, ...] = ()
    heading: str = ""


def moment_heading(situation: TableSituation, scenario: Scenario) -> str:
    """Return the moment and the number of moments, such as "turn 2 of 3"."""
    number, many, when = situation.moment, situation.moments, situation.when
    if when.endswith(f" {number}"):
        return f"{when} of {many}"
    return f"{scenario.clock.moment} {number} of {many}: {when}"


def view_of(session: Session, side: str) -> SideView:
    """Return everything that a side may see of a table now.

    ``REFEREE`` sees everything, and so do all sides once the records are open.
    """
    return Viewer(session, side).all()


def as_data(view: Any) -> Any:
    """Return a view, or a part of one, as data for JSON; chances are exact fractions as text."""

    def plain(_owner: Any, _field: Any, value: Any) -> Any:
        return str(value) if isinstance(value, Fraction) else value

    return attrs.asdict(view, value_serializer=plain)


class Viewer:
    """The view of a session for one side, computed whole or part by part."""

    def __init__(self, session: Session, side: str) -> None:
        self.session = session
        self.side = side
        self.eyes = Visibility(session.scenario, REFEREE if session.revealed else side)
        self.words = Words(session.scenario)

    @cached_property
    def known(self) -> SideKnowledge:
        """Everything that the side has learnt so far."""
        return side_knowledge(self.session, self.eyes)

    @property
    def _outlook(self) -> Outlook:
        """This side's view of the table."""
        table = self.session.table
        return Outlook(
            self.eyes,
            self.session.moments,
            table.state,
            table.waits_for,
            self.known.names,
            (entry.event for entry in table.log),
            self._last_aim,
        )

    def all(self) -> SideView:
        """Return the whole view."""
        return SideView(
            self.side,
            self.situation(),
            self.known.lines,
            self.form(),
            self.fell(),
            self.hand(),
            self.drawn(),
            self.heading(),
        )

    def hand(self) -> tuple[CardSeen, ...]:
        """Return the cards in this side's hand.

        A card that the side has not looked at shows at most its name.
        """
        return hand_of(self.session, self.side)

    def drawn(self) -> tuple[CardSeen, ...]:
        """Return the cards just drawn.

        Return an empty tuple if this side does not see them, or if the game lists no printed cards.
        """
        last = self._last_throw()
        if last is None or last.event is None or not isinstance(last.given, Thrown):
            return ()
        printed = self.words.cards.printed(last.event)
        return tuple(card_seen(self.words, printed[face]) for face in last.given.faces if printed)

    def _last_throw(self) -> GivenInput | None:
        """Return the last input if it was a throw that this side sees, else None."""
        standing = self.session.history.standing[-1:]
        last = standing[0].move if standing else None
        if last is None or not isinstance(last.given, Thrown) or not self.eyes.sees(last.who):
            return None
        return last

    def fell(self, *, whole: bool = True) -> str:
        """Return the last input in words if it was a roll that this side sees, else "".

        Unless ``whole`` is set, a result that the log already reports is left out.
        """
        last = self._last_throw()
        if last is None or not isinstance(last.given, Thrown):
            return ""
        subject = self._subject(last.before, self.words.roll(last.given.name))
        about = f" ({subject})" if subject else ""
        result = ThrowResult.of(self.session.scenario, last, self.eyes)
        if last.event is not None and self.words.cards.printed(last.event) and not whole:
            return "" if leads_on(result.unreported) else result.unreported
        if last.event is not None and self.words.verb(last.event) == "draw":
            roll = f"drew {result.count}{about}"
        else:
            roll = f"roll for {self.words.roll(last.given.name)}{about}, {result.sum}"
        if rest := result.meaning if whole else result.unreported:
            return f"{roll}{'; ' if leads_on(rest) else ': '}{rest}"
        return roll if result.count.sums else ""

    def heading(self) -> str:
        """Return the moment and the number of moments, such as "turn 2 of 3".

        Once the game is over, return "at the end": play may have ended long before the last moment.
        """
        if self.session.table.waits_for is None:
            return "at the end"
        return moment_heading(self.situation(), self.session.scenario)

    def situation(self) -> TableSituation:
        """Return the current situation as the side sees it."""
        return self._outlook.situation()

    def _last_aim(self, mission: str) -> Place:
        """Return the place at which the last round of a mission was aimed.

        Return None if no round has landed, or if it landed without a throw for this mission.
        """
        for each in reversed(self.session.history.standing):
            landed = (e.event for e in each.move.entries if e.event.kind in ("spotting", "fall"))
            if any(event["mission"] == mission for event in landed):
                state = each.before.state
                thrown = isinstance(each.move.given, Thrown) and mission in state.agenda[0].args
                return state.values.get(f"missions/{mission}/aim", None) if thrown else None
        return None

    # --- the prompt ------------------------------------------------------------------------------
    @property
    def _asked(self) -> Ask | None:
        """The question that this side must answer now, or None."""
        ask = self.session.table.question_due
        return ask if ask is not None and self.side in (REFEREE, ask.who) else None

    def read_order(self, text: str, *, fill: bool = False) -> Order:
        """Parse an order typed in full, as an answer to this side's question.

        With ``fill``, a value that is left out becomes the first candidate. Raise ``InputError`` if
        the words cannot be parsed, or if this side has no question to answer.
        """
        if self._asked is None:
            raise InputError("this side has no order to give now")
        return OrderReader(self.session.scenario).read(text, self.forms(), fill=fill)

    def read_card(self, text: str) -> Face | None:
        """Return the card that ``text`` names in the pending draw, as this side sees it.

        Return None unless a draw of printed cards is pending. Raise ``InputError`` if no card fits,
        if several different ones do, or if the card is not in the deck now.
        """
        believed, event = self._believed, self._believed.throw_due
        due = self.session.throw_due
        if event is None or due is None or not self.words.cards.printed(event):
            return None
        drawn = [face for face, weight in due.faces[0].weights if weight]
        return read_card(self.words, event, text, drawn, lambda face: outcome_of(believed, (face,)))

    def choices(self) -> tuple[Spot, ...]:
        """Return the places that this side may name in the order that is due, best first.

        Return an empty tuple if this side has no order to give.
        """
        frame = self.session.scenario.frame
        if self._asked is None:
            return ()
        orders = (order for order, refusal in offered(self.session.table) if refusal is None)
        places = (value for order in orders for _, value in order.values if is_place(frame, value))
        return tuple(
            Spot(frame.label(place), *frame.metres(place)) for place in dict.fromkeys(places)
        )

    def forms(self) -> tuple[Form, ...]:
        """Return the forms of the orders that answer the pending question.

        The result is empty if no question is pending.
        """
        table = self.session.table
        ask = table.question_due
        return () if ask is None else tuple(table.rulebook.forms(ask, table.read))

    def form(self) -> Prompt:
        """Return the prompt for this side."""
        waits = self.session.table.waits_for
        if waits is None:
            return Prompt("over", question=self._ending())
        if not isinstance(waits, Ask):
            if not self.eyes.sees(waits.seen_by):
                return Prompt("wait")
            roll = self.words.roll(waits.name)
            return self._prompter.dice(self._subject(self.session.table.state, roll))
        if self.side not in (REFEREE, waits.who):
            heard = self.eyes.hears(waits.who, waits.question)
            return (
                Prompt("wait", waits.who, self.words.question(waits)) if heard else Prompt("wait")
            )
        return self._prompter.orders(waits)

    def _ending(self) -> str:
        """Return a sentence saying that the game is over.

        If play ended before the last moment, the sentence names the moment after which nothing more
        could happen.
        """
        last = self.known.lines[-1].when if self.known.lines else ""
        if last == self.situation().when:
            return "The game is over"
        return f"The game is over: nothing more could happen after {last}"

    def give(self, order: Order) -> Refusal | None:
        """Submit an order for this side; return the refusal, or None if it is accepted.

        A refusal reveals nothing to a side that has no order to give.
        """
        if self._asked is None:
            return Refusal("", "this side has no order to give now")
        answer = self.session.order(order)
        return answer if isinstance(answer, Refusal) else None

    def takes_back(self) -> str:
        """Return the last order or throw that this side can take back by itself, in words, or "".

        Taking back another side's order needs that side's agreement, and is not described.
        """
        last = self.session.last
        if last is None or self.side not in (last.who or self.side, REFEREE):
            return ""
        if not isinstance(last.given, Answered):
            return self.words.act(last.given.name, last.event)
        order, question = last.given.order, last.given.question
        return (
            self.words.deed(order, last.form, question)
            if last.form
            else self.words.typed.order(order)
        )

    @cached_property
    def _believed(self) -> Table:
        """The table with only the cards this side knows, from which its odds are computed."""
        table = self.session.table
        known = self.eyes.known_cards(table.state)
        return table if known is table.state else table.knowing(known)

    @property
    def _prompter(self) -> Prompter:
        return Prompter(self.session, self.side, self.eyes, self.words, self._believed)

    def _subject(self, state: State | None, roll: str) -> str:
        """Return the assets and units for which dice are thrown, as this side names them."""
        return subject_of(self.words, self.eyes, self.known.names, state, roll)
