"""Lines of sight over hand-made terrain (section 4, and the rules of section 8 that it uses)."""

from __future__ import annotations

import attrs
import pytest
import support_red_poppies as rp

from fireplan_red_poppies.scenario import DrawingEntry
from fireplan_red_poppies.sight import SightRules, blocked, farthest
from fireplan_red_poppies.staging import ground_of


def stopped(a, b, *hexes, drawing=(), hidden=(), wheat=True, **rules):
    """Return what blocks sight from a to b over this terrain, or None.

    ``hidden`` hexes are filled with smoke or the like.
    """
    form = rp.form(
        board=rp.board(west="G", east="Z", north=5, south=30), hex=hexes, drawing=drawing
    )
    ground = ground_of(form)
    frame = rp.lay(board=rp.board()).frame
    ground = attrs.evolve(ground, wheat=wheat, dark=hidden == "all")
    smoke = frozenset(() if hidden == "all" else map(frame.parse, hidden))
    both = frame.parse(a), frame.parse(b)
    judged = SightRules(2, **rules)
    found = blocked(ground, *both, smoke, judged)
    if len(both[1]) == 2 and not drawing and not rules:
        back = blocked(ground, both[1], both[0], smoke, judged)
        assert (back is None) == (found is None)  # 4.1: sight is mutual
    return found


def clear(*args, **rest):
    return stopped(*args, **rest) is None


def cites(*args, **rest):
    """Return the ids of the rules that block sight, leaving out 4.91, the rule of the
    centre-to-centre examples.
    """
    return set(stopped(*args, **rest).cite.split(", ")) - {"4.91"}


def hill(at, level, base=None, *what):
    return rp.holds(at, *what, level=level, base=level if base is None else base)


def drawn(at, kind, *points, level=0):
    corners = tuple((int(east), int(south)) for east, south in (point.split() for point in points))
    return DrawingEntry(at=at, kind=kind, level=level, points=corners)


def test_rp_4_1_4_2_8_05_open_ground_blocks_nothing_and_the_ends_never_do():
    assert clear("N18", "N24")
    assert clear("N18", "N24", rp.holds("N18", "village"), rp.holds("N24", "woods"))


@pytest.mark.parametrize("works", ["trench", "blockhouse", "craters"])
def test_rp_8_2_8_31_8_321_works_and_craters_do_not_block_sight(works):
    assert clear("N18", "N22", rp.holds("N20", works))


def test_rp_4_41_8_1_a_village_blocks_by_its_whole_hex_but_not_along_one_side():
    assert not clear("N18", "N22", rp.holds("N20", "village"))
    # N18 to N22 is the column; a village next to it is not in the way.
    assert clear("N18", "N22", rp.holds("O20", "village"))
    # N18 to P18 runs along the side between O18 and O19: both hexes must block.
    assert clear("N18", "P18", rp.holds("O18", "village"))
    assert clear("N18", "P18", rp.holds("O19", "village"))
    assert not clear("N18", "P18", rp.holds("O18,O19", "village"))


def test_rp_4_42_8_9_woods_block_by_their_drawing():
    woods = rp.holds("N20", "woods")
    assert not clear("N18", "N22", woods)
    # The woods are first drawn in the eastern third of the hex, away from the line through its
    # centre, and then across the line.
    assert clear("N18", "N22", woods, drawing=(drawn("N20", "woods", "40 -60", "100 0", "40 60"),))
    assert not clear(
        "N18", "N22", woods, drawing=(drawn("N20", "woods", "-20 -60", "100 0", "40 60"),)
    )


def test_rp_4_3_4_43_8_41_higher_ground_between_blocks_and_lower_does_not():
    assert not clear("N18", "N22", hill("N20", 1, 0))
    assert not clear("N18", "N22", hill("N18,N19,N21,N22", 1), hill("N20", 2, 1))
    assert clear("N18", "N22", hill("N18,N22", 1))
    assert clear("N18", "N22", hill("N18,N19,N20,N21,N22", 1))


