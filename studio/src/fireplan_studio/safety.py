"""The checks that every request must pass first, and the headers that every response carries.

A page on the open web may try to reach the studio through a visitor's browser: by a name that
resolves to this machine (so the host is checked against a list), or by sending forms and scripts
(so changes are accepted from the studio's own pages only, and no inline script runs). The check
relies on the ``Origin`` header, which every browser sends with every form. ``Sec-Fetch-Site`` is
sent only over encrypted or local connections, so it is checked if present. If other machines can
reach the studio, a token is required as well.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import secrets  # noqa: TID251 - names a visitor's session; not part of play
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
from fireplan_studio.refusals import RequestRefusedError

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
DEFAULT_PORTS = {"http": 80, "https": 443}
"""Maps each scheme to its default port, which addresses leave out."""
TOKEN_COOKIE = "fireplan-token"  # noqa: S105 - the name of the cookie, not a token
VISITOR_COOKIE = "fireplan-visitor"
"""The cookie with a visitor's session, which tells apart visitors who share an address."""
_SESSION = re.compile(r"[A-Za-z0-9_-]{22}")

DARK_STYLE = base64.b64encode(hashlib.sha256(DARK_RULES.encode()).digest()).decode()
POLICY = (
    f"default-src 'none'; script-src 'self'; style-src 'self' 'sha256-{DARK_STYLE}'; img-src 'self';"
    " connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""Allows no outside content, no framing, and no inline content but the dark style of pictures."""

HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"x-frame-options", b"DENY"),
)

_PLAIN_PATH = re.compile(rb"[A-Za-z0-9/_.~-]*")


@attrs.frozen(kw_only=True)
class Settings:
    """The settings of a studio: port, host names, token, and the folder for its journals.

    ``tls`` is set if the studio itself encrypts connections; ``public`` is the origin that visitors
    use, if it differs. ``in_one_thread`` runs all work in the caller's thread, without processes.
    """

    port: int = 8043
    names: tuple[str, ...] = LOOPBACK
    token: str | None = None
    tables: Path = attrs.field(factory=lambda: Path("tables"))
    tls: bool = False
    public: str | None = None
    in_one_thread: bool = False

    def cookie(
        self, name: str, value: str, path: str, *, same_site: str = "Strict"
    ) -> tuple[bytes, bytes]:
        """Return the header that sets a cookie, marked ``Secure`` if connections are encrypted.

        The header is a (name, value) pair. With ``same_site="Lax"``, browsers also send the cookie
        when they follow a link from another site.
        """
        secure = "; Secure" if self.tls or (self.public or "").startswith("https:") else ""
        return (
            b"set-cookie",
            f"{name}={value}; HttpOnly; SameSite={same_site}; Path={path}{secure}".encode(),
        )


