"""A seat's page after going back, opening a second tab, sleep or a lost network; and at a width of
400 px.
"""

import pytest

from .test_studio import new_table
from .test_two_seats import ACTS, STREAM_ONLY, act, as_reloaded

NARROW = """() => [...document.querySelectorAll('main li, main p, main td, main th, main dd, main label, main button')]
  .filter((each) => each.checkVisibility() && !each.closest('svg') && each.children.length === 0)
  .map((each) => {
    const range = document.createRange();
    range.selectNodeContents(each);
    const lines = new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size;
    return [each.textContent.trim(), each.textContent.trim().split(/\\s+/).length, lines];
  })
  .filter(([text, words, lines]) => words > 2 && lines >= words)"""
"""Returns the texts of more than two words that have as many lines as words."""
SEATS = (
    ("asl/village", "german"),
    ("red_poppies/battle_for_pinon", "french"),
    ("miniatures_1943/chits_in_hand", "american"),
    ("wacht_am_rhein/two_divisions", "US"),
    ("battletech/ranging_in", "firer"),
    ("combat_commander/lone_radio", "italian"),
    ("battlegroup_clash/causeway", "NATO"),
)


def installed(scenario):
    game = scenario.partition("/")[0]
    pytest.importorskip(f"fireplan_{game}", reason="the game is in requirements-games.txt")


@pytest.fixture
def pair(opened):
    """Return an acting page, and a page of the same seat in another browser that follows it."""
    mine, other = opened(), opened()
    seat = f"/tables/{new_table(mine, 'asl/village')}/seat/german"
    acting, following = mine.go(seat), other.go(seat.replace("german", "referee"))
    following.evaluate("() => { window.same = true; }")
    return acting, following


def moved_on(acting, following):
    before = following.locator("section[data-seen]").get_attribute("data-seen")
    assert act(acting)
    as_reloaded(following)
    assert following.locator("section[data-seen]").get_attribute("data-seen") != before
    assert following.evaluate("() => window.same"), "the page was reloaded"


def test_a_page_follows_again_after_the_network_was_lost(pair):
    acting, following = pair
    moved_on(acting, following)
    before = following.locator("section[data-seen]").get_attribute("data-seen")
    following.context.set_offline(True)
    assert act(acting)
    following.wait_for_timeout(500)
    assert following.locator("section[data-seen]").get_attribute("data-seen") == before
    following.context.set_offline(False)
    as_reloaded(following)
    assert following.evaluate("() => window.same"), "the page was reloaded"
    moved_on(acting, following)


def test_a_page_follows_again_after_the_machine_slept(pair):
    acting, following = pair
    machine = following.context.new_cdp_session(following)
    machine.send("Page.setWebLifecycleState", {"state": "frozen"})
    assert act(acting)
    machine.send("Page.setWebLifecycleState", {"state": "active"})
    as_reloaded(following)
    moved_on(acting, following)


def test_two_tabs_of_one_seat_show_the_same_and_either_may_act(opened):
    watched = opened()
    first = watched.go(f"/tables/{new_table(watched, 'asl/village')}/seat/german")
    second = first.context.new_page()
    second.goto(first.url)
    for page in (first, second):
        page.evaluate("() => { window.same = true; }")
    for acting, following in ((first, second), (second, first)) * 2:
        assert act(acting)
        following.evaluate("() => { window.same = true; }")
        as_reloaded(following)
        assert following.evaluate("() => window.same"), "the page was reloaded"


def test_back_leads_to_the_seat_as_it_is_now(opened):
    watched, other = opened(), opened()
    page = watched.go(f"/tables/{new_table(watched, 'asl/village')}/seat/german")
    assert act(page)
    seat = page.url
    acting = other.go(
        seat.partition(watched.server)[2].partition("?")[0].replace("german", "referee")
    )
    page.goto(f"{watched.server}/rules")
    if acting.locator(ACTS).count():
        assert act(acting)
    page.go_back()
    page.wait_for_selector("section[data-seen]")
    as_reloaded(page)
    assert act(page), "the question shown cannot be answered"
    assert not page.locator("#said .faults").count()