def test_rp_4_42_a_contour_blocks_only_where_it_is_drawn_across_the_line():
    away = (drawn("N20", "contour", "60 -80", "60 80", level=1),)
    across = (drawn("N20", "contour", "-60 10", "60 10", level=1),)
    assert clear("N18", "N22", hill("N20", 1, 0), drawing=away)
    assert not clear("N18", "N22", hill("N20", 1, 0), drawing=across)


def test_rp_4_51_8_44_a_unit_is_on_the_highest_level_of_its_hex():
    # N18 has levels 1 and 2. A unit on level 2 sees over the level 2 ground of N20; from level 1 it
    # would not.
    assert clear("N18", "N22", hill("N18", 2, 1), hill("N19,N20,N21,N22", 2))


def test_rp_4_5_4_52_8_42_only_a_crest_sees_down_and_is_seen_from_below():
    # N22 is seen from the crest N19; from the plateau N18 behind it, the contour in N19 blocks.
    crest = (hill("N18", 2), hill("N19", 2, 0))
    assert clear("N19", "N22", *crest)
    assert not clear("N18", "N22", *crest)
    # A contour above both ends blocks too; one at the level of the lower end does not.
    assert not clear("N18", "N22", hill("N18", 1, 0), hill("N20", 3, 2))
    assert clear("N18", "N22", hill("N18", 2, 0), hill("N20", 1, 0))


@pytest.mark.parametrize(
    ("level", "seen"),
    # Level 4 down to level 0: an obstacle within a level of either end blocks; one on level 2 does
    # not.
    [(0, False), (1, False), (2, True), (3, False)],
)
def test_rp_4_53_obstacles_between_different_levels_block_within_one_level_of_an_end(level, seen):
    ground = (hill("N18", 4, 0), hill("N20", level, level, "village"))
    assert clear("N18", "N22", *ground) is seen


@pytest.mark.parametrize(("level", "seen"), [(0, True), (1, False), (2, False), (3, False)])
def test_rp_4_53_terrain_below_both_ends_does_not_block(level, seen):
    # Level 3 down to level 1: a village on level 0 is within one level of the lower end, but not
    # between the two levels.
    ground = (hill("N18", 3, 0), hill("N20", level, level, "village"), hill("N22", 1))
    assert clear("N18", "N22", *ground) is seen
    assert clear("N18", "N22", *ground, open_below=True) is (level < 2)


def test_rp_4_53_an_obstacle_on_the_lower_level_is_an_option():
    ground = (hill("N18", 3, 0), rp.holds("N20", "village"))
    assert not clear("N18", "N22", *ground)
    assert clear("N18", "N22", *ground, open_below=True)


def test_rp_4_8_4_81_4_82_one_hex_of_concealment_is_seen_through_and_the_second_into():
    assert clear("N18", "N22", hidden=("N20",))
    assert not clear("N18", "N22", hidden=("N20", "N21"))
    assert clear("N18", "N21", hidden=("N20", "N21"))
    # Concealment reaches every level.
    assert not clear("N18", "N22", hill("N18", 2, 0), hidden=("N20", "N21"))


def test_rp_4_82_at_night_sight_reaches_two_hexes():
    assert clear("N18", "N20", hidden="all")
    assert not clear("N18", "N21", hidden="all")


def test_rp_8_8_wheat_conceals_in_season_between_ends_on_one_level_only():
    fields = rp.holds("N20,N21", "wheat")
    assert not clear("N18", "N22", fields)
    assert clear("N18", "N22", fields, wheat=False)
    assert clear("N18", "N22", fields, hill("N18", 1, 0))


@pytest.mark.parametrize(("month", "wheat"), [(3, False), (4, True), (10, True), (11, False)])
def test_rp_8_8_wheat_counts_from_april_to_october(month, wheat):
    scenario = rp.lay(
        board=rp.board(), date=rp.DAY.replace(month=month), unit=(rp.unit("eyes", "N21", side="french"),),
        group=(rp.group(),),
    )  # fmt: skip
    assert scenario.missions["a"].facts["observers"].forces.ground.wheat is wheat


