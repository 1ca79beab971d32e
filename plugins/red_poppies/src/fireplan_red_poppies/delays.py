"""Delays of Red Poppies: initiative, command couplets, hour glasses and signal rolls (5.1, 5.2, 6.02, 7.2).

The clock counts game turns. In each couplet each side with guns gives at most one command; commands given for
other purposes are what lets a primed group's signal through. Massed fire opens the first turn or the first two
couplets of every turn. Where the cross hair goes is the requests' business, where the fire lands the areas'.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import attrs

from fireplan_core import (
    FINAL,
    Clock,
    Delays,
    Effects,
    Form,
    Intent,
    Order,
    Question,
    Reason,
    Refusal,
    Slot,
    Stage,
    Staging,
    View,
    ask,
    emit,
    push,
    step,
    update,
)
from fireplan_core.chance import Chance, d6
from fireplan_red_poppies._modes import RUNNER, TELEPHONE, Mode, mode, mode_name, trench_on_map
from fireplan_red_poppies._track import Fuse, Group, Opening, Round, Track, Transmission

CENTRAL_POWERS = ("austrian", "austro-hungarian", "bulgarian", "german", "ottoman", "turkish")
"""Nationalities that take the initiative on a tie (5.11)."""


class RedPoppiesDelays(Delays):
    """Call, wait for the hour glass, and hope for the signal."""

    def clock(self) -> Clock:
        """Game turns of about ten minutes (5.0)."""
        return Clock(Fraction(10), Fraction(10), lambda k: f"turn {k + 1}", "turn", "5.0")

    def stage(self, staging: Staging) -> None:
        """One group for each asset, its mode by the engagement's link."""
        engagement = staging.engagement
        bombarded, trench = engagement.situation.bombardment, trench_on_map(engagement)
        own = mode(mode_name(engagement), self.charts, bombarded=bombarded, trench=trench)
        transmission = Transmission(own, mode(RUNNER, self.charts, bombarded=bombarded, trench=trench))
        central = engagement.firer.nationality.lower() in CENTRAL_POWERS
        sides = (staging.firer, staging.target_side)
        staging.share(
            self.word,
            Track(
                night=engagement.situation.night,
                commands=(engagement.situation.commands,),
                sides=(staging.firer,),
                central=sides[0] if central else sides[1],
                other=sides[1] if central else sides[0],
            ),
        )
        for mission in staging.assets:
            staging.mission(mission, self.word, Group(), transmission)
        if engagement.situation.commands == 0:
            staging.note("no other commands are given, and without them no group rolls for its signal (6.02)")
        if engagement.situation.bombardment:
            staging.note("of the bombardment only its effect on signals and runners is counted (7.14)")
        if own.name == TELEPHONE:
            self._note_telephone(staging, own)

    @staticmethod
    def _note_telephone(staging: Staging, own: Mode) -> None:
        if staging.engagement.situation.bombardment:
            staging.note(
                "after a bombardment a telephone group never fires by a regular signal roll (7.21): call it "
                "by runner, or cancel it and hope for the accident"
            )
        elif not trench_on_map(staging.engagement):
            staging.note(f"no trench on the map, so the telephone's signal number is {own.number} (7.21)")
        if "aircraft" in (staging.engagement.observer.kind, staging.engagement.observer.link):
            staging.note("at night the aircraft's mode counts as telephone (11.522)")

    # --- the turn --------------------------------------------------------------------------------
    @step(cite="5.0")
    def moment(self, _chance: Chance, view: View) -> Effects:
        """A game turn opens: hour glasses, initiative, couplets."""
        opening = (push("fuse", mission) for mission in _massed(view))
        groups = (push("hourglass", mission) for mission in _groups(view))
        over = (push("administration"),) if view.shared(Track).kept else ()
        return Effects(*opening, *groups, push("initiative"), *over)

    @step(cite="7.11, 7.41")
    def fuse(self, _chance: Chance, view: View, mission: str) -> Effects:
        """A bombardment falls before turn 1; a creeping barrage begins with its turn; signals suffer from then on."""
        now, fuse, opening = view.mission(mission), view.own(mission, Fuse), view.facts(mission, Opening)
        if now.stage is not Stage.IDLE:
            return Effects()
        if fuse.turns > 1:
            return Effects(update(fuse, turns=fuse.turns - 1))
        begun = Effects(
            update(now, stage=Stage.DELAYED),
            update(view.shared(Track), bombarded=True) if opening.counts else [],
            emit("opened", "7.11" if opening.before else "7.41", mission=mission),
        )
        return Effects(begun, push("core.release", mission, Intent.EFFECT)) if opening.before else begun

    @step(cite="5.3")
    def administration(self, _chance: Chance, view: View) -> Effects:
        """The turn ends: markers of the turn are removed by those who keep them."""
        steps = ("resolution.administration", "observers.administration")
        return Effects(*(push(name) for name in steps if name in view.scenario.steps))

    @step(cite="5.3, 7.222, 11.2, 11.32, 11.33")
    def hourglass(self, _chance: Chance, view: View, mission: str) -> Effects:
        """The last turn's spent marker is gone, and the turn marker nears the hour glass or reaches it."""
        group = view.own(mission, Group)
        if group.carried:
            hair = view.facts(mission, Transmission).cross_hair
            found = update(view.mission(mission), aim=hair, stage=Stage.DELAYED)
            return Effects(found, update(group, carried=False), push("hourglass", mission))
        left = group.hourglass
        ready = update(group, spent=False)
        if not left:
            return Effects(ready)
        waiting = Effects(ready, update(group, hourglass=left - 1))
        return Effects(waiting, emit("primed", "7.222", mission=mission)) if left == 1 else waiting

    @step(cite="5.11, 5.12, 5.13")
    def initiative(self, chance: Chance, view: View) -> Effects:
        """One die a side: the difference gives the couplets; a tie gives three, the Central Powers leading."""
        track = view.shared(Track)
        roll = chance.dice("initiative", firer=d6, enemy=d6)
        ours, theirs = roll.firer.exact(), roll.enemy.exact()
        firer = view.scenario.firer
        if ours == theirs:
            couplets, leader = self.number("tie_couplets"), track.central
        else:
            couplets = abs(ours - theirs)
            enemy = track.other if track.central == firer else track.central
            leader = firer if ours > theirs else enemy
        infiltration = int(self.options["infiltration"] or track.infiltration)
        relief = []
        if track.night:
            if not track.exempt:
                couplets = max(0, couplets - 1)
            judged = couplets + (infiltration if self.options["night_relief"] == "total" else 0)
            relief = update(track, exempt=judged == 0)
        couplets += infiltration
        return Effects(
            relief,
            emit("initiative", "5.11, 5.12, 5.13", couplets=couplets, leader=leader),
            push("couplet", couplets, track.commands, self._round(view, track.sides, leader)),
        )

    @staticmethod
    def _round(view: View, sides: tuple[str, ...], leader: str) -> Round:
        """The first couplet: the side with the initiative gives its command first, if both give any."""
        order = tuple(sorted(sides, key=lambda side: side != leader))
        return Round(order, opened=0 if any(not _opening(view, m).before for m in _massed(view)) else 2)

    @step(cite="5.21, 5.23, 5.24")
    def couplet(self, _chance: Chance, view: View, couplets: int, others: tuple[int, ...], now: Round) -> Effects:
        """Barrages strike as a couplet opens, then each side may give one command.

        Nothing is asked while no group of a side could be concerned.
        """
        if couplets == 0:
            return Effects()
        if now.half == len(now.order):
            return Effects(push("couplet", couplets - 1, others, attrs.evolve(now, half=0, struck=False)))
        if now.half == 0 and now.opened < 2 and not now.struck:
            strikes = (push("core.release", m, Intent.EFFECT) for m in _massed(view) if _creeping(view, m))
            opened = attrs.evolve(now, opened=now.opened + 1, struck=True)
            return Effects(*strikes, push("couplet", couplets, others, opened))
        if not self._concerned(view, now.side):
            if now.opened == 2 and not any(self._concerned(view, side) for side in now.order):
                return Effects()
            return Effects(push("couplet", couplets, others, attrs.evolve(now, half=now.half + 1)))
        return Effects(ask(now.side, "command", couplets, others, now, then="commanded"))

    @staticmethod
    def _concerned(view: View, side: str) -> bool:
        if view.shared(Track).troops:
            return True
        return any(_callable(view, m) or _primed(view, m) for m in _groups(view, side))

    # --- the command -----------------------------------------------------------------------------
    def questions(self) -> Mapping[str, Question]:
        """What the one command of a couplet is; which of several primed groups rolls next."""
        return {
            "command": Question(self._forms, self._refuse, self._standard),
            "next_signal": Question(
                self._signal_forms, self._refuse_signal, lambda _view, _side, groups: Order.of("roll", group=groups[0])
            ),
        }

    @staticmethod
    def _signal_forms(_view: View, _side: str, groups: tuple[str, ...]) -> tuple[Form, ...]:
        return (Form("roll", "6.02", "roll for the signal of a primed group", (Slot("group", "which group", groups),)),)

    @staticmethod
    def _refuse_signal(_view: View, order: Order, _side: str, groups: tuple[str, ...]) -> Refusal | None:
        return None if order["group"] in groups else Refusal("6.02", f"still to roll: {', '.join(groups)}")

    def _forms(self, view: View, couplets: int, others: tuple[int, ...], now: Round) -> tuple[Form, ...]:  # noqa: ARG002
        missions = _groups(view, now.side)
        idle = tuple(m for m in missions if _callable(view, m))
        primed = tuple(m for m in missions if _primed(view, m) and not view.own(m, Group).spent)
        modes = tuple(dict.fromkeys((*(view.facts(m, Transmission).own.name for m in missions), RUNNER)))
        forms = (
            Form(
                "call", "6.1, 7.221", "activate an idle group for a cross hair",
                (Slot("group", "which group", idle), Slot("by", "its mode of transmission", modes)),
            ),
            Form(
                "cancel", "6.2, 7.224", "try to cancel a primed group", (Slot("group", "which group", primed),)
            ),
            Form("other", "6.02", "a command to other troops, which lets primed groups roll their signal"),
            Form("pass", "5.21", "give no command"),
        )  # fmt: skip
        if view.shared(Track).troops:
            return (*forms, Form("troops", "6.01", "activate units on the map"))
        return forms

    def _refuse(
        self, view: View, order: Order, couplets: int, others: tuple[int, ...], now: Round  # noqa: ARG002
    ) -> Refusal | None:  # fmt: skip
        if order.verb == "other" and _left(view, others, now) == 0:
            return Refusal("6.02", "the other troops have no use for a further command this turn")
        if order.verb not in ("call", "cancel"):
            return None
        mission = order["group"]
        if mission not in _groups(view, now.side):
            return Refusal("6.01", f"the side has no group {mission}")
        group = view.own(mission, Group)
        if group.spent:
            return Refusal("3.3", "a spent group takes no command")
        if order.verb == "cancel":
            primed = _primed(view, mission)
            return None if primed else Refusal("7.224", "only a primed group can be cancelled")
        if not _callable(view, mission):
            return Refusal("7.221", "the group has a cross hair or fire for effect out already")
        if order["by"] not in (view.facts(mission, Transmission).own.name, RUNNER):
            return Refusal("7.21", f"the group has its own mode and the runner, not {order['by']}")
        return None

    def _standard(self, view: View, couplets: int, others: tuple[int, ...], now: Round) -> Order:  # noqa: ARG002
        for mission in _groups(view, now.side):
            if _callable(view, mission):
                return Order.of("call", group=mission, by=view.facts(mission, Transmission).own.name)
        return Order.of("other" if _left(view, others, now) else "pass")

    @step(cite="5.22, 6.02")
    def commanded(
        self, _chance: Chance, view: View, couplets: int, others: tuple[int, ...], now: Round, order: Order
    ) -> Effects:
        """Carry the command out; the signals of primed groups interrupt any but a cancellation."""
        following = attrs.evolve(now, half=now.half + 1)
        if order.verb == "pass":
            return Effects(push("couplet", couplets, others, following))
        if order.verb == "cancel":
            return Effects(push("cancel", order["group"]), push("couplet", couplets, others, following))
        if order.verb == "troops":
            # The troops are named first; what is primed then interrupts before they act.
            return Effects(push("resolution.activate", now.side), push("couplet", couplets, others, following))
        signals = push("interrupt", now.side)
        if order.verb == "other":
            at = view.shared(Track).sides.index(now.side)
            less = tuple(n - int(k == at) for k, n in enumerate(others))
            return Effects(signals, push("couplet", couplets, less, following))
        call = push("call", order["group"], order["by"] == RUNNER)
        return Effects(signals, call, push("couplet", couplets, others, following))

    @step(cite="6.02, 7.223")
    def interrupt(self, _chance: Chance, view: View, side: str) -> Effects:
        """Every primed group of the side rolls for its signal, once."""
        return Effects(push("signals", side, tuple(m for m in _groups(view, side) if _primed(view, m))))

    @step(cite="6.02")
    def signals(self, _chance: Chance, _view: View, side: str, groups: tuple[str, ...]) -> Effects:
        """The next of these groups rolls; of several their owner says which."""
        if len(groups) > 1:
            return Effects(ask(side, "next_signal", side, groups, then="signalled"))
        return Effects(*(push("signal", group) for group in groups))

    @step(cite="6.02, 7.223")
    def signalled(self, _chance: Chance, _view: View, side: str, groups: tuple[str, ...], order: Order) -> Effects:
        """The group that was named rolls, and then the others."""
        now = order["group"]
        return Effects(push("signal", now), push("signals", side, tuple(group for group in groups if group != now)))

    @step(cite="6.1, 7.21, 11.522")
    def call(self, _chance: Chance, view: View, mission: str, runner: bool) -> Effects:  # noqa: FBT001
        """The group is activated: its cross hair may be placed."""
        steps = (name for name in ("observers.sent", "requests.sent") if name in view.scenario.steps)
        told = (push(name, mission, runner) for name in steps)
        return Effects(update(view.own(mission, Group), runner=runner), *told, push("core.opportunity", mission))

    @step(cite="7.221, 7.222")
    def request(self, _chance: Chance, view: View, mission: str) -> Effects:
        """The hour glass is placed ahead by the relay delay; without delay the group is primed at once."""
        group = view.own(mission, Group)
        delay = _mode(view, mission).delay
        called = Effects(
            update(group, hourglass=delay, spent=True),
            update(view.mission(mission), stage=Stage.DELAYED),
        )
        return Effects(called, emit("primed", "7.222", mission=mission)) if delay == 0 else called

    # --- signals ---------------------------------------------------------------------------------
    @step(cite="7.14, 7.223, 7.23")
    def signal(self, chance: Chance, view: View, mission: str) -> Effects:
        """A regular signal roll: at or under the number the group fires, else the cross hair stays."""
        if not _primed(view, mission):
            return Effects()
        number = _mode(view, mission).number
        roll = chance.dice("signal", first=d6, second=d6)
        if roll.total + chance.drm(roll) <= number:
            return Effects(emit("signal", "7.23", mission=mission, through=True), push("core.ready", mission))
        return Effects(emit("signal", "7.23", mission=mission, through=False))

    @step(cite="6.2, 7.23")
    def cancel(self, chance: Chance, view: View, mission: str) -> Effects:
        """A cancellation roll: removed, fired by accident, or left as it is and not spent."""
        group = view.own(mission, Group)
        number = _mode(view, mission).number
        roll = chance.dice("cancellation", first=d6, second=d6)
        final = roll.total + chance.drm(roll)
        if final <= number:
            return Effects(update(group, spent=True), push("core.close", mission, Reason.CANCELLED, "7.23"))
        if final >= self.number("accident"):
            return Effects(update(group, spent=True), emit("accident", "7.23", mission=mission), push("core.ready", mission))
        return Effects(emit("not_cancelled", "7.23", mission=mission))

    # --- what the core reports -------------------------------------------------------------------
    @step(cite="7.242")
    def released(self, _chance: Chance, view: View, mission: str, intent: Intent) -> Effects:
        """After fire for effect the call is used up; after a spotting round the group stays primed."""
        if _opening_or_none(view, mission) is not None:
            return Effects()
        return Effects(update(view.own(mission, Group), hourglass=None)) if intent is Intent.EFFECT else Effects()

    @step(cite="7.248")
    def ceased(self, _chance: Chance, view: View, mission: str, _stage: Stage) -> Effects:
        """Fire that stops with its call used up must be called anew."""
        if view.own(mission, Group).hourglass is not None:
            return Effects()
        return Effects(push("core.close", mission, Reason.DELIVERED, "7.248"))

    @step(cite="7.23, 7.248")
    def closed(self, _chance: Chance, view: View, mission: str) -> Effects:
        """Cross hair and hour glass are gone."""
        if _opening_or_none(view, mission) is not None:
            return Effects()
        return Effects(update(view.own(mission, Group), hourglass=None))


