"""The server: it limits connections and their duration, and ends promptly on request.

If there are too many connections, the oldest idle connection is closed to make room for the next. A
request or response that takes longer than the limits is aborted.
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
"""Bits of an IPv6 address that identify a visitor, who may use any address in the network."""
_IPV6 = 6
GRACE = 4.0
"""Time limit for shutting down, in seconds; journals are complete at any time."""


class Listener(socket.socket):
    """A listening socket and its connections.

    If there are too many, from one address or in total, the oldest connection without a complete
    request is closed.
    """

    def __init__(self, listening: socket.socket, proxy: str | None = None) -> None:
        super().__init__(fileno=listening.detach())
        self._proxy = proxy
        """Address of a trusted proxy, which is exempt from the limit per address."""
        self._connections: list[tuple[str, socket.socket]] = []
        self.answering: set[int] = set()
        """File descriptors of connections whose complete request is being answered."""

    def accept(self) -> tuple[socket.socket, Any]:
        """Return the next connection and its address.

        Raises ``BlockingIOError`` if there is no room.
        """
        connection, peer = super().accept()
        visitor = _visitor(peer[0])
        self._connections = [
            (owner, each) for owner, each in self._connections if each.fileno() >= 0
        ]
        counts = Counter(owner for owner, _ in self._connections)
        loser = ""
        if over("connections", len(self._connections) + 1):
            loser = counts.most_common(1)[0][0]
        elif peer[0] != self._proxy and over("connections_each", counts[visitor] + 1):
            loser = visitor
        if loser:
            candidates = (each for owner, each in self._connections if owner == loser)
            oldest = next(
                (each for each in candidates if each.fileno() not in self.answering), None
            )
            if oldest is None:
                connection.close()
                raise BlockingIOError
            with suppress(OSError):
                oldest.shutdown(socket.SHUT_RDWR)
        self._connections.append((visitor, connection))
        return connection, peer


def _visitor(address: str) -> str:
    ip = ipaddress.ip_address(address)
    if ip.version == _IPV6:
        return str(ipaddress.ip_network((address, _IPV6_NETWORK), strict=False))
    return str(ip)


def _protocol(listener: Listener) -> type[H11Protocol]:
    """Return the protocol class for a listener's connections."""

    class Impatient(H11Protocol):
        """HTTP with time limits for receiving a request and for answering it."""

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
            """Restart the timer if the connection has changed between receiving and answering.

            With ``anew``, restart it in any case.
            """
            answering = self.conn.their_state not in (h11.IDLE, h11.SEND_BODY)
            if answering == self.answering and not anew:
                return
            self.answering = answering
            if answering:
                listener.answering.add(self.number)
            else:
                listener.answering.discard(self.number)
            if self.deadline is not None:
                self.deadline.cancel()
            seconds = LIMITS["answer_seconds" if answering else "request_seconds"].most
            self.deadline = self.loop.call_later(seconds, self.transport.abort)

    return Impatient


class Server(uvicorn.Server):
    """A server for an application on a listening socket."""

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
            proxy_headers=bool(proxy),  # without a proxy nobody may set these headers
            forwarded_allow_ips=proxy or "",
            ssl_context_factory=encrypted,
            ws="none",
            timeout_graceful_shutdown=2,
        )
        super().__init__(config)

    def open(self) -> None:
        """Serve until the process is asked to end."""
        with suppress(KeyboardInterrupt):
            self.run(sockets=[self._listener])

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Shut down cleanly, or after ``GRACE`` seconds at the latest."""
        super().handle_exit(sig, frame)
        # Safe: workers end with this process, and a journal is complete after every input.
        end = threading.Timer(GRACE, os._exit, [128 + sig])
        end.daemon = True
        end.start()
