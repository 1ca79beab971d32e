"""The checks on orders and endings: citations, refusals, missions that can end."""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from enum import Enum
from fractions import Fraction
from itertools import combinations, islice
from typing import Any

from fireplan.solver import Chain
from fireplan_core import Ask, Atom, Event, Form, Order, Slot, Stage
from fireplan_core.sentences import SEVERAL
from fireplan_core.sources import call_argument, calls_in, parsed
from fireplan_kit.bench import Bench
from fireplan_kit.check import Flaw, Flaws, tidy

CORE = "core."
_CITED = {"emit": 1, "Form": 1, "Refusal": 0, "Refusal.of": 0}
"""Maps each function that takes a rule to the position of that argument."""
MOST_ASKED, MOST_JUDGED, FAR = 200, 40, 1_000_000
"""Limits on the questions of a chain and on the orders of a form, and a coordinate that is off
every map."""
MOST_COMPARED, FEW, NEARBY = 100, 3, ((150, 0), (-150, 0), (0, 150), (400, 300))
"""Limits on the questions whose orders are compared and on the other values tried in a slot, and
the distances east and south, in metres, of other places to try."""


def everything_cites(bench: Bench) -> Flaws:
    """Check that every step, event, modifier and form cites a rule of the ledger.

    The sentences of the game for a kind of event must fit the events of this kind, its mission must
    be one of the scenario, and a refusal must give a reason.
    """
    cites = [
        (f"step {step.name}", step.cite)
        for step in bench.scenario.steps.values()
        if not step.name.startswith(CORE)
    ]
    cites += [(f"modifier to {m.roll}", m.cite) for m in bench.scenario.modifiers]
    events = [entry.event for entry in bench.played(5).log]
    events += [e for edges in bench.chain.edges for edge in edges for e in edge.events]
    cites += [(f"event {event.kind}", event.cite) for event in events]
    cites += [
        (f"form {form.verb} of {top.question}", form.cite)
        for node, top in bench.situations()
        if isinstance(top, Ask)
        for form in bench.compiler.rulebook.forms(top, bench.reader(node))
    ]
    return [
        *_not_in_the_ledger(bench, [*cites, *_cites_in_sources(bench)]),
        *_refusals_without_reason(bench),
        *_sentences_that_never_fit(bench, events),
        *_of_no_mission(bench, events),
    ]


def _of_no_mission(bench: Bench, events: Iterable[Event]) -> Flaws:
    """Return a flaw for each kind of event that names a mission unknown to the scenario."""
    return tidy(
        Flaw(f"the event {event.kind} is about {mission!r}, which is not a mission", event.cite)
        for event in events
        if (mission := dict(event.fields).get("mission", "")) not in ("", *bench.scenario.missions)
    )


def _refusals_without_reason(bench: Bench) -> Iterator[str]:
    """Yield a flaw for each refusal in the game's sources whose reason is an empty text."""
    for path in bench.installed.files("*.py"):
        for name, call in calls_in(parsed(path)):
            match name == "Refusal" and call_argument(call, 1, "why"):
                case ast.Constant(""):
                    yield f"{path.name}:{call.lineno} Refusal gives no reason"


def _sentences_that_never_fit(bench: Bench, events: Iterable[Event]) -> Flaws:
    """Return a flaw for each kind of event whose sentences all name fields that it lacks."""
    if len(bench.ledgers) > 1:
        return []  # at a table of several games, an event may be worded by another game
    sentences = bench.installed.game.sentences
    own = sentences.tables.get("events", {})
    seen = {(event.kind, frozenset(dict(event.fields))): event for event in events}
    return tidy(
        Flaw(
            f"the sentence of the event {kind} has a field that the event lacks: {own[kind][0]!r};"
            f" it has {', '.join(sorted(fields)) or 'none'}",
            event.cite,
        )
        for (kind, fields), event in seen.items()
        if kind in own
        and sentences.plain("events", kind, {**dict(event.fields), SEVERAL: False}) is None
    )


