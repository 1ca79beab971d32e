"""The tools for assistants: every question, and the rulings at a position.

The schema of a tool is derived from the fields of its question; it is flat, with scalars and lists
of texts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import cache
from inspect import cleandoc
from math import inf
from time import monotonic  # noqa: TID251 - for the time of an answer; no rule depends on it
from typing import Any, get_args

import attrs

import fireplan as fp
from fireplan import positions
from fireplan.errors import InputError, besides, gathered, refuse, unknown
from fireplan.questions.chance import read_event
from fireplan.questions.from_position import FromPosition
from fireplan.questions.lines import MARK
from fireplan.questions.opening import catalogue, check_shipped
from fireplan.questions.orders import OutcomesResult
from fireplan.questions.position import PositionResult
from fireplan.questions.question import (
    LONGEST_TEXT,
    MOST_VALUES,
    Argument,
    QuestionClass,
    UnderOrders,
    WithFacts,
    arguments_of,
    ask_question,
    asks,
    at_most,
    expected,
    question_with,
    questions,
)
from fireplan.questions.sampling import SAMPLING, asks_sample, asks_seed
from fireplan.questions.shared_arguments import asks_stager
from fireplan.solver import cited
from fireplan_core.files import FileError
from fireplan_core.play import Catalogue

MEASURED = frozenset({"chance", "compare", "kitbash", "odds", "whatif"})
"""The questions answered by measures; their answers contain no long lists."""
ORDERS = 100
"""Maximum number of orders of one form that are kept together on a page."""
MOST_LISTED = 12_000
"""Maximum number of characters of the rows on one page of a list."""
IN_TIME = 0.7
"""Share of the time for an answer that a search may take; the rest is for printing the result."""
ESTIMATE = Argument(
    "estimate",
    bool,
    default=False,
    meaning="Only estimate how long the answer would take, without working it out.",
)
PAGE = Argument("page", int, 1, "Page of a long list; by default the first.", range=(1, None))

_ELSEWHERE = (
    (r" \(docs/[^)]*\)", ""),
    (r"\s*[^.]*\bin docs/\S+\.md\.", ""),
    (r"(``|')fireplan (\w+)( GAME| --json)?\1", r"the tool \2"),
    (r" or (a scenario|the path of your own) file|, shipped or your own", ""),
    (r"A journal, or a playthrough \([^)]*\)", "The name of a playthrough"),
    (r"a journal, or a playthrough", "or a playthrough"),
    (r"a journal or playthrough", "a playthrough"),
    (r"a file of tables [^:]*, or a line:", "a line:"),
    (r"scenario or file of", "scenario of"),
    (r", and the others too if the terminal[^.]*", ""),
    (r"\s*Ctrl-C [^.]*\.", ""),
    (r"``", "'"),
)
"""Phrases of help texts about commands and files, and replacements for readers who have neither."""

Data = dict[str, Any]


def elsewhere(text: str) -> str:
    """Return a help text reworded for an assistant, which has no commands, files or terminal."""
    for said, instead in _ELSEWHERE:
        text = re.sub(said, instead, text)
    return text


@cache
def installed() -> Catalogue:
    """Return the installed games, loaded once."""
    return catalogue()


@attrs.frozen
class Tool:
    """A tool: its name, description and JSON schema, with a function that answers a call."""

    name: str
    description: str
    schema: Mapping[str, Any]
    answer: Callable[..., Data]
    """Returns the answer to a call, given its arguments by name and a time limit in seconds.

    Raises ``InputError`` listing every fault, or if the call is expected to take longer.
    """


def schema_of(entry: Argument) -> dict[str, Any]:
    """Return the JSON schema of one argument."""
    about: dict[str, Any] = {"description": elsewhere(entry.meaning)}
    kind = entry.kind
    if entry.fact is not None:
        taken = (entry.fact.kind, *get_args(entry.fact.kind))
        kind = next((one for one in (bool, int) if one in taken), str)
    if kind is bool:
        return {"type": "boolean", **about}
    if kind is int:
        least, most = entry.range or (None, None)
        bounds = {"minimum": least, "maximum": most}
        limits = {name: bound for name, bound in bounds.items() if bound is not None}
        return {"type": "integer", **limits, **about}
    text = {"type": "string", "maxLength": LONGEST_TEXT}
    if entry.choices:
        text = {"type": "string", "enum": list(entry.choices)}
    if kind is tuple:
        return {"type": "array", "items": text, "maxItems": MOST_VALUES, **about}
    return {**text, **about}


def tool_of(kind: QuestionClass, *, paged: bool) -> Tool:
    """Return the tool that asks a question; ``paged`` if its answer may have a long list."""
    known = {name: entry for name, entry in arguments_of(kind).items() if not entry.local}
    more = [PAGE] * paged + [ESTIMATE] * kind.estimated

    def answer(call: Mapping[str, Any], seconds: float = inf) -> Data:
        faults: list[str] = []
        said, own = _without(call, more, faults)
        if own.get("estimate"):
            with besides(faults):
                return _estimate(kind, said, seconds)
        if "seconds" in known and seconds < inf:
            said = {"seconds": max(1, int(seconds * IN_TIME)), **said}
        with besides(faults):
            result = ask_question(
                kind, said, remote=True, work={"begin": at_most(seconds, kind.sooner)}
            )
        data: Data = result.to_dict()
        if why := getattr(result, "why", ""):
            data = {**data, "sampled_because": why}
        rules = question_with(kind, said, {}, remote=True)[0].rules() or result.cites
        if rules:
            # In an answer about best orders, "rules" already contains the rules of thumb.
            name = "cites" if "rules" in data else "rules"
            data = {**data, name: dict(rules) if isinstance(rules, Mapping) else list(rules)}
        return in_pages(data, own.get("page", 1))

    schema = {
        "type": "object",
        "properties": {entry.name: schema_of(entry) for entry in (*known.values(), *more)},
        "required": [name for name, entry in known.items() if entry.needed],
        "additionalProperties": False,
    }
    return Tool(kind.key, elsewhere(cleandoc(kind.__doc__ or "")), schema, answer)


class _TimeKnownError(Exception):
    """Raised to stop a computation when only its expected time was requested."""


@attrs.define
class _Estimate:
    """The expected times of the parts of an answer, in seconds, as they become known.

    The time of a part that is solved is known before it begins. The time of a part that is sampled,
    because it is too large, is known after its first trajectories.
    """

    times: list[float] = attrs.field(factory=list)
    sampled: bool = False
    begun: float = attrs.field(factory=monotonic)
    marks: list[float] = attrs.field(factory=list)

    def begin(self, seconds: float) -> None:
        """Record the expected time of a part that would be solved, and stop the part."""
        self._end(seconds)

    def progress(self, total: int, what: str) -> None:
        """Record the expected time of a sampled part after two batches, and stop the part.

        ``total`` is the number of batches. Progress in anything but ``SAMPLING`` is ignored.
        """
        if what == SAMPLING:
            self.marks.append(monotonic())
            if len(self.marks) > 1:
                first, second = self.marks
                self.sampled = True
                self._end(second - self.begun + (total - 2) * (second - first))

    def _end(self, seconds: float) -> None:
        self.times.append(seconds)
        self.begun, self.marks = monotonic(), []
        raise _TimeKnownError


def _estimate(kind: QuestionClass, said: Mapping[str, Any], limit: float) -> Data:
    """Return the expected time of an answer in seconds, and whether it is within the limit.

    The situations are explored to count them, but nothing is solved. Raise ``InputError`` for a
    question that is refused for another reason.
    """
    found = _Estimate()
    try:
        ask_question(
            kind, said, remote=True, work={"begin": found.begin, "progress": found.progress}
        )
    except (_TimeKnownError, InputError):
        if not found.times:
            raise
    # A comparison catches the error and goes on to its next game, so there may be several times.
    seconds = sum(found.times)
    words = expected(seconds) if seconds >= 1 else "This will take less than a second"
    words += ", at most: it is too large to be solved exactly, and is sampled" * found.sampled
    return {"seconds": round(seconds, 1), "estimate": f"{words}.", "answered": seconds <= limit}


def _without(
    call: Mapping[str, Any], arguments: Iterable[Argument], faults: list[str]
) -> tuple[Data, Data]:
    """Return a call without these arguments, and the values of these arguments by name.

    Every fault in the values is added to ``faults``.
    """
    others = dict(call)
    values = {
        each.name: gathered(faults, each.read, others.pop(each.name, each.default))
        for each in arguments
    }
    return others, values


def in_pages(data: Data, page: int) -> Data:
    """Return an answer with one page of its longest list, as many whole rows as fit.

    An answer that fits on one page is returned unchanged. Raise ``InputError`` if there is no such
    page.
    """
    lists = {name: rows for name, rows in data.items() if isinstance(rows, list)}
    longest = max(lists, key=lambda name: _size(lists[name]), default=None)
    pages: list[list[Any]] = [[]]
    size = 0
    for row in lists[longest] if longest is not None else ():
        size += _size(row)
        if size > MOST_LISTED and pages[-1]:
            pages.append([])
            size = _size(row)
        pages[-1].append(row)
    if page > len(pages):
        raise InputError(f"page: expected 1 to {len(pages)}, got {page}.")
    if longest is None or len(pages) == 1:
        return data
    return {**data, longest: pages[page - 1], "page": page, "pages": len(pages)}


def _size(data: Any) -> int:
    return len(json.dumps(data, ensure_ascii=False, default=str))


# --- positions ------------------------------------------------------------------------
class AtPosition(WithFacts[fp.Result]):
    """A question about one position: a line, an opening, or a point in a recorded game."""

    position: str = asks(
        "The line of a position (fp1 ...), a shipped scenario or playthrough, or with a game an"
        " engagement.",
        attrs.NOTHING,
        placed=True,
        named="position",
    )
    game: str | None = asks_stager()
    at: int | None = asks(
        "Where in a playthrough: after this many inputs; by default at its end.",
        range=(0, None),
        unit="inputs",
    )

    def found(self) -> PositionResult:
        """Return the position that the arguments name.

        Raises ``InputError`` for a game that is not installed.
        """
        if self.position.startswith(MARK):
            with suppress(FileError):  # an unreadable line is reported when it is read below
                key = positions.take_apart(self.position).source.game_key
                if key not in installed().games:
                    raise unknown("game", key, installed().games)
        elif self.game is None:
            check_shipped("position", self.position)
        else:
            check_shipped("engagement", self.position)
        if self.game is not None and self.game not in installed().games:
            raise unknown("game", self.game, installed().games)
        named: FromPosition[Any] = FromPosition(
            scenario=self.position, game=self.game, at=self.at, facts=self.facts
        )
        return named.position([])


def _judging(
    name: str,
    description: str,
    answer: Callable[..., Data],
    kind: type[AtPosition] = AtPosition,
    *,
    pages: Callable[[Data, int], Data] | None = None,
) -> Tool:
    """Return a tool that examines a position but is not a question of the command line.

    ``answer(question)`` returns the tool's answer to a question of the class ``kind``. If the
    answer may be long, ``pages(answer, number)`` returns one page of it.
    """
    asking = tool_of(kind, paged=pages is not None)

    def answered(call: Mapping[str, Any], _seconds: float = inf) -> Data:
        wrong: list[str] = []
        said, own = _without(call, [PAGE] if pages else [], wrong)
        with besides(wrong):
            question, faults = question_with(kind, said, {}, remote=True)
            refuse(faults)
            data = answer(question)
        return data if pages is None else pages(data, own["page"])

    return Tool(name, description, asking.schema, answered)


class OrderAtPosition(AtPosition):
    """A position and an order to give there."""

    order: str = asks("The order, such as 'call target=K5'.", attrs.NOTHING)


class ThrowAtPosition(AtPosition):
    """A position whose possible outcomes are requested, optionally after an order."""

    order: str | None = asks("The order to give first; by default, the pending throw.")


class AttackAtPosition(AtPosition):
    """A position, and a place that an asset's fire strikes there."""

    asset: str = asks("The asset whose fire strikes, as 'position' lists it.", attrs.NOTHING)
    place: str = asks("The place that is struck, such as K5.", attrs.NOTHING)


