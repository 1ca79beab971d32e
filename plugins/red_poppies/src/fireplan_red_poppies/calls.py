"""How the calls of groups stand: which are idle, on the way or primed, by which mode, and what shows it at a table.

No steps here; what is done about a call is in ``delays``.
"""

from collections.abc import Iterator

from fireplan_core import FINAL, Counter, Display, Part, Stage, View
from fireplan_red_poppies.massed import massed_fire
from fireplan_red_poppies.setup import Group
from fireplan_red_poppies.track import RUNNER, BarrageDelay, GroupCall, Mode, Track, mode


def groups_of(view: View, side: str | None = None) -> tuple[str, ...]:
    """Return the groups of a side, or all: missions that are called for and no massed fire."""
    return tuple(
        m for m in view.missions if massed_fire(view, m) is None and side in (None, view.side(m))
    )


def massed_of(view: View) -> tuple[str, ...]:
    """Return the massed fires: missions that nobody calls for."""
    return tuple(m for m in view.missions if massed_fire(view, m) is not None)


def primed(view: View, mission: str) -> bool:
    """Return whether the turn marker has reached the hour glass of a group (7.222)."""
    return view.own(mission, GroupCall).hourglass == 0


def callable_now(view: View, mission: str) -> bool:
    """Return whether the group is ready, has no marker out and can still fire at all."""
    now = view.mission(mission)
    if now.stage not in (Stage.IDLE, Stage.ENDED) or now.reason in FINAL:
        return False
    return not view.own(mission, GroupCall).spent


def concerned(view: View, side: str) -> bool:
    """Return whether a command of a side could be for anything (5.23)."""
    if view.shared(Track).troops:
        return True
    return any(callable_now(view, m) or primed(view, m) for m in groups_of(view, side))


def mode_of(part: Part, view: View, mission: str, *, runner: bool | None = None) -> Mode:
    """Return the mode of a group as it now is: that of its call, its own, or the runner (7.14, 7.21)."""
    group = view.facts(mission, Group)
    by_runner = view.own(mission, GroupCall).runner if runner is None else runner
    forces = group.forces
    # Where no massed fire is or was, no signal can suffer from it.
    bombarded = bool(forces.massed or forces.track.bombarded) and view.shared(Track).bombarded
    return mode(
        RUNNER if by_runner else group.mode, part.charts, bombarded=bombarded, trench=forces.trench
    )


def board(part: Part, view: View, side: str) -> Iterator[Display]:
    """Yield the turns ahead with a side's hour glasses and barrages on them, and its nets of signals (7.21, 7.222)."""
    own, now = view.owned(side), view.moment()
    calls = [m for m in groups_of(view) if m in own]
    coming = [m for m in massed_of(view) if m in own and view.mission(m).stage is Stage.IDLE]
    lying = [
        (0, "turn marker"),
        *((view.own(m, BarrageDelay).turns, f"{m} begins") for m in coming),
    ]
    lying += (
        (glass, f"hour glass of {m}")
        for m in calls
        if (glass := view.own(m, GroupCall).hourglass) is not None
    )
    delays = (
        mode_of(part, view, m, runner=runner).delay for m in calls for runner in (False, True)
    )
    last = max(*delays, *(turns for turns, _ in lying), 0)
    if last:
        boxes = (
            tuple(Counter(name) for turns, name in lying if turns == n) for n in range(last + 1)
        )
        turns = ((view.scenario.clock.name(now + n), counters) for n, counters in enumerate(boxes))
        yield Display("track", "turn track", tuple(turns))
    for firer in dict.fromkeys(map(view.side, calls)):
        yield Display(
            "net", f"signals of the {firer}", tuple(_signals(part, view, groups_of(view, firer)))
        )


def _signals(
    part: Part, view: View, groups: tuple[str, ...]
) -> Iterator[tuple[str, tuple[Counter, ...]]]:
    """Yield the modes that signals come by, then each with the groups whose present or next call it is."""
    calls = {m: view.own(m, GroupCall) for m in groups}
    now = {
        m: mode_of(part, view, m, runner=call.runner and call.hourglass is not None)
        for m, call in calls.items()
    }
    modes = dict.fromkeys((*now.values(), *(mode_of(part, view, m, runner=True) for m in groups)))
    named = {mode: mode.name.replace("_", " ") for mode in modes}
    throws = {
        mode: f"{mode.number} or less" if mode.number else "no signal can come through, 7.21"
        for mode in modes
    }
    said = {
        mode: f"{throw}; {mode.delay} turn{'s' * (mode.delay != 1)} on the way"
        for mode, throw in throws.items()
    }
    yield "", tuple(Counter(named[mode], None, said[mode], not mode.number) for mode in modes)
    for way in modes:
        yield (
            named[way],
            tuple(Counter(m, cut=not way.number) for m, by in now.items() if by == way),
        )
