"""Delays: Radio Contact (C1.2, C1.22), field phones (C1.23) and Battery Access (C1.21, C1.211).

A moment is a friendly fire phase with the Rally Phase before it. What is ordered once the battery is at hand
belongs to ``requests``; how fire falls and lapses belongs to ``areas``.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from fireplan_asl._nations import UnknownNationError, nation_for
from fireplan_asl._observer import Manned, Nerve, Radio, Set
from fireplan_asl._places import burst_seen, enemy_near, in_prep_fire, two_sided
from fireplan_core import (
    FINAL,
    Clock,
    Effects,
    Event,
    Form,
    Modifier,
    Order,
    Question,
    Reason,
    Scenario,
    Stage,
    Staging,
    View,
    ask,
    emit,
    push,
    step,
    update,
)
from fireplan_core.chance import Chance, d6

SILENT = (Stage.IDLE, Stage.ENDED)
LINKS = ("radio", "telephone")

SHOWING = ("revealed", "suffered")
"""Events that show a hidden unit to everybody."""


def _phase_name(number: int) -> str:
    return f"turn {number // 2 + 1} {'DFPh' if number % 2 else 'PFPh'}"


class AslDelays(Manned):
    """One attempt a fire phase: contact, then access."""

    def clock(self) -> Clock:
        """Own PFPh and own DFPh in turn; a Game Turn of two minutes holds one of each."""
        return Clock(Fraction(1), Fraction(1), _phase_name, "fire phase", "a Game Turn is two minutes (A3)")

    def stage(self, staging: Staging) -> None:
        """Lay down radio and Draw Pile for every battery."""
        engagement = staging.engagement
        observer, asset = engagement.observer, engagement.asset
        offboard = observer.kind == "offboard"
        if not offboard and observer.link not in LINKS:
            staging.cannot(f"C1.2: an Observer uses a radio or a field phone, not {observer.link}")
        try:
            squads = self.options["chinese_squads"]
            nation = nation_for(engagement.firer.nationality, engagement.date, self.charts, squads)
        except UnknownNationError as error:
            staging.cannot(f"C1.211: {error}")
            return
        black, red = nation.pile(asset.ammunition, preregistered=asset.preregistered)
        if nation.plentiful_included and asset.ammunition != "plentiful":
            staging.note("pile: the printed one has a black chit for Plentiful Ammunition, taken out")
        mortars = asset.weapon == "mortar" and 70 <= asset.calibre_mm < 100
        phone = observer.link == "telephone" and not offboard
        if phone:
            staging.note("field phone: nothing cuts its line (no Security Area is recorded)")
        value = None if offboard else self.number("field_phone_contact") if phone else nation.contact
        maintenance = self.number("mortar_maintenance_drm" if mortars else "maintenance_drm")
        facts = Set(value, maintenance, red, repairable=not phone)
        for mission in staging.assets:
            staging.mission(mission, self.word, Radio(contact=offboard, black=black, red=red), facts)

    def modifiers(self) -> tuple[Modifier, ...]:
        """The Maintenance DRM."""
        return (
            Modifier(
                "delays.maintenance", "C1.22", "keeping contact",
                lambda view, mission, _order: view.facts(mission, Set).maintenance,
            ),
        )  # fmt: skip

    def hides(self, scenario: Scenario, name: str, side: str) -> bool:  # noqa: ARG002
        """Units set up hidden are kept from the other side until something shows them."""
        sets = (setup.facts.get(self.word) for setup in scenario.missions.values())
        return any(isinstance(each, Set) and name in each.hidden for each in sets)

    def shows(self, scenario: Scenario, event: Event, side: str) -> Event | None:
        """A hidden unit is shown when it is revealed, and when fire does anything to it (C1.82, C1.5)."""
        return event if event.kind in SHOWING else super().shows(scenario, event, side)

    def questions(self) -> dict[str, Question]:
        """Whether to roll for contact, or what keeps the Observer from it."""
        return {
            "contact": Question(self._contact_forms, self._refuse_contact, self._standard_contact),
            **self.observer_questions(),
        }

    @staticmethod
    def _contact_forms(_view: View, _mission: str) -> tuple[Form, ...]:
        return (
            Form("roll", "C1.2", "roll for Radio Contact, or to keep it: his only action of the phase"),
            Form("pass", "C1.22", "do not roll; contact is lost"),
            Form("disorder", "C1.61", "something else has cost the Observer his Good Order"),
            Form("rout", "C1.6", "the Observer goes along with a routing unit"),
            Form("cut", "C1.23", "an Original 2 of the opponent in the Security Area has cut the line"),
        )

    def _standard_contact(self, view: View, mission: str) -> Order:
        roll = Order.of("roll")
        return roll if self._refuse_contact(view, roll, mission) is None else Order.of("pass")

    # --- the phase -------------------------------------------------------------------------------
    @step(cite="C1.2")
    def moment(self, chance: Chance, view: View) -> Effects:  # noqa: ARG002 - no dice here
        """The Rally Phase, then every Observer's attempt at contact."""
        shared = [who for m in view.missions if view.facts(m, Set).shared for who in view.facts(m, Set).crew]
        free = [Effects(update(view.unit(who, Nerve), radio="")) for who in dict.fromkeys(shared)]
        # The special draw comes before the initial RPh, and so before all other batteries (E12.72).
        begins = [Effects(push("special", m)) for m in view.missions if self._begins(view, m)]
        both = two_sided(view)
        early = [mission for mission in view.missions if not both or in_prep_fire(view, mission)]
        creep = [m for m in view.missions if self._creeping(view, m)]
        first = [] if begins or creep else early[:1]
        opens = [self._opens(view, m, first=m in first) for m in early if m not in creep]
        if not both:
            return Effects(*free, *begins, *self._lifts(view, creep), *opens)
        # One Rally Phase for both sides; then the PFPh of one is over, its FFE resolved, before the DFPh of the other
        # begins (C1.5), which may have lost an Observer by then.
        late = [mission for mission in view.missions if mission not in early]
        rally = [push("rallied", m) for m in late if view.mission(m).stage is Stage.LINGERING]
        falls = [push("areas.early", m) for m in early] if "areas.early" in view.scenario.steps else []
        turns = [push("turn", m) for m in late if m not in creep]
        before, after = ([m for m in group if m in creep] for group in (early, late))
        lifts, later = self._lifts(view, before), self._lifts(view, after)
        return Effects(*free, *begins, *rally, *lifts, *opens, *falls, *later, *turns)

    @staticmethod
    def _creeping(view: View, mission: str) -> bool:
        """Whether a Creeping Barrage is still to come or under way."""
        if not view.facts(mission, Set).creeping or view.own(mission, Radio).taken:
            return False
        return view.mission(mission).stage is not Stage.ENDED

    @staticmethod
    def _lifts(view: View, missions: Sequence[str]) -> list[Effects]:
        """Creeping Barrages Lift before anybody acts (E12.76); a radio may follow what Lifted in an earlier phase."""
        known = "areas.lifting" in view.scenario.steps
        return [Effects(push("turn", m), push("areas.lifting", m) if known else Effects()) for m in missions]

    @staticmethod
    def _begins(view: View, mission: str) -> bool:
        """Whether the special draw of a Creeping Barrage is due: once, in the first moment."""
        idle = view.facts(mission, Set).creeping and view.mission(mission).stage is Stage.IDLE
        return idle and not (two_sided(view) and view.moment())

    def _opens(self, view: View, mission: str, *, first: bool) -> Effects:
        """The phase of a battery; where the fire of an earlier one may cost it its Observer, only then looked at."""
        facts = view.facts(mission, Set)
        if not first and (facts.crew or facts.line or facts.creeping):
            return Effects(push("turn", mission))
        return self._open(view, mission)

    @step(cite="C1.61")
    def turn(self, chance: Chance, view: View, mission: str) -> Effects:  # noqa: ARG002 - no dice here
        """The phase of a battery whose Observer may have been hit in it."""
        return self._open(view, mission)

    @step(cite="C1.61")
    def opened(self, chance: Chance, view: View, mission: str) -> Effects:  # noqa: ARG002 - no dice here
        """The phase of a battery whose Observer can speak after all."""
        return self._opened(view, mission, able=True)

    @step(cite="C1.61, C1.22")
    def idles(self, chance: Chance, view: View, mission: str) -> Effects:  # noqa: ARG002 - no dice here
        """The phase of a battery whose radio nobody can use: what lies on the map goes on by itself."""
        return self._opened(view, mission, able=False)

    def _open(self, view: View, mission: str) -> Effects:
        now = view.mission(mission)
        if now.stage is Stage.ENDED and now.reason in FINAL:
            return Effects()
        radio = view.own(mission, Radio)
        if view.facts(mission, Set).creeping and not radio.taken:
            return self._creeps(mission, now.stage, radio)
        gone = self._gone(view, mission)
        if gone is not None:
            return gone
        if self._speechless(view, mission):
            return Effects(push("speechless", mission))
        return self._opened(view, mission, able=True)

    def _opened(self, view: View, mission: str, *, able: bool) -> Effects:
        stage = view.mission(mission).stage
        radio = view.own(mission, Radio)
        rally = Effects()
        if stage is Stage.LINGERING:
            rally = self._rally_phase_ends(view, mission)
        elif stage not in (Stage.SPOTTING, Stage.FALLING) and not self._keeps_access(stage):
            # C1.21 asks for a draw whenever nothing lies on the map.
            rally = Effects(update(radio, access=False))
        if not able:
            return rally
        if radio.broken:
            return Effects(rally, push("repair", mission))
        if stage in SILENT or rally.pushes:
            return Effects(rally, push("core.opportunity", mission), push("attempt", mission))
        return Effects(rally, self._attempt(view, mission))

    @staticmethod
    def _creeps(mission: str, stage: Stage, radio: Radio) -> Effects:
        """No Observer and no radio until a Creeping Barrage has Lifted; after that they go on as usual (E12.771)."""
        if stage is not Stage.ENDED:
            return Effects()
        return Effects(update(radio, taken=True), push("turn", mission))

    @step(cite="C1.22, C1.21")
    def rallied(self, chance: Chance, view: View, mission: str) -> Effects:  # noqa: ARG002 - no dice here
        """The end of a Rally Phase, where something moves between it and the fire phase."""
        if view.mission(mission).stage is not Stage.LINGERING:
            return Effects()
        return self._rally_phase_ends(view, mission)

    @step(cite="C1.3")
    def forfeits(self, chance: Chance, view: View, mission: str) -> Effects:  # noqa: ARG002 - no dice here
        """The Fire Mission has been Cancelled by the opponent, and Access goes with it."""
        return Effects(update(view.own(mission, Radio), access=False))

    @step(cite="E12.72")
    def special(self, chance: Chance, view: View, mission: str) -> Effects:
        """The special Access draw: black, it begins with the attack; red, some Game Turns before it."""
        radio = view.own(mission, Radio)
        black, red = radio.black, radio.red
        if chance.draw("access", black=black, red=red) == "black":
            return Effects(update(radio, black=black - 1), emit("creeping_begins", "E12.72", mission=mission, turns=0))
        return Effects(push("timing", mission))

    @step(cite="E12.72")
    def timing(self, chance: Chance, view: View, mission: str) -> Effects:
        """The Timing dr, halved; the red chit goes back and a black one is taken instead."""
        turns = chance.dice("timing", white=d6).white.halved_up().exact()
        radio = view.own(mission, Radio)
        opens = (push("areas.creep_opens", mission, turns),) if "areas.creep_opens" in view.scenario.steps else ()
        return Effects(
            update(radio, black=radio.black - 1),
            emit("creeping_begins", "E12.72", mission=mission, turns=turns),
            *opens,
        )

    def _keeps_access(self, stage: Stage) -> bool:
        if self.options["access_without_counter"] == "access is kept":
            return True
        return stage is Stage.DELAYED and self.options["red_extra_chit"] == "access is kept"

    def _rally_phase_ends(self, view: View, mission: str) -> Effects:
        """Access ends with a FFE:C on the map, and so does the FFE:C of a battery without contact.

        Who is not in Good Order, or whose line is cut, has lost it at once (C1.61, C1.23).
        """
        radio = view.own(mission, Radio)
        linked = radio.contact and not self._speechless(view, mission) and not self._line_cut(view, mission)
        gone = self.options["ffe_c_without_contact"] == "ends with the rally phase" and not linked
        return Effects(
            update(radio, access=False),
            *((push("core.close", mission, Reason.DELIVERED, "C1.22"),) if gone else ()),
        )

    @step(cite="C1.22")
    def repair(self, chance: Chance, view: View, mission: str) -> Effects:
        """A broken radio is repaired on 1 and removed on 6; a field phone is gone."""
        radio = view.own(mission, Radio)
        if not view.facts(mission, Set).repairable:
            return Effects(push("core.close", mission, Reason.LOST, "C1.23"))
        roll = chance.dice("repair", white=d6)
        if roll.total == self.number("repaired"):
            return Effects(
                update(radio, broken=False),
                emit("repaired", "C1.22", mission=mission),
                push("core.opportunity", mission),
                push("attempt", mission),
            )
        if roll.total == self.number("removed"):
            return Effects(push("core.close", mission, Reason.LOST, "C1.22, C1.1"))
        return Effects()

    @step(cite="C1.2")
    def attempt(self, chance: Chance, view: View, mission: str) -> Effects:  # noqa: ARG002 - no dice here
        """Ask for the roll, if fire is wanted and there is something to roll with."""
        return self._attempt(view, mission)

    def _attempt(self, view: View, mission: str) -> Effects:
        radio = view.own(mission, Radio)
        if view.mission(mission).stage in SILENT:
            # Nobody rolls to keep a contact that he does not use (C1.22).
            keeps = view.facts(mission, Set).contact is None or not radio.contact
            return Effects() if keeps else Effects(update(radio, contact=False))
        if radio.broken:
            return Effects()
        return Effects(ask(view.side(mission), "contact", mission, then="radio"))

    @step(cite="C1.2")
    def radio(self, chance: Chance, view: View, mission: str, order: Order) -> Effects:
        """The Contact or Maintenance DR; an Original 12 breaks the set."""
        radio = view.own(mission, Radio)
        held = radio.contact
        if order.verb != "roll":
            return self._silence(view, mission, order.verb)
        value = view.facts(mission, Set).contact
        if value is None:
            return Effects(emit("contact", "C1.63", mission=mission), self._linked(view, mission))
        used = self._used(view, mission)
        roll = chance.dice("maintenance" if held else "contact", coloured=d6, white=d6)
        if roll.total == self.number("set_breaks"):
            cite = "C1.22" if view.facts(mission, Set).repairable else "C1.23"
            return Effects(used, update(radio, contact=False, broken=True), emit("set_breaks", cite, mission=mission))
        if roll.total + chance.drm(roll) <= value:
            cite = "C1.22" if held else "C1.2"
            contact = emit("contact", cite, mission=mission)
            return Effects(used, update(radio, contact=True), contact, self._linked(view, mission))
        return Effects(used, update(radio, contact=False), emit("no_contact", "C1.2", mission=mission))

    def _silence(self, view: View, mission: str, why: str) -> Effects:
        """Not rolling ends contact; of one's own will, and the mission with it, if the burst is not seen.

        Going along with a rout is always of one's own will, losing Good Order never.
        """
        radio = view.own(mission, Radio)
        if view.facts(mission, Set).contact is None:
            return Effects()
        if why == "cut":
            cut = emit("line_cut", "C1.23", mission=mission)
            if view.mission(mission).stage is Stage.FALLING:
                # Nobody wanted that: the FFE goes on, and the phone is gone (C1.22).
                return Effects(update(radio, contact=False, broken=True), cut)
            return Effects(update(radio, contact=False), cut, push("core.close", mission, Reason.LOST, "C1.23"))
        if why == "disorder":
            return Effects(update(radio, contact=False), emit("observer_lost", "C1.61", mission=mission, how="declared"))
        if why != "rout" and burst_seen(view, mission):
            return Effects(update(radio, contact=False))
        if view.mission(mission).stage not in (Stage.SPOTTING, Stage.FALLING, Stage.LINGERING):
            return Effects(update(radio, contact=False, access=False))
        cite = "C1.6" if why == "rout" else "C1.22"
        return Effects(
            update(radio, contact=False, access=False),
            push("core.cease", mission, Reason.CANCELLED, cite),
        )

    @staticmethod
    def _linked(view: View, mission: str) -> Effects:
        if view.own(mission, Radio).access:
            return Effects(push("core.ready", mission))
        return Effects(push("access", mission))

    # --- the pile --------------------------------------------------------------------------------
    @step(cite="C1.21")
    def access(self, chance: Chance, view: View, mission: str) -> Effects:
        """The Access draw: the chit leaves the pile; the second red one ends access for good."""
        radio = view.own(mission, Radio)
        black, red = radio.black, radio.red
        if chance.draw("access", black=black, red=red) == "black":
            return Effects(
                update(radio, access=True, black=black - 1),
                emit("access", "C1.21", mission=mission),
                push("core.ready", mission),
            )
        drawn = update(radio, access=False, red=red - 1)
        denied = emit("no_access", "C1.21", mission=mission)
        if view.facts(mission, Set).red - (red - 1) >= self.number("red_chits_to_lose_access"):
            return Effects(drawn, denied, push("core.close", mission, Reason.EXHAUSTED, "C1.21"))
        if view.mission(mission).stage is Stage.LINGERING:
            return Effects(drawn, denied, push("core.close", mission, Reason.DELIVERED, "C1.34"))
        return Effects(drawn, denied)

    @step(cite="C1.21")
    def clearance(self, chance: Chance, view: View, mission: str) -> Effects:  # noqa: ARG002 - no dice here
        """An extra draw is due if enemies are in or next to the hex, none of them Known."""
        now = view.mission(mission)
        place = now.impact if now.aim is None else now.aim
        hidden = view.facts(mission, Set).hidden
        if enemy_near(view, mission, place, hidden) and not view.sees(mission, place).known_enemy:
            return Effects(push("extra", mission))
        return Effects()

    @step(cite="C1.21")
    def extra(self, chance: Chance, view: View, mission: str) -> Effects:
        """The extra draw: the chit goes back; red takes everything off the map but does not count."""
        radio = view.own(mission, Radio)
        if chance.draw("extra", black=radio.black, red=radio.red) == "black":
            return Effects(emit("extra_chit_black", "C1.21, C1.211", mission=mission))
        return Effects(
            update(radio, access=self.options["red_extra_chit"] == "access is kept"),
            emit("extra_chit_red", "C1.21, C1.211", mission=mission),
            push("core.cease", mission, Reason.DENIED, "C1.21"),
        )

    @step(cite="C1.35")
    def ceased(self, chance: Chance, view: View, mission: str, stage: Stage) -> Effects:  # noqa: ARG002 - no dice here
        """Cancelling a FFE:1 or FFE:2 costs access; cancelling a SR does not."""
        if stage is not Stage.FALLING:
            return Effects()
        return Effects(update(view.own(mission, Radio), access=False), emit("access_ends", "C1.35", mission=mission))
