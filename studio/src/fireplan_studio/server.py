"""The server: connections that wait for nothing are closed, nobody fills it, and it ends when it is told to.

Whoever opens connections and sends little or nothing over them loses the oldest of them to whoever
comes next; a request or its answer that takes longer than the limits is given up.
"""

import asyncio
import ipaddress
import os
import socket
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from ssl import SSLContext
from types import FrameType
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from fireplan_studio.limits import LIMITS, over
from fireplan_studio.safety import Guard

_IPV6_NETWORK = 64
_IPV6 = 6
"""Bits of an IPv6 address that are one visitor's: he may take any in it."""
GRACE = 4.0
"""Seconds after which a server that was told to end does so, whatever it is at: what was acknowledged is kept."""


class Listener(socket.socket):
    """A socket that is listened at, and the connections that came in by it.

    Where there are too many, of one address or of all, the oldest that has no whole request makes
    room.
    """

    def __init__(self, listening: socket.socket, proxy: str | None = None) -> None:
        super().__init__(fileno=listening.detach())
        self._proxy = proxy
        """The address of a proxy, which has a connection for each visitor."""
        self._connections: list[tuple[str, socket.socket]] = []
        self.answering: set[int] = set()
        """The file numbers of connections whose request is there whole, and being answered."""

    def accept(self) -> tuple[socket.socket, Any]:
        """Return the next connection; ``BlockingIOError`` where there is no room for it."""
        connection, peer = super().accept()
        visitor = _visitor(peer[0])
        self._connections = [
            (other, each) for other, each in self._connections if each.fileno() >= 0
        ]
        held = Counter(other for other, _ in self._connections)
        crowd = ""
        if over("connections", len(self._connections) + 1):
            crowd = held.most_common(1)[0][0]
        elif peer[0] != self._proxy and over("connections_each", held[visitor] + 1):
            crowd = visitor
        if crowd:
            of_crowd = (each for other, each in self._connections if other == crowd)
            oldest = next((each for each in of_crowd if each.fileno() not in self.answering), None)
            if oldest is None:
                connection.close()
                raise BlockingIOError
            with suppress(OSError):
                oldest.shutdown(socket.SHUT_RDWR)
        self._connections.append((visitor, connection))
        return connection, peer


def _visitor(address: str) -> str:
    found = ipaddress.ip_address(address)
    return str(
        ipaddress.ip_network((address, _IPV6_NETWORK), strict=False)
        if found.version == _IPV6
        else found
    )


def _protocol(listener: Listener) -> type[H11Protocol]:
    """Return the protocol of connections that came in by a listener."""

    class Impatient(H11Protocol):
        """HTTP, with a time in which a request must be there whole, and one for its answer."""

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self.number: int = transport.get_extra_info("socket").fileno()
            self.deadline: asyncio.TimerHandle | None = None
            self.answering = False
            self.watch(anew=True)

        def connection_lost(self, exc: Exception | None) -> None:
            if self.deadline is not None:
                self.deadline.cancel()
            listener.answering.discard(self.number)
            super().connection_lost(exc)

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self.watch()

        def on_response_complete(self) -> None:
            super().on_response_complete()
            self.watch(anew=True)

        def shutdown(self) -> None:
            if self.conn.their_state is h11.SEND_BODY:
                self.transport.abort()
            else:
                super().shutdown()

        def watch(self, *, anew: bool = False) -> None:
            """Set the time for what is waited for, when that has changed."""
            answering = self.conn.their_state not in (h11.IDLE, h11.SEND_BODY)
            if answering == self.answering and not anew:
                return
            self.answering = answering
            (listener.answering.add if answering else listener.answering.discard)(self.number)
            if self.deadline is not None:
                self.deadline.cancel()
            seconds = LIMITS["answer_seconds" if answering else "request_seconds"].most
            self.deadline = self.loop.call_later(seconds, self.transport.abort)

    return Impatient


class Server(uvicorn.Server):
    """The server of an application, at a socket that is listened at."""

    def __init__(
        self,
        app: Guard,
        listening: socket.socket,
        *,
        tls: SSLContext | None = None,
        proxy: str | None = None,
    ) -> None:
        self._listener = Listener(listening, proxy)
        encrypted: Callable[..., SSLContext] | None = (
            None if tls is None else lambda _config, _default: tls
        )
        config = uvicorn.Config(
            app,
            http=_protocol(self._listener),
            loop="asyncio",
            log_level="error",
            access_log=False,
            server_header=False,
            proxy_headers=bool(
                proxy
            ),  # else nobody stands before it, and no such header is believed
            forwarded_allow_ips=proxy or "",
            ssl_context_factory=encrypted,
            ws="none",
            timeout_graceful_shutdown=2,
        )
        super().__init__(config)

    def open(self) -> None:
        """Serve until the process is told to end."""
        with suppress(KeyboardInterrupt):
            self.run(sockets=[self._listener])

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End, in good order if that can be done in time."""
        super().handle_exit(sig, frame)
        # The workers end with this process, and the journals are whole after every input.
        end = threading.Timer(GRACE, os._exit, [128 + sig])
        end.daemon = True
        end.start()
