"""Terrain wrecked by natural 1s and 6s: which segments, in which order, what remains, and which
bases may leave.
"""

from fractions import Fraction

import pytest

from fireplan.solver import Analysis, Ever
from fireplan_core import Order, Refusal
from fireplan_core.play import Answered
from fireplan_core.space import PlaneRectangle
from fireplan_miniatures_1943.geometry import spot
from fireplan_miniatures_1943.scenario import TerrainForm
from fireplan_miniatures_1943.terrain import (
    LOSS_RULES,
    TerrainPiece,
    Wreck,
    in_crater,
    losses,
    nearest_cover,
    rank,
    towards,
)


def rectangle(name, kind, x, y, length=20, width=20, heading=(0, -1)):
    return TerrainForm(id=name, kind=kind, x=x, y=y, length=length, width=width, heading=heading)


def line(name, kind, start, end):
    return TerrainForm(id=name, kind=kind, x=start[0], y=start[1], to_x=end[0], to_y=end[1])


def shelled(
    lay, a_base, terrain, bases=(("b", "blue", 0, 0),), chits=None, numbers=None, **options
):
    bases = [
        a_base("watch", "red", -900, 0),
        *(a_base(*b) if isinstance(b, tuple) else b for b in bases),
    ]
    return lay(
        bases=bases,
        terrain=terrain,
        lines=[chits or {"barrages": 1}],
        options=options,
        numbers=numbers,
    )


def fired(at=(0, 0), count=1):
    return {
        (0, "requests.request", "red"): Order.of("place", barrages=count, air_strikes=0, dummies=0),
        **{
            (1, "requests.marker", f"american barrage {n + 1}"): Order.of("mark", at=at)
            for n in range(count)
        },
    }


def lost(seen, table):
    return [fields["segment"] for _, fields in seen(table, "terrain_lost")]


def craters(seen, table):
    return [fields["at"] for _, fields in seen(table, "crater")]


# The base's rectangle extends 20 yards east and west, 10 north and south.
ALL = [
    rectangle("house", "building", 60, 0),
    rectangle("wood", "woods", -60, 0),
    line("trench", "trench", (-30, 60), (30, 60)),
    line("wire", "wire", (-30, -60), (30, -60)),
]


@pytest.mark.parametrize(
    ("face", "gone"),
    [(1, ["house", "wood"]), (2, []), (3, []), (4, []), (5, []), (6, ["trench", "wire"])],
)
def test_6_4_f_only_a_natural_1_or_6_wrecks_terrain_one_of_each_kind(
    lay, a_base, drive, seen, face, gone
):
    table = drive(shelled(lay, a_base, ALL), 2, fired(), faces=[face])
    assert lost(seen, table) == gone


def test_6_4_f_a_natural_1_cites_its_rule_and_the_wood_is_lost_too(lay, a_base, drive):
    table = drive(shelled(lay, a_base, ALL), 2, fired(), faces=[1])
    assert [
        (e.event.kind, e.event.cite)
        for e in table.log
        if e.event.kind in ("terrain_lost", "crater")
    ] == [
        ("terrain_lost", "6.4.f"),
        ("crater", "6.4.g"),
        ("terrain_lost", "6.4.f"),
        ("crater", "6.4.g"),
    ]


def test_6_4_h_the_natural_face_counts_not_the_modified_one(lay, a_base, drive, seen):
    # A vehicle in the open has no modifiers, personnel +1: a 5 makes 6 on the chart and wrecks
    # nothing.
    assert lost(seen, drive(shelled(lay, a_base, ALL), 2, fired(), faces=[5])) == []
    # Prone personnel in hard cover: a natural 1 counts as 0 and still wrecks.
    hard = a_base("b", "blue", 0, 0, posture="prone", cover="trench")
    assert lost(seen, drive(shelled(lay, a_base, ALL, [hard]), 2, fired(), faces=[1])) == [
        "house",
        "wood",
    ]


@pytest.mark.parametrize(("x", "hit"), [(130, True), (131, False)])
def test_6_4_f_within_100_yards_of_the_base(lay, a_base, drive, seen, x, hit):
    # The house's wall is 10 yards from its middle, and the base's edge 20 yards from the base's
    # middle, so at 130 the gap is 100 yards.
    table = drive(
        shelled(lay, a_base, [rectangle("house", "building", x, 0)]), 2, fired(), faces=[1]
    )
    assert lost(seen, table) == (["house"] if hit else [])


