"""The laws of orders and endings: citations, refusals, missions that can end, capabilities that are really there."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import attrs

from fireplan.chance import RandomFaces
from fireplan.kit._bench import Bench
from fireplan.kit._check import Found, tidy
from fireplan.mission import Ask, CannotStageError, Engagement, Order, OwnTroops, Reason, Stage
from fireplan.odds import Chain
from fireplan.table import Table, make_scenario, play_out

CORE = "core."
CLOSE = 30
"""Metres from the target at which own troops are in danger in any game."""
STEM = 5
"""Letters of a word by which a playthrough is seen to tell of it."""


def everything_cites(bench: Bench) -> Found:
    """Every step, event, modifier and form cites a rule of the ledger."""
    faults: Found = [
        f"step {step.name} cites {step.cite!r}"
        for step in bench.scenario.steps.values()
        if not step.name.startswith(CORE) and not bench.cited(step.cite)
    ]
    faults += [f"event {e.kind} cites {e.cite!r}" for e in bench.events() if not bench.cited(e.cite)]
    faults += [f"modifier to {m.roll} cites {m.cite!r}" for m in bench.scenario.modifiers if not bench.cited(m.cite)]
    log = play_out(Table(bench.scenario, bench.moments), RandomFaces(5)).log
    faults += [
        f"event {entry.event.kind} cites {entry.event.cite!r}" for entry in log if not bench.cited(entry.event.cite)
    ]
    for node, top in bench.situations():
        if isinstance(top, Ask):
            rulebook = bench.compiler.rulebook
            for form in rulebook.question(top).offers(rulebook.view(top, bench.reader(node)), *top.args):
                if not bench.cited(form.cite):
                    faults.append(f"form {form.verb} of {top.question} cites {form.cite!r}")
    return tidy(faults)


def refusals_cite(bench: Bench) -> Found:
    """An order that may not be given is a refusal with a rule, never an exception; so is one that nobody offers."""
    faults: dict[str, None] = {}
    rulebook = bench.compiler.rulebook
    for node, top in bench.situations():
        if not isinstance(top, Ask):
            continue
        forms = rulebook.question(top).offers(rulebook.view(top, bench.reader(node)), *top.args)
        odd = [Order.of("no such order"), Order.of("no such order", at=(0, 0))]
        odd += [Order.of(form.verb, nonsense=1) for form in forms]
        for order in odd:
            refusal = bench.refusal(top, order, node)
            if refusal is None:
                faults[f"{top.question} takes {order}"] = None
            elif not bench.cited(refusal.cite):
                faults[f"refusing {order} cites {refusal.cite!r}"] = None
        for form in forms:
            values = {slot.name: slot.candidates[0] for slot in form.slots if slot.candidates}
            refusal = bench.refusal(top, Order.of(form.verb, **values), node)
            if refusal is not None and not (bench.cited(refusal.cite) and refusal.why):
                faults[f"{top.question} refuses {form.verb} by {refusal.cite!r}: {refusal.why!r}"] = None
    return tidy(faults)


def every_mission_can_end(bench: Bench) -> Found:
    """From every state some dice and orders lead to the mission's end; no dead end; no stage that is never reached."""
    faults: Found = []
    for chain, how in ((bench.chain, "under the standard orders"), (bench.orders, "under any orders")):
        faults += [f"{top}: a dead end" for top, edges in zip(chain.tops, chain.edges, strict=True) if not edges]
        can_end = _leading_to_an_end(chain)
        for mission in bench.scenario.mission_ids:
            stages = bench.stages(chain, mission)
            stuck = {
                stage
                for node, stage in enumerate(stages)
                if node not in can_end and stage not in (Stage.ENDED, Stage.IDLE)
            }
            if stuck:
                names = ", ".join(sorted(stage.value for stage in stuck))
                faults.append(f"mission {mission} cannot end from {names} {how}")
    told = {event.kind for edges in bench.orders.edges for edge in edges for event in edge.events}
    faults += [
        f"no orders and dice lead to {what}: no event {kind!r} is ever told"
        for kind, what in (("requested", "a request"), ("fall", "fire for effect"), ("ended", "an end"))
        if kind not in told
    ]
    return faults


def _leading_to_an_end(chain: Chain) -> set[int]:
    """The nodes from which some way leads to an event that ends a mission."""
    back: dict[int, list[int]] = {}
    goals: list[int] = []
    for node, edges in enumerate(chain.edges):
        for edge in edges:
            back.setdefault(edge.target, []).append(node)
            if any(event.kind == "ended" for event in edge.events):
                goals.append(node)
    reached = set(goals)
    while goals:
        for before in back.get(goals.pop(), ()):
            if before not in reached:
                reached.add(before)
                goals.append(before)
    return reached


# --- capabilities --------------------------------------------------------------------------------
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
    for mission in bench.scenario.mission_ids:
        for stage, edges in zip(bench.stages(bench.orders, mission), bench.orders.edges, strict=True):
            if stage is Stage.SPOTTING and any(e.kind == "spotting" for edge in edges for e in edge.events):
                return True
    return False


def _stages_differently(change: Callable[[Engagement], Engagement]) -> Callable[[Bench], bool]:
    """The changed engagement can be staged, and puts other values or facts on the table."""

    def probe(bench: Bench) -> bool:
        try:
            other = make_scenario(bench.catalogue, bench.key, change(bench.engagement))
        except CannotStageError:
            return False
        here = bench.scenario
        return here.initial != other.initial or any(
            here.missions[mission].facts != other.missions[mission].facts
            for mission in here.mission_ids
            if mission in other.missions
        )

    return probe


def _registered(engagement: Engagement) -> Engagement:
    return attrs.evolve(engagement, asset=attrs.evolve(engagement.asset, preregistered=True))


def _bombarded(engagement: Engagement) -> Engagement:
    return attrs.evolve(engagement, situation=attrs.evolve(engagement.situation, bombardment=True))


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
    "pre-registered fire": ("guns may have registered the target beforehand", _stages_differently(_registered)),
    "bombardment": ("fire may have fallen before play", _stages_differently(_bombarded)),
}
"""What a game may say that it can, and how the kit sees that it does."""


def capabilities_are_real(bench: Bench) -> Found:
    """What a game says it can do is seen in its files or under some orders and dice; what is seen, it says."""
    claimed = bench.installed.game.capabilities
    told = [path.read_text(encoding="utf-8").lower() for path in bench.shown]
    faults: Found = [
        f"claims {name!r}, but no playthrough, scenario or frozen table of it tells of that, and the kit knows only "
        + ", ".join(CAPABILITIES)
        for name in claimed
        if name not in CAPABILITIES and not any(_told(name, text) for text in told)
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