def test_rp_8_9_woods_without_a_green_dot_conceal_by_their_drawing():
    assert clear("N18", "N22", rp.holds("N20", "light_woods"))
    assert not clear("N18", "N22", rp.holds("N20,N21", "light_woods"))
    aside = (drawn("N20", "light_woods", "60 -40", "100 0", "60 40"),)
    assert clear("N18", "N22", rp.holds("N20,N21", "light_woods"), drawing=aside)


# The terrain of the examples: Hill 60 and Battle Wood, with the levels that the examples state.
EXAMPLE = (
    hill("N19", 3, 2), hill("N20,N21,N22,O20,O21,P21,O23,P20", 2), hill("O22", 2, 2, "woods"),
    hill("P22", 2, 1, "woods"), hill("P23,P24,Q23,Q24", 1),
)  # fmt: skip
A, B, C, D, E = "N19", "N22", "P21", "O23", "Q24"


@pytest.mark.parametrize(
    ("a", "b", "rule"),
    [
        (A, B, None), (A, C, None),
        (A, D, "4.53"),  # the woods of O22 are on level 2
        # The woods of P22 are on level 2; the line passes along O22/P21, because P21 has none.
        (A, E, "4.53"),
        (B, C, "4.42"),  # the woods of O22 are on their own level
        (C, E, "4.52"),  # C is on no crest; the woods of P22 alone would block too
        (C, D, "4.42"),  # along the side O22/P22, woods on both
    ],
)  # fmt: skip
def test_rp_4_91_the_examples_from_centre_to_centre(a, b, rule):
    if rule is None:
        assert clear(a, b, *EXAMPLE)
    else:
        assert rule in cites(a, b, *EXAMPLE)
    assert (("4.41" in cites(a, b, *EXAMPLE)) if rule else False) is ((a, b) == (C, D))


def test_rp_4_91_without_its_woods_c_still_does_not_see_down_to_e():
    bare = tuple(entry for entry in EXAMPLE if entry.at != ("P22",))
    assert not clear(C, E, *bare, hill("P22", 2, 1))
    # A is higher and sees E over the bare contour; from the crest itself E is seen too.
    assert clear(A, E, *bare, hill("P22", 2, 1))
    assert clear("P22", E, *bare, hill("P22", 2, 1))


def test_rp_4_92_a_vertex_belongs_to_the_hex_farthest_from_the_observer():
    frame = rp.lay(board=rp.board()).frame
    vertex = frame.parse("N18/N19/O19")
    assert farthest(frame.parse("N16"), vertex) == (frame.parse("N19"),)
    assert farthest(frame.parse("N21"), vertex) == (frame.parse("N18"),)
    # From Q19 the vertex is behind O19, and the two hexes of column N are equally near, or almost.
    assert frame.parse("O19") not in farthest(frame.parse("Q19"), vertex)


def test_rp_4_92_a_nearer_hex_of_the_three_can_block_sight_to_the_vertex():
    # From N16 the line to the vertex of N18, N19 and O19 ends after N18: a village blocks there,
    # but not in N19.
    vertex = "N18/N19/O19"
    assert clear("N16", vertex)
    assert not clear("N16", vertex, rp.holds("N18", "village"))
    assert clear("N16", vertex, rp.holds("N19", "village"))


def test_rp_4_92_the_three_vertices_of_the_example():
    # From C one vertex is behind a hill, one is behind woods, and one is clear.
    ground = (
        hill("O20", 3, 2),
        hill("P21,O21,N21,N20,O22", 2),
        rp.holds("O22", "woods", level=2, base=2),
    )
    assert not clear("P21", "N19/N20/O20", *ground)
    assert not clear("P21", "N22/N23/O23", *ground)
    assert clear("P21", "N21/O21/O22", *ground)


