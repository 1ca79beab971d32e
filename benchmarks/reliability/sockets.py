"""The simulator's world with real servers, processes behind sockets that are killed at any time.

Play, checks and output are those of ``world.py``. When a process dies depends on the machine's
speed, so the same seed does not reproduce a world with sockets.
"""

from __future__ import annotations

import http.client
import re
import subprocess
import sys
import threading
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlencode

import attrs
from around import Server
from browser import Answer
from disk import Process
from oracle import must
from world import TOKEN, World

LONGEST = 0.25
"""Seconds between a request and the kill of its server, at most."""


@attrs.define(eq=False)
class Killable(Process):
    """A server's process, which is killed when it is declared dead."""

    running: Any = None
    port: int = 0

    def end(self) -> None:
        self.dead = True
        self.running.kill()
        self.running.wait()


class SocketWorld(World):
    """A world whose servers are processes."""

    def server(self, number: int) -> Server:
        """Return a server of the folder, restarted if it was killed."""
        found = self.servers[number]
        if found is not None and found.process.running.poll() is None:
            return found
        command = [
            sys.executable,
            "-m",
            "fireplan",
            "serve",
            "--port",
            "0",
            "--tables",
            self.folder,
            "--token",
            TOKEN,
        ]
        running = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        port = re.search(r":(\d+)/", running.stdout.readline())
        must(port, "a server does not start")
        process = Killable(f"server {number}", running=running, port=int(port[1]))
        self.found["servers begun"] += 1
        # The judge reads each table's secrets from its journal, so no open sessions are needed.
        shared = SimpleNamespace(sessions=SimpleNamespace(_open={}))
        made = self.servers[number] = Server(process, None, shared)
        return made

    def bury(self, process: Process) -> None:
        """Kill a process."""
        if isinstance(process, Killable):
            process.end()
        super().bury(process)

    def ask(
        self,
        number: int,
        method: str,
        address: str,
        form: dict[str, str],
        cookies: dict[str, str],
        torn: str = "",
    ) -> Answer | None:
        """Send a request over a new connection; return the response, or None if there is none."""
        server = self.server(number)
        timer = None
        if self.system.countdown:
            self.system.countdown = 0
            timer = threading.Timer(self.dice.uniform(0, LONGEST), server.process.end)
            timer.start()
            self.found["kills"] += 1
        try:
            return self._asked(server.process.port, method, address, form, cookies, torn)
        except (OSError, http.client.HTTPException):
            must(timer is not None or torn, "a server that nobody killed does not answer")
            return None
        finally:
            if timer is not None:
                timer.join()
                self.servers[number] = None

    def _asked(
        self,
        port: int,
        method: str,
        address: str,
        form: dict[str, str],
        cookies: dict[str, str],
        torn: str,
    ) -> Answer | None:
        here = f"127.0.0.1:{port}"
        body = urlencode(form).encode() if method == "POST" else b""
        lines = [f"{method} {address} HTTP/1.1", f"Host: {here}", "Connection: close"]
        lines.append("Cookie: " + "; ".join(f"{name}={value}" for name, value in cookies.items()))
        if method == "POST":
            lines += [
                f"Origin: http://{here}",
                "Content-Type: application/x-www-form-urlencoded",
                f"Content-Length: {len(body)}",
            ]
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=110)
        connection.connect()
        try:
            sent = body[: len(body) // 2] if torn == "body" else body
            connection.sock.sendall("\r\n".join([*lines, "", ""]).encode() + sent)
            if torn:
                return None
            answer = http.client.HTTPResponse(connection.sock, method=method)
            answer.begin()
            text = answer.read().decode()
        finally:
            connection.close()
        must(
            answer.status < 500 or answer.status == 503,
            f"{method} {address} is answered with {answer.status}",
        )
        return Answer(
            answer.status, tuple((name.lower(), value) for name, value in answer.getheaders()), text
        )

    def close(self) -> None:
        """Kill all servers."""
        for server in self.servers:
            if server is not None:
                server.process.end()
