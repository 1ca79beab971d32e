"""Damage to terrain by barrage rolls, and the bases that stand where it happens (6.4).

Which segments are hit is worked out in ``terrain``; the roll itself is in ``resolution``.
"""

from __future__ import annotations

from fireplan_core import (
    Effects,
    Form,
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
from fireplan_core.chance import Chance
from fireplan_core.space import Point, Rectangle
from fireplan_miniatures_1943.bases import BaseFacts
from fireplan_miniatures_1943.terrain import (
    HARD,
    Loss,
    Segment,
    Wreck,
    in_crater,
    losses,
    nearest_cover,
    on,
    steps_to,
    towards,
)


@record
class Base:
    """How a base is: the worst that befell it, whether it is prone, in a hasty position of its own, in hard cover.

    The rest is for scenario files: the barrages on the table that it has rolled for, the natural rolls whose
    damage to terrain is still to be worked out with the place of each, and where it was removed since then.
    When a disrupted base recovers belongs to its owner's turn and is not followed.
    """

    state: Severity = Severity.NONE
    prone: bool = False
    dug_in: bool = False
    hard_cover: bool = False
    rolled: frozenset[str] = frozenset()
    wrecks: tuple[tuple[int, Place], ...] = ()
    removed_at: Place = None


@record
class Terrain:
    """The segments of a scenario file, which of them are lost, and the middles of the craters."""

    segments: tuple[Segment, ...] = ()
    lost: tuple[str, ...] = ()
    craters: tuple[Point, ...] = ()


class Damage(Resolution):
    """Terrain destroyed by natural rolls, once all barrage rolls of a fire phase are done."""

    def displacing(self) -> dict[str, Question]:
        """``displace``: whether a base leaves ground that was just wrecked."""
        return {"displace": Question(self._displace_forms, self._refuse_displace, self._stay)}

    @staticmethod
    def left(view: View) -> tuple[Segment, ...]:
        """The segments that still stand."""
        terrain = view.shared(Terrain)
        lost = terrain.lost
        return tuple(segment for segment in terrain.segments if segment.id not in lost)

    @staticmethod
    def _ground(view: View, unit: str, place: Place) -> Rectangle:
        return view.unit_facts(unit, BaseFacts).at(place)

    def _standing(self, view: View) -> dict[str, Rectangle]:
        places = {unit: view.place_of(unit) for unit in view.units}
        return {unit: self._ground(view, unit, place) for unit, place in places.items() if place is not None}

    @step(cite="6.4.f, 6.4.g, 6.4.h, 6.4.i, 6.4.j, 6.4.k")
    def damage(self, _chance: Chance, view: View) -> Effects:
        """All barrage rolls are done: the natural rolls among them take their toll of the terrain."""
        bases = {unit: view.unit(unit, Base) for unit in view.units}
        rolls = {unit: base.wrecks for unit, base in bases.items() if base.wrecks}
        gone = {unit: at for unit, base in bases.items() if (at := base.removed_at) is not None}
        if not rolls and not gone:
            return Effects()
        standing = self._standing(view)
        terrain = view.shared(Terrain)
        found = losses(
            (Wreck(face, self._ground(view, unit, at)) for unit, faces in rolls.items() for face, at in faces),
            self.left(view),
            [self._ground(view, unit, at) for unit, at in gone.items()],
            tuple(standing.values()),
            within=self.number("terrain_yards"),
            preference=self.options["equally_near"] == "preference",
            trench_crater=self.options["trench_crater"],
        )
        lost = {loss.segment.id for loss in found}
        left = tuple(segment for segment in self.left(view) if segment.id not in lost)
        across = self.number("crater_yards")
        struck = [unit for unit, base in standing.items() if any(_stands_in(base, loss, across) for loss in found)]
        bared = [unit for unit in struck if any(_sheltered(standing[unit], loss) for loss in found)]
        return Effects(
            *(update(bases[unit], wrecks=()) for unit in rolls),
            *(update(bases[unit], removed_at=None) for unit in gone),
            update(
                terrain,
                lost=(*terrain.lost, *(loss.segment.id for loss in found)),
                craters=(*terrain.craters, *(loss.crater for loss in found if loss.crater is not None)),
            ),
            *(update(bases[unit], hard_cover=_hard(standing[unit], left)) for unit in bared),
            *(self._told(loss) for loss in found),
            *(push("offer_cover", unit) for unit in struck),
            # Who moves may run into another barrage, whose roll then is the last.
            push("damage") if struck else Effects(),
        )

    @staticmethod
    def _told(loss: Loss) -> Effects:
        segment, kind = loss.segment.id, loss.segment.kind
        lost = emit("terrain_lost", "6.4.f" if loss.face == 1 else "6.4.h", segment=segment, terrain=kind)
        if loss.crater is None:
            return Effects(lost)
        return Effects(lost, emit("crater", "6.4.g" if loss.face == 1 else "6.4.i", at=loss.crater))

    # --- bases on wrecked ground -----------------------------------------------------------------
    def _way(self, view: View, unit: str) -> tuple[Segment, tuple[Place, ...]] | None:
        """The nearest cover of a base and where it may move on the way there; None when there is no way."""
        base = self._ground(view, unit, view.place_of(unit))
        cover = nearest_cover(base, self.left(view))
        if cover is None:
            return None
        most = self.number("cover_move_yards")
        taken = [view.place_of(other) for other in view.units if other != unit]
        return cover[0], tuple(p for p in steps_to(base.centre, cover[1], most) if p not in taken)

    @step(cite="6.4.l")
    def offer_cover(self, _chance: Chance, view: View, unit: str) -> Effects:
        """A base on wrecked ground may at once move towards the nearest cover, if there is any it is not in."""
        if view.place_of(unit) is None or self._way(view, unit) is None:
            return Effects()
        return Effects(ask(view.unit_side(unit), "displace", unit, then="displaced"))

    @step(cite="6.4.l")
    def displaced(self, _chance: Chance, _view: View, unit: str, order: Order) -> Effects:
        """It goes, or stays."""
        return Effects(push("areas.shift", unit, order["to"])) if order.verb == "displace" else Effects()

    @step(cite="6.3.c, 6.3.d, 6.3.e")
    def moved(self, _chance: Chance, view: View, unit: str) -> Effects:
        """A base that has moved has left what it had dug; buildings and trenches that it touches are hard cover."""
        base = self._ground(view, unit, view.place_of(unit))
        return Effects(update(view.unit(unit, Base), dug_in=False, hard_cover=_hard(base, self.left(view))))

    def _displace_forms(self, view: View, unit: str) -> tuple[Form, ...]:
        way = self._way(view, unit)
        points = () if way is None else way[1]
        return (
            Form("stay", "6.4.l", "the base stays"),
            Form("displace", "6.4.l", "the base moves towards the nearest cover", (Slot("to", "where to", points),)),
        )

    def _refuse_displace(self, view: View, order: Order, unit: str) -> Refusal | None:
        if order.verb == "stay":
            return None
        to = order["to"]
        try:
            known = view.frame.parse(view.frame.label(to)) == to
        except (TypeError, ValueError):
            known = False
        if not known:
            return Refusal("6.4.l", f"{to!r} is no place of this table")
        if any(view.place_of(other) == to for other in view.units if other != unit):
            return Refusal("6.4.l", f"another base stands at {view.frame.label(to)}")
        base = self._ground(view, unit, view.place_of(unit))
        cover = nearest_cover(base, self.left(view))
        most = self.number("cover_move_yards")
        if cover is None or not towards(base.centre, cover[1], to, most):
            return Refusal("6.4.l", f"a base may move up to {most} yards, straight towards the nearest cover")
        return None

    def _stay(self, _view: View, _unit: str) -> Order:
        return Order.of("stay")


def _stands_in(base: Rectangle, loss: Loss, across: int) -> bool:
    """Whether a base stands where a loss changes the ground."""
    return on(base, loss.segment) or (loss.crater is not None and in_crater(base, loss.crater, across))


def _sheltered(base: Rectangle, loss: Loss) -> bool:
    """Whether what is lost gave a base hard cover; cover that a file declares without terrain stays."""
    return loss.segment.kind in HARD and on(base, loss.segment)


def _hard(base: Rectangle, left: tuple[Segment, ...]) -> bool:
    return any(segment.kind in HARD and on(base, segment) for segment in left)
