"""The link and who has it: radio or field phone, its Observer as a unit (C1.6, C1.61), and the line of a phone (C1.23).

Who may be an Observer at all is judged when a scenario is set up; what he sees belongs to
``observers``. What befalls him and the line is kept with the units, in ``resolution``, and read
here.
"""

from collections.abc import Mapping

import attrs

from fireplan_asl.standing import condition
from fireplan_asl.units import Works
from fireplan_core import COUNT, Delays, Effects, Refusal, View, emit, kept, record, told, update


@record
class Radio:
    """The link of a battery, who has it now, and what is left of the battery's pile."""

    black: int = attrs.field(
        metadata=told("black chits left in the Draw Pile", "C1.211", between=COUNT)
    )
    red: int = attrs.field(
        metadata=told("red chits left in the Draw Pile", "C1.211", between=COUNT)
    )
    contact: bool = kept(False, "whether the Observer has Radio Contact", "C1.2")
    broken: bool = kept(False, "whether the radio is broken", "C1.22", word="radio_broken")
    access: bool = kept(False, "whether the Observer has Battery Access", "C1.21")
    taken: bool = kept(False, "whether a radio has taken over from a Creeping Barrage", "E12.771")
    hand: int = kept(
        0, "which of the battery's Observers has the radio, counted from 0", "C1.61", between=COUNT
    )


@attrs.frozen
class RadioFacts:
    """Say what never changes: the Contact value (None: contact is automatic), the Maintenance DRM, the pile, repairs.

    ``red`` is how many red chits there were at the start; ``repairable`` whether a broken set can be repaired;
    ``creeping`` whether it starts with a Creeping Barrage. ``crew`` are the units that may be its Observer, the first
    one first (none: he is no unit of the scenario); ``shared`` whether one of them has another radio as well;
    ``marked`` whether he is marked when he uses it; ``line`` the hexes of a phone's Security Area, as units;
    ``printed`` what a scenario says of its radio counter (C1.22).
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
    printed: Mapping[str, int | None] = attrs.field(factory=dict, hash=False)


@record
class RadioUse:
    """Say which radio an Observer has used this phase."""

    radio: str = kept("", "the radio that he has used as Observer this phase", "C1.6")


class Manned(Delays):
    """Say who speaks, for the delays part to inherit."""

    def operator(self, view: View, mission: str) -> str | None:
        """Return the unit that has the radio, if it is one of the scenario."""
        crew = view.facts(mission, RadioFacts).crew
        if len(crew) <= 1:
            return crew[0] if crew else None
        return crew[view.own(mission, Radio).hand]

    def speechless(self, view: View, mission: str) -> bool:
        """Return whether the radio has an Observer who is not in Good Order."""
        who = self.operator(view, mission)
        return who is not None and condition(view, who) != "steady"

    @staticmethod
    def line_cut(view: View, mission: str) -> bool:
        """Return whether a KIA in the Security Area has cut the line of a phone."""
        return any(
            view.peek_unit(unit, Works).loss for unit in view.facts(mission, RadioFacts).line
        )

    def used(self, view: View, mission: str) -> Effects:
        """Return what his use of the radio does: marked, unless nobody sees him.

        No other radio this phase (C1.6).
        """
        facts = view.facts(mission, RadioFacts)
        who = self.operator(view, mission)
        if who is None:
            return Effects()
        return Effects(
            update(view.unit(who, RadioUse), radio=mission) if facts.shared else Effects(),
            emit("marked", "C1.6", unit=who) if facts.marked else Effects(),
        )

    def on_another(self, view: View, mission: str) -> bool:
        """Return whether the Observer has operated another radio this phase."""
        return view.unit(self.operator(view, mission) or "", RadioUse).radio not in ("", mission)

    @staticmethod
    def refuse_observer(view: View, mission: str, who: str, *, steady: bool) -> Refusal | None:
        """Refuse an Observer who is none, or (unless he has just rallied) not in Good Order."""
        if who not in view.facts(mission, RadioFacts).crew:
            return Refusal.of("C1.2", "no_observer", who=who)
        state = condition(view, who)
        if state == "eliminated":
            return Refusal.of("C1.61", "eliminated", who=who)
        return (
            Refusal.of("C1.61", "not_in_good_order", who=who)
            if steady and state != "steady"
            else None
        )
