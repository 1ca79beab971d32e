"""The studio without a server: one visitor, no processes, no threads; requests are answered where they are asked.

The static site runs it inside a browser, and its builder works out the first figures with it.
"""

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from starlette.types import Message

from fireplan.studio._app import studio
from fireplan.studio._safety import Settings

_HOST = "fireplan"
_FORM = "application/x-www-form-urlencoded"
Answer = tuple[int, dict[str, str], bytes]
"""The status, the headers by lower-case name, and the body."""


def alone(tables: Path) -> Callable[..., Coroutine[Any, Any, Answer]]:
    """Return the studio as a function: a method, an address and the body of a form to an ``Answer``."""
    app = studio(Settings(port=80, names=(_HOST,), tables=tables, alone=True))

    async def answer(method: str, address: str, body: bytes = b"") -> Answer:
        path, _, query = address.partition("?")
        headers = {"host": _HOST}
        if method == "POST":
            headers |= {"origin": f"http://{_HOST}", "content-type": _FORM, "content-length": str(len(body))}
        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "query_string": query.encode(),
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        }
        sent: list[Message] = []

        async def receive() -> Message:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Message) -> None:
            sent.append(message)

        await app(scope, receive, send)
        begun = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
        return sent[0]["status"], begun, b"".join(each.get("body", b"") for each in sent[1:])

    return answer
