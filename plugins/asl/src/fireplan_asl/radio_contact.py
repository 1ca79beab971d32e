"""Radio Contact (C1.2, C1.22), its loss, field phones (C1.23), and who has the radio (C1.61).

The steps and questions of this module are steps and questions of the delays part.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from fireplan_asl.draw_pile import end_rally_phase
from fireplan_asl.missions import ON_MAP
from fireplan_asl.observer import (
    Radio,
    RadioFacts,
    mark_use,
    operator,
    refuse_observer,
    used_another_radio,
)
from fireplan_asl.resolution import AslResolution
from fireplan_asl.spotting import burst_seen
from fireplan_core import Form, Part, Refusal, Slot, View, cycle, orders, parts_of
from fireplan_core.chance import Chance, d6
from fireplan_core.mission import Outcome, Reason, Stage
from fireplan_core.steps.effects import Effects, ask, emit, push, step, update

if TYPE_CHECKING:
    from fireplan_asl.delays import AslDelays

SILENT = (Stage.IDLE, Stage.ENDED)


@orders(cite="C1.2")
def contact(delays: AslDelays, view: View, mission: str) -> Iterator[Form]:
    """Yield the orders for a battery's Contact roll: roll, pass, or declare what prevents the roll.

    ``disorder`` declares an Observer not in Good Order, ``rout`` one who joins a rout, and ``cut``
    a cut phone line.
    """
    facts, skip = view.facts(mission, RadioFacts), partial(_skip_roll, view, mission)
    automatic = facts.contact is None
    elsewhere = Refusal.of("C1.6", "radio_elsewhere")
    rolls = (
        elsewhere
        if facts.shared and used_another_radio(view, mission)
        else push(delays.radio, mission)
    )
    kept_up = {"maintenance": view.own(mission, Radio).contact}
    yield Form("roll", "C1.2", does=rolls, fields=kept_up)
    due = Refusal.of("C1.63, C1.33", "option_due")
    due_now = automatic and view.mission(mission).stage in ON_MAP
    passes = due if due_now else partial(skip, "pass")
    yield Form("pass", "C1.22", does=passes, fields=kept_up)
    absent = Refusal.of("C1.63", "offboard_not_there")
    stands = absent if automatic else partial(skip, "disorder")
    yield Form("disorder", "C1.61", does=stands, elsewhere=True)
    mute = Refusal.of("C1.6", "no_contact_to_lose")
    stays = absent if automatic else None if view.own(mission, Radio).contact else mute
    yield Form("rout", "C1.6", does=stays or partial(skip, "rout"), elsewhere=True)
    radio = Refusal.of("C1.23", "phone_alone_cut")
    phone = not automatic and not facts.repairable
    yield Form("cut", "C1.23", does=partial(skip, "cut") if phone else radio, elsewhere=True)


@orders(cite="C1.61, C1.2")
def observer(delays: AslDelays, view: View, mission: str) -> Iterator[Form]:
    """Yield the referee's orders for a radio whose Observer is not in Good Order (C1.61).

    ``nobody`` leaves the radio without an Observer, ``rallied`` returns him to Good Order, and
    ``relief`` gives the radio to a leader in the same Location.
    """
    crew, again = view.facts(mission, RadioFacts).crew, push(delays.opened, mission)
    # An FFE on the map continues without an Observer (C1.22).
    nobody = partial(end_rally_phase, delays, view, mission)
    yield Form("nobody", "C1.61", does=nobody)
    observer = operator(view, mission) or ""
    resolution = parts_of(view).find(AslResolution)
    restored = Effects(push(resolution.rally, observer) if resolution else Effects(), again)
    wrong = refuse_observer(view, mission, observer, steady=False)
    yield Form("rallied", "C1.61", does=wrong or restored)

    def relieve(unit: str) -> Effects | Refusal:
        if refusal := refuse_observer(view, mission, unit, steady=True):
            return refusal
        hand = update(view.own(mission, Radio), hand=crew.index(unit))
        return Effects(hand, emit("relieved", "C1.61", mission=mission, unit=unit), again)

    others = Slot("unit", "the leader in the same Location", crew, free=True)
    yield Form("relief", "C1.61, C1.2", (others,), relieve)


@step(cite="C1.22")
def repair(delays: AslDelays, chance: Chance, view: View, mission: str) -> Effects:
    """Roll to repair a broken radio; a broken phone is lost.

    By default a 1 repairs the radio and a 6 removes it.
    """
    if not view.facts(mission, RadioFacts).repairable:
        return Effects(push(cycle.close, mission, Reason.LOST, "C1.23"))
    roll = chance.dice("repair", white=d6)
    if roll.total <= _printed(delays, view, mission, "repaired_on", "repaired"):
        return Effects(
            update(view.own(mission, Radio), broken=False),
            emit("repaired", "C1.22", mission=mission),
            push(cycle.opportunity, mission),
            push(delays.attempt, mission),
        )
    if roll.total >= _printed(delays, view, mission, "removed_on", "removed"):
        return Effects(push(cycle.close, mission, Reason.LOST, "C1.22, C1.1"))
    return Effects()


@step(cite="C1.2")
def attempt(delays: AslDelays, _chance: Chance, view: View, mission: str) -> Effects:
    """Ask for the Contact or Maintenance roll if fire is called for and the radio works.

    If no fire is called for, Contact lapses, unless it is automatic (C1.22).
    """
    radio = view.own(mission, Radio)
    if view.mission(mission).stage in SILENT:
        # An Observer who does not call for fire does not roll, and so loses Contact (C1.22).
        keeps = view.facts(mission, RadioFacts).contact is None or not radio.contact
        return Effects() if keeps else Effects(update(radio, contact=False))
    if radio.broken:
        return Effects()
    return Effects(ask(view.side(mission), delays.contact, mission))


@step(cite="C1.2")
def radio(delays: AslDelays, chance: Chance, view: View, mission: str) -> Effects:
    """Make the Contact or Maintenance DR; by default an Original 12 breaks the radio.

    With Contact, the battery is ready or draws for Access. Automatic Contact needs no DR.
    """
    radio = view.own(mission, Radio)
    maintained = radio.contact
    value = view.facts(mission, RadioFacts).contact
    if value is None:
        return Effects(emit("contact", "C1.63", mission=mission), _linked(delays, view, mission))
    used = mark_use(view, mission)
    roll = chance.dice("maintenance" if maintained else "contact", coloured=d6, white=d6)
    if roll.total >= _printed(delays, view, mission, "breaks_on", "set_breaks"):
        cite = "C1.22" if view.facts(mission, RadioFacts).repairable else "C1.23"
        return Effects(
            used,
            update(radio, contact=False, broken=True),
            emit("set_breaks", cite, mission=mission),
        )
    if roll.total + chance.drm(roll) <= value:
        event = emit("contact", "C1.22" if maintained else "C1.2", mission=mission)
        return Effects(used, update(radio, contact=True), event, _linked(delays, view, mission))
    return Effects(used, update(radio, contact=False), emit("no_contact", "C1.2", mission=mission))


def _linked(delays: AslDelays, view: View, mission: str) -> Effects:
    ready = push(cycle.ready, mission, Outcome.GOOD, "Battery Access")
    return Effects(ready if view.own(mission, Radio).access else push(delays.access, mission))


def _skip_roll(view: View, mission: str, why: str) -> Effects:
    """Return the effects of skipping the roll for the reason ``why``; none if Contact is automatic.

    Contact is lost. With a voluntary loss, Access and the Fire Mission are lost too. The loss is
    voluntary if the Observer joins a rout, or passes without LOS to the Blast Height; losing Good
    Order is never voluntary. A cut phone line ends the battery's fire, except that an FFE:1 or
    FFE:2 continues.
    """
    radio = view.own(mission, Radio)
    if view.facts(mission, RadioFacts).contact is None:
        return Effects()
    stage = view.mission(mission).stage
    if why == "cut":
        cut = emit("line_cut", "C1.23", mission=mission)
        if stage is Stage.FALLING:
            # The loss is involuntary, so the FFE continues, but the phone is gone (C1.22).
            return Effects(update(radio, contact=False, broken=True), cut)
        return Effects(
            update(radio, contact=False), cut, push(cycle.close, mission, Reason.LOST, "C1.23")
        )
    if why == "disorder":
        lost = emit("observer_lost", "C1.61", mission=mission, how="declared")
        return Effects(update(radio, contact=False), lost)
    if why != "rout" and burst_seen(view, mission):
        return Effects(update(radio, contact=False))
    cite = "C1.6" if why == "rout" else "C1.22"
    return Effects(
        update(radio, contact=False, access=False),
        push(cycle.cease, mission, Reason.CANCELLED, cite) if stage in ON_MAP else Effects(),
    )


def _printed(part: Part, view: View, mission: str, name: str, number: str) -> int:
    """Return a value of the radio counter: the scenario's, or by default the game's (C1.22).

    ``name`` is the scenario's field for the value, and ``number`` the name of the game's number.
    """
    printed = view.facts(mission, RadioFacts).printed.get(name)
    return part.number(number) if printed is None else printed
