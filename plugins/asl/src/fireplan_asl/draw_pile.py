"""The Draw Pile: Battery Access (C1.21, C1.211), extra chits and the special draw (E12.72).

The steps of this module are steps of the delays part.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fireplan_asl.areas import AslAreas
from fireplan_asl.observer import Radio, RadioFacts, lacks_observer, line_cut
from fireplan_asl.places import hexes_between
from fireplan_asl.spotting import enemies
from fireplan_core import View, cycle, parts_of
from fireplan_core.chance import Chance, d6
from fireplan_core.displays import Counter, Display
from fireplan_core.mission import Outcome, Reason, Stage
from fireplan_core.steps.effects import Effects, emit, push, step, update

if TYPE_CHECKING:
    from fireplan_asl.delays import AslDelays


@step(cite="C1.21")
def access(delays: AslDelays, chance: Chance, view: View, mission: str) -> Effects:
    """Draw a chit for Battery Access; the second red one ends Access for good.

    A red chit drawn while an FFE:C is on the map also ends its Fire Mission.
    """
    radio = view.own(mission, Radio)
    black, red = radio.black, radio.red
    if chance.draw("access", black=black, red=red) == "black":
        return Effects(
            update(radio, access=True, black=black - 1),
            emit("access", "C1.21", mission=mission),
            push(cycle.ready, mission, Outcome.GOOD, "Battery Access"),
        )
    denied = Effects(
        update(radio, access=False, red=red - 1), emit("no_access", "C1.21", mission=mission)
    )
    if view.facts(mission, RadioFacts).red - (red - 1) >= delays.number("red_chits_to_lose_access"):
        return Effects(denied, push(cycle.close, mission, Reason.EXHAUSTED, "C1.21"))
    if view.mission(mission).stage is Stage.LINGERING:
        return Effects(denied, push(cycle.close, mission, Reason.DELIVERED, "C1.34"))
    return denied


def has_last_word(_delays: AslDelays, view: View, mission: str) -> bool:
    """Return whether an extra draw is due: enemies are near, but none is Known (C1.21)."""
    now = view.mission(mission)
    place = now.impact if now.aim is None else now.aim
    near = any(
        hexes_between(view.frame, place, view.place_of(unit)) <= 1
        for unit in enemies(view, mission)
    )
    return near and not view.sees(mission, place).known_enemy


@step(cite="C1.21")
def clearance(delays: AslDelays, chance: Chance, view: View, mission: str) -> Effects:
    """Draw an extra chit, which is returned to the pile.

    A red one removes the battery's counters from the map and, unless an option keeps it, ends
    Access. It does not count as a red chit drawn.
    """
    radio = view.own(mission, Radio)
    if chance.draw("extra", black=radio.black, red=radio.red) == "black":
        return Effects(emit("extra_chit_black", "C1.21, C1.211", mission=mission))
    return Effects(
        update(radio, access=delays.options["red_extra_chit"] == "access is kept"),
        emit("extra_chit_red", "C1.21, C1.211", mission=mission),
        push(cycle.cease, mission, Reason.DENIED, "C1.21"),
    )


def board(_delays: AslDelays, view: View, side: str) -> tuple[Display, ...]:
    """Return displays of the Draw Piles of a side's batteries, with the chits left (C1.211)."""
    piles = {
        m: tuple(Counter(c, getattr(view.own(m, Radio), c)) for c in ("black", "red"))
        for m in view.owned(side)
    }
    several = len(view.missions) > 1
    return tuple(
        Display("pile", f"Draw Pile{f' of battery {m}' if several else ''}", (("", chits),))
        for m, chits in piles.items()
    )


@step(cite="E12.72")
def special(delays: AslDelays, chance: Chance, view: View, mission: str) -> Effects:
    """Make the special draw: on black the barrage begins with the attack, on red before it."""
    radio = view.own(mission, Radio)
    black, red = radio.black, radio.red
    if chance.draw("access", black=black, red=red) == "black":
        begins = emit("creeping_begins", "E12.72", mission=mission, turns=0)
        return Effects(update(radio, black=black - 1), begins)
    return Effects(push(delays.timing, mission))


@step(cite="E12.72")
def timing(_delays: AslDelays, chance: Chance, view: View, mission: str) -> Effects:
    """Make the Timing dr, halved, for the pre-Game Turns that follow a red special draw.

    The red chit is exchanged for a black one, so a black chit leaves the pile.
    """
    turns = chance.dice("timing", white=d6).white.halved_up().exact()
    radio, areas = view.own(mission, Radio), parts_of(view).find(AslAreas)
    return Effects(
        update(radio, black=max(radio.black - 1, 0)),
        emit("creeping_begins", "E12.72", mission=mission, turns=turns),
        push(areas.phase_begins, mission, turns) if areas else Effects(),
    )


def end_rally_phase(delays: AslDelays, view: View, mission: str) -> Effects:
    """Return the effects of the end of a Rally Phase on Access and an FFE:C.

    Access ends while an FFE:C is on the map. The FFE:C itself is removed if its battery is out of
    Contact, unless an option keeps it. A battery is also out of Contact if its Observer is not in
    Good Order or its phone line is cut (C1.61, C1.23). Without a counter on the map Access ends
    too, unless an option keeps it, and a new draw is due (C1.21).
    """
    stage, radio = view.mission(mission).stage, view.own(mission, Radio)
    if stage in (Stage.SPOTTING, Stage.FALLING):
        return Effects()
    if stage is not Stage.LINGERING:
        return Effects() if _keeps_access(delays, stage) else Effects(update(radio, access=False))
    linked = radio.contact and not lacks_observer(view, mission) and not line_cut(view, mission)
    gone = delays.options["ffe_c_without_contact"] == "ends with the rally phase" and not linked
    return Effects(
        update(radio, access=False),
        emit("access_ends", "C1.21", mission=mission) if radio.access else Effects(),
        push(cycle.close, mission, Reason.DELIVERED, "C1.22") if gone else Effects(),
    )


def _keeps_access(delays: AslDelays, stage: Stage) -> bool:
    if delays.options["access_without_counter"] == "access is kept":
        return True
    return stage is Stage.DELAYED and delays.options["red_extra_chit"] == "access is kept"
