"""Units on the map that are activated and moved: into fire, gas and barrages, over wire, in and out of trenches.

As far as artillery needs it (6.01, 6.6, 7.247, 7.43, 7.512): rallying, getting lost, melee, and fire of units on the
map are not played. A command to troops reaches this module through the delays, which first let primed groups roll.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations

from fireplan.chance import Chance, d6
from fireplan.mission import (
    Form,
    Order,
    Place,
    Question,
    Refusal,
    Resolution,
    Slot,
    Stage,
    Then,
    View,
    ask,
    push,
    put,
    step,
    tell,
)
from fireplan.space import Hex, distance, neighbours
from fireplan_red_poppies._ground import Ground, side_of
from fireplan_red_poppies._troops import FOOT, GAS, Company, Field, Guns, Load, Troops

STACK = 2
"""Units other than AFV, and AFV, of a side in a hex (3.4)."""

MASS, MASS_HEXES, BLOB = 12, 6, 4
"""Most units of a mass, most hexes of one, most units of a blob (3.5, 3.6)."""


def _ready(view: View, unit: str) -> bool:
    troops = view.unit(unit, Troops)
    return not troops.destroyed and not troops.spent


def _connected(places: list[Place]) -> bool:
    reached, todo = {places[0]}, [places[0]]
    while todo:
        at = todo.pop()
        fresh = {p for p in places if p not in reached and distance(at, p) <= 1}
        reached |= fresh
        todo.extend(fresh)
    return reached == set(places)


def body(view: View, units: tuple[str, ...]) -> Refusal | None:
    """Why these units cannot be activated by one command; None when they can (6.01)."""
    facts = [view.unit_facts(unit, Company) for unit in units]
    places = [view.place_of(unit) for unit in units]
    formed = [view.unit(unit, Troops).formed for unit in units]
    if len(units) == 1 or (len(units) == 2 and places[0] == places[1]):
        return None
    if all(formed):
        if not all(facts[0].identical(other) for other in facts):
            return Refusal("3.11, 3.5", "units of a mass are identical: same type and values")
        if len(units) > MASS or len(set(places)) > MASS_HEXES:
            return Refusal("3.5", "a mass has up to 12 units in up to 6 hexes")
        if not _connected(places):
            return Refusal("3.5", "a mass is an unbroken chain of adjacent hexes")
        return None
    if any(formed) or not all(entry.infiltrates for entry in facts):
        return Refusal("3.5, 3.6", "a mass is formed; dispersed units join only in a blob, by infiltration")
    if len(units) > BLOB:
        return Refusal("3.6", "a blob has up to four units")
    alone = [p for k, p in enumerate(places) if not any(distance(p, o) <= 1 for j, o in enumerate(places) if j != k)]
    return Refusal("3.6", "each unit of a blob is next to another") if alone else None


class Marching(Resolution):
    """Steps of units that are activated."""

    def under_fire(self, view: View, mission: str, unit: str, intensity: Fraction) -> Then:
        """What a mission's fire does to a unit."""
        raise NotImplementedError

    @step(cite="5.22, 6.01")
    def activate(self, _chance: Chance, _view: View, side: str) -> Then:
        """The acting side names the units of its command."""
        return Then(ask(side, "activate", side, then="activated"))

    @step(cite="6.01, 6.02, 6.03")
    def activated(self, _chance: Chance, view: View, side: str, order: Order) -> Then:
        """Primed groups interrupt; then those of the units that are still ready may act."""
        if order.verb != "units":
            return Then()
        interrupt = (push("delays.interrupt", side),) if "delays.interrupt" in view.scenario.steps else ()
        return Then(*interrupt, push("begin", side, order["units"]))

    @step(cite="6.05, 6.61")
    def begin(self, _chance: Chance, view: View, side: str, units: tuple[str, ...]) -> Then:
        """Each ready unit has the movement points of the face that is up."""
        ready = tuple(unit for unit in units if _ready(view, unit))
        effects = []
        for unit in ready:
            troops = view.unit(unit, Troops)
            face = view.unit_facts(unit, Company).face(formed=troops.formed)
            effects.append(put(troops, points=0 if face is None else face.movement))
        return Then(*effects, push("act", side, ready))

    @step(cite="6.03")
    def act(self, _chance: Chance, view: View, side: str, units: tuple[str, ...]) -> Then:
        """The next action of the activated units, until nobody is left or the player halts."""
        if any(_ready(view, unit) for unit in units):
            return Then(ask(side, "act", side, units, then="acted"))
        return Then(push("halted", units))

    @step(cite="6.05, 6.65")
    def halted(self, _chance: Chance, view: View, units: tuple[str, ...]) -> Then:
        """The command is done: whoever moved is spent, and nobody counts as moving any more."""
        moved = [unit for unit in units if view.unit(unit, Troops).moving]
        effects = [put(view.unit(unit, Troops), moving=False, spent=True) for unit in moved]
        return Then(*effects, *(put(view.unit(unit, Troops), points=0) for unit in units))

    @step(cite="3.2, 6.3, 6.61, 6.62, 6.65")
    def acted(self, _chance: Chance, view: View, side: str, units: tuple[str, ...], order: Order) -> Then:
        """Carry the action out."""
        if order.verb == "halt":
            return Then(push("halted", units))
        moving = order["units"] if order.verb == "stack" else (order["unit"],)
        unit = moving[0]
        troops, here = view.unit(unit, Troops), view.place_of(unit)
        # Attention to another hex ends the moves of those elsewhere (6.65).
        others = [u for u in units if u not in moving and view.unit(u, Troops).moving and view.place_of(u) != here]
        over = [put(view.unit(other, Troops), moving=False, spent=True) for other in others]
        again = push("act", side, units)
        if order.verb == "deploy":
            turned = put(troops, formed=not troops.formed, spent=True)
            return Then(*over, turned, tell("deploy", "6.3", unit=unit), again)
        if order.verb == "go_in":
            paid = put(troops, points=troops.points - 1, moving=True, inside=order["works"])
            return Then(*over, paid, tell("inside", "8.02", unit=unit, works=order["works"]), again)
        # A unit picked up on the way counts as having paid what the other has (6.61).
        left = min(view.unit(u, Troops).points for u in moving)
        alike = [put(view.unit(u, Troops), points=left) for u in moving]
        return Then(*over, *alike, *(push("enter", u, order["to"]) for u in moving), again)

    # --- entering a hex --------------------------------------------------------------------------
    @step(cite="6.62, 8.04, 8.33, 8.341")
    def enter(self, _chance: Chance, view: View, unit: str, to: Hex) -> Then:
        """One point: a unit crosses a hex side, suffers what runs there, and is under whatever fire lies ahead."""
        facts, troops, here = view.unit_facts(unit, Company), view.unit(unit, Troops), view.place_of(unit)
        ground = _ground(facts)
        field, crossed = view.shared(Field), side_of(here, to)
        in_trench = troops.inside == "trench" and ground.linked(here, to)
        effects = [
            put(view.unit_neutral(unit), place=to),
            put(troops, points=troops.points - 1, moving=True, inside="trench" if in_trench else ""),
        ]
        told = [tell("enters", "6.62", unit=unit, to=to)]
        if crossed in ground.wire and crossed not in field.breached:
            if facts.armoured:
                effects.append(put(field, breached=tuple(sorted((*field.breached, crossed)))))
                told.append(tell("breach", "8.342", side=crossed, by=view.unit_side(unit)))
            else:
                effects.append(put(troops, formed=False, spent=True))
                told.append(tell("wire", "8.341", unit=unit))
        if crossed in ground.streams and crossed not in ground.bridges:
            effects.append(put(troops, spent=True))
            told.append(tell("stream", "8.7", unit=unit))
        bog = ground.plot(to).trench and (facts.armoured or facts.type == "cavalry")
        after = [push("bog", unit)] if bog else []
        after += [push("entered", unit)]
        if to in ground.heights:
            after += [push("areas.occupied", to)]
        return Then(*effects, *told, *after)

    @step(cite="8.323")
    def bog(self, chance: Chance, view: View, unit: str) -> Then:
        """Cavalry and AFV check on entering a trench hex; a move never destroys (3.73)."""
        troops = view.unit(unit, Troops)
        roll = chance.dice("bog", first=d6, second=d6)
        if roll.total + chance.drm(roll) > view.unit_facts(unit, Company).score(formed=troops.formed):
            return Then(put(troops, formed=False, spent=True), tell("bogged", "8.323", unit=unit))
        return Then()

    @step(cite="6.72, 7.247, 7.43, 7.511, 7.512")
    def entered(self, _chance: Chance, view: View, unit: str) -> Then:
        """Fire for effect, a barrage and gas attack whoever enters, at once and at no command."""
        place = view.place_of(unit)
        lying = [m for m in view.missions if view.mission(m).stage is Stage.FALLING and _covers(view, m, place)]
        gas = place in view.shared(Field).gas or any(_gas(view, m) for m in lying)
        attacks = [self.under_fire(view, m, unit, Fraction(1)) for m in lying]
        return Then(*attacks, *((push("gassed", (unit,), ()),) if gas else ()))

    # --- questions -------------------------------------------------------------------------------
    def march_questions(self) -> Mapping[str, Question]:
        """Which units a command activates, and what they do."""
        return {
            "activate": Question(self._activate_forms, self._refuse_activate, lambda _view, _side: Order.of("nothing")),
            "act": Question(self._act_forms, self._refuse_act, lambda _view, _side, _units: Order.of("halt")),
        }

    def _activate_forms(self, view: View, side: str) -> tuple[Form, ...]:
        ready = [unit for unit in view.units if view.unit_side(unit) == side and _ready(view, unit)]
        bodies = [(unit,) for unit in ready] + [
            pair for pair in combinations(ready, 2) if view.place_of(pair[0]) == view.place_of(pair[1])
        ]
        slot = Slot("units", "a unit, stack, mass or blob, by their names", tuple(bodies))
        return (Form("units", "6.01", "activate these units", (slot,)), Form("nothing", "5.21", "activate nobody"))

    def _refuse_activate(self, view: View, order: Order, side: str) -> Refusal | None:
        if order.verb != "units":
            return None
        units = order["units"]
        known = isinstance(units, tuple) and units and len(set(units)) == len(units)
        if not known or any(unit not in view.units or view.unit_side(unit) != side for unit in units):
            return Refusal("6.01", "name units of your own side, each once")
        if not all(_ready(view, unit) for unit in units):
            return Refusal("3.3", "a spent unit takes no command")
        return body(view, units)

    def _act_forms(self, view: View, _side: str, units: tuple[str, ...]) -> tuple[Form, ...]:
        ready = tuple(unit for unit in units if _ready(view, unit))
        near = dict.fromkeys(h for unit in ready for h in neighbours(view.place_of(unit)))
        who = Slot("unit", "which unit", ready)
        return (
            Form("move", "6.62", "enter an adjacent hex", (who, Slot("to", "the hex", tuple(near)))),
            Form(
                "stack", "6.61", "enter an adjacent hex as a stack",
                (Slot("units", "both units", tuple(_pairs(view, ready))), Slot("to", "the hex", tuple(near))),
            ),
            Form("go_in", "6.62, 8.02", "go IN works", (who, Slot("works", "which", ("trench", "blockhouse")))),
            Form("deploy", "6.3", "turn the unit over", (who,)),
            Form("halt", "6.03", "the command is done"),
        )  # fmt: skip

    def _refuse_act(self, view: View, order: Order, _side: str, units: tuple[str, ...]) -> Refusal | None:
        if order.verb == "halt":
            return None
        if order.verb == "stack":
            return self._refuse_stack(view, units, order)
        unit = order["unit"]
        if unit not in units or not _ready(view, unit):
            return Refusal("6.03", "that unit is not activated, or is spent")
        troops, facts = view.unit(unit, Troops), view.unit_facts(unit, Company)
        if order.verb == "deploy":
            return Refusal("6.03", "the unit is moving already") if troops.moving else None
        if troops.points < 1:
            return Refusal("6.61", "the unit has no movement point left")
        if order.verb == "go_in":
            return self._refuse_works(view, unit, order["works"])
        return _refuse_move(view, unit, facts, order["to"])

    @staticmethod
    def _refuse_stack(view: View, units: tuple[str, ...], order: Order) -> Refusal | None:
        pair = order["units"]
        if pair not in _pairs(view, tuple(unit for unit in units if _ready(view, unit))):
            return Refusal("6.61", "a stack is two activated, ready units in one hex")
        if any(view.unit(unit, Troops).points < 1 for unit in pair):
            return Refusal("6.61", "a unit of the stack has no movement point left")
        found = (_refuse_move(view, u, view.unit_facts(u, Company), order["to"], also=1) for u in pair)
        return next((refusal for refusal in found if refusal is not None), None)

    @staticmethod
    def _refuse_works(view: View, unit: str, works: str) -> Refusal | None:
        facts = view.unit_facts(unit, Company)
        if works not in ("trench", "blockhouse") or not getattr(_ground(facts).plot(view.place_of(unit)), works):
            return Refusal("8.02", "there are no such works here")
        if works == "blockhouse" and facts.type != "machine_gun":
            return Refusal("8.31", "only machine guns can be IN a blockhouse")
        if works == "trench" and facts.type not in FOOT:
            return Refusal("8.321", "only guns and infantry can be IN a trench")
        return None


