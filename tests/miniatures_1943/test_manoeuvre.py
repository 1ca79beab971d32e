"""Bases that move through barrages, go prone, and fire out of barrages and through smoke; bases of
non-standard size.
"""

from fractions import Fraction

import pytest

from fireplan_core import Order, Refusal, Severity, View
from fireplan_core.play import Answered, Table
from fireplan_miniatures_1943.resolution import under_smoke

RED = "american barrage 1"
ONE = [{"barrages": 1}]


def place(barrages=0, air_strikes=0, dummies=0):
    return Order.of("place", barrages=barrages, air_strikes=air_strikes, dummies=dummies)


def fired(at=(0, 0), verb="mark"):
    """Return the orders for a barrage that red requests in the first turn and marks in the second."""
    return {
        (0, "requests.request", "red"): place(barrages=1),
        (1, "requests.marker", RED): Order.of(verb, at=at),
    }


def move(unit, to):
    return [Order.of("move", base=unit, to=to), Order.of("done")]


def throws(table):
    return sum(type(given).__name__ == "Thrown" for given in table.journal)


def rolls(seen, table):
    """Return the turns of the rolls, one per personnel modifier; every base here is personnel."""
    return [e.moment for e in table.log if e.event.kind == "modifier" and e.event.cite == "6.3.f"]


# Red's base observes from far away; blue's base stays outside unless it moves in.
def table_of(lay, a_base, blue=(400, 0), **options):
    bases = [a_base("watch", "red", -600, 0), a_base("runner", "blue", *blue)]
    return lay(bases=bases, lines=ONE, options=options)


def test_6_2_f_a_base_that_moves_in_rolls_at_once(lay, a_base, drive):
    orders = {**fired(), (1, "resolution.movement", "blue"): move("runner", (0, 0))}
    table = drive(table_of(lay, a_base), 2, orders, faces=[6])
    kinds = [
        (e.event.kind, e.event.cite)
        for e in table.log
        if e.event.kind in ("fall", "moved", "suffered")
    ]
    # Red's fire phase comes first and hits nobody; blue then moves into the marker, which is still
    # there.
    assert kinds == [("fall", "6.2.e"), ("moved", "6.2.f"), ("suffered", "6.3.a")]
    assert table.read("units/runner/place", 0) is None


@pytest.mark.parametrize(
    ("start", "to", "caught"),
    [
        ((400, 0), (161, 0), False),  # the flank is at 141 yards
        ((400, 0), (160, 0), True),  # touching counts
        ((400, 0), (-400, 0), True),  # the base passes through
        ((400, -150), (-400, -150), True),  # the flank, 10 yards out, touches the edge
        ((400, -151), (-400, -151), False),
    ],
)
def test_6_2_f_the_path_of_the_whole_base_counts(lay, a_base, drive, start, to, caught):
    orders = {**fired(), (1, "resolution.movement", "blue"): move("runner", to)}
    assert throws(drive(table_of(lay, a_base, start), 2, orders)) == caught


def test_6_2_f_moving_inside_or_out_asks_for_a_roll_of_its_own_side_too(lay, a_base, drive):
    bases = [a_base("watch", "red", -600, 0), a_base("own", "red", 0, 0)]
    orders = {**fired(), (1, "resolution.movement", "red"): move("own", (0, 300))}
    # Red moves before its fire phase: the base rolls as it leaves, and is outside when the barrage
    # is resolved.
    assert throws(drive(lay(bases=bases, lines=ONE), 2, orders)) == 1


@pytest.mark.parametrize(
    ("option", "start", "to", "rolled"),
    [
        ("free", (0, 0), (0, 400), 0),  # the base leaves the barrage
        ("free", (400, 0), (-400, 0), 0),  # the base passes through
        ("free", (400, 0), (0, 0), 1),
        ("free", (0, 0), (20, 0), 1),  # the base moves inside the barrage
        ("rolls", (0, 0), (0, 400), 1),
    ],
)
def test_6_2_f_option_lets_bases_leave_freely(lay, a_base, drive, option, start, to, rolled):
    bases = [a_base("watch", "red", -900, 0), a_base("own", "red", *start)]
    orders = {**fired(), (1, "resolution.movement", "red"): move("own", to)}
    # Red moves before its fire phase. In that phase, a base still inside the barrage does not roll
    # again if it rolled when it moved.
    assert (
        throws(drive(lay(bases=bases, lines=ONE, options={"moving_out": option}), 2, orders))
        == rolled
    )


