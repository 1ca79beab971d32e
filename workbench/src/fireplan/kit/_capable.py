"""The law of capabilities: what a game says it can do is really there, and what is there is said."""

from collections.abc import Callable, Mapping

import attrs

from fireplan.kit._bench import Bench
from fireplan.kit._check import Flaws
from fireplan.table import Eyes, sides_of
from fireplan_core import CannotStageError, OwnTroops, Reason, Stage
from fireplan_core.play import find_scenario, stage_engagement

CLOSE = 30
"""Metres from the target at which own troops are in danger in any game."""
STEM = 5
"""Letters of a word by which a text is seen to tell of it."""


def _tells(kind: str, **fields: object) -> Callable[[Bench], bool]:
    def probe(bench: Bench) -> bool:
        return any(
            event.kind == kind and all(dict(event.fields).get(name) is value for name, value in fields.items())
            for edges in bench.orders.edges
            for edge in edges
            for event in edge.events
        )

    return probe


def _corrects(bench: Bench) -> bool:
    """A spotting round follows a spotting round."""
    return any(
        stage is Stage.SPOTTING and any(event.kind == "spotting" for edge in edges for event in edge.events)
        for mission in bench.scenario.mission_ids
        for stage, edges in zip(bench.stages(bench.orders, mission), bench.orders.edges, strict=True)
    )


def _stages_differently(topic: str, **change: bool) -> Callable[[Bench], bool]:
    """The engagement with a topic of it changed can be staged, and puts other values or facts on the table."""

    def probe(bench: Bench) -> bool:
        changed = attrs.evolve(getattr(bench.engagement, topic), **change)
        try:
            engagement = attrs.evolve(bench.engagement, **{topic: changed})
            other = stage_engagement(bench.catalogue, bench.key, engagement)
        except CannotStageError:
            return False
        here = bench.scenario
        return here.initial != other.initial or any(
            here.missions[mission].facts != other.missions[mission].facts
            for mission in here.mission_ids
            if mission in other.missions
        )

    return probe


def _hides_assets(bench: Bench) -> bool:
    """In some scenario of the game an asset is hidden from a side that does not own it."""
    laid = [find_scenario(bench.catalogue, name)[0] for name in bench.own_scenarios]
    eyes = (Eyes(scenario, side) for scenario in laid for side in sides_of(scenario))
    return any(one.hidden(mission) for one in eyes for mission in one.scenario.mission_ids)


def _hits_friends(bench: Bench) -> bool:
    """In this engagement, or in the same with own troops beside the target."""
    probe = _tells("fall", own_under_fire=True)
    if probe(bench):
        return True
    near = attrs.evolve(bench.engagement, own_troops=OwnTroops(distance_m=CLOSE, men=20))
    try:
        return probe(Bench(bench.catalogue, bench.key, near))
    except CannotStageError:
        return False


CAPABILITIES: Mapping[str, tuple[str, Callable[[Bench], bool]]] = {
    "spotting rounds": ("a round may be fired to see where it lands", _tells("spotting")),
    "correction": ("after a spotting round another may be fired", _corrects),
    "friendly fire": ("fire may fall on the firer's own troops", _hits_friends),
    "denial": ("a request may be denied and made again", _tells("ended", reason=Reason.DENIED)),
    "depletion": ("an asset may run out", _tells("ended", reason=Reason.EXHAUSTED)),
    "lingering fire": ("fire may stay on the ground without falling again", _tells("lingering")),
    "hidden requests": ("what one side asks for may be hidden from the other", _hides_assets),
    "pre-registered fire": (
        "guns may have registered the target beforehand",
        _stages_differently("asset", preregistered=True),
    ),
    "bombardment": ("fire may have fallen before play", _stages_differently("situation", bombardment=True)),
}
"""Say what a game may say that it can, and how the kit sees that it does."""


def capabilities_are_real(bench: Bench) -> Flaws:
    """Check that what a game says it can do is seen in its files, or under some orders and dice.

    What is seen, it says.
    """
    claimed = bench.installed.game.capabilities
    own = [name for name in claimed if name not in CAPABILITIES]
    told = [path.read_text(encoding="utf-8").lower() for path in bench.shown]
    faults: Flaws = [
        f"claims {name!r}, but no playthrough, scenario or frozen table of it tells of that, and the kit knows only "
        + ", ".join(CAPABILITIES)
        for name in own
        if not any(_told(name, text) for text in told)
    ]
    for name, (meaning, probe) in CAPABILITIES.items():
        can = probe(bench)
        if name in claimed and not can:
            faults.append(f"claims {name!r} ({meaning}), but no orders and dice show it")
        if can and name not in claimed:
            faults.append(f"can do {name!r} ({meaning}), but does not claim it")
    return faults


def _told(name: str, text: str) -> bool:
    return all(word[:STEM] in text for word in name.lower().split())
