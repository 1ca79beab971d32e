"""Delays of Red Poppies: initiative, command couplets, hour glasses and signals (5.1, 5.2, 7.2).

The clock counts game turns. In each couplet, each side with guns gives at most one command. Any
command except a cancellation lets primed groups roll for their signal (6.02). A bombardment opens
the first turn; a creeping barrage opens the first two couplets of every turn.
"""

from collections.abc import Iterator
from fractions import Fraction

import attrs

from fireplan_core import (
    FINAL,
    Clock,
    Delays,
    Display,
    Intent,
    Keeps,
    Reason,
    Setup,
    Stage,
    Staging,
    View,
    cycle,
    parts_of,
)
from fireplan_core.chance import Chance, d6
from fireplan_core.mission import Outcome
from fireplan_core.steps.effects import Effect, Effects, ask, emit, push, step, update
from fireplan_core.steps.questions import Form, Refusal, Slot, orders
from fireplan_red_poppies.calls import (
    board,
    callable_now,
    concerned,
    groups_of,
    massed_of,
    mode_of,
    primed,
    too_late,
)
from fireplan_red_poppies.massed import Massed, massed_fire
from fireplan_red_poppies.setup import Forces, Group, Staged, endless, point
from fireplan_red_poppies.track import FLARE, RUNNER, BarrageDelay, Couplet, GroupCall, RecordTrack
from fireplan_red_poppies.troops import SHELLS

Commands = tuple[int, ...]
"""Each side's remaining commands to troops that are not on the map, as in ``RecordTrack.sides``."""


