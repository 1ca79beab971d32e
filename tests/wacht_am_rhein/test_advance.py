"""Advance after barrage: which unit may enter an emptied hex, only once, and at what cost."""

import pytest


@pytest.fixture
def emptied(war):
    """Return a function that makes a table after a barrage has emptied 3030, with these US units
    nearby.
    """

    def make(*americans, hexes=(), germans=(), faces=(0, 9), factors=16, **setting):
        guns = war.us("guns", "3026", factors=factors, range=8)
        on = war.on_map(*americans, guns, war.ge("I-77", "3030"), *germans, hexes=hexes, **setting)
        table = war.Play(on, moments=setting.get("moments", 1), faces=list(faces))
        assert table.until("requests.barrage")
        assert table.barrage({"guns": 8}, at=war.hex("3030"), observer=americans[0].name) is None
        assert table.until("resolution.satisfy")
        assert (
            table.answer("resolution.satisfy", "retreat_first", units=("I-77",), to=war.hex("3031"))
            is None
        )
        return table

    return make


def test_12_5_0_a_prepared_assault_unit_next_to_the_emptied_hex_may_enter_it(emptied, war):
    table = emptied(war.us("I-110", "3029", mode="prepared_assault"))
    assert table.until("requests.advance")
    assert table.answer("requests.advance", "advance", unit="I-110", keep=True) is None
    assert table.where("I-110") == "3030"
    (told,) = table.events("advanced")
    assert (told.cite, told["must_attack"]) == ("12.5.0", True)


def test_12_5_0_units_that_may_not_advance_and_why(emptied, war):
    table = emptied(
        war.us("I-110", "3029", mode="prepared_assault"),
        war.us("far", "3028", mode="prepared_assault"),
        war.us("resting", "2930"),
    )
    assert table.until("requests.advance")
    for unit, why in (
        ("far", "far is 2 hexes from the emptied hex; it must be adjacent"),
        ("resting", "resting is in mode other, not in Prepared Assault"),
        ("guns", "guns is in mode other, not in Prepared Assault"),
        ("nobody", "no unit 'nobody'; there are I-110, far, resting, guns"),
    ):
        refusal = table.answer("requests.advance", "advance", unit=unit, keep=True)
        assert refusal.cite == "12.5.0"
        assert refusal.why == why or unit == "guns"
    assert table.answer("requests.advance", "stay") is None
    assert table.where("I-110") == "3029"


def test_12_5_0_nobody_is_asked_where_the_hex_still_holds_enemies(war):
    guns = war.us("guns", "3026", factors=8, range=8)
    assault = war.us("I-110", "3029", mode="prepared_assault")
    table = war.Play(war.on_map(assault, guns, war.ge("I-77", "3030")), faces=[0, 3])
    table.until("requests.barrage")
    table.barrage({"guns": 8}, at=war.hex("3030"), observer="I-110")
    assert not table.until("requests.advance")


@pytest.mark.parametrize(
    ("terrain", "cite"), [("clear", "12.5.0"), ("woods", None), ("village", None)]
)
def test_12_5_0_the_assault_may_be_called_off_in_covering_terrain_only(emptied, war, terrain, cite):
    table = emptied(
        war.us("I-110", "3029", mode="prepared_assault"), hexes=[war.hexed("3030", terrain)]
    )
    assert table.until("requests.advance")
    refusal = table.answer("requests.advance", "advance", unit="I-110", keep=False)
    assert (refusal and refusal.cite) == cite
    if cite is None:
        assert table.events("advanced")[0]["must_attack"] is False
        assert table.table.state.values["missions/us/requests/dismissed"] == ("I-110",)


def test_12_5_0_a_unit_that_advanced_observes_no_more_and_does_not_advance_again(emptied, war):
    table = emptied(
        war.us("I-110", "3029", mode="prepared_assault"),
        war.us("II-110", "3128", mode="prepared_assault", sees=(war.hex("3031"),)),
        faces=(0, 9, 0, 9),
    )
    assert table.until("requests.advance")
    table.answer("requests.advance", "advance", unit="I-110", keep=True)
    assert table.until("requests.barrage")
    refusal = table.barrage({"guns": 8}, at=war.hex("3031"), observer="I-110")
    assert refusal.cite == "12.5.0"
    assert refusal.why == "I-110 advanced after a barrage in this segment, so it cannot observe"
    # The second barrage empties the next hex, and the same unit is adjacent.
    assert table.barrage({"guns": 8}, at=war.hex("3031"), observer="II-110") is None
    assert table.until("resolution.satisfy")
    table.answer("resolution.satisfy", "retreat_first", units=("I-77",), to=war.hex("3032"))
    assert not table.until("requests.advance")


def test_12_5_0_a_unit_that_advanced_does_not_observe(emptied, war):
    table = emptied(
        war.us("I-110", "3029", mode="prepared_assault"), faces=(0, 9, 0, 9), weather="fog"
    )
    assert table.until("requests.advance")
    table.answer("requests.advance", "advance", unit="I-110", keep=True)
    assert table.until("requests.barrage")
    at = war.hex("3031")
    assert table.barrage({"guns": 8}, at=at, observer="") is None
    table.until("never")
    assert [event["value"] for event in table.events("modifier") if "12.1.6g" in event.cite] == [-4]


def test_12_5_0_in_the_next_segment_it_observes_again_by_its_new_mode(emptied, war):
    table = emptied(
        war.us("I-110", "3029", mode="prepared_assault"),
        war.us("a", "3027", under="VIII", factors=1, range=9),
        war.us("b", "3028", under="VIII", factors=1, range=9),
        hexes=[war.hexed("3030", "woods")],
        moments=2,
    )
    table.until("requests.advance")
    table.answer("requests.advance", "advance", unit="I-110", keep=False)
    while table.until("requests.declare") and not table.table.state.moment:
        table.answer("requests.declare", "pass")
    assert table.until("requests.barrage")
    refusal = table.barrage({"a": 1, "b": 1}, at=war.hex("3031"), observer="I-110")
    assert (refusal.cite, refusal.why) == (
        "12.1.6b",
        "the limit for corps and army units is 1, not 2",
    )
    assert table.barrage({"guns": 8, "a": 1}, at=war.hex("3031"), observer="I-110") is None


@pytest.mark.parametrize(
    ("factors", "standard"), [(8, ("advance", {"unit": "I-110", "keep": True})), (16, ("stay", {}))]
)
def test_12_5_0_the_standard_order_is_to_advance_once_there_is_nothing_left_to_observe_for(
    emptied, war, factors, standard
):
    """A unit that has advanced may not observe; the first barrage takes 8 factors."""
    table = emptied(war.us("I-110", "3029", mode="prepared_assault"), factors=factors)
    assert table.until("requests.advance")
    asked = table.table.waits_for
    order = table.table.rulebook.answer(asked, {}, table.table.read)
    assert (order.verb, dict(order.values)) == standard
