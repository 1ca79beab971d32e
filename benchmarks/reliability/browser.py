"""A browser at a seat of the studio, in this process: pages, forms, cookies, and tabs that go stale."""

from __future__ import annotations

import html
import random
import re
from collections.abc import Coroutine
from typing import Any
from urllib.parse import quote, urlencode

import attrs

HOST = "127.0.0.1:8043"
_FORM = re.compile(r'<form method="post" action="([^"]+)"[^>]*>(.*?)</form>', re.DOTALL)
_FIELD = re.compile(r'<(?:input|button)[^>]* name="([^"]+)"(?:[^>]*? value="([^"]*)")?')
_SELECT = re.compile(r'<select name="([^"]+)">(.*?)</select>', re.DOTALL)
_OPTION = re.compile(r"<option(?: value=\"\")?>([^<]*)</option>")
_SEEN = re.compile(r'name="seen" value="([^"]+)"')


@attrs.frozen
class Answer:
    """A response: status, headers and body."""

    status: int
    headers: tuple[tuple[str, str], ...]
    text: str

    def header(self, name: str) -> str:
        return next((value for key, value in self.headers if key == name), "")

    @property
    def cookies(self) -> dict[str, str]:
        found = (
            value.partition(";")[0].partition("=")
            for name, value in self.headers
            if name == "set-cookie"
        )
        return {name: value for name, _, value in found}


class TornError(OSError):
    """A connection that broke before the response came."""


def drive(work: Coroutine[Any, Any, Any]) -> Any:
    """Run a coroutine that never has to wait."""
    try:
        work.send(None)
    except StopIteration as done:
        return done.value
    raise AssertionError(
        "the studio waits for something in a world where nothing has to be waited for"
    )


def asked(
    app: Any,
    method: str,
    address: str,
    form: dict[str, str],
    cookies: dict[str, str],
    torn: str = "",
) -> Answer:
    """Return an application's response to a request.

    ``torn`` is the point where the connection breaks: in the middle of the form (``body``), or
    before the response (``answer``).
    """
    path, _, query = address.partition("?")
    body = urlencode(form).encode() if method == "POST" else b""
    headers = [
        (b"host", HOST.encode()),
        (b"cookie", "; ".join(f"{n}={v}" for n, v in cookies.items()).encode()),
    ]
    if method == "POST":
        headers += [
            (b"origin", f"http://{HOST}".encode()),
            (b"content-type", b"application/x-www-form-urlencoded"),
            (b"content-length", str(len(body)).encode()),
        ]
    parts = [body[: len(body) // 2]] if torn == "body" else [body]
    sent: list[Any] = []

    async def receive() -> Any:
        if not parts:
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": parts.pop(0), "more_body": torn == "body"}

    async def send(message: Any) -> None:
        if torn == "answer":
            raise TornError
        sent.append(message)

    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "headers": headers,
        "client": ("127.0.0.1", 5),
        "server": ("127.0.0.1", 8043),
    }
    drive(app(scope, receive, send))
    if not sent:
        raise TornError
    raw = b"".join(message.get("body", b"") for message in sent[1:])
    found = tuple((name.decode().lower(), value.decode()) for name, value in sent[0]["headers"])
    return Answer(sent[0]["status"], found, raw.decode())


@attrs.frozen
class Form:
    """A form on a page: its action, and the fields it may send."""

    action: str
    fields: tuple[tuple[str, str], ...]
    choices: tuple[tuple[str, tuple[str, ...]], ...]
    page: str

    @property
    def kind(self) -> str:
        return self.action.rpartition("/")[2]


def forms(text: str) -> list[Form]:
    """Return the forms on a page."""
    found = []
    for action, inner in _FORM.findall(text):
        fields = tuple((name, html.unescape(value)) for name, value in _FIELD.findall(inner))
        selects = _SELECT.findall(inner)
        choices = tuple(
            (name, tuple(map(html.unescape, _OPTION.findall(options)))) for name, options in selects
        )
        found.append(Form(html.unescape(action), fields, choices, text))
    return found


def seen(text: str) -> str | None:
    """Return the version mark in a page's form, by which old forms are recognised, or None without a form."""
    found = _SEEN.search(text)
    return found[1] if found else None


def filled(form: Form, dice: random.Random) -> dict[str, str]:
    """Return a filled form, with dice that are typed or left for the program to roll."""
    sent = dict(form.fields)
    for name, options in form.choices:
        sent[name] = dice.choice(options[1:]) if dice.random() < 0.6 else ""
    return sent


def seat(table: str, side: str) -> str:
    """Return the path of a seat's page."""
    return f"/tables/{table}/seat/{quote(side)}"