@pytest.mark.parametrize(("y", "hit"), [(110, True), (111, False)])
def test_6_4_h_wire_within_100_yards_of_the_base(lay, a_base, drive, seen, y, hit):
    table = drive(
        shelled(lay, a_base, [line("wire", "wire", (-200, y), (200, y))]), 2, fired(), faces=[6]
    )
    assert lost(seen, table) == (["wire"] if hit else [])


def test_6_4_f_the_nearest_is_lost(lay, a_base, drive, seen):
    # Measured by centres "a" is nearer (70 against 75); measured by walls "b" is, because it points
    # a corner at the base.
    terrain = [
        rectangle("a", "building", 70, 0, 20, 20),
        # The corner of b is 21.2 yards from its middle.
        rectangle("b", "building", -75, 0, 30, 30, heading=(1, 1)),
        rectangle("c", "building", 0, 90),
    ]
    assert lost(seen, drive(shelled(lay, a_base, terrain), 2, fired(), faces=[1])) == ["b"]


def test_6_4_f_several_1s_take_the_next_nearest(lay, a_base, drive, seen):
    terrain = [rectangle("near", "building", 50, 0), rectangle("far", "building", 70, 0)]
    bases = [("b 1", "blue", 0, 0), ("b 2", "blue", 0, 30)]
    assert lost(seen, drive(shelled(lay, a_base, terrain, bases), 2, fired(), faces=[1, 1])) == [
        "near",
        "far",
    ]


def test_6_4_f_terrain_is_lost_only_once(lay, a_base, drive, seen):
    terrain = [rectangle("house", "building", 50, 0)]
    table = drive(
        shelled(lay, a_base, terrain, chits={"barrages": 2}), 2, fired(count=2), faces=[1, 1]
    )
    assert lost(seen, table) == ["house"]
    assert table.read("shared/resolution/lost", None) == ("house",)


def test_6_4_f_a_roll_for_moving_counts_too(lay, a_base, drive, seen):
    scenario = shelled(
        lay, a_base, [rectangle("house", "building", 60, 0)], [("b", "blue", 400, 0)]
    )
    moves = [Order.of("move", base="b", to=(0, 0)), Order.of("done")]
    table = drive(scenario, 2, {**fired(), (1, "resolution.movement", "blue"): moves}, faces=[1])
    assert lost(seen, table) == ["house"]


# --- craters --------------------------------------------------------------------------------------
def test_6_4_g_buildings_and_woods_leave_craters(lay, a_base, drive, seen):
    table = drive(shelled(lay, a_base, ALL), 2, fired(), faces=[1])
    assert craters(seen, table) == [(60, 0), (-60, 0)]
    assert table.read("shared/resolution/craters", None) == ((-60, 0), (60, 0))


@pytest.mark.parametrize(("option", "found"), [(False, [(0, -60)]), (True, [(0, 60), (0, -60)])])
def test_6_4_i_wire_leaves_a_crater_a_trench_by_option(lay, a_base, drive, seen, option, found):
    table = drive(shelled(lay, a_base, ALL, trench_crater=option), 2, fired(), faces=[6])
    assert craters(seen, table) == found
    assert {e.event.cite for e in table.log if e.event.kind == "crater"} == {"6.4.i"}


# --- air strikes ----------------------------------------------------------------------------------
@pytest.mark.parametrize("option", [False, True])
def test_6_4_f_air_strikes_wreck_terrain_only_by_option(lay, a_base, drive, seen, option):
    scenario = shelled(lay, a_base, ALL, chits={"air_strikes": 1}, strike_terrain=option)
    orders = {
        (0, "requests.request", "red"): Order.of("place", barrages=0, air_strikes=1, dummies=0)
    }
    assert lost(seen, drive(scenario, 2, orders, faces=[1])) == (
        ["house", "wood"] if option else []
    )


# --- the order of changes ------------------------------------------------------------------------
def test_6_4_j_terrain_changes_after_all_barrage_rolls(lay, a_base, drive):
    # Both bases are in a house that the first roll destroys: the second base still rolls with its
    # cover.
    house = rectangle("house", "building", 0, 0, 60, 60)
    bases = [
        a_base("b 1", "blue", 0, -10, cover="buildings", posture="prone"),
        a_base("b 2", "blue", 0, 15, cover="buildings", posture="prone"),
    ]
    scenario = shelled(lay, a_base, [house], bases, chits={"barrages": 2})
    table = drive(scenario, 2, fired(count=2), faces=[1, 6, 2, 2])
    kinds = [(e.event.kind, dict(e.event.fields).get("unit")) for e in table.log]
    assert kinds.index(("terrain_lost", None)) > max(
        i for i, k in enumerate(kinds) if k[0] in ("fall", "suffered")
    )
    # With cover the base is only disrupted by the 6 (6 + 1 - 1 - 1 = 5); without cover it would be
    # removed.
    assert table.read("units/b 2/resolution/state", None).name == "SUPPRESSED"
    # After the roll there is no cover.
    assert not table.read("units/b 1/resolution/hard_cover", None)
    assert not table.read("units/b 2/resolution/hard_cover", None)


