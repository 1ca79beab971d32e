"""Resolution: each base in a barrage or air strike rolls once (6.3); then terrain is lost.

In its turn a side moves bases into, within and out of barrages, has them go prone, and fires
through dust and smoke. Movement limits and the effect of direct fire are in other chapters, so a
move is any straight line, and a shot only reports its modifiers. ``terrain`` chooses the segments
that are lost.
"""

from collections.abc import Collection, Iterator, Mapping
from fractions import Fraction
from functools import partial
from itertools import product
from typing import ClassVar

from fireplan_core import Form, Keeps, Modifier, Place, Refusal, Resolution, Slot, View, orders
from fireplan_core.chance import Chance, Roll, d6
from fireplan_core.mission import FireKind, Severity, Shot
from fireplan_core.setups.setup import Setup
from fireplan_core.space import PlaneRectangle
from fireplan_core.steps.effects import Effect, Effects, ask, emit, push, step, update
from fireplan_miniatures_1943 import terrain
from fireplan_miniatures_1943.bases import Base, BaseProfile, ground_of, on_table, refuse_place
from fireplan_miniatures_1943.chits import barrages, beyond, flies
from fireplan_miniatures_1943.geometry import (
    Spot,
    swept_within_circle,
    through_circle,
    within_circle,
)
from fireplan_miniatures_1943.setup import Staged
from fireplan_miniatures_1943.terrain import LOSS_RULES, hard_cover, kinds_near, segments_left


