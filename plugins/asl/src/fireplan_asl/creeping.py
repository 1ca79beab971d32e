"""Creeping Barrages (E12.7): placed once, then Corrected along their grain until they Lift.

The barrage is resolved in the PFPh and the DFPh of each Game Turn, and of each pre-Game Turn before
the first moment. ``delays``, which owns the Draw Pile, makes the draw before placement. The steps
of this module are steps of the areas part.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fireplan_asl.blast import Gunnery, barrage_line, hexside
from fireplan_asl.missions import FFE, in_prep_fire, two_sided
from fireplan_asl.path import Creep, Path, next_hexes, path_hexes
from fireplan_core import Form, Intent, Place, Reason, Refusal, Slot, Stage, View, cycle, orders
from fireplan_core.chance import Chance, d6
from fireplan_core.space import Hex, Outline
from fireplan_core.space import step as hex_step
from fireplan_core.steps.effects import Effects, ask, emit, push, step, update

if TYPE_CHECKING:
    from fireplan_asl.areas import AslAreas


def recorded(view: View, mission: str) -> Path | None:
    """Return the secret record of this battery's Creeping Barrage, or None if it has none."""
    return view.facts(mission, Gunnery).creep


@orders(cite="E12.74")
def creep_ar(areas: AslAreas, view: View, mission: str) -> Iterator[Form]:
    """Yield the order that places a Correction's AR in one of the hexes that qualify (E12.74).

    The battery's side is asked only if several hexes of the grain qualify.
    """
    why = Refusal.of("E12.74", "correction_along_grain")
    aims = Slot(
        "at", "hex of the grain, nearer to the Aiming Hex", _creep_aims(areas, view, mission), why
    )

    def place(at: Place) -> Effects:
        return Effects(update(view.mission(mission), aim=at), push(areas.creep_lands, mission, 0))

    yield Form("place", "E12.74", (aims,), place)


def _creep_aims(areas: AslAreas, view: View, mission: str) -> tuple[Hex, ...]:
    path = recorded(view, mission)
    if path is None:
        return ()
    hexes = path_hexes(path, view.own(mission, Creep).shift)
    return next_hexes(hexes, view.mission(mission).impact, areas.number("creeping_correction"))


def ahead(areas: AslAreas, view: View, mission: str) -> tuple[Outline, ...]:
    """Return the outlines of the hexes that the next Correction covers if Accurate (E12.74).

    The result is empty if no Creeping Barrage is under way.
    """
    path, now = recorded(view, mission), view.mission(mission)
    if path is None or now.stage not in FFE or now.impact is None or _used_up(view, mission, path):
        return ()
    lines = (
        barrage_line(view, mission, at, areas.number) or (at,)
        for at in _creep_aims(areas, view, mission)
    )
    return tuple(areas.frame().outline(cell) for line in lines for cell in line)


# --- the phases -----------------------------------------------------------------------------------
@step(cite="E12.76, E12.72")
def phase_begins(
    areas: AslAreas, _chance: Chance, view: View, mission: str, early_turns: int
) -> Effects:
    """Lift the barrage if due, before any battery acts in a friendly fire phase.

    A barrage that has not begun plays ``early_turns`` pre-Game Turns instead, each a PFPh and a
    DFPh. The side that moves second makes no Corrections in a DFPh without an FFE:2 (E12.731).
    """
    path, stage = recorded(view, mission), view.mission(mission).stage
    if path is None:
        return Effects()
    if stage is Stage.IDLE:
        return Effects(
            *(
                push(areas.creep, mission, last)
                for _ in range(early_turns)
                for last in (False, True)
            )
        )
    if stage not in FFE:
        return Effects()
    rests = two_sided(view) and stage is Stage.LINGERING and not in_prep_fire(view, mission)
    lifts = _used_up(view, mission, path) if rests else _is_over(areas, view, mission, path)
    return _lift(mission, path) if lifts else Effects()


def creeps(areas: AslAreas, view: View, mission: str) -> Effects:
    """Return the effects of a fire phase on the Creeping Barrage.

    The side that moves second has its DFPh first, and does nothing in it without an FFE:2
    (E12.731).
    """
    late = view.mission(mission).stage is Stage.FALLING
    if not two_sided(view):
        return Effects(push(areas.creep, mission, late))
    if not in_prep_fire(view, mission) and not late:
        return Effects()
    return Effects(push(areas.creep, mission, late is (view.side(mission) == view.scenario.firer)))


