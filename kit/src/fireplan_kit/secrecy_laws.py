"""The law of secrets: a side is shown nothing that is hidden from it, nor anything that differs by it."""

import copy
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice, pairwise, zip_longest
from typing import Any

import attrs

from fireplan.table import Eyes, Session, as_data, sides_of, view_of
from fireplan.table.sides import CARDS
from fireplan_core import Ask, Order, ProcedureError, Refusal, Scenario, Step
from fireplan_core.chance import ChanceError, RandomFaces
from fireplan_core.play import Answered, Entry, State, Table, Thrown, find_scenario
from fireplan_kit.bench import Bench
from fireplan_kit.check import Flaw, Flaws, tidy
from fireplan_kit.play_laws import wander

SITTINGS, INPUTS, AFTERWARDS, EACH = 2, 30, 4, 6
"""Random sittings of a scenario, inputs of one, inputs given to both tables of a pair, candidates of a slot."""
Sitting = Iterable[tuple[Table, list[str]]]
"""Say how a table stands after each input, and what a side is shown of it."""


def secrets_are_kept(bench: Bench) -> Flaws:
    """Check that a side's view names nothing hidden, and two tables that differ in one secret look alike to a side.

    Views, boards, prompts, legal orders, refusals and events are compared, in the game's scenarios:
    where a hidden unit is elsewhere, two hidden ones have changed places, others hold other cards
    or are dealt others, or another order was given in secret. Looking changes nothing.
    """
    faults: dict[str | Flaw, None] = {}
    laid = [find_scenario(bench.catalogue, name) for name in bench.own_scenarios]
    for scenario, moments in [
        (bench.scenario, bench.moments),
        *((scenario, form.moments) for scenario, form in laid),
    ]:
        for eyes in (Eyes(scenario, side) for side in sides_of(scenario)):
            for seed in range(SITTINGS if eyes.veiled else int(scenario is bench.scenario)):
                tables = [copy.copy(table) for table in wander(scenario, moments, seed, INPUTS)]
                before = [table.state for table in tables]
                sitting = [(table, _shown(eyes, table)) for table in tables]
                if before != [table.state for table in tables]:
                    faults["looking at a table changes it"] = None
                for number in range(len(sitting)):
                    faults.update(dict.fromkeys(_leaks(eyes, sitting[number:])))
    return tidy(faults)


@attrs.frozen
class _Pair:
    """Two tables that differ in a secret, as one goes on.

    Of their logs this counts, and whether it is about cards.
    """

    what: str
    sitting: Sitting
    other: Table
    since: int
    cards: bool = False


def _leaks(eyes: Eyes, sitting: list[tuple[Table, list[str]]]) -> Iterator[str | Flaw]:
    """Yield what a side is shown of what is hidden from it, at the first table of a sitting and afterwards."""
    scenario, (table, shown), dealt = eyes.scenario, sitting[0], bool(eyes.scenario.decks)
    learnt = filter(None, (eyes.learns(entry.event) for entry in table.log))
    told = {str(value) for event in learnt for _, value in event.fields}
    hidden = [
        name
        for name in (*scenario.missions, *scenario.units)
        if eyes.hidden(name) and name not in told
    ]
    for name in hidden:
        if len(name) > 1 and re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", "\n".join(shown)):
            yield f"the view of {eyes.side} names {name}, which is hidden from it"
    waiting = {str(arg) for pending in table.state.agenda for arg in pending.args}
    since, unlike = (
        len(table.log),
        _unlike_in_hidden(scenario, table, [n for n in hidden if n not in waiting]),
    )
    pairs = [_Pair(what, sitting, other, since) for what, other in unlike]
    pairs += [
        _Pair(what, sitting, other, since, dealt) for what, other in _unlike_in_hands(eyes, table)
    ]
    pairs += [
        _Pair(what, sitting[1:], other, since, dealt)
        for what, other in _unlike_in_throws(eyes, table)
    ]
    ordered = _unlike_in_orders(table, eyes.side)
    pairs += [_Pair(what, _played_on(eyes, one), other, since) for one, what, other in ordered]
    yield from _overheard(eyes, table)
    for pair in pairs:
        if how := _difference(eyes, pair):
            yield f"{pair.what}, and {eyes.side} can tell: {how}"


