"""The pages of the table: the list of journals, the screen between the seats, and each seat."""

import asyncio
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any
from urllib.parse import quote

import attrs
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse

from fireplan.analysis import GOALS, OrderOdds, first_goal
from fireplan.questions.review import outcome_of, withheld
from fireplan.table import Session, Words, sides_of
from fireplan_core import Scenario
from fireplan_studio.addresses import Parameters
from fireplan_studio.board import asset_names
from fireplan_studio.film import kept_back
from fireplan_studio.jobs import VISITOR
from fireplan_studio.limits import over
from fireplan_studio.open_session import OpenSession, SeatShown
from fireplan_studio.pages import Studio, form_of
from fireplan_studio.refusals import REFUSED, STALE, RequestRefusedError
from fireplan_studio.seat_access import NO_SEAT, SeatAccess, seat_named
from fireplan_studio.seats import HOST, HOST_COOKIE, SEAT_COOKIE

_EVERY, _LOOKS = 0.5, 200
"""Interval between a stream's checks of a table, in seconds, and the number of checks.

After that many checks the stream ends, and the browser opens another.
"""


class TablePages:
    """The routes under ``/tables``."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        self._sessions = studio.sessions
        self._access = SeatAccess(studio)
        self._streams: list[tuple[str, str, str]] = []
        """The visitor, table and seat of each open stream."""

    async def index(self, request: Request) -> Response:
        """Return the page with the tables in the folder and the scenarios for a new one."""
        Parameters(request.scope["query_string"]).done()
        tables = await self._sessions.do(self._sessions.listed)
        scenarios = await self._sessions.do(self._sessions.scenarios)
        listings = await self._sessions.do(self._sessions.listings)
        return self._studio.pages.page(
            request, "tables.html.j2", tables=tables, scenarios=scenarios, listings=listings
        )

    async def begin(self, request: Request) -> Response:
        """Open a new table and redirect to its screen."""
        form = await form_of(request)
        name = await self._sessions.do(self._sessions.begin, form.get("scenario", ""))
        keys = (
            await self._sessions.do(self._sessions.seats.invitations, name)
            if self._access.guarded
            else {HOST: ""}
        )
        return self._access.redirect(f"/tables/{name}", HOST_COOKIE, keys[HOST])

    async def screen(self, request: Request) -> Response:
        """Return the screen between the seats: it shows whose move it is, and nothing secret."""
        Parameters(request.scope["query_string"]).done()
        name = request.path_params["table"]
        opened = await self._sessions.do(self._sessions.get, name)
        sides = sides_of(opened.session.scenario)
        keys: dict[str, str] = {}
        if await self._access.hosts(request, name):
            keys = await self._sessions.do(self._sessions.seats.invitations, name)
        taken, own = await self._sessions.do(self._sessions.seats.taken, name)
        forms = {side: (await self._sessions.do(opened.view, side)).form.kind for side in sides}
        keys.pop(HOST, None)
        shown: dict[str, Any] = {
            "table": name,
            "title": opened.session.scenario.title,
            "briefing": await self._sessions.do(lambda: opened.briefing),
            "map": await self._sessions.do(lambda: opened.sketch),
            "forms": forms,
            "sides": _names_of(opened.session.scenario),
            "keys": keys,
            "taken": taken,
            "own": own,
            "solo": opened.solo,
            "guarded": self._access.guarded,
            "token": self._studio.settings.token,
        }
        return self._studio.pages.page(request, "screen.html.j2", **shown)

    async def seat(self, request: Request, *, message: str = "", status: int = 200) -> Response:
        """Return the page of a seat; ``message`` is shown at its top.

        If the URL contains an invitation, return the page on which the invitation is used.
        """
        parameters = Parameters(request.scope["query_string"])
        why, invitation = parameters.text("why", ""), parameters.text("invitation", "")
        odds, harm, belief, warn = map(parameters.flag, ("odds", "harm", "belief", "warn"))
        parameters.done()
        odds |= harm
        if invitation and self._access.guarded:
            return await self._invited(request, invitation)
        name, side = await self._access.sit(request)
        opened, seat = await self._sessions.do(self._shown, name, side)
        plain = not (message or why or odds or belief or warn)
        last, text = opened.pages.get(side, (None, ""))
        if plain and last is seat:
            return HTMLResponse(text, status_code=status)
        foreseen: tuple[tuple[str, ...], OrderOdds] = (), OrderOdds({})
        if odds:
            foreseen = await self._worked_out("foreseen", opened, side, harm)
        near = foreseen[1].near
        inferred = await self._worked_out("inferred", opened, side) if belief else ()
        warning = await self._worked_out("endangered", opened, side) if warn else ""
        words = Words(opened.session.scenario)
        shown: dict[str, Any] = {
            "table": name,
            "side": side,
            "here_seat": _seat(name, side),
            "why": why,
            "message": message,
            "chances": foreseen[0],
            "weighed": foreseen[1],
            "asked": odds,
            "harm": harm,
            "goals": {goal: words.of_fire(text) for goal, text in GOALS.items()},
            "first_goal": first_goal(opened.session.scenario),
            "near_by": near.by_when(opened.session.scenario.clock) if near else "",
            "inferred": inferred,
            "warned": warn,
            "warning": warning,
            "sides": _names_of(opened.session.scenario),
            "asset_names": asset_names(opened.session.scenario, seat.view),
            **attrs.asdict(seat, recurse=False),
        }
        text = self._studio.pages.text("seat.html.j2", here="/tables", **shown)
        if plain:
            opened.pages[side] = seat, text
        return HTMLResponse(text, status_code=status)

    def _shown(self, name: str, side: str) -> tuple[OpenSession, SeatShown]:
        opened = self._sessions.seat(name, side)
        return opened, opened.shown(side)

    async def _invited(self, request: Request, invitation: str) -> Response:
        """Return the page on which an invitation is used; previews of its link do not use it up."""
        name, side = seat_named(request)
        if await self._access.seated(request, name, side):
            return RedirectResponse(_seat(name, side), status_code=303)
        await self._access.check_invitation(request, invitation)
        opened = await self._sessions.do(self._sessions.seat, name, side)
        return self._studio.pages.page(
            request,
            "invitation.html.j2",
            title=opened.session.scenario.title,
            side=side,
            invitation=invitation,
            here_seat=_seat(name, side),
        )

    async def take(self, request: Request) -> Response:
        """Take a seat by its invitation, or as the host of the table, and redirect to it.

        Raises ``RequestRefusedError`` where seats are open to everyone, and for a visitor who is
        not the host and has no valid invitation.
        """
        name, side = seat_named(request)
        form = await form_of(request)
        if not self._access.guarded:
            raise RequestRefusedError(
                404, "Seats cannot be taken at this table: anyone may open them."
            )
        invitation = form.get("invitation", "")
        if invitation:
            await self._access.check_invitation(request, invitation)
        elif not await self._access.hosts(request, name):
            raise RequestRefusedError(403, NO_SEAT)
        take = partial(self._sessions.seats.take, name, side, host=not invitation)
        return self._access.redirect(_seat(name, side), SEAT_COOKIE, await self._sessions.do(take))

    async def _looked_at(
        self, request: Request, refused: Callable[[Session, str], str]
    ) -> tuple[str, str, OpenSession]:
        """Return a table's name, the side and the open table, if the side may look back.

        ``refused`` returns the reason why a side may not look back at play, or "". Raise
        ``RequestRefusedError`` if there is a reason.
        """
        name, side = await self._access.sit(request)
        opened = await self._sessions.do(self._sessions.seat, name, side)
        if reason := refused(opened.session, side):
            raise RequestRefusedError(403, reason)
        return name, side, opened

    async def film(self, request: Request) -> Response:
        """Return the film of a table as a side may see it, as a page or as one file."""
        Parameters(request.scope["query_string"]).done()
        name, side, opened = await self._looked_at(request, kept_back)
        film = await self._worked_out("filmed", opened, side)
        return self._studio.pages.film(
            request, film, f"{name}-{side}", _seat(name, side), "Back to the seat", opened.note
        )

    async def result(self, request: Request) -> Response:
        """Return the page with the result of a game, for a side that may see it.

        Unless the URL asks for luck, a page whose luck takes long is shown without it at first.
        """
        parameters = Parameters(request.scope["query_string"])
        whole = parameters.flag("luck")
        parameters.done()
        name, side, opened = await self._looked_at(request, withheld)
        try:
            review = await self._worked_out("reviewed", opened, side)
        except RequestRefusedError as error:
            if whole or error.calculation is None:
                raise
            review = await self._sessions.do(outcome_of, opened.session, side)
        shown = {"table": name, "side": side, "here_seat": _seat(name, side), "review": review}
        scenario = opened.session.scenario
        words = Words(scenario)
        shown |= {
            "title": scenario.title,
            "sides": _names_of(scenario),
            "note": opened.note,
            "next_fire": words.of_fire("the next fire for effect"),
        }
        return self._studio.pages.page(request, "result.html.j2", **shown)

    async def again(self, request: Request) -> Response:
        """Open a new table at an earlier point of a finished game, and redirect to the table.

        The redirect leads to a seat or, where seats are taken by invitation, to the screen.
        """
        name, side = await self._access.sit(request)
        form = await form_of(request)
        new = await self._sessions.do(self._sessions.again, name, side, form.get("inputs", ""))
        if self._access.guarded:
            keys = await self._sessions.do(self._sessions.seats.invitations, new)
            return self._access.redirect(f"/tables/{new}", HOST_COOKIE, keys[HOST])
        seat = form.get("side", side)
        await self._sessions.do(self._sessions.seat, new, seat)
        return RedirectResponse(_seat(new, seat), status_code=303)

    async def solo(self, request: Request) -> Response:
        """Let one person play a side against the standard orders of the other sides.

        Redirect to that person's seat.
        """
        name, side = await self._access.sit(request)
        await form_of(request)
        await self._sessions.do(self._sessions.play_solo, name, side)
        return RedirectResponse(_seat(name, side), status_code=303)

    async def _worked_out(self, work: str, opened: OpenSession, side: str, *more: bool) -> Any:
        """Return the result of a ``work`` function for the present table, as ``side`` sees it.

        ``more`` are further arguments of the function.
        """
        journal = opened.session.journal
        path, digest = ("", "") if journal is None else (str(journal.path), journal.digest)
        return await self._studio.jobs.answer(work, path, side, digest, *more)

    async def news(self, request: Request) -> Response:
        """Return a stream of hashes of a seat's view: one at once, and one after each change.

        Raises ``RequestRefusedError`` if there are too many streams, or if there is no server.
        """
        Parameters(request.scope["query_string"]).done()
        if self._studio.settings.in_one_thread:
            raise RequestRefusedError(
                404,
                "There is nothing to follow here: without a server, only this page can change the table.",
            )
        name, side = await self._access.sit(request)
        await self._sessions.do(self._sessions.seat, name, side)
        stream, streams = (VISITOR.get(), name, side), self._streams
        own = sum(visitor == stream[0] for visitor, _, _ in streams)
        if reason := over("streams", len(streams) + 1) or over("streams_each", own + 1):
            raise RequestRefusedError(503, reason)

        async def marks() -> AsyncIterator[str]:
            streams.append(stream)
            last, checked = "", (0, 0, "")
            try:
                for _ in range(_LOOKS):
                    opened = await self._sessions.do(self._sessions.seat, name, side)
                    now = id(opened), len(opened.session.rows), opened.wish
                    if checked != (checked := now):
                        mark = await self._sessions.do(opened.mark, side)
                        if mark != last:
                            yield f"data: {mark}\n\n"
                        last = mark
                    await asyncio.sleep(_EVERY)
            finally:
                streams.remove(stream)

        return StreamingResponse(
            marks(), media_type="text/event-stream", headers={"cache-control": "no-store"}
        )

    async def change(self, request: Request) -> Response:
        """Make a change sent by a seat, e.g. an order, and redirect to the next page.

        If the change is refused, return the page of the seat with the reason.
        """
        kind, (name, side) = request.path_params["kind"], await self._access.sit(request)
        form = await form_of(request)
        try:
            opened = await self._sessions.do(
                self._sessions.change, name, side, form.get("seen", ""), kind, form
            )
        except RequestRefusedError as error:
            if error.status not in (STALE, REFUSED):
                raise
            return await self.seat(request, message=str(error), status=error.status)
        view = await self._sessions.do(opened.view, side)
        hand_over = view.form.kind == "wait" and not self._has_own_page(name, side)
        return RedirectResponse(
            f"/tables/{name}" if hand_over else _seat(name, side), status_code=303
        )

    def _has_own_page(self, name: str, side: str) -> bool:
        """Return whether the other seats are played on separate pages.

        If they are not, the players share this page, and the screen between the seats comes before
        another side's move.
        """
        return self._access.guarded or any(
            table == name and seat != side for _, table, seat in self._streams
        )


def _names_of(scenario: Scenario) -> dict[str, str]:
    """Return the words for each side in a sentence, such as "the Germans"."""
    words = Words(scenario)
    return {side: words.said("", side) for side in sides_of(scenario)}


def _seat(name: str, side: str) -> str:
    return f"/tables/{name}/seat/{quote(side)}"
