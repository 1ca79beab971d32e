"""What every request must pass before anything else sees it, and the headers that every answer carries.

The studio serves one machine. A page of the open web may still try to reach it through the visitor's browser: by a
name that resolves to this machine (so the host is checked against a list), or by sending forms and scripts at it (so
a change is taken from our own pages only, and nothing inline is ever run).
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs, unquote_to_bytes

import attrs

from fireplan.draw.schemes import DARK_RULES
from fireplan.studio._limits import LIMITS, over

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
TOKEN_COOKIE = "fireplan-token"  # noqa: S105 - the name of the cookie, not a token

_DARK_RULES = base64.b64encode(hashlib.sha256(DARK_RULES.encode()).digest()).decode()
POLICY = (
    f"default-src 'none'; script-src 'self'; style-src 'self' 'sha256-{_DARK_RULES}'; img-src 'self';"
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


@attrs.frozen
class AccessRules:
    """The rules of access: the hosts a request may name, and the token that is asked for beyond the loopback."""

    hosts: frozenset[str]
    token: str | None = None

    @classmethod
    def of(cls, names: Iterable[str], port: int, token: str | None = None) -> AccessRules:
        """Return the rules of a server that is reached by these names at a port."""
        return cls(frozenset({*(f"{name}:{port}" for name in names), *(names if port == 80 else ())}), token)  # noqa: PLR2004

    def check(self, scope: Scope) -> None:
        """Raise ``RequestRefusedError`` for a request that may not come in; the body is looked at later."""
        headers: dict[bytes, list[bytes]] = {}
        if reason := over("header_bytes", sum(len(name) + len(value) for name, value in scope["headers"])):
            raise RequestRefusedError(431, reason)
        for name, value in scope["headers"]:
            headers.setdefault(name.lower(), []).append(value)
        hosts = headers.get(b"host", [])
        if len(hosts) != 1 or hosts[0].decode("latin-1").lower() not in self.hosts:
            raise RequestRefusedError(400, "this server is not reached by that name")
        method = scope["method"]
        if method not in {"GET", "HEAD", "POST"}:
            raise RequestRefusedError(405, "only GET, HEAD and POST are understood")
        self._check_address(scope)
        if method == "POST":
            self._check_origin(hosts[0], headers)
        elif headers.get(b"sec-fetch-site") == [b"cross-site"] and headers.get(b"sec-fetch-dest") != [b"document"]:
            raise RequestRefusedError(403, "another site may link here, not load parts of it")
        if self.token is not None:
            self._check_token(scope, headers)

    @staticmethod
    def _check_address(scope: Scope) -> None:
        raw: bytes = scope.get("raw_path") or scope["path"].encode()
        path = raw.split(b"?")[0]
        if reason := over("address_characters", len(path) + len(scope["query_string"])):
            raise RequestRefusedError(414, reason)
        if not _PLAIN_PATH.fullmatch(path) or b".." in path or b"//" in path or b"\0" in unquote_to_bytes(path):
            raise RequestRefusedError(404, "there is no such page")

    @staticmethod
    def _check_origin(host: bytes, headers: dict[bytes, list[bytes]]) -> None:
        origins = headers.get(b"origin", [])
        if origins not in ([b"http://" + host], [b"https://" + host]):
            raise RequestRefusedError(403, "changes are taken from this server's own pages only (Origin)")
        if headers.get(b"sec-fetch-site", []) != [b"same-origin"]:
            raise RequestRefusedError(403, "changes are taken from this server's own pages only (Sec-Fetch-Site)")
        kinds = headers.get(b"content-type", [b""])
        if len(kinds) != 1 or kinds[0].split(b";")[0].strip() != b"application/x-www-form-urlencoded":
            raise RequestRefusedError(415, "a form is expected (application/x-www-form-urlencoded)")
        lengths = headers.get(b"content-length", [])
        if len(lengths) != 1 or not lengths[0].isdigit() or b"transfer-encoding" in headers:
            raise RequestRefusedError(411, "the length of a form must be given")
        if len(lengths[0]) > len(str(LIMITS["body_bytes"].most)) or over("body_bytes", int(lengths[0])):
            raise RequestRefusedError(413, over("body_bytes", LIMITS["body_bytes"].most + 1) or "")

    def _check_token(self, scope: Scope, headers: dict[bytes, list[bytes]]) -> None:
        given = [*parse_qs(scope["query_string"].decode("latin-1")).get("token", [])]
        for text in headers.get(b"cookie", []):
            try:
                cookie = SimpleCookie(text.decode("latin-1")).get(TOKEN_COOKIE)
            except CookieError:
                continue
            given += [cookie.value] if cookie is not None else []
        if not any(hmac.compare_digest(each.encode(), (self.token or "").encode()) for each in given):
            raise RequestRefusedError(403, "this server asks for its token: open the address that it printed first")


class Guard:
    """The rules of access and the headers, around an application."""

    def __init__(self, app: App, rules: AccessRules) -> None:
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

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                ours = {name for name, _ in HEADERS}
                kept = [(name, value) for name, value in message.get("headers", []) if name.lower() not in ours]
                message["headers"] = [*kept, *HEADERS, *self._cookie(scope)]
            await send(message)

        try:
            self._rules.check(scope)
        except RequestRefusedError as refused:
            await _turn_away(with_headers, refused)
            return
        await self._app(scope, _capped(receive), with_headers)

    def _cookie(self, scope: Scope) -> list[tuple[bytes, bytes]]:
        if self._rules.token is None or b"token=" not in scope["query_string"]:
            return []
        cookie = f"{TOKEN_COOKIE}={self._rules.token}; HttpOnly; SameSite=Strict; Path=/"
        return [(b"set-cookie", cookie.encode())]


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


async def _turn_away(send: Send, refused: RequestRefusedError) -> None:
    body = f"{refused.status}: {refused.reason}\n".encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": refused.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