class RedPoppiesDelays(Staged, Delays):
    """The delays part: a call, the hour glass, and signal rolls until one succeeds."""

    keeps = Keeps(assets=((GroupCall, BarrageDelay),), table=(RecordTrack,))
    publishes = (GroupCall,)

    def implied(self, view: View, name: str, fields: frozenset[str]) -> Effects:
        """Return the effects of the call that an hour glass in a position implies.

        A group with an hour glass has been called, with its aim on its target unless the position
        gives another; a group without one is idle.
        """
        if name not in view.missions or "hourglass" not in fields or "stage" in fields:
            return Effects()
        now = view.mission(name)
        if view.own(name, GroupCall).hourglass is None:
            return Effects(update(now, stage=Stage.IDLE, aim=None))
        return Effects(
            update(
                now,
                stage=Stage.DELAYED,
                aim=now.aim if "aim" in fields else view.aim_at(now.target)[0],
            )
        )

    def contradictions(self, view: View) -> Iterator[str]:
        """Yield a message for each contradiction in the record track and in the groups.

        The sides that give commands, and whether units can act, must be those of the scenario, and
        each side has a number of commands (5.21). A group without a call has no hour glass
        (7.221), unless its cross hair is carried and not yet placed (11.32).
        """
        track = view.shared(RecordTrack)
        sides = view.scenario.initial.get(f"shared/{self.word}/sides", ())
        if sorted(track.sides) != sorted(sides):
            yield f"table.sides: expected the sides of the scenario: {', '.join(sides)} (5.21)"
        if track.troops != view.scenario.initial.get(f"shared/{self.word}/troops", False):
            yield "table.troops: whether units on the map can act is fixed by the scenario (6.61)"
        if len(track.commands) != len(sides):
            yield f"table.commands: expected one number for each of {', '.join(sides)} (5.21)"
        for mission in view.missions:
            idle = view.mission(mission).stage in (Stage.IDLE, Stage.ENDED)
            group = view.own(mission, GroupCall)
            if (
                idle
                and massed_fire(view, mission) is None
                and group.hourglass is not None
                and not group.carried
            ):
                yield f"{mission}: it has an hour glass, but the group has not been called: add stage=delayed (7.221)"

    def board(self, view: View, side: str) -> tuple[Display, ...]:
        """Return the display of the turn track and of each side's signals."""
        return tuple(board(self, view, side))

    def clock(self) -> Clock:
        """Return a clock with game turns of ten minutes (5.0)."""
        return Clock.even(Fraction(self.number("turn_minutes")), "turn", "5.0")

    def set_up(self, staging: Staging, forces: Forces) -> None:
        """Set up the record track, the first turn of each massed fire, and the groups."""
        staging.share(self.word, forces.track)
        for massed in forces.massed:
            waiting, at = BarrageDelay(turns=massed.first_turn), massed.lines[0].at
            staging.mission(massed.name, self.word, waiting, massed, side=massed.side, target=at)
        for group in forces.groups:
            carried = group.cross_hair is not None
            slot = GroupCall(
                hourglass=group.hour_glass if carried else None,
                runner=group.by_runner,
                carried=carried,
            )
            vertex = (group.mode == FLARE and group.preregistered) or group.target
            facts, target = Group.of(group, forces, staging), point(staging, vertex)
            staging.mission(group.name, self.word, slot, facts, side=group.side, target=target)

    def alone(self, scenario: Setup, mission: str) -> Setup | None:
        """Return the scenario with one group only, and at least as many other commands as couplets.

        Groups share nothing but commands. A group rolls for its signal at any command of its side
        except a cancellation, so commands to other groups help it like any other command. The
        last turn is left out, because it only decides which order is the standard one. Returns
        None if something else connects the missions: massed fire, shells to choose from, troops
        that act, sight that is checked again, or a second side with groups.
        """
        facts = [setup.facts[self.word] for setup in scenario.missions.values()]
        track = scenario.shared[self.word]
        assert isinstance(track, RecordTrack)  # noqa: S101 - the record that this part staged
        apart = (
            all(isinstance(each, Group) and not each.entry.choices for each in facts)
            and len({setup.side for setup in scenario.missions.values()}) == 1
            and not (track.troops or self.options["recheck_sight"])
        )
        if not apart:
            return None
        couplets = max(d6.sides - 1, self.number("tie_couplets")) + int(
            self.options["infiltration"] or track.infiltration
        )
        commands = tuple(max(couplets, number) for number in track.commands)
        return attrs.evolve(
            scenario,
            missions={mission: endless(scenario.missions[mission])},
            shared={**scenario.shared, self.word: attrs.evolve(track, commands=commands)},
        )

    # --- the turn --------------------------------------------------------------------------------
    @step(cite="5.0")
    def moment(self, chance: Chance, view: View) -> Effects:
        """Play a game turn: massed fire, hour glasses, initiative, couplets, administration."""
        return Effects(
            *(push(self.massed_fire_opens, mission) for mission in massed_of(view)),
            *(push(self.hourglass, mission) for mission in groups_of(view)),
            push(self.initiative),
            push(parts_of(view).resolution.turn_over)
            if view.shared(RecordTrack).followed
            else Effects(),
        )

    @step(cite="7.11, 7.41")
    def massed_fire_opens(self, chance: Chance, view: View, mission: str) -> Effects:
        """Fire a bombardment before turn 1, or start a barrage in its turn.

        A bombardment makes signals worse, and so does a barrage unless an option says otherwise
        (7.14).
        """
        now, waiting, massed = (
            view.mission(mission),
            view.own(mission, BarrageDelay),
            view.facts(mission, Massed),
        )
        if now.stage is not Stage.IDLE:
            return Effects()
        if waiting.turns > 1:
            return Effects(update(waiting, turns=waiting.turns - 1))
        return Effects(
            update(now, stage=Stage.DELAYED),
            *(
                [update(view.shared(RecordTrack), bombarded=True)]
                if massed.before or self.options["barrage_counts"]
                else []
            ),
            emit("opened", "7.11" if massed.before else "7.41", mission=mission),
            _release(view, mission) if massed.before else Effects(),
        )

    @step(cite="5.3, 7.222, 11.2, 11.32, 11.33")
    def hourglass(self, chance: Chance, view: View, mission: str) -> Effects:
        """Remove last turn's spent marker, and count the hour glass down by one turn.

        The cross hair of a carried call is placed first. At 0 the group is primed.
        """
        group = view.own(mission, GroupCall)
        if group.carried:
            call = view.facts(mission, Group)
            loaded = SHELLS[call.entry.loaded]
            placed = update(
                view.mission(mission), aim=call.cross_hair, kind=loaded, stage=Stage.DELAYED
            )
            return Effects(placed, update(group, carried=False), push(self.hourglass, mission))
        turns = group.hourglass
        if not turns:
            return Effects(update(group, spent=False), _forgotten(view, mission))
        waiting = Effects(update(group, spent=False, hourglass=turns - 1))
        return Effects(waiting, emit("primed", "7.222", mission=mission)) if turns == 1 else waiting

    @step(cite="5.11, 5.12, 5.13")
    def initiative(self, chance: Chance, view: View) -> Effects:
        """Roll a die for each side; the difference is the number of couplets.

        A tie gives three couplets, and gives the Central Powers the initiative. Night takes a
        couplet, except after a turn without any, and infiltration adds one.
        """
        track, firer = view.shared(RecordTrack), view.scenario.firer
        roll = chance.dice("initiative", firer=d6, enemy=d6)
        ours, theirs = roll.firer.exact(), roll.enemy.exact()
        if ours == theirs:
            couplets, leader = self.number("tie_couplets"), track.central
        else:
            couplets = abs(ours - theirs)
            enemy = track.other if track.central == firer else track.central
            leader = firer if ours > theirs else enemy
        infiltration = int(self.options["infiltration"] or track.infiltration)
        relief = Effects()
        if track.night:
            if not track.exempt:
                couplets = max(0, couplets - 1)
            judged = couplets + (infiltration if self.options["night_relief"] == "total" else 0)
            relief = Effects(update(track, exempt=judged == 0))
        couplets += infiltration
        creeping = any(not view.facts(m, Massed).before for m in massed_of(view))
        first = Couplet(
            # The side with the initiative gives the first command of a couplet.
            tuple(sorted(track.sides, key=lambda side: side != leader)),
            strikes=self.number("barrage_couplets") if creeping else 0,
        )
        return Effects(
            relief,
            emit("initiative", "5.11, 5.12, 5.13", couplets=couplets, leader=leader),
            push(self.couplet, couplets, track.commands, first),
        )

    @step(cite="5.21, 5.23, 5.24")
    def couplet(
        self, chance: Chance, view: View, couplets: int, commands_left: Commands, now: Couplet
    ) -> Effects:
        """Let barrages strike as a couplet opens, then let each side give one command.

        A side without any use for a command is not asked. ``couplets`` counts the couplets left in
        the turn, including this one. ``commands_left`` has the commands that each side can still
        give to other troops.
        """
        if couplets == 0:
            return Effects()
        if now.half == len(now.order):
            return Effects(
                push(
                    self.couplet,
                    couplets - 1,
                    commands_left,
                    attrs.evolve(now, half=0, struck=False),
                )
            )
        if now.half == 0 and now.strikes and not now.struck:
            strikes = (_release(view, m) for m in massed_of(view) if _creeping(view, m))
            opened = attrs.evolve(now, strikes=now.strikes - 1, struck=True)
            return Effects(*strikes, push(self.couplet, couplets, commands_left, opened))
        if concerned(view, now.side):
            return Effects(ask(now.side, self.command, couplets, commands_left, now))
        if not now.strikes and not any(concerned(view, side) for side in now.order):
            return Effects()
        return Effects(
            push(self.couplet, couplets, commands_left, attrs.evolve(now, half=now.half + 1))
        )

    # --- the command -----------------------------------------------------------------------------
    @orders(cite="5.22, 6.02")
    def command(
        self, view: View, couplets: int, commands_left: Commands, now: Couplet
    ) -> Iterator[Form]:
        """Yield a side's commands for this couplet, such as to call a group or activate troops.

        ``other`` is a command to troops off the map. Before any command except a cancellation is
        carried out, primed groups roll for their signal.
        """
        missions, track, signals = (
            groups_of(view, now.side),
            view.shared(RecordTrack),
            push(self.before_manoeuvre, now.side),
        )

        def then(done: Effect, commands_left: Commands = commands_left) -> Effects:
            return Effects(
                done,
                push(self.couplet, couplets, commands_left, attrs.evolve(now, half=now.half + 1)),
            )

        def call(group: str, by: str) -> Effects | Refusal:
            if wrong := _refuse_group(view, group, missions):
                return wrong
            if not callable_now(view, group):
                return Refusal.of("7.221", "called_already")
            if by not in (view.facts(group, Group).mode, RUNNER):
                return Refusal.of("7.21", "mode_of_group", by=by)
            return then(Effects(signals, push(self.call, group, by == RUNNER)))

        def cancel(group: str) -> Effects | Refusal:
            unprimed = None if primed(view, group) else Refusal.of("7.224", "not_primed")
            return (
                _refuse_group(view, group, missions) or unprimed or then(push(self.cancel, group))
            )

        def other() -> Effects | Refusal:
            if not _commands_left(view, commands_left, now):
                return Refusal.of("6.02", "no_more_commands")
            acting = track.sides.index(now.side)
            return then(signals, tuple(n - int(k == acting) for k, n in enumerate(commands_left)))

        idle = tuple(m for m in missions if callable_now(view, m))
        deaf = {
            m: mode_of(self, view, m, runner=False).name
            for m in idle
            if not mode_of(self, view, m, runner=False).number
        }
        waiting = tuple(m for m in missions if primed(view, m) and not view.own(m, GroupCall).spent)
        modes = dict.fromkeys((*(view.facts(m, Group).mode for m in (*idle, *missions)), RUNNER))
        # A mode without a chance of a signal is offered last, so that no standard order uses it.
        offered = tuple(sorted(modes, key=lambda name: name in deaf.values()))
        group = Slot("group", "the group to call", idle, free=True)
        by = Slot("by", "its mode of transmission", offered, free=True)
        # A call that can prime no group in time is not the standard order.
        late = too_late(self, view, idle)
        calls = Form(
            "call", "6.1, 7.221", (group, by), call, fields={"deaf": tuple(deaf), "late": late}
        )
        rolling = {"primed": any(primed(view, m) for m in missions)}
        left = _commands_left(view, commands_left, now)
        others_act = Form("other", "6.02", does=other, fields={**rolling, "left": left})
        passes = Form("pass", "5.21", does=then(Effects()), fields=rolling)
        yield from (others_act, passes, calls) if late else (calls, others_act, passes)
        primed_group = attrs.evolve(group, candidates=waiting)
        yield Form("cancel", "6.2, 7.224", (primed_group,), cancel)
        if track.troops:
            # The side first names the troops; primed groups then roll before the troops act.
            troops = then(push(parts_of(view).resolution.manoeuvre, now.side))
            yield Form("troops", "6.01", does=troops)

    @step(cite="6.02, 7.223")
    def before_manoeuvre(self, chance: Chance, view: View, side: str) -> Effects:
        """Let each of the side's primed groups roll once for its signal."""
        return Effects(
            push(self.signals, side, tuple(m for m in groups_of(view, side) if primed(view, m)))
        )

    @step(cite="6.02")
    def signals(self, chance: Chance, _view: View, side: str, groups: tuple[str, ...]) -> Effects:
        """Let the next of these groups roll; if there are several, their owner chooses."""
        if len(groups) > 1:
            return Effects(ask(side, self.next_signal, side, groups))
        return Effects(*(push(self.signal, group) for group in groups))

    @orders(cite="6.02")
    def next_signal(self, view: View, side: str, groups: tuple[str, ...]) -> Iterator[Form]:
        """Yield the order that names the primed group to roll next; the others follow it (6.02)."""

        def roll(group: str) -> Effects:
            return Effects(
                push(self.signal, group),
                push(self.signals, side, tuple(g for g in groups if g != group)),
            )

        which = Slot("group", "the group that rolls next", groups)
        yield Form("roll", "6.02", (which,), roll)

    @step(cite="6.1, 7.21, 11.522")
    def call(self, chance: Chance, view: View, mission: str, runner: bool) -> Effects:  # noqa: FBT001
        """Activate the group's mode, or a runner, so that its cross hair may be placed."""
        return Effects(
            update(view.own(mission, GroupCall), runner=runner), push(cycle.opportunity, mission)
        )

    @step(cite="7.221, 7.222")
    def request(self, chance: Chance, view: View, mission: str) -> Effects:
        """Place the hour glass ahead by the relay delay; without a delay the group is primed."""
        delay, number = mode_of(self, view, mission).delay, mode_of(self, view, mission).number
        called = Effects(
            update(view.own(mission, GroupCall), hourglass=delay, spent=True),
            update(view.mission(mission), stage=Stage.DELAYED),
            Effects() if number else emit("cut_off", "7.21", mission=mission),
        )
        return Effects(called, emit("primed", "7.222", mission=mission)) if delay == 0 else called

    # --- signals ---------------------------------------------------------------------------------
    @step(cite="7.14, 7.223, 7.23")
    def signal(self, chance: Chance, view: View, mission: str) -> Effects:
        """Roll for the signal of a primed group: it fires on its number or less.

        On a higher roll nothing changes, so it can try again.
        """
        if not primed(view, mission):
            return Effects()
        number = mode_of(self, view, mission).number
        roll = chance.dice("signal", first=d6, second=d6)
        if roll.total + chance.drm(roll) <= number:
            through = emit("signal", "7.23", mission=mission, through=True)
            return Effects(through, push(cycle.ready, mission, Outcome.GOOD, "signal"))
        return Effects(emit("signal", "7.23", mission=mission, through=False))

    @step(cite="6.2, 7.23")
    def cancel(self, chance: Chance, view: View, mission: str) -> Effects:
        """Roll to cancel a call: it is cancelled, or its fire falls by accident, or it stays.

        If it stays, the group is not spent.
        """
        spent = update(view.own(mission, GroupCall), spent=True)
        number = mode_of(self, view, mission).number
        roll = chance.dice("cancellation", first=d6, second=d6)
        final = roll.total + chance.drm(roll)
        if final <= number:
            return Effects(spent, push(cycle.close, mission, Reason.CANCELLED, "7.23"))
        if final >= self.number("accident"):
            fired = emit("accident", "7.23", mission=mission)
            return Effects(spent, fired, push(cycle.ready, mission, Outcome.GOOD, "accident"))
        return Effects(emit("not_cancelled", "7.23", mission=mission))

    # --- reports from the core -------------------------------------------------------------------
    @step(cite="7.242")
    def released(self, chance: Chance, view: View, mission: str, intent: Intent) -> Effects:
        """End the call with fire for effect; after a spotting round the group stays primed."""
        return _used_up(view, mission) if intent is Intent.EFFECT else Effects()

    @step(cite="7.248")
    def ceased(self, chance: Chance, view: View, mission: str, _stage: Stage) -> Effects:
        """End a mission when its fire stops and its call is used up; it then needs a new call."""
        if view.own(mission, GroupCall).hourglass is not None:
            return Effects()
        return Effects(push(cycle.close, mission, Reason.DELIVERED, "7.248"))

    @step(cite="7.23, 7.248")
    def closed(self, chance: Chance, view: View, mission: str) -> Effects:
        """Remove the cross hair and the hour glass."""
        return _used_up(view, mission)