@pytest.mark.parametrize("duration", [1, 2])
def test_6_2_g_a_base_that_rolled_in_the_fire_phase_moves_freely(lay, a_base, drive, duration):
    scenario = table_of(lay, a_base, (0, 0), duration_turns=duration)
    orders = {
        **fired(),
        **{(t, "resolution.movement", "blue"): move("runner", (0, 20 * t)) for t in (1, 2)},
    }
    assert throws(drive(scenario, 3, orders)) == 1


def test_6_2_g_a_base_that_moved_in_before_does_not_roll_in_the_fire_phase(lay, a_base, drive):
    bases = [
        a_base("watch", "red", -600, 0),
        a_base("own", "red", 400, 0),
        a_base("foe", "blue", 0, 60),
    ]
    orders = {**fired(), (1, "resolution.movement", "red"): move("own", (0, 0))}
    # "own" rolls as it moves in; in the fire phase only "foe" does.
    assert throws(drive(lay(bases=bases, lines=ONE), 2, orders)) == 2


def test_6_2_g_each_barrage_asks_its_own_roll(lay, a_base, drive):
    bases = [a_base("watch", "red", -600, 0), a_base("runner", "blue", 400, 0)]
    scenario = lay(bases=bases, lines=[{"barrages": 2}])
    orders = {
        (0, "requests.request", "red"): place(barrages=2),
        (1, "requests.marker", RED): Order.of("mark", at=(0, 0)),
        (1, "requests.marker", "american barrage 2"): Order.of("mark", at=(20, 0)),
        (1, "resolution.movement", "blue"): move("runner", (0, 0)),
    }
    assert throws(drive(scenario, 2, orders)) == 2


def test_6_2_g_a_chit_that_comes_again_is_another_barrage(lay, a_base, drive):
    scenario = table_of(lay, a_base, (0, 0), supply="renewed")
    orders = {
        (turn, "requests.request" if turn % 2 == 0 else "requests.marker", "red"): (
            place(barrages=1) if turn % 2 == 0 else Order.of("mark", at=(0, 0))
        )
        for turn in range(4)
    }
    assert throws(drive(scenario, 4, orders)) == 2


def test_6_2_g_a_base_keeps_its_roll_for_a_barrage_that_stays(lay, a_base, drive):
    bases = [a_base("watch", "red", -600, 0), a_base("runner", "blue", 400, 0)]
    scenario = lay(bases=bases, lines=ONE, options={"duration_turns": 2})
    orders = {
        **fired(),
        (1, "resolution.movement", "blue"): move("runner", (0, 0)),
        (2, "resolution.movement", "blue"): move("runner", (0, 300)),
    }
    assert throws(drive(scenario, 3, orders)) == 1


def test_6_2_h_going_prone_in_a_barrage_asks_for_no_roll(lay, a_base, drive, seen):
    bases = [a_base("watch", "red", -600, 0), a_base("own", "red", 0, 0)]
    prone = [Order.of("prone", base="own"), Order.of("done")]
    table = drive(
        lay(bases=bases, lines=ONE),
        2,
        {**fired(), (1, "resolution.movement", "red"): prone},
        faces=[5],
    )
    # Only one roll, in the fire phase, and the base counts as prone: 5 + 1 - 1 disrupts.
    assert [fields for _, fields in seen(table, "posture")] == [{"unit": "own", "prone": True}]
    assert [fields["severity"] for _, fields in seen(table, "suffered")] == [Severity.SUPPRESSED]
    cites = [e.event.cite for e in table.log if e.event.kind == "modifier"]
    assert cites == ["6.3.c", "6.3.f"]
    kinds = [entry.event.kind for entry in table.log]
    assert kinds.index("posture") < kinds.index("fall") < kinds.index("modifier")


