"""Satisfying hits in play: the owner's choice, the proficiency check to stand, losses, retreat and markers (12.4).

A base of ``WarResolution``. The arithmetic of losses is in ``losses``, where a stack can retreat in ``retreat``.
"""

from __future__ import annotations

from itertools import permutations
from typing import Any

import attrs

from fireplan_core import (
    Effects,
    Event,
    Form,
    Modifier,
    Order,
    Place,
    Question,
    Refusal,
    Resolution,
    Severity,
    Slot,
    View,
    ask,
    emit,
    push,
    record,
    step,
    update,
)
from fireplan_core.chance import Chance, Die
from fireplan_wacht_am_rhein.ground import GroundMap
from fireplan_wacht_am_rhein.losses import (
    LOSSES_THEN_RETREAT,
    RETREAT_FIRST,
    STAND,
    Satisfied,
    open_ground_losses,
    satisfy,
)
from fireplan_wacht_am_rhein.retreat import exposed, retreat_hexes

NAMED_ORDERS = 4
"""With more units than this only the usual order of losses is offered; any other may still be given."""


@attrs.frozen
class Firing:
    """What the firing side brings to the die: rockets, night, an observer on a vantage point; and the map, if any."""

    rockets: bool = False
    night: bool = False
    vantage: bool = False
    ground: GroundMap | None = None


@attrs.frozen
class Troops:
    """What shelters a unit, and whether it can be seen or retreat; its proficiency rating and leader (4.4.0).

    On a map terrain, works and vantage are those of the hex; there aircraft see a unit that uses road movement
    (``on_road``) whatever its cover.
    """

    terrain: tuple[str, ...] = ("clear",)
    works: str = "none"
    armour: bool = False
    strategic: bool = False
    vantage: bool = False
    observed: bool = True
    on_road: bool = False
    can_retreat: bool = True
    proficiency: int | None = None
    leader: bool = False


@record
class Body:
    """A unit's steps and markers; ``shift`` counts its Artillery Shift markers."""

    steps: int = 1
    shift: int = 0
    fatigue: bool = False
    retreated: bool = False


@record
class Sighting:
    """The barrage under way, on a map: observed, from the air, from a vantage point, by rocket units alone."""

    observed: bool = False
    air: bool = False
    vantage: bool = False
    rockets: bool = False


