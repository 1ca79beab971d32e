"""The warning that an order puts own troops under fire (1943, 6.2.e: within 140 yards of the
marker).
"""

import pytest

from fireplan.cli.keyboard import Play
from fireplan.table import Session
from fireplan_core.play import Catalogue, find_scenario


def after_the_marker(order, *, shown=True):
    """Return the text that the prompt prints after the order for the first marker."""
    scenario, form = find_scenario(Catalogue.installed(), "miniatures_1943/chits_in_hand")
    session, printed, given = Session(scenario, form.moments), [], []

    def hear(_prompt):
        if given:
            raise EOFError
        if getattr(session.table.waits_for, "question", "") != "requests.marker":
            return ""
        printed.clear()
        given.append(order)
        return order

    play = Play(session, printed.append, hear, 3)
    play.figures.shown = shown
    play.run()
    return "\n".join(printed).partition("\n\n")[0]


def test_6_2_e_a_marker_70_yards_from_own_troops_is_placed_with_a_warning():
    """The spotter team is at 0,-320."""
    lines = after_the_marker("mark 0,-250")
    assert "American barrage 1 is placed on the table at 0,-250" in lines
    assert "own troops may come under this fire: 100 %; 'undo' takes the order back" in lines


@pytest.mark.parametrize("place", ["0,0", "0,-150"])
def test_6_2_e_a_marker_farther_away_is_placed_without_a_warning(place):
    assert "own troops" not in after_the_marker(f"mark {place}")


def test_no_warning_appears_while_the_odds_are_off():
    assert "own troops" not in after_the_marker("mark 0,-250", shown=False)
