"""Barrages in awkward cases: map edges, both sides, options, weather, other batteries, a lost
Observer (E12).
"""

from __future__ import annotations

import io
import json
from fractions import Fraction

import pytest
from support_asl import ON_HAND, at, read

from fireplan.cli import main
from fireplan.table import Session, as_data, view_of
from fireplan_core import FireKind, Order, Reason, Stage, Step, View
from fireplan_core.files import FileError
from fireplan_core.play import State, Variation, load_scenario

HEAD = """
game = "asl"
title = "Barrages"
moments = 12
date = 1944-07-25
columns = 16
#scenario

[[unit]]
id = "enemy"
side = "german"
hex = "#enemy"
"""
PLAIN = """
[[battery]]
id = "a"
side = "american"
nationality = "american"
calibre = 105
link = "offboard"
target = "H6"
observer = "A5"
missions = ["barrage", "concentration"]
preregistered = ["H6", "F5"]
barrage = { H6 = "H5-H7" }
"""
CREEPING = """
[[battery]]
id = "a"
side = "american"
nationality = "american"
calibre = 105
target = "O5"
observer = "A5"
missions = ["concentration", "harassing"]
preregistered = ["G5"]
barrage = { G5 = "G4-G6" }
#battery

[battery.creeping]
aim = "P5"
lift = 9
radio = true
"""
OTHER = """
[[battery]]
id = "b"
side = "american"
nationality = "american"
calibre = 105
link = "offboard"
target = "C5"
observer = "A5"
missions = ["smoke"]
"""
LIEUTENANT = """
[[unit]]
id = "Lt"
side = "american"
hex = "A5"
half = true
leader = true
morale = 8
"""


def text(*batteries, enemy="A1", scenario="", more="", **swaps):
    found = HEAD.replace("#enemy", enemy).replace("#scenario", scenario) + "".join(batteries) + more
    for old, new in swaps.values():
        assert old in found
        found = found.replace(old, new)
    return found


@pytest.fixture
def play(catalogue, referee, tmp_path):
    def start(*batteries, **changes):
        return referee(read(catalogue, tmp_path, text(*batteries, **changes)))

    return start


def covered(game, mission="a"):
    view = View(game.table.read, game.scenario, "areas")
    areas, frame = game.scenario.parts.areas, game.scenario.frame
    return {
        frame.label(h) for h in frame.layout.hexes() if areas.covers(view, mission, h, Fraction(0))
    }


def told(game, *kinds):
    """Return the events of the given kinds, each with its moment and its hex, if any."""
    label = game.scenario.frame.label
    found = []
    for entry in game.table.log:
        if entry.event.kind in kinds:
            place = next(
                (value for name, value in entry.event.fields if name in ("impact", "at")), None
            )
            found.append(
                (entry.moment, entry.event.kind, *([] if place is None else [label(place)]))
            )
    return found


def impacts(game):
    return [place for _, _, place in told(game, "fall", "unresolved")]


# --- records -------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("hex_", "pair"), [("A3", "-A3-B3"), ("A3", "B3--A3"), ("B0", "B-1-B1"), ("K1", "K2-K0")]
)
def test_e12_2_a_record_may_name_hexes_beyond_the_map(play, hex_, pair):
    game = play(
        PLAIN, hexes=('["H6", "F5"]', f'["{hex_}"]'), pair=('H6 = "H5-H7"', f'{hex_} = "{pair}"')
    )
    assert game.scenario.missions["a"].facts["areas"].grain is not None


def test_e12_2_letters_of_either_size_name_the_same_hex(play, catalogue, tmp_path):
    game = play(PLAIN, hexes=('["H6", "F5"]', '["h6"]'))
    assert game.scenario.missions["a"].facts["requests"].barrage == {at(game, "H6")}
    twice = text(PLAIN, pair=('H6 = "H5-H7"', 'H6 = "H5-H7", h6 = "I6-H7"'))
    with pytest.raises(FileError, match=r"one Barrage record \[E12\.2\]"):
        read(catalogue, tmp_path, twice)


