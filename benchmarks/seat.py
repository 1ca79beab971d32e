"""Measure the cost of a seat's odds: beside each order, in a game's luck, and in its film.

Run ``python benchmarks/seat.py [--against CHECKOUT]``. *A village street* follows its shipped
playthrough. Wherever an order is due, the odds after each legal order are computed as a table does:
the mission's goals first, then harm, which is sampled where it is too large. As in the studio,
modules and charts are exempt from garbage collection. Then the commands ``luck`` and ``film`` are
timed on playthroughs; with ``--against``, the same commands of another checkout with an environment
in ``.venv`` are timed in turn. Up to 57e6d005 a film had a time limit and left most of its chances
out, so all chances of a film are timed without that limit as well. Times are processor seconds.
"""

from __future__ import annotations

import argparse
import gc
import resource
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from timed import row

import fireplan as fp
from fireplan.analysis import SideOdds
from fireplan.table import Viewer, sides_of

ROOT = Path(__file__).resolve().parents[1]
PLAYTHROUGHS = Path("plugins/asl/src/fireplan_asl/data/playthroughs")
COMMANDS = (("luck", "village"), ("luck", "behind_the_ridge"), ("film", "village"))
RUNS = 3
FILM = """
import inspect, sys, time
import fireplan as fp
try:
    from fireplan_studio import film
except ImportError:
    from fireplan.studio import _film as film
session = fp.load(sys.argv[1]).session
side = next(setup.side for setup in session.scenario.missions.values())
camera = film._Camera(session, "referee", side)
pictures = list(camera.pictures())
limit = [1e6] * ("seconds" in inspect.signature(camera.weigh).parameters)
start = time.process_time()
camera.weigh(pictures, *limit)
print(time.process_time() - start)
print(sum(picture.chance is not None for picture in pictures))
print(sum(len(picture.chances) for picture in pictures))
"""
"""A program that prints the seconds for all chances of a film, and the numbers of frames and orders."""


def beside_orders() -> None:
    """Print the processor time of the odds beside all legal orders, at the opening and later."""
    game = fp.load(ROOT / PLAYTHROUGHS / "village.playthrough.txt")
    gc.collect()
    gc.freeze()
    odds = {side: SideOdds(side) for side in sides_of(game.session.scenario)}
    exact: list[float] = []
    harm: list[float] = []
    for session, _ in game.session.again():
        for side, of_side in odds.items():
            orders = [order.text for order in Viewer(session, side).form().choices]
            start = time.process_time()
            weighed = of_side.orders(session, orders, sample=False).after
            between = time.process_time()
            if weighed:
                exact.append(between - start)
                of_side.orders(session, orders)
                harm.append(time.process_time() - between)
    for what, times, wanted in (
        ("all orders", exact, ("1 s", "0.2 s")),
        ("harm and samples beside them", harm, ("", "")),
    ):
        opening, *later = times
        row("", f"{what} at the opening", f"{opening:.2f} s", wanted[0])
        median = f"{statistics.median(later):.3f} s"
        row("", f"{what} at {len(later)} later prompts, median", median, wanted[1])
        row("", "at the slowest three of these", _slowest(later), wanted[1])


def _slowest(times: list[float]) -> str:
    return ", ".join(f"{each:.2f}" for each in sorted(times)[:-4:-1]) + " s"


def commanded(checkout: Path, command: str, name: str) -> float:
    """Return the processor seconds that a command takes on a playthrough of a checkout."""
    with tempfile.TemporaryDirectory() as folder:
        file = checkout / PLAYTHROUGHS / f"{name}.playthrough.txt"
        options = ["-o", f"{folder}/film.html"] if command == "film" else []
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run = [checkout / ".venv/bin/fireplan", command, file, *options]
        if command == "luck":
            run.append("--yes")
        subprocess.run(run, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def filmed(checkout: Path, name: str) -> list[str]:
    """Return what ``FILM`` prints for a playthrough of a checkout."""
    run = [checkout / ".venv/bin/python", "-c", FILM]
    file = checkout / PLAYTHROUGHS / f"{name}.playthrough.txt"
    return subprocess.run(
        [*run, file], check=True, capture_output=True, encoding="utf-8"
    ).stdout.split()


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--against", type=Path, help="another checkout, with its .venv")
    against = parser.parse_args().against
    beside_orders()
    checkouts = [ROOT, *([against.resolve()] if against else [])]
    for checkout, where in zip(checkouts, ("", ", there"), strict=False):
        seconds, pictures, orders = filmed(checkout, "village")
        chances = f"{pictures} chances of pictures and {orders} of orders"
        row("", f"film village{where}: {chances}", f"{float(seconds):.2f} s", "")
    for command, name in COMMANDS:
        times = [[commanded(one, command, name) for one in checkouts] for _ in range(RUNS)]
        medians = [statistics.median(one) for one in zip(*times, strict=True)]
        beside = f", {medians[1]:.2f} s there" if against else ""
        row("", f"{command} {name}, the whole command", f"{medians[0]:.2f} s{beside}", "")


if __name__ == "__main__":
    main()
