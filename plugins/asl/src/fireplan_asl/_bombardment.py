"""Bombardment before play (C1.8 - C1.823): rows spared by six dr, then a check for everything on the other rows.

Terrain first, vehicles before those aboard, Personnel before the weapons they man. It works on the units as they
stand; what a result does to a unit is in ``_units``.
"""

from __future__ import annotations

from itertools import combinations_with_replacement

from fireplan_asl._places import HEX_M, on_map
from fireplan_asl._units import (
    BURNING,
    DAMAGED,
    DESTROYED,
    ELIMINATED,
    Body,
    Stand,
    Works,
    alive,
    breaks,
    eliminated,
    ground,
    own,
    pinned,
    reduced,
    reported,
    stand_of,
    wrecked,
)
from fireplan_core import (
    REFEREE,
    Effects,
    Form,
    Modifier,
    Order,
    Place,
    Question,
    Refusal,
    Resolution,
    Slot,
    View,
    ask,
    emit,
    push,
    record,
    step,
    update,
)
from fireplan_core.chance import Chance, Reading, d6
from fireplan_core.space import HexFrame

ROWS = 10
_FACES = [frozenset(dice) for dice in combinations_with_replacement(range(1, 7), 3)]
_NEAR = {faces: tuple(sorted(faces)) for faces in _FACES}
_FAR = {faces: tuple(face + 6 for face in sorted(faces) if face + 6 <= ROWS) for faces in _FACES}
"""The rows that the faces of three dr spare (C1.81): 1 to 6, and with 6 added 7 to 10."""
"""Hex numbers of a board: 1 to 10, in every other hexrow 0 to 10."""
DOUBLES_BELOW = 12
_UNCHECKED = ("sangar", "line", "bare")
_FIRST = {
    "building": 0, "bridge": 0, "pillbox": 0, "obstacle": 1, "mines": 1,
    "unarmoured": 2, "afv": 2, "mount": 2, "infantry": 3,
}  # fmt: skip
"""The order of checks in a hex; weapons come last. A sangar goes with its unit, a line is buried."""


Area = tuple[int, int, int]


@record
class Prelude:
    """The Bombardment still to come: the battery it counts as, and the area.

    ``areas`` are a whole board or two adjoining half-boards: each its number from the north, first and last
    hexrow. Without any, everything is shelled and nothing spared (ground without numbered hexes).
    """

    mission: str = ""
    areas: tuple[Area, ...] = ()


@record
class Scars:
    """What a Bombardment left in a hex."""

    shellhole: bool = False
    flame: bool = False


def numbered(place: Place, area: Area) -> int | None:
    """The hex number of a place on a bombarded board, None outside of the area."""
    q, r = place
    board, first, last = area
    number = r + q // 2 - ROWS * board
    inside = first <= q <= last and (0 if q % 2 else 1) <= number <= ROWS
    return number if inside else None