@pytest.mark.parametrize(("scenario", "side"), SEATS)
def test_no_text_of_a_seat_is_a_column_of_single_words_on_a_phone(opened, scenario, side):
    installed(scenario)
    watched = opened(viewport={"width": 400, "height": 800}, has_touch=True)
    page = watched.go(f"/tables/{new_table(watched, scenario)}/seat/{side}")
    for _ in range(4):
        page.wait_for_function("() => document.getElementById('weigh') === null")
        page.evaluate(
            "() => document.querySelectorAll('details').forEach(each => { each.open = true; })"
        )
        assert page.evaluate(NARROW) == []
        assert page.evaluate("() => document.documentElement.scrollWidth") <= 400
        if not act(page):
            break


WHERE = """() => [...document.querySelectorAll(
  "#map, .board, #measured, .now .offer button, .now .offer ~ .hint, .told, .assets, #weighing ~ *"
)].map((each) => { const box = each.getBoundingClientRect(); return [box.x, box.y + scrollY, box.width]; })"""


class Held:
    """Requests of a page that are held back until they are released."""

    def __init__(self, page, pattern):
        self.holding, self._routes = True, []
        page.route(pattern, self._hold)

    def _hold(self, route):
        if self.holding:
            self._routes.append(route)
        else:
            route.continue_()

    def let_go(self):
        """Send the last request held, and hold no further ones."""
        self.holding = False
        self._routes[-1].continue_()


@pytest.mark.parametrize("width", [400, 1280])
def test_nothing_on_a_seat_moves_when_the_odds_arrive(opened, width):
    installed("asl/village")
    watched = opened(viewport={"width": width, "height": 900})
    table = new_table(watched, "asl/village")
    seen, prompts = set(), 0
    held = Held(watched.page, "**?odds=1*")
    page = watched.go(f"/tables/{table}/seat/german")
    for _ in range(8):
        if page.locator("#weigh").count():
            with page.expect_request("**?odds=1*"):
                page.reload()
            page.wait_for_function("() => !document.querySelector('.goals').hidden")
            before = page.evaluate(WHERE)
            seen.update(
                page.evaluate(
                    "() => [...document.querySelectorAll('.weight')].map((each) => each.textContent)"
                )
            )
            held.let_go()
            page.wait_for_function("() => document.getElementById('weigh') === null")
            assert page.locator(".weight meter").count()
            assert page.evaluate(WHERE) == before
            held.holding = True
            prompts += 1
        if not act(page):
            break
    assert prompts > 1
    assert seen == {""}, "odds arrived before a page was checked"


def test_the_odds_of_the_mission_are_shown_while_those_of_harm_are_worked_out(opened):
    installed("asl/village")
    watched = opened()
    held = Held(watched.page, "**harm=1*")
    page = watched.go(f"/tables/{new_table(watched, 'asl/village')}/seat/german")
    page.wait_for_selector(".weight meter")
    page.wait_for_function("() => document.getElementById('weigh')?.href.includes('harm=1')")
    assert not page.locator(".weight [data-goal=harmed]").count()
    held.let_go()
    page.wait_for_selector(".weight [data-goal=harmed]", state="attached")
    assert not page.locator("#weigh").count()


SLOWLY = f"""{STREAM_ONLY}
  const text = Response.prototype.text;
  Response.prototype.text = async function () {{
    if (this.url.includes("odds=1")) {{
      window.arriving = true;
      while (!window.arrived) await new Promise((done) => setTimeout(done, 20));
    }}
    return text.call(this);
  }};
"""
"""Keeps the odds back from the page after their answer has begun to arrive."""


def test_odds_that_arrive_after_the_table_has_moved_on_are_left_out(opened):
    installed("asl/village")
    watched, referee = opened(), opened()
    watched.page.add_init_script(SLOWLY)
    watched.page.route("**/news", lambda route: route.abort())
    held = Held(watched.page, "**?odds=1*")
    seat = f"/tables/{new_table(watched, 'asl/village')}/seat/german"
    with watched.page.expect_request("**?odds=1*"):
        page = watched.go(seat)
    shown = page.locator("section[data-seen]").get_attribute("data-seen")
    acting = referee.go(seat.replace("german", "referee"))
    while acting.locator("section[data-kind=order]").count():
        assert act(acting)
    held.let_go()
    page.wait_for_function("() => window.arriving")
    assert page.locator("section[data-seen]").get_attribute("data-seen") == shown
    page.evaluate("() => dispatchEvent(new Event('online'))")
    page.wait_for_selector("section[data-kind=dice]")
    page.evaluate("() => { window.arrived = true; }")
    as_reloaded(page)
    assert act(page)
