"""Manoeuvre: bases move into, inside and out of barrages, go prone, and fire at each other through dust and smoke.

How far bases move and what direct fire does are other chapters of the rules: here a move is any straight way, and
a shot is told with what barrages and smoke say of it.
"""

from __future__ import annotations

from fractions import Fraction

from fireplan_core import Form, Modifier, Order, Place, Question, Refusal, Slot, View, question
from fireplan_core.chance import Chance
from fireplan_core.space import within_circle
from fireplan_core.steps.effects import Effects, ask, emit, push, step, update
from fireplan_miniatures_1943.bases import Base, BaseProfile, ground_of, on_table, refuse_place
from fireplan_miniatures_1943.chits import barrages
from fireplan_miniatures_1943.geometry import swept_within_circle, through_circle
from fireplan_miniatures_1943.terrain import hard_cover
from fireplan_miniatures_1943.weapons import AreaFire


class Manoeuvre(AreaFire):
    """The movement and the direct fire of a side's turn, so far as barrages meddle with them."""

    @question
    def movement(self) -> Question[str]:
        """Ask which base moves or changes its posture."""
        return Question(self._movement_forms, self._refuse_movement, lambda *_: Order.of("done"))

    @question
    def firing(self) -> Question[str]:
        """Ask which base fires directly."""
        return Question(self._firing_forms, self._refuse_firing, lambda *_: Order.of("done"))

    def modifiers(self) -> tuple[Modifier, ...]:
        """Return the minus for firing out of a barrage; its size is an option."""

        def firing_out(view: View, order: Order, _side: str) -> int:
            return int(self.options["firing_out"]) if self._in_barrage(view, order["base"]) else 0

        return (*super().modifiers(), Modifier("direct_fire", "6.4.b", "firing out of a barrage", firing_out))

    # --- movement --------------------------------------------------------------------------------
    @step(cite="6.2.f")
    def manoeuvre(self, chance: Chance, view: View, side: str) -> Effects:
        """Let the side move bases, one after the other, where bases can move."""
        return Effects(ask(side, self.movement, self.moved, side)) if view.scenario.mobile else Effects()

    @step(cite="6.2.f, 6.2.h")
    def moved(self, chance: Chance, view: View, order: Order, side: str) -> Effects:
        """Move a base, or change its posture, which is no move and asks for no roll; then the next."""
        again = push(self.manoeuvre, side)
        if order.verb == "move":
            return Effects(push(self.shift, order["base"], order["to"]), again)
        if order.verb == "done":
            return Effects()
        unit, prone = order["base"], order.verb == "prone"
        lies = update(view.unit(unit, Base), prone=prone)
        return Effects(lies, emit("posture", "6.2.h", unit=unit, prone=prone), again)

    @step(cite="6.2.f, 6.3.c, 6.3.d, 6.3.e")
    def shift(self, chance: Chance, view: View, unit: str, to: Place) -> Effects:
        """Move a base straight to a point: every barrage that it enters, leaves or passes through catches it.

        By option only those do in which it ends. It leaves what it had dug; buildings and trenches that it touches
        are hard cover.
        """
        there = view.unit_facts(unit, BaseProfile).at(to)
        base = there if self.options["moving_out"] == "free" else ground_of(view, unit)
        caught = [
            mission
            for mission, centre, yards in barrages(self, view, smoke=False)
            if swept_within_circle(base, to, centre, yards)
        ]
        return Effects(
            update(view.unit_neutral(unit), place=to),
            update(view.unit(unit, Base), dug_in=False, hard_cover=hard_cover(view, there)),
            emit("moved", "6.2.f", unit=unit, at=to),
            *(push(self.caught, mission, unit) for mission in caught),
        )

    def _movement_forms(self, view: View, side: str) -> tuple[Form, ...]:
        own = Slot("base", "which base", on_table(view, side))
        far = self.number("offered_move_yards")
        places = [view.place_of(unit) for unit in on_table(view)]
        near = tuple((x, y + yards) for x, y in places for yards in (far, -far))
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
        if base not in on_table(view, side):
            return Refusal(cite, f"{base!r} is no base of this side on the table")
        return refuse_place(view, base, order["to"], cite) if order.verb == "move" else None

    # --- direct fire -----------------------------------------------------------------------------
    @step(cite="6.4.a, 6.4.b, 6.4.e")
    def shoot(self, chance: Chance, view: View, side: str) -> Effects:
        """Let the side fire directly, one base after the other."""
        return Effects(ask(side, self.firing, self.shot, side))

    @step(cite="6.4.a, 6.4.b")
    def shot(self, chance: Chance, view: View, order: Order, side: str) -> Effects:
        """Tell what barrages make of a shot: its target's solid cover, its firer's minus."""
        if order.verb == "done":
            return Effects()
        cover = self._in_barrage(view, order["target"])
        minus = chance.drm("direct_fire")
        shot = emit("shot", "6.4.a", unit=order["base"], at=order["target"], solid_cover=cover, modifier=minus)
        return Effects(shot, push(self.shoot, side))

    def _in_barrage(self, view: View, unit: str) -> bool:
        """Return whether a base lies wholly or partly in a barrage; smoke is none."""
        ground = ground_of(view, unit)
        return any(within_circle(ground, centre, yards) for _, centre, yards in barrages(self, view, smoke=False))

    def _firing_forms(self, view: View, side: str) -> tuple[Form, ...]:
        others = tuple(unit for unit in on_table(view) if view.unit_side(unit) != side)
        slots = (Slot("base", "which base fires", on_table(view, side)), Slot("target", "at which", others))
        return (
            Form("fire", "6.4.a", "fire directly; other chapters say what it does", slots),
            Form("done", "6.4.a", "fire no more"),
        )

    def _refuse_firing(self, view: View, order: Order, side: str) -> Refusal | None:
        if order.verb == "done":
            return None
        base, target = order["base"], order["target"]
        if base not in on_table(view, side):
            return Refusal("6.4.a", f"{base!r} is no base of this side on the table")
        if target not in on_table(view) or view.unit_side(target) == side:
            return Refusal("6.4.a", f"{target!r} is no enemy base on the table")
        levels = view.unit_facts(base, BaseProfile).level, view.unit_facts(target, BaseProfile).level
        part = under_smoke(*levels, self.number("smoke_levels"))
        if part is not None:
            ends = view.place_of(base), view.place_of(target)
            screens = barrages(self, view, smoke=True)
            if any(through_circle(*ends, centre, yards, part) for _, centre, yards in screens):
                return Refusal("6.4.e", f"the line from {base} to {target} passes through smoke")
        return None


def under_smoke(start: int, end: int, height: int) -> tuple[Fraction, Fraction] | None:
    """Return the part of a line of fire, as two shares of its way, that lies no higher than smoke stands, if any.

    Levels are counted from 0, the ground; the line climbs evenly from one to the other (6.4.e).
    """
    low, high = start <= height, end <= height
    if not low and not high:
        return None
    if low and high:
        return Fraction(0), Fraction(1)
    turn = Fraction(height - start, end - start)
    return (Fraction(0), turn) if low else (turn, Fraction(1))