class Bombarding(Resolution):
    """The steps of the Bombardment, for the resolution part to inherit."""

    def bombardment_modifiers(self) -> tuple[Modifier, ...]:
        """TEM turned round, Marsh, and the Morale of own troops."""

        def cover(view: View, _mission: str, _place: Place, unit: str) -> int:
            stand = stand_of(view, unit)
            return -(stand.tem + stand.air_bursts)

        def marsh(view: View, _mission: str, _place: Place, unit: str) -> int:
            return self.number("marsh_drm") if stand_of(view, unit).marsh else 0

        def mine(view: View, mission: str, _place: Place, unit: str) -> int:
            return own(view, mission, unit)

        return (
            Modifier("resolution.bombardment", "C1.82", "2MC", lambda *_: self.number("bombardment_morale_drm")),
            Modifier("resolution.bombardment", "C1.82", "TEM turned round", cover),
            Modifier("resolution.bombardment", "C1.82", "Marsh", marsh),
            Modifier("resolution.bombardment", "C1.54", "own fire lowers the Morale Level", mine),
            Modifier("resolution.vehicle_check", "C1.54", "own fire lowers the Morale Level", mine),
        )

    def _marches(self, view: View) -> Effects:  # noqa: ARG002 - for the part that inherits it
        """What moves before this moment: nothing, unless the part that inherits this says so."""
        return Effects()

    # --- rows ------------------------------------------------------------------------------------
    @step(cite="C1.8")
    def opening(self, chance: Chance, view: View) -> Effects:  # noqa: ARG002 - no dice here
        """A Bombardment is resolved once, before the first moment."""
        prelude = view.shared(Prelude)
        mission = prelude.mission
        if not mission:
            return self._marches(view)
        begun = (update(prelude, mission=""), emit("bombardment", "C1.8", mission=mission))
        if not prelude.areas:
            return Effects(*begun, *self._on(view, mission, view.scenario.unit_ids))
        return Effects(*begun, push("spared_near", mission))

    @step(cite="C1.81")
    def spared_near(self, chance: Chance, view: View, mission: str) -> Effects:  # noqa: ARG002 - dice alone
        """Three dr spare rows 1 to 6."""
        roll = chance.dice("spared", first=d6, second=d6, third=d6)
        near: tuple[int, ...] = roll.faces.look_up(_NEAR)
        return Effects(push("spared_far", mission, near))

    @step(cite="C1.81")
    def spared_far(self, chance: Chance, view: View, mission: str, near: tuple[int, ...]) -> Effects:
        """Three dr + 6 spare rows 7 to 10, and 0 with 10; what is higher spares nothing."""
        roll = chance.dice("spared", fourth=d6, fifth=d6, sixth=d6)
        far: tuple[int, ...] = roll.faces.look_up(_FAR)
        spared = ((0,) if ROWS in far else ()) + near + far
        areas = view.shared(Prelude).areas

        def struck(place: Place) -> bool:
            # A hex that two boards share is spared by either of its numbers.
            numbers = {number for area in areas if (number := numbered(place, area)) is not None}
            return bool(numbers) and numbers.isdisjoint(spared)

        units = tuple(unit for unit in view.units if struck(view.place_of(unit)))
        return Effects(emit("spared", "C1.81", rows=spared), *self._on(view, mission, units))

    @staticmethod
    def _on(view: View, mission: str, units: tuple[str, ...]) -> tuple[Effects, ...]:
        places = dict.fromkeys(map(view.place_of, units))
        return tuple(
            Effects(push("bombarded", mission, place, scope=f"place {view.frame.label(place)}")) for place in places
        )

    # --- a hex -----------------------------------------------------------------------------------
    @step(cite="C1.82")
    def bombarded(self, chance: Chance, view: View, mission: str, place: Place) -> Effects:  # noqa: ARG002 - no dice here
        """Everything in a hex takes its check: terrain, vehicles, Personnel, weapons."""
        there = (unit for unit in view.units_at(place) if stand_of(view, unit).kind not in _UNCHECKED)
        units = sorted(there, key=lambda unit: _FIRST.get(stand_of(view, unit).kind, 9))
        steps = {"infantry": "softened", "unarmoured": "battered", "afv": "battered", "mount": "scattered"}
        steps |= {"gun": "spoiled", "weapon": "spoiled"}
        return Effects(*(push(steps.get(stand_of(view, u).kind, "shaken"), mission, place, u) for u in units))

    @step(cite="C1.82")
    def softened(self, chance: Chance, view: View, mission: str, place: Place, unit: str) -> Effects:  # noqa: ARG002 - the modifiers ask for it
        """Personnel: a 2MC; Original Doubles that fail cost men as well, an Original 12 always does."""
        stand = stand_of(view, unit)
        if not alive(view, unit) or (stand.aboard and self._lost(view, stand.aboard)):
            return Effects()
        roll = chance.dice("bombardment", coloured=d6, white=d6)
        revealed = Effects(emit("revealed", "C1.82", unit=unit), reported(view, unit, gone=False))
        shown = revealed if stand.concealed else Effects()
        original_12 = roll.total == DOUBLES_BELOW
        scar = push("cratered", place, unit) if original_12 else Effects()
        if original_12 and not stand.dummy:
            return Effects(reduced(view, unit, broken=True, cite="C1.82"), shown, scar)
        final = roll.total + chance.drm(roll)
        if stand.dummy:
            # The highest DR that passes would pin it; there are no men to be lost on an Original 12.
            if final < stand.morale and not original_12:
                return Effects()
            return Effects(
                update(view.unit(unit, Body), size=ELIMINATED),
                emit("dummy_gone", "C1.82", unit=unit),
                reported(view, unit, gone=True),
                scar,
            )
        if final > stand.morale:
            if roll.doubles:
                return Effects(reduced(view, unit, broken=True, cite="C1.82"), shown)
            return Effects(breaks(view, unit, "C1.82"), shown)
        return Effects(pinned(unit, "C1.82"), shown) if final == stand.morale else Effects()

    @staticmethod
    def _lost(view: View, vehicle: str) -> bool:
        """Whether those aboard have had their Survival already; a mount only throws them off."""
        return stand_of(view, vehicle).kind != "mount" and view.unit(vehicle, Works).loss >= DESTROYED

    @step(cite="C1.82")
    def scattered(self, chance: Chance, view: View, mission: str, place: Place, unit: str) -> Effects:  # noqa: ARG002 - no dice here
        """Horses, Motorcycles and Boats are eliminated; those on them Bail Out and then take the 2MC."""
        if not alive(view, unit):
            return Effects()
        riders = tuple(u for u in view.units_at(place) if stand_of(view, u).aboard == unit)
        return Effects(
            wrecked(view, unit, DESTROYED, "C1.82"), *(emit("bails_out", "C1.82", unit=rider) for rider in riders)
        )

    # --- equipment -------------------------------------------------------------------------------
    @step(cite="C1.821")
    def battered(self, chance: Chance, view: View, mission: str, place: Place, unit: str) -> Effects:  # noqa: ARG002 - the modifiers ask for it
        """A vehicle: a NMC; failed by one it is immobilised, by two destroyed, by more it burns."""
        if not alive(view, unit):
            return Effects()
        stand = stand_of(view, unit)
        roll = chance.dice("vehicle_check", coloured=d6, white=d6)
        scar = push("cratered", place, unit) if roll.total == DOUBLES_BELOW else Effects()
        loss = _loss(roll.total + chance.drm(roll), vehicle_morale(stand), BURNING)
        if not loss:
            return Effects(scar)
        aboard = tuple(u for u in view.units_at(place) if stand_of(view, u).aboard == unit) if loss > DAMAGED else ()
        fate = (eliminated(view, u, "C1.821") if loss == BURNING else Effects(push("survives", u)) for u in aboard)
        return Effects(wrecked(view, unit, loss, "C1.821"), *fate, scar)

    @step(cite="C1.821")
    def survives(self, chance: Chance, view: View, unit: str) -> Effects:
        """Those aboard outlive their vehicle on their Survival number; a survivor is not attacked again."""
        roll = chance.dice("survival", coloured=d6, white=d6)
        if roll.total <= stand_of(view, unit).survival:
            return Effects(emit("survives", "C1.821", unit=unit))
        return eliminated(view, unit, "C1.821")

    @step(cite="C1.821")
    def spoiled(self, chance: Chance, view: View, mission: str, place: Place, unit: str) -> Effects:  # noqa: ARG002 - the arguments of every check
        """A SW or Gun: a NMC if nobody mans it, or if who mans it failed or lost men."""
        stand = stand_of(view, unit)
        if not alive(view, unit) or (stand.possessor and not _failed(view, stand.possessor)):
            return Effects()
        roll = chance.dice("weapon_check", coloured=d6, white=d6)
        scar = push("cratered", place, unit) if roll.total == DOUBLES_BELOW else Effects()
        loss = _loss(roll.total + 0, self.number("equipment_morale"), DESTROYED)
        return Effects(wrecked(view, unit, loss, "C1.821"), scar) if loss else Effects(scar)

    # --- terrain ---------------------------------------------------------------------------------
    @step(cite="C1.822")
    def shaken(self, chance: Chance, view: View, mission: str, place: Place, unit: str) -> Effects:  # noqa: ARG002 - the arguments of every check
        """Buildings, bridges, pillboxes and obstacles: a NMC; a building loses a level for each point of failure."""
        stand = stand_of(view, unit)
        end = stand.end
        roll = chance.dice("terrain_check", coloured=d6, white=d6)
        scar = push("cratered", place, unit) if roll.total == DOUBLES_BELOW else Effects()
        loss = _loss(roll.total + 0, stand.morale, end)
        if not loss:
            return Effects(scar)
        if stand.kind in ("obstacle", "mines"):
            gone = update(view.unit(unit, Works), loss=end)
            if stand.owner:
                # Only that something is gone is told, not what nor where (C1.822).
                return Effects(gone, emit("noted", "C1.822", side=stand.owner), scar)
            return Effects(gone, emit("cleared", "C1.822", unit=unit), scar)
        inside = (u for u in view.units_at(place) if not ground(view, u))
        buried = tuple(
            u
            for u in inside
            if (stand_of(view, u).aboard == unit if stand.kind == "pillbox" else stand_of(view, u).level >= end - loss)
        )
        falls = (ask(REFEREE, "falling", place, unit, then="fell"),) if stand.kind == "building" else ()
        return Effects(
            update(view.unit(unit, Works), loss=loss),
            emit("rubble", "C1.822", unit=unit, levels=loss),
            *(
                eliminated(view, u, "C1.822")
                if stand_of(view, u).kind == "infantry"
                else wrecked(view, u, DESTROYED, "C1.822")
                for u in buried
            ),
            *falls,
            scar,
        )

    def bombardment_questions(self) -> dict[str, Question]:
        """Where rubble falls: the referee's word, by B24.12."""
        return {
            "falling": Question(
                lambda view, place, _unit: (
                    Form("none", "C1.822", "no Falling Rubble"),
                    Form("falls", "C1.822", "rubble falls into a hex", (Slot("at", "hex", _around(view, place)),)),
                ),
                lambda view, order, place, _unit: _refuse_falling(view, order, place),
                lambda _view, _place, _unit: Order.of("none"),
            )
        }

    @step(cite="C1.822")
    def fell(self, chance: Chance, view: View, place: Place, unit: str, order: Order) -> Effects:  # noqa: ARG002
        """Rubble has fallen into a hex: what that does there is B24.12's."""
        if order.verb == "none":
            return Effects()
        return Effects(emit("falling_rubble", "C1.822", unit=unit, at=order["at"]))

    @step(cite="C1.823")
    def cratered(self, chance: Chance, view: View, place: Place, unit: str) -> Effects:
        """After an Original 12: a Shellhole, a Flame or both, where they may be placed."""
        later = self.options["bombardment_fire"] == "one of the two"
        stand = stand_of(view, unit)
        roll = chance.dice("scar", white=d6)
        if later and stand.craters and stand.burns:
            shellhole = roll.total <= self.number("later_shellhole_at_most")
            flame = not shellhole
        elif later:
            shellhole, flame = stand.craters, stand.burns
        else:
            shellhole = stand.craters and roll.total <= self.number("shellhole_at_most")
            flame = stand.burns and roll.total >= self.number("flame_at_least")
        # No more than one of each in a hex.
        scars = view.ground(place, Scars)
        shellhole, flame = shellhole and not scars.shellhole, flame and not scars.flame
        return Effects(
            *((update(scars, shellhole=True), emit("shellhole", "C1.823", at=place)) if shellhole else ()),
            *((update(scars, flame=True), emit("flame", "C1.823", at=place)) if flame else ()),
        )


