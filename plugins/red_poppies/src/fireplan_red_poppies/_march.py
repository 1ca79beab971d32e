"""Units on the map that are activated and act: move, go IN works, fire, turn over, dig (6.0, 6.6).

A command to troops reaches this module through the delays, which first let primed groups roll. What entering a hex
brings on is in ``_passage``, fire in ``_combat``, melee in ``_melee``, what becomes of shovels in ``_digging``, who is
carried in ``_transport``.
"""

from __future__ import annotations

from itertools import combinations

from fireplan_core import Form, Order, Question, Refusal, Slot, View, parts_of, question
from fireplan_core.chance import Chance
from fireplan_core.space import Hex, distance, neighbours
from fireplan_core.steps.effects import Effects, ask, emit, push, step, update
from fireplan_red_poppies._combat import Units, UnitShot
from fireplan_red_poppies._digging import Digging, refuse_digging
from fireplan_red_poppies._ground import is_hex, side_of
from fireplan_red_poppies._melee import Brawl, Fighting
from fireplan_red_poppies._passage import Passing
from fireplan_red_poppies._transport import TRANSPORT, Carrying
from fireplan_red_poppies._troops import FOOT, Company, Field, Troops, ground_of, ready


class Marching(Passing, Fighting, Carrying, Digging):
    """Steps of units that are activated."""

    # --- which units a command activates ---------------------------------------------------------
    @step(cite="5.22, 6.01")
    def manoeuvre(self, chance: Chance, view: View, side: str) -> Effects:
        """Let the acting side name the units of its command."""
        return Effects(ask(side, self.activate, self.activated, side))

    @question
    def activate(self) -> Question[str]:
        """Ask which units a command activates."""
        return Question(self._activate_forms, self._refuse_activate, lambda _view, _side: Order.of("nothing"))

    @staticmethod
    def _activate_forms(view: View, side: str) -> tuple[Form, ...]:
        free = tuple(unit for unit in view.units if view.unit_side(unit) == side and ready(view, unit))
        bodies = (*((unit,) for unit in free), *_pairs(view, free))
        slot = Slot("units", "a unit, stack, mass or blob, by their names", bodies)
        return (Form("units", "6.01", "activate these units", (slot,)), Form("nothing", "5.21", "activate nobody"))

    def _refuse_activate(self, view: View, order: Order, side: str) -> Refusal | None:
        if order.verb != "units":
            return None
        units = order["units"]
        known = isinstance(units, tuple) and units and len(set(units)) == len(units)
        if not known or any(unit not in view.units or view.unit_side(unit) != side for unit in units):
            return Refusal("6.01", "name units of your own side, each once")
        if not all(ready(view, unit) for unit in units):
            return Refusal("3.3", "a spent unit takes no command")
        places = [view.place_of(unit) for unit in units]
        if len(units) <= self.number("companies_in_a_hex") and len(set(places)) == 1:
            return None
        if all(view.unit(unit, Troops).formed for unit in units):
            return self._refuse_mass(view, units, places)
        return self._refuse_blob(view, units, places)

    def _refuse_mass(self, view: View, units: Units, places: list[Hex]) -> Refusal | None:
        first, *others = (view.unit_facts(unit, Company) for unit in units)
        if not all(first.identical(other) for other in others):
            return Refusal("3.11, 3.5", "units of a mass are identical: same type and values")
        most, hexes = self.number("mass_units"), self.number("mass_hexes")
        if len(units) > most or len(set(places)) > hexes:
            return Refusal("3.5", f"a mass has up to {most} units in up to {hexes} hexes")
        return None if _connected(places) else Refusal("3.5", "a mass is an unbroken chain of adjacent hexes")

    def _refuse_blob(self, view: View, units: Units, places: list[Hex]) -> Refusal | None:
        dispersed = not any(view.unit(unit, Troops).formed for unit in units)
        if not dispersed or not all(view.unit_facts(unit, Company).infiltrates for unit in units):
            return Refusal("3.5, 3.6", "a mass is formed; dispersed units join only in a blob, by infiltration")
        if len(units) > self.number("blob_units"):
            return Refusal("3.6", "a blob has up to four units")
        alone = any(all(distance(p, o) > 1 for j, o in enumerate(places) if j != k) for k, p in enumerate(places))
        return Refusal("3.6", "each unit of a blob is next to another") if alone else None

    @step(cite="6.01, 6.02, 6.03")
    def activated(self, chance: Chance, view: View, order: Order, side: str) -> Effects:
        """Let primed groups interrupt; then those of the units that are still ready may act."""
        if order.verb != "units":
            return Effects()
        return Effects(push(parts_of(view).delays.interrupt, side), push(self.begin, side, order["units"]))

    # --- what they do ----------------------------------------------------------------------------
    @step(cite="6.05, 6.61")
    def begin(self, chance: Chance, view: View, side: str, units: Units) -> Effects:
        """Give each ready unit the movement points of the face that is up."""
        free = tuple(unit for unit in units if ready(view, unit))
        given = (update(view.unit(u, Troops), points=self.allowance(view, u), by_road=True) for u in free)
        return Effects(*given, push(self.next_action, side, free))

    @step(cite="6.03")
    def next_action(self, chance: Chance, view: View, side: str, units: Units) -> Effects:
        """Let the activated units act on, until nobody is left or the player halts."""
        if any(ready(view, unit) for unit in units):
            return Effects(ask(side, self.act, self.acted, side, units))
        return Effects(push(self.halted, units))

    @step(cite="6.05, 6.65")
    def halted(self, chance: Chance, view: View, units: Units) -> Effects:
        """End the command: whoever moved is spent, and nobody counts as moving any more."""
        points = (update(view.unit(unit, Troops), points=0) for unit in units)
        return Effects(*_spend_movers(view, units), *points)

    @step(cite="3.2, 6.3, 6.51, 6.61, 6.62, 6.65, 6.82")
    def acted(self, chance: Chance, view: View, order: Order, side: str, units: Units) -> Effects:
        """Carry the action out."""
        if order.verb == "halt":
            return Effects(push(self.halted, units))
        moving = order["units"] if order.verb in ("stack", "melee") else (order["unit"],)
        unit = moving[0]
        troops, here = view.unit(unit, Troops), view.place_of(unit)
        # Attention to another hex ends the moves of those elsewhere (6.65).
        over = _spend_movers(view, tuple(u for u in units if u not in moving and view.place_of(u) != here))
        if order.verb == "deploy":
            turned = update(troops, formed=not troops.formed, spent=True)
            done = Effects(turned, emit("deploy", "6.3", unit=unit))
        elif order.verb == "dig":
            done = Effects(update(troops, dug=True, spent=True), emit("dig", "6.05, 6.41", unit=unit))
        elif order.verb == "go_in":
            paid = update(troops, points=troops.points - 1, moving=True, inside=order["works"], by_road=False)
            went_in = emit("inside", "8.02, 8.31, 8.321", unit=unit, works=order["works"])
            done = Effects(paid, went_in, push(self.react, side, (unit,), ()))
        elif order.verb == "fire":
            done = Effects(push(self.fire, UnitShot(unit, order["at"]), ()))
        elif order.verb == "anti_tank":
            at = view.place_of(order["vehicle"])
            done = Effects(push(self.fire, UnitShot(unit, at, order["vehicle"]), ()))
        elif order.verb == "transport":
            points = self.number(f"{order['by']}_movement")
            told = emit("carried", "6.82, 6.84", unit=unit, by=order["by"])
            done = Effects(update(troops, carried=order["by"], points=points), told)
        elif order.verb == "melee":
            done = self._started(view, side, moving, order["into"])
        else:
            done = self._moved(view, side, moving, order["to"])
        return Effects(*over, done, push(self.next_action, side, units))

    def _started(self, view: View, side: str, moving: Units, into: str) -> Effects:
        """Pay a point each for a melee, and with the same point go IN a trench if wanted (6.62, 6.671)."""
        paid = []
        for unit in moving:
            troops = view.unit(unit, Troops)
            now = update(troops, points=self._left(view, unit, moving) - 1, moving=True, by_road=False)
            paid += [Effects(now), Effects(update(troops, inside=into) if into else Effects())]
        told = (emit("inside", "6.62, 8.321", unit=u, works=into) for u in moving if into)
        return Effects(*paid, *told, push(self.melee, Brawl(side, moving, view.place_of(moving[0]))))

    def _moved(self, view: View, side: str, moving: Units, to: Hex) -> Effects:
        """Let units enter a hex together; all that comes of it precedes reaction fire (6.9)."""
        formed = tuple(u for u in moving if view.unit(u, Troops).formed)
        # An AFV is first through the wire.
        abreast = sorted(moving, key=lambda u: not view.unit_facts(u, Company).armoured)
        return Effects(
            *(update(view.unit(u, Troops), points=self._left(view, u, moving)) for u in moving),
            *(push(self.enter, u, to) for u in abreast),
            push(self.arrived, moving, view.place_of(moving[0]), formed),
            push(self.react, side, moving, ()),
        )

    @question
    def act(self) -> Question[str, Units]:
        """Ask for the next action of activated units."""
        return Question(self._act_forms, self._refuse_act, lambda _view, _side, _units: Order.of("halt"))

    def _act_forms(self, view: View, _side: str, units: Units) -> tuple[Form, ...]:
        free = tuple(unit for unit in units if ready(view, unit))
        near = tuple(dict.fromkeys(h for unit in free for h in neighbours(view.place_of(unit))))
        who, to = Slot("unit", "which unit", free), Slot("to", "the hex", near)
        pairs = _pairs(view, free)
        both, bodies = Slot("units", "both units", pairs), (*((unit,) for unit in free), *pairs)
        into = Slot("into", "what they go IN at the same point", ("", "trench"))
        by = Slot("by", "which transport", TRANSPORT)
        marks = self._marks(view, free)
        vehicles = tuple(u for at in marks for u in view.units_at(at) if view.unit_facts(u, Company).armoured)
        vehicle, groups = Slot("vehicle", "which", vehicles), view.shared(Field).transport
        return (
            Form("move", "6.62", "enter an adjacent hex", (who, to)),
            Form("stack", "6.61", "enter an adjacent hex as a stack", (both, to)),
            Form("go_in", "6.62, 8.02", "go IN works", (who, Slot("works", "which", ("trench", "blockhouse")))),
            Form(
                "melee", "6.62, 6.671", "start a melee",
                (Slot("units", "who fights", tuple(body for body in bodies if self._meets(view, body[0]))), into),
            ),
            Form("fire", "6.51", "fire at a hex", (who, Slot("at", "the hex", marks))),
            *([Form("anti_tank", "6.54", "fire at an AFV", (who, vehicle))] if vehicles else []),
            *([Form("transport", "6.82", "use transport for the move", (who, by))] if groups else []),
            Form("deploy", "6.3", "turn the unit over", (who,)),
            Form("dig", "6.41", "dig, for a scrape or a bomb stop when the turn ends", (who,)),
            Form("halt", "6.03", "the command is done"),
        )

    def _marks(self, view: View, units: Units) -> tuple[Hex, ...]:
        """Return the hexes with enemies that one of the units can fire at."""
        side = view.unit_side(units[0]) if units else ""
        held = dict.fromkeys(view.place_of(u) for u in view.units if view.unit_side(u) != side)
        return tuple(h for h in held if h is not None and any(self.refuse_shot(view, u, h) is None for u in units))

    def _refuse_act(self, view: View, order: Order, _side: str, units: Units) -> Refusal | None:
        if order.verb == "halt":
            return None
        if order.verb == "stack":
            return self._refuse_stack(view, units, order)
        if order.verb == "melee":
            return self._refuse_melee(view, units, order)
        unit = order["unit"]
        if unit not in units or not ready(view, unit):
            return Refusal("6.03", "that unit is not activated, or is spent")
        if order.verb in ("deploy", "dig", "fire", "anti_tank", "transport"):
            return self._refuse_staying(view, order)
        if not self._pays(view, unit, order):
            return Refusal("6.61, 6.64", "the unit has no movement point left")
        if order.verb == "go_in":
            return _refuse_works(view, unit, order["works"])
        return self._refuse_move(view, unit, order["to"])

    def _refuse_staying(self, view: View, order: Order) -> Refusal | None:
        """Return why a unit cannot turn over, dig, fire or be carried."""
        troops = view.unit(order["unit"], Troops)
        if order.verb == "transport":
            return self.refuse_transport(view, order["unit"], order["by"])
        if troops.moving or troops.carried:
            return Refusal("6.03", "the unit is moving already")
        if order.verb == "anti_tank":
            known = order["vehicle"] in view.units and view.place_of(order["vehicle"]) is not None
            at = view.place_of(order["vehicle"]) if known else None
            if at is None:
                return Refusal("6.54", "that AFV is not on the map")
            kind = self.refuse_kind(view, order["unit"], at, order["vehicle"])
            return kind or self.refuse_shot(view, order["unit"], at)
        if order.verb != "fire":
            return refuse_digging(view, order["unit"]) if order.verb == "dig" else None
        at = order["at"]
        if not (isinstance(at, tuple) and is_hex(at)):
            return Refusal("2.2, 6.51", "fire is at a hex of the map")
        return self.refuse_shot(view, order["unit"], at)

    def _meets(self, view: View, unit: str) -> bool:
        """Return whether enemies are in the unit's hex."""
        return any(view.unit_side(u) != view.unit_side(unit) for u in view.units_at(view.place_of(unit)))

    def _refuse_melee(self, view: View, units: Units, order: Order) -> Refusal | None:
        """Return why some units cannot start a melee where they are (6.671)."""
        body, into = order["units"], order["into"]
        known = isinstance(body, tuple) and body and len(set(body)) == len(body) and set(body) <= set(units)
        if not known or len({view.place_of(unit) for unit in body}) > 1:
            return Refusal("6.671", "name activated units that are in one hex")
        if not all(ready(view, unit) and self._pays(view, unit, order, body) for unit in body):
            return Refusal("6.671", "who is spent, or has no movement point left, starts no melee")
        if not self._meets(view, body[0]):
            return Refusal("6.671", "no enemies are in that hex")
        if not into:
            return None
        return next((no for unit in body if (no := _refuse_works(view, unit, "trench")) is not None), None)

    def _refuse_stack(self, view: View, units: Units, order: Order) -> Refusal | None:
        pair = order["units"]
        if pair not in _pairs(view, tuple(unit for unit in units if ready(view, unit))):
            return Refusal("6.61", "a stack is two activated, ready units in one hex")
        if not all(self._pays(view, unit, order, pair) for unit in pair):
            return Refusal("6.61, 6.64", "a unit of the stack has no movement point left")
        first, second = (view.unit_facts(unit, Company).armoured for unit in pair)
        found = (self._refuse_move(view, unit, order["to"], also=int(first == second)) for unit in pair)
        return next((refusal for refusal in found if refusal is not None), None)

    def _refuse_move(self, view: View, unit: str, to: Hex, *, also: int = 0) -> Refusal | None:
        ground, here, side = ground_of(view, unit), view.place_of(unit), view.unit_side(unit)
        facts = view.unit_facts(unit, Company)
        if to not in neighbours(here) or not ground.in_play(to):
            return Refusal("2.2, 6.61", "a point enters an adjacent hex that is in play")
        if side_of(here, to) in ground.shores:
            return Refusal("8.7", "a lake lies across that hex side")
        if facts.fixed:
            return Refusal("7.21", "the company with the trench set stays in its set-up hex")
        if any(view.unit_side(other) != side for other in view.units_at(here)):
            return Refusal("6.63", "a unit does not leave a hex with enemies in it")
        if facts.armoured and ground.plot(to).quarry:
            return Refusal("14.0", "tanks do not enter quarries")
        friends = (other for other in view.units_at(to) if view.unit_side(other) == side)
        alike = sum(view.unit_facts(friend, Company).armoured == facts.armoured for friend in friends)
        if alike + also >= self.room(ground, to):
            return Refusal("3.4", "that hex is full: two units other than AFV (in a quarry four) and two AFV a side")
        return self.refuse_carriage(view, unit, to)

    def _left(self, view: View, unit: str, moving: Units) -> int:
        """Return the points of a unit: who is picked up on the way counts as having paid as the others have (6.61)."""
        troops = view.unit(unit, Troops)
        if troops.moving:
            return troops.points
        gone = (u for u in moving if view.unit(u, Troops).moving)
        return troops.points - max((self.allowance(view, u) - view.unit(u, Troops).points for u in gone), default=0)

    def _pays(self, view: View, unit: str, order: Order, moving: Units = ()) -> bool:
        """Return whether a unit has a point left, or the bonus for one hex more of the road that it kept to (6.64)."""
        troops, points = view.unit(unit, Troops), self._left(view, unit, moving)
        if points > 0 or order.verb in ("go_in", "melee") or troops.carried == "trucks":
            return points > 0
        here, to = view.place_of(unit), order["to"]
        along = to in neighbours(here) and side_of(here, to) in ground_of(view, unit).roads
        return points == 0 and troops.moving and troops.by_road and along