def _forgotten(view: View, mission: str) -> Effects:
    """Return the end of a group's last call as if it had none, in a relaxed setup.

    No rule tells these states apart, so the solver has fewer of them to follow.
    """
    if view.facts(mission, Group).settling is None:
        return Effects()
    group, now = view.own(mission, GroupCall), view.mission(mission)
    if group.hourglass is not None or now.reason in FINAL:
        return Effects()
    return Effects(
        update(group, spent=False, runner=False),
        update(now, stage=Stage.IDLE, reason=None, aim=None),
    )


def _used_up(view: View, mission: str) -> Effects:
    if massed_fire(view, mission) is not None:
        return Effects()
    return Effects(update(view.own(mission, GroupCall), hourglass=None))


def _refuse_group(view: View, group: str, groups: tuple[str, ...]) -> Refusal | None:
    if group not in groups:
        return Refusal.of("6.01", "no_group", group=group)
    return Refusal.of("3.3", "spent_group") if view.own(group, GroupCall).spent else None


def _release(view: View, mission: str) -> Effects:
    now = view.mission(mission)
    return Effects(update(now, aim=now.target), push(cycle.release, mission, Intent.EFFECT))


def _creeping(view: View, mission: str) -> bool:
    """Return whether a massed fire is a creeping barrage that is under way."""
    return not view.facts(mission, Massed).before and view.mission(mission).stage not in (
        Stage.IDLE,
        Stage.ENDED,
    )


def _commands_left(view: View, commands_left: Commands, now: Couplet) -> int:
    """Return the acting side's remaining commands to other troops this turn."""
    return commands_left[view.shared(RecordTrack).sides.index(now.side)]