def _unlike_in_hidden(
    scenario: Scenario, table: Table, hidden: list[str]
) -> Iterator[tuple[str, Table]]:
    values = {**scenario.initial, **dict(table.state.values)}
    for name, other in zip_longest(hidden, hidden[1:], fillvalue=""):
        if name in scenario.units:
            for place in dict.fromkeys(setup.place for setup in scenario.units.values()):
                yield f"{name} is elsewhere", _changed(table, {f"units/{name}/place": place})
        alike = other and (name in scenario.units) is (other in scenario.units)
        if alike and scenario.owner(name) == scenario.owner(other):
            swap = {name: other, other: name}
            keys = [
                (key, *key.split("/", 2))
                for key in values
                if key.partition("/")[2].partition("/")[0] in swap
            ]
            updates = {f"{head}/{swap[who]}/{field}": values[key] for key, head, who, field in keys}
            yield f"{name} and {other} have changed places", _changed(table, updates)


def _unlike_in_hands(eyes: Eyes, table: Table) -> Iterator[tuple[str, Table]]:
    """Yield tables at which a card of another side's hand is of the other kinds that its deck has."""
    out = table.read(CARDS, ())
    for held in sorted({*out} - {*eyes.cards(out)}):
        deck, pile, kinds, count = held
        if rest := tuple(
            kind for kind, _ in table.scenario.decks[deck] if kinds and kind not in kinds
        ):
            now = Counter({entry[:3]: entry[3] for entry in out})
            now.update({(deck, pile, kinds): -count, (deck, pile, rest): count})
            cards = tuple(sorted((*card, number) for card, number in now.items() if number))
            yield f"others hold other {deck}", _changed(table, {CARDS: cards})


def _overheard(eyes: Eyes, table: Table) -> Iterator[str | Flaw]:
    """Yield each answer that all hear, of a question that only what its side holds allows, and no event tells of it."""
    waits, rulebook = table.waits_for, table.rulebook
    if (
        not isinstance(waits, Ask)
        or waits.who == eyes.side
        or not eyes.hears(waits.who, waits.question)
    ):
        return
    here = {*rulebook.legal(waits, table.read, each=EACH)}
    for other in (one for _, one in _unlike_in_hands(eyes, table) if one.waits_for == waits):
        for order in here - {*rulebook.legal(waits, other.read, each=EACH)}:
            after = copy.copy(table)
            after.submit(Answered(waits.question, order))
            if not _told(eyes, after.log[len(table.log) :]):
                said = f"all hear in {waits.question} that {waits.who} gives {order.verb}, which tells what it holds"
                yield Flaw(
                    f"{said}: mark it @orders(..., secret=True)", rulebook.question(waits).cite
                )


def _unlike_in_throws(eyes: Eyes, table: Table) -> Iterator[tuple[str, Table]]:
    """Yield each table that a throw which this side does not see may lead to."""
    waits, (step, *_) = table.waits_for, (*table.state.agenda, None)
    if (
        not isinstance(step, Step)
        or waits is None
        or isinstance(waits, Ask)
        or eyes.sees(waits.seen_by)
    ):
        return
    for _, _, outcome, _ in table.rulebook.branches(step, table.read):
        other = copy.copy(table)
        other._apply(outcome, None)  # noqa: SLF001 - as it falls, without a face
        yield f"{waits.name}, which {waits.seen_by} alone sees, fell otherwise", _changed(other, {})


def _changed(table: Table, updates: dict[str, Any]) -> Table:
    other = copy.copy(table)
    other.state = State(table.state.values.put((*updates.items(),)), table.state.agenda)
    if other.waits_for is not None:
        other._advance()  # noqa: SLF001 - to the same throw or question, as it is there
    return other


def _unlike_in_orders(table: Table, side: str) -> Iterator[tuple[Table, str, Table]]:
    """Yield tables at which another side has given two orders that differ only in what it gives in secret."""
    waits, rulebook = table.waits_for, table.rulebook
    if not isinstance(waits, Ask) or waits.who == side:
        return
    secret = {
        (f.verb, slot.name)
        for f in rulebook.forms(waits, table.read)
        for slot in f.slots
        if slot.secret
    }
    alike: dict[Any, list[Order]] = {}
    for order in rulebook.legal(waits, table.read, each=EACH):
        shown = tuple(pair for pair in order.values if (order.verb, pair[0]) not in secret)
        alike.setdefault((order.verb, shown), []).append(order)
    for one, other in (pair for orders in alike.values() for pair in pairwise(orders)):
        first, second = copy.copy(table), copy.copy(table)
        first.submit(Answered(waits.question, one))
        second.submit(Answered(waits.question, other))
        yield first, f"{one} or {other} was ordered in secret", second


