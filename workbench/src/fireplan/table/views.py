"""The view of each side: situation, log and prompt, as values that JSON can represent."""

from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any

import attrs

from fireplan.table.chronicle import LogLine, SideKnowledge, side_knowledge
from fireplan.table.forecasts import Prospect, ahead, forecast
from fireplan.table.session import Session, offered
from fireplan.table.sides import CARDS, Eyes
from fireplan.table.words import Words, WordsError
from fireplan_core import (
    REFEREE,
    Ask,
    Display,
    Order,
    Place,
    Refusal,
    Severity,
    Stage,
    View,
    defaults,
)
from fireplan_core.play.scenario import State
from fireplan_core.play.table import Answered, Table

FORECASTS = 2
"""Maximum number of orders of one form whose throws are forecast."""
_LISTED = 8
"""Maximum number of entries of a tuple that a detail lists."""


@attrs.frozen
class Spot:
    """A place: its label, and its distances east and south on the table, in metres."""

    label: str
    east: float
    south: float


@attrs.frozen
class AssetSeen:
    """An asset as a side sees it: its stage, where its rounds are aimed and land, what it covers.

    ``text`` is its stage in words, ``waits`` what it waits for, ``target`` its target and
    ``details`` the rest that its own side knows (contact, chits left ...). ``impact`` is where the
    last round lies, ``aimed`` where that was aimed, ``previous`` where the one before lies,
    ``kind`` the kind of fire. ``outline`` is the border of what it covers, as points in metres east
    and south; ``ahead`` the border of what a moving fire covers next. ``target``, ``details`` and
    ``ahead`` are for its own side only.
    """

    name: str
    side: str
    stage: str
    reason: str
    text: str
    target: Spot | None
    aim: Spot | None
    impact: Spot | None
    area: tuple[Spot, ...]
    waits: str
    details: tuple[str, ...]
    outline: tuple[tuple[tuple[float, float], ...], ...] = ()
    aimed: Spot | None = None
    previous: Spot | None = None
    kind: str = ""
    ahead: tuple[tuple[tuple[float, float], ...], ...] = ()


@attrs.frozen
class UnitSeen:
    """A unit as a side sees it.

    ``place`` is None if the unit is gone; ``severity`` is the worst result it is known to have
    suffered.
    """

    name: str
    side: str
    place: Spot | None
    severity: str
    details: tuple[str, ...]


@attrs.frozen
class Situation:
    """The situation in one moment, numbered from 1.

    ``board`` describes everything else on the table in words, and ``displays`` lists the parts that
    are drawn.
    """

    title: str
    moment: int
    moments: int
    when: str
    assets: tuple[AssetSeen, ...]
    units: tuple[UnitSeen, ...]
    board: tuple[str, ...]
    displays: tuple[Display, ...] = ()


@attrs.frozen
class OrderSeen:
    """An order on offer, as typed, with the rule that allows it or the reason it is refused.

    ``roll`` is the throw it leads to, and ``prospects`` are the possible results of that throw.
    """

    text: str
    verb: str
    summary: str
    cite: str
    standard: bool
    refusal: str
    roll: str
    prospects: tuple[Prospect, ...]


@attrs.frozen
class SlotSeen:
    """A slot of an order form, with its candidates as typed."""

    verb: str
    name: str
    meaning: str
    candidates: tuple[str, ...]
    secret: bool


@attrs.frozen
class DieSeen:
    """A die of a throw: its meaning, its faces, and the face that fell (empty: not yet)."""

    label: str
    faces: tuple[str, ...]
    fallen: str


@attrs.frozen
class Prompt:
    """The order or dice that a side is asked for.

    ``kind`` is ``order`` (with orders and slots), ``dice`` (with roll, dice and prospects),
    ``wait`` or ``over``. ``question`` is the question in words; for dice, it names the assets and
    units they are thrown for. ``who`` is the side that must answer, or empty if this side must not
    know.
    """

    kind: str
    who: str = ""
    question: str = ""
    orders: tuple[OrderSeen, ...] = ()
    slots: tuple[SlotSeen, ...] = ()
    roll: str = ""
    dice: tuple[DieSeen, ...] = ()
    prospects: tuple[Prospect, ...] = ()