def test_6_2_h_standing_up_ends_it(lay, a_base, drive, seen):
    bases = [a_base("watch", "red", -600, 0), a_base("own", "red", 0, 0, posture="prone")]
    stand = [Order.of("stand", base="own"), Order.of("done")]
    table = drive(
        lay(bases=bases, lines=ONE),
        2,
        {**fired(), (1, "resolution.movement", "red"): stand},
        faces=[5],
    )
    assert [fields["severity"] for _, fields in seen(table, "suffered")] == [Severity.DESTROYED]


@pytest.mark.parametrize(("posture", "drm"), [("dug_in", 0), ("prone", -1), ("standing", 0)])
def test_6_3_c_a_base_that_moves_leaves_its_hasty_position(lay, a_base, drive, seen, posture, drm):
    bases = [a_base("watch", "red", -600, 0), a_base("runner", "blue", 400, 0, posture=posture)]
    orders = {**fired(), (1, "resolution.movement", "blue"): move("runner", (0, 0))}
    table = drive(lay(bases=bases, lines=ONE), 2, orders, faces=[5])
    # Personnel without cover that roll 5 are lost.
    severity = Severity.SUPPRESSED if drm else Severity.DESTROYED
    assert [fields["severity"] for _, fields in seen(table, "suffered")] == [severity]
    assert ("6.3.c" in [e.event.cite for e in table.log if e.event.kind == "modifier"]) == bool(drm)


@pytest.mark.parametrize("verb", [None, "prone"])
def test_6_3_c_dug_in_and_prone_count_once_and_a_base_that_stays_is_still_dug_in(
    lay, a_base, drive, seen, verb
):
    bases = [a_base("watch", "red", -600, 0), a_base("own", "red", 0, 0, posture="dug_in")]
    orders = fired()
    if verb:
        orders[1, "resolution.movement", "red"] = [Order.of(verb, base="own"), Order.of("done")]
    drive(lay(bases=bases, lines=ONE), 2, orders, faces=[4])
    table = drive(lay(bases=bases, lines=ONE), 2, orders, faces=[5])
    values = [e.event["value"] for e in table.log if e.event.kind == "modifier"]
    assert values == [-1, 1]
    assert [fields["severity"] for _, fields in seen(table, "suffered")] == [Severity.SUPPRESSED]


@pytest.mark.parametrize(("posture", "verb"), [("prone", "prone"), ("standing", "stand")])
def test_6_2_h_a_posture_is_not_offered_to_a_base_that_has_it(lay, a_base, posture, verb):
    bases = [a_base("watch", "red", -600, 0), a_base("own", "blue", 0, 0, posture=posture)]
    table = at_question(lay(bases=bases, lines=ONE), "resolution.movement", "blue")
    rulebook, ask = table.rulebook, table.waits_for
    offered = {form.verb: form.slots for form in rulebook.forms(ask, table.read) if form.slots}
    other = {"prone": "stand", "stand": "prone"}[verb]
    assert [offered[each][0].candidates for each in (verb, other)] == [(), ("own",)]
    refusal = table.submit(Answered(ask.question, Order.of(verb, base="own")))
    assert (refusal.cite, refusal.why.endswith("already")) == ("6.2.h", True)
    stay = Answered(ask.question, Order.of("move", base="own", to=(0, 0)))
    assert table.submit(stay).why == "own is at 0,0 already"


def at_question(scenario, question, side, orders=None, turns=3):
    table = Table(scenario, turns)
    while getattr(table.waits_for, "question", "") != question or table.waits_for.who != side:
        waits = table.waits_for
        key = (table.state.moment, waits.question, waits.args[0])
        given = (orders or {}).get(key) or table.rulebook.answer(waits, {}, table.read)
        assert isinstance(table.submit(Answered(waits.question, given)), tuple)
    return table


@pytest.mark.parametrize(
    ("order", "cite"),
    [
        (Order.of("move", base="foe", to=(0, 50)), "6.2.f"),
        (Order.of("move", base="nobody", to=(0, 50)), "6.2.f"),
        (Order.of("move", base="own", to="there"), "6.2.f"),
        (Order.of("move", base="own", to=(0.5, 0)), "6.2.f"),
        (Order.of("move", base="own", to=(0, 60)), "6.2.f"),  # foe stands there
        (Order.of("move", base="own"), "6.2.f"),
        (Order.of("prone", base="foe"), "6.2.h"),
        (Order.of("fly", base="own"), "6.2.f"),
    ],
)
def test_6_2_f_moves_that_cannot_be_made_are_refused(lay, a_base, order, cite):
    scenario = lay(bases=[a_base("own", "red", 0, 0), a_base("foe", "blue", 0, 60)])
    table = at_question(scenario, "resolution.movement", "red")
    refusal = table.submit(Answered("resolution.movement", order))
    assert isinstance(refusal, Refusal)
    assert refusal.cite == cite