class OrdersAtPosition(UnderOrders[fp.Result], AtPosition):
    """A position, and orders given in advance."""


class OrdersCompared(AtPosition):
    """A position, and several orders given in advance, compared by the chance of an event."""

    orders: tuple[str, ...] = asks(
        "Orders given in advance, each as for odds, such as 'requests.call=pass if turn=1', or"
        " orders of the decision that is due, such as 'call', given once; the standard ones are"
        " always compared too.",
        attrs.NOTHING,
    )
    event: str = asks("The event whose chance is compared, as for chance.", attrs.NOTHING)
    by: str | None = asks(
        "Up to the end of a moment, as for chance; by default the length of the scenario."
    )
    sample: int = asks_sample("Draw this many trajectories for each instead of solving exactly.")
    seed: int = asks_seed()


def legal(question: AtPosition) -> Data:
    """Return the legal orders, form by form, each with its number of orders and its rule."""
    found = question.found().legal().to_dict()
    forms = [{**form, "number": len(form["orders"])} for form in found["forms"]]
    return {**found, "forms": forms, "rules": sorted({form["cite"] for form in forms})}


def page_of_orders(data: Data, page: int) -> Data:
    """Return one page of legal orders; a form with many orders continues on the next page."""
    parts = [
        {**form, "orders": form["orders"][first : first + ORDERS]}
        for form in data["forms"]
        for first in range(0, max(len(form["orders"]), 1), ORDERS)
    ]
    paged = in_pages({**data, "forms": parts}, page)
    forms: dict[str, Data] = {}
    for part in paged["forms"]:
        form = forms.setdefault(part["verb"], {**part, "orders": []})
        form["orders"] += part["orders"]
    return {**paged, "forms": [*forms.values()]}