class M1943Resolution(Staged, Resolution):
    """The resolution part: effects of barrages and air strikes on bases, and on terrain."""

    keeps = Keeps(units=(Base,), table=(terrain.Terrain,))
    removes_destroyed = True
    severities: ClassVar[Mapping[str, Severity]] = {
        "K": Severity.DESTROYED,
        "D": Severity.SUPPRESSED,
    }

    # --- the Area Weapons Chart ------------------------------------------------------------------
    def modifiers(self) -> tuple[Modifier, ...]:
        """Return the chart's modifiers (6.3.b), and the modifier for firing out of a barrage."""
        values = self.charts["area_weapons"].modifiers

        def prone(view: View, _mission: str, unit: str) -> int:
            base = view.unit(unit, Base)
            return values["prone"] if base.prone or base.dug_in else 0

        def in_hard_cover(view: View, _mission: str, unit: str) -> int:
            return values["hard_cover"] if view.unit(unit, Base).hard_cover else 0

        def personnel(view: View, _mission: str, unit: str) -> int:
            return values["personnel"] if view.unit_facts(unit, BaseProfile).personnel else 0

        def firing_out(view: View, base: str, _target: str, _side: str) -> int:
            return int(self.options["firing_out"]) if self._in_barrage(view, base) else 0

        return (
            Modifier("area_weapons", "6.3.c", "target prone", prone),
            Modifier(
                "area_weapons", "6.3.d, 6.3.e", "target in solid or hard cover", in_hard_cover
            ),
            Modifier("area_weapons", "6.3.f", "personnel target", personnel),
            Modifier("direct_fire", "6.4.b", "firing out of a barrage", firing_out),
        )

    def harm_chance(
        self,
        scenario: Setup,
        unit: str,
        severity: Severity,
        mission: str,
        *,
        usual: bool,
    ) -> Fraction:
        """Return an upper bound of the chance that a barrage does a base at least this harm (6.3).

        The bound is the chance in the base's worst posture and cover. A base rolls at most once for
        each barrage, wherever it moves (6.2.g). With ``usual``, orders are the standard ones: the
        base does not move, so it stays prone or dug in, but its cover may be destroyed. Barrages
        are then placed on their own targets, so one that does not reach the base does no harm.
        """
        if usual and beyond(self, scenario, mission, scenario.units[unit].place, [unit]):
            return Fraction(0)
        hard_cover = self.charts["area_weapons"].modifiers["hard_cover"]
        covers = (0, hard_cover)
        return max(self._chances(scenario, unit, severity, covers=covers, stays=usual))

    def removal_chance(self, scenario: Setup, unit: str, mission: str) -> Fraction:
        """Return the least chance that a barrage on a base removes it, in any cover (6.3.a, 6.3.b).

        By its standard orders a base stays where it is, in its posture. It can be in hard cover
        only if it is at the start, or if its ground touches a building or trench (6.3.d, 6.3.e).
        Where bases cannot move, they are not removed.
        """
        if not scenario.mobile:
            return Fraction(0)
        base = scenario.units[unit].slots[self.word]
        ground = scenario.units[unit].facts[self.word].at(scenario.units[unit].place)
        touches = any(
            segment.kind in terrain.HARD and terrain.on(ground, segment)
            for segment in scenario.shared[self.word].segments
        )
        hard_cover = self.charts["area_weapons"].modifiers["hard_cover"]
        covers = (0, hard_cover) if base.hard_cover or touches else (0,)
        return min(self._chances(scenario, unit, Severity.DESTROYED, covers=covers, stays=True))

    def _chances(
        self,
        scenario: Setup,
        unit: str,
        severity: Severity,
        *,
        covers: Collection[int],
        stays: bool,
    ) -> Iterator[Fraction]:
        """Yield the chance that a roll does a base at least this harm, in each posture and cover.

        ``covers`` are the modifiers for cover. A base that ``stays`` prone or dug in has only this
        posture.
        """
        values = self.charts["area_weapons"].modifiers
        base = scenario.units[unit].slots[self.word]
        low = base.prone or base.dug_in
        postures = (values["prone"],) if stays and low else (0, values["prone"])
        personnel = values["personnel"] if scenario.units[unit].facts[self.word].personnel else 0
        faces = range(1, 7)
        for posture, cover in product(postures, covers):
            modifier = personnel + posture + cover
            harmed = sum(self._severity(face + modifier) >= severity for face in faces)
            yield Fraction(harmed, len(faces))

    @step(cite="6.2.f, 6.2.g")
    def caught(self, chance: Chance, view: View, mission: str, unit: str) -> Effects:
        """Make a base in a barrage roll, unless it has already rolled for that barrage."""
        if mission in view.unit(unit, Base).rolled or view.place_of(unit) is None:
            return Effects()
        return Effects(push(self.roll, mission, unit))

    @step(cite="6.3.a, 6.3.b")
    def roll(self, chance: Chance, view: View, mission: str, unit: str) -> Effects:
        """Roll on the Area Weapons Chart for one base, unless it is already destroyed.

        Where bases can move, a destroyed base is removed from the table.
        """
        base = view.unit(unit, Base)
        before = base.state
        if before is Severity.DESTROYED:
            return Effects()
        roll = chance.dice("area_weapons", die=d6)
        modifier = chance.drm(roll)
        noted = self._noted(view, mission, unit, roll) if view.scenario.mobile else Effects()
        result = (roll.total + modifier).look_up(self._severity)
        if result <= before:
            return noted
        suffered = emit("suffered", "6.3.a", unit=unit, severity=result)
        worse = Effects(noted, update(base, state=result), suffered)
        if result is not Severity.DESTROYED or not view.scenario.mobile:
            return worse
        removed = update(base, removed_at=view.place_of(unit))
        return Effects(worse, removed, update(view.unit_neutral(unit), place=None))

    def _noted(self, view: View, mission: str, unit: str, roll: Roll) -> Effects:
        """Return the effects of recording a base's roll, and any terrain that it destroys."""
        base, at = view.unit(unit, Base), view.place_of(unit)
        rolled = update(base, rolled=base.rolled | {mission})
        if flies(view, mission) and not self.options["strike_terrain"]:
            return Effects(rolled)
        natural = roll.total.look_up(lambda face: face if self._wrecks(view, unit, face) else None)
        if natural is None:
            return Effects(rolled)
        return Effects(rolled, update(base, wrecks=tuple(sorted((*base.wrecks, (natural, at))))))

    def _wrecks(self, view: View, unit: str, face: int) -> bool:
        """Return whether a natural roll destroys one more piece of terrain near a base.

        Pieces that earlier rolls of the same face destroyed there no longer count (6.4.f, 6.4.h).
        """
        kinds = [
            kind for rule in LOSS_RULES if self.number(rule.number) == face for kind in rule.kinds
        ]
        if not kinds or not segments_left(view):
            return False
        at = view.place_of(unit)
        ground = view.unit_facts(unit, BaseProfile).at(at)
        near = kinds_near(ground, segments_left(view), within=self.number("terrain_yards"))
        earlier = view.unit(unit, Base).wrecks.count((face, at))
        return any(near.count(kind) > earlier for kind in kinds)

    def _severity(self, roll: int) -> Severity:
        """Return the severity that the chart gives for a modified roll."""
        result = self.charts["area_weapons"].result(roll)
        if result == "D" and not self.options["d_results"]:
            return Severity.NONE
        return self.severities.get(result, Severity.NONE)

    @step(cite="6.2.e, 6.2.g")
    def strike(self, chance: Chance, view: View, mission: str, place: Place, shot: Shot) -> Effects:
        """Make every base of either side at a place roll.

        The density of fire does not matter, and smoke harms no base.
        """
        if shot.kind is FireKind.SMOKE:
            return Effects()
        next_step = self.caught if view.scenario.mobile else self.roll
        return Effects(*(push(next_step, mission, unit) for unit in view.units_at(place)))

    @step(cite="6.2.d, 6.4.j")
    def fire_phase(self, chance: Chance, view: View, side: str) -> Effects:
        """Change the terrain after a side's barrage rolls, then ask for the side's direct fire."""
        return (
            Effects(push(self.damage), push(self.shoot, side))
            if view.scenario.mobile
            else Effects()
        )

    @step(cite="6.2.g")
    def closed(self, chance: Chance, view: View, mission: str) -> Effects:
        """Clear the rolls for a removed marker, because its chit may become a new barrage."""
        bases = [view.unit(unit, Base) for unit in view.units] if view.scenario.mobile else []
        return Effects(
            *(
                update(base, rolled=base.rolled - {mission})
                for base in bases
                if mission in base.rolled
            )
        )

    # --- questions of a side's turn --------------------------------------------------------------
    @orders(cite="6.2.f, 6.2.h")
    def movement(self, view: View, side: str) -> Iterator[Form]:
        """Yield a side's orders for its bases: move one, change its posture, or stop (6.2.f).

        Changing posture is not a move (6.2.h).
        """
        own, again = on_table(view, side), push(self.manoeuvre, side)

        def change_posture(base: str, *, prone: bool) -> Effects:
            event = emit("posture", "6.2.h", unit=base, prone=prone)
            return Effects(update(view.unit(base, Base), prone=prone), event, again)

        def move(base: str, to: Place) -> Effects | Refusal:
            if to == view.place_of(base):
                return Refusal.of("6.2.f", "there_already", base=base, to=view.frame.label(to))
            return refuse_place(view, base, to, "6.2.f") or Effects(
                push(self.shift, base, to), again
            )

        far = self.number("offered_move_yards")
        places = [view.place_of(unit) for unit in on_table(view)]
        offered = tuple((x, y + yards) for x, y in places for yards in (far, -far))
        base = Slot("base", "a base of this side on the table", own)
        to = Slot("to", "the point to move to", offered, free=True)
        yield Form("done", "6.2.f")
        yield Form("move", "6.2.f", (base, to), move)
        for verb, prone in (("prone", True), ("stand", False)):
            able = tuple(unit for unit in own if view.unit(unit, Base).prone is not prone)
            why = Refusal.of("6.2.h", "posture_already", prone=prone)
            base = Slot("base", "a base of this side in the other posture", able, why)
            yield Form(verb, "6.2.h", (base,), partial(change_posture, prone=prone))

    @orders(cite="6.4.a, 6.4.b, 6.4.e")
    def firing(self, view: View, side: str) -> Iterator[Form]:
        """Yield a side's orders for direct fire: one base fires at an enemy base, or none (6.4)."""

        def fire(base: str, target: str) -> Effect | Refusal:
            levels = (
                view.unit_facts(base, BaseProfile).level,
                view.unit_facts(target, BaseProfile).level,
            )
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
        yield Form("fire", "6.4.a", slots, fire, elsewhere=True)

    # --- movement --------------------------------------------------------------------------------
    @step(cite="6.2.f")
    def manoeuvre(self, chance: Chance, view: View, side: str) -> Effects:
        """Ask the side for a move, if bases can move on this table."""
        return Effects(ask(side, self.movement, side)) if view.scenario.mobile else Effects()

    @step(cite="6.2.f, 6.3.c, 6.3.d, 6.3.e")
    def shift(self, chance: Chance, view: View, unit: str, to: Place) -> Effects:
        """Move a base straight to a point.

        The base rolls for every barrage that it enters, leaves or passes through, or by option only
        for barrages in which it ends. After the move it is no longer dug in, but is in hard cover
        if it touches a building or trench.
        """
        destination = view.unit_facts(unit, BaseProfile).at(to)
        base = destination if self.options["moving_out"] == "free" else ground_of(view, unit)
        caught = [
            mission
            for mission, centre, yards in barrages(self, view, smoke=False)
            if swept_within_circle(base, to, centre, yards)
        ]
        return Effects(
            update(view.unit_neutral(unit), place=to),
            update(view.unit(unit, Base), dug_in=False, hard_cover=hard_cover(view, destination)),
            emit("moved", "6.2.f", unit=unit, at=to),
            *(push(self.caught, mission, unit) for mission in caught),
        )

    # --- direct fire -----------------------------------------------------------------------------
    @step(cite="6.4.a, 6.4.b, 6.4.e")
    def shoot(self, chance: Chance, view: View, side: str) -> Effects:
        """Ask the side which of its bases fires next, and at which target."""
        return Effects(ask(side, self.firing, side))

    @step(cite="6.4.a, 6.4.b")
    def shot(self, chance: Chance, view: View, base: str, target: str, side: str) -> Effects:
        """Report how barrages affect a shot: the target's solid cover and the firer's modifier."""
        cover, modifier = self._in_barrage(view, target), chance.drm("direct_fire")
        shot = emit("shot", "6.4.a", unit=base, at=target, solid_cover=cover, modifier=modifier)
        return Effects(shot, push(self.shoot, side))

    def _in_barrage(self, view: View, unit: str) -> bool:
        """Return whether a base is at least partly in a barrage, not counting smoke."""
        ground = ground_of(view, unit)
        return any(
            within_circle(ground, centre, yards)
            for _, centre, yards in barrages(self, view, smoke=False)
        )

    # --- damage to terrain -----------------------------------------------------------------------
    @step(cite="6.4.j")
    def damage(self, chance: Chance, view: View) -> Effects:
        """Apply the natural rolls to the terrain, base by base, after all barrage rolls."""
        return Effects(*(push(self.toll, unit) for unit in view.units), push(self.settle))

    @step(cite="6.4.f, 6.4.g, 6.4.h, 6.4.i, 6.4.k")
    def toll(self, chance: Chance, view: View, unit: str) -> Effects:
        """Destroy the terrain nearest to a base, as its natural rolls require.

        Bases in that terrain lose its cover.
        """
        base = view.unit(unit, Base)
        if not base.wrecks:
            return Effects()
        losses = self._losses(view, unit)
        lost = {loss.segment for loss in losses}
        standing = {other: ground_of(view, other) for other in on_table(view)}
        across = self.number("crater_yards")
        shaken = [
            other
            for other, base_ground in standing.items()
            if any(_on_changed_ground(base_ground, loss, across) for loss in losses)
        ]
        # Cover that a scenario file declares for a base without any terrain is never lost.
        bared = [
            other
            for other in shaken
            if any(
                segment.kind in terrain.HARD and terrain.on(standing[other], segment)
                for segment in lost
            )
        ]
        ground = view.shared(terrain.Terrain)
        craters = [loss.crater for loss in losses if loss.crater is not None]
        return Effects(
            update(base, wrecks=()),
            update(
                ground,
                lost=tuple(sorted((*ground.lost, *(segment.id for segment in lost)))),
                craters=tuple(sorted((*ground.craters, *craters))),
            ),
            *(update(view.unit(other, Base), shaken=True) for other in shaken),
            *(
                update(
                    view.unit(other, Base),
                    hard_cover=terrain.hard_cover(view, standing[other], without=lost),
                )
                for other in bared
            ),
            *map(_events, losses),
        )

    def _losses(self, view: View, unit: str) -> tuple[terrain.Loss, ...]:
        """Return the terrain losses caused by a base's natural rolls."""

        def ground(base: str, at: Place) -> PlaneRectangle:
            return view.unit_facts(base, BaseProfile).at(at)

        rolls = [
            (rule, at)
            for rule in terrain.LOSS_RULES
            for face, at in view.unit(unit, Base).wrecks
            if self.number(rule.number) == face
        ]
        removed = [(other, view.unit(other, Base).removed_at) for other in view.units]
        return terrain.losses(
            [terrain.Wreck(rule, ground(unit, at)) for rule, at in rolls],
            terrain.segments_left(view),
            [ground(other, at) for other, at in removed if at is not None],
            [ground_of(view, other) for other in on_table(view)],
            within=self.number("terrain_yards"),
            preference=self.options["equally_near"] == "preference",
            trench_crater=self.options["trench_crater"],
        )

    @step(cite="6.4.j, 6.4.l")
    def settle(self, chance: Chance, view: View) -> Effects:
        """Clear the places of removed bases, and let bases leave ground that has changed."""
        bases = {unit: view.unit(unit, Base) for unit in view.units}
        struck = [unit for unit, base in bases.items() if base.shaken]
        return Effects(
            *(
                update(base, removed_at=None)
                for base in bases.values()
                if base.removed_at is not None
            ),
            *(update(bases[unit], shaken=False) for unit in struck),
            *(push(self.offer_cover, unit) for unit in struck),
            # A base that moves may enter another barrage and roll again.
            push(self.damage) if struck else Effects(),
        )

    # --- bases on wrecked ground -----------------------------------------------------------------
    @orders(cite="6.4.l")
    def displace(self, view: View, unit: str) -> Iterator[Form]:
        """Yield the orders for a base on ground just destroyed: stay, or move to cover (6.4.l)."""
        cover, here, most = _cover(view, unit), view.place_of(unit), self.number("cover_move_yards")

        def displace(to: Place) -> Effect | Refusal:
            if wrong := refuse_place(view, unit, to, "6.4.l"):
                return wrong
            if cover is None or not terrain.towards(here, cover, to, most):
                return Refusal.of("6.4.l", "cover_move", most=most)
            return push(self.shift, unit, to)

        points = () if cover is None else terrain.steps_to(here, cover, most)
        free = tuple(point for point in points if refuse_place(view, unit, point, "6.4.l") is None)
        yield Form("stay", "6.4.l")
        to = Slot("to", "its new centre", free, free=True)
        yield Form("displace", "6.4.l", (to,), displace)

    @step(cite="6.4.l")
    def offer_cover(self, chance: Chance, view: View, unit: str) -> Effects:
        """Let a base on destroyed ground move at once towards the nearest cover."""
        if view.place_of(unit) is None or _cover(view, unit) is None:
            return Effects()
        return Effects(ask(view.unit_side(unit), self.displace, unit))


