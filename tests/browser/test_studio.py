"""The studio as visitors use it: with the mouse, only the keyboard, no scripts, or bad intentions."""

import contextlib
import json
import re
import time
from pathlib import Path

import pytest
from playing_on import step_on

from fireplan.table import Head, begin, make_head
from fireplan_core.chance import RandomFaces
from fireplan_core.play import Catalogue

from .conftest import BOTH, CROSSED, faults_of, faults_seen, without_odds

IMAGE = "<img src=x onerror=\"document.title='caught'\">"
CANARY = "<img src=x onerror=\"document.title='caught'\"><script>document.title='caught'</script>"


def tab_to(page, wanted, most=120):
    """Press Tab until the element of a selector has the focus."""
    for _ in range(most):
        if page.evaluate("selector => document.activeElement.matches(selector)", wanted):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not reach {wanted}")


def extent(page):
    """Return the part of the map in view: x, y, width and height."""
    return [float(each) for each in page.locator("#board").get_attribute("viewBox").split()]


def new_table(watched, scenario):
    """Open a table of a scenario, if its game is installed; return its number."""
    game = scenario.partition("/")[0]
    pytest.importorskip(f"fireplan_{game}", reason="the game is in requirements-games.txt")
    page = watched.go("/tables")
    page.select_option("select[name=scenario]", scenario)
    page.get_by_role("button", name="Open a new table").click()
    page.wait_for_url("**/tables/*")
    return page.url.rpartition("/")[2]


def test_a_comparison_from_the_first_page_to_an_exported_file(watched):
    page = watched.go("/")
    page.get_by_role("link", name="Compare", exact=True).first.click()
    page.wait_for_selector(".yardsticks")
    watched.ready()
    watched.picture("compare")
    page.uncheck("input[value=wacht_am_rhein]")
    gone = "() => { const t = document.querySelector('.yardsticks'); return t && !t.textContent.includes('Wacht'); }"
    page.wait_for_function(gone)
    watched.ready()
    page.fill("input[name=minutes]", "30")
    page.keyboard.press("Tab")
    page.wait_for_url(re.compile("minutes=30"))
    watched.ready()
    page.reload()
    watched.ready()
    assert "Wacht" not in page.inner_text(".yardsticks")
    assert page.input_value("input[name=minutes]") == "30"
    with page.expect_download() as download:
        page.get_by_role("link", name="JSON, exact fractions").click()
    games = json.loads(download.value.path().read_text())["games"]
    assert set(games) == {"asl", "miniatures_1943", "red_poppies"}


def test_one_file_to_take_away_is_read_without_a_server(watched, opened, tmp_path):
    page = watched.go("/compare?games=asl,red_poppies&minutes=30&v=1")
    with page.expect_download() as download:
        page.get_by_role("link", name="one HTML file").click()
    file = tmp_path / "taken.html"
    download.value.save_as(file)
    reader = opened(java_script_enabled=False)
    reader.page.goto(file.as_uri())
    assert reader.page.locator("table").count() >= 4
    assert reader.page.evaluate("() => [...document.images].every(i => i.naturalWidth > 0)") is True


def test_every_picture_of_a_page_is_drawn(watched):
    for address in (
        "/compare?minutes=30&v=1",
        "/whatif?game=asl&minutes=20&set=set_breaks%3D7&v=1",
        "/rules/red_poppies",
    ):
        page = watched.go(address)
        page.wait_for_function(
            "() => [...document.images].every(i => i.complete && i.naturalWidth > 0)"
        )


def test_a_slider_shows_before_and_after(watched):
    page = watched.go("/whatif?game=asl&minutes=8&v=1")
    page.wait_for_selector(".moves")
    slider = page.locator("input[name='n.set_breaks']")
    slider.focus()
    page.keyboard.press("ArrowLeft")
    page.wait_for_url(re.compile("set_breaks"))
    watched.ready()
    page.wait_for_selector(".yardsticks .changed")
    page.wait_for_selector(".moves")
    watched.picture("whatif")


