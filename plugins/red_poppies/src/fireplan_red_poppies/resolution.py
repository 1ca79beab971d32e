"""Resolution of Red Poppies: the steps of the part, and the actions of activated units (6.0).

The steps and questions of other subjects are functions of the modules ``fire_for_effect``,
``bombardment``, ``gas``, ``passage`` (movement, transport, digging), ``combat`` and ``melee``; the
class lists them. ``bodies`` has the units that act together, and ``moves`` judges their moves. A
command to troops comes from the delays part, which first lets primed groups roll. Unit values are
reconstructed, because the rules do not include the counters.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from typing import Any, ClassVar

from fireplan_core import (
    Event,
    FireKind,
    Form,
    Keeps,
    Modifier,
    Place,
    Refusal,
    Resolution,
    Setup,
    Severity,
    Shot,
    Slot,
    Staging,
    View,
    orders,
    parts_of,
)
from fireplan_core.chance import Chance
from fireplan_core.space import Hex, neighbours
from fireplan_core.steps.effects import Effect, Effects, ask, emit, push, step, update
from fireplan_red_poppies import bombardment, combat, fire_for_effect, gas, passage
from fireplan_red_poppies import melee as melees
from fireplan_red_poppies.bodies import pairs, refuse_body, stacking_limit
from fireplan_red_poppies.combat import UnitShot, refuse_kind, refuse_shot
from fireplan_red_poppies.ground import is_hex
from fireplan_red_poppies.massed import Massed, massed_fire
from fireplan_red_poppies.melee import Brawl
from fireplan_red_poppies.moves import move, move_stack, points_left, refuse_unpaid
from fireplan_red_poppies.passage import allowance, refuse_transport
from fireplan_red_poppies.setup import Forces, Staged
from fireplan_red_poppies.troops import (
    TRANSPORT,
    Company,
    MapChanges,
    Soil,
    TroopState,
    Units,
    armoured,
    cohesion_of,
    enemies_in,
    ground_of,
    ready,
)


class RedPoppiesResolution(Staged, Resolution):
    """The resolution part: a cohesion check for each unit under fire, and unit actions."""

    keeps = Keeps(units=(TroopState,), table=(MapChanges,), ground=(Soil,))
    publishes = (MapChanges, TroopState)
    severities: ClassVar[Mapping[str, Severity]] = {
        "no effect": Severity.NONE,
        "dispersed and spent": Severity.SUPPRESSED,
        "destroyed": Severity.DESTROYED,
    }

    # --- steps and questions of other modules ----------------------------------------------------
    check = fire_for_effect.check
    bombard = bombardment.bombard
    breach_wire, breach = bombardment.breach_wire, bombardment.breach
    lay_scrapes, scrape = bombardment.lay_scrapes, bombardment.scrape
    gassed, drift = gas.gassed, gas.drift

    enter, arrived, occupied = passage.enter, passage.arrived, passage.occupied
    rallies, rally, form = passage.rallies, passage.rally, passage.form
    lost, bog, entered = passage.lost, passage.bog, passage.entered
    shovels, shovel = passage.shovels, passage.shovel

    fire, shoot_back = combat.fire, combat.shoot_back
    react, reaction = combat.react, combat.reaction
    volley, shot = combat.volley, combat.shot
    melee, target, clash = melees.melee, melees.target, melees.clash

    def modifiers(self) -> tuple[Modifier, ...]:
        """Return the modifiers of all checks of units."""
        modules = (fire_for_effect, gas, combat, melees, passage)
        return tuple(modifier for module in modules for modifier in module.modifiers(self))

    def on_counter(self, view: View, unit: str) -> tuple[str, ...]:
        """Return the cohesion on a unit's visible face as a text; () for a destroyed unit."""
        if view.unit(unit, TroopState).destroyed:
            return ()
        return (f"cohesion {cohesion_of(view, unit)}",)

    def recovers(self, event: Event) -> bool:
        """Return whether the event is a rally, after which its unit is formed again (3.8)."""
        return event.kind == "rallied"

    def harm_chance(
        self, scenario: Setup, unit: str, severity: Severity, mission: str, *, usual: bool
    ) -> Fraction | None:
        """Return the chance that a massed fire harms a unit at least this severely (7.12, 7.43).

        The unit keeps its place. Return None for groups, if units can move, and without ``usual``,
        because other orders may form the unit or take it out of its works. A unit that is already
        dispersed is harmed only if it is spent or eliminated.
        """
        massed = scenario.missions[mission].facts.get(self.word)
        if not isinstance(massed, Massed) or scenario.mobile or not usual:
            return None
        return bombardment.harm_chance(self, scenario, unit, severity, massed)

    # --- setting up ------------------------------------------------------------------------------
    def set_up(self, staging: Staging, forces: Forces) -> None:
        """Set up the units and groups; refuse misplaced units and overstacked hexes (3.4)."""
        super().set_up(staging, forces)
        ground = forces.ground
        stops = () if ground is None else tuple(sorted(ground.stops))
        staging.share(
            self.word, MapChanges(stops=stops, heights=forces.heights, transport=forces.transport)
        )
        for name, unit in forces.units.items():
            slot, facts = unit.slots[self.word], unit.facts[self.word]
            for reason in self._misplaced(unit.place, slot.inside, facts):
                staging.cannot(f"{name}: {reason}")
            staging.unit(
                name,
                unit.side,
                unit.place,
                strength=unit.strength,
                slot=slot,
                facts=facts,
                extent=unit.extent,
            )
        stacks = Counter(
            (unit.place, unit.side, unit.facts[self.word].armoured)
            for unit in forces.units.values()
        )
        for (place, side, afv), count in stacks.items():
            if count > (most := stacking_limit(self, ground, place)):
                kind = "AFV" if afv else "units other than AFV"
                staging.cannot(
                    f"{staging.frame.label(place)}: {count} {kind} of {side}, {most} at most (3.4)"
                )

    @staticmethod
    def _misplaced(place: Place, inside: str, company: Company) -> Iterator[str]:
        """Yield each reason why a unit cannot be set up in a hex; none in an engagement.

        ``inside`` names the works that it is IN, or is empty.
        """
        ground = company.ground
        if ground is None:
            return
        label = ground.layout.label(place)
        if not ground.in_play(place):
            yield f"{label} is not in play (2.2)"
        if inside and not getattr(ground.plot(place), inside):
            yield f"there is no {inside} in {label} (8.3)"
        if inside == "blockhouse" and company.type != "machine_gun":
            yield "only machine guns can be IN a blockhouse (8.31)"
        if company.armoured and ground.plot(place).quarry:
            yield f"{label} is a quarry, which no tank enters (14.0)"
        if inside == "trench" and not company.on_foot:
            yield "only guns and infantry can be IN a trench (8.321)"

    # --- fire for effect -------------------------------------------------------------------------
    @step(cite="7.245, 7.246")
    def strike(self, chance: Chance, view: View, mission: str, place: Place, shot: Shot) -> Effects:
        """Attack every unit in the hex, friend or foe."""
        units = view.units_at(place)
        return Effects(*(fire_for_effect.attack(self, view, mission, unit, shot) for unit in units))

    @step(cite="7.12, 7.51, 7.52")
    def spent(self, chance: Chance, view: View, mission: str) -> Effects:
        """Apply the after-effects of the strikes: breaches and scrapes, gas, or smoke."""
        massed, kind = massed_fire(view, mission), view.mission(mission).kind
        if massed is not None:
            return bombardment.after_massed(self, view, mission, massed)
        if kind is FireKind.GAS:
            return gas.release_gas(self, view, mission)
        if kind is FireKind.SMOKE:
            return Effects(
                emit("smoke", "7.52", mission=mission, hexes=gas.struck_hexes(view, mission))
            )
        return Effects()

    # --- activation ------------------------------------------------------------------------------
    @step(cite="5.22, 6.01")
    def manoeuvre(self, chance: Chance, view: View, side: str) -> Effects:
        """Ask the acting side which units its command activates."""
        return Effects(ask(side, self.activate, side))

    @orders(cite="6.01, 6.02, 6.03")
    def activate(self, view: View, side: str) -> Iterator[Form]:
        """Yield the orders for a command to troops: activate units, or do nothing (5.21, 6.01).

        A unit, stack, mass or blob may be activated. Primed groups interrupt before the units act
        (6.02).
        """
        free = tuple(
            unit for unit in view.units if view.unit_side(unit) == side and ready(view, unit)
        )
        bodies = (*((unit,) for unit in free), *pairs(view, free))
        units = Slot("units", "a unit, stack, mass or blob, by its units' names", bodies, free=True)
        yield Form("nothing", "5.21")
        yield Form("units", "6.01", (units,), partial(self._activated, view, side))

    def _activated(self, view: View, side: str, units: Units) -> Effects | Refusal:
        distinct = units and len(set(units)) == len(units)
        if not distinct or any(
            unit not in view.units or view.unit_side(unit) != side for unit in units
        ):
            return Refusal.of("6.01", "own_units_once")
        if not all(ready(view, unit) for unit in units):
            return Refusal.of("3.3", "spent_unit")
        return refuse_body(self, view, units) or Effects(
            push(parts_of(view).delays.before_manoeuvre, side), push(self.begin, side, units)
        )

    # --- actions ---------------------------------------------------------------------------------
    @step(cite="6.05, 6.61")
    def begin(self, chance: Chance, view: View, side: str, units: Units) -> Effects:
        """Give each ready unit the movement points of its face, or of its transport (6.61).

        Then ask for the first action of these units.
        """
        free = tuple(unit for unit in units if ready(view, unit))
        points = (
            update(view.unit(u, TroopState), points=allowance(self, view, u), by_road=True)
            for u in free
        )
        return Effects(*points, push(self.next_action, side, free))

    @step(cite="6.03")
    def next_action(self, chance: Chance, view: View, side: str, units: Units) -> Effects:
        """Ask for the next action, until no activated unit is ready or the player halts."""
        if any(ready(view, unit) for unit in units):
            return Effects(ask(side, self.act, side, units))
        return Effects(push(self.halted, units))

    @step(cite="6.05, 6.65")
    def halted(self, chance: Chance, view: View, units: Units) -> Effects:
        """End the command: units that moved are spent, and no unit counts as moving."""
        points = (update(view.unit(unit, TroopState), points=0) for unit in units)
        return Effects(*_spend_movers(view, units), *points)

    @orders(cite="3.2, 6.3, 6.51, 6.61, 6.62, 6.65, 6.82")
    def act(self, view: View, side: str, units: Units) -> Iterator[Form]:
        """Yield the orders for the activated units: any action of section 6, or halt."""
        free = tuple(unit for unit in units if ready(view, unit))
        near = tuple(dict.fromkeys(h for unit in free for h in neighbours(view.place_of(unit))))
        couples, marks = pairs(view, free), self._marks(view, free)
        actor = Slot(
            "unit", "the activated unit that acts", free, Refusal.of("6.03", "not_activated")
        )
        to, at = Slot("to", "the hex", near, free=True), Slot("at", "the hex", marks, free=True)
        stack = Refusal.of("6.61", "stack_of_two")
        bodies = tuple(
            body
            for body in (*((unit,) for unit in free), *couples)
            if enemies_in(view, body[0], view.place_of(body[0]))
        )
        into = Slot("into", "the works to go IN with the same point", ("", "trench"))
        works, by = (
            Slot("works", "the works to go into", ("trench", "blockhouse")),
            Slot("by", "the means of transport", TRANSPORT),
        )
        vehicles = tuple(u for at in marks for u in view.units_at(at) if armoured(view, u))

        def action(does: Callable[..., Effect | Refusal]) -> Callable[..., Effect | Refusal]:
            return partial(self._acted, view, side, units, does)

        yield Form("halt", "6.03", does=push(self.halted, units))
        yield Form("move", "6.62", (actor, to), action(partial(move, self)))
        two = Slot("units", "two activated units", couples, stack)
        yield Form("stack", "6.61", (two, to), action(partial(move_stack, self)))
        yield Form("go_in", "6.62, 8.02", (actor, works), action(self._go_in))
        fighters = Slot("units", "the units that fight", bodies, free=True)
        yield Form("melee", "6.62, 6.671", (fighters, into), action(partial(self._start, units)))
        yield Form("fire", "6.51", (actor, at), action(self._fire))
        if vehicles:
            vehicle = Slot("vehicle", "the AFV to fire at", vehicles, free=True)
            yield Form("anti_tank", "6.54", (actor, vehicle), action(self._fire_at_afv))
        if view.shared(MapChanges).transport:
            yield Form("transport", "6.82", (actor, by), action(self._carry))
        yield Form("deploy", "6.3", (actor,), action(_turn_over))
        yield Form("dig", "6.41", (actor,), action(_dig))

    def _acted(
        self,
        view: View,
        side: str,
        activated: Units,
        does: Callable[..., Effect | Refusal],
        /,
        **order: Any,
    ) -> Effect | Refusal:
        """Return the effects of an action, or its refusal.

        An action ends the moves of activated units in other hexes (6.65).
        """
        done = does(view, **order)
        if isinstance(done, Refusal):
            return done
        moving = order.get("units") or (order["unit"],)
        here = view.place_of(moving[0])
        over = _spend_movers(
            view, tuple(u for u in activated if u not in moving and view.place_of(u) != here)
        )
        return Effects(*over, done, push(self.next_action, side, activated))

    def _go_in(self, view: View, unit: str, works: str) -> Effect | Refusal:
        troops = view.unit(unit, TroopState)
        wrong = refuse_unpaid(self, view, unit) or _refuse_works(view, unit, works)
        paid = update(troops, points=troops.points - 1, moving=True, inside=works, by_road=False)
        went_in = emit("inside", "8.02, 8.31, 8.321", unit=unit, works=works)
        return wrong or Effects(paid, went_in, push(self.react, view.unit_side(unit), (unit,), ()))

    def _fire(self, view: View, unit: str, at: Place) -> Effect | Refusal:
        if wrong := _refuse_moving(view, unit):
            return wrong
        if not (isinstance(at, tuple) and is_hex(at)):
            return Refusal.of("2.2, 6.51", "fire_at_hex")
        return refuse_shot(self, view, unit, at) or push(self.fire, UnitShot(unit, at), ())

    def _fire_at_afv(self, view: View, unit: str, vehicle: str) -> Effect | Refusal:
        if wrong := _refuse_moving(view, unit):
            return wrong
        at = view.place_of(vehicle) if vehicle in view.units else None
        if at is None:
            return Refusal.of("6.54", "afv_off_map")
        wrong = refuse_kind(view, unit, at, vehicle) or refuse_shot(self, view, unit, at)
        return wrong or push(self.fire, UnitShot(unit, at, vehicle), ())

    def _carry(self, view: View, unit: str, by: str) -> Effect | Refusal:
        points, event = (
            self.number(f"{by}_movement"),
            emit("carried", "6.82, 6.84", unit=unit, by=by),
        )
        return refuse_transport(view, unit, by) or Effects(
            update(view.unit(unit, TroopState), carried=by, points=points), event
        )

    def _marks(self, view: View, units: Units) -> tuple[Hex, ...]:
        """Return the enemy-occupied hexes at which at least one of the units can fire."""
        side = view.unit_side(units[0]) if units else ""
        occupied = dict.fromkeys(view.place_of(u) for u in view.units if view.unit_side(u) != side)
        return tuple(
            h
            for h in occupied
            if h is not None and any(refuse_shot(self, view, u, h) is None for u in units)
        )

    def _start(self, activated: Units, view: View, units: Units, into: str) -> Effect | Refusal:
        """Return the effects of starting a melee, or a refusal.

        Each unit spends a point, and goes IN the works ``into`` unless that is empty (6.62).
        """
        valid = len(set(units)) == len(units) and set(units) <= set(activated)
        if not units or not valid or len({view.place_of(unit) for unit in units}) > 1:
            return Refusal.of("6.671", "fighters_in_one_hex")
        if not all(
            ready(view, unit) and points_left(self, view, unit, units) > 0 for unit in units
        ):
            return Refusal.of("6.671", "fighter_spent")
        if not enemies_in(view, units[0], view.place_of(units[0])):
            return Refusal.of("6.671", "no_enemies")
        wrong = (_refuse_works(view, unit, into) for unit in units if into)
        paid = []
        for unit in units:
            troops, points = view.unit(unit, TroopState), points_left(self, view, unit, units) - 1
            works = into or troops.inside
            paid.append(update(troops, points=points, moving=True, by_road=False, inside=works))
        events = (emit("inside", "6.62, 8.321", unit=u, works=into) for u in units if into)
        brawl = Brawl(view.unit_side(units[0]), units, view.place_of(units[0]))
        return next(filter(None, wrong), None) or Effects(*paid, *events, push(self.melee, brawl))

    # --- the end of a turn -----------------------------------------------------------------------
    @step(cite="5.3")
    def turn_over(self, chance: Chance, view: View) -> Effects:
        """End a turn: units become ready, shovels are used, and an option may end the gas."""
        fresh = (
            update(view.unit(unit, TroopState), spent=False, moving=False, strayed=False)
            for unit in view.units
        )
        halted = (
            update(view.unit(unit, TroopState), carried="")
            for unit in view.units
            if view.scenario.mobile
        )
        field = view.shared(MapChanges)
        # Only activated units dig; at a table without movement, no unit can have a shovel.
        diggers = (
            tuple(unit for unit in view.units if view.unit(unit, TroopState).dug)
            if view.scenario.mobile
            else ()
        )
        return Effects(
            *fresh,
            *halted,
            *([update(field, gas=())] if self.options["gas_lasts"] == "turn" else []),
            *(
                [update(field, met=())]
                if self.options["fire_on_entry"] == "once_per_marker"
                else []
            ),
            *([push(self.shovels, diggers)] if diggers else []),
        )


