"""The studio in the system's Chromium: a server for the test, and pages that report forbidden
requests and errors.
"""

import fcntl
import os
import re
import shutil
import subprocess
import sys
import threading
from functools import partial, partialmethod
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page, sync_playwright
from xdist.scheduler import LoadScopeScheduling

PICTURES = Path(os.environ.get("FIREPLAN_SCREENSHOTS", ""))
"""The folder for screenshots; none are taken when it is not set."""
PROGRAM = shutil.which("chromium-headless-shell") or shutil.which("chromium")
"""The system's Chromium; the version without windows does the same in two thirds of the time."""
CHEAP = ("--js-flags=--liftoff-only",)
"""WebAssembly compiled once and simply: no visit here is long enough to gain from a second pass."""
UNHURRIED = Path(__file__).parents[1] / "unhurried.py"
PATIENCE = 240_000
"""Milliseconds that a page may take before a test fails: a slow machine is not a fault."""
POLLING = 100
"""Milliseconds between two checks of a page; by default it is checked, and drawn, in every frame.
"""
Page.wait_for_function = partialmethod(Page.wait_for_function, polling=POLLING)
BOTH = (("light", 1280), ("dark", 400))
"""Each colour scheme and each width once; ``.ci/run`` tries these, and before a release ``CROSSED``
too.
"""
CROSSED = (("dark", 1280), ("light", 400))
TOGETHER = re.compile(r"test_(site|site_tables|design|film|remote)\.py|test_both\.py.*\[site")
"""Tests that share something slow to make with their file: a visitor of the static site, a film, a
network.
"""


class Together(LoadScopeScheduling):
    """A scheduler that keeps tests of one module in one process, and distributes the others one by
    one.
    """

    def _split_scope(self, nodeid):
        return nodeid.partition("::")[0] if TOGETHER.search(nodeid) else nodeid


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    return Together(config, log)


@pytest.fixture(scope="session")
def tables(tmp_path_factory):
    return tmp_path_factory.mktemp("tables")