# --- bases of non-standard size ------------------------------------------------------------------
@pytest.mark.parametrize(
    ("shape", "at", "hit"),
    [
        ({"length": 40, "width": 40}, (0, 160), True),
        ({"length": 40, "width": 40}, (0, 161), False),
        # The base reaches 10 yards towards the centre.
        (
            {"length": 20, "width": 100, "heading": (3, 4)},
            (90, 120),
            True,
        ),
        ({"length": 20, "width": 100, "heading": (3, 4)}, (93, 124), False),
        # The base is 170 yards from the centre and reaches 30 yards towards it.
        (
            {"length": 60, "width": 4, "heading": (3, 4)},
            (102, 136),
            True,
        ),
        ({"length": 60, "width": 4, "heading": (3, 4)}, (103, 137), False),
    ],
)
def test_6_2_e_bases_of_a_scenario_have_their_own_size_and_heading(lay, a_base, shape, at, hit):
    scenario = lay(bases=[a_base("b", "blue", *at, **shape)], lines=ONE)
    values = {
        **scenario.initial,
        f"missions/{RED}/impact": (0, 0),
        f"missions/{RED}/areas/spotted": True,
    }
    view = View(values.get, scenario, "areas")
    assert scenario.parts.areas.covers(view, RED, at, Fraction(0)) == hit


def test_6_2_e_a_base_keeps_its_size_when_it_has_moved(lay, a_base):
    scenario = lay(bases=[a_base("b", "blue", 500, 500, length=40, width=40)], lines=ONE)
    values = {
        **scenario.initial,
        f"missions/{RED}/impact": (0, 0),
        f"missions/{RED}/areas/spotted": True,
    }
    for y, hit in ((160, True), (161, False)):
        view = View({**values, "units/b/place": (0, y)}.get, scenario, "areas")
        assert scenario.parts.areas.covers(view, RED, (0, y), Fraction(0)) == hit


@pytest.mark.parametrize("kind", ["infantry", "heavy weapon", "cavalry", "truck"])
def test_6_3_f_personnel_classes(lay, a_base, kind):
    scenario = lay(
        bases=[a_base("b", "blue", 0, 0, kind=kind), a_base("t", "blue", 0, 90, kind="vehicle")]
    )
    assert scenario.units["b"].facts["resolution"].personnel
    assert not scenario.units["t"].facts["resolution"].personnel


@pytest.mark.parametrize(
    ("visibility", "observes", "yards"), [(600, True, 140), (599, True, 80), (600, False, 80)]
)
def test_6_2_b_a_point_that_a_base_sees_is_spotted(
    lay, a_base, drive, seen, visibility, observes, yards
):
    bases = [a_base("watch", "red", -600, 0, observes=observes), a_base("far", "blue", 0, 900)]
    table = drive(lay(bases=bases, lines=ONE, visibility=visibility), 2, fired())
    assert [fields["yards"] for _, fields in seen(table, "placed")] == [yards]


@pytest.mark.parametrize(("option", "rolled"), [("placed", 0), ("fire phase", 1)])
def test_6_2_b_option_looks_again_in_the_fire_phase(lay, a_base, drive, option, rolled):
    # The barrage is placed blind (80 yards); then the watch sees the point, and the base 120 yards
    # away is reached too.
    bases = [a_base("watch", "red", -900, 0), a_base("far", "blue", 0, 120)]
    scenario = lay(bases=bases, lines=ONE, visibility=500, options={"spotting": option})
    orders = {**fired(), (1, "resolution.movement", "red"): move("watch", (-400, 0))}
    assert throws(drive(scenario, 2, orders)) == rolled


