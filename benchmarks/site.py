"""Measure the static site: its sizes over the wire, and the times to the first figures in Chromium.

    python benchmarks/site.py [--runtime TARBALL]

The site is built into a temporary folder and served from this machine. A cold browser has never
been there; a warm one has all files, and the snapshot of Python after it had read the rules. The
load of the machine is printed too, because times mean little if it exceeds the number of cores.
The processor time of all the browser's threads together remains useful even then: on an otherwise
idle machine nobody waits longer than that. Needs the extra ``web``, npm or the tarball, playwright
and Chromium.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import threading
import time
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from fireplan.sheets import sheet_templates
from fireplan_core.play import Catalogue
from fireplan_studio.static_site import build

GOALS = {
    "megabytes until Python has started": 9.0,
    "cold: a first figure": 2.0,
    "cold: a first figure of one's own": 12.0,
    "warm: a first figure of one's own": 6.0,
    "a changed number redrawn": 1.0,
    "design: processor time of a changed figure, the slowest template": 1.0,
}
HERE = "() => document.getElementById('state').textContent.startsWith('Python is ready')"


class Counting(SimpleHTTPRequestHandler):
    """A plain file server that adds up the bytes that it sends."""

    sent = 0

    def log_message(self, *_):
        pass

    def copyfile(self, source, outputfile):
        Counting.sent += Path(source.name).stat().st_size
        super().copyfile(source, outputfile)


def changed(page, minutes):
    """Return the seconds until the page shows a comparison of one game over other minutes."""
    begun = time.perf_counter()
    page.fill("input[name=minutes]", str(minutes))
    page.keyboard.press("Tab")
    page.wait_for_url(f"**minutes={minutes}**")
    return time.perf_counter() - begun


def processor(browser):
    """Return the processor seconds of each of the browser's processes, by process number."""
    session = browser.new_browser_cdp_session()
    found = session.send("SystemInfo.getProcessInfo")["processInfo"]
    session.detach()
    return {one["id"]: one["cpuTime"] for one in found}


def opened(page, address):
    """Return five figures: the seconds until a figure appears, until Python has started and until
    the visitor's own figure appears; the megabytes sent; the processor seconds taken.
    """
    before, begun = processor(page.context.browser), time.perf_counter()
    page.goto(address)
    page.wait_for_selector(".yardsticks")
    first = time.perf_counter() - begun
    page.wait_for_function(HERE, timeout=300_000)
    sent = Counting.sent
    started = time.perf_counter() - begun
    changed(page, 41)
    own, after = time.perf_counter() - begun, processor(page.context.browser)
    return (
        first,
        started,
        own,
        sent,
        sum(taken - before.get(process, 0) for process, taken in after.items()),
    )


def designed(page, template):
    """Return the processor seconds until the figures of a template follow a change of the turn's length."""
    page.evaluate(f"() => {{ location.hash = '#/design?template={template}&games=red_poppies'; }}")
    page.wait_for_function(f"() => location.hash.includes('{template}')")
    page.wait_for_selector('#sheet-text[name="text"]', state="attached")
    page.wait_for_function(
        "() => document.querySelector('.yardsticks') && !document.querySelector('main[aria-busy]')"
    )
    figures, before = page.inner_text(".yardsticks"), processor(page.context.browser)
    field = page.locator('[name="f.delays.minutes"]')
    field.fill("7")
    field.press("Tab")
    page.wait_for_function(
        "before => document.querySelector('.yardsticks')?.innerText !== before", arg=figures
    )
    after = processor(page.context.browser)
    return sum(taken - before.get(process, 0) for process, taken in after.items())


def measured(address):
    """Return all measurements by name."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_context().new_page()
        page.set_default_timeout(300_000)
        first, started, own, sent, taken = opened(page, address)
        page.wait_for_function(
            "() => document.getElementById('state').textContent.includes('offline')"
        )
        found = {"megabytes until Python has started": sent / 1e6, "cold: a first figure": first}
        found |= {"cold: Python has started": started, "cold: a first figure of one's own": own}
        found["cold: processor time until then"] = taken
        page.goto("about:blank")
        first, started, own, _, taken = opened(page, address)
        found |= {"warm: a first figure": first, "warm: Python has started": started}
        found |= {
            "warm: a first figure of one's own": own,
            "warm: processor time until then": taken,
        }
        page.evaluate("() => { location.hash = '#/whatif?game=red_poppies&minutes=30&v=1'; }")
        page.wait_for_selector("input[type=range]")
        page.wait_for_function("() => !document.querySelector('main[aria-busy]')")
        slider = page.locator("input[type=range]").first
        slider.focus()
        begun = time.perf_counter()
        page.keyboard.press("ArrowRight")
        page.wait_for_selector(".yardsticks .changed, label.changed")
        found["a changed number redrawn"] = time.perf_counter() - begun
        taken = {template: designed(page, template) for template in sheet_templates()}
        found |= {f"design: {template}": seconds for template, seconds in taken.items()}
        slowest = "design: processor time of a changed figure, the slowest template"
        found[slowest] = max(taken.values())
        browser.close()
    return found


def main(arguments):
    """Build, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runtime", type=Path)
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as name:
        begun = time.perf_counter()
        sizes = build(Path(name) / "site", Catalogue.installed(), runtime=given.runtime)
        print(
            f"built in {time.perf_counter() - begun:.1f} s: {len(sizes)} files, {sum(sizes.values()) / 1e6:.2f} MB"
        )
        for file, size in sorted(sizes.items(), key=lambda each: -each[1])[:6]:
            print(f"  {size / 1e6:6.2f} MB  {file}")
        with ThreadingHTTPServer(("127.0.0.1", 0), partial(Counting, directory=name)) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            found = measured(f"http://127.0.0.1:{server.server_port}/site/#/compare")
            server.shutdown()
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    for what, value in found.items():
        goal = f"  (goal {GOALS[what]:g})" if what in GOALS else ""
        print(f"{value:8.2f}  {what}{goal}")


if __name__ == "__main__":
    main(sys.argv[1:])
