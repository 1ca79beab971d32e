"""LOS computed from levels, obstacles and Hindrances: by hand, by laws, and against the texts' own
examples.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support_asl import ON_HAND, at, passed, read

from fireplan.solver import Analysis, FirstFall
from fireplan_asl import fireplan_game as asl
from fireplan_asl.sight import UNSEEN, HexTerrain, lines_from
from fireplan_asl.spotting import Seen, seen
from fireplan_core import Order, Stage, View
from fireplan_core.files import FileError
from fireplan_core.play import load_scenario
from fireplan_core.space import sight_line

SHIPPED = asl().scenarios.shipped
LEVELS = (2, 4)
"""The levels of an HE FFE and of WP (C1.57, A24)."""
TEXT = """
game = "asl"
title = "A hill"
moments = 8
date = 1943-07-10
#form

[[battery]]
id = "a"
side = "german"
nationality = "german"
calibre = 105
target = "K8"
observer = "K1"
#battery

[[unit]]
id = "squad"
side = "russian"
hex = "K8"
#unit
#more
"""


def written(form="", battery="", unit="", more=""):
    return (
        TEXT.replace("#form", form)
        .replace("#battery", battery)
        .replace("#unit", unit)
        .replace("#more", more)
    )


RIDGE = 'hex = [{ hex = "K1", level = 2 }, { hex = "K5", level = 1 }]'


@pytest.fixture
def play(catalogue, referee, tmp_path):
    return lambda **parts: referee(read(catalogue, tmp_path, written(**parts)))


def view(game):
    return View(game.table.read, game.scenario, "requests")


def sight(game, label):
    return view(game).sees("a", at(game, label))


def seen_of(game, labels):
    """Return what is seen of each hex: g its ground, b only its burst, - nothing."""
    found = [sight(game, label) for label in labels.split()]
    return "".join("g" if one.ground else "b" if one.burst else "-" for one in found)


# --- lines by hand -------------------------------------------------------------------------------
# On a line along a hexrow, n hexes long, hex i lies between i - 1/2 and i + 1/2. ``lowest`` is the
# first level above the Base Level of the last hex that is not blocked.
WOODS, ROUND = HexTerrain(obstacle=1), HexTerrain(level=1)
BY_HAND = [
    # Each row has the level of the eye, the terrain by hex, the length of the line and the lowest
    # visible level. The comments give how far along the line an edge or the middle of the obstacle
    # is, and the height of the line there.
    (0, {}, 9, 0),
    # The woods begin at 3/8: there the line to level 3 is at 9/8, the line to level 2 at 6/8.
    (0, {2: WOODS}, 4, 3),
    (1, {2: WOODS, 4: ROUND}, 4, 0),  # the line is level with the top, and passes over it
    (1, {2: WOODS}, 4, 1),
    (2, {1: WOODS}, 2, 1),  # the woods end at 3/4, where the line is at 2 - 6/4 = 1/2
    (2, {1: WOODS}, 3, 0),  # at 1/2 the line is level with the top: one blind hex
    (2, {2: WOODS}, 4, 1),  # the woods end at 5/8, where the line is at 3/4
    (2, {2: WOODS}, 5, 0),  # the woods end at 1/2: two blind hexes
    (2, {4: ROUND}, 7, 1),  # the middle is at 4/7, where the line is at 6/7
    (2, {4: ROUND}, 8, 0),  # the middle of the hex is at 1/2
    (2, {1: ROUND}, 2, 0),  # the line goes down a slope, and the middle of the hex is at 1/2
    (0, {2: HexTerrain(level=-1)}, 2, 1),  # the rim of the gully hides its bed
    (0, {1: HexTerrain(level=-1)}, 1, 0),  # at the rim the observer sees the bed
    # The woods begin at 3/8: the line up to level 2 is at 6/8 there, to level 3 at 9/8.
    (0, {2: WOODS, 4: HexTerrain(level=2)}, 4, 1),
    # The woods begin at 5/8: the line up to level 2 is at 10/8 there.
    (0, {3: WOODS, 4: HexTerrain(level=2)}, 4, 0),
    # At 1/2 the line must have risen from 2 to 3, so only WP is seen.
    (
        2,
        {2: HexTerrain(obstacle=3)},
        3,
        4,
    ),
    # The obstacle begins at 3/8, and not even the line to a WP burst is above it there.
    (2, {2: HexTerrain(obstacle=3)}, 4, 5),
    (0, {1: HexTerrain(obstacle=9)}, 9, UNSEEN),
    (0, {0: WOODS, 3: WOODS}, 3, 0),  # the first and the last hex do not block
]


@pytest.mark.parametrize(("eye", "stands", "length", "lowest"), BY_HAND)
@pytest.mark.parametrize("both", [True, False])
def test_c1_32_los_along_a_hexrow_by_hand(eye, stands, length, lowest, both):
    plots = {(5, 2 + n): plot for n, plot in stands.items()}
    (line,) = lines_from((5, 2), eye, [(5, 2 + length)], plots, levels=LEVELS, both=both).values()
    assert line.lowest == lowest


def test_c1_62_along_a_hexside_both_its_hexes_are_in_the_way_or_by_option_either():
    side, end = [(1, -1), (1, 0)], (2, -1)
    for plot, open_, shut in (
        (HexTerrain(obstacle=1), (0, 0), (UNSEEN, 0)),
        (HexTerrain(hindrance=2), (0, 0), (0, 2)),
    ):
        for both in (True, False):
            for standing in ([], side[:1], side[1:], side):
                found = lines_from(
                    (0, 0), 0, [end], dict.fromkeys(standing, plot), levels=LEVELS, both=both
                )[end]
                blocked = len(standing) == 2 or (len(standing) == 1 and not both)
                wanted = shut if blocked else open_
                # The line enters such a hex after a third of its length, so beyond one of them the
                # lowest visible level is 3.
                assert (found.lowest, found.hindrance) == (
                    (3, 0) if wanted[0] == UNSEEN else wanted
                )


def test_c1_62_hindrances_between_are_added_where_the_los_is_below_their_top():
    grain = {(0, n): HexTerrain(hindrance=1) for n in range(6)}
    rules = {"levels": LEVELS, "both": True}
    drm = {eye: [lines_from((0, 0), eye, [(0, n)], grain, **rules)[0, n].hindrance for n in range(1, 6)]
           for eye in (0, 1, 2)}  # fmt: skip
    assert drm[0] == [0, 1, 2, 3, 4]  # neither the Observer's hex nor the last counts
    # From level 1 the line is below the top of the grain from the start.
    assert drm[1] == [0, 1, 2, 3, 4]
    # From level 2 the line is below level 1 past the middle. Of 4 hexes this is the third (5/8 to
    # 7/8), and the end of the second (at 5/8).
    assert drm[2] == [0, 1, 1, 2, 2]
    tall = {(0, 1): HexTerrain(hindrance=2, hindrance_levels=3)}
    assert lines_from((0, 0), 2, [(0, 2)], tall, levels=LEVELS, both=True)[0, 2].hindrance == 2


plots = st.dictionaries(
    st.tuples(st.integers(-4, 4), st.integers(-4, 4)),
    st.builds(
        HexTerrain,
        level=st.integers(-1, 3),
        obstacle=st.integers(0, 2),
        hindrance=st.integers(0, 2),
    ),
    max_size=30,
)
hexes = st.tuples(st.integers(-4, 4), st.integers(-4, 4))


@given(plots, hexes, hexes, st.integers(0, 3), st.booleans())
def test_los_between_two_levels_is_the_same_both_ways(plots, one, two, up, both):
    def line(start, end, above):
        return lines_from(
            start,
            plots.get(start, HexTerrain()).level + above,
            [end],
            plots,
            levels=LEVELS,
            both=both,
        )[end]

    there, back = line(one, two, up), line(two, one, 0)
    assert (there.lowest == 0) == (back.lowest <= up)
    if up == 0:
        assert there.hindrance == back.hindrance


@given(plots, hexes, hexes, st.integers(0, 3), st.booleans())
def test_higher_observers_see_no_less_and_lower_ground_hides_no_more(plots, one, two, eye, both):
    low = lines_from(one, eye, [two], plots, levels=LEVELS, both=both)[two]
    assert (
        lines_from(one, eye + 1, [two], plots, levels=LEVELS, both=both)[two].lowest <= low.lowest
    )
    bare = {hex_: HexTerrain(level=plot.level) for hex_, plot in plots.items()}
    assert lines_from(one, eye, [two], bare, levels=LEVELS, both=both)[two].lowest <= low.lowest


def test_c1_62_a_line_passes_every_hex_that_it_cuts_however_little(make):
    frame = make().frame
    pieces = sight_line((11, 2), (23, -11))
    shortest = min(pieces, key=lambda piece: piece.leaves - piece.enters)
    assert shortest.hexes[0] in passed(frame, (11, 2), (23, -11))
    assert set(passed(frame, (11, 2), (23, -11))) == set(passed(frame, (23, -11), (11, 2)))


# --- the example of the text ---------------------------------------------------------------------------
W6 = """
game = "asl"
title = "The Observer in W6"
moments = 8
date = 1943-07-10
hex = [{ hex = "W6", level = 1 }, { hex = "W5", obstacle = 1 }]
#options

