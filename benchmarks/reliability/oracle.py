"""The expected state of a table: its journal replayed by the core, and requests that explain it.

Nothing here relies on a table's session: a table of the core is given the inputs of the journal,
and starts again after a take-back. Histories are judged as Wing and Gong do: there must be an order
of the requests in which each has its answer, the acknowledged ones wrote the journal's rows, and a
request that was answered before another was sent comes before it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import attrs
from tables import table

from fireplan.table import Head, JournalRow, Session, Words, sides_of
from fireplan.table.journal import json_form
from fireplan_core import REFEREE, Ask, Order, ProcedureError, Scenario
from fireplan_core.chance import ChanceError
from fireplan_core.play import Answered, Catalogue, Table, Thrown, replay
from fireplan_studio.open_session import OpenSession

MOST_ORDERS = 20_000
"""Maximum number of orders of the requests that are tried."""
OK, REFUSED, STALE, UNKNOWN = "ok", "refused", "stale", "unknown"


class BrokenError(BaseException):
    """A property that does not hold."""


def must(holds: object, what: str) -> None:
    """Raise ``BrokenError`` with this text unless a property holds."""
    if not holds:
        raise BrokenError(what)


@attrs.define(eq=False)
class Request:
    """A request to a table, ``read``, ``order``, ``dice``, ``undo`` or another change, and its answer.

    ``says`` is what was typed, ``seen`` the version mark of its page, and ``at`` the number of
    inputs that its writer knew.
    """

    kind: str
    side: str
    began: int
    says: Any = None
    seen: str | None = None
    at: int | None = None
    ended: int | None = None
    answer: str = UNKNOWN


class Oracle:
    """A table as its journal alone determines it."""

    def __init__(self, installed: Catalogue, head: Head) -> None:
        self.head = head
        self.scenario, self.moments = table(installed, head)
        self.sides = (*sides_of(self.scenario), REFEREE)
        self.clear()

    def clear(self) -> None:
        """Forget all inputs."""
        self.rows: list[JournalRow] = []
        self.core = Table(self.scenario, self.moments)
        self.inputs: list[Any] = []
        self.faces: tuple[Any, ...] = ()
        self.given: list[Any] = []
        """The order or face of each row, or None."""
        self.typed_rows: list[tuple[str, str, str]] = []
        """The kind of each row, who gave it, and how it is typed."""
        self.marks: list[dict[str, str]] = []
        """The version mark of each side's page before each row, and after the last."""
        self.givers: list[str] = []
        """The side that gave each input that was not taken back; empty for a throw."""
        self.whose: list[str | None] = []
        """The side whose input could be taken back before each row, and after the last, or None."""
        self.over: list[bool] = []
        """For each row and the end: true if the game is over there."""
        self.session = Session(self.scenario, self.moments)
        self._mark()

    def _mark(self) -> None:
        opened = OpenSession(self.session, self.head)
        self.marks.append({side: opened.seen(side) for side in self.sides})
        self.over.append(self.core.waits_for is None)
        self.whose.append(self.givers[-1] if self.givers and not self.faces else None)

    def follow(self, rows: list[JournalRow]) -> None:
        """Follow the rows of the journal that are not known yet.

        Raises ``BrokenError`` if the rules do not allow a row, or a known row has changed.
        """
        must(
            rows[: len(self.rows)] == self.rows, "an input that was acknowledged is lost or changed"
        )
        for row in rows[len(self.rows) :]:
            self._take(row)
            self.session.take(row)  # the session is used only for the marks of pages
            self.rows.append(row)
            self._mark()
        state = self.session.table
        must(
            (state.state, state.log) == (self.core.state, self.core.log),
            "the session is not where the core is",
        )

    def _take(self, row: JournalRow) -> None:
        waits, payload = self.core.waits_for, row.payload
        if row.kind == "undo":
            must(
                not self.faces and payload["inputs"] == 1 and self.inputs, "a take-back of nothing"
            )
            self.inputs.pop()
            self.givers.pop()
            self.core = replay(self.scenario, self.moments, self.inputs)
            self.typed_rows.append(("undo", "", ""))
            self.given.append(None)
        elif row.kind == "order":
            must(
                isinstance(waits, Ask) and waits.question == payload["question"],
                "an order that nobody asked for",
            )
            order = self._order(waits, payload)
            forms = self.core.rulebook.forms(waits, self.core.read)
            self.typed_rows.append(
                ("order", waits.who, Words(self.scenario).typed.order(order, forms))
            )
            self.given.append(Answered(waits.question, order))
            self._given(self.given[-1])
        elif row.kind == "die":
            must(
                waits is not None and not isinstance(waits, Ask) and waits.name == payload["throw"],
                "a stray die",
            )
            face = payload["face"]
            self.faces = (*self.faces, face)
            self.given.append(face)
            self.typed_rows.append(("die", "", str(face) if payload["typed"] else ""))
            if len(self.faces) == len(waits.faces):
                faces, self.faces = self.faces, ()
                self._given(Thrown(waits.name, faces))
        else:
            self.typed_rows.append((row.kind, "", ""))
            self.given.append(None)

    def _given(self, given: Any) -> None:
        waits = self.core.waits_for
        entries = self.core.submit(given)
        must(isinstance(entries, tuple), f"the journal holds what the rules refuse: {entries}")
        self.inputs.append(given)
        self.givers.append(waits.who if isinstance(waits, Ask) else "")

    def _order(self, waits: Ask, payload: Any) -> Order:
        values = {}
        for form in self.core.rulebook.forms(waits, self.core.read):
            if form.verb == payload["verb"]:
                for slot in form.slots:
                    given = payload["values"].get(slot.name)
                    values[slot.name] = next(
                        (c for c in slot.candidates if json_form(c) == given), given
                    )
        lists = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in values.items()
        }
        return Order.of(payload["verb"], **lists)

    def first_difference(self, scenario: Scenario, moments: int) -> int | None:
        """Return the first row after which another version of the game differs, or None."""
        pair = [Table(self.scenario, self.moments), Table(scenario, moments)]
        inputs: list[Any] = []
        faces: tuple[Any, ...] = ()
        for number in range(len(self.rows) + 1):
            if number:
                row, given = self.rows[number - 1], self.given[number - 1]
                if row.kind == "undo":
                    inputs.pop()
                    pair = [
                        replay(self.scenario, self.moments, inputs),
                        replay(scenario, moments, inputs),
                    ]
                elif row.kind in ("order", "die"):
                    waits = pair[0].waits_for
                    if row.kind == "die":
                        faces = (*faces, given)
                        # Single faces need not agree; the tables are compared once the throw is complete.
                        if getattr(pair[1].waits_for, "name", None) != waits.name:
                            return number
                        if len(faces) < len(waits.faces):
                            continue
                        given, faces = Thrown(waits.name, faces), ()
                    try:
                        if not all(isinstance(table.submit(given), tuple) for table in pair):
                            return number
                    except (ProcedureError, ChanceError):
                        return number
                    inputs.append(given)
            one, other = pair
            if (one.state, one.log) != (other.state, other.log):
                return number
        return None

    # --- histories -------------------------------------------------------------------------------
    def steps(self, request: Request, at: int, *, crossed: bool) -> Iterator[int]:
        """Yield the possible numbers of rows after a request that finds the journal with ``at`` rows.

        With ``crossed``, somebody else wrote during the request. Then the reply may be that its
        page is old, even if no page has changed.
        """
        now = self.marks[at]
        if request.kind == "read":
            if request.seen == now[request.side]:
                yield at
            return
        if request.answer == STALE:
            if crossed or request.seen != now.get(request.side):
                yield at
            return
        if request.answer in (REFUSED, UNKNOWN):
            yield at
        fits = request.seen in (None, now.get(request.side)) and request.at in (None, at)
        if request.answer != REFUSED and fits:
            ends = list(self._written(request, at))
            yield from ends if request.answer == UNKNOWN else ends[-1:]

    def _written(self, request: Request, at: int) -> Iterator[int]:
        """Yield the possible numbers of rows after this request was carried out."""
        if request.kind == "ask":
            yield at
        if request.kind == "ask" or at >= len(self.typed_rows):
            return
        kind, who, text = self.typed_rows[at]
        if request.kind == "dice":
            wanted = [("die", "", face) for face in request.says]
            if self.typed_rows[at : at + len(wanted)] == wanted:
                yield at + len(wanted)
        elif request.kind == kind and (
            (kind == "order" and text == request.says and request.side in (who, REFEREE, ""))
            or (
                kind == "undo"
                and (request.side in (REFEREE, "") or self.whose[at] in ("", request.side))
            )
            or (kind == "reveal" and (request.side == REFEREE or self.over[at]))
        ):
            yield at + 1

    def fits(self, requests: list[Request], start: int) -> bool:
        """Return whether these requests, in some possible order, wrote the rows from ``start``."""
        requests = sorted(requests, key=lambda one: one.began)
        wrote = [one for one in requests if one.kind != "read" and one.answer in (OK, UNKNOWN)]
        crossed = [any(crosses(one, other) for other in wrote) for one in requests]
        seen: set[tuple[int, frozenset[int]]] = set()
        stack = [(start, frozenset[int]())]
        while stack and len(seen) < MOST_ORDERS:
            at, done = stack.pop()
            if (at, done) in seen or not 0 <= at <= len(self.rows):
                continue
            seen.add((at, done))
            left = [n for n in range(len(requests)) if n not in done]
            if at == len(self.rows) and all(requests[n].answer == UNKNOWN for n in left):
                return True
            if at < len(self.typed_rows) and self.typed_rows[at][0] == "reveal" and self.over[at]:
                stack.append((at + 1, done))  # the prompt reveals all secrets when the game is over
            first_end = min((requests[n].ended or 10**9 for n in left), default=10**9)
            for n in reversed(left):
                if requests[n].began <= first_end:
                    stack += (
                        (to, done | {n}) for to in self.steps(requests[n], at, crossed=crossed[n])
                    )
        must(len(seen) < MOST_ORDERS, "too many orders of the requests to be tried")
        return False


def crosses(one: Request, other: Request) -> bool:
    """Return whether two requests overlapped in time."""
    return (
        one is not other
        and one.began < (other.ended or math.inf)
        and other.began < (one.ended or math.inf)
    )
