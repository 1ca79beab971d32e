"""The server under visitors who dawdle, and its end when it is asked to stop."""

import contextlib
import re
import select
import signal
import socket
import subprocess
import sys
import threading

import attrs
import pytest
import unhurried
from tiers import one_in

from fireplan_studio import Server, Settings, studio
from fireplan_studio.limits import LIMITS
from fireplan_studio.server import Listener


@contextlib.contextmanager
def serving(monkeypatch, tmp_path, proxy=None, **limits):
    """Run a server of this process with other limits; yield its port."""
    for name, most in limits.items():
        monkeypatch.setitem(LIMITS, name, attrs.evolve(LIMITS[name], most=most))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        server = Server(studio(Settings(port=port, tables=tmp_path)), listening, proxy=proxy)
        thread = threading.Thread(target=server.open, daemon=True)
        thread.start()
        try:
            yield port
        finally:
            server.should_exit = True
            thread.join()


def line_to(port):
    return socket.create_connection(("127.0.0.1", port))


def head(port, form=""):
    length = (
        f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {form}\r\n"
        if form
        else ""
    )
    origin = f"Origin: http://127.0.0.1:{port}\r\n"
    return f"{'POST' if form else 'GET'} /tables HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{origin}{length}\r\n".encode()


UNFINISHED = {
    "nothing": lambda _port: b"",
    "a part of the headers": lambda port: head(port)[:30],
    "a form without its end": lambda port: head(port, "50") + b"scenario=",
    "a second request without its end": lambda port: head(port) + head(port)[:30],
}


@pytest.mark.parametrize("sent", one_in(4, UNFINISHED))
def test_an_unfinished_request_is_abandoned(monkeypatch, tmp_path, sent):
    with serving(monkeypatch, tmp_path, request_seconds=0.5) as port, line_to(port) as line:
        line.sendall(UNFINISHED[sent](port))
        with contextlib.suppress(ConnectionResetError):
            while line.recv(1 << 16):
                pass


def test_a_trickling_request_is_abandoned(monkeypatch, tmp_path):
    with serving(monkeypatch, tmp_path, request_seconds=0.5) as port, line_to(port) as line:
        line.settimeout(0.05)
        with contextlib.suppress(ConnectionResetError, BrokenPipeError):
            while True:
                line.sendall(b"G")
                with contextlib.suppress(TimeoutError):
                    if line.recv(1 << 16) == b"":
                        break


@pytest.mark.full
def test_an_unread_answer_is_abandoned(monkeypatch, tmp_path):
    with serving(monkeypatch, tmp_path, answer_seconds=0.5) as port, line_to(port) as line:
        line.setblocking(False)
        with contextlib.suppress(BlockingIOError, ConnectionResetError, BrokenPipeError):
            for _ in range(10_000):  # the unread answers fill every buffer
                line.send(head(port).replace(b"/tables", b"/rules/asl"))
        ends = select.poll()
        ends.register(line, 0)  # nothing but the end: what could be read has been discarded
        assert ends.poll()


def test_unfinished_requests_make_room_and_served_ones_do_not():
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port, most = listening.getsockname()[1], LIMITS["connections_each"].most
        listener = Listener(listening)
        with listener, contextlib.ExitStack() as stack:
            lines = [stack.enter_context(line_to(port)) for _ in range(most)]
            accepted = [stack.enter_context(listener.accept()[0]) for _ in lines]
            listener.answering |= {accepted[0].fileno(), accepted[1].fileno()}
            stack.enter_context(line_to(port))
            stack.enter_context(listener.accept()[0])
            assert lines[2].recv(1) == b"", "the oldest waiting connection was not closed"
            for line in (*lines[:2], *lines[3:]):
                line.setblocking(False)
                with pytest.raises(BlockingIOError):
                    line.recv(1)
            listener.answering |= {
                each.fileno() for _, each in listener._connections if each.fileno() >= 0
            }
            late = stack.enter_context(line_to(port))
            with pytest.raises(BlockingIOError):
                listener.accept()
            assert late.recv(1) == b"", "a connection beyond the limit was accepted"


def test_a_proxy_has_a_connection_for_each_visitor():
    most = LIMITS["connections_each"].most + 5
    with socket.create_server(("127.0.0.1", 0)) as listening, contextlib.ExitStack() as stack:
        port = listening.getsockname()[1]
        listener = stack.enter_context(Listener(listening, "127.0.0.1"))
        for _ in range(most):
            stack.enter_context(line_to(port))
            connection = stack.enter_context(listener.accept()[0])
            listener.answering.add(connection.fileno())


@contextlib.contextmanager
def ended(process):
    """Yield the process; kill it if a test leaves it running."""
    with process:
        try:
            yield process
        finally:
            process.kill()


STUCK = """
import socket, sys, time
from fireplan_studio import Server

def stuck():
    time.sleep(10**6)

async def app(scope, receive, send):
    import asyncio
    if scope["type"] == "lifespan":
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
    else:
        print("asked", flush=True)
    await asyncio.to_thread(stuck)

listening = socket.create_server(("127.0.0.1", 0))
print(listening.getsockname()[1], flush=True)
Server(app, listening).open()
"""


@pytest.mark.parametrize(
    ("told", "status"), one_in(2, [(signal.SIGTERM, 143), (signal.SIGINT, 130)]), ids=str
)
def test_a_server_stops_on_request_even_if_its_work_does_not(told, status):
    """Here neither the request nor the application ends by itself."""
    with ended(
        subprocess.Popen([sys.executable, "-c", STUCK], stdout=subprocess.PIPE, text=True)
    ) as server:
        port = int(server.stdout.readline())
        with line_to(port) as asking, line_to(port) as silent:
            asking.sendall(head(port))
            silent.sendall(head(port)[:20])
            assert server.stdout.readline() == "asked\n"
            server.send_signal(told)
            assert server.wait() == status


@pytest.mark.full
def test_a_server_at_work_ends_in_good_order(tmp_path):
    command = [
        sys.executable,
        unhurried.__file__,
        "serve",
        "--port",
        "0",
        "--tables",
        str(tmp_path),
    ]
    with ended(
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    ) as server:
        port = int(re.search(r":(\d+)/", server.stdout.readline())[1])
        with line_to(port) as asking, line_to(port) as silent, line_to(port) as dawdling:
            heavy = b"/compare?games=asl&minutes=1440&v=1"
            asking.sendall(head(port).replace(b"/tables", heavy))
            silent.sendall(head(port)[:20])
            dawdling.sendall(head(port, "50") + b"scen")
            assert asking.recv(12) == b"HTTP/1.1 202"
            server.send_signal(signal.SIGTERM)
            out, err = server.communicate()
    assert (server.returncode, out, err) == (-signal.SIGTERM, "", "")
