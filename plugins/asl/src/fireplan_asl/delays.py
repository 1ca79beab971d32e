"""Delays: the fire phases, and what a battery does at the beginning of each (C1.2).

A moment is a friendly fire phase with the Rally Phase before it. The module ``radio_contact`` has
Radio Contact and field phones, ``draw_pile`` Battery Access and extra chits. The orders to a
battery with Access belong to ``requests``; ``areas`` decides how long an FFE lasts.
"""

from collections.abc import Collection, Iterable, Iterator
from fractions import Fraction

from fireplan_asl import draw_pile, radio_contact
from fireplan_asl.areas import AslAreas
from fireplan_asl.draw_pile import end_rally_phase
from fireplan_asl.missions import ON_MAP, in_prep_fire, two_sided
from fireplan_asl.observer import (
    Radio,
    RadioFacts,
    RadioUse,
    lacks_observer,
    line_cut,
)
from fireplan_asl.options import Announced
from fireplan_asl.places import even
from fireplan_asl.radio_contact import SILENT
from fireplan_asl.scenario import AslScenario
from fireplan_asl.scenario_battery import BatteryEntry
from fireplan_asl.setup import Staged
from fireplan_core import (
    Clock,
    Delays,
    Keeps,
    Modifier,
    Place,
    Staging,
    View,
    cycle,
    parts_of,
    query,
)
from fireplan_core.chance import Chance
from fireplan_core.mission import FINAL, REFEREE, Reason, Stage
from fireplan_core.steps.effects import Effect, Effects, ask, emit, push, step, update

LINKS = ("radio", "telephone")


def _phase_name(number: int) -> str:
    return f"turn {number // 2 + 1} {'PFPh' if even(number) else 'DFPh'}"


