"""Units on the map that are activated and act: move, go IN works, fire, turn over, dig (6.0, 6.6).

A command to troops reaches this module through the delays, which first let primed groups roll. What entering a hex
brings on is in ``_passage``, fire in ``_combat``, what becomes of shovels in ``_digging``; transport and melee are not
played.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

from fireplan_core import Effects, Form, Order, Place, Question, Refusal, Slot, View, ask, emit, push, step, update
from fireplan_core.chance import Chance
from fireplan_core.space import Hex, distance, neighbours
from fireplan_red_poppies._combat import Shooting
from fireplan_red_poppies._digging import Digging, refuse_digging
from fireplan_red_poppies._ground import side_of
from fireplan_red_poppies._passage import Passing
from fireplan_red_poppies._troops import FOOT, Company, Troops, ground_of, ready

STACK = 2
"""Units other than AFV, and AFV, of a side in a hex (3.4)."""

MASS, MASS_HEXES, BLOB = 12, 6, 4
"""Most units of a mass, most hexes of one, most units of a blob (3.5, 3.6)."""


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


class Marching(Passing, Shooting, Digging):
    """Steps of units that are activated."""

    @step(cite="5.22, 6.01")
    def activate(self, _chance: Chance, _view: View, side: str) -> Effects:
        """The acting side names the units of its command."""
        return Effects(ask(side, "activate", side, then="activated"))

    @step(cite="6.01, 6.02, 6.03")
    def activated(self, _chance: Chance, view: View, side: str, order: Order) -> Effects:
        """Primed groups interrupt; then those of the units that are still ready may act."""
        if order.verb != "units":
            return Effects()
        interrupt = (push("delays.interrupt", side),) if "delays.interrupt" in view.scenario.steps else ()
        return Effects(*interrupt, push("begin", side, order["units"]))

    @step(cite="6.05, 6.61")
    def begin(self, _chance: Chance, view: View, side: str, units: tuple[str, ...]) -> Effects:
        """Each ready unit has the movement points of the face that is up."""
        free = tuple(unit for unit in units if ready(view, unit))
        effects = []
        for unit in free:
            troops = view.unit(unit, Troops)
            face = view.unit_facts(unit, Company).face(formed=troops.formed)
            effects.append(update(troops, points=0 if face is None else face.movement, by_road=True))
        return Effects(*effects, push("act", side, free))

    @step(cite="6.03")
    def act(self, _chance: Chance, view: View, side: str, units: tuple[str, ...]) -> Effects:
        """The next action of the activated units, until nobody is left or the player halts."""
        if any(ready(view, unit) for unit in units):
            return Effects(ask(side, "act", side, units, then="acted"))
        return Effects(push("halted", units))

    @step(cite="6.05, 6.65")
    def halted(self, _chance: Chance, view: View, units: tuple[str, ...]) -> Effects:
        """The command is done: whoever moved is spent, and nobody counts as moving any more."""
        moved = [unit for unit in units if view.unit(unit, Troops).moving]
        effects = [update(view.unit(unit, Troops), moving=False, spent=True) for unit in moved]
        return Effects(*effects, *(update(view.unit(unit, Troops), points=0) for unit in units))

    @step(cite="3.2, 6.3, 6.51, 6.61, 6.62, 6.65")
    def acted(self, _chance: Chance, view: View, side: str, units: tuple[str, ...], order: Order) -> Effects:
        """Carry the action out."""
        if order.verb == "halt":
            return Effects(push("halted", units))
        moving = order["units"] if order.verb == "stack" else (order["unit"],)
        unit = moving[0]
        troops, here = view.unit(unit, Troops), view.place_of(unit)
        # Attention to another hex ends the moves of those elsewhere (6.65).
        others = [u for u in units if u not in moving and view.unit(u, Troops).moving and view.place_of(u) != here]
        over = [update(view.unit(other, Troops), moving=False, spent=True) for other in others]
        again = push("act", side, units)
        if order.verb == "deploy":
            turned = update(troops, formed=not troops.formed, spent=True)
            return Effects(*over, turned, emit("deploy", "6.3", unit=unit), again)
        if order.verb == "dig":
            return Effects(*over, update(troops, dug=True, spent=True), emit("dig", "6.05, 6.41", unit=unit), again)
        if order.verb == "go_in":
            paid = update(troops, points=troops.points - 1, moving=True, inside=order["works"], by_road=False)
            went_in = emit("inside", "8.02, 8.31, 8.321", unit=unit, works=order["works"])
            return Effects(*over, paid, went_in, push("react", side, (unit,), ()), again)
        if order.verb == "fire":
            return Effects(*over, push("fire", unit, order["at"], ()), again)
        alike = [update(view.unit(u, Troops), points=_left(view, u, moving)) for u in moving]
        # An AFV is first through the wire.
        abreast = sorted(moving, key=lambda u: not view.unit_facts(u, Company).armoured)
        entries = (push("enter", u, order["to"]) for u in abreast)
        arrival = push("arrived", moving, here, tuple(u for u in moving if view.unit(u, Troops).formed))
        return Effects(*over, *alike, *entries, arrival, push("react", side, moving, ()), again)

    # --- questions -------------------------------------------------------------------------------
    def march_questions(self) -> Mapping[str, Question]:
        """Which units a command activates, and what they do."""
        return {
            "activate": Question(self._activate_forms, self._refuse_activate, lambda _view, _side: Order.of("nothing")),
            "act": Question(self._act_forms, self._refuse_act, lambda _view, _side, _units: Order.of("halt")),
        }

    def _activate_forms(self, view: View, side: str) -> tuple[Form, ...]:
        free = [unit for unit in view.units if view.unit_side(unit) == side and ready(view, unit)]
        bodies = [(unit,) for unit in free] + [
            pair for pair in combinations(free, 2) if view.place_of(pair[0]) == view.place_of(pair[1])
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
        if not all(ready(view, unit) for unit in units):
            return Refusal("3.3", "a spent unit takes no command")
        return body(view, units)

    def _act_forms(self, view: View, _side: str, units: tuple[str, ...]) -> tuple[Form, ...]:
        ready_units = tuple(unit for unit in units if ready(view, unit))
        near = dict.fromkeys(h for unit in ready_units for h in neighbours(view.place_of(unit)))
        who = Slot("unit", "which unit", ready_units)
        return (
            Form("move", "6.62", "enter an adjacent hex", (who, Slot("to", "the hex", tuple(near)))),
            Form(
                "stack", "6.61", "enter an adjacent hex as a stack",
                (Slot("units", "both units", tuple(_pairs(view, ready_units))), Slot("to", "the hex", tuple(near))),
            ),
            Form("go_in", "6.62, 8.02", "go IN works", (who, Slot("works", "which", ("trench", "blockhouse")))),
            Form("fire", "6.51", "fire at a hex", (who, Slot("at", "the hex", self._marks(view, ready_units)))),
            Form("deploy", "6.3", "turn the unit over", (who,)),
            Form("dig", "6.41", "dig, for a scrape or a bomb stop when the turn ends", (who,)),
            Form("halt", "6.03", "the command is done"),
        )  # fmt: skip

    def _refuse_act(self, view: View, order: Order, _side: str, units: tuple[str, ...]) -> Refusal | None:
        if order.verb == "halt":
            return None
        if order.verb == "stack":
            return self._refuse_stack(view, units, order)
        unit = order["unit"]
        if unit not in units or not ready(view, unit):
            return Refusal("6.03", "that unit is not activated, or is spent")
        troops, facts = view.unit(unit, Troops), view.unit_facts(unit, Company)
        if order.verb in ("deploy", "dig", "fire"):
            return Refusal("6.03", "the unit is moving already") if troops.moving else self._refuse_staying(view, order)
        if not _pays(view, unit, order):
            return Refusal("6.61, 6.64", "the unit has no movement point left")
        if order.verb == "go_in":
            return self._refuse_works(view, unit, order["works"])
        return _refuse_move(view, unit, facts, order["to"])

    def _marks(self, view: View, units: tuple[str, ...]) -> tuple[Hex, ...]:
        """Hexes with enemies that one of the units can fire at."""
        side = view.unit_side(units[0]) if units else ""
        held = dict.fromkeys(view.place_of(u) for u in view.units if view.unit_side(u) != side)
        return tuple(h for h in held if h is not None and any(self.refuse_shot(view, u, h) is None for u in units))

    def _refuse_staying(self, view: View, order: Order) -> Refusal | None:
        """Turning over, digging, firing."""
        if order.verb != "fire":
            return refuse_digging(view, order["unit"]) if order.verb == "dig" else None
        at = order["at"]
        if not (isinstance(at, tuple) and len(at) == 2):
            return Refusal("2.2, 6.51", "fire is at a hex of the map")
        return self.refuse_shot(view, order["unit"], at)

    @staticmethod
    def _refuse_stack(view: View, units: tuple[str, ...], order: Order) -> Refusal | None:
        pair = order["units"]
        if pair not in _pairs(view, tuple(unit for unit in units if ready(view, unit))):
            return Refusal("6.61", "a stack is two activated, ready units in one hex")
        if not all(_pays(view, unit, order, pair) for unit in pair):
            return Refusal("6.61, 6.64", "a unit of the stack has no movement point left")
        facts = [view.unit_facts(unit, Company) for unit in pair]
        also = int(facts[0].armoured == facts[1].armoured)
        found = (_refuse_move(view, u, of, order["to"], also=also) for u, of in zip(pair, facts, strict=True))
        return next((refusal for refusal in found if refusal is not None), None)

    @staticmethod
    def _refuse_works(view: View, unit: str, works: str) -> Refusal | None:
        facts = view.unit_facts(unit, Company)
        if works not in ("trench", "blockhouse") or not getattr(ground_of(facts).plot(view.place_of(unit)), works):
            return Refusal("8.02", "there are no such works here")
        if works == "blockhouse" and facts.type != "machine_gun":
            return Refusal("8.31", "only machine guns can be IN a blockhouse")
        if works == "trench" and facts.type not in FOOT:
            return Refusal("8.321", "only guns and infantry can be IN a trench")
        return None


def _left(view: View, unit: str, moving: tuple[str, ...]) -> int:
    """The points of a unit: who is picked up on the way counts as having paid what the others have (6.61)."""
    troops = view.unit(unit, Troops)
    if troops.moving:
        return troops.points
    paid = 0
    for other in moving:
        gone = view.unit(other, Troops)
        face = view.unit_facts(other, Company).face(formed=gone.formed)
        if gone.moving and face is not None:
            paid = max(paid, face.movement - gone.points)
    return troops.points - paid


def _pays(view: View, unit: str, order: Order, moving: tuple[str, ...] = ()) -> bool:
    """Whether a unit has a point left, or the bonus of one who has kept to a road, for one hex more of it (6.64)."""
    troops, points = view.unit(unit, Troops), _left(view, unit, moving)
    if points > 0 or order.verb == "go_in":
        return points > 0
    here, to = view.place_of(unit), order["to"]
    ground = ground_of(view.unit_facts(unit, Company))
    along = to in neighbours(here) and side_of(here, to) in ground.roads
    return points == 0 and troops.moving and troops.by_road and along


def _pairs(view: View, units: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Two units of these in one hex."""
    return [pair for pair in combinations(units, 2) if view.place_of(pair[0]) == view.place_of(pair[1])]


def _refuse_move(view: View, unit: str, facts: Company, to: Hex, *, also: int = 0) -> Refusal | None:
    ground, here, side = ground_of(facts), view.place_of(unit), view.unit_side(unit)
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
