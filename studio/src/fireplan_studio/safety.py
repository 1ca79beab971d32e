"""Say what every request must pass before anything else sees it, and the headers that every answer carries.

A page of the open web may try to reach the studio through a visitor's browser: by a name that
resolves to its machine (so the host is checked against a list), or by sending forms and scripts at
it (so a change is taken from our own pages only, and nothing inline is ever run). The origin of a
form is what that rests on, for every browser sends it with every form; ``Sec-Fetch-Site`` is sent
only where the connection is encrypted or does not leave the machine, so it is looked at where it is
there. Beyond the machine itself a token is asked for as well.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from urllib.parse import parse_qs, unquote_to_bytes

import attrs
from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fireplan.draw.palette import DARK_RULES
from fireplan_studio.jobs import VISITOR
from fireplan_studio.limits import LIMITS, over

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
DEFAULT_PORTS = {"http": 80, "https": 443}
"""The port that an address of each scheme need not name."""
TOKEN_COOKIE = "fireplan-token"  # noqa: S105 - the name of the cookie, not a token

DARK_STYLE = base64.b64encode(hashlib.sha256(DARK_RULES.encode()).digest()).decode()
POLICY = (
    f"default-src 'none'; script-src 'self'; style-src 'self' 'sha256-{DARK_STYLE}'; img-src 'self';"
    " connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""Nothing from outside, in no frame, and nothing inline but the style by which our own pictures turn dark."""

HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"x-frame-options", b"DENY"),
)

_PLAIN_PATH = re.compile(rb"[A-Za-z0-9/_.~-]*")


@attrs.frozen
class RequestRefusedError(Exception):
    """A request that is turned away: its status and why."""

    status: int
    reason: str


@attrs.frozen(kw_only=True)
class Settings:
    """Say how the studio is served: the port, the names it is reached by, its token, and the folder of its journals.

    ``tls`` says that the studio encrypts by itself, ``public`` is the origin that visitors reach it by, if another.
    ``alone`` does all work where it is asked for: no processes, no threads.
    """

    port: int = 8043
    names: tuple[str, ...] = LOOPBACK
    token: str | None = None
    tables: Path = attrs.field(factory=lambda: Path("tables"))
    tls: bool = False
    public: str | None = None
    alone: bool = False

    def cookie(self, name: str, value: str, path: str) -> tuple[bytes, bytes]:
        """Return the header that sets a cookie, sent back over an encrypted connection alone where there is one."""
        secure = "; Secure" if self.tls or (self.public or "").startswith("https:") else ""
        return (
            b"set-cookie",
            f"{name}={value}; HttpOnly; SameSite=Strict; Path={path}{secure}".encode(),
        )


