"""The neutral life of a mission, in steps of the core that connect the five parts.

``opportunity -> request -> (delay) -> ready -> release -> (clearance) -> shot -> landed -> fall``,
then the strikes. ``cease`` stops the fire and leaves the asset ready for orders; ``close`` ends the
mission.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TypeVar

from fireplan_core.chance import Chance
from fireplan_core.five_parts import parts_of
from fireplan_core.mission import FINAL, Intent, Mission, Outcome, Reason, Shot, Stage
from fireplan_core.record import ProcedureError
from fireplan_core.space import Place
from fireplan_core.steps.effects import Effects, emit, push, step, step_name, update, within
from fireplan_core.steps.part import StepDef
from fireplan_core.steps.view import View

F = TypeVar("F", bound=Callable[..., Effects])

OPEN_TO_REQUEST = (Stage.IDLE, Stage.ENDED)
_STEPS: list[Callable[..., Effects]] = []


def _core(function: F) -> F:
    """Mark a function of this module as a step of the core."""
    _STEPS.append(function)
    return step(cite="")(function)


def steps() -> Mapping[str, StepDef]:
    """Return the core's steps by full name, e.g. ``core.release``."""
    return {step_name(f): StepDef(step_name(f), "", f, f.__doc__ or "") for f in _STEPS}


@_core
def moment(_chance: Chance, view: View) -> Effects:
    """Play a moment: resolve what is due as it opens, run the delays, end it for each mission."""
    parts = parts_of(view)
    return Effects(
        push(parts.resolution.opening)
        if parts.resolution.opens(view.seen_by("resolution"))
        else Effects(),
        push(parts.delays.moment),
        *(push(end, mission) for mission in view.missions),
    )


@_core
def end(_chance: Chance, view: View, mission: str) -> Effects:
    """End the moment for a mission, if the areas part has anything to do for the mission."""
    areas = parts_of(view).areas
    return Effects(
        push(areas.moment, mission) if areas.lasts(view.seen_by("areas"), mission) else Effects()
    )


@_core
def opportunity(_chance: Chance, view: View, mission: str) -> Effects:
    """Ask the side of an idle asset whether it calls for fire."""
    if not _may_call(view.mission(mission)):
        return Effects()
    return Effects(push(parts_of(view).requests.opportunity, mission))


def _may_call(now: Mission) -> bool:
    return now.stage in OPEN_TO_REQUEST and now.reason not in FINAL


@_core
def request(_chance: Chance, view: View, mission: str) -> Effects:
    """Record a call for fire and begin the delay, if the mission may still call."""
    now = view.mission(mission)
    if not _may_call(now):
        return Effects()
    cite = parts_of(view).requests.cites["requested"]
    return Effects(
        update(now, stage=Stage.REQUESTED, reason=None, outcome=None, answer=""),
        emit("requested", cite, mission=mission),
        push(parts_of(view).delays.request, mission),
    )


@_core
def ready(
    _chance: Chance, view: View, mission: str, outcome: Outcome = Outcome.GOOD, answer: str = ""
) -> Effects:
    """Ask the side for an order to an asset that is ready.

    ``outcome`` is the result of the request; ``answer`` is the game's own term for it. Nobody is
    asked if the mission is idle or has ended.
    """
    now = view.mission(mission)
    if now.stage in OPEN_TO_REQUEST:
        return Effects()
    return Effects(
        update(now, outcome=outcome, answer=answer), push(parts_of(view).requests.ready, mission)
    )


@_core
def release(_chance: Chance, view: View, mission: str, intent: Intent) -> Effects:
    """Fire a shot at the mission's aim, if the link still allows it.

    Raises ``ProcedureError`` if no aim is set.
    """
    now = view.mission(mission)
    if now.aim is None:
        raise ProcedureError(
            f"core.release: no aim is set for {mission}; update(view.mission(mission), aim=...) first"
        )
    return Effects(update(now, intent=intent), _clearance(view, mission), push(shot, mission))


def _clearance(view: View, mission: str) -> Effects:
    delays = parts_of(view).delays
    must_check = delays.has_last_word(view.seen_by("delays"), mission)
    return Effects(push(delays.clearance, mission) if must_check else Effects())


@_core
def shot(_chance: Chance, view: View, mission: str) -> Effects:
    """Let the shot land, unless it has been stopped."""
    if view.mission(mission).intent is None:
        return Effects()
    return Effects(push(parts_of(view).areas.land, mission))


@_core
def landed(_chance: Chance, view: View, mission: str, place: Place) -> Effects:
    """Record the impact of the shot, and continue with a spotting round or fire for effect."""
    now = view.mission(mission)
    impact_update = update(now, previous=now.impact, impact=place)
    if now.intent is Intent.EFFECT:
        return Effects(impact_update, push(fall, mission))
    gap = view.frame.gap(now.target, place)
    cite = parts_of(view).areas.cites["spotting"]
    return Effects(
        impact_update,
        update(now, stage=Stage.SPOTTING, intent=None),
        emit("spotting", cite, mission=mission, impact=place, gap=gap),
        push(parts_of(view).delays.released, mission, Intent.SPOTTING),
    )


