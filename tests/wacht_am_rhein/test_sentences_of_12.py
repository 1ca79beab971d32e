"""Provisions of section 12, by rule, that no other test covers."""

import pytest


@pytest.fixture
def table(war):
    """Return a function that makes a table at its first barrage, with twelve factors to use in one
    segment; the observer sees every hex that matters.
    """

    def make(*germans, faces):
        guns = war.us("guns", "3026", factors=24, range=6)
        observer = war.us(
            "I-110",
            "3029",
            mode="prepared_assault",
            sees=[war.hex(one) for one in ("3031", "3129")],
        )
        played = war.Play(war.on_map(observer, guns, *germans), faces=faces)
        assert played.until("requests.barrage")
        return played

    return make


def test_12_1_1_units_that_were_barraged_may_be_again_in_another_hex(table, war):
    game = table(war.ge("I-77", "3030"), faces=[0, 9, 0, 0])
    assert game.barrage({"guns": 8}, at=war.hex("3030"), observer="I-110") is None
    assert game.until("resolution.satisfy")
    assert (
        game.answer("resolution.satisfy", "retreat_first", units=("I-77",), to=war.hex("3031"))
        is None
    )
    assert game.where("I-77") == "3031"
    assert game.until("requests.barrage")
    assert game.barrage({"guns": 8}, at=war.hex("3031"), observer="I-110") is None
    assert [war.hex("3030"), war.hex("3031")] == [event["at"] for event in game.events("barrage")]


def test_12_1_6_one_unit_observes_for_every_hex_that_it_sees(table, war):
    game = table(war.ge("I-77", "3030"), war.ge("II-77", "3129"), faces=[0] * 8)
    for at in ("3030", "3129"):
        assert game.until("requests.barrage")
        assert game.barrage({"guns": 4}, at=war.hex(at), observer="I-110") is None
    assert [event["observer"] for event in game.events("barrage")] == ["I-110", "I-110"]