class AslDelays(Staged, Delays):
    """The delays part: Radio Contact, then Battery Access, once each fire phase."""

    publishes = (Radio,)
    keeps = Keeps(assets=(Radio,), units=(RadioUse,))

    def implied(self, view: View, name: str, fields: frozenset[str]) -> Effects:
        """Return effects that call for fire if a position gives an idle battery Contact or Access.

        There are none if the position also gives a stage or a round.
        """
        silent = name in view.missions and view.mission(name).stage in SILENT
        if silent and fields & {"contact", "access"} and not fields & {"stage", "round"}:
            return Effects(update(view.mission(name), stage=Stage.REQUESTED, reason=None))
        return Effects()

    def contradictions(self, view: View) -> Iterator[str]:
        """Yield a message for each contradiction of Contact, Access, radio and Draw Pile."""
        for mission in view.missions:
            radio, opening = view.own(mission, Radio), view.scenario.initial
            if radio.access and not radio.contact and view.mission(mission).stage not in ON_MAP:
                yield f"{mission}: Battery Access (access) without Radio Contact (contact) (C1.2)"
            if radio.broken and radio.contact:
                yield f"{mission}: Radio Contact (contact) with a broken radio (radio_broken) (C1.22)"
            if radio.taken and not view.facts(mission, RadioFacts).creeping:
                yield f"{mission}: no radio takes over (taken) a battery without a Creeping Barrage (E12.771)"
            crew = view.facts(mission, RadioFacts).crew
            if radio.hand >= max(1, len(crew)):
                last = max(0, len(crew) - 1)
                yield f"{mission}: there is no Observer {radio.hand}: hand is 0 to {last} (C1.61)"
            for colour in ("black", "red"):
                most = opening[f"missions/{mission}/delays/{colour}"]
                if getattr(radio, colour) > most:
                    yield f"{mission}: the Draw Pile began with only {most} {colour} chits (C1.211)"

    def unfinished(self, view: View) -> Iterator[str]:
        """Yield a message for each special draw from a pile without a black chit (E12.72)."""
        for mission in view.missions:
            if self._draws_specially(view, mission) and not view.own(mission, Radio).black:
                yield f"{mission}: the special draw needs a black chit, but the pile has none (black) (E12.72)"

    def clock(self) -> Clock:
        """Return the clock: a friendly PFPh and DFPh in each two-minute Game Turn."""
        return Clock(
            Fraction(1), Fraction(1), _phase_name, "fire phase", "a Game Turn is two minutes (A3)"
        )

    def stage(self, staging: Staging) -> None:
        """Stage the engagement; refuse any link other than a radio or a field phone."""
        observer = staging.engagement.observer
        if observer.kind != "offboard" and observer.link not in LINKS:
            staging.cannot(f"C1.2: an Observer uses a radio or a field phone, not {observer.link}")
        super().stage(staging)

    def set_up_battery(self, form: AslScenario, battery: BatteryEntry, staging: Staging) -> None:
        """Stage a battery's radio or phone, its Draw Pile, and who may use it as Observer."""
        nation = self.nation(form, battery)
        black, red = nation.pile(battery.ammunition, preregistered=bool(battery.preregistered))
        if nation.plentiful_included and battery.ammunition != "plentiful":
            staging.note(
                "Draw Pile: the printed black chit for Plentiful Ammunition has been taken out"
            )
        phone, offboard, line = (
            battery.link == "field_phone",
            battery.link == "offboard",
            form.line(battery),
        )
        if phone and not line:
            staging.note("field phone: its line cannot be cut, as no Security Area is recorded")
        least, most = self.number("light_mortar_least_mm"), self.number("light_mortar_most_mm")
        light = battery.weapon == "mortar" and least <= battery.calibre <= most
        crew = set(battery.crew)
        facts = RadioFacts(
            None
            if offboard
            else self.number("field_phone_contact")
            if phone
            else battery.contact or nation.contact,
            self.number("mortar_maintenance_drm" if light else "maintenance_drm"),
            red,
            repairable=not phone,
            creeping=battery.creeping is not None,
            crew=battery.crew,
            shared=any(
                not crew.isdisjoint(other.crew) for other in form.battery if other.id != battery.id
            ),
            marked=not any(
                unit.id == battery.leader and (unit.hidden or unit.concealed) for unit in form.unit
            ),
            line=tuple(line),
            printed=battery.radio_counter,
        )
        staging.mission(battery.id, self.word, Radio(contact=offboard, black=black, red=red), facts)

    @query(cite="C1.23")
    def security_area(self, view: View, mission: str) -> tuple[Place, ...]:
        """Return the hexes of a field phone's Security Area, from the phone on."""
        return tuple(view.place_of(unit) for unit in view.facts(mission, RadioFacts).line)

    def modifiers(self) -> tuple[Modifier, ...]:
        """Return the Maintenance DRM as a modifier of the Maintenance roll."""
        return (
            Modifier(
                "maintenance",
                "C1.22",
                "Contact already established",
                lambda view, mission: view.facts(mission, RadioFacts).maintenance,
            ),
        )

    # --- steps and questions of other modules ----------------------------------------------------
    contact = radio_contact.contact
    observer = radio_contact.observer
    repair = radio_contact.repair
    attempt = radio_contact.attempt
    radio = radio_contact.radio

    access = draw_pile.access
    has_last_word = draw_pile.has_last_word
    clearance = draw_pile.clearance
    special = draw_pile.special
    timing = draw_pile.timing
    board = draw_pile.board

    # --- the phase -------------------------------------------------------------------------------
    @step(cite="C1.2")
    def moment(self, _chance: Chance, view: View) -> Effects:
        """Begin the Rally Phase, then open the fire phase of every battery.

        With batteries on both sides, one side's PFPh ends and its FFEs are resolved before the
        other side's DFPh begins (C1.5). That fire may have hit an Observer of the second side.
        """
        areas = parts_of(view).areas
        both = two_sided(view)
        early = [mission for mission in view.missions if not both or in_prep_fire(view, mission)]
        late = [mission for mission in view.missions if mission not in early]
        creep = [mission for mission in view.missions if self._creeps(view, mission)]
        return Effects(
            *self._before(view, creep, late),
            *self._turns(view, early, creep),
            *(push(areas.fire_phase, mission) for mission in early if both),
            *self._turns(view, late, creep),
        )

    def _before(self, view: View, creep: list[str], late: list[str]) -> Iterator[Effect]:
        """Yield the effects before any battery acts.

        The effects clear the use of shared radios, make the special draws (E12.72) and end the
        Rally Phase for each FFE:C in ``late``.
        """
        facts = [view.facts(mission, RadioFacts) for mission in view.missions]
        for unit in dict.fromkeys(unit for fact in facts if fact.shared for unit in fact.crew):
            yield Effects(update(view.unit(unit, RadioUse), radio=""))
        for mission in creep:
            if self._draws_specially(view, mission):
                yield push(self.special, mission)
        for mission in late:
            if view.mission(mission).stage is Stage.LINGERING:
                yield push(self.expire, mission)

    @staticmethod
    def _creeps(view: View, mission: str) -> bool:
        """Return whether a Creeping Barrage is under way or still to come."""
        if not view.facts(mission, RadioFacts).creeping or view.own(mission, Radio).taken:
            return False
        return view.mission(mission).stage is not Stage.ENDED

    def _draws_specially(self, view: View, mission: str) -> bool:
        """Return whether the special draw for a Creeping Barrage opens the next moment (E12.72)."""
        at_once = not (two_sided(view) and view.moment())
        return self._creeps(view, mission) and view.mission(mission).stage is Stage.IDLE and at_once

    def _turns(self, view: View, missions: Iterable[str], creep: Collection[str]) -> list[Effect]:
        """Return effects that open the phase of each battery of one side (E12.76).

        Batteries in ``creep`` fire a Creeping Barrage and come first.
        """
        turns: list[Effect] = []
        areas = parts_of(view).find(AslAreas)
        for mission in sorted(missions, key=lambda mission: mission not in creep):
            turns.append(push(self.turn, mission))
            if mission in creep and areas:
                turns.append(push(areas.phase_begins, mission, 0))
        return turns

    @step(cite="C1.61, E12.771")
    def turn(self, chance: Chance, view: View, mission: str) -> Effects:
        """Open a battery's phase, after checking that its Observer and phone line are intact.

        Without an Observer in Good Order, the referee is asked. A cut line ends the mission unless
        an FFE is falling. A battery that can fire no more, or that fires a Creeping Barrage, has no
        phase.
        """
        now, radio = view.mission(mission), view.own(mission, Radio)
        stage = now.stage
        if stage is Stage.ENDED and now.reason in FINAL:
            return Effects()
        if view.facts(mission, RadioFacts).creeping and not radio.taken:
            # A Creeping Barrage uses no Observer and no radio. If it Lifted in an earlier phase, a
            # radio may use its battery.
            if stage is Stage.ENDED:
                return Effects(update(radio, taken=True), push(self.turn, mission))
            return Effects()
        if line_cut(view, mission):
            # An FFE:1 or FFE:2 continues without the phone, as after any involuntary Contact loss
            # (C1.22).
            if stage is Stage.FALLING:
                return Effects(update(radio, contact=False))
            return Effects(push(cycle.close, mission, Reason.LOST, "C1.23"))
        if lacks_observer(view, mission):
            # Contact is lost; the referee decides whether another unit can take the radio.
            return Effects(update(radio, contact=False), ask(REFEREE, self.observer, mission))
        return self.opened(chance, view, mission)

    @step(cite="C1.61")
    def opened(self, chance: Chance, view: View, mission: str) -> Effects:
        """End the Rally Phase, then repair a broken radio or attempt Contact.

        An idle battery is first asked whether it calls for fire.
        """
        rally = end_rally_phase(self, view, mission)
        if view.own(mission, Radio).broken:
            return Effects(rally, push(self.repair, mission))
        if view.mission(mission).stage in SILENT or rally.pushes:
            return Effects(rally, push(cycle.opportunity, mission), push(self.attempt, mission))
        return Effects(rally, self.attempt(chance, view, mission))

    @step(cite="C1.22, C1.21")
    def before_manoeuvre(self, _chance: Chance, view: View, _side: str) -> Effects:
        """End the Rally Phase for every FFE:C, before enemy units move."""
        return Effects(*(push(self.expire, mission) for mission in view.missions))

    @step(cite="C1.22, C1.21")
    def expire(self, _chance: Chance, view: View, mission: str) -> Effects:
        """End the Rally Phase for an FFE:C, before enemy units move."""
        lingering = view.mission(mission).stage is Stage.LINGERING
        return end_rally_phase(self, view, mission) if lingering else Effects()

    @step(cite="C1.35, C1.3")
    def ceased(self, _chance: Chance, view: View, mission: str, stage: Stage) -> Effects:
        """End Access if an FFE:1 or FFE:2 was Cancelled, or any mission by the opponent (C1.3)."""
        radio = view.own(mission, Radio)
        if stage is Stage.FALLING:
            return Effects(
                update(radio, access=False), emit("access_ends", "C1.35", mission=mission)
            )
        return Effects(
            update(radio, access=False) if view.peek(mission, Announced).blind else Effects()
        )