def test_e12_2_e12_31_on_the_same_line_each_hex_keeps_the_side_it_was_recorded_with(play):
    options = 'options = { parallel_barrages = "same line" }'
    records = ('H6 = "H5-H7"', 'H6 = "I6-H7", C6 = "C5-B6"')
    h6 = "J3 J4 I5 I6 H6 H7 G8 G9 F9"
    for place, on in (("H6", h6), ("C6", "E3 D3 D4 C5 C6 B6 B7 A8 A9")):
        game = play(PLAIN, scenario=options, hexes=('["H6", "F5"]', '["H6", "C6"]'), pair=records)
        game.stand(stage=Stage.DELAYED, **ON_HAND)
        game.go([4], [Order.of("fire", at=at(game, place)), Order.of("barrage")])
        assert covered(game) == set(on.split())
    # A Barrage that is Corrected onto the other hex, or next to it, takes that hex's recorded
    # orientation.
    for place, dice, lies in (("H6", [4], h6), ("G7", [6, 4, 1], "I5 I6 H6 H7 G8 G9 F9 F10")):
        game.stand(stage=Stage.FALLING, impact=at(game, "E6"), areas__grain=(1, 2), **ON_HAND)
        game.go(dice, [Order.of("correct", at=at(game, place))])
        assert covered(game) == set(lies.split())


SAME, LINE = (f"parallel_barrages={side}" for side in ("same side", "same line"))


@pytest.mark.parametrize("written", [SAME, LINE, ""])
@pytest.mark.parametrize("typed", [SAME, LINE])
def test_e12_2_records_are_judged_by_the_option_in_force(
    catalogue, run, monkeypatch, tmp_path, written, typed
):
    legal = typed == LINE
    chosen = 'options = {{ {} = "{}" }}'.format(*written.split("=")) if written else ""
    path = tmp_path / "records.toml"
    pair = ('H6 = "H5-H7"', 'H6 = "I6-H7", C6 = "C5-B6"')
    path.write_text(
        text(PLAIN, scenario=chosen, hexes=('["H6", "F5"]', '["H6", "C6"]'), pair=pair),
        encoding="utf-8",
    )
    name, value = typed.split("=")
    variation = Variation(options={name: value})
    status, out, err = run("whatif", path, "--option", f"asl.{typed}", "--minutes", "2", "--json")
    if legal:
        assert (
            load_scenario(catalogue, path, variation=variation)[0]
            .missions["a"]
            .facts["requests"]
            .barrage
        )
        assert status == 0
        # The rule as printed refuses the scenario, unless its file chooses the looser reading.
        assert set(json.loads(out)["games"]) == ({"asl", "asl*"} if written == LINE else {"asl*"})
    else:
        with pytest.raises(FileError, match=r"parallel \[E12\.2\]"):
            load_scenario(catalogue, path, variation=variation)
        assert (status, "parallel [E12.2]" in err) == (2, True)
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    status = main(["play", str(path), "--journal", str(tmp_path / "j"), "--option", typed])
    assert status == (0 if legal else 2)


def test_e12_4_not_around_a_registered_hex_without_a_record_either(play):
    game = play(PLAIN).stand(
        stage=Stage.FALLING, requests__kind="barrage", impact=(5, 4), **ON_HAND
    )
    assert game.label == "F6"  # next to F5, which is Pre-Registered for Concentrations only
    allowed = {game.scenario.frame.label(h) for h in game.scenario.frame.layout.hexes()}
    allowed = {
        label for label in allowed if game.refused(Order.of("correct", at=at(game, label))) is None
    }
    assert allowed == {"H6", "H5", "H7", "G7", "I6", "I7"}
    assert game.refused(Order.of("correct", at=at(game, "G6"))) == "E12.4"


def test_e12_4_onto_the_adjacent_registered_hex_or_away_but_not_around_it(play):
    game = play(PLAIN, hexes=('"F5"', '"J6"'), pair=('H6 = "H5-H7"', 'H6 = "H5-H7", J6 = "J5-J7"'))
    kinds = {"requests__kind": "barrage"}
    for here, around, free in (
        ("H6", "H5 H7 G6 G7 I6 I7", "J6 J5 J7 K6 K7"),
        ("I6", "I7 H5 H7 G6 G7 J5 J7", "H6 J6"),
    ):
        game.stand(stage=Stage.FALLING, impact=at(game, here), **kinds, **ON_HAND)
        answers = {
            label: game.refused(Order.of("correct", at=at(game, label)))
            for label in f"{around} {free}".split()
        }
        assert {label for label, cite in answers.items() if cite == "E12.4"} == set(around.split())
        assert {label for label, cite in answers.items() if cite is None} == set(free.split())