def test_the_numbers_that_matter_most_come_by_themselves_and_the_answer_stays_in_view(watched):
    page = watched.go("/whatif?game=red_poppies&minutes=20&for=on_target&v=1")
    page.wait_for_selector(".moves")
    watched.picture("ranking_on_what_if")
    assert page.locator("[data-rank]").count() == 0
    assert page.locator(".moves h3").count() > 1
    slider = page.locator(".moves input[type=range]").last
    name = slider.get_attribute("name").removeprefix("n.")
    assert name == page.locator(".moves code").last.inner_text(), (
        "the number is not named as it is typed"
    )
    slider.focus()
    page.keyboard.press("ArrowLeft")
    page.wait_for_function(
        "name => document.querySelector('.verdict').textContent.startsWith(`With ${name} `)",
        arg=name,
    )
    assert page.locator(".verdict").bounding_box()["y"] >= 0, (
        "the verdict is out of view beside the slider"
    )
    assert slider.bounding_box()["y"] > page.locator(".verdict").bounding_box()["y"]
    page.set_viewport_size({"width": 400, "height": 800})
    assert page.locator(".yardsticks").first.is_visible()
    assert page.evaluate("() => document.documentElement.scrollWidth") == 400


def test_a_long_answer_has_a_bar_and_is_stopped(watched):
    page = watched.go("/compare?engagement=dug_in&games=red_poppies&minutes=30&v=1")
    before = page.inner_text("h1")
    stopped = []
    page.on(
        "request", lambda request: stopped.append(request.url) if "cancel" in request.url else 0
    )
    page.check("input[value=asl]")
    page.fill("input[name=minutes]", "1439")
    page.keyboard.press("Tab")
    page.wait_for_selector("#working:not([hidden])")
    assert page.locator("#working progress").count() == 1
    for scheme in ("light", "dark"):
        for width in (1280, 400):
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size({"width": width, "height": 800})
            assert faults_of(page) == [], f"at work, {scheme}, {width} px"
            assert page.is_visible("#working")
    page.locator("#working").get_by_role("button", name="Stop").click()
    page.wait_for_selector("#working", state="hidden")
    page.wait_for_selector("main:not([aria-busy])")
    assert stopped
    assert page.inner_text("h1") == before, "the earlier answer was lost"


WORKING = 202
"""The status of a page whose answer is still being computed."""
LONG = [
    "/compare?engagement=dug_in&games=asl&minutes=1438&v=1",
    "/dial?along=guns&for=reduced&minutes=1439&v=1",
    "/questions/best?go=1&goal=delivered&scenario=asl/village&v=1",
    "/ask/playthroughs/asl/village",
    *(
        pytest.param(address, marks=pytest.mark.long)
        for address in (
            "/whatif?game=asl&minutes=1437&v=1",
            "/whatif/ranking?for=on_target&game=asl&minutes=92&v=1",
            "/dial/tune?game=asl&minutes=700&v=1&want=delivered+>=+99+%25&want=on_target+>=+99+%25",
            "/ask?for=on_target&line=asl/village&v=1",
            "/questions/diff?game=asl&go=1&v=1",
            "/questions/duel?go=1&scenario=asl/village&v=1",
        )
    ),
]
"""A long answer of every kind; each alone keeps a processor busy."""


def worked(process):
    """Return the processor ticks that a process's children have used so far."""
    taken = 0
    for file in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = file.read_text().rpartition(")")[2].split()
            if int(fields[1]) == process.pid:
                taken += int(fields[11]) + int(fields[12])
    return taken


def rests(process):
    """Return whether a process's children become idle within half a minute."""
    for _ in range(30):
        before = worked(process)
        time.sleep(1)
        if abs(worked(process) - before) <= 2:
            return True
    return False


def stays(route):
    """Answer a page that can be stopped without reloading it every second, which would reset Tab."""
    answer = route.fetch(max_redirects=0)
    headers = dict(answer.headers)
    if answer.status == WORKING and 'id="stop"' in answer.text():
        del headers["refresh"]
    route.fulfill(response=answer, headers=headers)


@pytest.mark.parametrize("address", LONG)
def test_stop_ends_the_work_on_every_long_answer(watched, studio_process, address):
    page = watched.page
    page.route(re.compile(re.escape(address.partition("?")[0]) + "[?]"), stays)
    page.goto(f"{watched.server}{address}", wait_until="commit")
    page.wait_for_selector("#stop")
    assert page.locator("progress").count() == 1
    tab_to(page, "#stop button")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Cancelled").wait_for()
    assert rests(studio_process)