GROUND = {
    "gone": TerrainPiece("c", "building", PlaneRectangle((60, 0), (0, -1), 20, 20)),
    "empty": TerrainPiece("b", "building", PlaneRectangle((-60, 0), (0, -1), 20, 20)),
    "held": TerrainPiece("a", "building", PlaneRectangle((0, 50), (0, -1), 20, 20)),
}


def test_6_4_k_order_of_preference_where_bases_died_empty_ground_then_held():
    dead, alive = PlaneRectangle((60, 5), (0, -1), 10, 10), PlaneRectangle((0, 45), (0, -1), 10, 10)
    assert [rank(GROUND[name], [dead], [alive]) for name in ("gone", "empty", "held")] == [0, 1, 2]
    # All three pieces are 30 yards from a base of 40 x 20 at the origin (40 less 10, 60 less 20 and
    # 10, 50 less 10 and 10).
    wreck = Wreck(LOSS_RULES[0], PlaneRectangle((0, 0), (0, -1), 20, 40))

    def order(**how):
        found = losses(
            [wreck] * 3, GROUND.values(), [dead], [alive], within=100, trench_crater=False, **how
        )
        return [loss.segment.id for loss in found]

    assert order(preference=True) == ["c", "b", "a"]
    assert order(preference=False) == ["a", "b", "c"]


def test_6_4_k_nearness_goes_before_preference():
    near_and_held = TerrainPiece("near", "building", PlaneRectangle((0, 40), (0, -1), 20, 20))
    alive = PlaneRectangle((0, 40), (0, -1), 10, 10)
    found = losses(
        [Wreck(LOSS_RULES[0], PlaneRectangle((0, 0), (0, -1), 20, 40))],
        [near_and_held, GROUND["empty"]],
        [],
        [alive],
        within=100,
        preference=True,
        trench_crater=False,
    )
    assert [loss.segment.id for loss in found] == ["near"]


@pytest.mark.parametrize(("rule", "gone"), [("preference", "zoo"), ("lowest id", "abbey")])
def test_6_4_k_played_the_ground_of_a_lost_base_goes_first(lay, a_base, drive, seen, rule, gone):
    # Both buildings are 30 yards from the base that rolls a 1; another base is lost in the zoo.
    terrain = [rectangle("abbey", "building", -60, 0), rectangle("zoo", "building", 60, 0)]
    bases = [("b 1", "blue", 0, 0), ("b 2", "blue", 60, 15)]
    scenario = shelled(lay, a_base, terrain, bases, equally_near=rule)
    assert lost(seen, drive(scenario, 2, fired(), faces=[1, 6])) == [gone]


# --- running to cover ----------------------------------------------------------------------------
def test_6_4_l_a_base_on_wrecked_ground_may_move_to_cover(lay, a_base, drive):
    terrain = [rectangle("house", "building", 0, 0, 40, 60), rectangle("barn", "building", 0, 200)]
    inside = a_base("b", "blue", 0, 0, cover="buildings")
    orders = {**fired(), (1, "resolution.displace", "b"): Order.of("displace", to=(0, 60))}
    table = drive(shelled(lay, a_base, terrain, [inside]), 2, orders, faces=[1])
    assert table.read("units/b/place", None) == (0, 60)
    # The base has already rolled for this barrage and does not roll again, though it moved inside
    # the barrage (6.2.g).
    assert [e.event.cite for e in table.log if e.event.kind == "modifier"] == [
        "6.3.d, 6.3.e",
        "6.3.f",
    ]


def test_6_4_l_a_base_that_reaches_cover_has_it(lay, a_base, drive):
    terrain = [
        rectangle("house", "building", 0, 0, 40, 60),
        line("trench", "trench", (-50, 70), (50, 70)),
    ]
    inside = a_base("b", "blue", 0, 0, cover="buildings")
    orders = {**fired(), (1, "resolution.displace", "b"): Order.of("displace", to=(0, 60))}
    table = drive(shelled(lay, a_base, terrain, [inside]), 2, orders, faces=[1])
    assert table.read("units/b/resolution/hard_cover", None) is True


