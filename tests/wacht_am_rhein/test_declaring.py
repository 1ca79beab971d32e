"""Declaring barrages: one per hex and segment, range, factors, observers; refusals name the rule
and the figure.
"""

import pytest

from fireplan_core import CannotStageError, Order
from fireplan_core.play import Answered
from fireplan_wacht_am_rhein.command import Command, Headquarters
from fireplan_wacht_am_rhein.setup import Aircraft

TARGET = (29, 16)
BESIDE = (30, 15)
FAR = (29, 21)
WEST = (28, 16)


@pytest.fixture
def play(war):
    """Return a function that makes a table whose side may declare a barrage with these units and
    observers.
    """

    def make(artillery, observers=None, **more):
        observers = (
            [war.observer("observer", "28th", "prepared_assault")]
            if observers is None
            else observers
        )
        table = war.Play(war.fielded(war.guns(*artillery), observers, **more))
        assert table.until("requests.barrage")
        return table

    return make


def refused(answer):
    return (answer.cite, answer.why)


def test_12_1_3_range_seven_of_six_is_refused_and_six_of_six_fires(play):
    table = play([("far", 4, 6, 7, "28th"), ("near", 4, 6, 6, "28th")])
    assert refused(table.barrage({"far": 4})) == ("12.1.3", "far is 7 hexes away; its range is 6")
    assert table.barrage({"near": 4}) is None


def test_12_1_3_range_counts_hexes_by_the_shortest_path(war):
    # Two columns east and one hex north make three hexes, whatever the terrain.
    unit = war.gun("a", 4, 2, "28th", (TARGET[0] + 2, TARGET[1] - 3))
    table = war.Play(war.fielded([unit], [war.observer("observer", "28th")]))
    table.until("requests.declare")
    table.table.submit(Answered("requests.declare", Order.of("barrage")))
    assert refused(table.barrage({"a": 4})) == ("12.1.3", "a is 3 hexes away; its range is 2")


def test_12_1_3_next_to_the_enemy_the_range_is_one(play):
    table = play([("a", 4, 6, 1, "28th")], enemy=[FAR])
    assert refused(table.barrage({"a": 4}, at=FAR)) == (
        "12.1.3",
        "a is 6 hexes away; its range is 1, as it is next to the enemy",
    )
    assert table.barrage({"a": 4}) is None


def test_12_1_1_a_hex_without_enemies_is_not_a_target(play):
    table = play([("a", 4, 6, 4, "28th")])
    assert refused(table.barrage({"a": 4}, at=BESIDE)) == (
        "12.1.1",
        "the target hex holds no enemy units",
    )


def test_12_1_1_a_hex_is_the_target_of_one_barrage_a_segment(play):
    table = play([("a", 4, 6, 4, "28th")], enemy=[BESIDE])
    assert table.barrage({"a": 2}) is None
    assert table.until("requests.barrage")
    assert refused(table.barrage({"a": 2})) == (
        "12.1.1",
        "this hex has already been barraged in this segment",
    )
    assert table.barrage({"a": 2}, at=BESIDE) is None


def test_12_1_1_the_next_segment_frees_the_hex_and_12_1_4_gives_all_factors_back(war):
    given = war.fielded(war.guns(("a", 4, 6, 4, "28th")), [war.observer("observer", "28th")])
    # In each segment the depletion roll is 0 and the volley's die 9.
    table = war.Play(given, moments=2, faces=[0, 9, 0, 9])
    assert not table.until("never")
    assert [event["factors"] for event in table.events("barrage")] == [4, 4]


def test_12_1_4_a_unit_may_split_its_factors_but_not_exceed_them(play):
    table = play([("a", 5, 6, 4, "28th")], enemy=[BESIDE])
    assert refused(table.barrage({"a": 6})) == ("12.1.4", "a cannot fire 6 factors: it has 5 left")
    assert table.barrage({"a": 3}) is None
    assert table.until("requests.barrage")
    assert refused(table.barrage({"a": 3}, at=BESIDE)) == (
        "12.1.4",
        "a cannot fire 3 factors: it has 2 left",
    )
    assert table.barrage({"a": 2}, at=BESIDE) is None


