"""The application: which address is answered by what, and what goes around all of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import attrs
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from fireplan.studio._addresses import BadAddressError
from fireplan.studio._compare import ComparePage
from fireplan.studio._jobs import Jobs, NoAnswerError, StillAtWork
from fireplan.studio._pages import Pages, static_files
from fireplan.studio._rules import RulesPage
from fireplan.studio._safety import LOOPBACK, Door, Guard
from fireplan.studio._sittings import Sittings
from fireplan.studio._tables import TablePages
from fireplan.studio._vega import drawn, png
from fireplan.studio._whatif import WhatIfPage
from fireplan.studio._work import catalogue

Handler = Callable[[Request], Awaitable[Response]]


@attrs.frozen(kw_only=True)
class Settings:
    """How the studio is served: the port, the names it is reached by, its token, and the folder of its journals."""

    port: int = 8043
    names: tuple[str, ...] = LOOPBACK
    token: str | None = None
    tables: Path = attrs.field(factory=lambda: Path("tables"))


class Studio:
    """What the pages share: the games, the workers, the templates."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.pages = Pages()
        self.static = static_files()
        self.jobs = Jobs()
        self.catalogue = catalogue()
        self.sittings = Sittings(settings.tables, self.catalogue)
        self.titles = {key: entry.game.title for key, entry in self.catalogue.games.items()}

    async def draw(self, spec: str) -> str:
        """A chart as SVG."""
        return await asyncio.to_thread(drawn, spec)

    async def paint(self, drawing: str) -> bytes:
        """A drawing as PNG."""
        return await asyncio.to_thread(png, drawing)

    def answered(self, handler: Handler) -> Handler:
        """A handler whose refusals become pages."""

        async def answer(request: Request) -> Response:
            try:
                return await handler(request)
            except BadAddressError as error:
                return self.pages.faults(request, error)
            except StillAtWork as work:
                return self.pages.at_work(request, work)
            except NoAnswerError as error:
                return self.pages.no_answer(request, error)

        return answer

    async def home(self, request: Request) -> Response:
        """The first page is the comparison."""
        return RedirectResponse(request.url_for("compare").path, status_code=303)

    async def file(self, request: Request) -> Response:
        """A style or script."""
        found = self.static.get(request.path_params["name"])
        if found is None:
            return self.pages.refusal(request, 404, "there is no such file")
        return Response(found[0], media_type=found[1], headers={"cache-control": "no-cache"})

    async def cancel(self, request: Request) -> Response:
        """Cancel an answer that is being worked out."""
        self.jobs.cancel(request.path_params["number"])
        return self.pages.refusal(request, 409, "This answer was cancelled. Go back to ask for something smaller.")

    async def nowhere(self, request: Request, _error: Any) -> Response:
        """An address that is none of ours."""
        return self.pages.refusal(request, 404, "look at the pages named above")

    async def not_so(self, request: Request, _error: Any) -> Response:
        """A page that does not take this kind of request."""
        return self.pages.refusal(request, 405, "this page is read with GET; changes are sent by its forms")


def studio(settings: Settings) -> Guard:
    """The application, guarded. Raises ImportError without the extra ``web``."""
    shared = Studio(settings)
    compare, whatif, rules = ComparePage(shared), WhatIfPage(shared), RulesPage(shared)

    tables = TablePages(shared)

    def get(path: str, handler: Handler, name: str | None = None) -> Route:
        return Route(path, shared.answered(handler), methods=["GET"], name=name)

    def post(path: str, handler: Handler) -> Route:
        return Route(path, shared.answered(handler), methods=["POST"])

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        await asyncio.to_thread(shared.jobs.warm)
        yield
        await asyncio.to_thread(shared.jobs.close)
        await asyncio.to_thread(shared.sittings.close)

    routes = [
        get("/", shared.home),
        get("/compare", compare.page, "compare"),
        get("/compare/{name}", compare.file),
        get("/whatif", whatif.page),
        get("/whatif/ranking", whatif.ranking),
        get("/whatif/{name}", whatif.file),
        get("/rules", rules.index),
        get("/rules/{game}", rules.page),
        get("/rules/{game}/life.svg", rules.life),
        get("/tables", tables.index),
        post("/tables", tables.begin),
        get("/tables/{table}", tables.screen),
        get("/tables/{table}/seat/{side}", tables.seat),
        post("/tables/{table}/seat/{side}/{kind}", tables.change),
        get("/static/{name}", shared.file),
        post("/jobs/{number:int}/cancel", shared.cancel),
    ]
    handlers: dict[Any, Any] = {404: shared.nowhere, 405: shared.not_so}
    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers=handlers)
    return Guard(app, Door.at(settings.names, settings.port, settings.token))


__all__ = ["Settings", "Studio", "studio"]