PLAN = """title = "Guns"
engagements = ["dug_in"]
games = ["asl", "red_poppies"]
minutes = 120

[[vary]]
fact = "guns"
values = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24]
"""


def test_stop_ends_a_sweep_and_keeps_its_plan(watched, studio_process):
    page = watched.go("/ask")
    page.fill("textarea[name=plan]", PLAN)
    page.get_by_role("button", name="Solve the grid").click()
    page.wait_for_selector("#stop")
    page.wait_for_selector("main progress")
    page.locator("#stop button").click()
    page.wait_for_selector("textarea[name=plan], h1:text('Cancelled')")
    assert rests(studio_process)


def test_a_page_that_is_closed_ends_its_work(watched, studio_process):
    page = watched.page
    page.goto(f"{watched.server}{LONG[0]}", wait_until="commit")
    page.wait_for_selector("#stop")
    page.close()
    assert rests(studio_process), "the work did not end within half a minute"


def test_a_whole_mission_by_keyboard_alone(watched):
    without_odds(watched.page)
    page = watched.go("/tables")
    tab_to(page, "select[name=scenario]")
    page.keyboard.type("Advanced Squad Leader: Behind the curtain of fire")
    tab_to(page, "form.choices button")
    page.keyboard.press("Enter")
    page.wait_for_url("**/tables/asl-creeping-*")
    for step in range(90):
        if "/seat/" not in page.url:
            if not page.locator("li:has(strong) a.seat").count():
                break
            tab_to(page, "li:has(strong) a.seat")
            page.keyboard.press("Enter")
            page.wait_for_url("**/seat/*")
        elif page.locator("button.standard").count():
            tab_to(page, "button.standard")
            with page.expect_navigation():
                page.keyboard.press("Enter")
        elif page.locator("section.now form.choices button").count():
            tab_to(page, "section.now form.choices button")
            with page.expect_navigation():
                page.keyboard.press("Enter")
        else:
            break
        if step == 12:
            page.reload()
        if step == 16 and "/seat/" in page.url:
            watched.picture("seat")
    log = page.inner_text("ol.log")
    # The dice are random: the radio may be lost before it has contact.
    assert re.search(r"(?i)(contact|radio).*\(C1\.2", log)
    assert "Undo" in page.inner_text("main")


def weighed(page):
    """Wait for the odds beside the orders, if there are any."""
    page.wait_for_function("() => document.getElementById('weigh') === null")


def asked(page):
    """Return what a seat is asked for: ``dice``, ``order``, or nothing."""
    if page.get_by_role("button", name="Throw").count():
        return "dice"
    return "order" if page.locator("input[name=order]").count() else ""


def answer(page, order):
    """Roll threes if a seat is asked for dice, otherwise give the order."""
    button = "Give order"
    if asked(page) == "dice":
        button = "Throw"
        for die in page.locator("select[name^=die]").all():
            die.select_option("3")
    else:
        page.fill("input[name=order]", order)
    with page.expect_navigation():
        page.get_by_role("button", name=button).click()


def test_no_byte_sent_to_one_seat_reveals_the_other_seats_chits(opened):
    sent = []
    for chit in ("barrages=1 dummies=0", "barrages=0 dummies=1"):
        american, german = opened(), opened()
        bodies = []

        def kept(route, request, to=bodies):
            answer = route.fetch(max_redirects=0)
            if answer.status != WORKING:
                to.append((request.method, answer.status, answer.text()))
            route.fulfill(response=answer)

        american.page.route("**/tables/**", kept)
        # A page that updates itself (follow.js) fetches what a reload shows, but how often depends on
        # the speed of the game and the machine. The number and order of its requests for odds depend on that too;
        # the odds themselves do not, and the test waits for each.
        american.page.route("**/static/follow.js", lambda route: route.abort())
        # What the German seat receives is not compared, nor are odds from before there are chits.
        for each in (american, german):
            without_odds(each.page)
        table = new_table(german, "miniatures_1943/hedgerow_farm")
        placed = False
        for _ in range(12):
            ours = american.go(f"/tables/{table}/seat/american")
            if asked(ours):
                answer(ours, "place air_strikes=0 barrages=1 dummies=0")
                continue
            theirs = german.go(f"/tables/{table}/seat/german")
            theirs.reload()  # reloaded in the middle of the turn: no order is lost or given twice
            placed = asked(theirs) == "order"
            answer(theirs, f"place air_strikes=0 {chit}")
            if placed:
                break
        assert placed, "the German seat placed no chits on the chart"
        american.page.unroute("**/static/odds.js")
        american.go(f"/tables/{table}/seat/american")
        weighed(american.page)
        american.page.reload()
        weighed(american.page)
        texts = (str(body).replace(table, "table") for body in bodies)
        sent.append({re.sub(r"[0-9a-f]{64}", "commitment", text) for text in texts})
    assert any("meter" in text or "the same odds" in text for text in sent[0]), "no odds were sent"
    assert sent[0] == sent[1]


