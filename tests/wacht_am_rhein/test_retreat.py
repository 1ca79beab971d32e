"""Retreat, magnitude, standing fast, overkill and markers on a map: units move, and some are lost
off it.
"""

import pytest

from fireplan.table.words import Words
from fireplan_core import Order
from fireplan_core.play import Answered
from fireplan_wacht_am_rhein.ground import FRAME, GroundMap, HexTerrain, retreat_hexes
from fireplan_wacht_am_rhein.satisfying import open_ground_losses, satisfy

AROUND = ("3029", "3130", "3131", "3031", "2931", "2930")
"""The neighbours of 3030, clockwise from the north."""


@pytest.fixture
def struck(war):
    """Return a function that makes a table after a barrage of this many factors on 3030, at the
    owner's question.
    """

    def make(*germans, faces, factors=8, more=(), **setting):
        # One factor is held back, so that the segment is not over.
        guns = war.us("guns", "3026", factors=factors + 1, range=6)
        observer = war.us("I-110", "3029", mode="prepared_assault")
        on = war.on_map(observer, guns, *more, *(germans or (war.ge("I-77", "3030"),)), **setting)
        table = war.Play(on, faces=faces)
        assert table.until("requests.barrage")
        assert table.barrage({"guns": factors}, at=war.hex("3030"), observer="I-110") is None
        assert table.until("resolution.satisfy")
        return table

    return make


def satisfy_by(table, verb, **values):
    return table.answer("resolution.satisfy", verb, **values)


def test_12_4_1b_a_retreat_moves_the_stack_one_hex_satisfies_one_hit_and_brings_a_marker(
    struck, war
):
    # At value 8 against three steps (DRM 0), a roll of 9 gives two hits and a shift.
    table = struck(faces=[0, 9])
    assert satisfy_by(table, "retreat_first", units=("I-77",), to=war.hex("3031")) is None
    assert table.where("I-77") == "3031"
    assert table.body("I-77") == (2, 1, False)
    (told,) = table.events("suffered")
    assert told.cite == "12.4.1a, 12.4.1b, 12.4.3"
    assert (told["lost"], told["to"], told["shift"]) == (1, war.hex("3031"), 1)
    assert Words(table.table.scenario).event(told) == (
        "I-77 loses a step, retreats to 3031 and takes 1 Artillery Shift marker for the retreat"
        " (one column in favour of whoever assaults it next)"
    )
    assert table.events("emptied")[0].cite == "12.5.0"


def test_12_4_1b_only_one_hit_is_satisfied_by_a_retreat(struck, war):
    # Two volleys of 9 make four hits: one takes a step, one is satisfied by the retreat, and two
    # are overkill.
    table = struck(faces=[0, 9, 9], factors=16)
    assert satisfy_by(table, "retreat_first", units=("I-77",), to=war.hex("3031")) is None
    (done,), (overkill,) = table.events("suffered"), table.events("overkill")
    assert (done["lost"], done["retreats"], overkill["hits"]) == (1, True, 2)


def test_12_4_1b_a_retreat_leads_to_an_adjacent_free_hex_only(struck, war):
    blocked = [war.hexed("3031", impassable=True)]
    table = struck(faces=[0, 9], hexes=blocked, more=[war.us("II-110", "2930")])
    for hex_ in ("3029", "2930", "3031", "3032"):
        refusal = satisfy_by(table, "retreat_first", units=("I-77",), to=war.hex(hex_))
        assert refusal.cite == "12.4.1b"
        assert sorted(refusal.why.removeprefix("the units can retreat to ").split(", ")) == [
            "2931",
            "3130",
            "3131",
        ]


def test_12_4_1b_the_usual_retreat_avoids_open_ground_next_to_enemies_and_goes_away_from_them(
    struck,
):
    table = struck(faces=[0, 9])
    usual = table.table.rulebook.answer(table.table.waits_for, {}, table.table.read)
    assert FRAME.label(usual["to"]) in ("3031", "2931", "3131")


