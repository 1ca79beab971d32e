"""The pages of the table: the list of journals, the screen between two seats, and a seat with its map and orders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from fireplan.mission import REFEREE
from fireplan.studio._addresses import Asked
from fireplan.studio._board import Board, board_of
from fireplan.studio._jobs import NoAnswerError
from fireplan.studio._sittings import Sitting, StaleError, TableError
from fireplan.table import OrderSeen, SideView, view_of

if TYPE_CHECKING:
    from fireplan.studio._app import Studio

_LOG_LINES = 400


class TablePages:
    """The routes under ``/tables``."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        self._sittings = studio.sittings

    async def index(self, request: Request) -> Response:
        """The tables of the folder, and the scenarios a new one can be opened with."""
        Asked(request.scope["query_string"]).done()
        tables = await self._sittings.do(self._sittings.listed)
        scenarios = await self._sittings.do(self._sittings.scenarios)
        return self._studio.pages.page(request, "tables.html.j2", tables=tables, scenarios=scenarios)

    async def begin(self, request: Request) -> Response:
        """Open a new table."""
        form = await _form(request)
        try:
            name = await self._sittings.do(self._sittings.begin, form.get("scenario", ""))
        except TableError as error:
            return self._studio.pages.refusal(request, 422, str(error))
        return RedirectResponse(f"/tables/{name}", status_code=303)

    async def screen(self, request: Request) -> Response:
        """The screen between the seats: who is asked, and nothing else."""
        Asked(request.scope["query_string"]).done()
        name = request.path_params["table"]
        sitting = await self._sittings.do(self._sittings.sitting, name)
        sides = self._sittings.sides(sitting)
        forms = {side: await self._sittings.do(_form_of, sitting, side) for side in sides}
        return self._studio.pages.page(
            request,
            "screen.html.j2",
            table=name,
            title=sitting.session.scenario.title,
            seats=[
                {"side": side, "href": _seat(name, side), "asked": forms[side] in ("order", "dice")} for side in sides
            ],
            referee=_seat(name, REFEREE),
            over="over" in forms.values(),
        )

    async def seat(self, request: Request, *, said: str = "", status: int = 200) -> Response:
        """What one side sees."""
        asked = Asked(request.scope["query_string"])
        why = asked.one("why", "")
        asked.done()
        name, side = request.path_params["table"], request.path_params["side"]
        sitting = await self._sittings.do(self._sittings.sitting, name)
        if side not in (*self._sittings.sides(sitting), REFEREE):
            raise NoAnswerError("there is no such seat at this table", 404)
        view, board = await self._sittings.do(_seen, sitting, side)
        refused = [order for order in view.form.orders if order.refusal]
        answer = next((f"{o.text}: {o.refusal or 'it may be given'}" for o in view.form.orders if o.text == why), "")
        return self._studio.pages.page(
            request,
            "seat.html.j2",
            status=status,
            table=name,
            side=side,
            here_seat=_seat(name, side),
            view=view,
            board=board,
            orders=_by_verb([order for order in view.form.orders if not order.refusal]),
            refused=refused,
            why=answer if why else "",
            said=said,
            seen=sitting.seen,
            log=view.log[-_LOG_LINES:],
            revealed=sitting.session.revealed,
            pending=[die for die in view.form.dice if not die.fallen],
        )

    async def change(self, request: Request) -> Response:
        """An order, dice, an undo or the laying open of secrets."""
        name, side, kind = (request.path_params[word] for word in ("table", "side", "kind"))
        form = await _form(request)
        seen = int(form["seen"]) if form.get("seen", "").isdigit() and len(form["seen"]) < 9 else -1  # noqa: PLR2004
        sittings = self._sittings
        try:
            if kind == "order":
                await sittings.do(sittings.order, name, seen, side, form.get("order", ""))
            elif kind == "dice":
                faces = [form.get(f"die{n}", "") for n in range(sum(key.startswith("die") for key in form))]
                await sittings.do(sittings.dice, name, seen, faces)
            elif kind == "undo":
                await sittings.do(sittings.undo, name, seen)
            elif kind == "reveal":
                await sittings.do(sittings.reveal, name, seen)
            else:
                return self._studio.pages.refusal(request, 404, "a table takes orders, dice, an undo, or a reveal")
        except StaleError:
            said = "The table has moved on since this page was shown; nothing was changed. Look, then order again."
            return await self.seat(request, said=said, status=409)
        except TableError as error:
            return await self.seat(request, said=str(error), status=422)
        sitting = await sittings.do(sittings.sitting, name)
        waits = await sittings.do(_form_of, sitting, side)
        # When another side must answer, the screen comes between the seats.
        return RedirectResponse(f"/tables/{name}" if waits == "wait" else _seat(name, side), status_code=303)


def _by_verb(orders: list[OrderSeen]) -> list[tuple[OrderSeen, list[OrderSeen]]]:
    """The first order of each verb, and the others of the same verb."""
    found: dict[str, list[OrderSeen]] = {}
    for order in orders:
        found.setdefault(order.verb, []).append(order)
    return [(same[0], same[1:]) for same in found.values()]


def _seat(name: str, side: str) -> str:
    return f"/tables/{name}/seat/{quote(side)}"


def _form_of(sitting: Sitting, side: str) -> str:
    return view_of(sitting.session, side).form.kind


def _seen(sitting: Sitting, side: str) -> tuple[SideView, Board | None]:
    view = view_of(sitting.session, side)
    return view, board_of(sitting.session, view)


async def _form(request: Request) -> dict[str, str]:
    """The fields of a form that was sent, each once."""
    body = await request.body()
    found: dict[str, Any] = parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=100)
    return {name: values[0] for name, values in found.items()}
