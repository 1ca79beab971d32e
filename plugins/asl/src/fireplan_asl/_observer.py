"""The link and who has it: radio or field phone, its Observer as a unit (C1.6, C1.61), and the line of a phone (C1.23).

Who may be an Observer at all is judged when a scenario is set up; what he sees belongs to ``observers``. What befalls
him and the line is kept with the units, in ``resolution``, and read here.
"""

from __future__ import annotations

import attrs

from fireplan_asl._places import ON_MAP
from fireplan_asl._units import Works, condition
from fireplan_core import (
    REFEREE,
    Delays,
    Effects,
    Form,
    Order,
    Question,
    Reason,
    Refusal,
    Slot,
    Stage,
    View,
    ask,
    emit,
    push,
    record,
    step,
    update,
)
from fireplan_core.chance import Chance


@record
class Radio:
    """The link and the battery's pile; ``access`` is Battery Access, ``black`` and ``red`` the chits left.

    ``taken``: a radio has taken over from a Creeping Barrage (E12.771). ``hand`` counts through the Observers of
    the scenario: who has the radio now.
    """

    contact: bool = False
    broken: bool = False
    access: bool = False
    black: int
    red: int
    taken: bool = False
    hand: int = 0


@attrs.frozen
class RadioFacts:
    """What never changes: the Contact value (None: contact is automatic), the Maintenance DRM, the pile, repairs.

    ``red`` is how many red chits there were at the start; ``repairable`` whether a broken set can be repaired;
    ``creeping`` whether it starts with a Creeping Barrage. ``crew`` are the units that may be its Observer, the first
    one first (none: he is no unit of the scenario); ``shared`` whether one of them has another radio as well;
    ``marked`` whether he is marked when he uses it; ``line`` the hexes of a phone's Security Area, as units.
    """

    contact: int | None
    maintenance: int
    red: int
    repairable: bool = True
    creeping: bool = False
    crew: tuple[str, ...] = ()
    shared: bool = False
    marked: bool = False
    line: tuple[str, ...] = ()


@record
class RadioUse:
    """Which radio an Observer has used this phase."""

    radio: str = ""


def first_observer(view: View, mission: str) -> bool:
    """Return whether the Observer of the start of play has the radio still: Pre-Registered hexes are his (C1.733)."""
    facts = view.scenario.missions[mission].facts.get("delays")
    if not isinstance(facts, RadioFacts) or len(facts.crew) < 2:
        return True
    return view.seen_by("delays").own(mission, Radio).hand == 0