def test_e12_3_the_type_is_refused_where_nothing_was_recorded(play):
    game = play(PLAIN).stand(stage=Stage.DELAYED, **ON_HAND)
    game.go([], [Order.of("fire", at=at(game, "F5"))])
    assert game.emitted("announced")[0]["type"] == "concentration"
    for place, cite in (("F5", "E12.3"), ("H6", None)):
        obey = Step("requests.obey", ("a", Order.of("fire", at=at(game, place))))
        fresh = play(PLAIN).stand(obey, stage=Stage.DELAYED)
        assert fresh.waits == "requests.type"
        assert fresh.refused(Order.of("barrage")) == cite
        assert fresh.refused(Order.of("concentration")) is None


def test_e12_11_c1_32_hexes_off_the_map_are_not_part_of_the_blast_area(play):
    game = play(PLAIN).stand(
        stage=Stage.FALLING, requests__kind="barrage", impact=(7, 6), **ON_HAND
    )
    assert game.label == "H9"
    view = View(game.table.read, game.scenario, "areas")
    areas = game.scenario.parts.areas
    fire = {
        number: areas.covers(view, "a", at(game, f"H{number}"), Fraction(0))
        for number in range(4, 15)
    }
    # A Barrage of 100+ mm attacks with 16 FP, 4/5 of the 20 FP of a Concentration (E12.5).
    assert fire == {number: Fraction(4, 5) if 5 <= number <= 10 else 0 for number in range(4, 15)}


@pytest.mark.parametrize(
    ("calibre", "weapon"), [(60, "mortar"), (250, "howitzer"), (300, "howitzer")]
)
def test_e12_5_e12_7_a_calibre_that_fires_no_barrage_does_not_creep(
    catalogue, tmp_path, calibre, weapon
):
    wrong = text(CREEPING, calibre=("calibre = 105", f'calibre = {calibre}\nweapon = "{weapon}"'))
    with pytest.raises(FileError, match=r"no Barrage \[E12\.5, E12\.7\]"):
        read(catalogue, tmp_path, wrong)


def test_e12_7_one_side_is_the_scenario_attacker(play, catalogue, tmp_path):
    second = CREEPING.replace('id = "a"', 'id = "b"')
    assert play(CREEPING, second).scenario.missions.keys() == {"a", "b"}
    foe = second.replace('side = "american"', 'side = "german"')
    with pytest.raises(FileError, match=r"Scenario Attacker.*\[E12\.7\]"):
        read(catalogue, tmp_path, text(CREEPING, foe))


def test_e12_71_where_grains_on_both_sides_of_a_spine_lead_to_the_aim_one_is_named(
    play, catalogue, tmp_path
):
    # O5 is eight hexes east of G5. The path goes by way of H5, J5, L5 and N5, or of H4, J4, L4 and
    # N4.
    columns, aim = ("columns = 16", "columns = 15"), 'aim = "O5"'
    for by, third in (("H5", "L5"), ("H4", "L4")):
        game = play(
            CREEPING, enemy="A1", columns=columns, aim=('aim = "P5"', f'{aim}\nby = "{by}"')
        )
        game.go(["black", 1, 6, 2, 1])  # the error at I5 is to the north-east
        assert impacts(game) == ["G5", "J4", third]
        # The note written before play names the path too.
        assert "by " + by in game.scenario.parts.areas.secret_notes(game.scenario)[0].says
    # If the file names no path, the scenario states which path is taken.
    silent = play(CREEPING, enemy="A1", columns=columns, aim=('aim = "P5"', aim))
    assert any("it takes the one through H4" in note for note in silent.scenario.provenance)
    assert not any(
        "it takes the one" in note for note in play(CREEPING, enemy="A1").scenario.provenance
    )
    with pytest.raises(FileError, match=r"\[E12\.71\] - use H4 or H5"):
        read(
            catalogue,
            tmp_path,
            text(CREEPING, enemy="A1", columns=columns, aim=('aim = "P5"', f'{aim}\nby = "H6"')),
        )