def _groups(view: View, side: str | None = None) -> tuple[str, ...]:
    """The groups of a side, or all: missions that are called for and no massed fire."""
    missions = view.scenario.missions
    return tuple(
        m for m in view.missions if _opening_or_none(view, m) is None and (side is None or missions[m].side == side)
    )


def _massed(view: View) -> tuple[str, ...]:
    return tuple(m for m in view.missions if _opening_or_none(view, m) is not None)


def _opening_or_none(view: View, mission: str) -> Opening | None:
    found = view.scenario.missions[mission].facts.get("delays")
    return found if isinstance(found, Opening) else None


def _opening(view: View, mission: str) -> Opening:
    return view.facts(mission, Opening)


def _creeping(view: View, mission: str) -> bool:
    """Whether a barrage is on: begun and not over."""
    return not _opening(view, mission).before and view.mission(mission).stage not in (Stage.IDLE, Stage.ENDED)


def _left(view: View, others: tuple[int, ...], now: Round) -> int:
    """How many commands for other troops the acting side has left this turn."""
    sides = view.shared(Track).sides
    return others[sides.index(now.side)]


def _primed(view: View, mission: str) -> bool:
    return view.own(mission, Group).hourglass == 0


def _callable(view: View, mission: str) -> bool:
    """Whether the group is ready, has no marker out and can still fire at all."""
    now = view.mission(mission)
    if now.stage not in (Stage.IDLE, Stage.ENDED) or now.reason in FINAL:
        return False
    return not view.own(mission, Group).spent


def _mode(view: View, mission: str) -> Mode:
    facts = view.facts(mission, Transmission)
    before, after = (
        (facts.runner, facts.runner_after) if view.own(mission, Group).runner else (facts.own, facts.own_after)
    )
    return before if after is None or not view.shared(Track).bombarded else after