# --- direct fire ----------------------------------------------------------------------------------
def shots(seen, table):
    return [(f["unit"], f["at"], f["solid_cover"], f["modifier"]) for _, f in seen(table, "shot")]


def fire(unit, target):
    return [Order.of("fire", base=unit, target=target), Order.of("done")]


BASES = (("watch", "red", -600, 0), ("in", "blue", 0, 0), ("out", "blue", 0, 400))


@pytest.mark.parametrize(
    ("shooter", "minus"),
    [("in", -1), ("out", 0)],
)
def test_6_4_b_firing_out_of_it_takes_a_minus(lay, a_base, drive, seen, shooter, minus):
    scenario = lay(bases=[a_base(*b) for b in BASES], lines=ONE)
    table = drive(
        scenario, 2, {**fired(), (1, "resolution.firing", "blue"): fire(shooter, "watch")}
    )
    assert shots(seen, table) == [(shooter, "watch", False, minus)]
    assert ("6.4.b" in [e.event.cite for e in table.log if e.event.kind == "modifier"]) == (
        minus < 0
    )


def test_6_4_b_option_sets_the_minus(lay, a_base, drive, seen):
    scenario = lay(bases=[a_base(*b) for b in BASES], lines=ONE, options={"firing_out": -2})
    table = drive(scenario, 2, {**fired(), (1, "resolution.firing", "blue"): fire("in", "watch")})
    assert shots(seen, table) == [("in", "watch", False, -2)]


@pytest.mark.parametrize(("target", "cover"), [("in", True), ("out", False)])
def test_6_4_a_a_target_in_a_barrage_has_solid_cover(lay, a_base, drive, seen, target, cover):
    scenario = lay(bases=[a_base(*b) for b in BASES], lines=ONE)
    table = drive(scenario, 2, {**fired(), (1, "resolution.firing", "red"): fire("watch", target)})
    assert shots(seen, table) == [("watch", target, cover, 0)]
    assert [e.event.cite for e in table.log if e.event.kind == "shot"] == ["6.4.a"]


def test_6_4_a_the_cover_goes_with_the_barrage(lay, a_base, drive, seen):
    scenario = lay(bases=[a_base(*b) for b in BASES], lines=ONE)
    table = drive(scenario, 3, {**fired(), (2, "resolution.firing", "red"): fire("watch", "in")})
    assert shots(seen, table) == [("watch", "in", False, 0)]


def test_6_4_a_is_for_direct_fire_only(lay, a_base, drive):
    # Two overlapping barrages: the second finds no cover in the dust of the first.
    scenario = lay(bases=[a_base(*b) for b in BASES], lines=[{"barrages": 2}])
    orders = {
        (0, "requests.request", "red"): place(barrages=2),
        **{
            (1, "requests.marker", f"american barrage {n}"): Order.of("mark", at=(0, 0))
            for n in (1, 2)
        },
    }
    assert "6.3.d, 6.3.e" not in [e.event.cite for e in drive(scenario, 2, orders).log]


def test_6_4_a_a_base_may_fire_only_at_the_other_side(lay, a_base):
    scenario = lay(bases=[a_base(*b) for b in BASES])
    table = at_question(scenario, "resolution.firing", "blue")
    for order in (
        Order.of("fire", base="in", target="out"),
        Order.of("fire", base="watch", target="in"),
        Order.of("fire", base="in", target="nobody"),
    ):
        refusal = table.submit(Answered("resolution.firing", order))
        assert isinstance(refusal, Refusal)
        assert refusal.cite == "6.4.a"


# --- smoke ----------------------------------------------------------------------------------------
@pytest.mark.parametrize(("visibility", "yards"), [(1000, 140), (100, 80)])
def test_6_4_c_smoke_is_as_large_as_the_barrage(lay, a_base, drive, seen, visibility, yards):
    scenario = lay(bases=[a_base(*b) for b in BASES], lines=ONE, visibility=visibility)
    table = drive(scenario, 2, fired(verb="smoke"))
    assert seen(table, "smoke") == [(1, {"mission": RED, "at": (0, 0), "yards": yards})]
    # The smoke uses up the barrage: no roll, no fall.
    assert throws(table) == 0
    assert seen(table, "fall") == []