def _connected(places: list[Hex]) -> bool:
    reached, todo = {places[0]}, [places[0]]
    while todo:
        at = todo.pop()
        fresh = {p for p in places if p not in reached and distance(at, p) <= 1}
        reached |= fresh
        todo.extend(fresh)
    return reached == set(places)


def _spend_movers(view: View, units: Units) -> list[Effects]:
    """Spend those of the units that have moved: they count as moving no longer (6.65)."""
    movers = (troops for unit in units if (troops := view.unit(unit, Troops)).moving)
    return [Effects(update(troops, moving=False, spent=True)) for troops in movers]


def _pairs(view: View, units: Units) -> tuple[Units, ...]:
    """Return the pairs of these units that are in one hex."""
    return tuple(pair for pair in combinations(units, 2) if view.place_of(pair[0]) == view.place_of(pair[1]))


def _refuse_works(view: View, unit: str, works: str) -> Refusal | None:
    kind, plot = view.unit_facts(unit, Company).type, ground_of(view, unit).plot(view.place_of(unit))
    if not {"trench": plot.trench, "blockhouse": plot.blockhouse}.get(works, False):
        return Refusal("8.02", "there are no such works here")
    if works == "blockhouse" and kind != "machine_gun":
        return Refusal("8.31", "only machine guns can be IN a blockhouse")
    if works == "trench" and kind not in FOOT:
        return Refusal("8.321", "only guns and infantry can be IN a trench")
    return None
