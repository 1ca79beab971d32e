"""Depletion values, the Transport Table, replenishment by both sides, and what a depleted unit can
do.
"""

from fractions import Fraction
from itertools import product

import pytest

from fireplan_core.files import FileError
from fireplan_wacht_am_rhein.ammunition import barrage_value, value_of
from fireplan_wacht_am_rhein.charts import DATA, read_transport
from fireplan_wacht_am_rhein.setup import UnitEntry

TRANSPORT = read_transport(DATA / "german_transport.csv")

# The Transport Table: rows are truck points 0 to 7, columns the dice 0 to 9, typed from the facts.
TYPED = (
    (-3, -2, -2, -2, -2, -1, 0, 0, 1, 1),
    (-2, -2, -2, -1, -1, 0, 0, 1, 1, 2),
    (-1, -1, 0, 0, 1, 1, 2, 2, 2, 2),
    (0, 0, 1, 1, 1, 2, 2, 2, 3, 3),
    (0, 1, 2, 2, 2, 2, 3, 3, 3, 3),
    (1, 1, 2, 2, 2, 3, 3, 3, 3, 3),
    (2, 2, 2, 2, 2, 3, 3, 3, 3, 4),
    (3, 3, 3, 3, 3, 3, 3, 3, 4, 4),
)


def test_12_6_1_every_cell_of_the_transport_table():
    for (points, row), die in product(enumerate(TYPED), range(10)):
        assert int(TRANSPORT.cell(points, f"d{die}")) == row[die]


def test_12_6_1_a_malformed_transport_table_is_refused_with_every_fault(tmp_path):
    text = (DATA / "german_transport.csv").read_text(encoding="utf-8")
    for old, new in ((",d9,", ",d10,"), ("\n1,-2,", "\n2,-2,"), ("\n3,0,0,", "\n3,0,none,")):
        assert old in text
        text = text.replace(old, new, 1)
    file = tmp_path / "transport.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(FileError) as refused:
        read_transport(file)
    assert [fault.message for fault in refused.value.faults] == [
        "german_transport: column d9 is missing",
        "german_transport line 4: row 2 appears twice",
        "german_transport line 5: column d1 'none' is not a whole number",
        "german_transport: row 1 is missing",
    ]


def german(war, *units, trucks=None, **more):
    """Return a scenario of German guns against a US unit that an adjacent assaulting battalion
    observes.
    """
    return war.on_map(
        war.us("I-110", "3030"),
        war.ge("I-77", "3031", mode="prepared_assault"),
        *units,
        active=("GE",),
        trucks=trucks,
        **more,
    )


@pytest.mark.parametrize(
    ("value", "trucks", "transport", "die", "depleted"),
    [
        (1, 0, 0, 1, 1),  # 1 - 3 counts as 0
        (1, 0, 0, 0, 0),
        (8, 7, 9, 9, 1),  # 8 + 4 counts as 9, and thaw makes the die 10
    ],
)
def test_12_6_1_the_changed_value_runs_from_0_to_9(war, value, trucks, transport, die, depleted):
    guns = [war.ge(f"guns-{n}", "3034", factors=1, range=6) for n in range(3)]
    on = german(war, *guns, trucks=trucks, depletion={"GE": value}, options={"thaw": value == 8})
    # One more die is rolled to replenish each depleted unit.
    table = war.Play(on, faces=[transport, die, 0, *[9] * depleted])
    assert table.until("requests.barrage")
    fire = {f"guns-{n}": 1 for n in range(3)}
    assert table.barrage(fire, at=war.hex("3030"), observer="I-77") is None
    table.until("never")
    assert len(table.events("depleted")) == depleted


@pytest.mark.parametrize(
    ("trucks", "transport", "change"),
    [(None, None, 0), (0, 0, -3), (3, 9, 3), (7, 9, 4), (7, 0, 3)],
)
def test_12_6_1_truck_points_change_the_german_value(war, trucks, transport, change):
    on = german(war, war.ge("guns", "3034", factors=8, range=6), trucks=trucks)
    value = max(0, 3 + change)
    for die in range(10):
        first = [] if transport is None else [transport]
        table = war.Play(on, faces=[*first, die, 0, *([9] if die > value else [])])
        table.until("requests.barrage")
        assert table.barrage({"guns": 8}, at=war.hex("3030"), observer="I-77") is None
        table.until("never")
        assert bool(table.events("depleted")) is (die > value)
        told = [(event.cite, event["change"]) for event in table.events("transport")]
        assert told == ([] if trucks is None else [("12.6.1", change)])


def unit(name, under="28th", pocket=None):
    return UnitEntry(
        name=name, side="US", under=under, hex=(0, 0), factors=4, range=5, pocket=pocket
    )