def test_12_4_1b_where_a_stack_can_go_hex_by_hex():
    ground = GroundMap(((FRAME.parse("3031"), HexTerrain(impassable=True)),), stacking=6)
    friends = [(FRAME.parse("2931"), 4), (FRAME.parse("3131"), 3)]
    enemies = [FRAME.parse("3029"), FRAME.parse("2930")]
    found = retreat_hexes(FRAME, ground, FRAME.parse("3030"), 3, friends, enemies)
    # 3131 has 3 + 3 = 6 steps of 6, 2931 would have 7; 3130 is open and next to 3029, so it comes
    # last.
    assert [FRAME.label(one) for one in found] == ["3131", "3130"]
    edge = retreat_hexes(FRAME, GroundMap(), FRAME.parse("0101"), 1, [], [])
    assert all(FRAME.layout.on_map(one) for one in edge)
    # A corner hex of an upper column has only its southern and south-eastern neighbours.
    assert len(edge) == 2


@pytest.mark.parametrize("markers", [1, 2])
def test_12_4_1b_a_retreating_unit_with_a_marker_gets_no_second_one(war, markers):
    """It gets none even under the option that results add up, because its marker comes from the
    retreat.
    """
    guns = war.us("guns", "3026", factors=17, range=8)
    observer = war.us("I-110", "3029", sees=(war.hex("3031"),))
    on = war.on_map(observer, guns, war.ge("I-77", "3030"), options={"shift_markers": markers})
    table = war.Play(on, faces=[0, 9, 0, 9])
    for at, to in (("3030", "3031"), ("3031", "3032")):
        assert table.until("requests.barrage")
        assert table.barrage({"guns": 8}, at=war.hex(at), observer="I-110") is None
        assert table.until("resolution.satisfy")
        assert satisfy_by(table, "retreat_first", units=("I-77",), to=war.hex(to)) is None
    assert table.body("I-77")[:2] == (1, 1)
    assert [event["shift"] for event in table.events("suffered")] == [1, 0]
    # 12.1.1: the second barrage hit the same unit in another hex in the same segment.
    assert [event["at"] for event in table.events("barrage")] == [war.hex("3030"), war.hex("3031")]


@pytest.mark.parametrize(("markers", "columns"), [(1, 1), (2, 2)])
def test_12_4_3_a_second_result_adds_a_marker_only_by_agreement(war, markers, columns):
    guns = war.us("guns", "3026", factors=24, range=8)
    observer = war.us("I-110", "3029", sees=(war.hex("3031"),))
    on = war.on_map(observer, guns, war.ge("I-77", "3030"), options={"shift_markers": markers})
    # The first barrage scores two hits and a shift. The second rolls a 1, with a DRM of -1 because
    # the target has only two steps left: a shift and no hit.
    table = war.Play(on, faces=[0, 9, 0, 1])
    for at in ("3030", "3031"):
        assert table.until("requests.barrage")
        assert table.barrage({"guns": 8}, at=war.hex(at), observer="I-110") is None
        if at == "3030":
            assert table.until("resolution.satisfy")
            satisfy_by(table, "retreat_first", units=("I-77",), to=war.hex("3031"))
    table.until("requests.declare")
    assert table.body("I-77")[1] == columns
    marked = [event["shift"] for event in table.events("suffered") if event["shift"]]
    assert marked[-1] == columns


def test_12_4_3_markers_come_off_when_the_ground_assault_segment_is_over(struck, war):
    table = struck(faces=[0, 9, 0, 0])  # the remaining factor fires too
    satisfy_by(table, "retreat_first", units=("I-77",), to=war.hex("3031"))
    assert table.body("I-77")[1] == 1
    table.until("never")
    assert table.body("I-77")[1] == 0
    (removed,) = table.events("shift_removed")
    assert (removed.cite, removed["unit"]) == ("12.4.3", "I-77")