@pytest.mark.parametrize("side", ["red", "blue"])
def test_6_4_j_a_base_that_runs_to_cover_into_another_barrage_wrecks_terrain_in_the_same_phase(
    lay, a_base, drive, seen, side
):
    """Even if the side that fires last caused the move, the terrain changes after its last roll."""
    other = "blue" if side == "red" else "red"
    terrain = [
        rectangle("farm", "building", 0, 0),
        line("ditch", "trench", (-20, 100), (20, 100)),
        rectangle("barn", "building", 0, 140),
    ]
    bases = [a_base("watch", side, -600, 0), a_base("foe", other, 0, 0)]
    scenario = lay(bases=bases, terrain=terrain, lines=[{"side": side, "barrages": 2}])
    orders = {
        (0, "requests.request", side): Order.of("place", barrages=2, air_strikes=0, dummies=0),
        (1, "requests.marker", "american barrage 1"): Order.of("mark", at=(0, 0)),
        (1, "requests.marker", "american barrage 2"): Order.of("mark", at=(0, 180)),
        (1, "resolution.displace", "foe"): Order.of("displace", to=(0, 60)),
    }
    table = drive(scenario, 2, orders, faces=[1, 1])
    assert lost(seen, table) == ["farm", "barn"]
    assert table.read("units/foe/resolution/wrecks", None) == ()


@pytest.mark.parametrize(("yards", "gone"), [("29", []), ("30", ["house"])])
def test_6_4_f_a_changed_reach_of_terrain_loss_is_played(lay, a_base, drive, seen, yards, gone):
    # The house is 60 yards away, less half the length of the base and half that of the house.
    terrain = [rectangle("house", "building", 60, 0)]
    scenario = shelled(lay, a_base, terrain, numbers={"terrain_yards": yards})
    assert lost(seen, drive(scenario, 2, fired(), faces=[1])) == gone


@pytest.mark.parametrize(("yards", "asked"), [("60", False), ("100", True)])
def test_6_4_g_a_changed_crater_reaches_bases(lay, a_base, drive, seen, yards, asked):
    # The house 60 yards east is lost; the base's edge is 40 yards from the house's middle.
    terrain = [rectangle("house", "building", 60, 0), rectangle("barn", "building", 0, 200)]
    scenario = shelled(lay, a_base, terrain, numbers={"crater_yards": yards})
    orders = (
        {**fired(), (1, "resolution.displace", "b"): Order.of("displace", to=(0, 30))}
        if asked
        else fired()
    )
    moved = seen(drive(scenario, 2, orders, faces=[1]), "moved")
    assert moved == ([(1, {"unit": "b", "at": (0, 30)})] if asked else [])


@pytest.mark.parametrize(("across", "inside"), [(60, False), (61, True), (62, True)])
def test_6_4_g_half_of_an_odd_width_is_not_rounded(across, inside):
    # The wall is 30.5 yards away.
    assert (
        in_crater(PlaneRectangle((60, 0), (0, -1), length=20, width=59), (0, 0), across) is inside
    )


@pytest.mark.parametrize(("yards", "far"), [("60", 60), ("40", 40)])
def test_6_4_l_a_changed_move_to_cover_is_played(lay, a_base, drive, seen, yards, far):
    terrain = [rectangle("house", "building", 0, 0, 40, 60), rectangle("barn", "building", 0, 200)]
    scenario = shelled(
        lay, a_base, terrain, [a_base("b", "blue", 0, 0)], numbers={"cover_move_yards": yards}
    )
    too_far = (Order.of("displace", to=(0, far + 1)), "6.4.l")
    orders = {
        **fired(),
        (1, "resolution.displace", "b"): [too_far, Order.of("displace", to=(0, far))],
    }
    assert [fields["at"] for _, fields in seen(drive(scenario, 2, orders, faces=[1]), "moved")] == [
        (0, far)
    ]


@pytest.mark.parametrize(
    ("to", "fine"),
    [
        ((0, 60), True),
        ((0, 61), False),  # more than 60 yards
        ((0, 20), True),
        ((0, -20), False),  # away from the cover
        ((1, 50), True),  # within a yard of the line
        ((2, 50), False),
        ((0, 0), False),
        ("north", False),
    ],
)
def test_6_4_l_up_to_60_yards_straight_towards_the_nearest_cover(lay, a_base, drive_to, to, fine):
    terrain = [rectangle("house", "building", 0, 0, 40, 60), rectangle("barn", "building", 0, 200)]
    scenario = shelled(lay, a_base, terrain, [a_base("b", "blue", 0, 0, cover="buildings")])
    table = drive_to(scenario, "resolution.displace", fired())
    assert table.waits_for.who == "blue"
    answer = table.submit(Answered("resolution.displace", Order.of("displace", to=to)))
    assert isinstance(answer, Refusal) != fine
    assert fine or answer.cite == "6.4.l"


