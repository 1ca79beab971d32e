"""The built documentation in a browser: ``axe`` finds no fault on pages of every kind, light and
dark.
"""

import os
import subprocess
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from .conftest import faults_of

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = (
    "index.html",
    "games/asl.html",
    "notebooks/comparing_systems.html",
    "reference/commands.html",
    "reference/api.html",
    "search.html?q=barrage",
)


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Yield the address of the documentation: built by its own tests, or else for this one."""
    folder = os.environ.get("FIREPLAN_BUILT_DOCS") or tmp_path_factory.mktemp("docs")
    if not Path(folder, "index.html").exists():
        subprocess.run(
            [sys.executable, "-m", "sphinx", "-q", "-b", "html", str(DOCS), str(folder)], check=True
        )
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as served:
        threading.Thread(target=served.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{served.server_port}"
        served.shutdown()


def test_no_page_of_the_documentation_has_a_fault_of_accessibility(browser, built):
    found = {}
    # One test for both schemes, because the pages are built once.
    for scheme, only in (
        ("light", None),
        ("dark", ()),
    ):
        context = browser.new_context(color_scheme=scheme)
        context.set_default_timeout(0)  # a slow machine is not a fault
        page = context.new_page()
        for name in PAGES:
            answer = page.goto(f"{built}/{name}")
            assert answer.ok, name
            if "?q=" in name:
                page.wait_for_selector("#search-results li")
            if faults := faults_of(page, only):
                found[scheme, name] = faults
        context.close()
    assert found == {}
