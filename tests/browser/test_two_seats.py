"""Two players, each with a browser, through whole missions; neither ever reloads a page by hand."""

import re
from importlib.resources import files

import pytest

from .conftest import without_odds
from .test_studio import new_table

SEEN = re.compile(r'data-seen="(\w+)"')
MISSIONS = (
    "asl/creeping",
    "miniatures_1943/chits_in_hand",
    "red_poppies/bloody_repulse",
    "wacht_am_rhein/dividing_fire",
    "battlegroup_clash/jammed_nets",
    "battletech/two_pieces",
    "combat_commander/lone_radio",
)
"""A mission of each game."""
HIDES_LITTLE = (
    "wacht_am_rhein/dividing_fire",
    "battlegroup_clash/jammed_nets",
    "battletech/two_pieces",
)
"""Missions that are followed only before a release; the others hide more from each seat."""
WEIGHED = "red_poppies/bloody_repulse"
"""The mission whose pages also ask for odds, at every prompt."""
EVERY = re.search(
    r"EVERY = (\d+)", files("fireplan_studio").joinpath("static/follow.js").read_text()
)[1]
"""Milliseconds between two looks of a page without a stream."""
STREAM_ONLY = f"""{{
  const later = window.setTimeout;
  window.setTimeout = (work, wait, ...more) => wait === {EVERY} ? 0 : later(work, wait, ...more);
}}"""
"""Keeps a page from looking by itself, so that only its stream can tell it of a change, at once."""
MOST = 160
"""Maximum number of inputs in a mission; these take at most half as many."""
ACTS = "section.now button.standard, section.now button[data-key=r]"
"""The standard order, or the button that throws."""


def act(page):
    """Give the standard order or roll the dice; return False if this seat is asked for nothing."""
    buttons = page.locator(ACTS)
    if not buttons.count():
        return False
    with page.expect_navigation():
        buttons.first.evaluate("button => button.form.requestSubmit(button)")
    return True


def as_reloaded(page):
    """Wait until the page shows the same as after a reload."""
    address = page.locator("section[data-seen]").get_attribute("data-seat")
    fresh = SEEN.search(page.request.get(f"{page.url.partition('/tables')[0]}{address}").text())[1]
    page.wait_for_function(
        "seen => document.querySelector('section[data-seen]').dataset.seen === seen", arg=fresh
    )


@pytest.mark.parametrize(
    "scenario",
    [
        pytest.param(name, marks=pytest.mark.long if name in HIDES_LITTLE else ())
        for name in MISSIONS
    ],
)
def test_each_page_follows_a_whole_mission_without_a_reload(opened, scenario):
    game = scenario.partition("/")[0]
    pytest.importorskip(f"fireplan_{game}", reason="the game is in requirements-games.txt")
    mine, other = opened(), opened()
    for each in (mine, other):
        each.page.add_init_script(STREAM_ONLY)
        if scenario != WEIGHED:
            without_odds(each.page)
    new_table(mine, scenario)
    doors = mine.page.locator("a[href*='/seat/']").evaluate_all(
        "links => links.map(link => link.getAttribute('href'))"
    )
    sides = [door for door in dict.fromkeys(doors) if not door.endswith("/referee")]
    pages = [mine.go(sides[0]), other.go(sides[1])]
    for _ in range(MOST):
        acting = next((page for page in pages if page.locator(ACTS).count()), None)
        if acting is None:
            break
        watching = pages[1 - pages.index(acting)]
        watching.evaluate("() => { window.same = true; }")
        assert act(acting)
        assert acting.locator("section[data-seen]").count(), (
            "a player was sent back to the entrance"
        )
        as_reloaded(watching)
        as_reloaded(acting)
        assert watching.evaluate("() => window.same"), "the watching page was reloaded"
        called = watching.title().startswith("(your turn)")
        assert not called or watching.locator("[data-kind=order]").count(), (
            "a roll was called a turn"
        )
    assert all("The game is over" in page.inner_text("section.now") for page in pages)