def test_6_4_d_smoke_lasts_two_turns(lay, a_base, drive):
    table = drive(lay(bases=[a_base(*b) for b in BASES], lines=ONE), 5, fired(verb="smoke"))
    ended = [(e.moment, e.event.cite) for e in table.log if e.event.kind == "ended"]
    assert ended == [(2, "6.4.d")]
    assert table.read(f"missions/{RED}/areas/spotted", False) is None


@pytest.mark.parametrize("turn", [0, 1, 2, 3])
def test_6_4_e_nobody_fires_through_smoke(lay, a_base, drive_to, turn):
    scenario = lay(bases=[a_base("w", "red", -300, 0), a_base("e", "blue", 300, 0)], lines=ONE)
    table = drive_to(scenario, "resolution.firing", fired(verb="smoke"), turn)
    answer = table.submit(Answered("resolution.firing", Order.of("fire", base="w", target="e")))
    # The smoke is placed in turn 2 (numbered 1) and gone after turn 3.
    if turn in (1, 2):
        assert isinstance(answer, Refusal)
        assert answer.cite == "6.4.e"
    else:
        assert isinstance(answer, tuple)


@pytest.mark.parametrize(
    ("levels", "at", "blocked"),
    [
        ((0, 0), (0, 0), True),
        ((3, 3), (0, 0), True),
        ((4, 4), (0, 0), False),  # the line passes above the screen
        ((0, 0), (0, 140), False),  # the line runs along the screen's edge
        ((0, 0), (0, 139), True),
        ((6, 0), (0, 0), True),
        # From level 6 down to the ground over 600 yards, the line is at level 3 in the middle, 0
        # yards east.
        ((6, 0), (-140, 0), False),  # the screen ends where the line has come down to its height
        ((6, 0), (-139, 0), True),
        ((0, 6), (140, 0), False),
        ((0, 6), (139, 0), True),
    ],
)
def test_6_4_e_smoke_is_three_levels_high(lay, a_base, drive_to, levels, at, blocked):
    bases = [
        a_base("w", "red", -300, 0, level=levels[0]),
        a_base("e", "blue", 300, 0, level=levels[1]),
    ]
    scenario = lay(bases=bases, lines=ONE)
    table = drive_to(scenario, "resolution.firing", fired(at=at, verb="smoke"))
    answer = table.submit(Answered("resolution.firing", Order.of("fire", base="w", target="e")))
    assert isinstance(answer, Refusal) == blocked


@pytest.mark.parametrize(("levels", "blocked"), [("3", False), ("4", True)])
def test_6_4_e_a_changed_height_of_smoke_is_played(lay, a_base, drive, levels, blocked):
    bases = [a_base("w", "red", -300, 0, level=4), a_base("e", "blue", 300, 0, level=4)]
    scenario = lay(bases=bases, lines=ONE, numbers={"smoke_levels": levels})
    shot = Order.of("fire", base="w", target="e")
    given = [(shot, "6.4.e"), Order.of("done")] if blocked else [shot, Order.of("done")]
    drive(scenario, 2, {**fired(verb="smoke"), (1, "resolution.firing", "red"): given})


def test_6_4_e_the_part_of_a_line_under_the_height_of_smoke():
    assert under_smoke(0, 3, 3) == (0, 1)
    assert under_smoke(4, 9, 3) is None
    assert under_smoke(0, 12, 3) == (0, Fraction(1, 4))
    assert under_smoke(12, 0, 3) == (Fraction(3, 4), 1)


def test_6_4_c_moving_in_smoke_is_safe(lay, a_base, drive):
    scenario = lay(bases=[a_base(*b) for b in BASES], lines=ONE)
    orders = {**fired(verb="smoke"), (1, "resolution.movement", "blue"): move("in", (20, 20))}
    assert throws(drive(scenario, 2, orders)) == 0


def test_6_4_c_air_strikes_make_no_smoke(lay, a_base):
    scenario = lay(bases=[a_base(*b) for b in BASES], lines=[{"air_strikes": 1}])
    table = at_question(scenario, "requests.marker", "red")
    answer = table.submit(Answered("requests.marker", Order.of("smoke", at=(0, 0))))
    assert isinstance(answer, Refusal)