def test_12_4_2_nobody_loses_a_second_step_while_a_retreat_is_possible(struck, war):
    table = struck(faces=[0, 9, 9], factors=16)
    satisfy_by(table, "losses_then_retreat", units=("I-77",), to=war.hex("3031"))
    assert table.body("I-77") == (2, 1, True)
    assert table.where("I-77") == "3031"
    (overkill,) = table.events("overkill")
    assert (overkill.cite, overkill["hits"]) == ("12.4.1, 12.4.2a", 2)
    assert not table.events("magnitude_lifted")


def test_12_4_2_with_no_retreat_possible_the_steps_are_lost(struck, war):
    closed = [war.hexed(name, impassable=True) for name in AROUND[1:]]
    table = struck(faces=[0, 9], hexes=closed)
    refusal = satisfy_by(table, "retreat_first", units=("I-77",), to=None)
    assert refusal.cite == "12.4.1b"
    assert satisfy_by(table, "losses_then_retreat", units=("I-77",), to=None) is None
    assert table.body("I-77") == (1, 1, False)
    assert table.events("magnitude_lifted")[0].cite == "12.4.2"


def test_12_4_2_a_unit_that_the_retreat_rules_hold_keeps_the_whole_stack(struck, war):
    table = struck(war.ge("I-77", "3030"), war.ge("fixed", "3030", can_retreat=False), faces=[0, 9])
    refusal = satisfy_by(table, "retreat_first", units=("I-77", "fixed"), to=war.hex("3031"))
    assert (refusal.cite, refusal.why) == (
        "12.4.1b",
        "all affected units must be able to retreat",
    )
    # The owner is asked only for the order of losses: no hex is offered.
    assert satisfy_by(table, "losses_then_retreat", units=("I-77", "fixed"), to=None) is None


@pytest.mark.parametrize(
    ("terrain", "option", "steps", "lifted"),
    [
        (("clear",), "each_unit", (1, 1), True),
        (("clear",), "one_unit", (1, 2), True),
        (("woods",), "each_unit", (2, 2), False),
    ],
)
def test_12_4_2_a_retreat_into_the_open_next_to_enemies_costs_steps_beyond_magnitude(
    struck, war, terrain, option, steps, lifted
):
    # Against six steps (+1), a die of 9 makes two hits and a shift on each of two volleys: four
    # hits.
    table = struck(
        war.ge("a", "3030"),
        war.ge("b", "3030"),
        faces=[0, 9, 9],
        factors=16,
        hexes=[war.hexed("3130", *terrain)],
        options={"open_retreat": option},
    )
    assert satisfy_by(table, "losses_then_retreat", units=("a", "b"), to=war.hex("3130")) is None
    assert (table.body("a")[0], table.body("b")[0]) == steps
    assert bool(table.events("magnitude_lifted")) is lifted


def test_12_4_2_open_ground_losses_are_one_step_each_or_one_in_all():
    assert open_ground_losses((3, 1, 0), each=True) == (2, 0, 0)
    assert open_ground_losses((2, 3, 0), each=False) == (2, 2, 0)
    assert open_ground_losses((0,), each=False) == (0,)


@pytest.mark.parametrize(
    ("die", "leader", "passed"),
    [(4, False, True), (5, False, False), (5, True, True), (6, True, False)],
)
def test_12_4_2_a_unit_may_stand_if_its_proficiency_die_is_below_its_rating(
    struck, war, die, leader, passed
):
    unit = war.ge("I-77", "3030", proficiency=5, leader=leader)
    table = struck(unit, faces=[0, 9, die], options={"stand": True})
    assert satisfy_by(table, "stand", units=("I-77",), to=war.hex("3031"), by="I-77") is None
    table.until("requests.declare")
    (check,) = table.events("proficiency")
    assert (check.cite, check["rating"], check["passed"]) == ("12.4.2", 5, passed)
    assert table.body("I-77")[0] == (1 if passed else 2)
    assert table.where("I-77") == ("3030" if passed else "3031")