def test_12_1_4_no_unit_takes_part_in_three_barrages(play):
    table = play([("a", 6, 6, 4, "28th")], enemy=[BESIDE, WEST])
    for at in (TARGET, BESIDE):
        assert table.barrage({"a": 1}, at=at) is None
        # A depletion roll above 7 would exhaust the unit, so the dice of this test stay low.
        assert table.until("requests.declare")
    table.table.submit(Answered("requests.declare", Order.of("barrage")))
    assert refused(table.barrage({"a": 1}, at=WEST)) == (
        "12.1.4",
        "a has fired in 2 barrages of this segment, of 2 allowed",
    )


@pytest.mark.parametrize("fire", [(), (("a", 1), ("a", 1)), (("a", True),), (("a",),), 5])
def test_12_1_4_an_allotment_names_each_unit_once_with_a_number(play, fire):
    table = play([("a", 4, 6, 4, "28th")])
    order = Order.of("barrage", at=TARGET, observer="observer", fire=fire)
    assert table.table.submit(Answered("requests.barrage", order)).cite == "12.1.4"


def test_12_1_2_an_unknown_unit_is_refused(play):
    assert play([("a", 4, 6, 4, "28th")]).barrage({"b": 4}).cite == "12.1.2"


def test_12_1_5_artillery_of_another_command_is_refused(play):
    table = play([("a", 4, 6, 4, "28th"), ("b", 4, 6, 4, "V")])
    assert refused(table.barrage({"a": 4, "b": 4})) == (
        "12.1.5",
        "b belongs to V, which does not command the observer's 28th",
    )


def test_12_1_6b_three_units_for_an_observer_with_limit_two(play, war):
    table = play([(name, 4, 6, 4, "28th") for name in "abc"], [war.observer("observer", "28th")])
    assert refused(table.barrage(dict.fromkeys("abc", 4))) == (
        "12.1.6b",
        "the limit is 2 artillery units, not 3",
    )
    assert table.barrage({"a": 4, "c": 4}) is None


def test_12_1_6_the_observer_must_see_the_hex_and_not_be_in_strategic_mode(play, war):
    observers = [
        war.observer("blind", "28th", sees=()),
        war.observer("marching", "28th", "strategic"),
        war.observer("observer", "28th", sees=(TARGET,)),
    ]
    table = play([("a", 4, 6, 4, "28th")], observers)
    assert refused(table.barrage({"a": 4}, observer="blind")) == (
        "12.1.6",
        "blind has no line of sight to the hex",
    )
    assert table.barrage({"a": 4}, observer="marching").cite == "12.1.6b"
    assert table.barrage({"a": 4}, observer="nobody known").cite == "12.1.6"
    assert table.barrage({"a": 4}, observer="observer") is None


def test_12_1_6g_an_observed_hex_is_not_barraged_unobserved(play):
    table = play([("a", 4, 6, 4, "28th")])
    assert refused(table.barrage({"a": 4}, observer="")) == (
        "12.1.6g",
        "the hex is observed by observer; pick one of them",
    )


def test_12_1_6g_unobserved_one_unit_of_any_command_may_fire(play):
    table = play([("a", 4, 6, 4, "28th"), ("b", 5, 6, 4, "Third")], [])
    assert refused(table.barrage({"a": 4, "b": 5}, observer="")) == (
        "12.1.6g",
        "the limit is 1 artillery unit, not 2",
    )
    assert table.barrage({"b": 5}, observer="") is None


@pytest.mark.parametrize(("far", "cite"), [(5, None), (6, "12.1.6f")])
def test_12_1_6f_air_observation_reaches_five_hexes_from_a_us_unit(play, far, cite):
    table = play([("a", 4, 9, far, "28th")], [], aircraft=[Aircraft("28th", (TARGET,))])
    answer = table.barrage({"a": 4}, observer="air")
    assert (answer and answer.cite) == cite
    if cite:
        assert "6 hexes away; aircraft observe up to 5" in answer.why


