"""The application: its routes, error pages and guard, behind a server or called directly."""

import asyncio
import math
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from contextvars import copy_context
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import attrs
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Match, Route
from starlette.types import ASGIApp, Message

from fireplan.questions.question import Begin, Progress, at_once, silent
from fireplan.questions.result import Result
from fireplan_studio.answers import SLICE
from fireplan_studio.ask import AskPages
from fireplan_studio.compare import ComparePage
from fireplan_studio.design import DesignPage
from fireplan_studio.dial import TUNE, DialPage
from fireplan_studio.front import FrontPage
from fireplan_studio.jobs import Steps
from fireplan_studio.pages import Studio
from fireplan_studio.question_pages import PATH, QuestionPages
from fireplan_studio.refusals import RequestRefusedError
from fireplan_studio.rules import RulesPage
from fireplan_studio.safety import AccessRules, Guard, Settings
from fireplan_studio.tables import TablePages
from fireplan_studio.whatif import RANKING, WhatIfPage
from fireplan_studio.work import BEGIN, PROGRESS

_ROUTING = {
    404: "Choose a page from the menu above.",
    405: "This address cannot be used that way: open it as a page, or send its form.",
}
"""The messages for a URL without a page (404) and one used the wrong way (405)."""


def studio(settings: Settings) -> Guard:
    """Return the application wrapped in its guard."""
    return _application(Studio(settings))


def _application(shared: Studio) -> Guard:
    """Return the application of a studio, wrapped in its guard."""

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        await asyncio.to_thread(shared.jobs.warm)
        yield
        await asyncio.to_thread(shared.jobs.close)
        await asyncio.to_thread(shared.sessions.close)

    routes = _routes(shared)
    handlers = _handlers(shared, routes)
    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers=handlers)
    return Guard(app, AccessRules.of(shared.settings))


def _routes(shared: Studio) -> list[Route]:
    """Return the routes of all pages, files and forms."""

    async def file(request: Request) -> Response:
        name = request.path_params["name"]
        static = shared.static.get(name)
        if static is None:
            raise RequestRefusedError(404, f"There is no file {name[:60]!r} here.")
        return Response(static[0], media_type=static[1], headers={"cache-control": "no-cache"})

    async def cancel(request: Request) -> Response:
        shared.jobs.cancel(request.path_params["number"])
        raise RequestRefusedError(
            409,
            "You have cancelled this calculation. Go back and ask for something smaller.",
        )

    compare, whatif, rules, tables = (
        ComparePage(shared),
        WhatIfPage(shared),
        RulesPage(shared),
        TablePages(shared),
    )
    dial, ask, design = DialPage(shared), AskPages(shared), DesignPage(shared)
    return [
        Route("/", FrontPage(shared).page),
        Route("/compare", compare.page),
        Route("/compare/{name}", compare.file),
        Route("/dial", dial.page),
        Route("/design", design.page),
        Route("/design", design.change, methods=["POST"]),
        Route(TUNE, dial.tuned),
        Route("/whatif", whatif.page),
        Route(RANKING, whatif.ranking),
        Route("/whatif/{name}", whatif.file),
        *ask.routes(),
        *QuestionPages(shared).routes(),
        Route("/rules", rules.index),
        Route("/rules/{game}", rules.page),
        Route("/rules/{game}/life.svg", rules.life),
        Route("/tables", tables.index),
        Route("/tables", tables.begin, methods=["POST"]),
        Route("/tables/{table}", tables.screen),
        Route("/tables/{table}/seat/{side}", tables.seat),
        Route("/tables/{table}/seat/{side}/film", tables.film),
        Route("/tables/{table}/seat/{side}/result", tables.result),
        Route("/tables/{table}/seat/{side}/again", tables.again, methods=["POST"]),
        Route("/tables/{table}/seat/{side}/solo", tables.solo, methods=["POST"]),
        Route("/tables/{table}/seat/{side}/news", tables.news),
        Route("/tables/{table}/seat/{side}/film.html", tables.film),
        Route("/tables/{table}/seat/{side}/take", tables.take, methods=["POST"]),
        Route("/tables/{table}/seat/{side}/{kind}", tables.change, methods=["POST"]),
        Route("/static/{name}", file),
        Route("/jobs/{number:int}/cancel", cancel, methods=["POST"]),
    ]


