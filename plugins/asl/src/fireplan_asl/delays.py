"""Delays: the fire phases, Radio Contact (C1.2, C1.22), field phones (C1.23) and the Draw Pile.

A moment is a friendly fire phase with the Rally Phase before it. The Draw Pile gives Battery Access
(C1.21, C1.211) and extra chits; its special draw determines when a Creeping Barrage begins
(E12.72). The orders to a battery with Access belong to ``requests``; ``areas`` decides how long an
FFE lasts.
"""

from collections.abc import Collection, Iterable, Iterator
from fractions import Fraction
from functools import partial

from fireplan_asl.areas import AslAreas
from fireplan_asl.missions import ON_MAP, in_prep_fire, two_sided
from fireplan_asl.observer import (
    Radio,
    RadioFacts,
    RadioUse,
    lacks_observer,
    line_cut,
    mark_use,
    operator,
    refuse_observer,
    used_another_radio,
)
from fireplan_asl.options import Announced
from fireplan_asl.places import even, hexes_between
from fireplan_asl.resolution import AslResolution
from fireplan_asl.scenario import AslScenario
from fireplan_asl.scenario_battery import BatteryEntry
from fireplan_asl.setup import Staged
from fireplan_asl.spotting import burst_seen, enemies
from fireplan_core import (
    Clock,
    Delays,
    Form,
    Keeps,
    Modifier,
    Place,
    Refusal,
    Slot,
    Staging,
    View,
    cycle,
    orders,
    parts_of,
    query,
)
from fireplan_core.chance import Chance, d6
from fireplan_core.displays import Counter, Display
from fireplan_core.mission import FINAL, REFEREE, Outcome, Reason, Stage
from fireplan_core.steps.effects import Effect, Effects, ask, emit, push, step, update

SILENT = (Stage.IDLE, Stage.ENDED)
LINKS = ("radio", "telephone")


def _phase_name(number: int) -> str:
    return f"turn {number // 2 + 1} {'PFPh' if even(number) else 'DFPh'}"


