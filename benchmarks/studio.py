"""Measure the studio's speed in Chromium: pages against an empty page, and from key press to paint.

    python benchmarks/studio.py [REPEATS]

Prints medians and, for each page, its ratio to an empty page of the same server in the same run.
Needs the extra ``web``, playwright and Chromium.
"""

from __future__ import annotations

import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs

from fireplan.analysis import shipped_engagements
from fireplan.table import begin, make_head
from fireplan_core.play import Catalogue

ANSWERED = (
    "() => document.querySelector('h1')"
    " && !document.querySelector('h1').textContent.startsWith('Working on')"
)
GOALS = {"comparison, warm": 1.0, "a wide map": 1.0, "key to paint": 0.05}


def wide_table(folder: Path) -> str:
    """Create a table whose map has about 1,000 hexes, with units in two far corners; return its name."""
    installed = Catalogue.installed()
    head = make_head(installed, "asl/village", None, shipped_engagements())
    text = head.text
    for old, new in (("boards = 1", "boards = 3"), ('"K4"', '"GG30"'), ('"E6"', '"A1"')):
        if old not in text:
            raise SystemExit(f"asl/village says {old} no more: move other units")
        text = text.replace(old, new)
    session = begin(folder / "wide.journal", installed, attrs.evolve(head, text=text))
    session.journal.close()
    return "wide"


def main(repeats: int) -> None:
    """Measure and print."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table = wide_table(folder)
        command = [sys.executable, "-m", "fireplan.cli", "serve", "--port", "0", "--tables", name]
        with (
            subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server,
            ending(server),
            sync_playwright() as playwright,
        ):
            address = re.search(r"http://\S+", server.stdout.readline())[0].rstrip("/")
            browser = playwright.chromium.launch(
                executable_path=shutil.which("chromium"), args=["--no-sandbox"]
            )
            page = browser.new_page()
            pages = {
                "empty page (404)": "/nowhere",
                "comparison, warm": "/compare",
                "a wide map": f"/tables/{table}/seat/referee",
                "rules of a game": "/rules/asl",
            }
            for path in pages.values():
                load(page, address + path)
            found = {
                what: statistics.median(load(page, address + path) for _ in range(repeats))
                for what, path in pages.items()
            }
            page.goto(f"{address}/tables/{table}/seat/referee")
            cells = page.locator("#cells [role=gridcell]").count()
            found["key to paint"] = statistics.median(key_to_paint(page) for _ in range(repeats))
            empty = found["empty page (404)"]
            sys.stdout.write(
                f"{'what':24}{'median s':>10}{'ratio':>8}{'goal s':>8}   ({cells} places on the map)\n"
            )
            for what, seconds in found.items():
                goal = GOALS.get(what)
                said = (
                    ""
                    if goal is None
                    else f"{goal:8.2f}{'  reached' if seconds <= goal else '  missed'}"
                )
                sys.stdout.write(f"{what:24}{seconds:10.3f}{seconds / empty:8.1f}{said}\n")
            browser.close()


@contextmanager
def ending(server: subprocess.Popen[str]) -> Iterator[None]:
    """Kill a server after the block, even if it fails, because it would otherwise never end."""
    try:
        yield
    finally:
        server.terminate()


def load(page: Any, address: str) -> float:
    """Return the seconds from requesting a page until all of it is drawn."""
    page.goto(address, wait_until="commit")
    page.wait_for_function(ANSWERED, timeout=300_000)  # a page without its answer reloads itself
    page.wait_for_load_state("load")
    return (
        float(page.evaluate("() => performance.getEntriesByType('navigation')[0].loadEventEnd"))
        / 1000
    )


def key_to_paint(page: Any) -> float:
    """Return the seconds from a key press on the map until the browser has painted the change."""
    page.evaluate("() => document.querySelector('#cells [role=gridcell]').focus()")
    script = """() => new Promise(done => {
        const began = performance.now();
        const key = new KeyboardEvent('keydown', {key: 'ArrowDown', bubbles: true});
        document.activeElement.dispatchEvent(key);
        requestAnimationFrame(() => setTimeout(() => done((performance.now() - began) / 1000), 0));
    })"""
    return float(page.evaluate(script))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 9)
