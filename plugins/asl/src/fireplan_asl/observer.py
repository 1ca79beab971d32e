"""The radio or field phone, the Observer who uses it (C1.6, C1.61), and a phone's line (C1.23).

Setup checks which units may be Observers; the Observer's LOS belongs to ``observers``. Losses to
the Observer and the line are recorded with the units in ``resolution`` and only read by this
module.
"""

from collections.abc import Mapping

import attrs

from fireplan_asl.standing import condition
from fireplan_asl.units import ObjectState
from fireplan_core import COUNT, Effects, Refusal, View, described, emit, kept, record, update


@record
class Radio:
    """The state of a battery's radio: its user, Contact, Access and the chits left in the pile."""

    black: int = attrs.field(
        metadata=described("black chits left in the Draw Pile", "C1.211", between=COUNT)
    )
    red: int = attrs.field(
        metadata=described("red chits left in the Draw Pile", "C1.211", between=COUNT)
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
    """The fixed facts of a battery's radio.

    ``contact`` is the Contact value, or None if Contact is automatic. ``maintenance`` is the
    Maintenance DRM. ``red`` is the number of red chits at the start. ``repairable`` is False for a
    field phone. ``creeping`` means that the battery fires a Creeping Barrage. ``crew`` lists the
    units that may be its Observer, in order; it is empty if the Observer is not a unit of the
    scenario. ``shared`` means that one of them also has another radio. ``marked`` means that the
    Observer gets a Prep or Final Fire counter for using the radio. ``line`` lists the hexes of a
    phone's Security Area, as units. ``printed`` contains the values of the radio counter that the
    scenario gives (C1.22).
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
    """The radio that an Observer has used this phase."""

    radio: str = kept("", "the radio that he has used as Observer this phase", "C1.6")


def operator(view: View, mission: str) -> str | None:
    """Return the unit that has the radio, or None if the scenario has no Observer unit.

    Return None as well if another game supplies the link.
    """
    facts = view.scenario.missions[mission].facts.get("delays")
    crew = facts.crew if isinstance(facts, RadioFacts) else ()
    if len(crew) <= 1:
        return crew[0] if crew else None
    return crew[view.peek(mission, Radio).hand]


def lacks_observer(view: View, mission: str) -> bool:
    """Return whether the unit operating the radio is not in Good Order."""
    observer = operator(view, mission)
    return observer is not None and condition(view, observer) != "steady"


def line_cut(view: View, mission: str) -> bool:
    """Return whether a KIA in the Security Area has cut the phone line."""
    return any(
        view.peek_unit(unit, ObjectState).loss for unit in view.facts(mission, RadioFacts).line
    )


def mark_use(view: View, mission: str) -> Effects:
    """Return the effects of recording that the Observer used this radio.

    An Observer may use no other radio this phase (C1.6).
    """
    facts = view.facts(mission, RadioFacts)
    observer = operator(view, mission)
    if observer is None:
        return Effects()
    return Effects(
        update(view.unit(observer, RadioUse), radio=mission) if facts.shared else Effects(),
        emit("marked", "C1.6", unit=observer) if facts.marked else Effects(),
    )


def used_another_radio(view: View, mission: str) -> bool:
    """Return whether the Observer has used another radio this phase."""
    return view.unit(operator(view, mission) or "", RadioUse).radio not in ("", mission)


def refuse_observer(view: View, mission: str, who: str, *, steady: bool) -> Refusal | None:
    """Return a refusal if a unit is eliminated or may not be this battery's Observer, else None.

    With ``steady``, the unit must be in Good Order as well.
    """
    if who not in view.facts(mission, RadioFacts).crew:
        return Refusal.of("C1.2", "no_observer", who=who)
    state = condition(view, who)
    if state == "eliminated":
        return Refusal.of("C1.61", "eliminated", who=who)
    return (
        Refusal.of("C1.61", "not_in_good_order", who=who) if steady and state != "steady" else None
    )