PAGES = [
    "/",
    "/compare?minutes=20&v=1",
    "/compare?engagement=strongpoint&games=miniatures_1943&minutes=20&v=1",
    "/compare?minutes=0&games=acl&v=1",
    "/whatif?game=asl&minutes=10&set=set_breaks%3D7&v=1",
    "/whatif?game=asl&minutes=x&set=set_braeks%3D7&v=1",
    "/whatif/ranking?game=miniatures_1943&minutes=6&v=1",
    "/ask?line=asl%2Fvillage&by=turn+4&v=1",
    "/ask?line=red_poppies%2Fcut_wires&for=delivered&v=1",
    "/ask?line=asl%2Fvilage&v=1",
    "/ask?plan=title+%3D+%22Guns%22%0Aengagements+%3D+%5B%22woods%22%5D%0Agames+%3D+%5B%22asl%22%5D%0Aminutes+%3D+6&v=1",
    "/ask/playthroughs/red_poppies/carried_over",
    "/rules",
    "/rules/asl",
    "/design?template=rocket_salvo&games=red_poppies&v=1",
    "/tables",
    "/tables/nothing",
    "/nowhere",
    "/dial?v=1&minutes=12&along=own_troops&for=own_troops_under_fire",
    "/dial/tune?v=1&game=red_poppies&minutes=12&want=delivered+>=+99+%25&want=minutes_to_first_effect+<=+11+min",
]


@pytest.fixture(scope="module")
def played(tables):
    """Store three tables and return their pages: one asks for dice in the plane, one is finished,
    one is a broken journal.
    """
    installed = Catalogue.installed()
    for name, scenario, inputs in (
        ("dice", "miniatures_1943/hedgerow_farm", 0),
        ("over", "asl/village", 900),
    ):
        session = begin(
            tables / f"{name}.journal", installed, make_head(installed, scenario, None, {})
        )
        dice = RandomFaces("a played table")
        for _ in range(inputs):
            if session.table.waits_for is None:
                break
            step_on(session, dice)
        session.journal.close()
    (tables / "broken.journal").write_text("this is no journal")
    return [
        "/tables/dice/seat/american",
        "/tables/over",
        "/tables/over/seat/german",
        "/tables/broken",
    ]


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_the_film_of_the_front_page_plays_unless_motion_is_unwanted(opened, motion):
    page = opened(reduced_motion=motion).go("/")
    caption, button = page.locator("#caption"), page.locator("#short-play")
    assert button.inner_text() == ("Pause" if motion == "no-preference" else "Play")
    before = caption.inner_text()
    if motion == "reduce":
        page.wait_for_timeout(2500)
        assert caption.inner_text() == before
        button.click()
    page.wait_for_function(
        "text => document.getElementById('caption').textContent !== text", arg=before
    )
    button.click()
    before = caption.inner_text()
    page.wait_for_timeout(2500)
    assert caption.inner_text() == before