def test_rp_4_7_an_aircraft_sees_every_vertex_and_4_6_friends_block_no_observer():
    village = (rp.holds("row 19,row 20", "village"),)
    for mode, seen in (("aircraft", True), ("telephone", False)):
        scenario = rp.lay(
            board=rp.board(), hex=village, group=(rp.group(mode=mode, target="N17/N18/O18"),),
            unit=(rp.unit("eyes", "N22", side="french"),),
        )  # fmt: skip
        view = rp.view(scenario)
        assert (
            scenario.parts.observers.sees(view, "a", scenario.missions["a"].target).ground is seen
        )
    scenario = rp.lay(
        board=rp.board(), group=(rp.group(),),
        unit=(rp.unit("eyes", "N22", side="french"), rp.unit("friend", "N20 N21", side="french")),
    )  # fmt: skip
    assert scenario.parts.observers.sees(
        rp.view(scenario), "a", scenario.missions["a"].target
    ).ground


def test_rp_6_1_without_sight_no_cross_hair_is_placed():
    scenario = rp.lay(
        board=rp.board(), hex=(rp.holds("row 19,row 20", "village"),), unit=(rp.unit("eyes", "N22", side="french"),),
        group=(rp.group(target="N17/N18/O18"),),
    )  # fmt: skip
    table = rp.run(scenario, (5, 4))
    assert [kind for _, kind, _ in rp.told(table, "requested")] == []


def test_rp_7_21_only_the_designated_company_observes_for_a_trench_set():
    given = {
        "board": rp.board(), "hex": (rp.holds("N20", "village"),),
        "unit": (rp.unit("eyes", "N22 N19", side="french"),),
    }  # fmt: skip
    for name, seen in (("eyes.1", False), ("eyes.2", True)):
        scenario = rp.lay(
            group=(rp.group(mode="trench_set", observer=name, target="M18/N17/N18"),), **given
        )
        assert (
            scenario.parts.observers.sees(
                rp.view(scenario), "a", scenario.missions["a"].target
            ).ground
            is seen
        )


# --- the rule that blocks it ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hexes", "rest", "expected"),
    [
        ((rp.holds("N20", "village"),), {}, {"4.2", "4.41", "8.1"}),
        ((rp.holds("N20", "woods"),), {}, {"4.2", "4.42", "8.9"}),
        ((hill("N20", 1, 0),), {}, {"4.2", "4.3", "4.43", "8.41"}),
        ((hill("N18", 2), hill("N19", 2, 0)), {}, {"4.2", "4.3", "4.5", "4.52", "8.42"}),
        (
            (hill("N18", 3, 0), rp.holds("N20", "village")),
            {},
            {"4.2", "4.41", "4.5", "4.53", "8.1", "4.51", "8.44"},
        ),
        (
            (hill("N18", 3, 0), rp.holds("N20", "woods")),
            {},
            {"4.2", "4.5", "4.53", "8.9", "4.51", "8.44"},
        ),
        ((), {"hidden": ("N20", "N21")}, {"4.2", "4.8", "4.82"}),
        ((rp.holds("N20,N21", "wheat"),), {}, {"4.2", "4.8", "4.82", "8.8"}),
        ((rp.holds("N20,N21", "light_woods"),), {}, {"4.2", "4.8", "4.82", "8.9"}),
    ],
)
def test_rp_4_2_4_41_4_42_4_43_4_52_4_53_4_82_8_8_8_9_a_blocked_line_names_its_rules(
    hexes, rest, expected
):
    assert cites("N18", "N22", *hexes, **rest) == expected


def test_rp_4_41_along_a_side_and_4_42_by_drawing_are_named():
    assert {"4.41", "4.42"} <= cites("N18", "P18", rp.holds("O18,O19", "woods"))
    across = (drawn("N20", "contour", "-60 10", "60 10", level=1),)
    assert "4.42" in cites("N18", "N22", hill("N20", 1, 0), drawing=across)


def test_rp_4_92_a_nearer_hex_of_the_vertex_that_blocks_is_named():
    # From N21 the vertex N18/N19/O19 counts as N18, and the line ends between N19 and O19.
    assert "4.92" in cites("N21", "N18/N19/O19", rp.holds("N19", "village"))
    assert "4.92" not in cites("N22", "N18/N19/O19", rp.holds("N21", "village"))