@attrs.frozen
class AccessRules:
    """The rules of access: the hosts a request may name, and the token that is asked for beyond the loopback.

    ``hosts`` holds the origin of the pages that are asked for by each; a proxy may name the server by one of them to
    visitors who see its public origin.
    """

    hosts: Mapping[str, str]
    settings: Settings

    @classmethod
    def of(cls, settings: Settings) -> AccessRules:
        """Return the rules of a server that is reached by its names at its port, or by its public address."""
        scheme, public = "https" if settings.tls else "http", settings.public
        plain = (
            (f":{settings.port}", "")
            if settings.port == DEFAULT_PORTS[scheme]
            else (f":{settings.port}",)
        )
        origins = {
            name + port: f"{scheme}://{name}{plain[-1]}"
            for name in settings.names
            for port in plain
        }
        if public is not None:
            origins[public.partition("://")[2]] = public
        return cls(origins, settings)

    def check(self, scope: Scope) -> list[tuple[bytes, bytes]]:
        """Return the headers that the answer to this request adds to those of every answer.

        Raises ``RequestRefusedError`` for a request that may not come in; the body is looked at
        later.
        """
        if reason := over(
            "header_bytes", sum(len(name) + len(value) for name, value in scope["headers"])
        ):
            raise RequestRefusedError(431, reason)
        headers = Headers(raw=[(name.lower(), value) for name, value in scope["headers"]])
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0].lower() not in self.hosts:
            raise RequestRefusedError(400, "this server is not reached by that name")
        method = scope["method"]
        if method not in {"GET", "HEAD", "POST"}:
            raise RequestRefusedError(405, "only GET, HEAD and POST are understood")
        self._check_address(scope)
        if method == "POST":
            self._check_form(headers)
        elif headers.getlist("sec-fetch-site") == ["cross-site"] and headers.getlist(
            "sec-fetch-dest"
        ) != ["document"]:
            raise RequestRefusedError(403, "another site may link here, not load parts of it")
        token = self.settings.token
        return [] if token is None else self._check_token(scope, headers, token)

    @staticmethod
    def _check_address(scope: Scope) -> None:
        raw: bytes = scope.get("raw_path") or scope["path"].encode()
        path = raw.split(b"?")[0]
        if reason := over("address_characters", len(path) + len(scope["query_string"])):
            raise RequestRefusedError(414, reason)
        if (
            not _PLAIN_PATH.fullmatch(path)
            or b".." in path
            or b"//" in path
            or b"\0" in unquote_to_bytes(path)
        ):
            raise RequestRefusedError(404, "there is no such page")

    def _check_form(self, headers: Headers) -> None:
        if headers.getlist("origin") not in (
            [self.hosts[headers["host"].lower()]],
            [self.settings.public],
        ):
            raise RequestRefusedError(
                403, "changes are taken from this server's own pages only (Origin)"
            )
        if headers.getlist("sec-fetch-site") not in ([], ["same-origin"]):
            raise RequestRefusedError(
                403, "changes are taken from this server's own pages only (Sec-Fetch-Site)"
            )
        kinds = [kind.split(";")[0].strip() for kind in headers.getlist("content-type")]
        if kinds != ["application/x-www-form-urlencoded"]:
            raise RequestRefusedError(415, "a form is expected (application/x-www-form-urlencoded)")
        lengths, most = headers.getlist("content-length"), LIMITS["body_bytes"].most
        if (
            len(lengths) != 1
            or not re.fullmatch("[0-9]+", lengths[0])
            or "transfer-encoding" in headers
        ):
            raise RequestRefusedError(411, "the length of a form must be given")
        if len(lengths[0]) > len(str(most)) or int(lengths[0]) > most:
            raise RequestRefusedError(413, over("body_bytes", most + 1) or "")

    def _check_token(self, scope: Scope, headers: Headers, token: str) -> list[tuple[bytes, bytes]]:
        """Return the cookie of a visitor who brings the token in the address.

        One who has the cookie needs no other.
        """

        def proved(given: Iterable[str]) -> bool:
            return any(hmac.compare_digest(each.encode(), token.encode()) for each in given)

        if proved(parse_qs(scope["query_string"].decode("latin-1")).get("token", [])):
            return [self.settings.cookie(TOKEN_COOKIE, token, "/")]
        cookies = [cookie_parser(each).get(TOKEN_COOKIE, "") for each in headers.getlist("cookie")]
        if not proved(cookies):
            raise RequestRefusedError(
                403, "this server asks for its token: open the address that it printed first"
            )
        return []


class Guard:
    """The rules of access and the headers, around an application."""

    def __init__(self, app: ASGIApp, rules: AccessRules) -> None:
        self._app = app
        self._rules = rules

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or turn it away."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return

        own: list[tuple[bytes, bytes]] = []

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                ours = {name for name, _ in HEADERS}
                kept = [
                    (name, value)
                    for name, value in message.get("headers", [])
                    if name.lower() not in ours
                ]
                message["headers"] = [*kept, *HEADERS, *own]
            await send(message)

        try:
            own += self._rules.check(scope)
        except RequestRefusedError as refused:
            answer = PlainTextResponse(f"{refused.status}: {refused.reason}\n", refused.status)
            await answer(scope, receive, with_headers)
            return
        VISITOR.set((scope.get("client") or ("",))[0])
        await self._app(scope, _capped(receive), with_headers)


def _capped(receive: Receive) -> Receive:
    """Return the body, cut off where it is longer than it said."""
    seen = 0

    async def received() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > LIMITS["body_bytes"].most:
            return {"type": "http.disconnect"}
        return message

    return received