@_core
def convert(_chance: Chance, view: View, mission: str) -> Effects:
    """Turn the last spotting round into fire for effect at its impact, without a new shot."""
    return Effects(
        update(view.mission(mission), intent=Intent.EFFECT),
        _clearance(view, mission),
        push(converted, mission),
    )


@_core
def converted(_chance: Chance, view: View, mission: str) -> Effects:
    """Let the converted fire fall, unless it has been stopped."""
    if view.mission(mission).intent is None:
        return Effects()
    return Effects(push(fall, mission))


@_core
def fall(_chance: Chance, view: View, mission: str) -> Effects:
    """Let fire for effect fall at the impact and strike every place that it covers.

    Raises ``ProcedureError`` if ``covers`` of the areas part returns more than 1 for a place, or if
    the fire is stronger than its ``fire_limit`` allows.
    """
    setup, parts, now = view.scenario, parts_of(view), view.mission(mission)
    seen = view.seen_by("areas")
    shares: dict[tuple[Place, Fraction], Fraction] = {}
    strikes: dict[Place, Fraction] = {}
    own = False
    for unit in view.units:
        spot = view.place_of(unit), setup.units[unit].extent
        if spot not in shares:
            shares[spot] = parts.areas.covers(seen, mission, *spot)
        if strength := shares[spot]:
            strikes[spot[0]] = max(strength, strikes.get(spot[0], strength))
            own = own or view.unit_side(unit) == view.side(mission)
    if (most := max(shares.values(), default=Fraction(0))) > 1:
        raise ProcedureError(
            f"fire of {mission} covers {most} of a place; 'covers' of the areas part may return at most 1"
        )
    limit = parts.fire_limit(setup, mission, 1)
    if limit is not None and now.strength > limit.strength:
        raise ProcedureError(
            f"fire of {mission} has the strength {now.strength}, but fire_limit of the areas allows {limit.strength}: "
            "correct one of them"
        )
    target_cell = setup.target_cell(now.target, view.side(mission))
    return Effects(
        update(now, stage=Stage.FALLING, intent=None, fell=True),
        emit(
            "fall",
            parts.areas.cites["fall"],
            mission=mission,
            impact=now.impact,
            gap=view.frame.gap(now.target, now.impact),
            on_target=bool(parts.areas.covers(seen, mission, target_cell, Fraction(0))),
            own_under_fire=own,
        ),
        *(
            within(
                view.scope(place),
                push(
                    parts.resolution.strike,
                    mission,
                    place,
                    Shot(now.kind, strikes[place] * now.strength),
                ),
            )
            for place in parts.areas.in_order(seen, mission, tuple(strikes))
        ),
        push(parts.resolution.spent, mission),
        push(fallen, mission),
    )


@_core
def fallen(_chance: Chance, view: View, mission: str) -> Effects:
    """Push the areas' ``fallen`` and the delays' ``released`` after the strikes of a fall.

    Nothing is pushed if the strikes ended the mission.
    """
    if view.mission(mission).stage is not Stage.FALLING:
        return Effects()
    return Effects(
        push(parts_of(view).areas.fallen, mission),
        push(parts_of(view).delays.released, mission, Intent.EFFECT),
    )


@_core
def linger(_chance: Chance, view: View, mission: str) -> Effects:
    """Stop the fire from falling again; smoke and similar effects stay on the ground."""
    cite = parts_of(view).areas.cites["lingering"]
    return Effects(
        update(view.mission(mission), stage=Stage.LINGERING),
        emit("lingering", cite, mission=mission),
    )


@_core
def cease(_chance: Chance, view: View, mission: str, reason: Reason, cite: str) -> Effects:
    """Stop the fire and remove its marker; the asset may still be ready for orders."""
    now, parts = view.mission(mission), parts_of(view)
    stage = now.stage
    return Effects(
        update(
            now,
            stage=Stage.DELAYED,
            intent=None,
            aim=None,
            previous=None,
            impact=None,
            forced=False,
        ),
        update(now, outcome=Outcome.REFUSED) if reason is Reason.DENIED else Effects(),
        emit("ceased", cite, mission=mission, reason=reason),
        push(parts.areas.ceased, mission, stage),
        push(parts.requests.ceased, mission, stage),
        push(parts.delays.ceased, mission, stage),
    )


@_core
def close(_chance: Chance, view: View, mission: str, reason: Reason, cite: str) -> Effects:
    """End the mission; an exhausted or lost asset cannot be called for again."""
    now, parts = view.mission(mission), parts_of(view)
    return Effects(
        update(
            now,
            stage=Stage.ENDED,
            reason=reason,
            intent=None,
            aim=None,
            previous=None,
            impact=None,
            forced=False,
        ),
        update(now, outcome=Outcome.REFUSED)
        if reason in (Reason.DENIED, Reason.LOST)
        else Effects(),
        emit("ended", cite, mission=mission, reason=reason),
        push(parts.areas.closed, mission),
        push(parts.resolution.closed, mission),
        push(parts.requests.closed, mission),
        push(parts.delays.closed, mission),
    )