def test_12_6_1_a_pocket_supply_source_has_a_value_of_its_own():
    assert value_of(unit("a"), 7) == 7
    assert value_of(unit("a", pocket=4), 7) == 4
    assert barrage_value([unit("a", pocket=4), unit("b", pocket=4)], "28th", 7) == 4


def test_12_6_1_with_different_values_the_observers_formation_decides_or_the_lowest_by_agreement():
    division, corps = unit("a", pocket=4), unit("b", "VIII")
    assert barrage_value([division, corps], "28th", 7) == 4
    assert barrage_value([unit("a"), unit("b", "VIII", pocket=4)], "28th", 7) == 7
    assert barrage_value([unit("a"), unit("b", "VIII", pocket=4)], "28th", 7, lowest=True) == 4
    assert barrage_value([unit("a", "VIII", pocket=4), unit("b", "VIII", pocket=5)], None, 7) == 7


def test_12_6_1_one_pocket_among_three_units_of_the_formation_counts_for_all():
    assert barrage_value([unit("a", pocket=5), unit("b"), unit("c")], "28th", 7) == 5


@pytest.mark.parametrize(("option", "depleted"), [("formation", False), ("lowest", True)])
def test_12_6_1_the_value_of_a_barrage_in_play(war, option, depleted):
    on = war.on_map(
        war.us("I-110", "3029", mode="prepared_assault"),
        war.us("guns", "3026", factors=4, range=6),
        war.us("corps", "3026", under="VIII", factors=4, range=6, pocket=4),
        war.ge("I-77", "3030"),
        options={"mixed_values": option},
    )
    table = war.Play(on, faces=[5, 0, 9])
    table.until("requests.barrage")
    assert table.barrage({"guns": 4, "corps": 4}, at=war.hex("3030"), observer="I-110") is None
    table.until("requests.declare")
    assert bool(table.events("depleted")) is depleted  # the die of 5 is above 4, but not above 7


@pytest.mark.parametrize(
    ("value", "guns", "shares"),
    [
        (7, 3, {0: Fraction(8, 10), 1: Fraction(1, 10), 2: Fraction(1, 10)}),
        (3, 2, {0: Fraction(4, 10), 1: Fraction(1, 10), 2: Fraction(5, 10)}),
        (2, 1, {0: Fraction(3, 10), 1: Fraction(7, 10)}),
    ],
)
def test_12_6_1_the_chances_of_depletion_by_counting_faces(war, value, guns, shares):
    on = war.on_map(
        war.us("I-110", "3029", mode="prepared_assault"),
        *(war.us(f"guns{n}", "3026", factors=4, range=6) for n in range(guns)),
        war.ge("I-77", "3030"),
        depletion={"US": value},
    )
    assert dict(war.Analysis(on, 1).solve(war.Count("depleted")).shares) == shares


def test_12_6_2_a_depleted_unit_defends_with_one_and_has_neither_at_nor_red_hexagon(war):
    on = war.on_map(
        war.us("I-110", "3029"),
        war.us("guns", "3026", factors=4, range=6),
        war.ge("I-77", "3030"),
    )
    table = war.Play(on, faces=[9, 0, 9])
    table.until("requests.barrage")
    assert table.barrage({"guns": 4}, at=war.hex("3030"), observer="I-110") is None
    assert not table.events("weakened")
    table.until("never")
    (told,) = table.events("weakened")
    assert (told.cite, told["unit"]) == ("12.6.2", "guns")
    assert (told["defence"], told["at"], told["red_hexagon"]) == (1, 1, False)
    assert table.table.state.values["missions/us/requests/depleted"] == ("guns",)


def resting(war, active="US", options=None, **german_unit):
    """Return a scenario in which nobody fires, with one depleted US and one depleted German unit."""
    return war.on_map(
        war.us("I-110", "3025"),
        war.us("us-guns", "3020", factors=4, range=1, depleted=True),
        war.us("us-spare", "3020", factors=4, range=1),
        war.ge("I-77", "3030"),
        war.ge("ge-guns", "3040", factors=4, range=1, depleted=True, **german_unit),
        war.ge("ge-spare", "3040", factors=4, range=1),
        active=(active,),
        target="3030" if active == "US" else "3025",
        options=options or {},
    )


@pytest.mark.parametrize(
    ("active", "highest"), [("US", {"us": 7, "ge": 2}), ("GE", {"us": 6, "ge": 3})]
)
def test_12_6_3_both_sides_replenish_and_the_inactive_one_adds_one(war, active, highest):
    for american, enemy in product(range(10), repeat=2):
        table = war.Play(resting(war, active), faces=[american, enemy])
        table.until("never")
        back = {event["unit"] for event in table.events("replenished")}
        assert ("us-guns" in back) is (american <= highest["us"])
        assert ("ge-guns" in back) is (enemy <= highest["ge"])
        assert {event.cite for event in table.events("still_depleted")} <= {"12.6.3"}