@pytest.mark.parametrize(
    ("edge", "first", "pair", "right", "wrong"),
    [
        ("first hexrow", "G15", "G14-G16", "P15", "N15"),
        ("last hexrow", "G15", "G14-G16", "A15", "B15"),
        ("low numbers", "G15", "F15-H15", "G20", "G10"),
        ("low numbers", "H15", "G16-I16", "H20", "H19"),
        ("high numbers", "G15", "F14-H14", "G1", "G2"),
        ("high numbers", "H15", "G15-I15", "H0", "H1"),
    ],
)
def test_e12_71_the_aiming_hex_is_along_the_far_edge(
    catalogue, tmp_path, edge, first, pair, right, wrong
):
    def form(aim, record=pair):
        found = text(CREEPING, enemy="A1", aim=('aim = "P5"', f'aim = "{aim}"\nedge = "{edge}"'))
        found = found.replace("columns = 16", "columns = 16\nboards = 2")
        return found.replace('["G5"]', f'["{first}"]').replace(
            'G5 = "G4-G6"', f'{first} = "{record}"'
        )

    assert read(catalogue, tmp_path, form(right)) is not None
    with pytest.raises(FileError, match=r"board edge opposite \[E12\.71\]"):
        read(catalogue, tmp_path, form(wrong))
    column = first[0]
    west, east = chr(ord(column) - 1), chr(ord(column) + 1)
    slanting = (
        (f"{west}15-{east}16", f"{west}16-{east}15") if column == "H" else ("F14-H15", "F15-H14")
    )
    across = "F15-H15" if edge.endswith("hexrow") else f"{column}14-{column}16"
    for record in (across, *slanting):
        with pytest.raises(
            FileError, match=r"must be parallel to the Friendly Board Edge \[E12\.71\]"
        ):
            read(catalogue, tmp_path, form(right, record))


# --- before play ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("batteries", [(CREEPING, OTHER), (OTHER, CREEPING)])
def test_e12_72_the_pre_game_turns_come_before_every_other_battery(play, batteries):
    game = play(*batteries, enemy="A1")
    assert game.waits == "access"
    game.go(["red", 2, 1, 1])
    assert told(game, "fall", "requested") == [
        (0, "fall", "G5"),
        (0, "fall", "I5"),
        (0, "requested"),
    ]


def test_e12_72_e12_771_a_lift_in_a_pre_game_turn_leaves_turn_1_to_the_radio(play):
    game = play(CREEPING, lift=("lift = 9", "lift = 2"))
    game.go(["red", 4, 1, 1, 4, 4])  # two pre-Game Turns; the barrage Lifts in the second of them
    assert told(game, "fall", "lifts", "contact") == [
        (0, "fall", "G5"), (0, "fall", "I5"), (0, "lifts"), (0, "contact"),
    ]  # fmt: skip
    assert game.table.waits_for is not None


# --- over the edge -------------------------------------------------------------------------------------
OVER = {
    # Each row has the first hex, the orientation, the edge and the Aiming Hex; then the dice of the
    # first error, its hex, the new Aiming Hex and the later impacts.
    "south side": (
        "G10",
        "G9-G11",
        "first hexrow",
        "P10",
        (5, 4, 2),
        "G11",
        "P11",
        "I11 K11 M11 O11",
    ),
    "north side": ("G2", "G1-G3", "first hexrow", "P2", (6, 1, 4), "G0", "P0", "I0 K0 M0 O0"),
    "behind its own edge": (
        "B5",
        "B4-B6",
        "first hexrow",
        "P5",
        (5, 6, 5),
        "-B4",
        "P3",
        "A4 C4 E4 G4 I4 K4 M4 O4",
    ),
    "west side": ("A3", "-A2-B2", "low numbers", "A10", (6, 5, 1), "-A3", "-A10", "-A5 -A7 -A9"),
    "east side": ("P8", "O8-Q8", "high numbers", "P0", (5, 2, 3), "R7", "R0", "R5 R3 R1"),
    "north side, westward": (
        "J1",
        "J0-J2",
        "last hexrow",
        "A1",
        (6, 1, 4),
        "J-1",
        "A-1",
        "H-1 F-1 D-1 B-1",
    ),
    "along the far edge": ("P2", "P1-P3", "first hexrow", "P0", (5, 6, 1), "O2", "O0", "O0"),
    "south, slanting": (
        "I1",
        "I0-I2",
        "first hexrow",
        "P10",
        (5, 5, 1),
        "H1",
        "P13",
        "I3 J4 K6 L7 M9 N10 O12 P13",
    ),
    "on the board": ("G5", "G4-G6", "first hexrow", "P5", (5, 4, 2), "G6", "P6", "I6 K6 M6 O6"),
}