def _played_on(eyes: Eyes, table: Table) -> Sitting:
    """Yield a table, and how it goes on with standard orders of this side and dice."""
    faces, table = RandomFaces(AFTERWARDS), copy.copy(table)
    while True:
        yield copy.copy(table), _shown(eyes, table)
        waits = table.waits_for
        if waits is None:
            return
        if isinstance(waits, Ask):
            table.submit(Answered(waits.question, table.rulebook.answer(waits, {}, table.read)))
        else:
            table.submit(Thrown(waits.name, faces.faces(waits)))


def _difference(eyes: Eyes, pair: _Pair) -> str:
    """Return the first thing that shows a side at which of two tables it sits, now or after some inputs to both."""
    asked: Any = None
    other, starts = pair.other, tuple[int, ...]()
    for table, shown in islice(pair.sitting, AFTERWARDS):
        if isinstance(asked, Ask) and asked.who != eyes.side:
            return ""  # whoever knows the secret may act on it
        if asked is not None:
            if type(other.waits_for) is not type(asked):
                return ""
            other, given = copy.copy(other), table.journal[-1]
            try:
                answer = other.submit(given)
            except (ChanceError, ProcedureError):
                return ""  # such a card is not left there, or another side is asked in secret
            if isinstance(answer, Refusal):
                return f"{given}: taken or {answer}"
        asked, starts = table.waits_for, starts or (len(table.log), len(other.log))
        since = (*table.log[starts[0] :], *other.log[starts[1] :])
        if _is_out(eyes, table, other, since, cards=pair.cards):
            return ""
        told = (_told(eyes, one.log[pair.since :]) for one in (table, other))
        if said := _unlike(shown, _shown(eyes, other)) or _unlike(*told):
            return said
    return ""


def _is_out(eyes: Eyes, table: Table, other: Table, since: Iterable[Entry], *, cards: bool) -> bool:
    """Return whether what was hidden has been named since, or the card has been played in which the tables differ."""
    learnt = (eyes.learns(entry.event) for entry in since)
    if any(event is not None and eyes.names_hidden(event) for event in learnt):
        return True
    played = table.read(CARDS, ()) == other.read(CARDS, ()) or _piles(eyes, table) != _piles(
        eyes, other
    )
    return cards and played


def _piles(eyes: Eyes, table: Table) -> Counter[Any]:
    """Return how many cards lie where, and of which kinds where this side may know it."""
    out, piles = table.read(CARDS, ()), Counter[Any]()
    for entry in out:
        piles[entry[:3] if entry in eyes.cards(out) else entry[:2]] += entry[3]
    return piles


def _told(eyes: Eyes, log: Iterable[Entry]) -> list[str]:
    """Return what a side is told of events.

    What took the place of hidden ones, once and in an order of its own.
    """
    learnt = [(eyes.names_hidden(entry.event), eyes.learns(entry.event)) for entry in log]
    told = [
        (veiled, f"{told.kind} {dict(told.fields)} ({told.cite})")
        for veiled, told in learnt
        if told is not None
    ]
    return [
        *(text for veiled, text in told if not veiled),
        *sorted({text for veiled, text in told if veiled}),
    ]


def _unlike(one: Iterable[str], other: Iterable[str]) -> str:
    lines = zip_longest(
        *(([text] if isinstance(text, str) else text) for text in (one, other)), fillvalue="nothing"
    )
    return next((f"{a.strip()} or {b.strip()}" for a, b in lines if a != b), "")


def _shown(eyes: Eyes, table: Table) -> list[str]:
    """Return all that a side is shown of a table, in lines."""
    session = Session(table.scenario, table.moments)
    session.table, waits = table, table.waits_for
    legal = (
        isinstance(waits, Ask)
        and waits.who == eyes.side
        and table.rulebook.legal(waits, table.read, each=EACH)
    )
    view = json.dumps(as_data(view_of(session, eyes.side)), default=str, indent=0)
    return [*view.splitlines(), *map(str, legal or ())]
