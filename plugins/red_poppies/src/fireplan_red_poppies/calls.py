"""The calls of groups (idle, waiting or primed, and their mode), and their display beside the map.

This module has no steps; those are in ``delays``.
"""

from collections.abc import Iterator

from fireplan_core import FINAL, Counter, Display, Part, Stage, View
from fireplan_red_poppies.massed import massed_fire
from fireplan_red_poppies.setup import Group
from fireplan_red_poppies.track import RUNNER, BarrageDelay, GroupCall, Mode, RecordTrack, mode


def groups_of(view: View, side: str | None = None) -> tuple[str, ...]:
    """Return the names of the groups of a side, or of both sides by default.

    Massed fires are left out.
    """
    return tuple(
        m for m in view.missions if massed_fire(view, m) is None and side in (None, view.side(m))
    )


def massed_of(view: View) -> tuple[str, ...]:
    """Return the names of the massed fires of both sides, which need no call."""
    return tuple(m for m in view.missions if massed_fire(view, m) is not None)


def primed(view: View, mission: str) -> bool:
    """Return whether the turn marker has reached a group's hour glass (7.222)."""
    return view.own(mission, GroupCall).hourglass == 0


def callable_now(view: View, mission: str) -> bool:
    """Return whether a group is ready, has no marker on the map and can still fire."""
    now = view.mission(mission)
    if now.stage not in (Stage.IDLE, Stage.ENDED) or now.reason in FINAL:
        return False
    return not view.own(mission, GroupCall).spent


def too_late(part: Part, view: View, groups: tuple[str, ...]) -> bool:
    """Return whether even the fastest call of these groups would be primed too late (7.222).

    A group must be primed by the last turn of the scenario. Return False if the scenario has no
    known last turn.
    """
    delays = [
        by.delay
        for m in groups
        for runner in (False, True)
        if (by := mode_of(part, view, m, runner=runner)).number
    ]
    last = view.facts(groups[0], Group).forces.last_turn if groups else None
    return last is not None and view.moment() + min(delays, default=0) > last


def concerned(view: View, side: str) -> bool:
    """Return whether a side can use a command, for troops or for one of its groups (5.23)."""
    if view.shared(RecordTrack).troops:
        return True
    return any(callable_now(view, m) or primed(view, m) for m in groups_of(view, side))


def mode_of(part: Part, view: View, mission: str, *, runner: bool | None = None) -> Mode:
    """Return a group's mode: the runner if it was called by runner, otherwise its own (7.14, 7.21).

    ``runner`` overrides how the group was called: True if by runner, False if by its own mode.
    """
    group = view.facts(mission, Group)
    by_runner = view.own(mission, GroupCall).runner if runner is None else runner
    forces = group.forces
    # Without massed fire, now or before, there is no need to read the record track.
    bombarded = bool(forces.massed or forces.track.bombarded) and view.shared(RecordTrack).bombarded
    return mode(
        RUNNER if by_runner else group.mode, part.charts, bombarded=bombarded, trench=forces.trench
    )


def board(part: Part, view: View, side: str) -> Iterator[Display]:
    """Yield displays of a side's signals and of the turn track with its hour glasses (7.222)."""
    own, now = view.owned(side), view.moment()
    calls = [m for m in groups_of(view) if m in own]
    coming = [m for m in massed_of(view) if m in own and view.mission(m).stage is Stage.IDLE]
    markers = [
        (0, "turn marker"),
        *((view.own(m, BarrageDelay).turns, f"{m.replace('_', ' ')} begins") for m in coming),
    ]
    markers += (
        (glass, f"hour glass of {m.replace('_', ' ')} (primed then)")
        for m in calls
        if (glass := view.own(m, GroupCall).hourglass) is not None
    )
    delays = (
        mode_of(part, view, m, runner=runner).delay for m in calls for runner in (False, True)
    )
    last = max(*delays, *(turns for turns, _ in markers), 0)
    if last:
        boxes = (
            tuple(Counter(name) for turns, name in markers if turns == n) for n in range(last + 1)
        )
        turns = ((view.scenario.clock.name(now + n), counters) for n, counters in enumerate(boxes))
        yield Display("track", "turn track", tuple(turns))
    for firer in dict.fromkeys(map(view.side, calls)):
        yield Display(
            "net",
            f"signals of the {firer[:1].upper()}{firer[1:]}",
            tuple(_signals(part, view, groups_of(view, firer))),
        )


def _signals(
    part: Part, view: View, groups: tuple[str, ...]
) -> Iterator[tuple[str, tuple[Counter, ...]]]:
    """Yield pairs of a heading and counters, for the display of a side's signals.

    The first pair has the modes of transmission with their numbers; then each mode has its groups.
    """
    calls = {m: view.own(m, GroupCall) for m in groups}
    now = {
        m: mode_of(part, view, m, runner=call.runner and call.hourglass is not None)
        for m, call in calls.items()
    }
    modes = dict.fromkeys((*now.values(), *(mode_of(part, view, m, runner=True) for m in groups)))
    named = {mode: mode.name.replace("_", " ") for mode in modes}
    notes = {mode: _note(mode) for mode in modes}
    yield "", tuple(Counter(named[mode], None, notes[mode], not mode.number) for mode in modes)
    for net in modes:
        yield (
            f"groups by {named[net]}",
            tuple(
                Counter(m.replace("_", " "), cut=not net.number)
                for m, by in now.items()
                if by == net
            ),
        )


def _note(mode: Mode) -> str:
    signal = f"{mode.number} or less" if mode.number else "no signal gets through (7.21)"
    turns = "1 turn" if mode.delay == 1 else f"{mode.delay} turns"
    return f"{signal}; delay {turns}"