@pytest.mark.parametrize("case", OVER)
def test_e12_732_a_first_error_over_a_map_edge_keeps_the_whole_grain(play, case):
    first, pair, edge, aim, dice, lies, new, after = OVER[case]
    game = play(
        CREEPING, enemy="A1" if first[0] > "B" else "P9",
        first=('["G5"]', f'["{first}"]'), pair=('G5 = "G4-G6"', f'{first} = "{pair}"'),
        aim=('aim = "P5"', f'aim = "{aim}"\nedge = "{edge}"'), radio=("radio = true", "radio = false"),
    )  # fmt: skip
    game.go(["black", *dice])
    label = game.scenario.frame.label
    adjusted = game.emitted("adjusted")[0]
    assert (label(adjusted["start"]), label(adjusted["aim"])) == (lies, new)
    game.go([1] * len(after.split()))
    assert impacts(game) == [lies, *after.split()]
    assert [moment for moment, _ in told(game, "lifts")] == [1 + len(after.split())]


def test_e12_732_a_barrage_centred_off_the_map_covers_hexes_on_it(play):
    game = play(
        CREEPING, enemy="A1", first=('["G5"]', '["G10"]'), pair=('G5 = "G4-G6"', 'G10 = "G9-G11"'),
        aim=('aim = "P5"', 'aim = "P10"'),
    )  # fmt: skip
    game.go(["black", 5, 4, 2])
    assert covered(game) == {"G7", "G8", "G9", "G10"}
    game.go([1])
    assert covered(game) == {"I7", "I8", "I9", "I10"}


def test_e12_71_e12_732_the_new_aiming_hex_is_the_owners_secret(catalogue, tmp_path):
    session = Session(read(catalogue, tmp_path, text(CREEPING, enemy="A1")), 12)
    for face in ("black", 5, 4, 2):
        session.face(face, typed=True)
    assert "heads for" in str(as_data(view_of(session, "american")))
    assert "heads for" not in str(as_data(view_of(session, "german")))
    assert "G6" in str(as_data(view_of(session, "german")))


# --- while it creeps, and after ------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("scenario", "drms"),
    [
        ("", [2, 2, 2]),
        ('weather = "rain"', [1, 1, 1]),
        ('[[weather_change]]\nmoment = 1\nto = "rain"', [2, 1, 1]),
        ('weather = "rain"\n[[weather_change]]\nmoment = 2\nto = "clear"', [1, 1, 2]),
        ('weather = "deep_snow"\n[[weather_change]]\nmoment = 1\nto = "rain"', [1, 1, 1]),
        ('[[weather_change]]\nmoment = 1\nto = "heavy_wind"', [2, 2, 2]),
    ],
)
def test_e12_75_two_unless_there_is_rain_or_deep_snow(play, scenario, drms):
    game = play(CREEPING, enemy="P1", scenario=scenario).go(["black", 1])
    assert impacts(game) == ["G5"]
    found = []
    for moment in range(3):

        def read_then(key, usual=None, moment=moment):
            return moment if key == "clock/moment" else game.table.read(key, usual)

        view = View(read_then, game.scenario, "observers")
        found.append(game.scenario.parts.observers.sees(view, "a", at(game, "P5")).hindrance)
    assert found == drms


