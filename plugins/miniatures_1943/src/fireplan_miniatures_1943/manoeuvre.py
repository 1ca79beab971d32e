"""Manoeuvre: bases move into, inside and out of barrages, go prone, and fire at each other through dust and smoke.

What a barrage does to them is in ``resolution``. How far bases move and what direct fire does are other
chapters of the rules: here a move is any straight way, and a shot is told with what barrages and smoke say of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import attrs

from fireplan_core import (
    Effects,
    Form,
    Modifier,
    Order,
    Place,
    Question,
    Refusal,
    Slot,
    View,
    ask,
    emit,
    push,
    step,
    update,
)
from fireplan_core.chance import Chance
from fireplan_core.space import Point
from fireplan_miniatures_1943.bases import Stand
from fireplan_miniatures_1943.geometry import swept_within_circle, through_circle
from fireplan_miniatures_1943.markers import Markers


class Manoeuvre(Markers):
    """The movement and the direct fire of a side's turn, so far as barrages meddle with them."""

    def manoeuvres(self) -> Mapping[str, Question]:
        """``movement``: bases that move or change their posture; ``firing``: bases that fire directly."""
        return {
            "movement": Question(self._movement_forms, self._refuse_movement, self._pass),
            "firing": Question(self._firing_forms, self._refuse_firing, self._pass),
        }

    def modifiers(self) -> tuple[Modifier, ...]:
        """The minus for firing out of a barrage; its size is an option."""

        def firing_out(view: View, _side: str, order: Order) -> int:
            inside = self._in_barrage(view, order["base"])
            return int(self.options["firing_out"]) if inside else 0

        return (Modifier("areas.direct_fire", "6.4.b", "firing out of a barrage", firing_out),)

    def standing(self, view: View, side: str) -> tuple[str, ...]:
        """The bases of a side that are on the table."""
        return tuple(u for u in view.units if view.unit_side(u) == side and view.place_of(u) is not None)

    def _pass(self, _view: View, _side: str) -> Order:
        return Order.of("done")

    # --- movement --------------------------------------------------------------------------------
    @step(cite="6.2.f")
    def movement(self, _chance: Chance, _view: View, side: str) -> Effects:
        """The side moves bases, one after the other."""
        return Effects(ask(side, "movement", side, then="moves"))

    @step(cite="6.2.f, 6.2.h")
    def moves(self, _chance: Chance, _view: View, side: str, order: Order) -> Effects:
        """A base moves, or changes its posture, which is no move; then the next."""
        again = push("movement", side)
        if order.verb == "move":
            return Effects(push("shift", order["base"], order["to"]), again)
        if order.verb in ("prone", "stand"):
            return Effects(push("resolution.posture", order["base"], order.verb == "prone"), again)
        return Effects()

    @step(cite="6.2.f")
    def shift(self, _chance: Chance, view: View, unit: str, to: Place) -> Effects:
        """A base moves straight to a point: every barrage that it enters, leaves or passes through catches it.

        By option only those do in which it ends.
        """
        base = self.base_of(view, unit)
        if self.options["moving_out"] == "free":
            base = attrs.evolve(base, centre=to)
        caught = [
            mission
            for mission, centre, yards in self.barrages(view, smoke=False)
            if swept_within_circle(base, to, centre, yards)
        ]
        return Effects(
            update(view.unit_neutral(unit), place=to),
            emit("moved", "6.2.f", unit=unit, at=to),
            push("resolution.moved", unit),
            *(push("resolution.caught", mission, unit) for mission in caught),
        )

    def _movement_forms(self, view: View, side: str) -> tuple[Form, ...]:
        own = Slot("base", "which base", self.standing(view, side))
        points = tuple(view.place_of(u) for u in view.units if view.place_of(u) is not None)
        near = tuple((x, y + yards) for x, y in points for yards in (60, -60))
        return (
            Form("move", "6.2.f", "move a base straight to a point", (own, Slot("to", "its new centre", near))),
            Form("prone", "6.2.h", "let a base go prone", (own,)),
            Form("stand", "6.2.h", "let a base stand up", (own,)),
            Form("done", "6.2.f", "move no more bases"),
        )

    def _refuse_movement(self, view: View, order: Order, side: str) -> Refusal | None:
        if order.verb == "done":
            return None
        cite = "6.2.f" if order.verb == "move" else "6.2.h"
        base = order["base"]
        if base not in self.standing(view, side):
            return Refusal(cite, f"{base!r} is no base of this side on the table")
        if order.verb != "move":
            return None
        return self.refuse_place(view, base, order["to"], cite)

    def refuse_place(self, view: View, unit: str, to: Place, cite: str) -> Refusal | None:
        """Why a base cannot stand there: no point of the table, or the middle of another base."""
        try:
            known = view.frame.parse(view.frame.label(to)) == to
        except (TypeError, ValueError):
            known = False
        if not known:
            return Refusal(cite, f"{to!r} is no place of this table")
        if any(view.place_of(other) == to for other in view.units if other != unit):
            return Refusal(cite, f"another base stands at {view.frame.label(to)}")
        return None

    # --- direct fire -----------------------------------------------------------------------------
    @step(cite="6.4.a, 6.4.b, 6.4.e")
    def firing(self, _chance: Chance, _view: View, side: str) -> Effects:
        """The side fires directly, one base after the other."""
        return Effects(ask(side, "firing", side, then="direct"))

    @step(cite="6.4.a, 6.4.b")
    def direct(self, chance: Chance, view: View, side: str, order: Order) -> Effects:
        """What barrages make of a shot: its target's solid cover, its firer's minus."""
        if order.verb == "done":
            return Effects()
        cover = self._in_barrage(view, order["target"])
        minus = chance.drm("direct_fire")
        shot = emit("shot", "6.4.a", unit=order["base"], at=order["target"], solid_cover=cover, modifier=minus)
        return Effects(shot, push("firing", side))

    def _in_barrage(self, view: View, unit: str) -> bool:
        """Whether a base lies wholly or partly in a barrage; smoke is none."""
        return any(self.reaches(view, unit, centre, yards) for _, centre, yards in self.barrages(view, smoke=False))

    def _firing_forms(self, view: View, side: str) -> tuple[Form, ...]:
        others = tuple(u for u in view.units if view.unit_side(u) != side and view.place_of(u) is not None)
        slots = (Slot("base", "which base fires", self.standing(view, side)), Slot("target", "at which", others))
        return (
            Form("fire", "6.4.a", "fire directly; other chapters say what it does", slots),
            Form("done", "6.4.a", "fire no more"),
        )

    def _refuse_firing(self, view: View, order: Order, side: str) -> Refusal | None:
        if order.verb == "done":
            return None
        base, target = order["base"], order["target"]
        if base not in self.standing(view, side):
            return Refusal("6.4.a", f"{base!r} is no base of this side on the table")
        if target not in view.units or view.unit_side(target) == side or view.place_of(target) is None:
            return Refusal("6.4.a", f"{target!r} is no enemy base on the table")
        ends = view.place_of(base), view.place_of(target)
        levels = view.unit_facts(base, Stand).level, view.unit_facts(target, Stand).level
        part = under_smoke(*levels, self.number("smoke_levels"))
        if part is not None:
            for _, centre, yards in self.barrages(view, smoke=True):
                if _meets(ends, centre, yards, part):
                    return Refusal("6.4.e", f"the line from {base} to {target} passes through smoke")
        return None


def under_smoke(start: int, end: int, height: int) -> tuple[Fraction, Fraction] | None:
    """The part of a line of fire, as two shares of its way, that lies no higher than smoke stands; None if none.

    Levels are counted from 0, the ground; the line climbs evenly from one to the other (6.4.e).
    """
    low, high = start <= height, end <= height
    if not low and not high:
        return None
    if low and high:
        return Fraction(0), Fraction(1)
    turn = Fraction(height - start, end - start)
    return (Fraction(0), turn) if low else (turn, Fraction(1))


def _meets(ends: tuple[Point, Point], centre: Point, yards: int, part: tuple[Fraction, Fraction]) -> bool:
    return through_circle(*ends, centre, yards, part)
