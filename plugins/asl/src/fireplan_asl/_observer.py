"""The Observer as a unit (C1.2, C1.6, C1.61) and the line of a field phone (C1.23): what ends a link from outside.

Who may be one at all is judged when a scenario is laid out (``_scenario_battery``); what he sees belongs to
``observers``. What befalls a unit is told by ``resolution`` through ``falters`` and ``severed``; it is kept on the
unit, so that the solver knows which places the link depends on.
"""

from __future__ import annotations

import attrs

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

_ON_MAP = (Stage.SPOTTING, Stage.FALLING, Stage.LINGERING)


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
class Set:
    """What never changes: the Contact value (None: contact is automatic), the Maintenance DRM, the pile, repairs.

    ``red`` is how many red chits there were at the start; ``repairable`` whether a broken set can be repaired;
    ``creeping`` whether it starts with a Creeping Barrage, ``hidden`` the units that nobody knows of. ``crew`` are
    the units that may be its Observer, the first one first (none: he is no unit of the scenario); ``shared``
    whether one of them has another radio as well; ``marked`` whether he is marked when he uses it; ``line`` the
    hexes of a phone's Security Area, as units.
    """

    contact: int | None
    maintenance: int
    red: int
    repairable: bool = True
    creeping: bool = False
    hidden: frozenset[str] = frozenset()
    crew: tuple[str, ...] = ()
    shared: bool = False
    marked: bool = False
    line: tuple[str, ...] = ()


@record
class Nerve:
    """How an Observer stands: ``steady``, ``broken`` or ``eliminated``; and which radio he has used this phase."""

    state: str = "steady"
    radio: str = ""


@record
class Wire:
    """A hex of a phone's line."""

    cut: bool = False


def first_observer(view: View, mission: str) -> bool:
    """Whether the Observer of the start of play has the radio still: Pre-Registered hexes are his alone (C1.733)."""
    facts = view.scenario.missions[mission].facts.get("delays")
    if not isinstance(facts, Set) or len(facts.crew) < 2:
        return True
    return view.seen_by("delays").own(mission, Radio).hand == 0


