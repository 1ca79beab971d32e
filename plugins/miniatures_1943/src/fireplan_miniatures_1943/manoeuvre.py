"""Manoeuvre: bases move into, inside and out of barrages, go prone, and fire at each other through dust and smoke.

How far bases move and what direct fire does are other chapters of the rules: here a move is any straight way, and
a shot is told with what barrages and smoke say of it.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import partial

from fireplan_core import Effect, Form, Modifier, Place, Refusal, Slot, View, orders
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

    @orders(cite="6.2.f, 6.2.h")
    def movement(self, view: View, side: str) -> Iterator[Form]:
        """Ask which base moves, or changes its posture, which is no move and asks for no roll; then the next."""
        own, again = on_table(view, side), push(self.manoeuvre, side)

        def lie(base: str, *, prone: bool) -> Effects:
            told = emit("posture", "6.2.h", unit=base, prone=prone)
            return Effects(update(view.unit(base, Base), prone=prone), told, again)

        def move(base: str, to: Place) -> Effects | Refusal:
            return refuse_place(view, base, to, "6.2.f") or Effects(push(self.shift, base, to), again)

        far = self.number("offered_move_yards")
        places = [view.place_of(unit) for unit in on_table(view)]
        near = tuple((x, y + yards) for x, y in places for yards in (far, -far))
        base, to = Slot("base", "a base of this side on the table", own), Slot("to", "its new centre", near, free=True)
        yield Form("done", "6.2.f")
        yield Form("move", "6.2.f", (base, to), move)
        yield Form("prone", "6.2.h", (base,), partial(lie, prone=True))
        yield Form("stand", "6.2.h", (base,), partial(lie, prone=False))

    @orders(cite="6.4.a, 6.4.b, 6.4.e")
    def firing(self, view: View, side: str) -> Iterator[Form]:
        """Ask which base fires directly."""

        def fire(base: str, target: str) -> Effect | Refusal:
            levels = view.unit_facts(base, BaseProfile).level, view.unit_facts(target, BaseProfile).level
            part = under_smoke(*levels, self.number("smoke_levels"))
            if part is not None:
                ends = view.place_of(base), view.place_of(target)
                screens = barrages(self, view, smoke=True)
                if any(through_circle(*ends, centre, yards, part) for _, centre, yards in screens):
                    return Refusal.of("6.4.e", "through_smoke", base=base, target=target)
            return push(self.shot, base, target, side)

        others = tuple(unit for unit in on_table(view) if view.unit_side(unit) != side)
        base = Slot("base", "a base of this side on the table", on_table(view, side))
        slots = base, Slot("target", "an enemy base on the table", others)
        yield Form("done", "6.4.a")
        yield Form("fire", "6.4.a", slots, fire)

    def modifiers(self) -> tuple[Modifier, ...]:
        """Return the minus for firing out of a barrage; its size is an option."""

        def firing_out(view: View, base: str, _target: str, _side: str) -> int:
            return int(self.options["firing_out"]) if self._in_barrage(view, base) else 0

        return (*super().modifiers(), Modifier("direct_fire", "6.4.b", "firing out of a barrage", firing_out))

    # --- movement --------------------------------------------------------------------------------
    @step(cite="6.2.f")
    def manoeuvre(self, chance: Chance, view: View, side: str) -> Effects:
        """Let the side move bases, one after the other, where bases can move."""
        return Effects(ask(side, self.movement, side)) if view.scenario.mobile else Effects()

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

    # --- direct fire -----------------------------------------------------------------------------
    @step(cite="6.4.a, 6.4.b, 6.4.e")
    def shoot(self, chance: Chance, view: View, side: str) -> Effects:
        """Let the side fire directly, one base after the other."""
        return Effects(ask(side, self.firing, side))

    @step(cite="6.4.a, 6.4.b")
    def shot(self, chance: Chance, view: View, base: str, target: str, side: str) -> Effects:
        """Tell what barrages make of a shot: its target's solid cover, its firer's minus."""
        cover, minus = self._in_barrage(view, target), chance.drm("direct_fire")
        shot = emit("shot", "6.4.a", unit=base, at=target, solid_cover=cover, modifier=minus)
        return Effects(shot, push(self.shoot, side))

    def _in_barrage(self, view: View, unit: str) -> bool:
        """Return whether a base lies wholly or partly in a barrage; smoke is none."""
        ground = ground_of(view, unit)
        return any(within_circle(ground, centre, yards) for _, centre, yards in barrages(self, view, smoke=False))


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
