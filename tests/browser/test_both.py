"""Behaviour that the served studio and the static site share: copying, links, keys, and messages."""

import csv
import re

import pytest

import fireplan as fp
from fireplan.analysis import as_data, percent
from fireplan.draw.palette import look, looks_of

from .conftest import BOTH, CROSSED, Site, faults_seen
from .test_studio import tab_to

GUNS = "/compare?e.guns=24&games=asl,red_poppies,wacht_am_rhein&minutes=20&v=1"
TITLE = "A company prone in the woods, with 24 guns, over 20 minutes"
PHONE, WIDE = {"width": 400, "height": 800}, {"width": 1280, "height": 900}


class Surface:
    """The served studio or the static site: a page, and how it goes to an address."""

    def __init__(self, watched):
        self.watched, self.page = watched, watched.page
        self.on_site = isinstance(watched, Site)

    def go(self, address):
        if not self.on_site:
            return self.watched.go(address)
        if self.page.url.endswith(f"#{address}"):
            self.go("/rules")
        self.page.evaluate("() => { document.querySelector('main h1').dataset.left = ''; }")
        self.page.evaluate("address => { location.hash = `#${address}`; }", address)
        self.page.wait_for_selector("main h1:not([data-left])")
        self.watched.rests()
        return self.page

    def copied(self, button):
        """Press a copy button and return the copied text."""
        self.page.evaluate(
            "() => { window.taken = undefined;"
            " navigator.clipboard.writeText = async text => { window.taken = text; }; }"
        )
        self.page.get_by_role("button", name=button, exact=True).click()
        self.page.wait_for_function("() => window.taken")
        return self.page.evaluate("() => window.taken")


@pytest.fixture(scope="module")
def on_site(profile):
    visitor = profile()
    visitor.start("/rules")
    return visitor


SITE_BEFORE_A_RELEASE = pytest.mark.parametrize(
    "surface", ["served", pytest.param("site", marks=pytest.mark.long)], indirect=True
)
"""Marks tests of scripts that both share, and of answers that the site computes as the program
does.
"""


@pytest.fixture(params=["served", "site"])
def surface(request):
    if request.param == "site":
        visitor = request.getfixturevalue("on_site")
        visitor.page.set_viewport_size(WIDE)
        return Surface(visitor)
    return Surface(request.getfixturevalue("opened")())


@SITE_BEFORE_A_RELEASE
def test_copies_carry_title_change_figures_version_and_link(surface):
    surface.go(GUNS)
    games = fp.compare(
        games=["asl", "red_poppies", "wacht_am_rhein"], guns=24, minutes=20
    ).comparison.games
    figures = [percent(game.measures["on_target"].value) for game in games.values()]
    link = surface.copied("Copy link")
    assert "e.guns=24" in link
    assert "figures=" in link
    assert link.startswith(surface.watched.server)
    for kind, holds_title in (
        ("Markdown", f"**{TITLE}**"),
        ("BBCode", f"[b]{TITLE}[/b]"),
        ("text", TITLE),
    ):
        text = surface.copied(f"Copy as {kind}")
        assert text.startswith(holds_title), kind
        assert all(figure in text for figure in figures), kind
        assert re.search(r"Worked out by fireplan-\d[\d.]*, .*asl-\d", text), kind
        assert link in text, kind


def test_a_game_that_ignores_guns_says_so_beside_its_figure(surface):
    why = "guns change nothing: one battery (OBA module) represents the 24 tubes"
    page = surface.go(GUNS)
    asl, _, wacht = page.locator("table.yardsticks thead th").all()[1:]
    assert why in asl.inner_text()
    assert "guns" not in wacht.inner_text(), "a game that counts guns is said to ignore them"
    curve = page.locator("#chart-delivery figcaption").inner_text()
    assert f"Advanced Squad Leader: {why}." in curve
    assert f"Advanced Squad Leader: {why}" in surface.copied("Copy as Markdown")
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV", exact=True).click()
    listed = csv.DictReader(download.value.path().read_text().splitlines())
    told = {row["game"]: (row["no_change_by"], row["no_change_why"]) for row in listed}
    assert told["asl"] == ("guns", "one battery (OBA module) represents the 24 tubes")
    assert told["wacht_am_rhein"] == ("", "")
    page.set_viewport_size(PHONE)
    card = page.locator(".card").first
    assert card.is_visible()
    assert why in card.inner_text()


def test_a_game_has_one_colour_in_heads_cards_and_pictures(surface):
    own = look(looks_of(["asl"])["asl"])
    page = surface.go("/compare?games=asl,red_poppies&minutes=12&v=1")
    for place in ("table.yardsticks thead th:nth-child(2)", ".card:first-child h3"):
        sign = page.locator(f"{place} svg.sign path")
        assert (sign.get_attribute("fill"), sign.get_attribute("d")) == (own.colour, own.marker)
    assert fp.odds("asl/village").svg().count(f'stroke="{own.colour}"')