@pytest.mark.parametrize("half", [0, 1])
@pytest.mark.parametrize("looks", [BOTH, pytest.param(CROSSED, marks=pytest.mark.long)])
def test_no_page_has_a_fault_of_accessibility_or_is_too_wide(opened, played, looks, half):
    """Only elements marked as scrollers may scroll sideways."""
    watched = opened(has_touch=True)
    found = {}

    def check(what):
        if faults := faults_seen(watched.page, looks):
            found[what] = faults

    table = new_table(watched, "red_poppies/bloody_repulse")
    seats = (f"/tables/{table}", f"/tables/{table}/seat/french", f"/tables/{table}/seat/referee")
    wide = f"/tables/{new_table(watched, 'wacht_am_rhein/two_divisions')}"
    addresses = (*PAGES, "/rules/red_poppies", *played, wide, f"{wide}/seat/US", *seats)
    for address in addresses[half::2]:
        watched.go(address)
        check(address)
    if half:
        assert found == {}
        return
    page = watched.go(seats[-1])
    page.get_by_role("button", name="Keys").click()
    check("keys")
    page.get_by_role("button", name="Close").click()
    for field in page.locator("input[name=seen]").all():
        field.evaluate("each => { each.value = 'older'; }")
    page.locator("section.now button[type=submit]").first.click()
    page.wait_for_selector("#said .faults")
    assert "moved on" in page.inner_text("#said")
    check("a page that is older than the table")
    watched.go(next(each for each in PAGES if each.startswith("/ask?plan=")))
    page.get_by_role("button", name="Solve the grid").click()
    page.get_by_role("heading", name="A sweep", exact=True).wait_for()
    assert page.get_by_role("status").first.inner_text() == "1 of 1 point solved."
    check("a sweep")
    assert found == {}


def test_a_comparison_on_a_phone_has_a_card_for_each_game(opened):
    watched = opened(viewport={"width": 400, "height": 800}, has_touch=True)
    page = watched.go("/compare?minutes=20&v=1")
    assert page.locator(".card:visible").count() == page.locator(".card").count() > 1
    assert page.locator(".yardsticks:visible").count() == 0
    page.locator("#all").evaluate("heading => heading.scrollIntoView()")
    watched.picture("phone")


@pytest.mark.parametrize("address", ["/compare?minutes=20&v=1", "/design?games=asl&v=1"])
def test_on_a_phone_controls_and_answer_begin_on_the_first_two_screens(opened, address):
    watched = opened(viewport={"width": 400, "height": 800}, has_touch=True)
    page = watched.go(address)
    page.wait_for_selector(".cards .card")
    for each in ("select[name=engagement]", ".cards .card >> nth=0"):
        assert page.locator(each).bounding_box()["y"] < 1600, each
    games = page.locator("details[data-fold]:has(> fieldset, > * > fieldset)").first
    assert not page.locator("input[type=checkbox][name=games]").first.is_visible()
    games.locator("summary").first.click()
    assert page.locator("input[type=checkbox][name=games]").first.is_visible()
    page.set_viewport_size({"width": 1280, "height": 900})
    page.wait_for_function("() => !document.querySelector('details[data-fold]:not([open])')")
    assert page.locator("details[data-fold] > summary:visible").count() == 0


def test_the_dial_is_turned_by_keyboard_and_draws_its_curve_when_it_rests(watched):
    page = watched.go("/dial?v=1&minutes=12&along=own_troops&for=own_troops_under_fire")
    watched.picture("dial")
    before = page.inner_text("#answer table.dialled")
    page.focus("input[name='e.own_troops']")
    for key in [*7 * ["PageDown"], *3 * ["ArrowRight"]]:
        page.keyboard.press(key)
    page.wait_for_url(re.compile("along=own_troops&e.own_troops=109&"))
    assert page.inner_text("#along") == "Plotted against own_troops"
    assert page.evaluate("() => document.activeElement.name") == "e.own_troops"
    assert page.inner_text("#answer table.dialled") != before
    page.set_viewport_size({"width": 400, "height": 800})
    assert page.evaluate("() => document.documentElement.scrollWidth") == 400
    page.reload()
    watched.ready()
    assert page.input_value("input[name='e.own_troops']") == "109"


def test_the_dial_opens_with_a_curve_and_tunes_to_its_targets(watched):
    page = watched.go("/dial?v=1&minutes=12&game=red_poppies")
    page.wait_for_selector("#along")
    assert page.inner_text("#along") == "Plotted against guns"
    assert page.input_value("select[name=along]") == "guns"
    page.fill("input[name=want] >> nth=0", "delivered >= 80 %")
    page.get_by_role("button", name="Find the fewest changes").click()
    page.wait_for_selector("text=Back to the dial")
    assert "unchanged" in page.inner_text("main")
    page.get_by_role("link", name="Back to the dial").click()
    page.wait_for_selector("#along")
    assert page.input_value("input[name=want] >> nth=0") == "delivered >= 80.0 %"


