"""The laws of orders and endings: citations, refusals, missions that can end."""

from __future__ import annotations

from itertools import islice, product
from typing import Any

from fireplan.kit._bench import Bench
from fireplan.kit._check import Flaws, tidy
from fireplan.solver import Chain
from fireplan_core import Ask, Atom, Form, Order, Stage
from fireplan_core.chance import RandomFaces
from fireplan_core.play import Table, play_out
from fireplan_core.play.rulebook import Read

CORE = "core."
MOST_ASKED, MOST_JUDGED, FAR = 200, 40, 1_000_000
"""Questions of a chain whose judges are tried, candidates of a form, and a number beyond any map."""


def everything_cites(bench: Bench) -> Flaws:
    """Check that every step, event, modifier and form cites a rule of the ledger."""
    faults: Flaws = [
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
            for form in bench.compiler.rulebook.forms(top, bench.reader(node)):
                if not bench.cited(form.cite):
                    faults.append(f"form {form.verb} of {top.question} cites {form.cite!r}")
    return tidy(faults)


def refusals_cite(bench: Bench) -> Flaws:
    """Check that an order that may not be given is a refusal with a rule, never an exception.

    So is one that nobody offers.
    """
    faults: dict[str, None] = {}
    for node, top in bench.situations():
        if not isinstance(top, Ask):
            continue
        rulebook, read = bench.compiler.rulebook, bench.reader(node)
        forms = rulebook.forms(top, read)
        odd = [Order.of("no such order"), Order.of("no such order", at=(0, 0))]
        odd += [Order.of(form.verb, nonsense=1) for form in forms]
        for order in odd:
            refusal = rulebook.refuse(top, order, read)
            if refusal is None:
                faults[f"{top.question} takes {order}"] = None
            elif not bench.cited(refusal.cite):
                faults[f"refusing {order} cites {refusal.cite!r}"] = None
        for form in forms:
            values = {slot.name: slot.candidates[0] for slot in form.slots if slot.candidates}
            refusal = rulebook.refuse(top, Order.of(form.verb, **values), read)
            if refusal is not None and not (bench.cited(refusal.cite) and refusal.why):
                faults[f"{top.question} refuses {form.verb} by {refusal.cite!r}: {refusal.why!r}"] = None
    return tidy([*faults, *_judged(bench)])


def _judged(bench: Bench) -> Flaws:
    """What is wrong with the judges: all but one order always refused, or one taken that lies beyond all offers."""
    faults: dict[str, None] = {}
    offered: dict[str, set[str]] = {}
    legal: dict[str, set[str]] = {}
    for chain in (bench.chain, bench.orders):
        asked = ((node, top) for node, top in enumerate(chain.tops) if isinstance(top, Ask))
        for node, top in islice(asked, MOST_ASKED):
            read = chain.reader(node, bench.scenario.initial)
            for form in bench.compiler.rulebook.forms(top, read):
                offered.setdefault(top.question, set()).add(form.verb)
                taken, beyond = _tried(bench, top, form, read)
                legal.setdefault(top.question, set()).update([form.verb] * taken)
                faults |= {f"{top.question} takes {order}, beyond all that it offers": None for order in beyond}
    return [
        *faults,
        *(
            f"{question} always refuses {', '.join(sorted(verbs - legal[question]))}, and so all but one of its orders"
            for question, verbs in offered.items()
            if len(legal[question]) <= 1 < len(verbs)
        ),
    ]


def _tried(bench: Bench, asked: Ask, form: Form, read: Read) -> tuple[bool, list[Order]]:
    """Whether an order of a form is taken, and those taken that lie beyond its candidates."""
    refuse = bench.compiler.rulebook.refuse
    names = [slot.name for slot in form.slots]
    for values in islice(product(*(slot.candidates for slot in form.slots)), MOST_JUDGED):
        order = dict(zip(names, values, strict=True))
        if refuse(asked, Order.of(form.verb, **order), read) is None:
            wide = [Order.of(form.verb, **{**order, name: _beyond(bench, value)}) for name, value in order.items()]
            return True, [odd for odd in wide if None not in dict(odd.values).values() and not refuse(asked, odd, read)]
    return False, []


def _beyond(bench: Bench, like: Atom) -> Any:
    """A value of the kind of this one and beyond all that can be meant; None where there is no such."""
    if isinstance(like, str):
        return "nobody of this name"
    if not (isinstance(like, tuple) and like and all(type(item) is int for item in like)):
        return None
    far: Any = tuple(FAR + number for number, _ in enumerate(like))
    try:
        on_map = bench.scenario.frame.on_map
        return far if on_map(like) and not on_map(far) else None
    except (ValueError, TypeError, LookupError):
        return far


def every_mission_can_end(bench: Bench) -> Flaws:
    """Check that from every state some dice and orders lead to the mission's end; no dead end.

    Fire can be asked for and falls.
    """
    faults: Flaws = []
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