def _handlers(shared: Studio, routes: list[Route]) -> dict[Any, Any]:
    """Return the handlers of refused requests, and of addresses without a route."""

    # Handlers are coroutines, because Python in the browser cannot start threads.
    async def refused(request: Request, error: Exception) -> Response:
        if not isinstance(error, RequestRefusedError):
            raise error
        # If only the parameters are wrong, suggest the page itself without parameters.
        here = request.url.path
        own = error.status == 400 and request.url.query and "." not in here  # noqa: PLR2004
        own = own and here != TUNE  # this page is also refused without parameters
        nearest = error.nearest or _nearest(routes, f"{here}/" if own else here)
        return shared.pages.refused(request, error, nearest=nearest)

    async def not_routed(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 404
        nearest = _nearest(routes, request.url.path)
        if status == 405 and request.method == "GET":  # noqa: PLR2004 - a form's URL, reloaded
            return RedirectResponse(nearest, status_code=303)
        return await refused(request, RequestRefusedError(status, _ROUTING[status]))

    return {RequestRefusedError: refused, 404: not_routed, 405: not_routed}


def _nearest(routes: Sequence[Route], path: str) -> str:
    """Return the URL of the nearest page above a URL."""
    while path := path.rpartition("/")[0]:
        scope = {"type": "http", "method": "GET", "path": path, "headers": []}
        if any(route.matches(scope)[0] is Match.FULL for route in routes):
            return path
    return "/"


def opened_link(
    link: str, begin: Begin = at_once, progress: Progress = silent
) -> tuple[Result, str]:
    """Return the answer to a link, and a sentence that compares it with the original answer.

    ``begin`` is called with the expected seconds, ``progress`` after each step. Raises
    ``RequestRefusedError`` if the link does not lead to an answer, or if the answer cannot be
    computed.
    """
    return copy_context().run(_opened, link, begin, progress)


def _opened(link: str, begin: Begin, progress: Progress) -> tuple[Result, str]:
    BEGIN.set(begin)
    PROGRESS.set(progress)
    try:
        parts = urlsplit(link)
        parts = urlsplit(parts.fragment) if parts.fragment.startswith("/") else parts
    except ValueError as error:
        raise RequestRefusedError(400, f"{link[:80]!r} is not a valid link") from error
    shared = Studio(Settings(in_one_thread=True))
    whatif, dial = WhatIfPage(shared), DialPage(shared)
    pages = {page.path: page.opened for page in (ComparePage(shared), whatif, dial)}
    pages |= {
        RANKING: whatif.opened_ranking,
        TUNE: dial.opened_tuning,
        "/ask": AskPages(shared).opened,
    }
    if parts.path.startswith(f"{PATH}/"):
        return QuestionPages.opened(parts.path.removeprefix(f"{PATH}/"), parts.query)
    if parts.path == "/design":
        return DesignPage(shared).opened(parts.query, parts.fragment)
    if (answer := pages.get(parts.path)) is None:
        raise RequestRefusedError(404, f"{link[:80]!r} is not a link to an answer")
    return answer(parts.query)


# --- for one visitor without server, processes or threads, as the static site runs in a browser
_HOST = "fireplan"
_FORM = "application/x-www-form-urlencoded"
Report = Callable[[int, int], object]
Answer = tuple[int, dict[str, str], bytes]
"""The status, the headers (keyed by lower-case name) and the body."""


@attrs.frozen
class StudioWithoutServer:
    """The studio for one visitor in the same process, as in the browser: it needs no network."""

    _app: ASGIApp
    _shared: Studio
    _report: Report

    def adopt(self, title: str, journal: bytes) -> tuple[str, str]:
        """Store a journal from elsewhere under a new name; return the name, or "" and the fault.

        ``title`` is the file's name, from which the name of the table is made.
        """
        try:
            return self._shared.sessions.adopt(title, journal), ""
        except RequestRefusedError as error:
            return "", str(error)

    def computed(self, name: str) -> bytes:
        """Return the answers of a ``work`` function so far, pickled for a site to ship."""
        return self._shared.jobs.computed(name)

    async def __call__(
        self, method: str, address: str, body: bytes = b"", seconds: float = math.inf
    ) -> Answer:
        """Return the response to a request: its status, its headers and its body.

        ``address`` is a URL, and ``body`` the fields of a form. A view of many answers is abandoned
        after ``seconds`` with the status 202; the answers computed so far are kept, so asking again
        continues from there.
        """
        PROGRESS.set(Steps(self._report))
        SLICE.set(seconds)
        path, _, query = address.partition("?")
        headers = {"host": _HOST}
        if method == "POST":
            headers |= {
                "origin": f"http://{_HOST}",
                "content-type": _FORM,
                "content-length": str(len(body)),
            }
        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "query_string": query.encode(),
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        }
        messages: list[Message] = []

        async def receive() -> Message:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Message) -> None:
            messages.append(message)

        await self._app(scope, receive, send)
        start, *chunks = messages
        sent = {name.decode(): value.decode() for name, value in start["headers"]}
        return start["status"], sent, b"".join(chunk.get("body", b"") for chunk in chunks)


def without_server(
    tables: Path, report: Report = lambda _done, _steps: None
) -> StudioWithoutServer:
    """Return the studio without server, processes or threads.

    ``tables`` is the folder of its journals. ``report`` is called from time to time with the number
    of steps done and the total.
    """
    shared = Studio(Settings(port=80, names=(_HOST,), tables=tables, in_one_thread=True))
    return StudioWithoutServer(_application(shared), shared, report)
