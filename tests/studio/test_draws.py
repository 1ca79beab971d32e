"""The page of a seat that draws: the button says "draw", and a card shows the picture of its
trigger.
"""

import re

import pytest


def begun(visitor, scenario):
    return visitor.post("/tables", f"scenario={scenario}".encode()).headers["location"]


def posted(visitor, seat, action, given):
    """Post a seat's answer to its page, and return the page after it."""
    seen = re.search(r'name="seen" value="(\w+)"', visitor.get(seat).text)[1]
    answer = visitor.post(f"{seat}/{action}", f"seen={seen}&{given}".encode())
    assert answer.status == 303
    return visitor.get(seat).text


def button(page):
    return re.search(r'<button type="submit" data-key="r">(\w+)</button>', page)[1]


def test_dice_are_thrown_and_a_chit_is_drawn(visitor):
    seat = f"{begun(visitor, 'asl/village')}/seat/german"
    posted(visitor, seat, "order", "order=call")
    page = posted(visitor, seat, "order", "order=roll")
    assert button(page) == "Throw"
    assert "roll it" in page
    page = posted(visitor, seat, "dice", "die0=2&die1=1")  # the roll for Radio Contact
    assert button(page) == "Draw"
    assert "draw it" in page
    assert "Choose what was drawn" in page


@pytest.mark.parametrize(
    ("dice", "sign"), [("3-4", "Event"), ("sniper+4-5", "Sniper"), ("6-6", "Time")]
)
def test_a_card_is_drawn_and_shows_the_picture_of_its_trigger(visitor, dice, sign):
    """The Italian deck has these triggers on these cards; 1-1 has none."""
    pytest.importorskip("fireplan_combat_commander", reason="it is in requirements-games.txt")
    seat = f"{begun(visitor, 'combat_commander/lone_radio')}/seat/italian"
    page = posted(visitor, seat, "order", "order=ask")
    assert button(page) == "Draw"
    assert "waits for the draw of the next card in hand" in page
    assert 'class="trigger"' not in posted(visitor, seat, "dice", "die0=1-1")
    page = posted(visitor, seat, "dice", f"die0={dice}")
    assert re.search(rf'<svg [^>]*class="trigger"><path d="[^"]+"/></svg> {sign}', page)