def test_e12_75_e12_771_a_concentration_of_the_battery_afterwards_hinders_by_one(play):
    game = play(CREEPING, enemy="P1").stand(stage=Stage.FALLING, impact=(6, 2), **ON_HAND)
    found = {}
    for kind in ("creeping", "concentration", "harassing"):
        values = (("missions/a/areas/over", kind != "creeping"), ("missions/a/requests/kind", kind))
        game.table.state = State(game.table.state.values.put(values), ())
        view = View(game.table.read, game.scenario, "observers")
        found[kind] = game.scenario.parts.observers.sees(view, "a", at(game, "P5")).hindrance
    assert found == {"creeping": 2, "concentration": 1, "harassing": 0}


@pytest.mark.parametrize("batteries", [(CREEPING, OTHER), (OTHER, CREEPING)])
def test_e12_76_it_lifts_before_another_battery_does_anything_in_the_phase(play, batteries):
    game = play(*batteries, kinds=('["smoke"]', '["concentration"]'))
    stages = {"a": {"stage": Stage.LINGERING, "impact": at(game, "P5")}}
    stages["b"] = {"stage": Stage.SPOTTING, "impact": at(game, "C5")}
    values = {
        f"missions/{m}/{key}": value for m, slot in stages.items() for key, value in slot.items()
    }
    on_hand = {f"missions/b/{key.replace('__', '/')}": value for key, value in ON_HAND.items()}
    values |= on_hand | {"clock/moment": 4}
    game.table.state = State(
        game.table.state.values.put(tuple(values.items())), (Step("core.moment"),)
    )
    game.table._advance()
    assert told(game, "lifts") == [(4, "lifts")]
    assert game.table.waits_for.args == ("b",)


def test_e12_771_with_one_type_alone_the_battery_fires_that_afterwards(play):
    kinds = ('["concentration", "harassing"]', '["concentration"]')
    game = play(CREEPING, enemy="A1", kinds=kinds).go(["black", 1, 1, 1, 1, 1, 3, 3, "black"])
    assert told(game, "lifts") == [(5, "lifts")]
    game.go(
        [1, 3, 3], [Order.of("place", at=at(game, "O5")), Order.of("roll"), Order.of("convert")]
    )
    assert impacts(game)[-1] == "O5"
    assert covered(game) == {"O5", "O4", "O6", "N4", "N5", "P4", "P5"}


LEADER = ("#battery", 'leader = "Lt"')
PHONE = ("#battery", 'link = "field_phone"\nfriendly_edge = "first hexrow"')


def test_e12_77_a_broken_observer_and_a_cut_line_are_nothing_to_it(play):
    for kind, blow in (
        ((LEADER, LIEUTENANT), ("Lt", {"broken": True})),
        ((PHONE, ""), ("line a 1", {"loss": 1})),
    ):
        game = (
            play(CREEPING, battery=kind[0], more=kind[1])
            .befalls(blow[0], **blow[1])
            .stand(Step("core.moment"))
        )
        # The Creeping Barrage asks no question before it Lifts, none in a DFPh, and none once the
        # FFE:C is placed.
        game.go(["black", 1, 1, 1, 1])
        assert impacts(game) == ["G5", "I5", "K5", "M5"]
        assert not game.emitted("ended")
        assert game.waits == "accuracy"


def test_e12_771_the_radio_needs_an_observer_in_good_order(play):
    start = ["black", 1, 1, 1, 1, 1]
    game = play(CREEPING, battery=LEADER, more=LIEUTENANT).befalls("Lt", broken=True)
    game.stand(Step("core.moment")).go(start)
    assert told(game, "lifts") == [(5, "lifts")]
    # By default nobody may call: the table plays on to the end without a roll.
    assert game.table.waits_for is None
    assert not game.emitted("requested")
    rallied = (
        play(CREEPING, battery=LEADER, more=LIEUTENANT)
        .befalls("Lt", broken=True)
        .stand(Step("core.moment"))
    )
    rallied.go([*start, 4, 4], [Order.of("rallied")])
    assert told(rallied, "rallied", "requested", "contact") == [
        (6, "rallied"),
        (6, "requested"),
        (6, "contact"),
    ]


def test_e12_771_c1_23_a_phone_whose_line_was_cut_while_it_crept_is_gone(play):
    game = play(CREEPING, battery=PHONE).befalls("line a 1", loss=1)
    game.stand(Step("core.moment")).go(["black", 1, 1, 1, 1, 1])
    ended = [(event["reason"], event.cite) for event in game.emitted("ended")]
    assert ended == [(Reason.DELIVERED, "E12.76, E12.771"), (Reason.LOST, "C1.23")]
    assert not game.emitted("requested")