def why_not(question: OrderAtPosition) -> Data:
    """Return the reason an order is refused, with its rule, or the position after a legal order."""
    at, order = question.found(), question.order
    judged = {"position": at.line, "order": order}
    if refused := at.why_not(order):
        why, _, cite = refused.removesuffix("]").rpartition(" [")
        return {**judged, "legal": False, "why": why, "rules": [cite]}
    cites = {form.verb: form.cite for form in at.legal().forms}
    verb, after = order.split(maxsplit=1)[0], at.play(order).line
    return {**judged, "legal": True, "after": after, "rules": [cites[verb]]}


def outcomes(question: ThrowAtPosition) -> Data:
    """Return every result of an order and its throw: chance, dice and resulting position."""
    at = question.found()
    return _with_events(at.outcomes(question.order), at)


def attack(question: AttackAtPosition) -> Data:
    """Return every result of one strike of an asset's fire on a place, over its first throw."""
    at = question.found()
    return _with_events(at.attack(question.asset, question.place), at)


def _with_events(results: OutcomesResult, at: PositionResult) -> Data:
    """Return results with the rules applied in each, and with the rules of the pending throw."""
    agenda = at.at.state.agenda[:1] if results.roll else ()
    happened = {event.cite for result in results for event in result.events}
    rules = {*happened, *cited(at.at.scenario, agenda)} - {""}
    return {**results.to_dict(), "rules": sorted(rules)}


