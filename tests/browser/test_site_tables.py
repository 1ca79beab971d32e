"""Tables of the static site: missions, films and journals, which the browser stores."""

import re
import shutil

import pytest

from fireplan.table import reopen
from fireplan_core.play import Catalogue

from .conftest import BOTH, CROSSED, faults_seen
from .test_studio import tab_to


def test_a_whole_mission_with_undo_and_reload(visitor):
    undone = reloaded = False
    for _ in range(8):  # the dice are random, so a mission may end early
        undone, reloaded = played(visitor, undone=undone, reloaded=reloaded)
        if undone and reloaded:
            return
    pytest.fail(f"undone: {undone}, reloaded: {reloaded}")


WEIGHS = "() => document.getElementById('weigh') && localStorage.getItem('fireplan-goal') !== ''"
"""True if a seat waits for the odds beside its orders."""


def leave_odds_out(page):
    """Wait for the odds of the first order, then turn them off: Python computes them before
    anything else.
    """
    page.wait_for_selector(".weight meter", state="attached")
    page.select_option("#goal", "")


def played(visitor, *, undone, reloaded):
    """Play a mission to its end at a new table.

    Return whether an input was taken back, and whether the page was reloaded.
    """
    page = visitor.page
    page.get_by_role("link", name="Table", exact=True).click()
    visitor.shows("Open a new table")
    page.select_option("select[name=scenario]", "asl/village")
    page.get_by_role("button", name="Open a new table").click()
    page.wait_for_url("**/tables/asl-village-*")
    for _ in range(90):
        visitor.rests()
        if "/seat/" not in page.url:
            if not page.locator("li:has(strong) a.seat").count():
                break
            page.locator("li:has(strong) a.seat").first.click()
            page.wait_for_url("**/seat/*")
            page.wait_for_selector("section.now")
            page.wait_for_selector(".map-keys:not([hidden])")  # the map's script has started
            continue
        if page.evaluate(WEIGHS):
            leave_odds_out(page)
        button = page.locator("button.standard, section.now form.choices button").first
        if not button.count():
            break
        lines = page.locator("ol.log li").count()
        button.click()
        page.wait_for_function(
            "n => document.querySelectorAll('ol.log li').length !== n", arg=lines
        )
        if lines > 3 and not undone and page.locator("button[data-key=u]").count():
            page.locator("button[data-key=u]").click()
            undone = True
        elif lines > 8 and not reloaded:
            # The briefing is open only until the game begins.
            page.evaluate(
                "() => document.querySelector('details.briefing').removeAttribute('open')"
            )
            page.wait_for_selector("#files")  # the last part of the page to load
            before = page.inner_text("main")
            page.reload()
            visitor.here()
            page.wait_for_selector("#files")
            assert page.inner_text("main") == before
            reloaded = True
    page.evaluate("() => localStorage.removeItem('fireplan-goal')")
    return undone, reloaded


def first_table(visitor):
    """Go to the table asl-village-1, after playing a mission there unless an earlier test has."""
    page = visitor.page
    page.evaluate("() => { location.hash = '#/tables'; }")
    visitor.shows("Open a new table")
    if not page.get_by_role("button", name="Save asl-village-1").count():
        played(visitor, undone=True, reloaded=True)
    page.evaluate("() => { location.hash = '#/tables/asl-village-1'; }")
    page.wait_for_selector("a.seat")


def test_the_film_of_a_journal_shows_the_chances_and_is_taken_away_as_a_file(visitor):
    page = visitor.page
    first_table(visitor)
    page.locator("a.seat").first.click()
    page.get_by_role("link", name="Film").click()
    page.wait_for_selector(".luck", state="attached")
    assert (
        page.locator(".luck")
        .first.text_content()
        .startswith("Chance of a result at least as good: ")
    )
    with page.expect_download() as download:
        page.locator("a[href*='film.html']").click()
    assert "at least as good" in download.value.path().read_text()