def test_a_user_figure_marks_the_nearest_game(surface):
    page = surface.go(f"{GUNS}&reference=delivered+%3D+80+%25+by+10%3A+Field+trials")
    row = page.locator("tr.reference")
    assert "80.0 % (Field trials)" in row.inner_text()
    assert row.locator("mark").count() == 1
    chosen = row.locator("td").evaluate_all("all => all.map(each => !!each.querySelector('mark'))")
    measures = as_data(
        fp.compare(games=["asl", "red_poppies", "wacht_am_rhein"], guns=24, minutes=10).comparison
    )["games"]
    apart = [
        abs(_fraction(game["measures"]["delivered"]["value"]) - 0.8) for game in measures.values()
    ]
    assert chosen.index(True) == apart.index(min(apart))


def _fraction(text):
    above, _, below = str(text).partition("/")
    return float(above) / float(below or 1)


def test_no_curve_appears_twice_on_a_page(surface):
    page = surface.go(GUNS)
    titles = page.locator("figure img").evaluate_all(
        "all => all.map(each => each.alt.split('.')[0])"
    )
    assert len(titles) == len(set(titles)) == 4


@SITE_BEFORE_A_RELEASE
def test_keys_alone_lead_from_the_front_page_to_a_comparison_and_a_copy_of_it(surface):
    page = surface.go("/")
    page.wait_for_selector("#short-play:not([hidden])")
    tab_to(page, "#short-play")
    before = page.inner_text("#short-play")
    page.keyboard.press("Enter")
    assert {before, page.inner_text("#short-play")} == {"Play", "Pause"}
    tab_to(page, ".doors li:nth-child(2) h2 a")
    page.keyboard.press("Enter")
    page.wait_for_selector("input[name=minutes]")
    page.wait_for_selector("table.yardsticks")
    surface.watched.rests() if surface.on_site else surface.watched.ready()
    tab_to(page, "input[name=minutes]")
    page.keyboard.press("Control+a")
    page.keyboard.type("20")
    page.keyboard.press("Tab")
    page.wait_for_function("() => document.querySelector('h1').textContent.includes('over 20 min')")
    page.evaluate("() => { navigator.clipboard.writeText = async () => {}; }")
    tab_to(page, ".copies [data-copy]")
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.getElementById('copied').textContent === 'Copied.'")


@SITE_BEFORE_A_RELEASE
def test_keys_alone_change_the_number_that_matters_most(surface):
    page = surface.go("/whatif?for=on_target&game=red_poppies&minutes=20&v=1")
    if surface.on_site:
        tab_to(page, "[data-rank] a")
        page.keyboard.press("Enter")
    page.wait_for_selector(".moves input[type=range]")
    points = page.locator(".moves meter").evaluate_all("all => all.map(each => each.value)")
    firsts = page.locator(".moves section, section.moves").count()
    assert firsts >= 1
    assert max(points) == page.locator(".moves meter").first.evaluate("each => each.max")
    tab_to(page, ".moves input[type=range]")
    name = page.evaluate("() => document.activeElement.name.slice(2)")
    page.keyboard.press("ArrowLeft")
    page.wait_for_function(
        "name => document.querySelector('.verdict').textContent.startsWith(`With ${name} `)",
        arg=name,
    )