def _around(view: View, place: Place) -> tuple[Place, ...]:
    """The hexes of the map next to a place."""
    near = view.frame.cells(place, 1.5 * HEX_M)
    return tuple(cell for cell in near if cell != place and on_map(view.frame, cell))


def _refuse_falling(view: View, order: Order, place: Place) -> Refusal | None:
    if order.verb == "falls" and order["at"] not in _around(view, place):
        return Refusal("C1.822", "rubble falls into a hex of the map next to the building")
    return None


def vehicle_morale(stand: Stand) -> int:
    """The Morale Level of a vehicle against Bombardment: unarmoured, thin or open AFV, other AFV."""
    if stand.kind == "unarmoured":
        return 6
    return 8 if stand.open_topped or stand.armour == "thin" else 9


def _loss(final: Reading, morale: int, most: int) -> int:
    """By how much a check was failed, at most ``most``; 0 when it was passed."""

    def failed_by(dr: int) -> int:
        return min(max(0, dr - morale), most)

    lost: int = final.look_up(failed_by)
    return lost


def _failed(view: View, unit: str) -> bool:
    body = view.unit(unit, Body)
    return bool(body.broken or body.size == ELIMINATED)


def board_of(place: Place) -> int:
    """Which board from the north a hex lies on; a hex shared by two counts to the southern one."""
    q, r = place
    return int(r + q // 2 - 1 + q % 2) // ROWS


def area_of(frame: object, place: Place, columns: int, mission: str = "") -> Prelude:
    """The whole board around a place, or no board on the ground of another game."""
    if isinstance(frame, HexFrame) and frame.spacing_m == HEX_M:
        return Prelude(mission=mission, areas=((board_of(place), 0, columns - 1),))
    return Prelude(mission=mission)


__all__ = ["Bombarding", "Prelude", "Scars", "area_of", "board_of", "numbered", "vehicle_morale"]
