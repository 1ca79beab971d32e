"""The numbered clauses of the facts sheet, each at a table with scripted orders and dice."""

from __future__ import annotations

import pytest
from playing_on import step_on

import fireplan as fp
from fireplan.table import Session, Viewer
from fireplan.table.words import Words
from fireplan_battletech.forms import WEAPONS, designations
from fireplan_core import Ask, View
from fireplan_core.chance import RandomFaces
from fireplan_core.files import FileError
from fireplan_core.play import Catalogue, find_scenario

MISS = (1, 1)
HALF = (3, 3)


def impacts(field):
    return [field.label(one["impact"]) for one in field.emitted("fall")]


# --- observers ----------------------------------------------------------------------------------------
def test_1_a_hex_that_nobody_sees_may_be_fired_at_and_its_miss_teaches_nothing(field):
    table = field(spotters=({"sees": ("1010",)},)).fire(turns=2).roll(*HALF).roll(1)
    assert table.emitted("fall")
    assert table.emitted("observed") == []
    table.fire().roll(*HALF).roll(1)
    assert table.added == []


def test_2_spotting_takes_no_order(field):
    table = field(spotters=({"sees": ("1617",)},)).fire(turns=2).roll(*HALF).roll(1)
    assert len(table.emitted("observed")) == 1


def test_3_a_spotter_that_was_destroyed_before_the_landing_does_not_count(field):
    def play(unit):
        table = field(
            spotters=({"unit": "unit 1"},),
            units=({"place": "1617", "ground": "clear"},) if unit else ({"place": "0101"},),
            designated=(),
        )
        table.fire(turns=2).roll(6, 6)  # a hit destroys anyone who is there: 15 points kill 60 men
        table.fire(at="1210").fire(at="1210").roll(*HALF).roll(1)
        return table.emitted("observed")

    assert play(unit=True) == []
    assert len(play(unit=False)) == 1


def test_3_a_spotter_who_sees_the_hex_only_after_the_launch_does_not_count(field):
    table = field(spotters=({"until": 1},)).fire(turns=2).roll(*HALF).roll(1)
    # The spotter saw the launch in turn 1 and sees nothing in turn 2.
    assert table.emitted("observed") == []


@pytest.mark.parametrize(
    ("spotters", "expected"),
    [
        (
            ({"gunnery": 2}, {"gunnery": 6, "forward_observer": True}),
            [("the spotter's gunnery", 1), ("a forward observer", -1)],
        ),
        (({"gunnery": 2}, {"gunnery": 6}), [("the spotter's gunnery", -1)]),
        (({"gunnery": 0, "flying": True}, {"gunnery": 6}), [("the spotter's gunnery", 1)]),
    ],
    ids=["forward observer first", "lowest gunnery", "aerospace does not spot"],
)
def test_4_one_spotter_counts(field, spotters, expected):
    table = field(spotters=spotters).fire(turns=2).roll(*HALF).roll(1).fire().roll(*HALF)
    assert table.added == [("observed misses", -1), *expected]


# --- requests and aim ---------------------------------------------------------------------------------
def test_5_a_piece_fires_once_a_turn_at_any_hex_of_the_map(field):
    table = field()
    assert table.why_not("fire", at="+A17") == "5"
    table.give("fire", at="0101")
    assert len(table.emitted("launched")) == 1
    assert table.table.waits_for.question == "requests.fire"  # the question of turn 2


def test_5_the_hex_stays_while_the_shell_flies(field):
    table = field().fire(at="1010").fire(at="2020").roll(6, 6).fire().roll(6, 6)
    assert impacts(table) == ["1010", "2020"]


@pytest.mark.parametrize(
    ("weapon", "hexes"), [("thumper", 357), ("sniper", 306), ("long_tom", 510), ("arrow_iv", 136)]
)
def test_6_range_counts_from_the_position_off_the_map(field, weapon, hexes):
    assert WEAPONS.range_hexes[weapon] == hexes
    table = field({"weapon": weapon, "off_board": hexes - 17})
    assert table.why_not("fire", at="1616") == "6"
    table.give("fire", at="1617")
    assert len(table.emitted("launched")) == 1


def test_7_fire_at_a_hex_named_before_play_always_hits(field):
    table = field(designated=("1617",), spotters=()).fire(turns=2)
    assert impacts(table) == ["1617"]
    assert [event.cite for event in table.events if event.kind == "certain"] == ["7"]


