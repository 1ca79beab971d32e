"""Requests of Red Poppies: the cross hair of a called group, and fire for effect at it (6.1, 7.3).

The delays part decides which command calls a group and when its signal gets through. The aim is
recorded at the call; a signal without an aim asks for one.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import ClassVar

from fireplan_core import (
    Effects,
    Intent,
    Place,
    Requests,
    Stage,
    Staging,
    View,
    ask,
    cycle,
    emit,
    push,
    step,
    update,
)
from fireplan_core.chance import Chance
from fireplan_core.steps.questions import Form, Refusal, Slot, orders
from fireplan_red_poppies.setup import Forces, Group, Staged
from fireplan_red_poppies.track import FLARE, GroupCall
from fireplan_red_poppies.troops import SHELLS, Shell


class RedPoppiesRequests(Staged, Requests):
    """The requests part: a cross hair at the call, fire for effect when the signal succeeds."""

    cites: ClassVar[Mapping[str, str]] = {"requested": "7.221"}

    def set_up(self, staging: Staging, forces: Forces) -> None:
        """Set up the groups; refuse a flare group without a preregistered vertex (7.21)."""
        super().set_up(staging, forces)
        if any(
            forces.mode_of(entry) == FLARE and entry.preregistered is None
            for entry in forces.groups
        ):
            staging.cannot(
                "a flare group fires only at its preregistered vertex, and it has none (7.21)"
            )

    def contradictions(self, view: View) -> Iterator[str]:
        """Yield a message for each group loaded with shells that it does not have (7.51, 7.52)."""
        for mission, setup in view.scenario.missions.items():
            group = setup.facts.get(self.word)
            shells = group.entry.shells if isinstance(group, Group) else tuple(SHELLS)
            loads = {SHELLS[shell] for shell in ("high_explosive", *shells)}
            if view.mission(mission).kind not in loads:
                yield f"{mission}: the group does not have these shells (kind) (7.51, 7.52)"

    @orders(cite="7.221, 7.23, 7.51, 7.52")
    def cross_hair(self, view: View, mission: str) -> Iterator[Form]:
        """Yield the orders for a called group: place its cross hair, or hold (6.03, 7.221).

        A group with several kinds of shells also chooses the shells, which cannot be changed later.
        """
        group, now = view.facts(mission, Group), view.mission(mission)
        aims = (*view.aim_at(now.target), *view.aim_at(view.scenario.centre))
        first = aims[:0] if group.preregistered is None else (group.preregistered,)
        vertex = Slot(
            "at",
            "the vertex under the cross hair",
            tuple(dict.fromkeys((*first, *aims))),
            free=True,
        )
        fires = Refusal.of("7.51, 7.52", "shells_of_group", shells=group.entry.choices)
        shell = Slot(
            "shell", "the shells to fire; they cannot be changed later", group.entry.choices, fires
        )
        slots = (vertex, shell) if group.entry.choices else (vertex,)
        yield Form("place", "6.1, 7.221", slots, partial(self._place, view, mission, aims))
        yield Form("hold", "6.03")

    def _place(
        self,
        view: View,
        mission: str,
        aims: tuple[Place, ...],
        at: Place,
        shell: Shell = "high_explosive",
    ) -> Effects | Refusal:
        """Return the effects of placing the cross hair on a vertex, or a refusal (7.23).

        The delay starts; if the signal is already through, the group fires for effect at once.
        """
        now, group = view.mission(mission), view.facts(mission, Group)
        try:
            near = view.aim_at(at)
            valid = at in near and (view.frame.on_map(at) or at in aims)
        except (IndexError, TypeError, ValueError):
            near, valid = (), False
        if not valid:
            shown = ", ".join(view.frame.label(point) for point in near if view.frame.on_map(point))
            return Refusal.of("6.1", "no_vertex", near=shown)
        if (
            group.mode == FLARE
            and at != group.preregistered
            and not view.peek(mission, GroupCall).runner
        ):
            return Refusal.of("7.21, 7.3", "flare_vertex")
        sight = view.sees(mission, at)
        if group.settling is None and not sight.ground:
            return Refusal(sight.rule or "6.1", sight.why or "unseen")
        if now.stage not in (Stage.IDLE, Stage.ENDED):
            return Effects(update(now, aim=at), push(cycle.release, mission, Intent.EFFECT))
        return Effects(
            update(now, aim=at, kind=SHELLS[shell]),
            *([emit("placed", sight.rule, mission=mission, by=sight.why)] if sight.rule else []),
            push(cycle.request, mission),
        )

    @step(cite="6.1")
    def opportunity(self, chance: Chance, view: View, mission: str) -> Effects:
        """Ask the owner of a called group where to place its cross hair."""
        return Effects(ask(view.side(mission), self.cross_hair, mission))

    @step(cite="7.23")
    def ready(self, chance: Chance, view: View, mission: str) -> Effects:
        """Fire for effect at the cross hair after a successful signal, unless already firing.

        A group without a cross hair is asked for one first. By option it does not fire if its
        observer no longer sees the vertex.
        """
        now = view.mission(mission)
        if now.stage in (Stage.FALLING, Stage.LINGERING):
            return Effects()
        if now.aim is None:
            return Effects(ask(view.side(mission), self.cross_hair, mission))
        if self.options["recheck_sight"] and not view.sees(mission, now.aim).ground:
            return Effects(emit("unseen", "6.1", mission=mission))
        return Effects(push(cycle.release, mission, Intent.EFFECT))