def test_12_6_3_the_exact_chance_of_replenishing(war):
    shares = war.Analysis(resting(war), 1).solve(war.Count("replenished")).shares
    # The US needs 0 to 7 (8 of 10), the Germans 0 to 2 (3 of 10).
    assert shares == {
        0: Fraction(2 * 7, 100),
        1: Fraction(8 * 7 + 2 * 3, 100),
        2: Fraction(8 * 3, 100),
    }


def test_12_6_1a_thaw_does_not_change_replenishment(war):
    def chances(on):
        return war.Analysis(on, 1).solve(war.Count("replenished")).shares

    assert chances(resting(war, options={"thaw": True})) == chances(resting(war))


def test_12_6_3_a_unit_out_of_supply_may_not_try(war):
    table = war.Play(resting(war, supply="out"), faces=[0])
    table.until("never")
    (told,) = table.events("unsupplied")
    assert (told.cite, told["unit"]) == ("12.6.3", "ge-guns")


def test_12_6_3_a_replenished_unit_fires_again_in_the_next_segment(war):
    on = war.on_map(
        war.us("I-110", "3029"),
        war.us("guns", "3026", factors=4, range=6, depleted=True),
        war.us("spare", "3026", factors=1, range=1),
        war.ge("I-77", "3030"),
        moments=2,
    )
    table = war.Play(on, moments=2, faces=[7])
    assert table.until("requests.barrage")
    assert table.table.state.moment == 1
    assert table.barrage({"guns": 4}, at=war.hex("3030"), observer="I-110") is None


def test_12_6_0_the_administrative_phase_is_reported_if_any_unit_is_depleted(war):
    table = war.Play(resting(war), faces=[0, 0])
    table.until("never")
    (told,) = table.events("administration")
    assert (told.cite, told["active"]) == ("12.6.0", "US")


@pytest.mark.parametrize("supply", ["low", "out"])
def test_12_6_4_low_supply_on_a_map_depletes_on_firing(war, supply):
    on = war.on_map(
        war.us("I-110", "3029"),
        war.us("guns", "3026", factors=4, range=6, supply=supply),
        war.ge("I-77", "3030"),
    )
    table = war.Play(on, faces=[0, 0, 9])
    table.until("requests.barrage")
    table.barrage({"guns": 4}, at=war.hex("3030"), observer="I-110")
    table.until("never")
    assert [event.cite for event in table.events("depleted")] == ["12.6.4"]


@pytest.mark.parametrize(
    ("timing", "dice"), [("after_last_volley", 2), ("before_second_volley", 1)]
)
def test_12_6_1_depletion_may_count_before_the_second_volley_by_agreement(war, timing, dice):
    on = war.on_map(
        war.us("I-110", "3029"),
        war.us("a", "3026", factors=8, range=6),
        war.us("b", "3026", factors=8, range=6),
        war.ge("I-77", "3030"),
        options={"depletion_timing": timing},
    )
    # One of the two units is depleted (8 exceeds 7 by one); if that happens before the fall, it
    # costs the second volley.
    faces = [8, 0, 0, 9] if timing == "after_last_volley" else [8, 0, 9]
    table = war.Play(on, faces=faces)
    table.until("requests.barrage")
    assert table.barrage({"a": 8, "b": 8}, at=war.hex("3030"), observer="I-110") is None
    table.until("requests.declare")
    (volleys,) = [entry for entry in table.table.journal if getattr(entry, "name", "") == "volleys"]
    assert len(volleys.faces) == dice
    assert len(table.events("depleted")) == 1


def test_12_6_1_the_first_volley_falls_even_if_all_its_units_are_depleted_before_the_second(war):
    on = war.on_map(
        war.us("I-110", "3029"),
        *(war.us(name, "3026", factors=4, range=6) for name in "ab"),
        war.ge("I-77", "3030"),
        options={"depletion_timing": "before_second_volley"},
    )
    table = war.Play(on, faces=[9, 0, 9, 9])  # 9 exceeds 7 by two
    table.until("requests.barrage")
    assert table.barrage({"a": 4, "b": 4}, at=war.hex("3030"), observer="I-110") is None
    table.until("requests.declare")
    (volleys,) = [entry for entry in table.table.journal if getattr(entry, "name", "") == "volleys"]
    assert len(volleys.faces) == 1
    assert len(table.events("depleted")) == 2
