"""The pages of the table: the list of journals, the screen between two seats, and a seat with its map and orders."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, quote

from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response

from fireplan.studio._addresses import Asked
from fireplan.studio._board import Board, board_of
from fireplan.studio._jobs import NoAnswerError
from fireplan.studio._limits import LIMITS, over
from fireplan.studio._sittings import Sitting, StaleError, TableError
from fireplan.table import OrderSeen, SideView
from fireplan_core import REFEREE

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
        forms = {side: (await self._sittings.do(sitting.view, side)).form.kind for side in sides}
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
        sitting = await self._sittings.do(self._sittings.at, name, side)
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
            seen=sitting.seen(side),
            log=view.log[-_LOG_LINES:],
            takes_back=sitting.takes_back(side),
            may_reveal=sitting.may_reveal(side),
            pending=[die for die in view.form.dice if not die.fallen],
        )

    async def change(self, request: Request) -> Response:
        """An order, dice, an undo or the laying open of secrets."""
        name, side, kind = (request.path_params[word] for word in ("table", "side", "kind"))
        form = await _form(request)
        try:
            sitting = await self._sittings.do(self._sittings.change, name, side, form.get("seen", ""), kind, form)
        except StaleError:
            said = "The table has moved on since this page was shown; nothing was changed. Look, then order again."
            return await self.seat(request, said=said, status=409)
        except TableError as error:
            return await self.seat(request, said=str(error), status=422)
        # When another side must answer, the screen comes between the seats.
        waits = (await self._sittings.do(sitting.view, side)).form.kind
        return RedirectResponse(f"/tables/{name}" if waits == "wait" else _seat(name, side), status_code=303)


def _by_verb(orders: list[OrderSeen]) -> list[tuple[OrderSeen, list[OrderSeen]]]:
    """The first order of each verb, and the others of the same verb."""
    found: dict[str, list[OrderSeen]] = {}
    for order in orders:
        found.setdefault(order.verb, []).append(order)
    return [(same[0], same[1:]) for same in found.values()]


def _seat(name: str, side: str) -> str:
    return f"/tables/{name}/seat/{quote(side)}"


def _seen(sitting: Sitting, side: str) -> tuple[SideView, Board | None]:
    view = sitting.view(side)
    return view, board_of(sitting.session, view)


async def _form(request: Request) -> dict[str, str]:
    """The fields of a form that was sent, each once."""
    most = LIMITS["fields"].most
    try:
        pairs = parse_qsl(
            (await request.body()).decode("utf-8"), keep_blank_values=True, errors="strict", max_num_fields=most
        )
    except (ValueError, ClientDisconnect):
        raise NoAnswerError(f"this is no form of ours, or one of over {most} fields (limit fields)", 400) from None
    found = dict(pairs)
    if len(found) != len(pairs):
        raise NoAnswerError("a field of this form stands twice", 400)
    if reason := over("order_characters", max((len(text) for pair in pairs for text in pair), default=0)):
        raise NoAnswerError(reason, 400)
    return found