def _not_in_the_ledger(bench: Bench, cites: Iterable[tuple[str, str]]) -> Flaws:
    """Return a flaw for each name whose cited rule is not in the game's ledger."""
    return tidy(
        f"{name} cites {cite!r}, which is not in the ledger"
        for name, cite in dict.fromkeys(cites)
        if not bench.cited(cite)
    )


def _cites_in_sources(bench: Bench) -> Iterator[tuple[str, str]]:
    """Yield (place, rule) for each event, refusal and form in the game's sources.

    The place is ``FILE:LINE`` with the name of the function called.
    """
    for path in bench.installed.files("*.py"):
        tree = parsed(path)
        constants = dict(_constants(tree))
        for name, call in calls_in(tree):
            match name in _CITED and call_argument(call, _CITED[name], "cite"):
                case ast.Constant(str(cite)):
                    yield f"{path.name}:{call.lineno} {name}", cite
                case ast.Name(variable) | ast.Attribute(ast.Name("self" | "cls"), variable) if (
                    variable in constants
                ):
                    yield f"{path.name}:{call.lineno} {name}", constants[variable]
                case ast.JoinedStr() | ast.BinOp() as made:
                    yield f"{path.name}:{call.lineno} {name}", ast.unparse(made)


def _constants(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield the names that are bound to one text in a module, each with its text."""
    texts: dict[str, set[str | None]] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Assign([ast.Name(name)], value) | ast.AnnAssign(ast.Name(name), _, value):
                text = value.value if isinstance(value, ast.Constant) else None
                texts.setdefault(name, set()).add(text if isinstance(text, str) else None)
            case ast.arg(name) | ast.For(ast.Name(name)) | ast.comprehension(ast.Name(name)):
                texts.setdefault(name, set()).add(None)
    for name, values in texts.items():
        if len(values) == 1 and (text := next(iter(values))) is not None:
            yield name, text


def _beyond_offers(bench: Bench, verb: str, legal: Mapping[str, Any]) -> list[Order]:
    """Return the orders made by replacing one value of a legal order with a value never offered."""
    beyond = ((name, _beyond(bench, value)) for name, value in legal.items())
    return [Order.of(verb, **{**legal, name: far}) for name, far in beyond if far is not None]


def _far_away(verb: str, legal: Mapping[str, Any]) -> Iterator[Order]:
    """Yield the orders made by moving one place of a legal order far away.

    In a plane, which has no edge, such an order may be legal.
    """
    for name, value in legal.items():
        if isinstance(value, tuple):
            far = tuple(FAR + number for number, _ in enumerate(value))
            yield Order.of(verb, **{**legal, name: far})


def refusals_cite(bench: Bench) -> Flaws:
    """Check that an illegal order is refused with a rule and a reason, and offers are sound.

    An order that is not on offer must be refused too. No judge may raise an exception. No question
    may offer an order twice, offer an order that is never legal, or offer two that always do the
    same, and a value that an order names must matter.
    """
    faults: dict[str, None] = {}
    offered, legal = dict[tuple[Any, ...], str](), set[tuple[Any, ...]]()
    for top, read in _questions(bench):
        odd = [Order.of("no such order"), Order.of("no such order", at=(0, 0))]
        for form in (forms := bench.compiler.rulebook.forms(top, read)):
            offered[top.question, form.verb] = "nothing to choose"
            odd.append(Order.of(form.verb, nonsense=1))
            first: dict[str, Any] = {}
            for order in islice(form.orders(), MOST_JUDGED):
                refusal = bench.compiler.rulebook.refuse(top, order, read)
                pairs = [(slot.name, order[slot.name]) for slot in form.slots if not slot.free]
                chosen = [
                    (top.question, form.verb),
                    *((top.question, form.verb, *pair) for pair in pairs),
                ]
                offered |= dict.fromkeys(chosen, str(refusal))
                if refusal is None:
                    legal |= {*chosen}
                    first = first or dict(order.values)
                elif not (bench.cited(refusal.cite) and refusal.why):
                    faults[
                        f"{top.question} refuses {form.verb} by {refusal.cite!r}: {refusal.why!r};"
                        " a refusal needs a rule of the ledger and a reason"
                    ] = None
            odd += _beyond_offers(bench, form.verb, first)
            # No rule may raise here, whether it refuses the order or not.
            for far in _far_away(form.verb, first):
                bench.compiler.rulebook.refuse(top, far, read)
        faults |= dict.fromkeys(_offered_twice(top.question, forms))
        for unoffered in odd:
            refusal = bench.compiler.rulebook.refuse(top, unoffered, read)
            if refusal is None:
                faults[f"{top.question} accepts {unoffered}, which it does not offer"] = None
            elif not bench.cited(refusal.cite):
                faults[
                    f"the refusal of {unoffered} cites {refusal.cite!r}, which is not in the ledger"
                ] = None
    unlike = _Deeds(bench)
    return tidy([*faults, *_never_taken(offered, legal), *unlike.flaws(offered, legal)])


class _Deeds:
    """A comparison of the effects of a game's orders, to find those that make no difference."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._alike: dict[tuple[str, str, str], bool] = {}
        rules = sorted({repr(rule) for ledger in bench.ledgers for rule in ledger.rules})
        self._rules = re.compile("|".join(map(re.escape, rules)))
        for top, read in islice(_questions(bench), MOST_COMPARED):
            self._compare(top, read)

    def _compare(self, top: Ask, read: Any) -> None:
        """Compare the effects of a question's verbs, and of the values in each slot of an order."""
        refuse, deeds = self._bench.compiler.rulebook.refuse, dict[str, Any]()
        for form in self._bench.compiler.rulebook.forms(top, read):
            for order in islice(form.orders(), MOST_JUDGED):
                if refuse(top, order, read) is None:
                    deed = form.judge(order)
                    deeds.setdefault(form.verb, deed)
                    for slot in form.slots:
                        for other in self._others(slot, order[slot.name]):
                            values = {**dict(order.values), slot.name: other}
                            changed = Order.of(form.verb, **values)
                            if refuse(top, changed, read) is None:
                                self._record(
                                    top, f"{form.verb} {slot.name}", "", deed, form.judge(changed)
                                )
                    break
        for (verb, deed), (other, deed_of_other) in combinations(deeds.items(), 2):
            self._record(top, verb, other, deed, deed_of_other)

    def _record(self, top: Ask, order: str, other: str, *deeds: Any) -> None:
        key = top.question, order, other
        if self._alike.setdefault(key, True):
            self._alike[key] = deeds[0] == deeds[1] or len({*map(self._without_rules, deeds)}) == 1

    def _without_rules(self, deed: Any) -> str:
        """Return an order's effects as text, with every rule number replaced by the word RULE."""
        return self._rules.sub("RULE", repr(deed))

    def _others(self, slot: Slot, value: Any) -> Iterator[Any]:
        """Yield a few other values for a slot: its candidates, and nearby places.

        Places are yielded only if the value is a place and the slot is free.
        """
        yield from islice((other for other in slot.candidates if other != value), FEW)
        frame = self._bench.scenario.frame
        if slot.free and isinstance(value, tuple):
            with suppress(ValueError, TypeError, LookupError):
                x, y = frame.metres(value)
                near = {frame.nearest(x + east, y + south) for east, south in NEARBY} - {value}
                yield from sorted(near)

    def flaws(
        self, offered: Mapping[tuple[Any, ...], str], legal: set[tuple[Any, ...]]
    ) -> Iterator[str]:
        """Yield a flaw for each order that is never legal or does the same as another order.

        A slot whose values make no difference is a flaw too. ``offered`` maps each offer,
        (question, verb) or (question, verb, slot, value), to its last refusal, and ``legal`` has
        the offers that were legal at least once.
        """
        for (question, order, other), alike in self._alike.items():
            if alike and other:
                yield f"{question}: {order} and {other} do the same wherever both are legal"
            elif alike:
                yield f"{question}: {order} makes no difference: other values do the same"
        texts = "\n".join(self._bench.texts)
        for question, verb, *slot in offered:
            if not slot and (question, verb) not in legal and not given_in(texts, verb):
                yield (
                    f"{question} always refuses {verb}, here and in every playthrough and worked"
                    f" example: {offered[question, verb]}"
                )


def given_in(texts: str, verb: str) -> bool:
    """Return whether a playthrough or worked example in ``texts`` gives an order with this verb."""
    return re.search(rf"^> (why )?[^:\n]*: {re.escape(verb)}\b", texts, re.MULTILINE) is not None


def _questions(bench: Bench) -> Iterator[tuple[Ask, Any]]:
    for chain in (bench.chain, bench.orders):
        questions = [(node, top) for node, top in enumerate(chain.tops) if isinstance(top, Ask)]
        for node, top in questions[:: 1 + len(questions) // MOST_ASKED]:
            yield top, chain.reader(node, bench.scenario.initial)


def _offered_twice(question: str, forms: Sequence[Form]) -> Iterator[str]:
    """Yield a flaw for each order, or value of a slot, that a question lists more than once."""
    listed = [
        f"{form.verb} {slot.name} {candidate}"
        for form in forms
        for slot in form.slots
        for candidate in slot.candidates
    ]
    listed += [form.verb for form in forms]
    yield from (
        f"{question} offers {offer} twice" for offer in {*listed} if listed.count(offer) > 1
    )


def _never_taken(
    offered: Mapping[tuple[Any, ...], str], legal: set[tuple[Any, ...]]
) -> Iterator[str]:
    """Yield a flaw for each offer that is always refused.

    A value is a flaw if other values of its slot are legal; an order is a flaw if its question
    offers several orders but never accepts more than one of them. ``offered`` maps each offer,
    (question, verb) or (question, verb, slot, value), to its last refusal, and ``legal`` has the
    offers that were legal at least once.
    """
    for offer in offered.keys() - legal:
        question, *words = offer
        alike = [
            other for other in offered if len(other) == len(offer) and other[:-1] == offer[:-1]
        ]
        taken = sum(other in legal for other in alike)
        if (taken <= 1 < len(alike)) if len(words) == 1 else taken:
            yield f"{question} always refuses {' '.join(map(str, words))}, though it offers it: {offered[offer]}"


def _beyond(bench: Bench, like: Atom) -> Any:
    """Return a value of the same type that no legal order uses, or None if none is known."""
    if isinstance(like, str):
        return "nobody of this name"
    if isinstance(like, int | Fraction) and not isinstance(like, bool | Enum) and like >= 0:
        return type(like)(-1)
    if not (isinstance(like, tuple) and like and all(type(item) is int for item in like)):
        return None
    far: Any = tuple(FAR + number for number, _ in enumerate(like))
    try:
        on_map = bench.scenario.frame.on_map
        return far if on_map(like) and not on_map(far) else None
    except (ValueError, TypeError, LookupError):
        return far


def every_mission_can_end(bench: Bench) -> Flaws:
    """Check that from every state some dice and orders lead to the end of the mission.

    No state may be a dead end, and a request, fire for effect and an end must all be reachable.
    """
    faults: Flaws = []
    for chain, orders in (
        (bench.chain, "under the standard orders"),
        (bench.orders, "under any orders"),
    ):
        faults += [
            f"{top} is a dead end: nothing can follow it"
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
                faults.append(f"mission {mission} cannot end from {names} {orders}")
    kinds = {event.kind for edges in bench.orders.edges for edge in edges for event in edge.events}
    faults += [
        f"no orders and dice lead to {goal}: the event {kind!r} is never emitted"
        for kind, goal in (
            ("requested", "a request"),
            ("fall", "fire for effect"),
            ("ended", "an end"),
        )
        if kind not in kinds
    ]
    return faults


def _leading_to_an_end(chain: Chain) -> set[int]:
    """Return the nodes from which an event that ends a mission can be reached."""
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