def test_6_4_l_the_way_leads_to_the_nearest_point_of_the_nearest_cover():
    base = PlaneRectangle((0, 0), (0, -1), 20, 40)
    wood = TerrainPiece("wood", "woods", PlaneRectangle((60, 80), (3, 4), 40, 40))
    wire = TerrainPiece("wire", "wire", ends=((30, -5), (30, 5)))  # wire is no cover
    segment, there = nearest_cover(base, [wood, wire])
    # The wood's near edge is 20 yards in front of its middle, along (3, 4): (48, 64).
    assert (segment.id, there) == ("wood", spot((48, 64)))
    assert towards((0, 0), there, (36, 48), 60)  # a move of 60 yards
    assert not towards((0, 0), there, (39, 52), 60)  # a move of 65 yards
    assert not towards((0, 0), there, (48, 36), 60)


def test_6_4_l_a_base_that_touches_cover_is_in_it():
    base = PlaneRectangle((0, 0), (0, -1), 20, 40)
    barn = TerrainPiece("barn", "building", PlaneRectangle((0, 80), (0, -1), 20, 20))
    for y, there in ((10, None), (11, "trench")):  # the base's edge is 10 yards south of its middle
        found = nearest_cover(
            base, [barn, TerrainPiece("trench", "trench", ends=((-5, y), (5, y)))]
        )
        assert (found and found[0].id) == there


def test_6_4_l_nobody_is_asked_without_cover_or_in_other_cover(lay, a_base, drive, seen):
    house, yard = (
        rectangle("house", "building", 0, 0, 40, 60),
        rectangle("wood", "woods", 0, 0, 90, 90),
    )
    for terrain in ([house], [house, yard]):
        scenario = shelled(lay, a_base, terrain, [a_base("b", "blue", 0, 0, cover="buildings")])
        table = drive(scenario, 2, fired(), faces=[1])
        # Both segments are lost with the 1; no cover is left to run to.
        assert lost(seen, table)[0] == "house"
        asked = [each.question for each in table.journal if isinstance(each, Answered)]
        assert "resolution.displace" not in asked


# --- cover from terrain --------------------------------------------------------------------------
def test_6_3_d_a_base_that_moves_finds_hard_cover_in_buildings_and_trenches(lay, a_base, drive):
    terrain = [
        rectangle("house", "building", 0, 100),
        rectangle("wood", "woods", 0, 200),
        line("trench", "trench", (-50, 300), (50, 300)),
        line("wire", "wire", (-50, 400), (50, 400)),
    ]
    for y, hard in ((100, True), (200, False), (300, True), (400, False), (129, False)):
        scenario = shelled(lay, a_base, terrain)
        moves = [Order.of("move", base="b", to=(0, y)), Order.of("done")]
        table = drive(scenario, 1, {(0, "resolution.movement", "blue"): moves})
        assert table.read("units/b/resolution/hard_cover", None) is hard, y


def test_6_4_j_an_engagement_knows_no_terrain_and_stays_separable(stage, engage):
    assert Analysis(stage(engage()), 6).separable


def test_6_4_f_chances_of_losing_terrain_are_exact(lay, a_base):
    terrain = [rectangle("near", "building", 50, 0), rectangle("far", "building", 70, 0)]
    bases = [("b 1", "blue", 0, 0), ("b 2", "blue", 0, 30), ("b 3", "blue", 0, 60)]
    analysis = Analysis(shelled(lay, a_base, terrain, bases), 2)
    # Three dice: with no 1 the near house stays, and with fewer than two 1s the far house stays.
    none, one = Fraction(5, 6) ** 3, 3 * Fraction(1, 6) * Fraction(5, 6) ** 2
    for segment, lost_by in (("near", 1 - none), ("far", 1 - none - one)):
        shares = analysis.solve(Ever("terrain_lost", "segment", (segment,))).shares
        assert shares == {True: lost_by, False: 1 - lost_by}


@pytest.mark.parametrize("y", [15, 5])
def test_6_4_g_cover_that_is_declared_without_terrain_stays(lay, a_base, drive, y):
    # A foxhole beside a lost wire, or under it: the crater takes away only cover that the wire
    # gave.
    base = a_base("b", "blue", 0, 0, cover="trench", posture="prone")
    table = drive(
        shelled(lay, a_base, [line("wire", "wire", (-10, y), (10, y))], [base]),
        2,
        fired(),
        faces=[6],
    )
    # Prone and in hard cover, the base survives the 6.
    assert table.read("units/b/place", None) == (0, 0)
    assert table.read("units/b/resolution/hard_cover", None) is True
