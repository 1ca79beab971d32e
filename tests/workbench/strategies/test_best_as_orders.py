"""The orders that best finds are orders like any others: followed, they are worth what it says."""

import pytest

import fireplan as fp

HIT = fp.happens("fall", on_target=True)
FEW = "requests.fire=convert, leave, cancel, pass"
CASES = {
    "asl": ("asl/village", "delivered", 2, "fall", {"only": [FEW]}),
    "wacht_am_rhein": ("wacht_am_rhein/dividing_fire", "delivered", 1, "fall", {}),
    "red_poppies": ("red_poppies/cut_wires", "hit", 2, HIT, {"only": ["delays.command"]}),
    "miniatures_1943": ("miniatures_1943/chits_in_hand", "hit", 3, HIT, {"only": ["request"]}),
    "battletech": ("battletech/ranging_in", "hit", 4, HIT, {}),
    "battlegroup_clash": ("battlegroup_clash/causeway", "delivered", 1, "fall", {}),
}
SEPARATE = {"battletech", "battlegroup_clash"}
"""Games that are installed separately, whose best orders take longer to find."""
GAMES = [pytest.param(game, marks=pytest.mark.full) if game in SEPARATE else game for game in CASES]


@pytest.mark.parametrize("game", GAMES)
def test_the_best_orders_followed_have_the_value_of_the_best(game):
    pytest.importorskip(f"fireplan_{game}", reason="the game is in requirements-games.txt")
    name, goal, moments, event, asked = CASES[game]
    opening = fp.position(name)
    found = opening.best(goal, moments=moments, **asked)
    followed = opening.chance(event, by=moments, orders=found)
    assert followed.chance == found.value
    assert followed.chance >= opening.chance(event, by=moments).chance
    if goal == "delivered":
        odds = fp.odds(name, moments=moments, orders=found)
        assert odds.answer.measures[goal].value == found.value


def test_orders_that_are_a_function_are_not_read_from_their_text():
    found = fp.best("wacht_am_rhein/dividing_fire", "delivered", moments=1)
    with pytest.raises(fp.InputError, match="function"):
        fp.strategy(str(found.strategy) or "fire=<best orders>")


def test_what_best_searches_beside_is_kept_in_its_orders():
    """Orders given for another question hold in the search and in the strategy found."""
    orders = "german: requests.call=pass if turn=1 PFPh"
    found = fp.best("asl/village", "delivered", moments=3, only=[FEW], orders=orders)
    assert str(found.strategy).endswith(orders)
    opening = fp.position("asl/village")
    assert opening.chance("fall", by=3, orders=found).chance == found.value
    assert 0 < found.value < opening.chance("fall", by=3).chance