def placing(at, mode="telephone", **rest):
    """Return the table, and its answer to a cross hair placed by the French, whose company observes
    from N22.
    """
    from fireplan_core import Order
    from fireplan_core.play import Answered

    scenario = rp.lay(
        **{
            "board": rp.board(), "unit": (rp.unit("eyes", "N22", side="french"),),
            "group": (rp.group(mode=mode, **({"observer": "eyes.1"} if mode == "trench_set" else {})),), **rest,
        }
    )  # fmt: skip
    call = Order.of(
        "call", group="a", by="telephone" if rest.get("night") and mode == "aircraft" else mode
    )
    table = rp.run(scenario, (5, 4), {"delays.command": [call]})
    assert table.waits_for.question == "requests.cross_hair"
    return table, table.submit(
        Answered("requests.cross_hair", Order.of("place", at=scenario.frame.parse(at)))
    )


FAR = "N17/N18/O18"


@pytest.mark.parametrize(
    ("rest", "expected"),
    [
        ({"hex": (rp.holds("row 20", "village"),)}, "4.2, 4.41, 8.1"),
        ({"hex": (rp.holds("row 20", "woods"),)}, "4.2, 4.42, 8.9"),
        ({"hex": (hill("row 20", 1, 0),)}, "4.2, 4.3, 4.43, 8.41"),
        ({"hex": (rp.holds("row 20,row 21", "wheat"),)}, "4.2, 4.8, 8.8, 4.82"),
        ({"hex": (rp.holds("row 20,row 21", "light_woods"),)}, "4.2, 4.8, 8.9, 4.82"),
        ({"precipitation": True}, "4.2, 4.8, 4.82"),
        (
            {"hex": (hill("N22", 2, 0), rp.holds("row 20", "village"))},
            "4.2, 4.41, 4.5, 4.53, 8.1, 4.51, 8.44",
        ),
        ({"hex": (hill("rows 22-24", 2), hill("row 21", 2, 0))}, "4.2, 4.3, 4.5, 4.52, 8.42"),
        ({"night": True, "side": rp.sides(infiltrates=True)}, "4.2, 4.8, 4.82"),
        ({"barrage": (rp.barrage("rows 19-20"),)}, "4.2, 4.8, 4.82, 7.43"),
        ({"unit": ()}, "6.1, 7.21"),
    ],
)
def test_rp_4_2_6_1_a_refused_cross_hair_names_the_rule_that_stops_the_sight(rest, expected):
    _, answer = placing(FAR, **rest)
    assert answer.cite == expected


def test_rp_6_1_the_refusal_names_the_company_and_the_hex():
    _, answer = placing(FAR, hex=(rp.holds("row 20", "village"),))
    assert answer.why == ("eyes 1 cannot see it: the line of sight is blocked by a village in N20")


def test_rp_4_7_4_92_a_cross_hair_that_is_placed_says_by_whose_eyes():
    table, _ = placing(FAR)
    assert [(f["cite"], f["by"]) for f in _placed(table)] == [("4.1, 4.92, 6.1, 7.21", "eyes.1")]
    table, _ = placing(FAR, mode="aircraft", hex=(rp.holds("row 20", "village"),))
    assert [(f["cite"], f["by"]) for f in _placed(table)] == [("4.7, 7.21", "aircraft")]


def _placed(table):
    return [
        {"cite": entry.event.cite, **dict(entry.event.fields)}
        for entry in table.log
        if entry.event.kind == "placed"
    ]