def test_the_dial_needs_no_scripts(opened):
    watched = opened(java_script_enabled=False)
    page = watched.page
    page.goto(f"{watched.server}/dial?v=1&minutes=12")
    page.get_by_label("Plot against").select_option("men")
    page.get_by_role("button", name="Show").click()
    page.wait_for_selector("#along")
    assert page.inner_text("#along") == "Plotted against men"


def test_single_keys_work_at_the_table_but_not_while_typing(opened, played):
    watched = opened()
    page = watched.go("/tables/dice/seat/american")
    page.keyboard.press("h")
    assert not page.is_visible("#units")
    page.keyboard.press("h")
    assert page.is_visible("#units")
    page.keyboard.press("f")
    wide = extent(page)
    page.keyboard.press("+")
    assert extent(page)[2] < wide[2]
    page.keyboard.press("f")
    assert extent(page) == wide
    page.keyboard.press("?")
    assert page.is_visible("#keys")
    page.keyboard.press("Escape")
    page.keyboard.press("l")
    assert page.evaluate("() => document.activeElement.matches('.log')")
    page.locator("#cells [data-label='-50,-50'] .cell").click()
    page.locator("#cells [data-label='150,-50'] .cell").hover()
    assert "200 yd, 183 m" in page.inner_text("#measured")
    with page.expect_navigation():
        page.keyboard.press("r")
    assert "air superiority" in page.inner_text("ol.log").replace("_", " ")
    while not page.locator("input[name=order]").count():
        asked = [s for s in ("american", "german") if s != page.url.rpartition("/")[2]]
        page = watched.go(f"/tables/dice/seat/{asked[0]}")
    page.focus("input[name=order]")
    page.keyboard.type("hulrf?")
    assert page.input_value("input[name=order]") == "hulrf?"
    assert page.is_visible("#units")
    assert not page.is_visible("#keys")


def test_a_seat_prints_completely_without_screen_controls(opened, played):
    watched = opened()
    page = watched.go("/tables/over/seat/german")
    log = "() => { const log = document.querySelector('div.log'); return log.scrollHeight - log.clientHeight; }"
    assert page.evaluate(log) > 0
    page.emulate_media(media="print")
    assert page.evaluate(log) == 0
    assert (
        page.locator("button:visible, input:visible, select:visible, #measured:visible").count()
        == 0
    )
    assert page.is_visible("#board")
    assert (
        page.evaluate("() => getComputedStyle(document.querySelector('h2')).breakAfter") == "avoid"
    )


def test_everything_works_with_scripts_off(opened):
    plain = opened(java_script_enabled=False)
    page = plain.page
    # The page polls until its answer is ready; a second request from the test would interfere.
    page.goto(f"{plain.server}/compare?games=asl,red_poppies&minutes=30&v=1", wait_until="commit")
    page.locator("main", has_text="Surest to fire at all").wait_for()
    page.select_option("select[name=engagement]", "open_attack")
    page.get_by_role("button", name="Compare").click()
    page.wait_for_url(re.compile("engagement=open_attack"), wait_until="commit")
    page.locator("h1").filter(has_not_text="Working on the answer").wait_for()
    page.goto(f"{plain.server}/tables")
    page.select_option("select[name=scenario]", "asl/village")
    page.get_by_role("button", name="Open a new table").click()
    page.get_by_role("link", name="german").click()
    with page.expect_navigation():
        page.get_by_role("button", name="Have the Observer call for fire").click()
    assert "calls for fire" in page.inner_text("ol.log")
    assert page.locator("#cells [role=gridcell]").count() > 20