def test_12_4_2_standing_is_refused_where_nobody_would_have_to_lose_a_second_step(struck, war):
    rated = {"proficiency": 5}
    cases = [
        ([war.ge("I-77", "3030")], "I-77", "I-77 has no proficiency rating"),
        (
            [war.ge("I-77", "3030", steps=1, **rated)],
            "I-77",
            "I-77 would have to lose 2 steps; it has 1",
        ),
        (
            [war.ge("I-77", "3030", **rated)],
            "II-77",
            "II-77 is not affected; the affected units are I-77",
        ),
        (
            [war.ge("a", "3030", **rated), war.ge("b", "3030", **rated)],
            "a",
            "2 hits on 2 units: no unit has to lose a second step",
        ),
        (
            [war.ge("I-77", "3030", can_retreat=False, **rated)],
            "I-77",
            "no retreat is possible, so steps are lost without a check",
        ),
    ]
    for germans, by, why in cases:
        table = struck(*germans, faces=[0, 9], options={"stand": True})
        units = tuple(one.name for one in germans)
        refusal = satisfy_by(table, "stand", units=units, to=war.hex("3031"), by=by)
        assert (refusal.cite, refusal.why) == ("12.4.2", why)


def test_12_4_2_standing_is_an_order_only_under_the_optional_rule(struck, war):
    table = struck(war.ge("I-77", "3030", proficiency=5), faces=[0, 9])
    order = Order.of("stand", units=("I-77",), to=war.hex("3031"), by="I-77")
    assert "not an order here" in table.table.submit(Answered("resolution.satisfy", order)).why


def test_12_4_2_a_unit_that_stands_loses_a_second_step_instead_of_retreating():
    done = satisfy([3, 2], 3, shift=False, stands=1)
    assert (done.steps, done.losses, done.retreat, done.overkill) == ((2, 0), 3, False, 0)


def test_12_4_2a_survivors_of_an_overkill_are_fatigued_and_the_dead_leave_the_map(struck, war):
    table = struck(war.ge("a", "3030"), war.ge("b", "3030", steps=1), faces=[0, 9, 9], factors=16)
    satisfy_by(table, "losses_then_retreat", units=("a", "b"), to=war.hex("3031"))
    assert table.body("a") == (2, 1, True)
    assert table.where("b") is None
    assert table.where("a") == "3031"


def test_12_4_0_units_that_are_not_observed_stay_and_the_hex_is_not_empty(struck, war):
    table = struck(war.ge("I-77", "3030"), war.ge("hidden", "3030", unobserved=True), faces=[0, 9])
    satisfy_by(table, "retreat_first", units=("I-77",), to=war.hex("3031"))
    assert (table.where("I-77"), table.where("hidden")) == ("3031", "3030")
    assert not table.events("emptied")


def test_12_1_1_an_eliminated_units_hex_is_no_longer_a_target(struck, war):
    table = struck(war.ge("I-77", "3030", steps=1), war.ge("II-77", "3032"), faces=[0, 9])
    satisfy_by(table, "losses_then_retreat", units=("I-77",), to=None)
    assert table.where("I-77") is None
    assert table.events("suffered")[0]["severity"].name == "DESTROYED"


def test_12_4_1a_a_hit_met_with_a_step_alone_names_no_hex_for_a_retreat(struck):
    # At value 8 against three steps (DRM 0), a die of 5 makes one hit and a shift.
    table = struck(faces=[0, 5])
    asked = table.table.waits_for
    words = Words(table.table.scenario)
    deeds = [
        words.deed(form.first(), form, asked.question)
        for form in table.table.rulebook.forms(asked, table.table.read)
    ]
    assert deeds == ["Lose 1 step (I-77)", "Retreat to 2931 and lose no step"]