def test_7_as_many_hexes_as_the_map_allows(field):
    with pytest.raises(FileError, match="at most 5"):
        field(designated=("0101", "0202", "0303", "0404", "0505", "0606"))


@pytest.mark.parametrize(
    ("hexes", "most"), [(32 * 34, 5), (33 * 34, 10), (16 * 17, 5), (2 * 1088, 10)]
)
def test_7_example_10_five_for_each_begun_1088_hexes(field, hexes, most):
    (fire,) = (part for part in field().scenario.parts if part.word == "requests")
    assert designations(fire, hexes) == most


def test_7_a_map_of_another_size_is_read_from_the_numbers_of_the_table():
    small = fp.position("fp1 battletech/ranging_in(number:map_rows=20)")
    assert small.at.scenario.frame.layout.hexes()[-1] == small.at.scenario.frame.parse("3220")
    with pytest.raises(fp.InputError, match="a hex of the map"):
        fp.position("fp1 battletech/ranging_in(number:map_columns=16 number:map_rows=17)")


def test_7_the_map_is_as_large_as_the_scenario_says(field):
    sheet = field(columns=16, rows=17, target="0408", units=({"place": "0408"},)).scenario
    assert len(sheet.frame.layout.hexes()) == 272
    assert sheet.frame.label(sheet.frame.layout.hexes()[-1]) == "1617"
    with pytest.raises(FileError, match=r"0418.*a hex of the map"):
        field(columns=16, rows=17, target="0418", units=({"place": "0408"},))
    wide = field(columns=33, designated=("0101", "0202", "0303", "0404", "0505", "3306")).scenario
    assert len(wide.missions["gun"].facts["areas"].designated) == 6


def test_a_hex_off_the_map_is_reported_with_every_other_fault(field):
    twins = ({"id": "scout", "place": "0408"}, {"id": "scout", "place": "0419"})
    with pytest.raises(FileError) as caught:
        field(columns=16, rows=17, target="0418", units=twins)
    assert [fault.key for fault in caught.value.faults] == ["target", "unit[1].id", "unit[1].place"]


def test_an_unknown_option_is_reported_with_a_repeated_name(field):
    twins = ({"id": "scout", "place": "0408"}, {"id": "scout", "place": "0409"})
    with pytest.raises(FileError) as caught:
        field(units=twins, options={"nothing": True})
    assert [fault.key for fault in caught.value.faults] == ["unit[1].id", "options.nothing"]


def test_6_a_piece_off_board_is_beyond_the_edge_of_the_scenarios_map(field):
    def away(**size):
        return (
            field(target="0408", units=({"place": "0408"},), **size)
            .scenario.missions["gun"]
            .facts["areas"]
            .hexes
        )

    assert (away(columns=16, rows=17), away()) == (83 + 9, 83 + 26)


def test_15_a_shell_beyond_the_edge_of_the_scenarios_map_has_no_effect(field):
    table = field(
        {"gunnery": 0}, columns=16, rows=17, target="0417", units=({"place": "0417"},)
    ).fire(turns=2, at="0417")
    table.roll(1, 1).roll(4)  # the roll is five short of 7, so the error is five hexes to the south
    assert [dict(e.fields)["mission"] for e in table.events if e.kind == "beyond"] == ["gun"]


def test_a_map_has_at_most_as_many_columns_as_two_digits_name(field):
    with pytest.raises(FileError, match="columns"):
        field(columns=100)


def test_9_an_undescribed_gunner_has_a_regulars_skill():
    def hits(skill):
        line = f"fp1 battletech/ranging_in(number:regular_gunnery={skill})"
        return fp.position(line).chance("hit", by=4).chance

    assert hits(0) > hits(4) > hits(8)


# --- delay --------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("hexes", "turns"),
    [
        (17, 0),
        (18, 1),
        (136, 1),
        (137, 2),
        (255, 2),
        (256, 3),
        (300, 3),
        (357, 3),
        (358, 4),
        (442, 4),
        (443, 5),
    ],
)
def test_8_example_5_turns_of_flight_by_range(field, hexes, turns):
    table = field({"weapon": "long_tom", "off_board": hexes - 17}, designated=("1617",)).fire()
    for _ in range(turns):
        assert table.emitted("fall") == []
        table.give("hold")
    assert len(table.emitted("fall")) == 1
    assert [entry.moment for entry in table.table.log if entry.event.kind == "fall"] == [turns]