class Satisfying(Resolution):
    """How the owner of a hex takes its hits."""

    die: Die

    # --- looking up ------------------------------------------------------------------------------
    def _ground(self, view: View, mission: str) -> GroundMap | None:
        return view.facts(mission, Firing).ground

    def observed(self, view: View, mission: str, place: Place) -> bool:
        """Whether the barrage on a hex is observed."""
        if self._ground(view, mission) is None:
            return view.sees(mission, place).ground
        return bool(view.own(mission, Sighting).observed)

    def present(self, view: View, place: Place) -> tuple[str, ...]:
        """The units at a place that still have steps."""
        return tuple(unit for unit in view.units_at(place) if view.unit(unit, Body).steps > 0)

    def affected(self, view: View, mission: str, place: Place) -> tuple[str, ...]:
        """The units that the final result falls on: those observed, or all if the barrage is unobserved (12.4.0).

        Aircraft observe those in open ground or on road movement alone (12.1.6f).
        """
        present = self.present(view, place)
        if self.options["affected"] == "all" or not self.observed(view, mission, place):
            return present
        ground = self._ground(view, mission)
        hidden = ground is not None and ground.at(place).covering and view.own(mission, Sighting).air
        troops = {unit: view.unit_facts(unit, Troops) for unit in present}
        return tuple(unit for unit, one in troops.items() if one.observed and (one.on_road or not hidden))

    def _enemies(self, view: View, side: str) -> tuple[Place, ...]:
        """The places of the side that fires, as those who retreat see them."""
        found = {view.place_of(unit) for unit in view.units if view.unit_side(unit) != side}
        return tuple(sorted(found - {None}))

    def hexes(self, view: View, mission: str, place: Place, units: tuple[str, ...]) -> tuple[Place, ...]:
        """The hexes into which all these units can retreat; none where there is no map, or one of them is fixed."""
        ground = self._ground(view, mission)
        if ground is None or not units or not self._free(view, units):
            return ()
        side = view.unit_side(units[0])
        own = [unit for unit in view.units if view.unit_side(unit) == side and unit not in units]
        friends = [(view.place_of(unit), view.unit(unit, Body).steps) for unit in own]
        steps = sum(view.unit(unit, Body).steps for unit in units)
        return retreat_hexes(view.frame, ground, place, steps, friends, self._enemies(view, side))

    def can_retreat(self, view: View, mission: str, place: Place, units: tuple[str, ...]) -> bool:
        """Whether all these units can retreat: none is fixed, and on a map there is a hex for them (11.7 as a fact)."""
        if self._ground(view, mission) is None:
            return self._free(view, units)
        return bool(self.hexes(view, mission, place, units))

    @staticmethod
    def _free(view: View, units: tuple[str, ...]) -> bool:
        return all(view.unit_facts(unit, Troops).can_retreat for unit in units)

    # --- the question ----------------------------------------------------------------------------
    def questions(self) -> dict[str, Question]:
        """How the hits on a hex are satisfied."""
        return {"satisfy": Question(self._offers, self._refuse, self._standard)}

    def _losses(self, view: View, mission: str, place: Place, affected: tuple[str, ...]) -> Order:
        """Step losses first; the strongest unit loses first."""
        order = tuple(sorted(affected, key=lambda unit: (-view.unit(unit, Body).steps, unit)))
        if self._ground(view, mission) is None:
            return Order.of(LOSSES_THEN_RETREAT, units=order)
        to = (*self.hexes(view, mission, place, affected), None)[0]
        return Order.of(LOSSES_THEN_RETREAT, units=order, to=to)

    def _offers(self, view: View, mission: str, place: Place, _hits: int, _shift: bool) -> tuple[Form, ...]:  # noqa: FBT001
        affected = self.affected(view, mission, place)
        usual = self._losses(view, mission, place, affected)["units"]
        orders = tuple(permutations(affected)) if len(affected) <= NAMED_ORDERS else (usual,)
        slots: tuple[Slot, ...] = (Slot("units", "in which order the units lose steps", orders),)
        if self._ground(view, mission) is not None:
            hexes = self.hexes(view, mission, place, affected)
            slots = (*slots, Slot("to", "the hex for a retreat, None where none is possible", hexes or (None,)))
        forms = (
            Form(LOSSES_THEN_RETREAT, "12.4.1a", "lose steps, then retreat if a hit is left", slots),
            Form(RETREAT_FIRST, "12.4.1b", "retreat one hex for one hit, lose steps for the others", slots),
        )
        if not self.options["stand"]:
            return forms
        by = Slot("by", "which unit would lose a second step", usual)
        return (*forms, Form(STAND, "12.4.2", "lose steps and try to stand instead of retreating", (*slots, by)))

    def _refuse(self, view: View, order: Order, mission: str, place: Place, hits: int, _shift: bool) -> Refusal | None:  # noqa: FBT001
        affected = self.affected(view, mission, place)
        units = order["units"]
        if not isinstance(units, tuple) or len(units) != len(affected) or set(units) != set(affected):
            return Refusal("12.4.1a", f"name each affected unit once: {', '.join(affected)}")
        able = self.can_retreat(view, mission, place, affected)
        if order.verb == RETREAT_FIRST and not able:
            return Refusal("12.4.1b", "all affected units must be able to retreat")
        if able and self._ground(view, mission) is not None:
            hexes = self.hexes(view, mission, place, affected)
            if order["to"] not in hexes:
                names = ", ".join(view.frame.label(one) for one in hexes)
                return Refusal("12.4.1b", f"a retreat can lead to {names}")
        if order.verb == STAND:
            return self._refuse_stand(view, order["by"], affected, hits, able=able)
        return None

    def _refuse_stand(
        self, view: View, by: object, affected: tuple[str, ...], hits: int, *, able: bool
    ) -> Refusal | None:
        if by not in affected or not isinstance(by, str):
            return Refusal("12.4.2", f"{by} is not an affected unit: {', '.join(affected)}")
        if not able:
            return Refusal("12.4.2", "no retreat is possible: steps are lost without a check")
        if hits <= len(affected):
            return Refusal("12.4.2", f"{hits} hits on {len(affected)} units: nobody would have to lose a second step")
        if view.unit_facts(by, Troops).proficiency is None:
            return Refusal("12.4.2", f"{by} has no proficiency rating")
        if (steps := view.unit(by, Body).steps) < 2:
            return Refusal("12.4.2", f"{by} has {steps} step of the 2 it would have to lose")
        return None

    def _standard(self, view: View, mission: str, place: Place, _hits: int, _shift: bool) -> Order:  # noqa: FBT001
        affected = self.affected(view, mission, place)
        usual = self._losses(view, mission, place, affected)
        if self.options["hits"] == RETREAT_FIRST and self.can_retreat(view, mission, place, affected):
            return Order(RETREAT_FIRST, usual.values)
        return usual

    # --- steps -----------------------------------------------------------------------------------
    @step(cite="12.4.1")
    def final(self, _chance: Chance, view: View, mission: str, place: Place, hits: int, shift: bool) -> Effects:  # noqa: FBT001
        """The owner says how the hits are satisfied."""
        affected = self.affected(view, mission, place)
        if hits == 0:
            return Effects(push("satisfied", mission, place, 0, shift, self._losses(view, mission, place, affected)))
        return Effects(ask(view.unit_side(affected[0]), "satisfy", mission, place, hits, shift, then="satisfied"))

    @step(cite="12.4.2")
    def stand(
        self,
        chance: Chance,
        view: View,
        mission: str,
        place: Place,
        hits: int,
        shift: bool,  # noqa: FBT001
        order: Order,
    ) -> Effects:
        """The unit that would lose a second step checks its proficiency: the die must be below its rating."""
        unit = order["by"]
        rating = view.unit_facts(unit, Troops).proficiency or 0
        roll = chance.dice("proficiency", d10=self.die)
        passed = bool(roll.total + chance.drm(roll) < rating)
        return Effects(
            emit("proficiency", "12.4.2", unit=unit, rating=rating, passed=passed),
            self._carried_out(view, mission, place, hits, order, shift=shift, stands=unit if passed else None),
        )

    @step(cite="12.4.1, 12.4.2, 12.4.2a, 12.4.3")
    def satisfied(
        self,
        _chance: Chance,
        view: View,
        mission: str,
        place: Place,
        hits: int,
        shift: bool,  # noqa: FBT001
        order: Order,
    ) -> Effects:
        """Steps are lost, units retreat, what is left is overkill; markers go on the survivors."""
        if order.verb == STAND:
            return Effects(push("stand", mission, place, hits, shift, order))
        return self._carried_out(view, mission, place, hits, order, shift=shift)

    def _carried_out(
        self,
        view: View,
        mission: str,
        place: Place,
        hits: int,
        order: Order,
        *,
        shift: bool,
        stands: str | None = None,
    ) -> Effects:
        units: tuple[str, ...] = order["units"]
        before = [view.unit(unit, Body).steps for unit in units]
        able = self.can_retreat(view, mission, place, units)
        done = satisfy(
            before,
            hits,
            shift=shift,
            policy=order.verb,
            can_retreat=able,
            stands=None if stands is None else units.index(stands),
        )
        to = order.get("to") if done.retreat and any(done.steps) else None
        after = done.steps if to is None else self._in_the_open(view, mission, units, done.steps, to)
        effects = Effects(
            *(
                self._mark(view, unit, had, has, done, to)
                for unit, had, has in zip(units, before, after, strict=True)
            )
        )
        if not hits:
            return effects
        told: list[Event] = [
            emit(
                "satisfied",
                "12.4.1",
                place=place,
                losses=done.losses,
                retreat=done.retreat and any(done.steps),
                overkill=done.overkill,
            )
        ]
        if not able and max(had - has for had, has in zip(before, done.steps, strict=True)) > 1:
            told.append(emit("magnitude_lifted", "12.4.2", place=place, why="no retreat is possible"))
        if after != done.steps:
            told.append(emit("magnitude_lifted", "12.4.2", place=place, why="retreat into the open next to enemies"))
        if done.retreat and any(done.steps):
            told.append(emit("retreat", "12.4.1b", place=place, to=to))
        if done.overkill:
            told.append(emit("overkill", "12.4.2a", place=place, hits=done.overkill, fatigue=done.fatigue))
        # Units that were not affected stay, so the hex is not empty while any of them is there.
        left = [has for has in after if has] if not done.retreat else []
        others = any(unit not in units for unit in self.present(view, place))
        empty = () if left or others else (emit("emptied", "12.5.0", place=place),)
        return Effects(*told, effects, *empty)

    def _in_the_open(
        self, view: View, mission: str, units: tuple[str, ...], steps: tuple[int, ...], to: Place
    ) -> tuple[int, ...]:
        """The steps left after the retreat itself has taken its toll (11.7.6 as an option)."""
        ground = self._ground(view, mission) or GroundMap()
        if not exposed(view.frame, ground, to, self._enemies(view, view.unit_side(units[0]))):
            return steps
        return open_ground_losses(steps, each=self.options["open_retreat"] == "each_unit")

    def _mark(self, view: View, unit: str, had: int, has: int, done: Satisfied, to: Place | None) -> Effects:
        """What becomes of one unit: its steps, its markers, its place."""
        body = view.unit(unit, Body)
        most = self.options["shift_markers"]
        # A unit that retreats is marked only if it bears no marker; a result may add one up to the most there are.
        shifted = done.shift and body.shift < (1 if done.retreat else most)
        fatigued = done.fatigue and not body.fatigue
        severity = _severity(had, has, marks=shifted or fatigued or done.retreat)
        if severity is Severity.NONE:
            return Effects()
        suffered = emit("suffered", "12.4.1a" if has < had else "12.4.3", unit=unit, severity=severity)
        if has == 0:
            return Effects(update(body, steps=0), self._moved(view, unit, None), suffered)
        columns = body.shift + shifted
        return Effects(
            update(
                body,
                steps=has,
                shift=columns,
                fatigue=body.fatigue or done.fatigue,
                retreated=body.retreated or done.retreat,
            ),
            [] if to is None else self._moved(view, unit, to),
            suffered,
            emit("artillery_shift", "12.4.3", unit=unit, columns=columns) if shifted else Effects(),
        )

    @staticmethod
    def _moved(view: View, unit: str, to: Place | None) -> list[Any]:
        """A unit on a map goes to another hex, or off it when it is eliminated."""
        return update(view.unit_neutral(unit), place=to) if view.scenario.mobile else []

    @step(cite="12.4.3")
    def assault_over(self, _chance: Chance, view: View, _mission: str, place: Place) -> Effects:
        """With the end of the Ground Assault Segment every Artillery Shift marker in the hex comes off."""
        marked = [unit for unit in self.present(view, place) if view.unit(unit, Body).shift]
        return Effects(
            *(update(view.unit(unit, Body), shift=0) for unit in marked),
            *(emit("shift_removed", "12.4.3", unit=unit) for unit in marked),
        )

    def modifiers(self) -> tuple[Modifier, ...]:
        """What is added to a proficiency check."""
        return (
            Modifier(
                "resolution.proficiency", "12.4.2", "leader",
                lambda view, _m, _p, _h, _s, order: -1 if view.unit_facts(order["by"], Troops).leader else 0,
            ),
        )  # fmt: skip


def _severity(had: int, has: int, *, marks: bool) -> Severity:
    if has == 0:
        return Severity.DESTROYED
    if has < had:
        return Severity.REDUCED
    return Severity.SUPPRESSED if marks else Severity.NONE