def under_smoke(start: int, end: int, height: int) -> tuple[Fraction, Fraction] | None:
    """Return the part of a line of fire below the top of smoke, or None if no part is.

    The part is given as two fractions of the line. ``height`` is the level of the smoke's top.
    Levels are counted from 0, the ground; the line rises evenly from ``start`` to ``end`` (6.4.e).
    """
    low, high = start <= height, end <= height
    if not low and not high:
        return None
    if low and high:
        return Fraction(0), Fraction(1)
    turn = Fraction(height - start, end - start)
    return (Fraction(0), turn) if low else (turn, Fraction(1))


def _cover(view: View, unit: str) -> Spot | None:
    """Return the point of cover nearest to a unit, or None if none is left or the unit is in it."""
    cover = terrain.nearest_cover(ground_of(view, unit), terrain.segments_left(view))
    return None if cover is None else cover[1]


def _events(loss: terrain.Loss) -> Effects:
    lost = emit("terrain_lost", loss.rule.cite, segment=loss.segment.id, terrain=loss.segment.kind)
    crater = () if loss.crater is None else (emit("crater", loss.rule.crater_cite, at=loss.crater),)
    return Effects(lost, *crater)


def _on_changed_ground(base: PlaneRectangle, loss: terrain.Loss, across: int) -> bool:
    """Return whether a base is on ground that a loss changes.

    ``across`` is the diameter of a crater in yards.
    """
    return terrain.on(base, loss.segment) or (
        loss.crater is not None and terrain.in_crater(base, loss.crater, across)
    )