def test_8_example_5_shells_fired_in_turns_1_2_3_land_in_4_5_6(field):
    table = field({"off_board": 283}).fire(turns=4)
    for _ in range(3):
        table.roll(*HALF).roll(1)
        table.give("hold")
    assert [entry.moment + 1 for entry in table.table.log if entry.event.kind == "fall"] == [
        4,
        5,
        6,
    ]
    # The miss of turn 4 helps the shell that lands in turn 5; the misses of turns 4 and 6 help
    # together (decision 4).
    assert table.added == [("observed misses", -1), ("observed misses", -2)]


# --- accuracy -----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("off_board", "gunnery", "number"), [(83, 4, 11), (3, 4, 11), (0, 4, 8), (0, 3, 7), (83, 2, 9)]
)
def test_9_the_number_to_hit(field, off_board, gunnery, number):
    def lands(total):
        table = field({"off_board": off_board, "gunnery": gunnery}).fire()
        if off_board:
            table.fire()
        table.roll(total // 2, total - total // 2)
        return impacts(table)

    assert lands(number) == ["1617"]
    assert lands(number - 1) == []  # the direction has still to be rolled


def test_9_the_pieces_own_movement_counts_within_17_hexes_alone(field):
    near = field({"off_board": 0, "move": 2})
    near.give("move")
    near.fire().roll(*HALF)
    assert near.added == [("the piece has moved", 2)]
    far = field({"off_board": 83, "move": 2})
    far.give("move")
    far.fire().give("move")
    far.fire().roll(*HALF)
    assert far.added == []


def test_9_a_move_of_an_earlier_turn_counts_no_more(field):
    table = field({"off_board": 0, "move": 2})
    table.give("move")
    table.give("hold")
    table.fire().roll(*HALF)
    assert table.added == []


def test_10_example_1_one_observed_miss_makes_11_a_10_and_a_roll_of_5_lands_5_hexes_off(field):
    table = field().fire(turns=2).roll(*HALF).roll(1).fire().roll(2, 3).roll(4)
    assert table.added == [("observed misses", -1)]
    assert impacts(table)[-1] == "1622"


def test_10_another_hex_starts_over_and_the_first_is_remembered(field):
    table = (
        field()
        .fire()
        .fire(at="1010")
        .roll(*HALF)
        .roll(1)
        .fire()
        .roll(*HALF)
        .roll(1)
        .fire()
        .roll(*HALF)
    )
    assert table.added == [("observed misses", -1)]


def test_10_pieces_do_not_share_observed_misses(field):
    guns = ({"weapon": "thumper", "off_board": 0}, {"weapon": "thumper", "off_board": 0})
    table = field(pieces=guns).fire(turns=2).roll(*HALF).roll(1).roll(*HALF)
    assert table.added == []


def test_11_the_spotter_helps_adjusted_shots_alone(field):
    table = field(spotters=({"gunnery": 2, "implant": True},)).fire(turns=2).roll(*HALF).roll(1)
    assert table.added == []
    table.fire().roll(*HALF)
    assert table.added == [
        ("observed misses", -1),
        ("the spotter's gunnery", -1),
        ("a comm implant", -1),
    ]


def test_11_infantry_has_no_comm_implant(field):
    table = (
        field(spotters=({"implant": True, "infantry": True},))
        .fire(turns=2)
        .roll(*HALF)
        .roll(1)
        .fire()
        .roll(*HALF)
    )
    assert table.added == [("observed misses", -1)]


def test_12_a_hex_that_was_hit_is_hit_for_certain_observed_or_not(field):
    table = field(spotters=()).fire(turns=2).roll(6, 6).fire().fire()
    assert impacts(table) == ["1617"] * 3
    assert [event.cite for event in table.events if event.kind == "certain"] == ["12", "12"]


def test_12_moving_the_piece_ends_certain_hits_but_keeps_observed_misses(field):
    table = (
        field({"off_board": 0, "move": 1}, designated=("1620",))
        .fire()
        .roll(*HALF)
        .roll(1)
        .fire()
        .roll(6, 6)
    )
    table.give("move")
    table.fire().roll(*MISS).roll(1)
    assert table.added == [
        ("observed misses", -1),
        ("the piece has moved", 1),
        ("observed misses", -1),
    ]
    table.fire(at="1620")
    assert [event.cite for event in table.events if event.kind == "certain"] == ["7"]


def test_12_a_piece_that_stays_may_not_move_and_one_that_moved_not_again(field):
    assert field().why_not("move") == "12"
    table = field({"move": 1})
    table.give("move")
    assert table.why_not("move") == "12"


@pytest.mark.parametrize(
    ("direction", "place"),
    [(1, "1612"), (2, "2115"), (3, "2120"), (4, "1622"), (5, "1120"), (6, "1115")],
)
def test_13_a_miss_lands_as_many_hexes_off_as_the_roll_fell_short_clockwise_from_the_top(
    field, direction, place
):
    table = field().fire(turns=2).roll(3, 3).roll(direction)
    assert impacts(table) == [place]


def test_13_the_rest_of_the_error_by_the_roll(field):
    for total in range(2, 11):
        table = field().fire(turns=2).roll(total // 2, total - total // 2).roll(1)
        assert impacts(table) == [f"16{17 - (11 - total):02}"]


def test_14_an_oblique_artilleryman_hits_one_better_errs_two_less_and_reaches_farther(field):
    one = {"oblique": True}
    table = field(one).fire(turns=2).roll(5, 5)
    assert (table.added, impacts(table)) == ([("an oblique artilleryman", -1)], ["1617"])
    # The roll misses by 4, and the error is 2 hexes less.
    assert impacts(field(one).fire(turns=2).roll(3, 3).roll(1)) == ["1615"]
    # The range is 306 hexes and ten percent: 336.6, rounded down.
    farthest = field({**one, "weapon": "sniper", "off_board": 336 - 17})
    assert farthest.why_not("fire", at="1616") == "6"
    farthest.give("fire", at="1617")
    assert farthest.emitted("launched")


def test_15_off_the_map_a_shell_has_no_effect_but_is_a_miss_all_the_same(field):
    units = ({"place": "0101"}, {"place": "0102"})
    table = field({"off_board": 300}, units=units, target="0101").fire(at="0101")
    for _ in range(3):
        table.fire(at="0101")
    table.roll(5, 5).roll(1)  # one hex north of the first row: the ring would reach both units
    assert table.emitted("beyond")
    assert table.emitted("men_lost") == []
    assert table.emitted("observed")


# --- area and resolution ------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("weapon", "rings"),
    [("thumper", (15, 5)), ("sniper", (20, 10)), ("long_tom", (25, 15, 5)), ("arrow_iv", (20, 10))],
)
def test_16_damage_falls_by_10_for_each_hex_until_nothing_is_left(field, weapon, rings):
    assert tuple(WEAPONS.rings[weapon].values()) == rings
    assert rings == tuple(range(rings[0], 0, -10))
    units = tuple({"place": f"16{17 + off}", "kind": "vehicle"} for off in range(5))
    table = field({"weapon": weapon}, units=units, designated=("1617",)).fire(turns=2)
    assert [one["points"] for one in table.emitted("damaged")] == list(rings)


def test_16_the_footprint_is_the_landing_hex_and_every_ring_that_does_damage(field):
    for weapon, hexes in (("sniper", 1 + 6), ("long_tom", 1 + 6 + 12)):
        table = field({"weapon": weapon})
        (mission,) = table.scenario.mission_ids
        impact = {f"missions/{mission}/impact": table.scenario.centre}
        view = View({**table.table.state.values, **impact}.get, table.scenario, "areas")
        assert len(view.footprint(mission)[0]) == hexes


def test_17_everyone_in_the_area_takes_it_friend_or_enemy_without_a_roll(field):
    units = (
        {"place": "1617"},
        {"place": "1617", "side": "firer"},
        {"place": "1618", "side": "firer"},
    )
    table = field(units=units, designated=("1617",)).fire(turns=2)
    assert [one["unit"] for one in table.emitted("men_lost")] == ["unit 1", "unit 2", "unit 3"]
    assert table.emitted("fall")[0]["own_under_fire"]
    assert isinstance(table.table.waits_for, Ask)


@pytest.mark.parametrize(
    ("ground", "off", "lost"),
    [
        ("woods", 0, 28),
        ("clear", 0, 28),
        ("woods", 1, 20),
        ("clear", 1, 28),
        ("rough", 1, 20),
        ("swamp", 1, 20),
    ],
)
def test_18_19_example_6_a_sniper_at_a_platoon_of_28(field, ground, off, lost):
    units = ({"place": f"16{17 + off}", "ground": ground},)
    table = field({"weapon": "sniper"}, units=units, designated=("1617",)).fire(turns=2)
    (told,) = table.emitted("men_lost")
    assert (told["men"], told["left"]) == (lost, 28 - lost)


@pytest.mark.parametrize(
    ("weapon", "ground", "off", "lost"),
    [
        ("long_tom", "woods", 2, 10),
        ("thumper", "woods", 1, 10),
        ("thumper", "woods", 2, 0),
        ("long_tom", "clear", 2, 20),
    ],
)
def test_18_example_8_the_outer_rings(field, weapon, ground, off, lost):
    units = ({"place": f"16{17 + off}", "ground": ground},)
    table = field({"weapon": weapon}, units=units, designated=("1617",)).fire(turns=2)
    assert sum(one["men"] for one in table.emitted("men_lost")) == lost


def test_19_example_7_losses_of_10_to_a_platoon_of_28(field):
    units = ({"place": "1618", "ground": "woods"},)
    table = field(units=units, designated=("1617",)).fire(turns=5)
    assert [(one["men"], one["left"]) for one in table.emitted("men_lost")] == [
        (10, 18),
        (10, 8),
        (8, 0),
    ]
    assert [one["severity"].name for one in table.emitted("suffered")] == ["REDUCED", "DESTROYED"]


def test_18_example_7_arrow_iv_beside_infantry_in_the_open_costs_40_men(field):
    units = ({"place": "1618"}, {"place": "1618"})
    table = field({"weapon": "arrow_iv"}, units=units, designated=("1617",)).fire(turns=2)
    # Each unit takes 40 points: 10, doubled twice.
    assert [one["left"] for one in table.emitted("men_lost")] == [
        0,
        0,
    ]


def test_20_others_take_damage_in_groups_of_5(field):
    units = ({"place": "1617", "kind": "vehicle"}, {"place": "1618", "kind": "vehicle"})
    table = field({"weapon": "long_tom"}, units=units, designated=("1617",)).fire(turns=2)
    assert [(one["points"], one["groups"]) for one in table.emitted("damaged")] == [
        (25, 5),
        (15, 3),
    ]
    assert table.emitted("suffered") == []


def test_21_units_in_flight_are_untouched(field):
    table = field(units=({"kind": "flying"},), designated=("1617",)).fire(turns=2)
    assert [one["unit"] for one in table.emitted("untouched")] == ["unit 1"]
    assert table.emitted("men_lost") == table.emitted("suffered") == []


def test_9_and_10_the_roll_shows_the_number_to_hit_and_its_parts():
    """The prompt says that -1 is subtracted, not that 10 or more is needed besides."""
    scenario, form = find_scenario(Catalogue.installed(), "battletech/ranging_in")
    session, faces, told = Session(scenario, form.moments), [1, 1, 6, 2], {}
    viewer = Viewer(session, "Firer")
    while faces:
        prompt = viewer.form()
        if prompt.kind == "dice" and prompt.number:
            told[prompt.number] = prompt.modifiers
            for _ in prompt.dice:
                session.face(faces.pop(0), typed=True)
        else:
            step_on(session, RandomFaces(3))
    base = ("+4 gunnery (9)", "+7 for the range (9)")
    assert told == {
        "the target number is 11": base,
        "the target number is 10": (*base, "-1 observed misses (10, D4)"),
    }
    viewer = Viewer(session, "Firer")
    assert viewer.fell().startswith("roll for the shell due this turn, 6 + 2 = 8 against 10: ")
    made_of = "(+4 gunnery (9), +7 for the range (9), -1 observed misses (10, D4))"
    rolls = [line.text for line in viewer.known.lines if line.kind == "roll"]
    assert f"8 in all, against 10 {made_of}: the shell scatters 2 hexes" in rolls[-1]
    assert not [line for line in viewer.known.lines if line.kind == "modifier"]


def test_19_a_burst_on_a_platoon_that_is_gone_says_so(field):
    """A burst on an empty hex is reported as such."""
    units = ({"place": "1618", "ground": "woods"},)
    table = field(units=units, designated=("1617",)).fire(turns=7)
    assert len(table.emitted("men_lost")) == 3
    gone = [event for event in table.events if event.kind == "nothing_left"]
    assert len(gone) > 1
    words = Words(table.scenario)
    assert {words.event(event) for event in gone} == {"The burst finds nothing left of unit 1"}