def test_12_1_6f_only_us_barrages_are_observed_from_the_air(play):
    table = play([("a", 4, 9, 3, "28th")], [], nation="GE", aircraft=[Aircraft("28th", (TARGET,))])
    assert refused(table.barrage({"a": 4}, observer="air")) == (
        "12.1.6f",
        "only US barrages can be observed from the air",
    )


def test_12_1_6f_the_spotting_division_is_the_formation(play):
    table = play(
        [("a", 4, 9, 3, "28th"), ("b", 4, 9, 3, "106th")],
        [],
        aircraft=[Aircraft("106th", (TARGET,))],
    )
    assert table.barrage({"a": 4}, observer="air").cite == "12.1.5"
    assert table.barrage({"b": 4}, observer="air") is None


def test_12_1_0_a_barrage_is_voluntary_even_when_declared(war):
    table = war.Play(
        war.fielded(war.guns(("a", 4, 6, 4, "28th")), [war.observer("observer", "28th")])
    )
    table.until("requests.barrage")
    table.table.submit(Answered("requests.barrage", Order.of("hold")))
    assert table.table.over
    assert not table.events("fall")


def test_12_1_0_a_barrage_falls_without_delay(war):
    table = war.Play(war.scenario())
    table.until("never")
    assert {
        entry.moment for entry in table.table.log if entry.event.kind in ("requested", "fall")
    } == {0}
    assert war.scenario().clock.minutes == war.scenario().clock.grain == 270


def test_12_1_5_a_command_structure_that_does_not_hold_together_is_refused_with_every_fault():
    with pytest.raises(CannotStageError) as refusal:
        Command(
            (
                Headquarters("28th", "division", "VII"),
                Headquarters("VIII", "corps", "28th"),
                Headquarters("VIII", "corps"),
            )
        )
    assert refusal.value.reasons == [
        "VIII is listed twice",
        "28th is under VII, but no headquarters has that name",
        "VIII (corps) cannot be under 28th (division)",
    ]


def test_12_1_6_corps_artillery_that_sees_the_hex_observes_for_itself(war):
    """Any friendly unit may observe, so the fire is observed and the -4 of 12.1.6g does not apply."""
    on = war.on_map(
        war.us("I-110", "3020"),
        war.us("own", "3026", factors=4, range=6),
        war.us("korps", "3029", under="VIII", factors=4, range=6),
        war.us("korps-2", "3026", under="VIII", factors=4, range=6),
        war.ge("I-77", "3030"),
        hexes=(war.hexed("3030", "woods"),),
    )
    table = war.Play(on, faces=[5, 0])
    hex_ = war.hex("3030")
    assert refused(table.barrage({"korps": 4}, at=hex_, observer="")) == (
        "12.1.6g",
        "the hex is observed by korps; pick one of them",
    )
    # The corps is not under the division, so its artillery is outside the observer's command.
    assert table.barrage({"korps": 4, "own": 4}, at=hex_, observer="korps").cite == "12.1.5"
    assert table.barrage({"korps": 4, "korps-2": 4}, at=hex_, observer="korps") is None
    table.until("never")
    # The only modifier is that for woods.
    assert [(event.cite, event["value"]) for event in table.events("modifier")] == [("12.3.1", -1)]


def test_12_1_6_corps_artillery_sees_the_hexes_its_scenario_gives(war):
    on = war.on_map(
        war.us("korps", "3027", under="VIII", factors=4, range=6, sees=(war.hex("3030"),)),
        war.ge("I-77", "3030"),
        hexes=(war.hexed("3030", "woods"),),
    )
    table = war.Play(on, faces=[5, 0])
    assert table.barrage({"korps": 4}, at=war.hex("3030"), observer="").cite == "12.1.6g"
    assert table.barrage({"korps": 4}, at=war.hex("3030"), observer="korps") is None
