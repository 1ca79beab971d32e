"""The warning on a seat's page that an order puts own troops under fire (1943, 6.2.e)."""

import pytest

from .test_studio import new_table
from .test_two_seats import act

ANSWERED = "() => !document.getElementById('warn')"
"""True once the page has asked about its last order."""


@pytest.fixture
def marking(watched):
    """Return the page of the Americans, whose first marker is due; nobody plays the Germans."""
    table = new_table(watched, "miniatures_1943/chits_in_hand")
    page = watched.go(f"/tables/{table}")
    with page.expect_navigation():
        page.get_by_role("button", name="Play the Americans alone").click()
    while "marker" not in page.locator("section.now > p").first.inner_text():
        assert act(page)
    return page


def give(page, order):
    """Type an order in full and give it."""
    page.fill("input[name=order]", order)
    with page.expect_navigation():
        page.get_by_role("button", name="Give order").click()


def test_6_2_e_a_marker_70_yards_from_own_troops_gets_a_warning_and_an_undo(marking, watched):
    """The spotter team is at 0,-320, and a barrage that it sees reaches 140 yards (6.2.b)."""
    give(marking, "mark at=0,-250")
    marking.wait_for_selector("#danger .faults")
    assert marking.locator("#danger").inner_text() == (
        "Your last order: own troops may come under this fire: 100 %. Undo takes the order back."
    )
    watched.picture("danger")
    with marking.expect_navigation():
        marking.get_by_role("button", name="Undo", exact=True).click()
    marking.wait_for_function(ANSWERED)
    assert marking.locator("#danger").inner_text() == ""


def test_6_2_e_a_marker_farther_away_is_placed_without_a_warning(marking):
    give(marking, "mark at=0,-150")
    marking.wait_for_function(ANSWERED)
    assert marking.locator("#danger").inner_text() == ""