class Manned(Delays):
    """The steps of the Observer and of the line, for the delays part to inherit."""

    def observer_questions(self) -> dict[str, Question]:
        """Who has the radio when its Observer is not in Good Order: the referee's word."""
        return {
            "observer": Question(
                self._observer_forms,
                self._refuse_observer,
                lambda _view, _mission: Order.of("nobody"),
            )
        }

    @staticmethod
    def _observer_forms(view: View, mission: str) -> tuple[Form, ...]:
        others = Slot("unit", "leader in the same Location", view.facts(mission, Set).crew)
        return (
            Form("nobody", "C1.61", "no Good Order Observer has the radio"),
            Form("rallied", "C1.61", "he is in Good Order again"),
            Form("relief", "C1.61, C1.2", "another leader has taken the radio", (others,)),
        )

    @staticmethod
    def _refuse_observer(view: View, order: Order, mission: str) -> Refusal | None:
        facts = view.facts(mission, Set)
        if order.verb == "nobody":
            return None
        who = order.get("unit") if order.verb == "relief" else facts.crew[view.own(mission, Radio).hand]
        if who not in facts.crew:
            return Refusal("C1.2", f"{who} is no leader who may be this battery's Observer")
        state = view.unit(who, Nerve).state
        if state == "eliminated":
            return Refusal("C1.61", f"{who} has been eliminated")
        if order.verb == "relief" and state != "steady":
            return Refusal("C1.61", f"{who} is not in Good Order")
        return None

    # --- who speaks ------------------------------------------------------------------------------
    @staticmethod
    def _hand(view: View, mission: str) -> str | None:
        """The unit that has the radio, if it is one of the scenario."""
        crew = view.facts(mission, Set).crew
        if len(crew) < 2:
            return crew[0] if crew else None
        return crew[view.own(mission, Radio).hand]

    def _speechless(self, view: View, mission: str) -> bool:
        """Whether the radio has an Observer who is not in Good Order."""
        who = self._hand(view, mission)
        return who is not None and view.unit(who, Nerve).state != "steady"

    @staticmethod
    def _line_cut(view: View, mission: str) -> bool:
        return any(view.unit(unit, Wire).cut for unit in view.facts(mission, Set).line)

    def _used(self, view: View, mission: str) -> Effects:
        """He has used his radio: marked, unless nobody sees him; and no other radio this phase (C1.6)."""
        facts = view.facts(mission, Set)
        who = self._hand(view, mission)
        if who is None:
            return Effects()
        return Effects(
            update(view.unit(who, Nerve), radio=mission) if facts.shared else Effects(),
            emit("marked", "C1.6", unit=who) if facts.marked else Effects(),
        )

    def _refuse_contact(self, view: View, order: Order, mission: str) -> Refusal | None:
        """Who may not roll; what a phone alone has; and the rout of an Observer."""
        facts = view.facts(mission, Set)
        match order.verb:
            case "roll" if facts.shared and view.unit(self._hand(view, mission) or "", Nerve).radio not in (
                "",
                mission,
            ):
                return Refusal("C1.6", "its Observer has operated another radio this phase")
            case "pass" if facts.contact is None and view.mission(mission).stage in _ON_MAP:
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
    def falters(self, chance: Chance, view: View, unit: str, how: str) -> Effects:  # noqa: ARG002 - no dice here
        """An Observer breaks or is eliminated: Contact is lost at once."""
        return Effects(update(view.unit(unit, Nerve), state=how), emit("observer_lost", "C1.61", unit=unit, how=how))

    @step(cite="C1.54")
    def drew(self, chance: Chance, view: View, mission: str, accurate: bool) -> Effects:  # noqa: ARG002, FBT001
        """A round has come down: whether its Observer has drawn it over himself Accurately."""
        who = self._hand(view, mission)
        if who is None or "resolution.drawn" not in view.scenario.steps:
            return Effects()
        return Effects(push("resolution.drawn", who, accurate))

    @step(cite="C1.23")
    def severed(self, chance: Chance, view: View, unit: str) -> Effects:  # noqa: ARG002 - no dice here
        """An Original KIA in a hex of the Security Area."""
        return Effects(update(view.unit(unit, Wire), cut=True), emit("line_cut", "C1.23", unit=unit))

    @step(cite="C1.61")
    def speechless(self, chance: Chance, view: View, mission: str) -> Effects:  # noqa: ARG002 - no dice here
        """No Contact any more; the referee says whether anybody can go on with the radio."""
        return Effects(update(view.own(mission, Radio), contact=False), ask(REFEREE, "observer", mission, then="relieved"))

    @step(cite="C1.61, C1.2")
    def relieved(self, chance: Chance, view: View, mission: str, order: Order) -> Effects:  # noqa: ARG002 - no dice here
        """He has rallied, another has taken the radio, or nobody speaks this phase."""
        if order.verb == "nobody":
            return Effects(push("idles", mission))
        radio, crew = view.own(mission, Radio), view.facts(mission, Set).crew
        if order.verb == "relief":
            who = order["unit"]
            return Effects(
                update(radio, hand=crew.index(who)),
                emit("relieved", "C1.61", mission=mission, unit=who),
                push("opened", mission),
            )
        who = self._hand(view, mission)
        rallies = ("resolution.rallies",) if "resolution.rallies" in view.scenario.steps else ()
        return Effects(
            update(view.unit(who or "", Nerve), state="steady"),
            emit("rallied", "C1.61", unit=who),
            *(push(name, who) for name in rallies),
            push("opened", mission),
        )

    def _gone(self, view: View, mission: str) -> Effects | None:
        """The end of a phone whose line is cut; None while it works.

        A FFE:1 or FFE:2 goes on without it, as after any loss of Contact that nobody wants (C1.22).
        """
        if not self._line_cut(view, mission):
            return None
        if view.mission(mission).stage is Stage.FALLING:
            return Effects(update(view.own(mission, Radio), contact=False))
        return Effects(push("core.close", mission, Reason.LOST, "C1.23"))
