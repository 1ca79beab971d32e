"""The law of secrets: a side is shown nothing that is hidden from it, nor anything that differs by it."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterable, Iterator
from itertools import pairwise, zip_longest
from typing import Any

from fireplan.kit._bench import Bench
from fireplan.kit._check import Flaws, tidy
from fireplan.kit._play import wander
from fireplan.table import Eyes, Session, as_data, sides_of, view_of
from fireplan.table._sides import CARDS
from fireplan_core import Ask, Order, Refusal, Scenario
from fireplan_core.chance import RandomFaces
from fireplan_core.play import Answered, Input, State, Table, Thrown, find_scenario

SITTINGS, INPUTS, AFTERWARDS, EACH = 2, 30, 4, 6
"""Random sittings of a scenario, inputs of one, inputs given to both tables of a pair, candidates of a slot."""


def secrets_are_kept(bench: Bench) -> Flaws:
    """Check that a side's view names nothing hidden, and two tables that differ in one secret look alike to a side.

    Views, boards, prompts, legal orders, refusals and events are compared, in the game's scenarios: where a hidden unit
    is elsewhere, two hidden ones have changed places, others hold other cards, or another order was given in secret.
    Looking changes nothing.
    """
    faults: dict[str, None] = {}
    laid = [find_scenario(bench.catalogue, name) for name in bench.own_scenarios]
    for scenario, moments in [(bench.scenario, bench.moments), *((scenario, form.moments) for scenario, form in laid)]:
        for eyes in (Eyes(scenario, side) for side in sides_of(scenario)):
            for seed in range(SITTINGS if eyes.veiled else 0):
                for table in wander(scenario, moments, seed, INPUTS):
                    faults.update(dict.fromkeys(_leaks(eyes, table)))
    return tidy(faults)


def _leaks(eyes: Eyes, table: Table) -> Iterator[str]:
    """Yield what a side is shown of what is hidden from it, at one table."""
    scenario, before, seen = eyes.scenario, table.state, "\n".join(_shown(eyes, table))
    if table.state != before:
        yield "looking at a table changes it"
    learnt = filter(None, (eyes.learns(entry.event) for entry in table.log))
    told = {str(value) for event in learnt for _, value in event.fields}
    hidden = [name for name in (*scenario.missions, *scenario.units) if eyes.hidden(name) and name not in told]
    for name in hidden:
        if len(name) > 1 and re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", seen):
            yield f"the view of {eyes.side} names {name}, which is hidden from it"
    waiting = {str(arg) for pending in table.state.agenda for arg in pending.args}
    pairs = _unlike_in_hidden(scenario, table, [name for name in hidden if name not in waiting])
    for what, one, other in [*pairs, *_unlike_in_hands(eyes, table), *_unlike_in_orders(table, eyes.side)]:
        if how := _difference(eyes, one, other):
            yield f"{what}, and {eyes.side} can tell: {how}"


def _unlike_in_hidden(scenario: Scenario, table: Table, hidden: list[str]) -> Iterator[tuple[str, Table, Table]]:
    values = {**scenario.initial, **dict(table.state.values)}
    for name, other in zip_longest(hidden, hidden[1:], fillvalue=""):
        if name in scenario.units:
            for place in dict.fromkeys(setup.place for setup in scenario.units.values()):
                yield f"{name} is elsewhere", table, _changed(table, {f"units/{name}/place": place})
        alike = other and (name in scenario.units) is (other in scenario.units)
        if alike and scenario.owner(name) == scenario.owner(other):
            swap = {name: other, other: name}
            keys = [(key, *key.split("/", 2)) for key in values if key.partition("/")[2].partition("/")[0] in swap]
            updates = {f"{head}/{swap[who]}/{field}": values[key] for key, head, who, field in keys}
            yield f"{name} and {other} have changed places", table, _changed(table, updates)


def _unlike_in_hands(eyes: Eyes, table: Table) -> Iterator[tuple[str, Table, Table]]:
    out = table.read(CARDS, ())
    if eyes.cards(out) != out:
        yield "others hold other cards", table, _changed(table, {CARDS: eyes.cards(out)})


def _changed(table: Table, updates: dict[str, Any]) -> Table:
    other = copy.copy(table)
    other.state = State(table.state.values.put((*updates.items(),)), table.state.agenda)
    if other.waits_for is not None:
        other._advance()  # noqa: SLF001 - to the same throw or question, as it is there
    return other


def _unlike_in_orders(table: Table, side: str) -> Iterator[tuple[str, Table, Table]]:
    """Yield tables at which another side has given two orders that differ only in what it gives in secret."""
    waits, rulebook = table.waits_for, table.rulebook
    if not isinstance(waits, Ask) or waits.who == side:
        return
    secret = {(f.verb, slot.name) for f in rulebook.forms(waits, table.read) for slot in f.slots if slot.secret}
    alike: dict[Any, list[Order]] = {}
    for order in rulebook.legal(waits, table.read, each=EACH):
        shown = tuple(pair for pair in order.values if (order.verb, pair[0]) not in secret)
        alike.setdefault((order.verb, shown), []).append(order)
    for one, other in (pair for orders in alike.values() for pair in pairwise(orders)):
        first, second = copy.copy(table), copy.copy(table)
        first.submit(Answered(waits.question, one))
        second.submit(Answered(waits.question, other))
        yield f"{one} or {other} was ordered in secret", first, second


def _difference(eyes: Eyes, one: Table, other: Table) -> str:
    """Return the first thing that shows a side at which of two tables it sits, now or after some inputs to both."""
    faces = RandomFaces(AFTERWARDS)
    tables = [copy.copy(one), copy.copy(other)]
    for _ in range(AFTERWARDS):
        if said := _unlike(*(_shown(eyes, table) for table in tables)):
            return said
        waits = tables[0].waits_for
        if waits is None or waits != tables[1].waits_for:
            return ""
        if not isinstance(waits, Ask):
            given: Input = Thrown(waits.name, faces.faces(waits))
        elif waits.who == eyes.side:
            given = Answered(waits.question, tables[0].rulebook.answer(waits, {}, tables[0].read))
        else:
            return ""  # whoever knows the secret may act on it
        answers = [table.submit(given) for table in tables]
        if said := _unlike(*(str(answer) if isinstance(answer, Refusal) else "taken" for answer in answers)):
            return f"{given}: {said}"
        learnt = (eyes.learns(entry.event) for table in tables for entry in table.log[len(one.log) :])
        if any(event is not None and eyes.names_hidden(event) for event in learnt):
            return ""  # it has been shown
    return ""


def _unlike(one: Iterable[str], other: Iterable[str]) -> str:
    lines = zip_longest(*(([text] if isinstance(text, str) else text) for text in (one, other)), fillvalue="nothing")
    return next((f"{a.strip()} or {b.strip()}" for a, b in lines if a != b), "")


def _shown(eyes: Eyes, table: Table) -> list[str]:
    """Return all that a side is shown of a table, in lines."""
    session = Session(table.scenario, table.moments)
    session.table, waits = table, table.waits_for
    legal = isinstance(waits, Ask) and waits.who == eyes.side and table.rulebook.legal(waits, table.read, each=EACH)
    view = json.dumps(as_data(view_of(session, eyes.side)), default=str, indent=0)
    return [*view.splitlines(), *map(str, legal or ())]