def test_a_long_job_is_cancelled_and_python_restarts(visitor):
    page = visitor.page
    first_table(visitor)
    page.evaluate("() => { location.hash = '#/compare?games=asl&minutes=1439&v=1'; }")
    page.wait_for_selector("#work progress")
    assert faults_seen(page) == {}, "axe found faults while odds were computed"
    assert page.is_visible("#work progress")
    tab_to(page, "#cancel")
    page.keyboard.press("Enter")
    visitor.shows("The calculation was stopped")
    visitor.here()
    page.wait_for_function("() => document.getElementById('state').textContent.includes('offline')")
    assert page.is_hidden("#work")
    page.evaluate("() => { location.hash = '#/tables/asl-village-1'; }")
    page.wait_for_selector("a.seat")


def test_a_missing_table_offers_nothing_to_save(visitor):
    visitor.page.evaluate("() => { location.hash = '#/tables/nothing'; }")
    visitor.shows("There is no such table")
    visitor.page.wait_for_timeout(500)
    assert "Save" not in visitor.page.inner_text("main")


LOOKED_AT = ("/", "/compare?v=1", "/dial", "/ask", "/tables", "/tables/asl-village-1/seat/german")


ALSO_LOOKED_AT = (
    *("/whatif?game=asl&v=1", "/design", "/tables/asl-village-1", "/rules", "/rules/asl"),
    *("/nowhere", "/ask/playthroughs/asl/first_mission"),
)


"""Pages that are checked in the studio as well, where they have the same parts."""


@pytest.mark.parametrize(
    ("addresses", "looks"),
    [
        (LOOKED_AT, BOTH),
        *(
            pytest.param(*case, marks=pytest.mark.long)
            for case in ((ALSO_LOOKED_AT, BOTH), (LOOKED_AT + ALSO_LOOKED_AT, CROSSED))
        ),
    ],
)
def test_axe_finds_nothing_in_both_schemes_wide_and_on_a_phone(visitor, addresses, looks):
    page, found = visitor.page, {}
    first_table(visitor)
    for address in addresses:
        page.evaluate("() => { document.querySelector('main h1').dataset.left = ''; }")
        page.evaluate("address => { location.hash = '#' + address; }", address)
        page.wait_for_selector("main h1:not([data-left])")
        visitor.rests()
        if faults := faults_seen(page, looks):
            found[address] = faults
    assert found == {}


REFUSED = "Object.defineProperty(self, 'indexedDB', { get() { throw new DOMException('denied', 'SecurityError'); } });"


FULL = "IDBObjectStore.prototype.put = () => { throw new DOMException('no room', 'QuotaExceededError'); };"


def begin_table(visitor):
    page = visitor.page
    page.evaluate("() => { location.hash = '#/tables'; }")
    visitor.shows("Open a new table")
    page.select_option("select[name=scenario]", "asl/village")
    page.get_by_role("button", name="Open a new table").click()
    page.wait_for_selector("a.seat")
    visitor.rests()


def saved(visitor, name):
    with visitor.page.expect_download() as download:
        visitor.page.get_by_role("button", name=f"Save {name}").click()
    return download.value.path()


def faulty(fault):
    """Return a route that inserts a fault before the worker's script."""

    def answer(route):
        sound = route.fetch()
        route.fulfill(response=sound, body=fault + sound.text())

    return answer


@pytest.mark.parametrize(
    ("fault", "said"), [(REFUSED, "does not store data"), (FULL, "could not store")]
)
def test_refused_or_full_storage_is_reported_and_nothing_is_lost(profile, tmp_path, fault, said):
    visitor = profile()
    visitor.page.route("**/worker.js*", faulty(fault))
    visitor.start("/tables")
    begin_table(visitor)
    visitor.page.wait_for_selector("#said:not([hidden])")
    assert said in visitor.page.inner_text("#said")
    assert "Save the journal" in visitor.page.inner_text("#said")
    copy = tmp_path / "kept.fireplan"
    copy.write_bytes(saved(visitor, "asl-village-1").read_bytes())
    session, head = reopen(copy, Catalogue.installed())
    assert head.game == "asl"
    assert session.scenario.title
    session.journal.close()
    visitor.context.close()