@attrs.frozen
class SideView:
    """Everything that a side may see: situation, log and prompt."""

    side: str
    situation: Situation
    log: tuple[LogLine, ...]
    form: Prompt


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
        self.eyes = Eyes(session.scenario, REFEREE if session.revealed else side)
        self.words = Words(session.scenario)
        self._view = View(session.table.read, session.scenario, "core")

    @cached_property
    def known(self) -> SideKnowledge:
        """Everything that the side has learnt so far."""
        return side_knowledge(self.session, self.eyes)

    def all(self) -> SideView:
        """Return the whole view."""
        return SideView(self.side, self.situation(), self.known.lines, self.form())

    # --- the situation ---------------------------------------------------------------------------
    def situation(self) -> Situation:
        """Return the current situation as the side sees it."""
        table, scenario = self.session.table, self.session.scenario
        last = min(table.state.moment, self.session.moments - 1)
        board = [
            each
            for p in scenario.parts
            for each in p.board(self._view.seen_by(p.word), self.eyes.side)
        ]
        return Situation(
            title=scenario.title,
            moment=last + 1,
            moments=self.session.moments,
            when=scenario.clock.name(last),
            assets=tuple(
                self._asset(mission) for mission in scenario.missions if self._seen(mission)
            ),
            units=tuple(self._unit(unit) for unit in scenario.units if self._seen(unit)),
            board=tuple(map(str, board)),
            displays=tuple(each for each in board if not isinstance(each, str)),
        )

    def _seen(self, name: str) -> bool:
        return not self.eyes.hidden(name) or name in self.known.names

    def _own(self, name: str) -> bool:
        return self.eyes.side in (REFEREE, self.session.scenario.owner(name))

    def _asset(self, mission: str) -> AssetSeen:
        now, own = self._view.mission(mission), self._own(mission)
        lies = now.stage in (Stage.FALLING, Stage.LINGERING) and now.impact is not None
        areas = self.session.scenario.parts.areas
        area = areas.footprint(self._view.seen_by("areas"), mission)[0] if lies else ()
        setup = self.session.scenario.missions[mission]
        return AssetSeen(
            name=self.known.names.get(mission, mission),
            side=self._view.side(mission),
            stage=now.stage.value,
            reason=now.reason.value if now.reason else "",
            text="; ".join(
                filter(None, (self.words.stage(now.stage), now.reason.value if now.reason else ""))
            ),
            target=self._spot(now.target) if own else None,
            aim=self._spot(now.aim) if own or now.stage not in (Stage.IDLE, Stage.ENDED) else None,
            impact=self._spot(now.impact),
            area=tuple(spot for place in area if (spot := self._spot(place)) is not None),
            waits=self._waits(mission),
            details=tuple(self._details(f"missions/{mission}", setup.slots)) if own else (),
            outline=areas.shape(self._view.seen_by("areas"), mission) if lies else (),
            aimed=self._spot(self.session.aimed(mission) if now.impact is not None else None),
            previous=self._spot(now.previous),
            kind=now.kind.value if lies else "",
            ahead=areas.ahead(self._view.seen_by("areas"), mission) if own else (),
        )

    def _unit(self, unit: str) -> UnitSeen:
        setup = self.session.scenario.units[unit]
        suffered_events = (
            e.event
            for e in self.session.table.log
            if e.event.kind == "suffered" and e.event["unit"] == unit
        )
        learnt = (event for event in map(self.eyes.learns, suffered_events) if event is not None)
        suffered = (event["severity"] for event in learnt if event.kind == "suffered")
        return UnitSeen(
            name=unit,
            side=setup.side,
            place=self._spot(self._view.place_of(unit)),
            severity=self.words.value(max(suffered, default=Severity.NONE)),
            details=tuple(self._details(f"units/{unit}", setup.slots)) if self._own(unit) else (),
        )

    def _waits(self, mission: str) -> str:
        table = self.session.table
        waits = table.waits_for
        if isinstance(waits, Ask):
            heard = mission in waits.args and self.eyes.hears(waits.who, waits.question)
            return f"{waits.who}: {self.words.question(waits)}" if heard else ""
        concerned = (
            waits is not None
            and self.eyes.sees(waits.seen_by)
            and mission in table.state.agenda[0].args
        )
        return (
            f"the roll for {self.words.roll(waits.name)}" if waits is not None and concerned else ""
        )

    def _details(self, prefix: str, slots: Mapping[str, Any]) -> Iterable[str]:
        """Yield in words the values of an asset or a unit that differ from their defaults."""
        for word, slot in slots.items():
            for name, usual in defaults(type(slot)).items():  # type: ignore[arg-type] # a class
                value = self.session.table.read(f"{prefix}/{word}/{name}", getattr(slot, name))
                long = isinstance(value, tuple | frozenset) and len(value) > _LISTED
                if value != usual and not attrs.has(type(value)) and not long:
                    yield self.words.detail(name, value)

    def _spot(self, place: Place) -> Spot | None:
        if place is None:
            return None
        frame = self.session.scenario.frame
        east, south = frame.metres(place)
        return Spot(frame.label(place), round(east, 2), round(south, 2))

    # --- what is asked ---------------------------------------------------------------------------
    def read_order(self, text: str) -> Order:
        """Parse an order typed in full, as an answer to this side's question.

        Raise ``WordsError`` if the words cannot be parsed, or if this side has no question to
        answer.
        """
        waits = self.session.table.waits_for
        if not isinstance(waits, Ask) or self.side not in (REFEREE, waits.who):
            raise WordsError("this side has no order to give now")
        forms = self.session.table.rulebook.forms(waits, self.session.table.read)
        return self.words.read_order(text, forms)

    def form(self) -> Prompt:
        """Return the prompt for this side."""
        waits = self.session.table.waits_for
        if waits is None:
            return Prompt("over")
        if not isinstance(waits, Ask):
            return self._dice() if self.eyes.sees(waits.seen_by) else Prompt("wait")
        if self.side not in (REFEREE, waits.who):
            heard = self.eyes.hears(waits.who, waits.question)
            return (
                Prompt("wait", waits.who, self.words.question(waits)) if heard else Prompt("wait")
            )
        return self._orders(waits)

    def give(self, order: Order) -> Refusal | None:
        """Submit an order for this side; a refusal reveals nothing to a side that was not asked."""
        waits = self.session.table.waits_for
        if not isinstance(waits, Ask) or self.side not in (REFEREE, waits.who):
            return Refusal("", "this side has no order to give now")
        answer = self.session.order(order)
        return answer if isinstance(answer, Refusal) else None

    def takes_back(self) -> str:
        """Describe the last order or throw that this side can take back by itself.

        The result is empty if there is none. Taking back another side's order needs that side's
        agreement, and is not described.
        """
        last = self.session.last
        if last is None or self.side not in (last.who or self.side, REFEREE):
            return ""
        return (
            self.words.order(last.given.order)
            if isinstance(last.given, Answered)
            else last.given.name
        )

    @cached_property
    def _believed(self) -> Table:
        """The table with only the cards this side knows, from which its odds are computed."""
        table = self.session.table
        if all(map(self.eyes.sees, table.scenario.hands.values())):
            return table
        cards = self.eyes.cards(table.read(CARDS, ()))
        believed = State(table.state.values.put(((CARDS, cards),)), table.state.agenda)
        return Table(table.scenario, table.moments, believed)

    def _dice(self) -> Prompt:
        waits = self._believed.waits_for
        assert waits is not None  # noqa: S101 - the same step throws, whatever cards are known
        assert not isinstance(waits, Ask)  # noqa: S101
        fallen = [str(face) for face in self.session.faces]
        dice = tuple(
            DieSeen(
                die.label,
                tuple(str(face) for face, _ in die.weights),
                fallen[n] if n < len(fallen) else "",
            )
            for n, die in enumerate(waits.faces)
        )
        prospects = forecast(self._believed, self.eyes.learns, self.side)
        roll = self.words.roll(waits.name)
        return Prompt("dice", question=self._subject(), roll=roll, dice=dice, prospects=prospects)

    def _subject(self) -> str:
        """Return the assets and units for which dice are thrown, as far as this side sees them."""
        scenario, agenda = self.session.scenario, self.session.table.state.agenda
        single = len(scenario.missions) == 1
        names = [
            arg
            for arg in agenda[0].args
            if isinstance(arg, str) and scenario.owner(arg) is not None
        ]
        shown = [
            name
            for name in names
            if self._seen(name) and not (single and name in scenario.missions)
        ]
        return ", ".join(self.known.names.get(name) or self.words.said("", name) for name in shown)

    def _orders(self, waits: Ask) -> Prompt:
        table = self.session.table
        rulebook = table.rulebook
        forms = rulebook.forms(waits, table.read)
        by_verb = {form.verb: form for form in forms}
        standard = rulebook.answer(waits, {}, table.read)
        orders_offered = dict(offered(self.session))
        orders_offered.setdefault(standard, rulebook.refuse(waits, standard, table.read))
        counts = Counter[str]()
        orders = []
        for order, refusal in sorted(orders_offered.items(), key=lambda pair: pair[0] != standard):
            counts[order.verb] += refusal is None
            forecast_it = refusal is None and counts[order.verb] <= FORECASTS
            roll, prospects = (
                ahead(self._believed, order, self.eyes.learns, self.side)
                if forecast_it
                else ("", ())
            )
            form = by_verb[order.verb]
            orders.append(
                OrderSeen(
                    text=self.words.order(order, forms),
                    verb=order.verb,
                    summary=form.summary,
                    cite=form.cite,
                    standard=order == standard,
                    refusal="" if refusal is None else str(refusal),
                    roll=roll,
                    prospects=prospects,
                )
            )
        slots = tuple(
            SlotSeen(
                form.verb,
                slot.name,
                slot.meaning,
                tuple(self.words.value(value, slot.name, quoted=True) for value in slot.candidates),
                slot.secret,
            )
            for form in forms
            for slot in form.slots
        )
        return Prompt(
            "order", waits.who, self.words.question(waits), orders=tuple(orders), slots=slots
        )
