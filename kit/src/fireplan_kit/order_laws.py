"""The laws of orders and endings: citations, refusals, missions that can end."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product
from typing import Any

from fireplan.solver import Chain
from fireplan_core import Ask, Atom, Form, Order, Stage
from fireplan_core.chance import RandomFaces
from fireplan_core.play import Table, play_out
from fireplan_kit.bench import Bench
from fireplan_kit.check import Flaws, tidy

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
    faults += [
        f"modifier to {m.roll} cites {m.cite!r}"
        for m in bench.scenario.modifiers
        if not bench.cited(m.cite)
    ]
    log = play_out(Table(bench.scenario, bench.moments), RandomFaces(5)).log
    told = [
        *(entry.event for entry in log),
        *(e for edges in bench.chain.edges for edge in edges for e in edge.events),
    ]
    faults += [
        f"event {event.kind} cites {event.cite!r}" for event in told if not bench.cited(event.cite)
    ]
    for node, top in bench.situations():
        if isinstance(top, Ask):
            for form in bench.compiler.rulebook.forms(top, bench.reader(node)):
                if not bench.cited(form.cite):
                    faults.append(f"form {form.verb} of {top.question} cites {form.cite!r}")
    return tidy(faults)


def refusals_cite(bench: Bench) -> Flaws:
    """Check that an order that may not be given is refused with a rule and a reason.

    None raises or is listed twice.

    So is one that nobody offers, or that lies beyond all offers. No judge refuses all but one of
    its orders for ever.
    """
    faults: dict[str, None] = {}
    offered, legal = dict[tuple[Any, ...], str](), set[tuple[Any, ...]]()
    for top, read in _asked(bench):
        odd = [Order.of("no such order"), Order.of("no such order", at=(0, 0))]
        for form in (forms := bench.compiler.rulebook.forms(top, read)):
            offered[top.question, form.verb] = "nothing to choose"
            odd.append(Order.of(form.verb, nonsense=1))
            first: dict[str, Any] = {}
            for values in islice(product(*(slot.candidates for slot in form.slots)), MOST_JUDGED):
                order = {slot.name: value for slot, value in zip(form.slots, values, strict=True)}
                refusal = bench.compiler.rulebook.refuse(top, Order.of(form.verb, **order), read)
                said = [(slot.name, order[slot.name]) for slot in form.slots if not slot.free]
                chosen = [
                    (top.question, form.verb),
                    *((top.question, form.verb, *pair) for pair in said),
                ]
                offered |= dict.fromkeys(chosen, str(refusal))
                if refusal is None:
                    legal |= {*chosen}
                    first = first or order
                elif not (bench.cited(refusal.cite) and refusal.why):
                    faults[
                        f"{top.question} refuses {form.verb} by {refusal.cite!r}: {refusal.why!r}"
                    ] = None
            beyond = [(name, _beyond(bench, value)) for name, value in first.items()]
            odd += [
                Order.of(form.verb, **{**first, name: far})
                for name, far in beyond
                if far is not None
            ]
        faults |= dict.fromkeys(_offered_twice(top.question, forms))
        for unheard in odd:
            refusal = bench.compiler.rulebook.refuse(top, unheard, read)
            if refusal is None:
                faults[f"{top.question} takes {unheard}, beyond all that it offers"] = None
            elif not bench.cited(refusal.cite):
                faults[f"refusing {unheard} cites {refusal.cite!r}"] = None
    return tidy([*faults, *_never_taken(offered, legal)])


def _asked(bench: Bench) -> Iterator[tuple[Ask, Any]]:
    for chain in (bench.chain, bench.orders):
        asked = [(node, top) for node, top in enumerate(chain.tops) if isinstance(top, Ask)]
        for node, top in asked[:: 1 + len(asked) // MOST_ASKED]:
            yield top, chain.reader(node, bench.scenario.initial)


def _offered_twice(question: str, forms: Sequence[Form]) -> Iterator[str]:
    """Yield orders, and values of their slots, that a question lists more than once."""
    listed = [
        f"{form.verb} {slot.name} {one}"
        for form in forms
        for slot in form.slots
        for one in slot.candidates
    ]
    listed += [form.verb for form in forms]
    yield from (f"{question} offers {one} twice" for one in {*listed} if listed.count(one) > 1)


def _never_taken(
    offered: Mapping[tuple[Any, ...], str], legal: set[tuple[Any, ...]]
) -> Iterator[str]:
    """Yield values that an order always refuses though it takes others, and orders of a question that takes but one."""
    for one in offered.keys() - legal:
        question, *said = one
        alike = [other for other in offered if len(other) == len(one) and other[:-1] == one[:-1]]
        taken = sum(other in legal for other in alike)
        if (taken <= 1 < len(alike)) if len(said) == 1 else taken:
            yield f"{question} always refuses {' '.join(map(str, said))}, which it offers: {offered[one]}"


def _beyond(bench: Bench, like: Atom) -> Any:
    """A value of the kind of this one and beyond all that can be meant.

    None where there is no such.
    """
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
    for chain, how in (
        (bench.chain, "under the standard orders"),
        (bench.orders, "under any orders"),
    ):
        faults += [
            f"{top}: a dead end"
            for top, edges in zip(chain.tops, chain.edges, strict=True)
            if not edges
        ]
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
        for kind, what in (
            ("requested", "a request"),
            ("fall", "fire for effect"),
            ("ended", "an end"),
        )
        if kind not in told
    ]
    return faults


def _leading_to_an_end(chain: Chain) -> set[int]:
    """The nodes from which some way leads to an event that ends a mission."""
    ends = {
        node
        for node, edges in enumerate(chain.edges)
        for edge in edges
        for e in edge.events
        if e.kind == "ended"
    }
    before = set[int]()
    while before != ends:
        before, nodes = set(ends), range(len(chain.edges) - 1, -1, -1)
        ends.update(
            node for node in nodes if any(edge.target in ends for edge in chain.edges[node])
        )
    return ends