def test_a_canary_in_free_text_is_shown_and_never_run(watched, opened, tables, tmp_path):
    from urllib.parse import quote

    text = f'game = "asl"\ntitle = {json.dumps(CANARY)}\nsummary = {json.dumps(CANARY)}\n'
    installed = Catalogue.installed()
    village = installed["asl"].game.scenarios.shipped["village"].read_text()
    body = re.sub(r"(?m)^(title|summary|game) = .*\n", "", village, count=3)
    body = body.replace('name = "lieutenant"', f"name = {json.dumps(IMAGE)}").replace(
        '"lieutenant"', json.dumps(IMAGE)
    )
    head = Head(kind="scenario", name="canary.toml", text=text + body, game="asl")
    begin(tables / "canary.journal", installed, head).journal.close()
    addresses = [
        f"/compare?e.title={quote(CANARY)}&games=asl&minutes=10&v=1",
        f"/compare/sheet.svg?e.title={quote(CANARY)}&games=asl&minutes=10&v=1",
        f"/compare?games={quote(CANARY)}",
        f"/compare?{quote(CANARY)}=1",
        f"/whatif?game=asl&set={quote(CANARY)}",
        f"/rules/asl?find={quote(CANARY)}",
        "/tables",
        "/tables/canary",
        "/tables/canary/seat/german",
        f"/tables/canary/seat/german?why={quote(CANARY)}",
    ]
    for address in addresses:
        if ".svg" in address:
            watched.page.goto(f"{watched.server}{address}")
        else:
            watched.go(address)
        watched.page.wait_for_timeout(200)
        assert watched.page.title() != "caught", address
    assert "&lt;img" in watched.page.content()
    page = watched.go(f"/compare?e.title={quote(CANARY)}&games=asl&minutes=10&v=1")
    with page.expect_download() as download:
        page.get_by_role("link", name="one HTML file").click()
    file = tmp_path / "canary.html"
    download.value.save_as(file)
    reader = opened()
    reader.page.goto(file.as_uri())
    reader.page.wait_for_timeout(300)
    assert reader.page.title() != "caught"


def test_a_name_that_resolves_here_is_turned_away(browser, server):
    port = server.rpartition(":")[2]
    context = browser.new_context()
    page = context.new_page()
    answer = page.request.get(f"{server}/rules", headers={"Host": f"evil.example:{port}"})
    assert answer.status == 400
    context.close()


@pytest.mark.long
def test_pictures_of_the_other_pages(watched):
    watched.go("/rules")
    watched.picture("games")
    watched.go("/rules/red_poppies")
    watched.page.wait_for_function("() => [...document.images].every(i => i.complete)")
    watched.picture("rules")
    watched.go("/compare?minutes=0&games=acl&e.men=many&v=1")
    assert watched.page.locator(".faults li").count() == 3
    watched.picture("faults")
    watched.go("/whatif/ranking?game=red_poppies&minutes=30&v=1")
    watched.picture("ranking")
    watched.go(
        "/ask?line=asl%2Fvillage+%22turn+2+PFPh%22+a%7Bstage%3Drequested+red%3D1+contact%7D&by=turn+4&v=1"
    )
    watched.page.locator("#answer").scroll_into_view_if_needed()
    watched.picture("ask")
    watched.go("/tables")
    watched.picture("tables")


def test_the_next_order_has_the_focus_though_the_stream_is_faster_than_the_answer(watched):
    page = watched.go(f"/tables/{new_table(watched, 'asl/village')}/seat/german")

    def late(route):
        answer = route.fetch(max_redirects=0)
        time.sleep(1.5)
        route.fulfill(response=answer)

    page.route("**/german/order", late)
    with page.expect_navigation():
        page.keyboard.press("1")
    page.wait_for_selector("ol.log >> text=calls for fire")
    page.wait_for_function("() => document.activeElement.name === 'order'", timeout=20_000)


def test_odds_appear_beside_the_orders_and_number_keys_give_orders(watched):
    page = watched.go("/tables")
    page.locator("button[value='asl/village']").click()
    page.wait_for_url("**/tables/asl-village-*")
    page.get_by_role("link", name="german").click()
    page.wait_for_selector(".orders meter")
    assert "76.5 %" in page.inner_text(".orders")
    page.select_option("#goal", "falls")
    assert "90.7 %" in page.inner_text(".orders")
    assert "76.5 %" not in page.inner_text(".orders")
    page.locator("h1").click()
    with page.expect_navigation():
        page.keyboard.press("1")
    page.wait_for_selector("ol.log >> text=calls for fire")
    # The focus is on the next order, and the goal is unchanged.
    page.wait_for_function("() => document.activeElement.name === 'order'")
    page.wait_for_selector(".orders [data-goal=falls] meter")
    assert page.input_value("#goal") == "falls"
    page.locator("h1").click()
    with page.expect_navigation():
        page.keyboard.press("Enter")
    page.wait_for_selector("section.now [data-key=r]")
