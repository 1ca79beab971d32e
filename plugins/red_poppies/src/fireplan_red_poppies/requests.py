"""Requests of Red Poppies: the cross hair of a called group (6.1, 7.221, 7.3), and fire for effect at it.

That a group is called by one of the side's commands, and when its signal comes through, is the delays'
business. The aim is recorded at the call; where a signal comes without one, it is asked for then.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import attrs

from fireplan_core import Effects, Intent, Place, Requests, Stage, Staging, View, ask, cycle, emit, push, step, update
from fireplan_core.chance import Chance
from fireplan_core.steps.questions import Form, Order, Question, Refusal, Slot, question
from fireplan_red_poppies._modes import FLARE
from fireplan_red_poppies._setup import Forces, Staged, point
from fireplan_red_poppies._track import GroupCall
from fireplan_red_poppies._troops import SHELLS


@attrs.frozen
class CallFacts:
    """Say what binds a group's cross hair: its preregistered point, and whether it fires at no other (7.21).

    ``shells`` are what it may be called to fire, where that is more than high explosive (7.51, 7.52).
    """

    preregistered: Place
    flare: bool
    shells: tuple[str, ...] = ()


class RedPoppiesRequests(Staged, Requests):
    """Place the cross hair when the group is called; fire for effect when its signal comes through."""

    cites: ClassVar[Mapping[str, str]] = {"requested": "7.221"}

    def set_up(self, staging: Staging, forces: Forces) -> None:
        """Set up what each group may be called for, and where; a flare group needs its registered vertex."""
        for group in forces.groups:
            flare = forces.mode_of(group) == FLARE
            if flare and group.preregistered is None:
                staging.cannot("a flare group fires only at its preregistered vertex, which is not here (7.21)")
            facts = CallFacts(point(staging, group.preregistered), flare, group.choices)
            staging.mission(group.name, self.word, facts=facts)

    @question
    def cross_hair(self) -> Question[str]:
        """Ask where the cross hair of a group goes."""
        return Question(self._forms, self._refuse, self._standard)

    def _forms(self, view: View, mission: str) -> tuple[Form, ...]:
        where = Slot("at", "the vertex under the cross hair", self._aims(view, mission))
        shells = view.facts(mission, CallFacts).shells
        what = (Slot("shell", "what it shall fire; not to be changed later", shells),) if shells else ()
        return (
            Form("place", "6.1, 7.221", "place the group's cross hair", (where, *what)),
            Form("hold", "6.03", "let the activated group do nothing"),
        )

    @staticmethod
    def _aims(view: View, mission: str) -> tuple[Place, ...]:
        aims = (*view.aim_at(view.mission(mission).target), *view.aim_at(view.scenario.centre))
        return tuple(dict.fromkeys(aims))

    def _refuse(self, view: View, order: Order, mission: str) -> Refusal | None:
        if order.verb != "place":
            return None
        at = order["at"]
        try:
            known = at in view.aim_at(at) and (view.frame.on_map(at) or at in self._aims(view, mission))
        except (IndexError, TypeError, ValueError):
            known = False
        if not known:
            return Refusal("6.1", "a cross hair is placed on a point that can be aimed at, such as a vertex")
        facts = view.facts(mission, CallFacts)
        if facts.flare and at != facts.preregistered and not view.peek(mission, GroupCall).runner:
            return Refusal("7.21, 7.3", "a flare group fires only at its preregistered vertex")
        if facts.shells and order["shell"] not in facts.shells:
            return Refusal("7.51, 7.52", f"this group may fire {', '.join(facts.shells)}")
        sight = view.sees(mission, at)
        if not sight.ground:
            return Refusal(sight.rule or "6.1", sight.why or "no observer of this group sees that point")
        return None

    def _standard(self, view: View, mission: str) -> Order:
        facts = view.facts(mission, CallFacts)
        at = view.aim_at(view.mission(mission).target)[0] if facts.preregistered is None else facts.preregistered
        if not view.sees(mission, at).ground:
            return Order.of("hold")
        return Order.of("place", at=at, **({"shell": facts.shells[0]} if facts.shells else {}))

    @step(cite="6.1")
    def opportunity(self, chance: Chance, view: View, mission: str) -> Effects:
        """Call an idle group: where shall its cross hair be?"""
        return Effects(ask(view.side(mission), self.cross_hair, self.placed, mission))

    @step(cite="7.221, 7.51, 7.52")
    def placed(self, chance: Chance, view: View, order: Order, mission: str) -> Effects:
        """Place the cross hair and note what shall be fired, which cannot be changed later; the delay begins."""
        if order.verb != "place":
            return Effects()
        sight = view.sees(mission, order["at"])
        return Effects(
            update(view.mission(mission), aim=order["at"], kind=SHELLS[order.get("shell", "high_explosive")]),
            *([emit("placed", sight.rule, mission=mission, by=sight.why)] if sight.rule else []),
            push(cycle.request, mission),
        )

    @step(cite="7.23")
    def ready(self, chance: Chance, view: View, mission: str) -> Effects:
        """Fire for effect at the cross hair when the signal has come through, unless the fire is on already."""
        now = view.mission(mission)
        if now.stage in (Stage.FALLING, Stage.LINGERING):
            return Effects()
        if now.aim is None:
            return Effects(ask(view.side(mission), self.cross_hair, self.aimed, mission))
        if self.options["recheck_sight"] and not view.sees(mission, now.aim).ground:
            return Effects(emit("unseen", "6.1", mission=mission))
        return Effects(push(cycle.release, mission, Intent.EFFECT))

    @step(cite="7.23")
    def aimed(self, chance: Chance, view: View, order: Order, mission: str) -> Effects:
        """Fire for effect at once at a cross hair that is placed with the signal already through."""
        if order.verb != "place":
            return Effects()
        return Effects(update(view.mission(mission), aim=order["at"]), push(cycle.release, mission, Intent.EFFECT))