class AslDelays(Staged, Delays):
    """The delays part: Radio Contact, then Battery Access, once each fire phase."""

    publishes = (Radio,)
    keeps = Keeps(assets=(Radio,), units=(RadioUse,))

    def implied(self, view: View, name: str, fields: frozenset[str]) -> Effects:
        """Return the call that Contact or Access implies if the position names no stage."""
        silent = name in view.missions and view.mission(name).stage in SILENT
        if silent and fields & {"contact", "access"} and not fields & {"stage", "round"}:
            return Effects(update(view.mission(name), stage=Stage.REQUESTED, reason=None))
        return Effects()

    def contradictions(self, view: View) -> Iterator[str]:
        """Yield contradictions between Contact, Access, the radio, its users and the Draw Pile."""
        for mission in view.missions:
            radio, opening = view.own(mission, Radio), view.scenario.initial
            if radio.access and not radio.contact and view.mission(mission).stage not in ON_MAP:
                yield f"{mission}: Battery Access (access) without Radio Contact (contact) (C1.2)"
            if radio.broken and radio.contact:
                yield f"{mission}: Radio Contact (contact) with a broken radio (radio_broken) (C1.22)"
            if radio.taken and not view.facts(mission, RadioFacts).creeping:
                yield f"{mission}: no radio takes over (taken): it fires no Creeping Barrage (E12.771)"
            crew = view.facts(mission, RadioFacts).crew
            if radio.hand >= max(1, len(crew)):
                count = f"{len(crew)} Observer{'' if len(crew) == 1 else 's'}"
                yield f"{mission}: the battery has only {count}, counted from 0 (hand) (C1.61)"
            for colour in ("black", "red"):
                most = opening[f"missions/{mission}/delays/{colour}"]
                if getattr(radio, colour) > most:
                    yield f"{mission}: the Draw Pile began with only {most} {colour} chits (C1.211)"

    def unfinished(self, view: View) -> Iterator[str]:
        """Yield a message for each special draw from a pile without a black chit (E12.72)."""
        for mission in view.missions:
            if self._draws_specially(view, mission) and not view.own(mission, Radio).black:
                yield f"{mission}: the special draw takes a black chit from the pile (black) (E12.72)"

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
        """Stage a battery's radio, Draw Pile and Observers."""
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

    @orders(cite="C1.2")
    def contact(self, view: View, mission: str) -> Iterator[Form]:
        """Offer to roll for Contact, to skip the roll, or to declare an event that prevents it."""
        facts, skip = view.facts(mission, RadioFacts), partial(self._skip_roll, view, mission)
        automatic = facts.contact is None
        elsewhere = Refusal.of("C1.6", "radio_elsewhere")
        rolls = (
            elsewhere
            if facts.shared and used_another_radio(view, mission)
            else push(self.radio, mission)
        )
        yield Form("roll", "C1.2", does=rolls)
        due = Refusal.of("C1.63, C1.33", "option_due")
        due_now = automatic and view.mission(mission).stage in ON_MAP
        yield Form("pass", "C1.22", does=due if due_now else partial(skip, "pass"))
        absent = Refusal.of("C1.63", "offboard_not_there")
        yield Form("disorder", "C1.61", does=absent if automatic else partial(skip, "disorder"))
        mute = Refusal.of("C1.6", "no_contact_to_lose")
        stays = absent if automatic else None if view.own(mission, Radio).contact else mute
        yield Form("rout", "C1.6", does=stays or partial(skip, "rout"))
        radio = Refusal.of("C1.23", "phone_alone_cut")
        phone = not automatic and not facts.repairable
        yield Form("cut", "C1.23", does=partial(skip, "cut") if phone else radio)

    @orders(cite="C1.61, C1.2")
    def observer(self, view: View, mission: str) -> Iterator[Form]:
        """Ask the referee who operates the radio now that its Observer is not in Good Order."""
        crew, again = view.facts(mission, RadioFacts).crew, push(self.opened, mission)
        # An FFE on the map continues without an Observer (C1.22).
        nobody = partial(self._rally_phase, view, mission)
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

        others = Slot("unit", "leader in the same Location", crew, free=True)
        yield Form("relief", "C1.61, C1.2", (others,), relieve)

    # --- the phase -------------------------------------------------------------------------------
    @step(cite="C1.2")
    def moment(self, _chance: Chance, view: View) -> Effects:
        """Open the Rally Phase, then let every Observer try for Contact.

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
        """Yield the effects before any battery acts: special draws (E12.72) and the Rally Phase."""
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
        """Return the steps that open one side's phases, Creeping Barrages first (E12.76)."""
        turns: list[Effect] = []
        areas = parts_of(view).find(AslAreas)
        for mission in sorted(missions, key=lambda mission: mission not in creep):
            turns.append(push(self.turn, mission))
            if mission in creep and areas:
                turns.append(push(areas.phase_begins, mission, 0))
        return turns

    @step(cite="C1.61, E12.771")
    def turn(self, chance: Chance, view: View, mission: str) -> Effects:
        """Open a battery's phase, after checking that its Observer and phone line are intact."""
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
        """Open the phase of a battery whose Observer is in Good Order."""
        rally = self._rally_phase(view, mission)
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
        return self._rally_phase(view, mission) if lingering else Effects()

    def _rally_phase(self, view: View, mission: str) -> Effects:
        """Return the effects of the end of a Rally Phase on Access and an FFE:C.

        Access ends while an FFE:C is on the map, and the FFE:C itself is removed if its battery is
        out of Contact. An Observer not in Good Order or with a cut line counts as out of Contact
        (C1.61, C1.23). Without a counter on the map a new draw is due (C1.21).
        """
        stage, radio = view.mission(mission).stage, view.own(mission, Radio)
        if stage in (Stage.SPOTTING, Stage.FALLING):
            return Effects()
        if stage is not Stage.LINGERING:
            return Effects() if self._keeps_access(stage) else Effects(update(radio, access=False))
        linked = radio.contact and not lacks_observer(view, mission) and not line_cut(view, mission)
        gone = self.options["ffe_c_without_contact"] == "ends with the rally phase" and not linked
        return Effects(
            update(radio, access=False),
            push(cycle.close, mission, Reason.DELIVERED, "C1.22") if gone else Effects(),
        )

    def _keeps_access(self, stage: Stage) -> bool:
        if self.options["access_without_counter"] == "access is kept":
            return True
        return stage is Stage.DELAYED and self.options["red_extra_chit"] == "access is kept"

    def _printed(self, view: View, mission: str, name: str, number: str) -> int:
        """Return a value of the radio counter: the scenario's, or by default the game's (C1.22)."""
        printed = view.facts(mission, RadioFacts).printed.get(name)
        return self.number(number) if printed is None else printed

    # --- Radio Contact ---------------------------------------------------------------------------
    @step(cite="C1.22")
    def repair(self, chance: Chance, view: View, mission: str) -> Effects:
        """Roll to repair a broken radio: repaired on 1, removed on 6. A broken phone is lost."""
        if not view.facts(mission, RadioFacts).repairable:
            return Effects(push(cycle.close, mission, Reason.LOST, "C1.23"))
        roll = chance.dice("repair", white=d6)
        if roll.total <= self._printed(view, mission, "repaired_on", "repaired"):
            return Effects(
                update(view.own(mission, Radio), broken=False),
                emit("repaired", "C1.22", mission=mission),
                push(cycle.opportunity, mission),
                push(self.attempt, mission),
            )
        if roll.total >= self._printed(view, mission, "removed_on", "removed"):
            return Effects(push(cycle.close, mission, Reason.LOST, "C1.22, C1.1"))
        return Effects()

    @step(cite="C1.2")
    def attempt(self, _chance: Chance, view: View, mission: str) -> Effects:
        """Ask for the Contact or Maintenance roll if fire is called for and the radio works."""
        radio = view.own(mission, Radio)
        if view.mission(mission).stage in SILENT:
            # An Observer who does not call for fire does not roll, and so loses Contact (C1.22).
            keeps = view.facts(mission, RadioFacts).contact is None or not radio.contact
            return Effects() if keeps else Effects(update(radio, contact=False))
        if radio.broken:
            return Effects()
        return Effects(ask(view.side(mission), self.contact, mission))

    @step(cite="C1.2")
    def radio(self, chance: Chance, view: View, mission: str) -> Effects:
        """Make the Contact or Maintenance DR; an Original 12 breaks the radio."""
        radio = view.own(mission, Radio)
        maintained = radio.contact
        value = view.facts(mission, RadioFacts).contact
        if value is None:
            return Effects(emit("contact", "C1.63", mission=mission), self._linked(view, mission))
        used = mark_use(view, mission)
        roll = chance.dice("maintenance" if maintained else "contact", coloured=d6, white=d6)
        if roll.total >= self._printed(view, mission, "breaks_on", "set_breaks"):
            cite = "C1.22" if view.facts(mission, RadioFacts).repairable else "C1.23"
            return Effects(
                used,
                update(radio, contact=False, broken=True),
                emit("set_breaks", cite, mission=mission),
            )
        if roll.total + chance.drm(roll) <= value:
            event = emit("contact", "C1.22" if maintained else "C1.2", mission=mission)
            return Effects(used, update(radio, contact=True), event, self._linked(view, mission))
        return Effects(
            used, update(radio, contact=False), emit("no_contact", "C1.2", mission=mission)
        )

    def _linked(self, view: View, mission: str) -> Effects:
        ready = push(cycle.ready, mission, Outcome.GOOD, "Battery Access")
        return Effects(ready if view.own(mission, Radio).access else push(self.access, mission))

    @staticmethod
    def _skip_roll(view: View, mission: str, why: str) -> Effects:
        """Return the effects of skipping the roll for the reason ``why``: Contact is lost.

        If the loss is voluntary, Access and the Fire Mission are lost too. It is voluntary if the
        Observer joins a rout, or skips the roll without LOS to the Blast Height. It is never
        voluntary if the Observer loses Good Order.
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

    # --- the Draw Pile ---------------------------------------------------------------------------
    @step(cite="C1.21")
    def access(self, chance: Chance, view: View, mission: str) -> Effects:
        """Draw a chit for Battery Access; the second red one ends Access for good."""
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
        if view.facts(mission, RadioFacts).red - (red - 1) >= self.number(
            "red_chits_to_lose_access"
        ):
            return Effects(denied, push(cycle.close, mission, Reason.EXHAUSTED, "C1.21"))
        if view.mission(mission).stage is Stage.LINGERING:
            return Effects(denied, push(cycle.close, mission, Reason.DELIVERED, "C1.34"))
        return denied

    def has_last_word(self, view: View, mission: str) -> bool:
        """Return whether an extra draw is due: enemies are near, but none is Known (C1.21)."""
        now = view.mission(mission)
        place = now.impact if now.aim is None else now.aim
        near = any(
            hexes_between(view.frame, place, view.place_of(unit)) <= 1
            for unit in enemies(view, mission)
        )
        return near and not view.sees(mission, place).known_enemy

    @step(cite="C1.21")
    def clearance(self, chance: Chance, view: View, mission: str) -> Effects:
        """Draw an extra chit, which is returned to the pile.

        A red one removes the battery's counters from the map, but does not count as a red chit
        drawn.
        """
        radio = view.own(mission, Radio)
        if chance.draw("extra", black=radio.black, red=radio.red) == "black":
            return Effects(emit("extra_chit_black", "C1.21, C1.211", mission=mission))
        return Effects(
            update(radio, access=self.options["red_extra_chit"] == "access is kept"),
            emit("extra_chit_red", "C1.21, C1.211", mission=mission),
            push(cycle.cease, mission, Reason.DENIED, "C1.21"),
        )

    @step(cite="C1.35, C1.3")
    def ceased(self, _chance: Chance, view: View, mission: str, stage: Stage) -> Effects:
        """End Access if an FFE:1 or FFE:2 was Cancelled, or if the opponent Cancelled an SR."""
        radio = view.own(mission, Radio)
        if stage is Stage.FALLING:
            return Effects(
                update(radio, access=False), emit("access_ends", "C1.35", mission=mission)
            )
        return Effects(
            update(radio, access=False) if view.peek(mission, Announced).blind else Effects()
        )

    def board(self, view: View, side: str) -> tuple[Display, ...]:
        """Return displays of the Draw Piles of a side's batteries, with the chits left (C1.211)."""
        piles = {
            m: tuple(Counter(c, getattr(view.own(m, Radio), c)) for c in ("black", "red"))
            for m in view.owned(side)
        }
        return tuple(
            Display("pile", f"Draw Pile of battery {m}", (("", chits),))
            for m, chits in piles.items()
        )

    # --- a Creeping Barrage ----------------------------------------------------------------------
    @step(cite="E12.72")
    def special(self, chance: Chance, view: View, mission: str) -> Effects:
        """Make the special draw: on black the barrage begins with the attack, on red before it."""
        radio = view.own(mission, Radio)
        black, red = radio.black, radio.red
        if chance.draw("access", black=black, red=red) == "black":
            begins = emit("creeping_begins", "E12.72", mission=mission, turns=0)
            return Effects(update(radio, black=black - 1), begins)
        return Effects(push(self.timing, mission))

    @step(cite="E12.72")
    def timing(self, chance: Chance, view: View, mission: str) -> Effects:
        """Make the halved Timing dr, and remove a black chit from the pile, not the red one."""
        turns = chance.dice("timing", white=d6).white.halved_up().exact()
        radio, areas = view.own(mission, Radio), parts_of(view).find(AslAreas)
        return Effects(
            update(radio, black=max(radio.black - 1, 0)),
            emit("creeping_begins", "E12.72", mission=mission, turns=turns),
            push(areas.phase_begins, mission, turns) if areas else Effects(),
        )