def _refuse_moving(view: View, unit: str) -> Refusal | None:
    troops = view.unit(unit, TroopState)
    return Refusal.of("6.03", "moving_already") if troops.moving or troops.carried else None


def _turn_over(view: View, unit: str) -> Effect | Refusal:
    troops = view.unit(unit, TroopState)
    turned = update(troops, formed=not troops.formed, spent=True)
    return _refuse_moving(view, unit) or Effects(turned, emit("deploy", "6.3", unit=unit))


def _dig(view: View, unit: str) -> Effect | Refusal:
    dug = Effects(
        update(view.unit(unit, TroopState), dug=True, spent=True),
        emit("dig", "6.05, 6.41", unit=unit),
    )
    wrong = None if view.unit_facts(unit, Company).on_foot else Refusal.of("6.41", "digs_on_foot")
    return _refuse_moving(view, unit) or wrong or dug


def _spend_movers(view: View, units: Units) -> list[Effects]:
    """Return an effect for each unit that was moving: it is spent and no longer moving (6.65)."""
    movers = (troops for unit in units if (troops := view.unit(unit, TroopState)).moving)
    return [Effects(update(troops, moving=False, spent=True)) for troops in movers]


def _refuse_works(view: View, unit: str, works: str) -> Refusal | None:
    facts, plot = view.unit_facts(unit, Company), ground_of(view, unit).plot(view.place_of(unit))
    if not {"trench": plot.trench, "blockhouse": plot.blockhouse}.get(works, False):
        return Refusal.of("8.02", "no_works")
    if works == "blockhouse" and facts.type != "machine_gun":
        return Refusal.of("8.31", "blockhouse_machine_guns")
    if works == "trench" and not facts.on_foot:
        return Refusal.of("8.321", "trench_on_foot")
    return None
