"""Ammunition: the depletion roll counted by hand, which units run out, and the effect on the asset."""

from fractions import Fraction

import attrs
import pytest

from fireplan.solver import exhausted
from fireplan_core import Asset, Observer, Order
from fireplan_core.play import Answered

TENTH = Fraction(1, 10)


def share(war, nation, moments=1, asset=None, observer=None, **options):
    """Return the chance that the asset is exhausted."""
    given = war.engagement(nation, asset=asset, observer=observer)
    analysis = war.Analysis(war.scenario(given, **options), moments)
    return analysis.solve(exhausted()).shares.get(True, Fraction(0))


@pytest.mark.parametrize(
    ("nation", "options", "tenths"),
    [
        ("american", {}, 2),  # 8 and 9 exceed 7
        ("german", {}, 6),  # 4 to 9 exceed 3
        ("american", {"d10_zero": "ten"}, 3),  # 8, 9 and 10 exceed 7
        ("german", {"d10_zero": "ten"}, 7),  # 4 to 10 exceed 3
    ],
)
def test_12_6_1_a_single_unit_runs_out_when_the_die_exceeds_the_value(war, nation, options, tenths):
    assert share(war, nation, **options) == tenths * TENTH


@pytest.mark.parametrize(("nation", "tenths"), [("american", 3), ("german", 7)])
def test_12_6_1a_thaw_adds_one_to_the_depletion_die(war, nation, tenths):
    assert share(war, nation, thaw=True) == tenths * TENTH


def test_12_6_1_over_two_segments_the_chance_compounds(war):
    assert share(war, "american", moments=2) == 1 - (8 * TENTH) ** 2


@pytest.mark.parametrize(
    ("nation", "expected"),
    [
        # With three firing units, the excess over 7 is 1 or 2.
        ("american", {0: 8, 1: 1, 2: 1}),
        # The excess over 3 is 1, 2, 3 for dice 4, 5, 6; with 7, 8 and 9 it exceeds the number of
        # units and the rest is lost.
        ("german", {0: 4, 1: 1, 2: 1, 3: 4}),
    ],
)
def test_12_6_1_the_excess_is_the_number_of_firing_units_depleted(war, nation, expected):
    given = war.engagement(nation, asset=Asset(guns=36), observer=Observer(footing="attack"))
    counted = war.Analysis(war.scenario(given), 1).solve(war.Count("depleted"))
    assert counted.shares == {number: tenths * TENTH for number, tenths in expected.items()}


def test_12_6_1_the_roll_is_made_once_a_barrage_however_many_volleys(war):
    given = war.engagement(asset=Asset(guns=72), observer=Observer(footing="attack"))
    table = war.Play(war.scenario(given))
    table.until("never")
    thrown = [entry.name for entry in table.table.journal if hasattr(entry, "faces")]
    assert thrown.count("volleys") == 1
    assert thrown.count("depletion") == 1


def test_12_6_1_the_extra_die_falls_with_the_first_volley_before_the_defender_chooses(war):
    on = war.on_map(
        war.us("I-110", "3029"),
        *(war.us(name, "3026", factors=8, range=6) for name in "ab"),
        war.ge("I-77", "3030"),
    )
    table = war.Play(on, faces=[8, 9, 9])
    table.until("requests.barrage")
    assert table.barrage({"a": 8, "b": 8}, at=war.hex("3030"), observer="I-110") is None
    assert table.until("resolution.satisfy")
    # When the target's owner chooses, the table already shows which units ran out.
    names = [
        getattr(entry, "name", "") or getattr(entry, "question", "")
        for entry in table.table.journal
    ]
    assert names[-3:] == ["depletion", "requests.deplete", "volleys"]
    assert len(table.events("depleted")) == 1


def test_12_6_1_the_owner_picks_among_the_firing_units(war):
    artillery = war.guns(("a", 4, 6, 4, "28th"), ("b", 5, 6, 4, "28th"), ("idle", 5, 6, 4, "28th"))
    table = war.Play(war.fielded(artillery, [war.observer("observer", "28th")]), faces=[8, 0, 0])
    table.until("requests.barrage")
    assert table.barrage({"a": 4, "b": 5}) is None
    assert table.until("requests.deplete")  # the die of 8 exceeds 7 by one
    refusal = table.table.submit(Answered("requests.deplete", Order.of("deplete", units=("idle",))))
    assert refusal.cite == "12.6.1"
    refusal = table.table.submit(
        Answered("requests.deplete", Order.of("deplete", units=("a", "b")))
    )
    assert refusal.cite == "12.6.1"
    table.table.submit(Answered("requests.deplete", Order.of("deplete", units=("b",))))
    assert [event["unit"] for event in table.events("depleted")] == ["b"]


def test_12_6_1_the_standard_order_gives_up_the_unit_with_the_fewest_factors(war):
    artillery = war.guns(("b", 5, 6, 4, "28th"), ("a", 4, 6, 4, "28th"))
    table = war.Play(war.fielded(artillery, [war.observer("observer", "28th")]), faces=[8])
    table.until("requests.barrage")
    assert table.barrage({"a": 4, "b": 5}) is None
    assert table.until("requests.deplete")
    played = table.table
    standard = played.rulebook.answer(played.waits_for, {}, played.read)
    assert standard == Order.of("deplete", units=("a",))


def test_12_6_2_a_depleted_unit_may_not_barrage_and_loses_its_saved_factors(war):
    artillery = war.guns(("a", 4, 6, 4, "28th"), ("b", 5, 6, 4, "28th"))
    on = war.fielded(artillery, [war.observer("observer", "28th")], enemy=[(30, 15)])
    table = war.Play(on, faces=[8, 0])
    table.until("requests.barrage")
    assert table.barrage({"b": 2}) is None
    assert table.until("requests.barrage")
    refusal = table.barrage({"b": 3}, at=(30, 15))
    assert (refusal.cite, refusal.why) == ("12.1.2, 12.6.2", "b is Ammo Depleted")


def test_12_6_4_low_supply_depletes_on_firing_regardless_of_the_die(war):
    assert share(war, "american", asset=Asset(ammunition="scarce")) == 1


@pytest.mark.parametrize(
    ("option", "names"), [("in_addition", ["low", "sound"]), ("count_toward_roll", ["low"])]
)
def test_12_6_4_low_supply_comes_on_top_of_the_roll_or_out_of_it(war, option, names):
    low, sound = war.guns(("low", 4, 6, 4, "28th"), ("sound", 4, 6, 4, "28th"))
    low = attrs.evolve(low, supply="low")
    on = war.fielded([low, sound], [war.observer("observer", "28th")], low_supply=option)
    table = war.Play(on, faces=[8, 0])
    table.until("requests.barrage")
    assert table.barrage({"low": 4, "sound": 4}) is None
    table.until("never")
    assert sorted(event["unit"] for event in table.events("depleted")) == names


def test_12_6_2_an_exhausted_asset_ends_its_mission_once(war):
    table = war.Play(war.scenario(), faces=[9, 0])
    table.until("never")
    assert [(event.cite, event["reason"].value) for event in table.events("ended")] == [
        ("12.6.2", "exhausted")
    ]
