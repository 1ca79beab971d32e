"""Resolution: every base in a barrage or air strike rolls once; then terrain is lost, and bases fire directly.

The roll is in ``weapons``, what bases do in their side's turn in ``manoeuvre``; which segments are hit is worked out
in ``terrain``.
"""

from collections.abc import Iterator

from fireplan_core import Effect, FireKind, Form, Keeps, Place, Refusal, Shot, Slot, View, orders
from fireplan_core.chance import Chance
from fireplan_core.space import Rectangle
from fireplan_core.steps.effects import Effects, ask, emit, push, step, update
from fireplan_miniatures_1943 import terrain
from fireplan_miniatures_1943.bases import Base, BaseProfile, ground_of, on_table, refuse_place
from fireplan_miniatures_1943.geometry import Spot
from fireplan_miniatures_1943.manoeuvre import Manoeuvre
from fireplan_miniatures_1943.setup import Staged


class M1943Resolution(Staged, Manoeuvre):
    """Say what barrages and air strikes do to bases, and to the ground by their natural rolls."""

    keeps = Keeps(units=(Base,), table=(terrain.Terrain,))

    @step(cite="6.2.e, 6.2.g")
    def strike(self, chance: Chance, view: View, mission: str, place: Place, shot: Shot) -> Effects:
        """Let every base there roll once, of either side; the chart knows no density of fire, smoke hurts nobody."""
        if shot.kind is FireKind.SMOKE:
            return Effects()
        follows = self.caught if view.scenario.mobile else self.roll
        return Effects(*(push(follows, mission, unit) for unit in view.units_at(place)))

    @step(cite="6.2.d, 6.4.j")
    def fire_phase(self, chance: Chance, view: View, side: str) -> Effects:
        """Change the terrain once a side's barrage rolls are done; then the side fires directly."""
        return Effects(push(self.damage), push(self.shoot, side)) if view.scenario.mobile else Effects()

    @step(cite="6.2.g")
    def closed(self, chance: Chance, view: View, mission: str) -> Effects:
        """Forget a marker that is off the table: its chit may come again as another barrage."""
        bases = [view.unit(unit, Base) for unit in view.units] if view.scenario.mobile else []
        return Effects(*(update(base, rolled=base.rolled - {mission}) for base in bases if mission in base.rolled))

    # --- damage to terrain -----------------------------------------------------------------------
    @step(cite="6.4.j")
    def damage(self, chance: Chance, view: View) -> Effects:
        """Let the natural rolls take their toll of the terrain, base by base, once all barrage rolls are done."""
        return Effects(*(push(self.toll, unit) for unit in view.units), push(self.settle))

    @step(cite="6.4.f, 6.4.g, 6.4.h, 6.4.i, 6.4.k")
    def toll(self, chance: Chance, view: View, unit: str) -> Effects:
        """Let the natural rolls of one base destroy what is nearest, and take cover away that is lost."""
        base = view.unit(unit, Base)
        if not base.wrecks:
            return Effects()
        found = self._losses(view, unit)
        lost = {loss.segment for loss in found}
        standing = {other: ground_of(view, other) for other in on_table(view)}
        across = self.number("crater_yards")
        shaken = [other for other, on in standing.items() if any(_stands_in(on, loss, across) for loss in found)]
        # Cover that a file declares without terrain stays.
        bared = [
            other
            for other in shaken
            if any(segment.kind in terrain.HARD and terrain.on(standing[other], segment) for segment in lost)
        ]
        ground = view.shared(terrain.Terrain)
        craters = [loss.crater for loss in found if loss.crater is not None]
        return Effects(
            update(base, wrecks=()),
            update(
                ground,
                lost=tuple(sorted((*ground.lost, *(segment.id for segment in lost)))),
                craters=tuple(sorted((*ground.craters, *craters))),
            ),
            *(update(view.unit(other, Base), shaken=True) for other in shaken),
            *(
                update(view.unit(other, Base), hard_cover=terrain.hard_cover(view, standing[other], without=lost))
                for other in bared
            ),
            *map(_told, found),
        )

    def _losses(self, view: View, unit: str) -> tuple[terrain.Loss, ...]:
        """Return what the rolls of a base destroy."""

        def there(base: str, at: Place) -> Rectangle:
            return view.unit_facts(base, BaseProfile).at(at)

        rolls = [
            (rule, at)
            for rule in terrain.LOSS_RULES
            for face, at in view.unit(unit, Base).wrecks
            if self.number(rule.number) == face
        ]
        removed = [(other, view.unit(other, Base).removed_at) for other in view.units]
        return terrain.losses(
            [terrain.Wreck(rule, there(unit, at)) for rule, at in rolls],
            terrain.segments_left(view),
            [there(other, at) for other, at in removed if at is not None],
            [ground_of(view, other) for other in on_table(view)],
            within=self.number("terrain_yards"),
            preference=self.options["equally_near"] == "preference",
            trench_crater=self.options["trench_crater"],
        )

    @step(cite="6.4.j, 6.4.l")
    def settle(self, chance: Chance, view: View) -> Effects:
        """Forget where bases were removed, and let those that stand where the ground changed leave it."""
        bases = {unit: view.unit(unit, Base) for unit in view.units}
        struck = [unit for unit, base in bases.items() if base.shaken]
        return Effects(
            *(update(base, removed_at=None) for base in bases.values() if base.removed_at is not None),
            *(update(bases[unit], shaken=False) for unit in struck),
            *(push(self.offer_cover, unit) for unit in struck),
            # Who moves may run into another barrage, whose roll then is the last.
            push(self.damage) if struck else Effects(),
        )

    # --- bases on wrecked ground -----------------------------------------------------------------
    @orders(cite="6.4.l")
    def displace(self, view: View, unit: str) -> Iterator[Form]:
        """Ask whether a base leaves ground that was just wrecked."""
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
        to = Slot("to", "where to", free, free=True)
        yield Form("displace", "6.4.l", (to,), displace)

    @step(cite="6.4.l")
    def offer_cover(self, chance: Chance, view: View, unit: str) -> Effects:
        """Let a base on wrecked ground move at once towards the nearest cover, if there is any it is not in."""
        if view.place_of(unit) is None or _cover(view, unit) is None:
            return Effects()
        return Effects(ask(view.unit_side(unit), self.displace, unit))


def _cover(view: View, unit: str) -> Spot | None:
    """Return the nearest point of the nearest cover of a base; None when there is none or it is in some."""
    cover = terrain.nearest_cover(ground_of(view, unit), terrain.segments_left(view))
    return None if cover is None else cover[1]


def _told(loss: terrain.Loss) -> Effects:
    lost = emit("terrain_lost", loss.rule.cite, segment=loss.segment.id, terrain=loss.segment.kind)
    crater = () if loss.crater is None else (emit("crater", loss.rule.crater_cite, at=loss.crater),)
    return Effects(lost, *crater)


def _stands_in(base: Rectangle, loss: terrain.Loss, across: int) -> bool:
    """Return whether a base stands where a loss changes the ground."""
    return terrain.on(base, loss.segment) or (loss.crater is not None and terrain.in_crater(base, loss.crater, across))