@SITE_BEFORE_A_RELEASE
def test_the_dial_follows_a_held_slider_and_explains_its_curve(surface):
    page = surface.go("/dial?v=1&minutes=6")
    page.wait_for_selector("#along")
    said = page.locator("#along ~ .lead").inner_text()
    assert said.startswith("Mean share of the target reduced or worse: ")
    assert "overtakes" in said
    assert "The number of guns changes nothing in " in said
    shown = "#answer table.dialled"
    before = page.inner_text(shown)
    # Draw the curve by a figure that is quick: harm to a target next to own troops takes half a
    # minute to solve.
    page.evaluate(
        "() => { document.querySelector('select[name=for]').value = 'own_troops_under_fire'; }"
    )
    # A slider that is still held sends no change: only its input events are followed.
    page.evaluate(
        """() => { const slider = document.querySelector("input[name='e.own_troops']");
        for (const value of [300, 250, 200, 100]) {
          slider.value = value;
          slider.dispatchEvent(new Event("input", { bubbles: true })); } }"""
    )
    page.wait_for_function(
        "([shown, before]) => document.querySelector(shown).innerText !== before",
        arg=[shown, before],
    )
    games = fp.compare(minutes=6, own_troops=100).comparison.games
    cells = page.locator(f"{shown} tbody tr").nth(3).locator("td").all_inner_texts()
    exposed = [percent(game.measures["own_troops_under_fire"].value) for game in games.values()]
    assert [cell.split(": ")[-1] for cell in cells] == exposed
    # Once the slider rests, the curve replaces the line of figures.
    page.wait_for_selector("#held[data-held='e.own_troops']:not([hidden])")
    page.set_viewport_size(PHONE)
    assert page.evaluate("() => document.documentElement.scrollWidth") == 400
    page.locator("input[name='e.men']").scroll_into_view_if_needed()
    line = page.locator(".dial-now")
    assert line.bounding_box()["y"] >= 0, "the figures are out of view above the sliders"
    assert "Advanced Squad Leader" in line.inner_text()
    page.evaluate(
        """() => { const slider = document.querySelector("#held input");
        slider.value = 100;
        slider.dispatchEvent(new Event("input", { bubbles: true })); }"""
    )
    assert page.input_value("input[name='e.own_troops']") == "100", (
        "the two inputs of one dial differ"
    )
    page.wait_for_url("**e.own_troops=100**")
    assert page.inner_text("#held output") == "100"
    assert page.inner_text("label:has(input[name='e.own_troops']) output") == "100"


def test_best_begins_with_the_advice_and_its_gain(surface):
    page = surface.go("/questions/best?go=1&scenario=red_poppies%2Fflare&v=1")
    advice = str(fp.best("red_poppies/flare")).splitlines()[0]
    assert "instead of 76.3 % by the standard orders" in advice
    assert page.locator("section[aria-labelledby=answer] strong").first.inner_text() == advice


NOWHERE = {
    "/tables/nothing": ("There is no such table", "/tables"),
    "/tables/nothing/seat/german": ("There is no such table", "/tables"),
    "/nothing": ("Choose a page from the menu", "/"),
    "/rules/nothing": ("nothing", "/rules"),
    "/questions/nothing": ("nothing", "/questions"),
    "/questions/sweep": ("plans have a page of their own", "/ask"),
    "/dial/tune?want=&v=1": ("name at least one target", "/dial"),
}
"""Links that lead nowhere, the message, and the page that is offered."""


def test_a_link_that_leads_nowhere_says_so_and_offers_the_nearest_page(surface):
    for address, (said, offered) in NOWHERE.items():
        page = surface.go(address)
        assert said in page.inner_text(".faults"), address
        link = page.locator("main > p > a").last
        assert link.get_attribute("href").rpartition("#")[2] == offered, address
        link.click()
        page.wait_for_selector("main:not(:has(.faults)) h1")


def test_a_link_of_a_newer_version_says_so_and_offers_this_one(surface):
    page = surface.go("/compare?games=asl&made=fireplan-99.0.0&minutes=12&v=1")
    assert "newer version: fireplan 99.0.0" in page.inner_text(".newer")
    page.get_by_role("link", name="Work it out with the version here").click()
    page.wait_for_selector("main:not(:has(.newer)) .yardsticks")


def test_a_wrong_order_a_wrong_plan_and_a_wrong_file_are_refused_with_their_reason(surface):
    page = surface.go("/ask")
    page.fill("textarea[name=plan]", "engagements = [")
    page.get_by_role("button", name="Solve the grid").click()
    page.wait_for_selector(".faults")
    page = surface.go("/ask")
    page.fill("textarea[name=text]", 'game = "asl"\nwind = 3\n')
    page.get_by_role("button", name="Check").click()
    page.wait_for_selector("main :text('unknown'), main .faults, main .at-fault")
    page = surface.go("/tables")
    page.select_option("select[name=scenario]", "asl/village")
    page.get_by_role("button", name="Open a new table").click()
    page.wait_for_selector("a.seat")
    page.locator("a.seat", has_text="german").first.click()
    order = page.locator("section.now button[name=order]").first
    order.wait_for()
    order.evaluate("button => { button.value = 'fire'; }")
    order.click()
    page.wait_for_selector(".faults")
    assert "Refused: " in page.inner_text(".faults")


@pytest.mark.parametrize("looks", [BOTH, pytest.param(CROSSED, marks=pytest.mark.long)])
def test_a_page_is_free_of_faults_in_both_schemes_and_widths(surface, looks):
    """axe checks, on both surfaces, the pages that no other test opens."""
    found = {}
    for address in (
        f"{GUNS}&reference=delivered+%3D+80+%25+by+10%3A+Field+trials",
        "/questions",
        "/questions/duel",
        "/questions/odds?go=1&scenario=asl/village&v=1",
    ):
        if faults := faults_seen(surface.go(address), looks):
            found[address] = faults
    assert found == {}
