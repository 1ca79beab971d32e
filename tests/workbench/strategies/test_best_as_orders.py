"""Best's orders are ordinary orders: when they are followed, they are worth what it reports."""

from functools import cache

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
LONG = {"asl", "battletech", "battlegroup_clash"}
"""Games whose best orders take longer to find."""
GAMES = [pytest.param(game, marks=pytest.mark.full) if game in LONG else game for game in CASES]


@cache
def best_of(game):
    """Return the opening of a game's case and its best orders, computed once."""
    pytest.importorskip(f"fireplan_{game}", reason="the game is in requirements-games.txt")
    name, goal, moments, _, asked = CASES[game]
    opening = fp.position(name)
    return opening, opening.best(goal, moments=moments, **asked)


@pytest.mark.parametrize("game", GAMES)
def test_the_best_orders_followed_have_the_value_of_the_best(game):
    opening, found = best_of(game)
    name, goal, moments, event, _ = CASES[game]
    followed = opening.chance(event, by=moments, orders=found)
    assert followed.chance == found.value
    assert followed.chance >= opening.chance(event, by=moments).chance
    if goal == "delivered":
        odds = fp.odds(name, moments=moments, orders=found)
        assert odds.answer.measures[goal].value == found.value


@pytest.mark.parametrize("game", GAMES)
def test_the_line_of_the_best_orders_is_worth_the_same(game, tmp_path):
    opening, found = best_of(game)
    _, _, moments, event, _ = CASES[game]
    read = fp.strategy(found.strategy.line)
    assert read == found.strategy.in_rules()
    assert all(isinstance(rule.order, str) for rule in read.rules)
    assert opening.chance(event, by=moments, orders=read).chance == found.value
    assert fp.strategy(found.strategy.save(tmp_path / "best.txt")) == read


@pytest.mark.long
def test_best_orders_that_conditions_cannot_tell_apart_have_no_line():
    """After the first Barrage Segment the best barrage depends on more than conditions can name."""
    crossroads = fp.position("wacht_am_rhein/dividing_fire")
    found = crossroads.best("destroyed", moments=2)
    with pytest.raises(
        fp.InputError, match=r"cannot be written as rules, because .* rules of thumb"
    ):
        assert not found.strategy.line


def test_another_function_is_refused_with_the_way_out():
    plan = fp.strategy(lambda position, question: None)
    with pytest.raises(fp.InputError, match="give its orders as rules, such as"):
        assert not plan.line


def test_orders_that_are_a_function_are_not_read_from_their_text():
    found = fp.position("asl/village").best("delivered", moments=1, only=[FEW])
    with pytest.raises(fp.InputError, match="function"):
        fp.strategy(str(found.strategy))


@pytest.mark.full
def test_given_orders_are_kept_in_those_that_best_finds():
    """Orders given for another question apply in the search and in the strategy found."""
    orders = "german: requests.call=pass if turn=1 PFPh"
    found = fp.best("asl/village", "delivered", moments=3, only=[FEW], orders=orders)
    assert str(found.strategy).endswith(orders)
    opening = fp.position("asl/village")
    assert opening.chance("fall", by=3, orders=found).chance == found.value
    assert 0 < found.value < opening.chance("fall", by=3).chance