@pytest.mark.parametrize("batteries", [(CREEPING, OTHER), (OTHER, CREEPING)])
def test_e12_771_c1_71_smoke_goes_while_a_battery_creeps_that_may_fire_smoke_later(play, batteries):
    kinds = ('["concentration", "harassing"]', '["concentration", "smoke"]')
    game = play(*batteries, enemy="A1", kinds=kinds)
    # Battery b has ended, so its side is not asked.
    out = (("missions/b/stage", Stage.ENDED), ("missions/b/reason", Reason.EXHAUSTED))
    values = game.table.state.values.put(
        (("shared/areas/cells", (((3, 2), 3, False, FireKind.SMOKE),)), *out)
    )
    game.table.state = State(values, (Step("core.moment"),))
    game.table._advance()
    strengths = []
    game.go(["black"])
    for _ in range(4):
        game.go([1])
        strengths.append(
            [strength for _, strength, *_ in game.table.read("shared/areas/cells", ())]
        )
    # A full counter becomes Dispersed before the second PFPh, and is removed before the third.
    assert strengths == [[3], [2], [2], []]


# --- two sides -----------------------------------------------------------------------------------------
SILENT = """
[[battery]]
id = "z"
side = "german"
nationality = "german"
calibre = 105
link = "offboard"
target = "C5"
observer = "P5"
"""


def phases(game):
    """Return the moment and kind of each of the Creeping Barrage's events."""
    return [(moment, kind) for moment, kind, *_ in told(game, "fall", "lifts")]


def both_sides(play, first, second, faces, **swaps):
    game = play(first, second, enemy="A1", **swaps)
    # Battery z takes no part.
    out = (("missions/z/stage", Stage.ENDED), ("missions/z/reason", Reason.EXHAUSTED))
    game.table.state = State(game.table.state.values.put(out), (Step("core.moment"),))
    game.table._advance()
    return game.go(faces)


@pytest.mark.parametrize(
    ("faces", "moments"),
    [
        # There are two Game Turns: the side's PFPh of Turn 1 (moment 1), then DFPh and PFPh of Turn
        # 2; the barrage ends in the DFPh of Turn 3.
        (["black", 1, 1, 1], [(1, "fall"), (2, "fall"), (3, "fall"), (4, "lifts")]),
        # A pre-Game Turn uses up one of the two Game Turns; the FFE:C waits for the PFPh of Turn 1.
        (["red", 1, 1, 1, 1], [(0, "fall"), (0, "fall"), (1, "fall"), (2, "lifts")]),
        # Both Game Turns are used up before play: the barrage Lifts in the side's first fire phase,
        # the DFPh of Turn 1.
        (["red", 3, 1, 1, 1, 1], [(0, "fall")] * 4 + [(0, "lifts")]),
    ],
)
def test_e12_73_e12_731_e12_76_of_the_side_that_moves_second(play, faces, moments):
    lift = {"lift": ("lift = 9", "lift = 3"), "radio": ("radio = true", "radio = false")}
    assert phases(both_sides(play, SILENT, CREEPING, faces, **lift)) == moments


def test_e12_72_the_special_draw_comes_before_the_pfph_of_the_other_side(play):
    game = play(SILENT, CREEPING, enemy="A1").go(["red", 1, 1, 1])
    assert phases(game) == [(0, "fall"), (0, "fall")]
    assert told(game, "requested")[0] == (0, "requested")
    assert [
        entry.event.kind for entry in game.table.log if entry.event.kind in ("fall", "requested")
    ][2] == "requested"


def test_e12_73_e12_76_of_the_side_that_moves_first_with_an_enemy_battery(play):
    lift = {"lift": ("lift = 9", "lift = 3"), "radio": ("radio = true", "radio = false")}
    game = both_sides(play, CREEPING, SILENT, ["black", 1, 1, 1, 1], **lift)
    assert phases(game) == [(0, "fall"), (1, "fall"), (2, "fall"), (3, "fall"), (4, "lifts")]
