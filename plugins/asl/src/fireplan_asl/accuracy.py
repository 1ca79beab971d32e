"""Accuracy and error of SRs and FFEs: where a round lands (C1.3, C1.31, C1.62, C1.73).

The steps of this module are steps of the areas part.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from fireplan_asl.blast import Gunnery, Settling, hexside
from fireplan_asl.ground import FFEState
from fireplan_asl.missions import ON_MAP, ROCKET
from fireplan_asl.observer import Radio, operator
from fireplan_asl.places import hexes_between
from fireplan_asl.spotting import hindrance_to, seen
from fireplan_core import Form, Intent, Modifier, Place, Stage, View, cycle, orders
from fireplan_core.chance import Chance, d6
from fireplan_core.space import distance
from fireplan_core.space import step as hex_step
from fireplan_core.steps.effects import Effects, ask, emit, push, step, update

if TYPE_CHECKING:
    from fireplan_asl.areas import AslAreas


def modifiers(areas: AslAreas) -> tuple[Modifier, ...]:
    """Return the modifiers of the Accuracy dr: Hindrances and long predesignated Corrections."""
    return (
        Modifier(
            "accuracy",
            "C1.62, C1.57, E12.52, E12.75",
            "Hindrances on the LOS to the AR",
            partial(_hindrances, areas),
        ),
        Modifier(
            "accuracy",
            "C1.3",
            "a long Correction predesignated for Conversion",
            partial(_long_correction, areas),
        ),
    )


def _hindrances(areas: AslAreas, view: View, mission: str) -> int:
    """Return the drm for the Hindrances of the Observer's LOS to the AR (C1.62).

    An option leaves out SMOKE and FFEs in the hex of the AR itself.
    """
    between = areas.options["ar_hindrance"] == "only between"
    return hindrance_to(view, mission, view.mission(mission).aim, between=between)


def _long_correction(areas: AslAreas, view: View, mission: str) -> int:
    """Return the drm for a long predesignated Correction, 0 for any other round (C1.3)."""
    now = view.mission(mission)
    if not _predesignated(view, mission):
        return 0
    hexes = hexes_between(view.frame, now.impact, now.aim)
    far = next(
        (far for far in ("very_far_correction", "far_correction") if hexes >= areas.number(far)),
        None,
    )
    return areas.number(f"{far}_drm") if far else 0


@step(cite="C1.3, C1.73, C1.732, C1.733, E12.2")
def land(areas: AslAreas, chance: Chance, view: View, mission: str) -> Effects:
    """Make the Accuracy dr for the AR, unless the round must be inaccurate.

    Rockets are always inaccurate. Forced Corrections are too, unless the option
    ``registered_must_correct`` lets one be Accurate on a Pre-Registered hex.
    """
    now, gunnery = view.mission(mission), view.facts(mission, Gunnery)
    if gunnery.settling is not None:
        return _land_of_few(areas, chance, view, mission, gunnery.settling)
    aim, forced = now.aim, now.forced
    cap = None
    if now.stage in ON_MAP and now.impact is not None and not forced:
        cap = -(-distance(now.impact, aim) // areas.number("hexes_per_error_hex"))
    convert = _predesignated(view, mission)
    registered = _is_registered(view, mission, aim)
    flight = Effects(
        # A round in flight has no impact yet; the previous one is no longer needed.
        update(now, forced=False, impact=None, intent=Intent.SPOTTING if convert else now.intent),
        _aligned(view, mission, aim) if gunnery.grains else Effects(),
        emit("registered", "C1.73, C1.732, C1.733", mission=mission, at=aim)
        if registered
        else Effects(),
    )
    error = push(areas.direction, mission, cap, convert)
    if forced:
        # Under "accurate on 4", a forced Correction to a Pre-Registered hex may be Accurate.
        forced = not (registered and areas.options["registered_must_correct"] == "accurate on 4")
    if forced or ROCKET in gunnery.kinds:
        return Effects(flight, error)
    roll = chance.dice("accuracy", white=d6)
    if registered:
        accurate = roll.total <= areas.number("accurate_if_registered")
    else:
        accurate = roll.total + chance.drm(roll) <= gunnery.accurate
    return Effects(
        flight,
        _landing(areas, view, mission, aim, convert=convert, accurate=True) if accurate else error,
    )


def _land_of_few(
    areas: AslAreas, chance: Chance, view: View, mission: str, settling: Settling
) -> Effects:
    """Make the Accuracy dr of the shot that an order names, in a setup with few hexes."""
    now = view.mission(mission)
    situation = settling.situation(now.stage, now.impact)
    shot, convert = settling.shots[situation][now.aim], _predesignated(view, mission)
    intent = Intent.SPOTTING if convert else now.intent
    flight = Effects(update(now, aim=shot.aim, forced=False, impact=None, intent=intent))
    if chance.dice("accuracy", white=d6).total > shot.accurate:
        return Effects(flight, push(areas.direction, mission, shot.cap, convert))
    return Effects(flight, _landing(areas, view, mission, shot.aim, convert=convert, accurate=True))


@step(cite="C1.31")
def direction(
    areas: AslAreas,
    chance: Chance,
    view: View,
    mission: str,
    cap: int | None,
    convert: bool,  # noqa: FBT001
) -> Effects:
    """Roll the coloured die for the direction, clockwise from the 1 of the AR counter.

    ``cap`` limits the extent of error, and None means no limit. ``convert`` marks an SR
    predesignated for Conversion.
    """
    toward = hexside(view, mission, chance.dice("direction", coloured=d6).coloured.exact())
    return Effects(push(areas.extent, mission, toward, cap, convert))


@step(cite="C1.31, C1.4, C1.732")
def extent(
    areas: AslAreas,
    chance: Chance,
    view: View,
    mission: str,
    toward: int,
    cap: int | None,
    convert: bool,  # noqa: FBT001
) -> Effects:
    """Roll the white die for the extent of error, in hexes.

    The extent is halved for a Pre-Registered hex, and then limited to ``cap`` unless that is None;
    an option reverses the order. ``toward`` is the hexside of the direction; ``convert`` marks an
    SR predesignated for Conversion.
    """
    aim = view.mission(mission).aim
    registered = _is_registered(view, mission, aim)
    far = chance.dice("extent", white=d6).white
    if registered and areas.options["registered_correction"] == "halve, then cap":
        far = far.halved_up().clamped(high=cap)
    elif registered:
        far = far.clamped(high=cap).halved_up()
    else:
        far = far.clamped(high=cap)
    return _landing(
        areas, view, mission, hex_step(aim, toward, far.exact()), convert=convert, accurate=False
    )


def _aligned(view: View, mission: str, aim: Place) -> Effects:
    """Return the effects of giving a Barrage the grain of the nearest Pre-Registered hex (E12.31).

    There are none if that hex is neither the AR's own nor adjacent to it.
    """
    fire = view.own(mission, FFEState)
    grains = view.facts(mission, Gunnery).grains
    near, _, grain = min(
        (distance(place, aim), grain != fire.grain, grain) for place, grain in grains
    )
    return Effects(update(fire, grain=grain)) if near <= 1 else Effects()


def _is_registered(view: View, mission: str, place: Place) -> bool:
    """Return whether a hex is Pre-Registered and the first Observer has the radio (C1.733)."""
    return place in view.facts(mission, Gunnery).registered and view.peek(mission, Radio).hand == 0


def _landing(
    areas: AslAreas, view: View, mission: str, place: Place, *, convert: bool, accurate: bool
) -> Effects:
    """Return the effects of a round's landing, which removes the AR.

    A predesignated SR is Converted next. The Observer is recorded if he has Accurately placed the
    fire over himself (C1.54).
    """
    now, settling = view.mission(mission), view.facts(mission, Gunnery).settling
    is_spotting = convert or now.intent is Intent.SPOTTING
    if settling is not None:
        place = (settling.spots if is_spotting else settling.places)[place]
    self_placed = Effects()
    if observer := operator(view, mission):
        # No Blast Area reaches farther than the arm of a Barrage.
        reach = areas.number("barrage_arm")
        near = accurate and hexes_between(view.frame, place, view.place_of(observer)) <= reach
        self_placed = Effects(
            update(view.own(mission, FFEState), drawn_by=observer if near else "")
        )
    off = emit("off_map", "C1.321, C1.32", mission=mission, at=place)
    after = push(areas.predesignated, mission) if convert else push(areas.acted, mission)
    return Effects(
        Effects() if view.frame.on_map(place) else off,
        self_placed,
        update(now, aim=None),
        push(cycle.landed, mission, place),
        after if is_spotting else Effects(),
    )


@step(cite="C1.332")
def predesignated(areas: AslAreas, chance: Chance, view: View, mission: str) -> Effects:
    """Convert the Corrected SR if its new hex allows it (C1.333); otherwise it stays an SR.

    In a setup with few hexes the battery's side chooses, because one hex on the map stands for
    hexes that allow Conversion and for hexes that do not.
    """
    on_map = view.frame.on_map(view.mission(mission).impact)
    if on_map and view.facts(mission, Gunnery).settling is not None:
        return Effects(ask(view.side(mission), areas.allows, mission))
    if not seen(view, mission).may_fire_there:
        return areas.acted(chance, view, mission)
    return Effects(push(cycle.convert, mission))


@orders(cite="C1.332, C1.333", solver_only=True)
def allows(areas: AslAreas, _view: View, mission: str) -> Iterator[Form]:
    """Yield the orders for a predesignated SR in a setup with few hexes: Convert or leave it."""
    yield Form("convert", "C1.332", does=push(cycle.convert, mission))
    yield Form("leave", "C1.333", does=push(areas.acted, mission))


@step(cite="C1.322")
def acted(_areas: AslAreas, _chance: Chance, _view: View, mission: str) -> Effects:
    """End the battery's OBA actions for this phase, leaving an unconverted SR on the map."""
    return Effects(emit("actions_end", "C1.322", mission=mission))


def _predesignated(view: View, mission: str) -> bool:
    """Return whether the round is a Corrected SR predesignated for Conversion (C1.332)."""
    now = view.mission(mission)
    return now.stage is Stage.SPOTTING and now.intent is Intent.EFFECT
