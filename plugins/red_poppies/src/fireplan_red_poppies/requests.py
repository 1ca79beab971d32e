"""Requests of Red Poppies: the cross hair of a called group (6.1, 7.221, 7.3), and fire for effect at it.

That a group is called by one of the side's commands, and when its signal comes through, is the delays'
business. The aim is recorded at the call; where a signal comes without one, it is asked for then.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import attrs

from fireplan_core import (
    Effects,
    Form,
    Intent,
    Order,
    Place,
    Question,
    Refusal,
    Requests,
    Slot,
    Stage,
    Staging,
    View,
    ask,
    emit,
    push,
    record,
    step,
    update,
)
from fireplan_core.chance import Chance
from fireplan_red_poppies._modes import FLARE, flown, mode_name


@attrs.frozen
class Calling:
    """What binds a group's cross hair: its preregistered point, and whether it fires at no other (7.21).

    ``shells`` are what it may be called to fire, where that is more than high explosive (7.51, 7.52).
    """

    preregistered: Place
    flare: bool
    shells: tuple[str, ...] = ()


@record
class Sent:
    """Whether the word of a group's present call goes by runner, whatever its own mode (7.21)."""

    runner: bool = False


class RedPoppiesRequests(Requests):
    """Place the cross hair when the group is called; fire for effect when its signal comes through."""

    cites: ClassVar[Mapping[str, str]] = {"requested": "7.221"}

    def stage(self, staging: Staging) -> None:
        """Note the preregistered point; the target must be seen, and registered for a flare group."""
        engagement = staging.engagement
        if engagement.observer.sight != "clear" and not flown(engagement):
            staging.cannot(
                f"sight {engagement.observer.sight}: a cross hair needs the observer's line of sight to its "
                "point on the ground (6.1)"
            )
        flare = mode_name(engagement) == FLARE
        registered = engagement.asset.preregistered
        if flare and not registered:
            staging.cannot("a flare group fires only at its preregistered vertex, which is not here (7.21)")
        target = staging.centre if staging.aim_point is None else staging.aim_point
        aim = staging.parts.areas.aim_at(target)[0]
        for mission in staging.assets:
            staging.mission(mission, self.word, facts=Calling(aim if registered else None, flare))

    def questions(self) -> Mapping[str, Question]:
        """Where the cross hair goes."""
        return {"cross_hair": Question(self._forms, self._refuse, self._standard)}

    def _forms(self, view: View, mission: str) -> tuple[Form, ...]:
        aims = (*_aims(view, view.mission(mission).target), *_aims(view, view.scenario.centre))
        where = Slot("at", "the vertex under the cross hair", tuple(dict.fromkeys(aims)))
        shells = view.facts(mission, Calling).shells
        what = (Slot("shell", "what it shall fire; not to be changed later", shells),) if shells else ()
        return (
            Form("place", "6.1, 7.221", "place the group's cross hair", (where, *what)),
            Form("hold", "6.03", "let the activated group do nothing"),
        )

    def _refuse(self, view: View, order: Order, mission: str) -> Refusal | None:
        if order.verb != "place":
            return None
        at = order["at"]
        try:
            known = at in _aims(view, at)
        except (IndexError, TypeError, ValueError):
            known = False
        if not known:
            return Refusal("6.1", "a cross hair is placed on a point that can be aimed at, such as a vertex")
        facts = view.facts(mission, Calling)
        if facts.flare and at != facts.preregistered and not view.own(mission, Sent).runner:
            return Refusal("7.21, 7.3", "a flare group fires only at its preregistered vertex")
        if facts.shells and order["shell"] not in facts.shells:
            return Refusal("7.51, 7.52", f"this group may fire {', '.join(facts.shells)}")
        sight = view.sees(mission, at)
        if not sight.ground:
            return Refusal(sight.rule or "6.1", sight.why or "no observer of this group sees that point")
        return None

    def _standard(self, view: View, mission: str) -> Order:
        facts = view.facts(mission, Calling)
        at = _aims(view, view.mission(mission).target)[0] if facts.preregistered is None else facts.preregistered
        if not view.sees(mission, at).ground:
            return Order.of("hold")
        return Order.of("place", at=at, **({"shell": facts.shells[0]} if facts.shells else {}))

    @step(cite="7.21")
    def sent(self, _chance: Chance, view: View, mission: str, runner: bool) -> Effects:  # noqa: FBT001
        """How the word of the present call goes: by runner a flare group may fire at any point."""
        return Effects(update(view.own(mission, Sent), runner=runner))

    @step(cite="6.1")
    def opportunity(self, _chance: Chance, view: View, mission: str) -> Effects:
        """An idle group may be called: where shall its cross hair be?"""
        return Effects(ask(view.side(mission), "cross_hair", mission, then="placed"))

    @step(cite="7.221")
    def placed(self, _chance: Chance, view: View, mission: str, order: Order) -> Effects:
        """The cross hair is placed, and the delay begins."""
        if order.verb != "place":
            return Effects()
        loads = ("resolution.load", "observers.load") if view.facts(mission, Calling).shells else ()
        sight = view.sees(mission, order["at"])
        told = [emit("placed", sight.rule, mission=mission, by=sight.why)] if sight.rule else []
        return Effects(
            update(view.mission(mission), aim=order["at"]),
            *told,
            *(push(load, mission, order["shell"]) for load in loads),
            push("core.request", mission),
        )

    @step(cite="7.23")
    def ready(self, _chance: Chance, view: View, mission: str) -> Effects:
        """The signal has come through: fire for effect at the cross hair, unless the fire is on already."""
        now = view.mission(mission)
        if now.stage in (Stage.FALLING, Stage.LINGERING):
            return Effects()
        if now.aim is None:
            return Effects(ask(view.side(mission), "cross_hair", mission, then="aimed"))
        if self.options["recheck_sight"] and not view.sees(mission, now.aim).ground:
            return Effects(emit("unseen", "6.1", mission=mission))
        return Effects(push("core.release", mission, Intent.EFFECT))

    @step(cite="7.23")
    def aimed(self, _chance: Chance, view: View, mission: str, order: Order) -> Effects:
        """The cross hair is placed with the signal already through: fire for effect at once."""
        if order.verb != "place":
            return Effects()
        return Effects(update(view.mission(mission), aim=order["at"]), push("core.release", mission, Intent.EFFECT))


def _aims(view: View, place: Place) -> tuple[Place, ...]:
    return view.scenario.parts.areas.aim_at(place)