def standard(question: OrdersAtPosition) -> Data:
    """Return the position, the pending decision, and the order that would be given, with its rules.

    Orders given in advance take precedence over the standard orders. If a decision is pending,
    ``orders`` lists those on offer.
    """
    at = question.found().under(question.orders)
    order, due = at.standard(), at.question
    named = due and {"decision": due.name, "side": due.side, "orders": [*due.orders]}
    rules = sorted({form.cite for form in at.legal().forms if order.split()[0] == form.verb} - {""})
    return {"position": at.line, **(named or {}), "order": order, "rules": rules}


def compare_orders(question: OrdersCompared) -> Data:
    """Return the chance of an event under each of several orders, the likeliest first."""
    at, event = question.found(), read_event(question.event)
    by = int(question.by) if question.by and question.by.isdecimal() else question.by
    drawn = {"sample": question.sample, "seed": question.seed}
    compared = at.compare_orders(question.orders, event, by, **drawn)
    rules = () if question.sample else at.chance(event, by).rules
    return {**compared.to_dict(), "rules": list(rules)}


def line(question: AtPosition) -> Data:
    """Return the position's line, its moment, and the pending question or throw."""
    return {**question.found().to_dict()}


JUDGING = (
    _judging(
        "position",
        "Return the line of a position, what it waits for, and what is on the table: assets, units, what"
        " lies on the ground, and piles.",
        line,
    ),
    _judging(
        "legal",
        "List the orders that may be given at a position, form by form, each with the rule that allows"
        " it and the number of its orders. An order that names a place is listed for every place, on several"
        " pages if there are many. A form that is not complete has other orders, too.",
        legal,
        pages=page_of_orders,
    ),
    _judging(
        "why_not",
        "Explain why an order may not be given at a position, with the rule; for a legal one return the"
        " position after it.",
        why_not,
        OrderAtPosition,
    ),
    _judging(
        "outcomes",
        "List every result of an order and the throw that follows it, or of the throw that a position"
        " waits for, each with its chance, its dice and the position it leads to.",
        outcomes,
        ThrowAtPosition,
        pages=in_pages,
    ),
    _judging(
        "attack",
        "List every result of one strike of an asset's fire on a place, over its first throw: each with"
        " its chance, its dice, what it does to the units there, and the position it leads to.",
        attack,
        AttackAtPosition,
        pages=in_pages,
    ),
    _judging(
        "standard",
        "Return the decision that is due at a position, the orders that it offers, and the order that"
        " would be given: the standard one, or the one that orders given in advance choose.",
        standard,
        OrdersAtPosition,
    ),
    _judging(
        "compare_orders",
        "Compare orders given in advance by the chance of an event, the likeliest first; the standard"
        " ones are always among them.",
        compare_orders,
        OrdersCompared,
    ),
)


@cache
def tools() -> Mapping[str, Tool]:
    """Map each name to its tool: the questions, and the tools that judge orders at a position."""
    asking = [
        tool_of(kind, paged=kind.key not in MEASURED)
        for kind in questions()
        if "tool" not in kind.absent
    ]
    return {tool.name: tool for tool in (*asking, *JUDGING)}
