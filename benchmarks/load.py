"""Measure how long pages take when fifty people play at one studio as fast as they can.

    python benchmarks/load.py [CLIENTS] [SECONDS]

Each table has two clients, one at a seat of each side. A client loads its seat's page, gives the
first order on it or throws the dice, loads the page again, and never pauses to think. When a game
is over a new one is begun. The server runs in a separate process. The script prints the median
and the slowest time of each kind of request, and the server's processor time for each, which
depends less on what else the machine is doing.
"""

from __future__ import annotations

import http.client
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from html import unescape
from itertools import cycle, islice
from urllib.parse import urlencode

import attrs
import psutil

SCENARIOS = ("asl/village", "asl/ridge", "red_poppies/cut_wires", "miniatures_1943/river_crossing")
GOAL = 1.0
"""Maximum seconds for the median page of a seat, with fifty clients on two cores."""
_FORM = re.compile(
    r'<form method="post" action="([^"]*/(?:order|dice))"[^>]*>(.*?)</form>', re.DOTALL
)
_SEEN = re.compile(r'name="seen" value="([^"]*)"')
_ORDER = re.compile(r'name="order" value="([^"]*)"')
_SIDES = re.compile(r'href="(/tables/[^"/]+/seat/[^"?/]+)"')


@attrs.define
class Client:
    """A person with a browser: a connection, its cookies, and the times of its requests."""

    port: int
    times: dict[str, list[float]]
    cookie: str = ""
    connection: http.client.HTTPConnection = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)

    def ask(self, kind: str, path: str, form: dict[str, str] | None = None) -> tuple[str, str]:
        """Send a request; return the body and the URL of the page it leads to, and record its time."""
        headers = {"cookie": self.cookie} if self.cookie else {}
        body = None
        if form is not None:
            body = urlencode(form)
            headers["origin"] = f"http://127.0.0.1:{self.port}"
            headers["content-type"] = "application/x-www-form-urlencoded"
        began = time.perf_counter()
        self.connection.request("GET" if form is None else "POST", path, body, headers)
        answer = self.connection.getresponse()
        text = answer.read().decode()
        self.times[kind].append(time.perf_counter() - began)
        if answer.status >= 500:
            raise SystemExit(f"{path}: {answer.status}\n{text[:400]}")
        if begun := answer.headers.get("set-cookie"):
            self.cookie = begun.partition(";")[0]
        return text, answer.headers.get("location", "")

    def play(self, table: Table, seat: int, end: float) -> None:
        """Load a seat's page and do what it asks for, until the time is up."""
        while time.perf_counter() < end:
            address = table.seats[seat]
            page, _ = self.ask("seat page", address)
            if 'data-kind="over"' in page:
                table.renew(self, address)
                continue
            found = _FORM.search(page)
            if found is None:
                continue
            form = {"seen": unescape(_SEEN.search(found[2])[1])}
            kind = found[1].rpartition("/")[2]
            if kind == "order":
                form["order"] = unescape(_ORDER.search(found[2])[1])
            else:
                form |= dict.fromkeys(re.findall(r'name="(die\d+)"', found[2]), "")
            self.ask(kind, unescape(found[1]), form)


@attrs.define
class Table:
    """A table played by two clients, and the URLs of its two seats."""

    scenario: str
    seats: list[str] = attrs.field(factory=list)
    lock: threading.Lock = attrs.field(factory=threading.Lock)

    def renew(self, client: Client, over: str = "") -> None:
        """Begin a new game here, unless the other client has already done so."""
        with self.lock:
            if not over or over in self.seats:
                _, screen = client.ask("begin", "/tables", {"scenario": self.scenario})
                page, _ = client.ask("screen", screen)
                sides = [unescape(side) for side in dict.fromkeys(_SIDES.findall(page))]
                self.seats = [side for side in sides if not side.endswith("/referee")][:2]


def main(clients: int, seconds: float) -> int:
    """Measure and print; return 1 if the goal is missed."""
    times: dict[str, list[float]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as name:
        command = [sys.executable, "-m", "fireplan", "serve", "--port", "0", "--tables", name]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            port = int(re.search(r":(\d+)", server.stdout.readline())[1])
            tables = [Table(name) for name in islice(cycle(SCENARIOS), -(-clients // 2))]
            for table in tables:
                table.renew(Client(port, defaultdict(list)))
            process = psutil.Process(server.pid)
            before, began = process.cpu_times(), time.perf_counter()
            end = began + seconds
            threads = [
                threading.Thread(target=Client(port, times).play, args=(tables[n // 2], n % 2, end))
                for n in range(clients)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            took, after = time.perf_counter() - began, process.cpu_times()
            server.terminate()
    used = after.user - before.user + after.system - before.system
    total = sum(map(len, times.values()))
    print(f"{clients} clients, {total:,} requests in {took:.0f} s")
    for kind in sorted(times):
        some = sorted(times[kind])
        print(
            f"  {kind:10} {len(some):6,}: median {statistics.median(some):6.3f} s,"
            f" slowest {some[-1]:6.3f} s"
        )
    print(f"  {1000 * used / total:.1f} ms of the server's processor time a request")
    return 0 if statistics.median(times["seat page"]) < GOAL else 1


if __name__ == "__main__":
    sys.exit(
        main(
            int(sys.argv[1]) if len(sys.argv) > 1 else 50,
            float(sys.argv[2]) if len(sys.argv) > 2 else 30.0,
        )
    )