class Manned(Delays):
    """The steps of the Observer and of the line, for the delays part to inherit."""

    def observer_questions(self) -> dict[str, Question]:
        """Return who has the radio when its Observer is not in Good Order: the referee's word."""
        return {
            "observer": Question(
                self._observer_forms,
                self._refuse_observer,
                lambda _view, _mission: Order.of("nobody"),
            )
        }

    @staticmethod
    def _observer_forms(view: View, mission: str) -> tuple[Form, ...]:
        others = Slot("unit", "leader in the same Location", view.facts(mission, RadioFacts).crew)
        return (
            Form("nobody", "C1.61", "no Good Order Observer has the radio"),
            Form("rallied", "C1.61", "he is in Good Order again"),
            Form("relief", "C1.61, C1.2", "another leader has taken the radio", (others,)),
        )

    def _refuse_observer(self, view: View, order: Order, mission: str) -> Refusal | None:
        if order.verb == "nobody":
            return None
        who = order.get("unit") if order.verb == "relief" else self.operator(view, mission)
        if who not in view.facts(mission, RadioFacts).crew:
            return Refusal("C1.2", f"{who} is no leader who may be this battery's Observer")
        state = condition(view, who)
        if state == "eliminated":
            return Refusal("C1.61", f"{who} has been eliminated")
        if order.verb == "relief" and state == "broken":
            return Refusal("C1.61", f"{who} is not in Good Order")
        return None

    # --- who speaks ------------------------------------------------------------------------------
    def operator(self, view: View, mission: str) -> str | None:
        """Return the unit that has the radio, if it is one of the scenario."""
        crew = view.facts(mission, RadioFacts).crew
        if len(crew) < 2:
            return crew[0] if crew else None
        return crew[view.own(mission, Radio).hand]

    def _speechless(self, view: View, mission: str) -> bool:
        """Return whether the radio has an Observer who is not in Good Order."""
        who = self.operator(view, mission)
        return who is not None and condition(view, who) != "steady"

    @staticmethod
    def _line_cut(view: View, mission: str) -> bool:
        units = view.seen_by("resolution")
        return any(units.unit(unit, Works).loss for unit in view.facts(mission, RadioFacts).line)

    def _used(self, view: View, mission: str) -> Effects:
        """Return what his use of the radio does: marked, unless nobody sees him; no other radio this phase (C1.6)."""
        facts = view.facts(mission, RadioFacts)
        who = self.operator(view, mission)
        if who is None:
            return Effects()
        return Effects(
            update(view.unit(who, RadioUse), radio=mission) if facts.shared else Effects(),
            emit("marked", "C1.6", unit=who) if facts.marked else Effects(),
        )

    def _refuse_contact(self, view: View, order: Order, mission: str) -> Refusal | None:
        """Refuse who may not roll, what a phone alone has, and the rout of who has no contact."""
        facts = view.facts(mission, RadioFacts)
        match order.verb:
            case "roll" if facts.shared and view.unit(self.operator(view, mission) or "", RadioUse).radio not in (
                "",
                mission,
            ):
                return Refusal("C1.6", "its Observer has operated another radio this phase")
            case "pass" if facts.contact is None and view.mission(mission).stage in ON_MAP:
                return Refusal("C1.63, C1.33", "Contact is automatic, and one option for what lies on the map is due")
            case "disorder" | "rout" if facts.contact is None:
                return Refusal("C1.63", "an Offboard Observer is not there to be hit or to rout")
            case "rout" if not view.own(mission, Radio).contact:
                return Refusal("C1.6", "there is no Radio Contact to be lost by going along with a rout")
            case "cut" if facts.contact is None or facts.repairable:
                return Refusal("C1.23", "only a Field Phone has a line that can be cut")
            case _:
                return None

    # --- steps -----------------------------------------------------------------------------------
    @step(cite="C1.61")
    def speechless(self, _chance: Chance, view: View, mission: str) -> Effects:
        """No Contact any more; the referee says whether anybody can go on with the radio."""
        return Effects(update(view.own(mission, Radio), contact=False), ask(REFEREE, "observer", mission, then="relieved"))

    @step(cite="C1.61, C1.2")
    def relieved(self, _chance: Chance, view: View, mission: str, order: Order) -> Effects:
        """He has rallied, another has taken the radio, or nobody speaks this phase."""
        if order.verb == "nobody":
            return Effects(push("idles", mission))
        if order.verb == "rallied":
            return Effects(push("resolution.rally", self.operator(view, mission)), push("opened", mission))
        who = order["unit"]
        hand = view.facts(mission, RadioFacts).crew.index(who)
        return Effects(
            update(view.own(mission, Radio), hand=hand),
            emit("relieved", "C1.61", mission=mission, unit=who),
            push("opened", mission),
        )

    def _gone(self, view: View, mission: str) -> Effects | None:
        """Return the end of a phone whose line is cut; None while it works.

        A FFE:1 or FFE:2 goes on without it, as after any loss of Contact that nobody wants (C1.22).
        """
        if not self._line_cut(view, mission):
            return None
        if view.mission(mission).stage is Stage.FALLING:
            return Effects(update(view.own(mission, Radio), contact=False))
        return Effects(push("core.close", mission, Reason.LOST, "C1.23"))
