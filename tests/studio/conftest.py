"""The studio called directly, byte by byte as a server would call it, and helpers to read its
answers.
"""

import asyncio
import threading
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote

import attrs
import pytest
from unhurried import unhurried

from fireplan_studio import Settings, studio

PORT = 8043
HOST = f"127.0.0.1:{PORT}"


@attrs.frozen
class Answer:
    status: int
    headers: dict
    body: bytes
    cookies: tuple = ()

    @property
    def text(self):
        return self.body.decode()


class Sent(list):
    """A response; ``body`` is set once its first bytes have arrived."""

    def __init__(self):
        self.body = threading.Event()

    def append(self, message):
        super().append(message)
        if message.get("body"):
            self.body.set()


class Visitor:
    """Requests to an application in its own event loop.

    ``headers`` replace those that a browser would send.
    """

    def __init__(self, app):
        self.app = app
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()

    def ask(self, method, path, *, headers=None, body=b"", query=b"", fragments=()):
        return self._run(self._ask(method, path, headers, body, query, fragments))

    def get(self, address, **more):
        path, _, query = address.partition("?")
        return self.ask("GET", path, query=query.encode(), **more)

    def answered(self, address):
        """Return a page that may have to be computed first, however long that takes, following
        redirections.
        """
        led = 0
        while (answer := self.get(address)).status in (202, 303):
            if answer.status == 303:
                address, led = answer.headers["location"], led + 1
            assert led < 20, f"{address} leads nowhere"
        return answer

    def post(self, path, form=b"", **more):
        return self.ask("POST", path, body=form, **more)

    @contextmanager
    def following(self, path):
        """Read a stream from its first event until the block ends; yield what was sent."""
        sent = Sent()
        asked = self._ask("GET", path, None, b"", b"", (), sent)
        stream = asyncio.run_coroutine_threadsafe(asked, self.loop)
        assert sent.body.wait(60)
        yield sent
        stream.cancel()
        self._run(asyncio.sleep(0))

    def close(self):
        """Stop the workers, as the server does when it closes."""
        self._run(self._shut())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()

    async def _shut(self):
        messages = iter([{"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}])

        async def receive():
            return next(messages)

        async def send(message):
            assert "failed" not in message["type"], message

        await self.app({"type": "lifespan", "asgi": {"version": "3.0"}, "state": {}}, receive, send)

    def _run(self, work):
        return asyncio.run_coroutine_threadsafe(work, self.loop).result()

    async def _ask(self, method, path, headers, body, query, fragments, sent=None):
        if headers is None:
            headers = [(b"host", HOST.encode())]
            if method == "POST":
                headers += own_page(len(body))
        raw = path if isinstance(path, bytes) else path.encode()
        scope = {
            "type": "http",
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": unquote(raw.decode("latin-1")),
            "raw_path": raw,
            "query_string": query,
            "headers": headers,
            "client": ("127.0.0.1", 5),
            "server": ("127.0.0.1", PORT),
        }
        parts = list(fragments) or [body]
        sent = Sent() if sent is None else sent

        async def receive():
            if not parts and method == "GET":  # a client that reads a stream stays until it ends
                await asyncio.Event().wait()
            if not parts:
                return {"type": "http.disconnect"}
            return {"type": "http.request", "body": parts.pop(0), "more_body": bool(parts)}

        async def send(message):
            sent.append(message)

        await self.app(scope, receive, send)
        start = next(message for message in sent if message["type"] == "http.response.start")
        body = b"".join(
            message.get("body", b"") for message in sent if message["type"] == "http.response.body"
        )
        headers = [(name.decode().lower(), value.decode()) for name, value in start["headers"]]
        cookies = tuple(value for name, value in headers if name == "set-cookie")
        return Answer(start["status"], dict(headers), body, cookies)


def own_page(length):
    """Return the headers that a browser adds to a form on our own pages."""
    return [
        (b"origin", f"http://{HOST}".encode()),
        (b"sec-fetch-site", b"same-origin"),
        (b"content-type", b"application/x-www-form-urlencoded"),
        (b"content-length", str(length).encode()),
    ]


@pytest.fixture(scope="session")
def tables(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("tables")


@pytest.fixture(scope="package", autouse=True)
def _at_any_pace():
    """Lift the time limits, so that a slow machine loses no answer; a test of a limit sets it."""
    with pytest.MonkeyPatch.context() as patches:
        unhurried(patches.setitem)
        yield


@pytest.fixture(scope="package")
def visitor(tables, _at_any_pace):
    app = studio(Settings(port=PORT, tables=tables))
    visitor = Visitor(app)
    yield visitor
    visitor.close()