def _pairs(view: View, units: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Two units of these in one hex, other than an AFV and a unit of another kind."""
    return [
        pair
        for pair in combinations(units, STACK)
        if view.place_of(pair[0]) == view.place_of(pair[1])
        and view.unit_facts(pair[0], Company).armoured == view.unit_facts(pair[1], Company).armoured
    ]


def _refuse_move(view: View, unit: str, facts: Company, to: Hex, *, also: int = 0) -> Refusal | None:
    ground, here, side = _ground(facts), view.place_of(unit), view.unit_side(unit)
    if to not in neighbours(here) or not ground.in_play(to):
        return Refusal("2.2, 6.61", "a point enters an adjacent hex that is in play")
    if side_of(here, to) in ground.shores:
        return Refusal("8.7", "a lake lies across that hex side")
    if facts.fixed:
        return Refusal("7.21", "the company with the trench set stays in its set-up hex")
    if any(view.unit_side(other) != side for other in view.units_at(here)):
        return Refusal("6.63", "a unit does not leave a hex with enemies in it")
    friends = [
        other
        for other in view.units_at(to)
        if view.unit_side(other) == side and view.unit_facts(other, Company).armoured == facts.armoured
    ]
    if len(friends) + also >= STACK:
        return Refusal("3.4", "that hex is full: two units other than AFV and two AFV a side")
    return None


def _ground(facts: Company) -> Ground:
    if facts.ground is None:
        raise ValueError("units move only over the ground of a scenario")
    return facts.ground


def _covers(view: View, mission: str, place: Place) -> bool:
    return bool(view.scenario.parts.areas.covers(view.seen_by("areas"), mission, place, Fraction(0)))


def _gas(view: View, mission: str) -> bool:
    facts = view.scenario.missions[mission].facts.get("resolution")
    return isinstance(facts, Guns) and bool(facts.shells) and view.own(mission, Load).shell == GAS