@step(cite="E12.7, E12.73, E12.731, E12.77")
def creep(areas: AslAreas, _chance: Chance, view: View, mission: str, last: bool) -> Effects:  # noqa: FBT001
    """Place or Correct the barrage for one fire phase, unless it Lifts.

    The phase is a DFPh if an FFE:2 is on the map, and a PFPh otherwise. A barrage that is Corrected
    only in PFPh falls in the same hexes again in a DFPh. ``last`` means that the side has no other
    fire phase in this Game Turn (or pre-Game Turn).
    """
    path, now, creep = recorded(view, mission), view.mission(mission), view.own(mission, Creep)
    stage = now.stage
    if path is None or stage not in (Stage.IDLE, *FFE):
        return Effects()
    count = Effects(update(creep, turns=creep.turns + 1)) if last else Effects()
    if stage is Stage.IDLE:
        event = emit("creeps", "E12.7, E12.73, E12.77", mission=mission)
        return Effects(
            count, event, update(now, aim=path.start), push(areas.creep_lands, mission, 1)
        )
    late = stage is Stage.FALLING
    if _is_over(areas, view, mission, path):
        return _lift(mission, path)
    if late and not path.both_phases:
        event = emit("creeps", "E12.7, E12.731", mission=mission)
        return Effects(count, event, push(areas.creep_down, mission, now.impact, 0))
    aims = _creep_aims(areas, view, mission)
    corrected = emit("creeps", "E12.731, E12.74" if late else "E12.73, E12.74", mission=mission)
    if len(aims) > 1:
        return Effects(count, corrected, ask(view.side(mission), areas.creep_ar, mission))
    return Effects(count, corrected, update(now, aim=aims[0]), push(areas.creep_lands, mission, 0))


def _used_up(view: View, mission: str, path: Path) -> bool:
    return view.own(mission, Creep).turns >= path.turns


def _is_over(areas: AslAreas, view: View, mission: str, path: Path) -> bool:
    """Return whether the barrage Lifts: its turns are over or no due Correction is possible."""
    late = view.mission(mission).stage is Stage.FALLING
    stuck = (not late or path.both_phases) and not _creep_aims(areas, view, mission)
    return _used_up(view, mission, path) or stuck


def _lift(mission: str, path: Path) -> Effects:
    """Return the effects of the barrage's end.

    If the barrage is convertible, a radio may use the battery later.
    """
    reason = Reason.DELIVERED if path.convertible else Reason.EXHAUSTED
    lifts = emit("lifts", "E12.76", mission=mission)
    return Effects(lifts, push(cycle.close, mission, reason, "E12.76, E12.771"))


# --- accuracy and error ---------------------------------------------------------------------------
@step(cite="E12.71, E12.74")
def creep_lands(areas: AslAreas, chance: Chance, view: View, mission: str, first: int) -> Effects:
    """Make the Accuracy dr: 4 or less on placement, later the battery's own number.

    ``first`` is 1 for the placement and 0 for a Correction.
    """
    path = recorded(view, mission)
    accurate = (
        areas.number("creeping_accurate_at_first") if first or path is None else path.accurate
    )
    if chance.dice("accuracy", white=d6).total <= accurate:
        return Effects(push(areas.creep_down, mission, view.mission(mission).aim, first))
    return Effects(push(areas.creep_errs, mission, first))


@step(cite="E12.74")
def creep_errs(areas: AslAreas, chance: Chance, view: View, mission: str, first: int) -> Effects:
    """Roll for the direction of error.

    Only the first error has its extent rolled; later errors are one hex.
    """
    toward = hexside(view, mission, chance.dice("direction", coloured=d6).coloured.exact())
    if first:
        return Effects(push(areas.creep_strays, mission, toward))
    return Effects(push(areas.creep_down, mission, hex_step(view.mission(mission).aim, toward), 0))


@step(cite="E12.73, C1.732")
def creep_strays(areas: AslAreas, chance: Chance, view: View, mission: str, toward: int) -> Effects:
    """Roll for the extent of the first error, in hexes, and halve it.

    ``toward`` is the hexside of the direction of error.
    """
    far = chance.dice("extent", white=d6).white.halved_up().exact()
    return Effects(
        push(areas.creep_down, mission, hex_step(view.mission(mission).aim, toward, far), 1)
    )


@step(cite="E12.732, E12.76")
def creep_down(
    areas: AslAreas, _chance: Chance, view: View, mission: str, place: Place, first: int
) -> Effects:
    """Place the FFE; a first error shifts the grain.

    A Blast Area entirely off the map is not resolved.
    """
    path, now = recorded(view, mission), view.mission(mission)
    moved = Effects()
    if first and path is not None and place != path.start:
        shift = (place[0] - path.start[0], place[1] - path.start[1])
        aim = path_hexes(path, shift)[-1]
        moved = Effects(
            update(view.own(mission, Creep), shift=shift),
            emit("adjusted", "E12.732", mission=mission, start=place, aim=aim),
        )
    if any(
        view.frame.on_map(cell)
        for cell in barrage_line(view, mission, place, areas.number) or (place,)
    ):
        return Effects(
            moved,
            update(now, aim=None, intent=Intent.EFFECT),
            push(cycle.landed, mission, place),
        )
    return Effects(
        moved,
        update(now, stage=Stage.FALLING, previous=now.impact, impact=place, aim=None),
        emit("unresolved", "E12.76", mission=mission, at=place),
        push(areas.fallen, mission),
    )