@attrs.frozen
class AccessRules:
    """The rules of access: the hosts that a request may name, and the token it must contain.

    ``hosts`` maps each host, e.g. ``localhost:8043``, to the origin of its pages. A proxy may pass
    on one of the server's own names although visitors use its public origin.
    """

    hosts: Mapping[str, str]
    settings: Settings

    @classmethod
    def of(cls, settings: Settings) -> AccessRules:
        """Return the rules for a server with these settings."""
        scheme, public = "https" if settings.tls else "http", settings.public
        suffixes = (
            (f":{settings.port}", "")
            if settings.port == DEFAULT_PORTS[scheme]
            else (f":{settings.port}",)
        )
        origins = {
            name + suffix: f"{scheme}://{name}{suffixes[-1]}"
            for name in settings.names
            for suffix in suffixes
        }
        if public is not None:
            origins[public.partition("://")[2]] = public
        return cls(origins, settings)

    def check(self, scope: Scope) -> list[tuple[bytes, bytes]]:
        """Return the extra response headers for a request that passes the checks.

        Raises ``RequestRefusedError`` if the request fails. The body is not checked at this point.
        """
        if reason := over(
            "header_bytes", sum(len(name) + len(value) for name, value in scope["headers"])
        ):
            raise RequestRefusedError(431, reason)
        headers = Headers(raw=[(name.lower(), value) for name, value in scope["headers"]])
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0].lower() not in self.hosts:
            raise RequestRefusedError(400, "this server does not answer to this host name")
        method = scope["method"]
        if method not in {"GET", "HEAD", "POST"}:
            raise RequestRefusedError(405, "only GET, HEAD and POST are allowed")
        self._check_address(scope)
        if method == "POST":
            self._check_form(headers)
        elif headers.getlist("sec-fetch-site") == ["cross-site"] and headers.getlist(
            "sec-fetch-dest"
        ) != ["document"]:
            raise RequestRefusedError(
                403, "another site may link to this page but not load parts of it"
            )
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
                403, "changes are accepted only from this server's own pages (Origin)"
            )
        if headers.getlist("sec-fetch-site") not in ([], ["same-origin"]):
            raise RequestRefusedError(
                403, "changes are accepted only from this server's own pages (Sec-Fetch-Site)"
            )
        kinds = [kind.split(";")[0].strip() for kind in headers.getlist("content-type")]
        if kinds != ["application/x-www-form-urlencoded"]:
            raise RequestRefusedError(415, "expected a form (application/x-www-form-urlencoded)")
        lengths, most = headers.getlist("content-length"), LIMITS["body_bytes"].most
        if (
            len(lengths) != 1
            or not re.fullmatch("[0-9]+", lengths[0])
            or "transfer-encoding" in headers
        ):
            raise RequestRefusedError(411, "the form must come with its length (Content-Length)")
        if len(lengths[0]) > len(str(most)) or int(lengths[0]) > most:
            raise RequestRefusedError(413, over("body_bytes", most + 1) or "")

    def session(self, scope: Scope) -> tuple[str, list[tuple[bytes, bytes]]]:
        """Return a visitor's session, and the response headers that begin it, if it is new."""
        for cookies in Headers(scope=scope).getlist("cookie"):
            if _SESSION.fullmatch(session := cookie_parser(cookies).get(VISITOR_COOKIE, "")):
                return session, []
        session = secrets.token_urlsafe(16)
        if self.settings.in_one_thread:
            return session, []
        return session, [self.settings.cookie(VISITOR_COOKIE, session, "/", same_site="Lax")]

    def _check_token(self, scope: Scope, headers: Headers, token: str) -> list[tuple[bytes, bytes]]:
        """Return the header that sets the cookie if the address contains the token.

        The list is empty for a visitor who sends the cookie. Raises ``RequestRefusedError`` if the
        request contains the token in neither place.
        """

        def holds_token(texts: Iterable[str]) -> bool:
            return any(hmac.compare_digest(text.encode(), token.encode()) for text in texts)

        if holds_token(parse_qs(scope["query_string"].decode("latin-1")).get("token", [])):
            return [self.settings.cookie(TOKEN_COOKIE, token, "/")]
        cookies = [cookie_parser(each).get(TOKEN_COOKIE, "") for each in headers.getlist("cookie")]
        if not holds_token(cookies):
            raise RequestRefusedError(
                403, "open the full address printed at start-up; it contains the token"
            )
        return []


class Guard:
    """An application wrapped in the rules of access; every response gets the common headers."""

    def __init__(self, app: ASGIApp, rules: AccessRules) -> None:
        self._app = app
        self._rules = rules

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one request to the application, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return

        extra: list[tuple[bytes, bytes]] = []

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                common = {name for name, _ in HEADERS}
                others = [
                    (name, value)
                    for name, value in message.get("headers", [])
                    if name.lower() not in common
                ]
                message["headers"] = [*others, *HEADERS, *extra]
            await send(message)

        try:
            extra += self._rules.check(scope)
        except RequestRefusedError as refused:
            answer = PlainTextResponse(f"{refused.status}: {refused}\n", refused.status)
            await answer(scope, receive, with_headers)
            return
        visitor, begun = self._rules.session(scope)
        VISITOR.set(visitor)
        extra += begun
        await self._app(scope, _capped(receive), with_headers)


def _capped(receive: Receive) -> Receive:
    """Return a receive function that disconnects once the body exceeds the limit."""
    received_bytes = 0

    async def received() -> Message:
        nonlocal received_bytes
        message = await receive()
        received_bytes += len(message.get("body", b""))
        if received_bytes > LIMITS["body_bytes"].most:
            return {"type": "http.disconnect"}
        return message

    return received
