"""Access to seats: who may open them, and the cookies and invitations that say so."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from fireplan_studio.pages import Studio
from fireplan_studio.refusals import TAKEN, RequestRefusedError
from fireplan_studio.seats import HOST_COOKIE, SEAT_COOKIE

NO_SEAT = "You need the invitation to this seat to open it. Ask the person who opened the table."
_USED = (
    "This invitation has been used, so the seat is taken. If you have not used it yourself, tell the person"
    " who opened the table."
)
_FOR_ANOTHER = "You opened this table: send this invitation to the player who is to have the seat."


class SeatAccess:
    """The access of visitors to the seats of the tables.

    Seats are ``guarded``, and taken by invitation, if other machines can reach the studio.
    """

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        self._sessions = studio.sessions
        self.guarded = studio.settings.token is not None

    def redirect(self, path: str, cookie: str, key: str) -> Response:
        """Return a redirect to a page, with the cookie that opens it to this visitor."""
        response = RedirectResponse(path, status_code=303)
        if self.guarded:
            response.raw_headers.append(self._studio.settings.cookie(cookie, key, path))
        return response

    async def sit(self, request: Request) -> tuple[str, str]:
        """Return the table and the seat of a URL.

        Raises ``RequestRefusedError`` if the visitor may not open that seat.
        """
        name, side = seat_named(request)
        if self.guarded and not await self.seated(request, name, side):
            raise RequestRefusedError(403, NO_SEAT)
        return name, side

    async def seated(self, request: Request, name: str, side: str) -> bool:
        """Return whether a visitor has taken a seat."""
        secret = request.cookies.get(SEAT_COOKIE, "")
        return await self._sessions.do(self._sessions.seats.opens, name, side, secret)

    async def hosts(self, request: Request, name: str) -> bool:
        """Return whether a visitor opened this table; always False if seats are not guarded."""
        secret = request.cookies.get(HOST_COOKIE, "")
        return self.guarded and await self._sessions.do(self._sessions.seats.hosts, name, secret)

    async def check_invitation(self, request: Request, invitation: str) -> None:
        """Raise ``RequestRefusedError`` unless the visitor may take this seat by the invitation."""
        name, side = seat_named(request)
        if not await self._sessions.do(self._sessions.seats.invites, name, side, invitation):
            raise RequestRefusedError(403, NO_SEAT)
        if side in (await self._sessions.do(self._sessions.seats.taken, name))[0]:
            raise RequestRefusedError(TAKEN, _USED)
        if await self.hosts(request, name):
            raise RequestRefusedError(403, _FOR_ANOTHER)


def seat_named(request: Request) -> tuple[str, str]:
    """Return the table and the side that a URL names."""
    return request.path_params["table"], request.path_params["side"]