[[battery]]
id = "a"
side = "german"
nationality = "german"
calibre = 76
target = "U3"
observer = "W6"
missions = ["concentration"]

[[unit]]
id = "U3"
side = "russian"
hex = "U3"

[[unit]]
id = "W4"
side = "russian"
hex = "W4"
"""


def test_c1_62_one_obstacle_in_w5_gives_all_that_the_example_says_is_seen(
    catalogue, referee, tmp_path
):
    game = referee(read(catalogue, tmp_path, W6))
    # The ground of U3, U4 and V4 is seen; over W4, W3 and V3 only the bursts are.
    assert seen_of(game, "U3 U4 V4 W4 W3 V3") == "gggbbb"
    # Play agrees: an SR in W4 is seen and may be left or Corrected, but not Converted.
    game.go([3, 4, "black", 5, 3, 2]).go([4, 5])
    assert game.label == "W4"
    assert [game.refused(Order.of(verb)) for verb in ("leave", "convert")] == [None, "C1.333"]
    assert game.refused(Order.of("correct_convert", at=at(game, "U4"))) is None


def test_c1_62_with_either_hex_of_a_hexside_in_the_way_u3_would_not_be_seen(
    catalogue, referee, tmp_path
):
    text = W6.replace("#options", '[options]\nalong_a_hexside = "either"')
    assert seen_of(referee(read(catalogue, tmp_path, text)), "U3 U4 V4 W4 W3 V3") == "bgbbbb"


# --- the shipped scenario ------------------------------------------------------------------------------
@pytest.fixture
def ridge(catalogue, referee):
    return referee(load_scenario(catalogue, SHIPPED["ridge"])[0])


def test_c1_32_bursts_are_seen_over_a_ridge_that_hides_the_ground(ridge):
    # K5 is at 4/7 of the line from K1 to K8, and at 4/8 of the line to K9: 2 - 2 * 4/7 is below
    # level 1, and 2 - 2 * 4/8 is not. On the shorter line to K6, K5 is at 4/5.
    assert seen_of(ridge, "K2 K3 K4 K5 K6 K7 K8 K9 K10") == "ggggbbbgg"
    assert seen_of(ridge, "L6 L7 L8") == "---"  # the hexes are behind level 3
    assert not sight(ridge, "K11").burst  # K11 is off the map


def test_c1_62_the_grain_hinders_only_beyond_it(ridge):
    assert [sight(ridge, f"K{n}").hindrance for n in range(2, 11)] == [0] * 6 + [1] * 3


def test_c1_3_an_ar_without_los_is_removed_and_one_upstairs_is_not(ridge):
    ridge.go([3, 3, "black"], [Order.of("place", at=at(ridge, "K7"))])
    assert [event.cite for event in ridge.emitted("unseen")] == ["C1.3"]
    assert not sight(ridge, "J8").ground
    assert sight(ridge, "J8").partly
    ridge.go([3, 3, "black", 1], [Order.of("place", at=at(ridge, "J8"))])
    assert ridge.label == "J8"


def test_c1_333_c1_331_a_refusal_names_its_rule(ridge):
    def verbs(label):
        ridge.stand(stage=Stage.SPOTTING, impact=at(ridge, label), **ON_HAND)
        return [ridge.refused(Order.of(verb)) for verb in ("leave", "convert")]

    # Only the burst is seen; the Known squads are two hexes away.
    assert verbs("K7") == [None, "C1.333"]
    assert verbs("K8") == [None, None]  # the burst is seen, and the squad in K9
    assert verbs("K9") == [None, None]  # the ground is seen
    assert verbs("L7") == ["C1.331, C1.335", "C1.333"]
    # With the SR in L8 the squad in K9 is seen, so the Correction is forbidden too.
    assert verbs("L8") == ["C1.331, C1.336", "C1.333"]


def test_c1_6_a_unit_in_dead_ground_is_known_only_where_it_is_high_enough(
    catalogue, referee, tmp_path
):
    text = SHIPPED["ridge"].read_text(encoding="utf-8")
    for content, known in ((text, True), (text.replace("\nlevel = 1 ", "\nlevel = 0 "), False)):
        assert sight(referee(read(catalogue, tmp_path, content)), "I8").known_enemy is known


def test_los_is_not_state_and_adds_nothing_to_the_chain(catalogue, tmp_path):
    # Where the computed LOS equals the declared one, the mission has the same states and shares.
    open_, hill, grain = (
        Analysis(read(catalogue, tmp_path, written(form=form)), 8)
        for form in (
            "",
            'hex = [{ hex = "A1", level = 1 }]',
            'hex = [{ hex = "K2", hindrance = 1 }]',
        )
    )
    shares = [analysis.solve(FirstFall()).shares for analysis in (open_, hill, grain)]
    assert open_.states == hill.states
    assert shares[0] == shares[1] != shares[2]


def test_c1_5_heavy_shells_apply_to_hexes_with_terrain_but_not_with_only_levels(
    catalogue, tmp_path
):
    entries = (
        '{ hex = "K6" }, { hex = "K5", level = 1 }, { hex = "K4", level = 1, terrain = "open" }'
    )
    content = written(form=f"hex = [{entries}]").replace("105", "150")
    assert {name for name in read(catalogue, tmp_path, content).units if name.startswith("hex")} == {
        "hex K8", "hex K6", "hex K4"
    }  # fmt: skip


# --- which source takes precedence ---------------------------------------------------------------
def notes(game):
    return [note for note in game.scenario.provenance if note.startswith("LOS")]


def test_a_declared_los_overrides_the_computed_one_and_both_are_noted(play):
    plain = play(form=RIDGE)
    assert seen_of(plain, "K6 K7 K8 K9") == "bbbg"
    assert ["derived" in note for note in notes(plain)] == [True]
    game = play(
        form=RIDGE,
        battery='ground_seen = ["K6"]\nno_ground = ["K9"]\nno_burst = ["K7"]\nhindrance = { K2 = 2 }',
    )
    assert seen_of(game, "K6 K7 K8 K9 K10") == "g-bbg"
    assert sight(game, "K6").hindrance == 2
    assert "derived" in notes(game)[0]
    assert notes(game)[1:] == ["LOS of a: declared for K9, K7, K6, K2, computed elsewhere"]


def test_without_terrain_every_hex_is_seen_unless_declared_otherwise(play):
    game = play(battery='no_ground = ["K7"]')
    assert seen_of(game, "K6 K7 K8 GG1") == "gbgg"
    assert notes(game) == []
    assert not game.scenario.missions["a"].facts["observers"].lines


def test_a_declared_burst_is_seen_and_a_declared_hindrance_takes_the_place_of_the_hex(play):
    high = 'hex = [{ hex = "K5", obstacle = 9 }, { hex = "K3", hindrance = 3 }]'
    assert seen_of(play(form=high), "K6 K7") == "--"
    game = play(form=high, battery='burst_seen = ["K6"]\nhindrance = { K3 = 1 }')
    assert seen_of(game, "K6 K7") == "b-"
    assert sight(game, "K4").hindrance == 1


def test_c1_63_an_offboard_observer_looks_from_a_level_that_his_hex_does_not_have(play):
    ridge = 'hex = [{ hex = "K5", level = 1 }]'
    # From level 0 a burst over K9 is level with the ridge and is seen, 2 * 4/8; one over K10 is
    # not.
    assert seen_of(play(form=ridge), "K6 K7 K8 K9 K10") == "bbbb-"
    game = play(form=ridge, battery='link = "offboard"\nobserver_level = 2')
    assert seen_of(game, "K6 K7 K8 K9 K10") == "bbbgg"
    # From level 4 the line to K6 is below the ridge in K5, at 4 - 4 * 4/5 = 4/5; the line to K7 is
    # above it, at 4 - 4 * 4/6 = 8/6.
    assert seen_of(play(form=ridge, battery="observer_level = 4"), "K6 K7 K8 K9 K10") == "bgggg"


def test_c1_6_a_leader_upstairs_looks_from_his_level(play):
    leader = '\n[[unit]]\nid = "Lt"\nside = "german"\nhex = "K1"\nleader = true\nlevel = 1\n'
    ridge = 'hex = [{ hex = "K1", level = 1 }, { hex = "K5", level = 1 }]'
    assert seen_of(play(form=ridge, battery='leader = "Lt"', more=leader), "K8 K9") == "bg"
    assert seen_of(play(form=ridge, more=leader), "K8 K9") == "bb"


def test_c1_32_wp_rises_four_levels_and_is_seen_over_what_hides_two(play):
    # A burst two levels high is below the top of the wood. The line to K8 enters the wood at 9/14;
    # the line to a point four levels up is there at 2 + 2 * 9/14, above 3.
    wood = ", ".join(f'{{ hex = "{column}6", obstacle = 3 }}' for column in "HIJKLMN")
    game = play(
        form=f'hex = [{{ hex = "K1", level = 2 }}, {wood}]',
        battery='missions = ["concentration", "wp"]',
    )
    assert seen_of(game, "K7 J7 J8 K8 L7 L8 K9") == "-------"
    for kind, burst in (("concentration", False), ("wp", True)):
        game.stand(stage=Stage.FALLING, impact=at(game, "K8"), requests__kind=kind, **ON_HAND)
        assert seen(view(game), "a") == Seen(False, burst, False)


def test_c1_57_a_ffe_hinders_two_levels_up_and_a_los_above_it_not(play):
    flat = play(form='hex = [{ hex = "K1", level = 0, hindrance = 1 }]')
    hill = play(form='hex = [{ hex = "K1", level = 4 }]')
    for game, drms in ((flat, {"K3": 1, "K4": 1, "K10": 1}), (hill, {"K3": 1, "K4": 1, "K10": 0})):
        # An FFE in K3 covers K2 to K4. From level 4 the LOS to K10 leaves K4 at 7/18: 4 - 28/18 > 2.
        game.stand(
            stage=Stage.FALLING, impact=at(game, "K3"), requests__kind="concentration", **ON_HAND
        )
        assert {label: sight(game, label).hindrance for label in drms} == drms


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (
            {"form": 'hex = [{ hex = "K5", level = 1 }, { hex = "k5", obstacle = 1 }]'},
            "is listed twice",
        ),
        ({"battery": 'ground_seen = ["K5"]'}, "LOS is not computed"),
        (
            {"form": RIDGE, "battery": 'ground_seen = ["K6"]\nno_ground = ["K6"]'},
            "both seen and unseen",
        ),
        (
            {"form": RIDGE, "battery": 'burst_seen = ["K6"]\nno_burst = ["K6"]'},
            "both seen and unseen",
        ),
        ({"form": RIDGE, "battery": "observer_level = 1"}, r"level 2 \[C1.63\]"),
        ({"form": RIDGE, "battery": 'ground_seen = ["K66"]'}, "off the map"),
        ({"form": 'hex = [{ hex = "K5", obstacle = -1 }]'}, "obstacle"),
    ],
)
def test_faults_of_a_computed_los_are_reported(catalogue, tmp_path, parts, message):
    with pytest.raises(FileError, match=message):
        read(catalogue, tmp_path, written(**parts))


def test_c1_61_two_leaders_on_two_levels_have_no_one_los(catalogue, tmp_path):
    more = "".join(
        f'\n[[unit]]\nid = "{name}"\nside = "german"\nhex = "K1"\nleader = true\nlevel = {level}\n'
        for name, level in (("Lt", 0), ("Sgt", 1))
    )
    with pytest.raises(FileError, match="all be on one level"):
        read(
            catalogue,
            tmp_path,
            written(form=RIDGE, battery='leader = "Lt"\nrelief = ["Sgt"]', more=more),
        )