def test_a_journal_saved_here_is_opened_there_and_in_the_program(visitor, profile, tmp_path):
    first_table(visitor)
    visitor.page.evaluate("() => { location.hash = '#/tables'; }")
    visitor.shows("Files")
    copy = tmp_path / "Village of mine.fireplan"
    copy.write_bytes(saved(visitor, "asl-village-1").read_bytes())
    session, _ = reopen(copy, Catalogue.installed())
    inputs = len(session.rows)
    session.journal.close()
    assert inputs > 0
    other = profile()
    other.start("/tables")
    other.page.wait_for_selector("input[type=file]")
    other.page.set_input_files("input[type=file]", copy)
    other.shows("village-of-mine")
    other.page.set_input_files("input[type=file]", copy)
    other.shows("village-of-mine-2")
    junk = tmp_path / "junk.txt"
    junk.write_text("no journal")
    other.page.set_input_files("input[type=file]", junk)
    other.page.wait_for_selector("#said:not([hidden])")
    assert "junk.txt cannot be opened" in other.page.inner_text("#said")
    assert "junk" not in other.page.inner_text("main table")
    other.page.get_by_role("link", name="village-of-mine", exact=True).click()
    other.page.wait_for_selector("a.seat")
    other.context.close()


def test_one_page_writes_the_journals_and_the_others_offer_nothing_that_writes(profile):
    visitor = profile()
    page = visitor.start("/tables")
    page.wait_for_selector("input[type=file]")
    second = profile.beside(visitor)
    second.start("/tables")
    assert "open in another page" in second.page.inner_text("main")
    assert not second.page.locator("form, input, #files").count()
    second.page.click("#bring")
    begin_table(second)
    page.wait_for_selector("#bring")
    assert "taken over" in page.inner_text("#said")
    assert not page.locator("main form, main input, #files").count()
    # A form of another page would have overwritten the store with this page's old memory.
    page.evaluate("() => fetch('/ask/sweep', { method: 'POST', body: 'plan=nothing' })")
    page.click("#bring")
    page.get_by_role("link", name="asl-village-1").click()
    page.wait_for_selector("a.seat")
    assert "open in another page" in second.page.inner_text("main")
    page.reload()
    visitor.here()
    page.wait_for_selector("a.seat")
    visitor.context.close()


@pytest.mark.long
def test_a_page_that_cannot_store_its_last_change_does_not_give_the_tables_up(profile):
    visitor = profile()
    visitor.page.route("**/worker.js*", faulty(FULL))
    visitor.start("/tables")
    begin_table(visitor)
    second = profile.beside(visitor)
    second.start("/tables")
    second.page.click("#bring")
    second.shows("The other page does not answer, so nothing was moved")
    saved(visitor, "asl-village-1")
    visitor.context.close()


def test_two_sites_of_one_origin_share_nothing(visitor, profile, site_folder):
    first_table(visitor)
    visitor.page.wait_for_function(
        "() => document.getElementById('state').textContent.includes('offline')"
    )
    kept = visitor.page.evaluate("() => caches.keys()")
    other = site_folder.parent / "others"
    shutil.copytree(site_folder, other)
    script = other / "sw.js"
    script.write_text(re.sub("(const CACHE = .*[}])", r"\1of-another-build-", script.read_text()))
    second = profile.beside(visitor, visitor.server.replace("guns", "others"))
    second.start("/tables")
    # The tables of the first page do not interfere.
    second.page.wait_for_selector("input[type=file]")
    assert "There are no journals yet." in second.page.inner_text("main")
    second.page.wait_for_function(
        "() => document.getElementById('state').textContent.includes('offline')"
    )
    both = second.page.evaluate("() => caches.keys()")
    assert set(kept) < set(both)
    second.page.close()