@pytest.fixture(scope="session")
def studio_process(tables):
    command = [sys.executable, UNHURRIED, "serve", "--port", "0", "--tables", str(tables)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        yield process
        process.terminate()


@pytest.fixture(scope="session")
def server(studio_process):
    return re.search(r"http://\S+", studio_process.stdout.readline())[0].rstrip("/")


@pytest.fixture(scope="session")
def chromium():
    """Yield a function that starts the system's Chromium, or another program, with extra arguments;
    each browser is closed at the end.
    """
    with sync_playwright() as playwright:
        started = []

        def start(*arguments, program=None):
            launched = playwright.chromium.launch(
                executable_path=program or PROGRAM, args=["--no-sandbox", *CHEAP, *arguments]
            )
            started.append(launched)
            return started[-1]

        yield start
        for browser in started:
            browser.close()


@pytest.fixture(scope="session")
def browser(chromium):
    return chromium()


class Watched:
    """A page and what it did: requests to other servers, violations of the policy, script errors,
    bytes received.
    """

    def __init__(self, context, server):
        self.server = server
        self.page = context.new_page()
        self.outside = []
        self.complaints = []
        self.page.on("request", self._request)
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _request(self, request):
        if not request.url.startswith((self.server, "data:", "blob:", "file:")):
            self.outside.append(request.url)

    def _console(self, message):
        if message.type in ("error", "warning") and "Failed to load resource" not in message.text:
            self.complaints.append(message.text)

    def go(self, address):
        """Open an address and wait for its answer if that has to be computed."""
        self.page.goto(f"{self.server}{address}", wait_until="commit")
        self.ready()
        return self.page

    def ready(self):
        self.page.wait_for_function(
            "() => document.querySelector('h1') && !document.querySelector('h1').textContent.startsWith('Working on')",
        )
        self.page.wait_for_load_state("load")

    def picture(self, name):
        if PICTURES.name:
            PICTURES.mkdir(parents=True, exist_ok=True)
            self.page.screenshot(path=PICTURES / f"{name}.png")


@pytest.fixture
def opened(browser, server):
    """Return a function that opens watched pages; at the end none may have sent a request elsewhere
    or violated the policy.
    """
    contexts, pages = [], []

    def make(**options):
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        pages.append(Watched(context, server))
        return pages[-1]

    yield make
    outside = [url for page in pages for url in page.outside]
    complaints = [text for page in pages for text in page.complaints]
    for context in contexts:
        context.close()
    assert outside == []
    assert complaints == []


@pytest.fixture
def watched(opened):
    return opened()


def without_odds(page):
    """Keep table pages from asking for odds, which a player who only plays would wait for at every
    order.
    """
    page.route("**/static/odds.js", lambda route: route.abort())


COLOURS = ("color-contrast", "link-in-text-block")
"""The rules of axe for colours, which take most of its time."""
FIELDS = """class {
  #key = Symbol();
  has(object) { return this.#key in object; }
  get(object) { return object[this.#key]; }
  set(object, value) { object[this.#key] = value; return this; }
  add(object) { return this.set(object, true); }
}"""
"""A WeakMap and a WeakSet that store their contents in the objects themselves."""
AXE = f"(Fields => {{ const WeakMap = Fields, WeakSet = Fields; {AXE_SCRIPT} }})({FIELDS})"
"""Axe, which makes an object for each colour of each element, with its private fields in WeakMaps.
With ``FIELDS`` in their place it finds the same in two thirds of the time.
"""
LAYOUT = ("aria-hidden-focus", "label", "link-name", "button-name", "scrollable-region-focusable")
"""The rules of axe for faults that, like those of colour, another scheme and width can change."""
HIDE = """most => {
  const seen = {}, hidden = [];
  const visit = (each, behind, around) => {
    const style = getComputedStyle(each);
    const painted = [style.backgroundColor, style.backgroundImage, style.opacity].join(" ");
    const back = painted === "rgba(0, 0, 0, 0) none 1" ? behind : `${behind} ${painted}`;
    const look = [back, around, style.color, style.fontSize, style.fontWeight,
      style.textDecorationLine, style.textShadow, each.localName].join("|");
    seen[look] = (seen[look] || 0) + 1;
    const alike = [...each.children].map((child) => visit(child, back, style.color));
    return seen[look] > most && alike.every(Boolean) ? hidden.push(each) : 0;
  };
  visit(document.body, getComputedStyle(document.documentElement).backgroundColor, "");
  for (const each of hidden) { each.style.visibility = "hidden"; }
  window.show = () => { for (const each of hidden) { each.style.visibility = ""; } };
}"""
"""Hides elements whose colours, background and type are those of ``most`` elements before them, as
are those of all that is inside; the layout does not change.
"""
ALIKE = 3
"""The number of elements of one look that are examined for their colours."""


def faults_of(page, only=None):
    """Return (id, HTML of the first place) of each fault that ``axe`` finds, and ("too wide",
    width) if the page is wider than its window.

    ``only`` lists the rules to apply beside those for colours; by default, all. Colours are judged
    at the first elements of each look.
    """
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(AXE)
    others = {"rules": {rule: {"enabled": False} for rule in COLOURS}}
    faults = _found(page, others if only is None else {"runOnly": only}) if only != () else []
    page.evaluate(HIDE, ALIKE)
    faults += _found(page, {"runOnly": COLOURS})
    page.evaluate("() => window.show()")
    wide = page.evaluate("() => document.documentElement.scrollWidth")
    return faults + ([("too wide", wide)] if wide > page.viewport_size["width"] else [])


def _found(page, asked):
    # axe need not preload anything: the pages fetch nothing from other servers.
    asked = {"resultTypes": ["violations"], "preload": False, **asked}
    violations = page.evaluate("asked => axe.run(asked).then(found => found.violations)", asked)
    return [(each["id"], each["nodes"][0]["html"][:120]) for each in violations]


def faults_seen(page, looks=BOTH):
    """Return what axe finds, and pages that are too wide, by colour scheme and width.

    The first combination is checked for everything, the others for what a change of scheme or width
    can affect.
    """
    found = {}
    for scheme, width in looks:
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 900})
        if faults := faults_of(page, LAYOUT if (scheme, width) != looks[0] else None):
            found[scheme, width] = faults
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 1280, "height": 900})
    return found


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="session")
def site_folder(tmp_path_factory):
    """Return the files of the static site, a copy for each test process.

    The first process builds it, unless ``FIREPLAN_BUILT_SITE`` names it.
    """
    several = "PYTEST_XDIST_WORKER" in os.environ
    shared = tmp_path_factory.getbasetemp().parent if several else tmp_path_factory.mktemp("site")
    built = Path(os.environ.get("FIREPLAN_BUILT_SITE") or shared / "site_as_built")
    tarball = os.environ.get("FIREPLAN_RUNTIME")
    command = [sys.executable, "-m", "fireplan.cli", "site", "build", str(built)]
    with (shared / "site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not built.exists():
            command += ["--runtime", tarball] if tarball else []
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    folder = tmp_path_factory.mktemp("served") / "games" / "guns"
    return shutil.copytree(built, folder)


@pytest.fixture(scope="session")
def site(site_folder):
    """Yield the static site under a sub-path of a plain file server."""
    root = site_folder.parent.parent
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(root))) as served:
        threading.Thread(target=served.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{served.server_port}/games/guns"
        served.shutdown()


HERE = "() => document.getElementById('state').textContent.startsWith('Python is ready')"


class Site(Watched):
    """A page of the site in its own browser profile."""

    def __init__(self, browser, site, context=None):
        self.context = context or browser.new_context(
            viewport={"width": 1280, "height": 900}, accept_downloads=True
        )
        self.context.set_default_timeout(PATIENCE)
        super().__init__(self.context, site)

    def start(self, address=""):
        """Open an address of the studio and wait for Python."""
        self.page.goto(f"{self.server}/{address and '#' + address}")
        self.here()
        return self.page

    def here(self):
        self.page.wait_for_function(HERE)
        self.rests()

    def rests(self):
        self.page.wait_for_function("() => document.querySelector('main[aria-busy]') === null")

    def shows(self, text):
        self.page.wait_for_function(
            "text => document.querySelector('main').textContent.includes(text)",
            arg=text,
        )
        self.rests()


@pytest.fixture(scope="module")
def profile(chromium, site):
    """Return a function that opens pages in separate profiles.

    None may send a request elsewhere, violate the policy or raise an error.
    """
    browser, made = chromium(), []

    def make(address=site, context=None):
        made.append(Site(browser, address, context))
        return made[-1]

    make.beside = lambda visitor, address=site: make(address, visitor.context)
    yield make
    assert [url for each in made for url in each.outside] == []
    assert [text for each in made for text in each.complaints] == []


@pytest.fixture(scope="module")
def visitor(profile):
    """Return a visitor whose Python has loaded."""
    made = profile()
    made.start("/compare")
    return made
