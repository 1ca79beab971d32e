"""Measure how long the studio's pages take for all shipped scenarios, cold and warm.

    python benchmarks/pages.py [INPUTS ...]

Each scenario is played by its standard orders for INPUTS inputs (0, 25 and 80 by default) and
stored. A server that has not loaded it yet is then asked for each of its seats twice. The first
page of rules and the start of a ranking are timed too. A page is what the server sends, so no
browser is needed. Ends with status 1 if a goal is missed. Needs the extra ``web``.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

from fireplan.analysis import shipped_engagements
from fireplan.table import begin, make_head, sides_of
from fireplan_core import REFEREE, Ask
from fireplan_core.chance import RandomFaces
from fireplan_core.play import Catalogue, shipped_scenarios

GOALS = {
    "seat, cold": 1.5,
    "seat, warm": 0.5,
    "rules, cold": 1.0,
    "ranking, begun": 1.0,
    "another table": 0.5,
}


def kept(folder: Path, catalogue: Catalogue, scenario: str, inputs: int) -> list[str]:
    """Play a scenario by its standard orders and store it; return the URLs of its seats."""
    name = f"{re.sub('[^a-z0-9]+', '-', scenario)}-{inputs}"
    head = make_head(catalogue, scenario, None, shipped_engagements())
    session = begin(folder / f"{name}.journal", catalogue, head)
    dice = RandomFaces(name)
    for _ in range(inputs):
        waits = session.table.waits_for
        if waits is None:
            break
        if isinstance(waits, Ask):
            session.order(session.table.rulebook.answer(waits, {}, session.table.read))
        else:
            session.throw([(dice.face(die), False) for die in waits.faces])
    session.journal.close()
    return [f"/tables/{name}/seat/{side}" for side in (*sides_of(session.scenario), REFEREE)]


def seconds(address: str) -> float:
    """Return the seconds until an answer's last byte."""
    began = time.perf_counter()
    with urllib.request.urlopen(address) as answer:  # noqa: S310 - our own server
        answer.read()
    return time.perf_counter() - began


def measured(
    server: str, seats: list[list[str]], games: list[str]
) -> dict[str, list[tuple[float, str]]]:
    """Return the seconds and URL of every page, by the kind of measurement."""
    found: dict[str, list[tuple[float, str]]] = {what: [] for what in GOALS}
    ranking = f"/whatif/ranking?game={games[0]}&minutes=60&v=1"
    seconds(server + "/tables")
    for game in games:
        page = f"/rules/{game}"
        found["rules, cold"].append((seconds(server + page), page))
    found["ranking, begun"].append((seconds(server + ranking), ranking))
    for table in seats:
        for seat in table:
            found["seat, cold"].append((seconds(server + seat), seat))
            found["seat, warm"].append((seconds(server + seat), seat))
    busy = threading.Thread(
        target=lambda: [seconds(server + seat) for table in seats for seat in table]
    )
    busy.start()
    while busy.is_alive():
        found["another table"].append((seconds(server + seats[0][0]), seats[0][0]))
        time.sleep(0.05)
    return found


def main(depths: list[int]) -> int:
    """Measure and print; return 1 if a goal is missed."""
    catalogue = Catalogue.installed()
    with tempfile.TemporaryDirectory() as name:
        seats = [
            kept(Path(name), catalogue, each, depth)
            for each in shipped_scenarios(catalogue)
            for depth in depths
        ]
        command = [sys.executable, "-m", "fireplan.cli", "serve", "--port", "0", "--tables", name]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            address = re.search(r"http://\S+", server.stdout.readline())[0].rstrip("/")
            found = measured(address, seats, list(catalogue.games))
            server.terminate()
    sys.stdout.write(
        f"{'what':16}{'pages':>7}{'median s':>10}{'worst s':>9}{'goal s':>8}  worst page\n"
    )
    for what, times in found.items():
        ordered = sorted(times)
        worst, page = ordered[-1]
        median = ordered[len(ordered) // 2][0]
        verdict = "" if worst <= GOALS[what] else "  MISSED"
        sys.stdout.write(
            f"{what:16}{len(times):7}{median:10.3f}{worst:9.3f}{GOALS[what]:8.2f}  {page}{verdict}\n"
        )
    return int(any(max(times)[0] > GOALS[what] for what, times in found.items()))


if __name__ == "__main__":
    sys.exit(main([int(each) for each in sys.argv[1:]] or [0, 25, 80]))