@pytest.mark.parametrize(("option", "seen"), [("best", True), ("strict", False)])
def test_rp_4_92_which_of_two_farthest_hexes_counts_is_an_option(option, seen):
    # From N21 the hexes L19 and M19 of this vertex are equally far. L19 is level with the observer,
    # so the hill in M20 hides it (4.43); M19 is higher than that hill and is seen over it.
    frame = rp.lay(board=rp.board(west="L")).frame
    assert farthest(frame.parse("N21"), frame.parse("L19/M19/M20")) == (
        frame.parse("L19"),
        frame.parse("M19"),
    )
    scenario = rp.lay(
        board=rp.board(west="L"), hex=(hill("M20", 1, 0), hill("M19", 2, 0)), group=(rp.group(),),
        unit=(rp.unit("eyes", "N21", side="french"),), options={"farthest_tie": option},
    )  # fmt: skip
    sight = scenario.parts.observers.sees(rp.view(scenario), "a", frame.parse("L19/M19/M20"))
    assert sight.ground is seen


def test_rp_4_92_the_farthest_hex_is_measured_from_centre_to_centre():
    # From N16 the hexes N12 and M13 of this vertex are four hexes away, but the centre of N12 is
    # farther. N12 is level with the observer, so the hill in N14 hides the vertex (4.43); as a
    # point of M13, on level 2, it would be seen over that hill.
    scenario = rp.lay(
        board=rp.board(west="L"), hex=(hill("N14", 1, 0), hill("M13", 2, 0)), group=(rp.group(),),
        unit=(rp.unit("eyes", "N16", side="french"),),
    )  # fmt: skip
    frame = scenario.frame
    assert farthest(frame.parse("N16"), frame.parse("M13/N12/N13")) == (frame.parse("N12"),)
    sight = scenario.parts.observers.sees(rp.view(scenario), "a", frame.parse("M13/N12/N13"))
    assert not sight.ground
    # A vertex whose farthest hex is M13 is seen over it.
    sight = scenario.parts.observers.sees(rp.view(scenario), "a", frame.parse("M13/M14/N13"))
    assert sight.ground


@pytest.mark.parametrize(("option", "seen"), [("passed", True), ("crossed", False)])
def test_rp_4_82_whether_a_hex_touched_only_at_the_vertex_conceals_at_night_is_an_option(
    option, seen
):
    scenario = rp.lay(
        board=rp.board(), night=True, group=(rp.group(),), unit=(rp.unit("eyes", "N21", side="french"),),
        options={"night_touch": option},
    )  # fmt: skip

    def sees(at):
        return scenario.parts.observers.sees(
            rp.view(scenario), "a", scenario.frame.parse(at)
        ).ground

    # M20/N19/N20 counts as N19; N20 is the only dark hex in the way, and M20 is touched only at the
    # vertex.
    assert sees("M20/N19/N20") is seen
    # M20/M21/N20 counts as M20, two hexes away, with one dark hex either way.
    assert sees("M20/M21/N20")
    assert not sees("N17/N18/O18")


def test_rp_6_1_a_company_that_is_destroyed_observes_no_more_though_nobody_moves():
    from fireplan_core import Order
    from fireplan_core.play import Answered

    scenario = rp.lay(
        board=rp.board(), unit=(rp.unit("eyes", "N21", side="french"),), group=(rp.group(),),
        bombardment=(rp.bombardment(at=("N21",), side="german"),),
    )  # fmt: skip
    call = Order.of("call", group="a", by="runner")
    table = rp.run(scenario, (5, 4), {"delays.command": [call]})
    assert rp.suffered(table) == {"eyes.1": "DESTROYED"}
    answer = table.submit(
        Answered("requests.cross_hair", Order.of("place", at=scenario.frame.parse("N18/N19/O19")))
    )
    assert (answer.cite, answer.why) == ("6.1, 7.21", "no infantry is left to observe")


@pytest.mark.parametrize(("option", "seen"), [("best", True), ("strict", False)])
def test_rp_4_92_a_tie_is_the_same_tie_in_the_mirror(option, seen):
    # The position of the test above, mirrored from west to east about column N: R19 now comes after
    # Q19.
    scenario = rp.lay(
        board=rp.board(west="L"), hex=(hill("O20", 1, 0), hill("O19", 2, 0)), group=(rp.group(target="O19/O20/P19"),),
        unit=(rp.unit("eyes", "N21", side="french"),), options={"farthest_tie": option},
    )  # fmt: skip
    sight = scenario.parts.observers.sees(
        rp.view(scenario), "a", scenario.frame.parse("O19/O20/P19")
    )
    assert sight.ground is seen


