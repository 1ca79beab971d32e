"""The rules at a position: sight, covered places, attacks, throws, legal fire, ground."""

from __future__ import annotations

from contextlib import suppress
from itertools import islice
from typing import Any

from fireplan.errors import InputError, unknown
from fireplan.positions import GROUND, UNFIT, fields_of, step_arguments
from fireplan.questions.asked_position import AskedPosition
from fireplan.questions.conditions import Vocabulary
from fireplan.questions.orders import MOST, OutcomesResult, outcomes_of
from fireplan.questions.queries import query
from fireplan_core import Form, Refusal, Shot, Stage, Step, View
from fireplan_core.mission import Sight
from fireplan_core.play import State, Table
from fireplan_core.steps.effects import push, within


def sees(position: AskedPosition, asset: str, place: str) -> Sight:
    """Return the line of sight from the observer of an asset to a place.

    The result has the visibility of the ground and of a burst, the hindrance, and the rule that
    decides.
    """
    sight: Sight = query(position, "sees", asset, place)
    return sight


def covers(position: AskedPosition, asset: str, at: str) -> frozenset[str]:
    """Return the places that an asset's fire for effect would cover, with smoke and gas."""
    view = _view(position, {f"missions/{_asset(position, asset)}/impact": position.place(at)})
    return frozenset(map(position.at.scenario.frame.label, view.footprint(asset)[0]))


def attack(
    position: AskedPosition, asset: str, place: str, shot: Shot | None = None
) -> OutcomesResult:
    """Return the results of one strike of an asset's fire on a place, over its first throw.

    The targets at the place are attacked in order; call ``outcomes()`` on the resulting positions
    to continue. The fire is the asset's usual kind at full strength, unless ``shot`` says
    otherwise. In the resulting positions the round is at the place, whether or not it was on the
    map before. Play itself does not move on.
    """
    scenario, mission, at = position.at.scenario, _asset(position, asset), position.place(place)
    now = _view(position).mission(mission)
    fire = shot or Shot(now.kind)
    strike: Any = within(
        scenario.scope(at), push(scenario.parts.resolution.strike, mission, at, fire)
    )
    stage = now.stage if now.impact is not None else Stage.FALLING
    updates = {"impact": at, "stage": stage}
    changes = ((f"missions/{mission}/{name}", value) for name, value in updates.items())
    return outcomes_of(*_doing(position, strike, *changes), position.at.state)


def throw(position: AskedPosition, name: str, asset: str) -> OutcomesResult:
    """Return the results of one throw for an asset, made now: ``throw("contact", "a")``.

    The throw need not be due, and play itself does not move on. Raise ``InputError`` if the rules
    make no such throw here for a single asset.
    """
    mission, by_roll = _asset(position, asset), dict[str, OutcomesResult]()
    for step, defined in position.at.scenario.steps.items():
        if [name for name, _ in step_arguments(defined.run) or ()] == ["mission"]:
            with suppress(*UNFIT):  # the step does not fit this state
                thrown = Step(step, (mission,))
                answer = outcomes_of(*_doing(position, thrown), _after(position, thrown))
                by_roll.setdefault(answer.roll, answer)
    if name not in by_roll:
        known = Vocabulary.of(position.at.scenario).rolls
        possible = ", ".join(sorted(filter(None, by_roll))) or "none"
        if name not in known:
            here = f"Throws that concern {asset} alone here: {possible}."
            raise InputError(str(unknown("throw", str(name), sorted(known))), here)
        raise InputError(
            f"There is no throw {name!r} for {asset} by itself here; possible: {possible}."
        )
    return by_roll[name]


def may_fire(position: AskedPosition, asset: str) -> dict[str, str | None]:
    """Map each order for an asset's fire to the reason it is refused, or None if it is legal.

    The result is empty if the rules ask for no such order now.
    """
    mission, requests = _asset(position, asset), position.at.scenario.parts.requests
    idle = _view(position).mission(mission).stage is Stage.IDLE
    step: Any = push(requests.opportunity if idle else requests.ready, mission)
    _, table = _doing(position, step)
    if (ask := table.question_due) is None:
        return {}
    forms = table.rulebook.forms(ask, table.read)
    return {form.verb: _refusal(form) for form in forms}


def _refusal(form: Form) -> str | None:
    """Return the first reason why the orders of a form are refused, or None if one is legal.

    Only the first ``MOST`` orders are judged.
    """
    refusal = ""
    for order in islice(form.orders(), MOST):
        judged = form.judge(order)
        if not isinstance(judged, Refusal):
            return None
        refusal = refusal or str(judged)
    return refusal or "there is nothing to choose from"


def lies(position: AskedPosition) -> dict[str, dict[str, Any]]:
    """Return the effects on the ground by place, such as ``{"K5": {"smoke": 3}}``."""
    fields, read = fields_of(position.at.scenario), position.at.read
    spots = (fields.spot(key) for key in position.at.state.values if key.startswith(f"{GROUND}/"))
    effects: dict[str, dict[str, Any]] = {}
    for spot in spots:
        value = read(spot.field.key(GROUND, spot.place), None)
        effects.setdefault(spot.place, {})[spot.field.name] = value
    for field in fields.ground.values():
        if field.places is not None:
            for place, value in field.places.spread(read(field.key("shared"), field.default)):
                if value:
                    label = position.at.scenario.frame.label(place)
                    effects.setdefault(label, {})[field.name] = value
    return effects


def _after(position: AskedPosition, step: Step) -> State:
    """Return the state of a position, without this step if it comes next on the agenda."""
    state = position.at.state
    due = state.agenda[:1] == (step,)
    return State(state.values, state.agenda[1:]) if due else state


def _doing(
    position: AskedPosition, step: Step, *updates: tuple[str, Any]
) -> tuple[AskedPosition, Table]:
    """Return the position, and its table, with these values updated and only this step pending."""
    begun = position.standing(State(position.at.state.values.put(updates), (step,)))
    return begun, begun.at.table()


def _view(position: AskedPosition, changed: dict[str, Any] | None = None) -> View:
    return View({**position.at.state.values, **(changed or {})}.get, position.at.scenario, "core")


def _asset(position: AskedPosition, name: str) -> str:
    if name not in position.at.scenario.missions:
        raise unknown("asset", str(name), position.at.scenario.missions)
    return name