def test_rp_4_8_light_woods_and_wheat_conceal_on_their_own_level_only():
    woods, high = rp.holds("N20,N21", "light_woods"), hill("N18,N22", 2, 0)
    # The line from hill to hill is two levels above the woods and passes over them, as it would
    # over woods with a green dot.
    assert clear("N18", "N22", woods, high)
    assert clear("N18", "N22", rp.holds("N20,N21", "woods"), high)
    assert not clear("N18", "N22", woods, high, flat_woods=True)
    assert clear("N18", "N22", rp.holds("N20,N21", "wheat"), high)
    # From level 2 down to level 0 the woods are on the level of the lower end and block (4.53).
    assert not clear("N18", "N22", woods, hill("N18", 2, 0))
    assert clear("N18", "N22", woods, hill("N18", 2, 0), open_below=True)
    # Here too, anything that fills the hex and reaches every level conceals.
    assert not clear("N18", "N22", high, hidden=("N20", "N21"))


@pytest.mark.parametrize(("option", "seen"), [("own_level", True), ("every_level", False)])
def test_rp_4_8_at_which_levels_light_woods_conceal_is_an_option(option, seen):
    scenario = rp.lay(
        board=rp.board(), hex=(rp.holds("N19,N20", "light_woods"), hill("N17,N18,O18,N21", 1, 0)), group=(rp.group(),),
        unit=(rp.unit("eyes", "N21", side="french"),), options={"light_woods": option},
    )  # fmt: skip
    sight = scenario.parts.observers.sees(
        rp.view(scenario), "a", scenario.frame.parse("N17/N18/O18")
    )
    assert sight.ground is seen


@pytest.mark.parametrize(
    ("ground", "missing"),
    [
        ((hill("N18", 1),), 6),  # a pillar: the contour may run through it or round it
        ((hill("N18", 1, 0),), 0),
        ((hill("N18", 2, 0), hill("N19", 1, 0)), 0),
        # Five neighbours of N18 and five of N19 are on level 0.
        ((hill("N18", 2, 1), hill("N19", 1)), 10),
        ((hill("N18,N19", 1),), 10),
        ((hill("all", 3),), 0),
    ],
)
def test_rp_4_52_8_42_the_place_of_a_contour_must_be_given_and_is_never_guessed(ground, missing):
    form = rp.form(board=rp.board(), hex=ground)
    assert len(list(ground_of(form).cliffs())) == missing


def test_rp_4_52_a_missing_contour_refuses_the_file_with_its_hexes():
    asked = r"N18 \(level 1\) and N17 \(level 0\): one of them must hold the contour"
    with pytest.raises(Exception, match=asked) as no:
        rp.lay(board=rp.board(), hex=(hill("N18", 1),))
    assert "and 2 more pairs" in str(no.value)


def test_rp_7_21_a_vertex_at_the_edge_of_the_map_is_named_by_two_hexes_and_aimed_at():
    scenario = rp.lay(
        board=rp.board(west="A", north=1), unit=(rp.unit("eyes", "A07", side="french"), rp.unit("foe", "A05 A06")),
        group=(rp.group(target="A05/A06", cross_hair="A05/A06", mode="aircraft"),), side=rp.sides(commands=1),
    )  # fmt: skip
    frame = scenario.frame
    west = frame.parse("A05/A06")
    assert frame.label(west) == "A05/A06"
    assert [frame.on_map(h) for h in west] == [False, True, True]
    assert frame.parse("-A05/A06/A05") == west
    # The signal gets through and the fire is on target: the units in both hexes are struck, and
    # nothing beyond the edge.
    table = rp.run(scenario, (5, 4, 1, 1, 1, 6, 6, 6, 6))
    assert rp.suffered(table) == {"foe.1": "DESTROYED", "foe.2": "DESTROYED"}
    with pytest.raises(ValueError, match="three hexes separated by slashes"):
        frame.parse("N18/N19")
