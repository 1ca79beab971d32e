"""The impact of fire for effect, and the hexes that it covers (7.242 to 7.248)."""

from __future__ import annotations

from fractions import Fraction

import attrs
import pytest

from fireplan.solver import Analysis
from fireplan_core import Order, OwnTroops, Refusal, Severity, View
from fireplan_core.play import Answered, Thrown
from fireplan_core.space import disc


def seen(scenario, **fields):
    """Return the areas' view of a mission with these fields."""
    values = {f"missions/a/{name}": value for name, value in fields.items()}
    return View(values.get, scenario, "areas")


def on_aim(rp, **rest):
    """Return the share of first fires that hit the vertex aimed at."""
    found = rp.fired(rp.stage(**rest), 4)
    return found[0,] / (1 - found.get((), 0))


@pytest.mark.parametrize(
    ("preregistered", "options", "share"),
    [
        (False, {}, Fraction(1, 3)),  # the fire is accurate on 1 and 2
        (True, {}, Fraction(1, 2)),  # it is accurate on 1 to 3
        (False, {"high_ground": True}, Fraction(1, 2)),
        (True, {"high_ground": True}, Fraction(2, 3)),  # it is accurate on 1 to 4
        (True, {"high_ground": True, "accuracy_modifiers": "max_one"}, Fraction(1, 2)),
    ],
)
def test_rp_7_242_accuracy(rp, preregistered, options, share):
    assert on_aim(rp, preregistered=preregistered, options=options) == share


def test_rp_7_242_a_flare_group_is_always_preregistered(rp):
    found = rp.fired(rp.stage("flare", preregistered=True), 3)
    assert found[0,] / (1 - found[()]) == Fraction(1, 2)


def two_fires(rp, first, second, **rest):
    """Return the gaps of two falls of one group, whose rolls are ``first`` and ``second``.

    Each has the die for accuracy, an error if the fire strays, and the dice of the company's check.
    """
    scenario = rp.stage(men=1, frontage_m=10, depth_m=10, works="entrenched", **rest)
    table = rp.play(scenario, (5, 3, 5, 4, 1, 1, *first, 5, 3, 5, 4, 1, 1, *second))
    return [event["gap"] for _, event in rp.told(table, "fall")]


@pytest.mark.parametrize("hit_before", ["impact", "aim_point"])
def test_rp_7_242_on_a_vertex_hit_before_a_three_is_on_the_aim(rp, hit_before):
    # The first round lands on the aim point (accuracy 1; the company's check is 1-1).
    assert two_fires(rp, (1, 1, 1), (3, 1, 1), options={"hit_before": hit_before}) == [0, 0]


def test_rp_7_242_astray_at_first_the_aim_was_not_hit_unless_the_option_says_so(rp):
    # The first round goes astray on a 3, along the first spine, and covers the company too; then
    # another 3 follows.
    assert two_fires(rp, (3, 1, 1, 1), (3, 1, 1, 1)) == [1, 1]
    assert two_fires(rp, (3, 1, 1, 1), (3, 1, 1), options={"hit_before": "aim_point"}) == [1, 0]


def stray_to(rp, aim, first, die):
    scenario = rp.stage()
    vertex = scenario.frame.parse(aim)
    table = rp.play(scenario, (5, 3))
    table.submit(Answered("delays.command", Order.of("call", group="a", by="telephone")))
    table.submit(Answered("requests.cross_hair", Order.of("place", at=vertex)))
    table.submit(Thrown("initiative", (5, 4)))
    table.submit(Answered("delays.command", Order.of("other")))
    table.submit(Thrown("signal", (3, 3)))
    table.submit(Thrown("accuracy", (3,)))
    assert table.waits_for.question == "areas.spine"
    table.submit(Answered("areas.spine", Order.of("name", first=first)))
    table.submit(Thrown("error", (die,)))
    ((_, fall),) = rp.told(table, "fall")
    return fall["impact"], scenario


@pytest.mark.parametrize(
    ("aim", "first", "die", "hexes"),
    [
        ("N18/O19/N19", "W", 2, {"M19", "N18", "N19"}),  # the case of 7.244
        ("N18/O19/N19", "W", 3, {"N18", "O18", "O19"}),
        ("N18/O19/N19", "W", 6, {"N19", "O19", "O20"}),
        ("N18/O19/N19", "SE", 3, {"M19", "N18", "N19"}),  # W follows SE
        # These vertices are of the other kind, and this error leads back.
        ("M19/N18/N19", "E", 1, {"N18", "N19", "O19"}),
        ("M19/N18/N19", "E", 4, {"M19", "M20", "N19"}),
        ("M19/N18/N19", "E", 5, {"M18", "M19", "N18"}),
    ],
)
def test_rp_7_243_a_stray_goes_along_one_spine_clockwise_from_the_one_named(
    rp, aim, first, die, hexes
):
    impact, scenario = stray_to(rp, aim, first, die)
    assert {scenario.frame.label(cell) for cell in impact} == hexes


@pytest.mark.parametrize("aim", ["N18/O19/N19", "M19/N18/N19"])
def test_rp_7_243_every_die_of_every_naming_stays_on_a_spine(rp, aim):
    scenario = rp.stage()
    vertex = scenario.frame.parse(aim)
    for first in {"N18/O19/N19": ("NE", "SE", "W"), "M19/N18/N19": ("E", "SW", "NW")}[aim]:
        ends = [stray_to(rp, aim, first, die)[0] for die in (1, 3, 5)]
        assert len(set(ends)) == 3
        for end in ends:
            assert len(set(end) & set(vertex)) == 2
            assert scenario.frame.gap(vertex, end) == 1


def test_rp_7_243_only_a_spine_of_the_vertex_can_be_named(rp):
    scenario = rp.stage()
    view = seen(scenario, aim=scenario.frame.parse("N18/O19/N19"))
    question = scenario.questions["areas.spine"]
    assert question.judge(view, Order.of("name", first="E"), "a").cite == "7.243"
    assert not isinstance(question.judge(view, Order.of("name", first="W"), "a"), Refusal)


def stood_on(scenario, labels):
    """Return the scenario with identical German companies, one on each of these hexes."""
    (unit,) = scenario.units.values()
    units = {name: attrs.evolve(unit, place=scenario.frame.parse(name)) for name in labels}
    return attrs.evolve(scenario, units=units)


def test_rp_7_244_7_246_the_example_of_a_stray(rp):
    scenario = stood_on(rp.stage(), ("M19", "N18", "N19", "O19", "O18"))
    vertex = scenario.frame.parse("N18/O19/N19")

    def aims(view, mission):
        return Order.of("place", at=vertex)

    def west(view, mission):
        return Order.of("name", first="W")

    doctrine = {"requests.cross_hair": aims, "areas.spine": west}
    # The signal roll is 2 + 2, the accuracy die 3 and the error die 2; each unit attacked rolls 12
    # for its check.
    faces = (5, 3, 5, 4, 2, 2, 3, 2, *(6, 6) * 3, 1, 2)
    table = rp.play(scenario, faces, doctrine=doctrine)
    ((_, fall),) = rp.told(table, "fall")
    assert scenario.frame.label(fall["impact"]) == "M19/N18/N19"
    struck = sorted(event["unit"] for _, event in rp.told(table, "suffered"))
    assert struck == ["M19", "N18", "N19"]
    # An accurate round would have attacked O19 instead of M19.
    faces = (5, 3, 5, 4, 2, 2, 2, *(6, 6) * 3, 1, 2)
    table = rp.play(scenario, faces, doctrine=doctrine)
    assert sorted(event["unit"] for _, event in rp.told(table, "suffered")) == ["N18", "N19", "O19"]


def test_rp_7_245_three_hexes_are_covered_once_each_and_friends_too(rp):
    scenario = rp.stage()
    vertex = scenario.frame.parse("N18/O19/N19")
    view = seen(scenario, impact=vertex)
    areas = scenario.parts.areas
    covered = {cell: areas.covers(view, "a", cell, Fraction(0)) for cell in disc(vertex[0], 4)}
    assert {cell for cell, share in covered.items() if share} == set(vertex)
    assert {share for share in covered.values() if share} == {1}
    near = rp.stage(own_troops=OwnTroops(distance_m=20))
    table = rp.play(near, (5, 3, 5, 4, 1, 1, 1, 6, 6, 6, 6, 1, 2))
    assert sorted(event["unit"] for _, event in rp.told(table, "suffered")) == ["o.1", "t1.1"]
    assert rp.told(table, "fall")[0][1]["own_under_fire"]


def test_rp_7_245_a_hex_keeps_seven_ninths_of_the_fire_aimed_at_its_corner(rp):
    # The probability that the fire is on the aim point is 1/3. Otherwise it strays, and two of the
    # three spines border the hex: 1/3 + 2/3 * 2/3.
    found = rp.shares(rp.stage(), rp.First("fall", "on_target"), 4)
    assert found[True,] / (found[True,] + found[False,]) == Fraction(7, 9)


def test_rp_2_2_footprint_is_three_hexes_of_200_yards(rp):
    scenario = rp.stage()
    vertex = scenario.frame.parse("N18/O19/N19")
    cells, hectares = scenario.parts.areas.footprint(seen(scenario, impact=vertex), "a")
    assert set(cells) == set(vertex)
    # A hex is 200 yards across: 0.866025 * 182.88 m * 182.88 m = 28,964 m2.
    assert hectares == pytest.approx(3 * 2.8964, rel=1e-4)


def test_rp_7_245_beyond_the_map_nothing_is_hit(rp):
    scenario = rp.stage()
    corner = next(
        v
        for v in scenario.parts.areas.aim_at(scenario.frame.parse("A01"))
        if any(q < 0 for q, _ in v)
    )
    view = seen(scenario, impact=corner)
    shares = {
        scenario.frame.label(cell): scenario.parts.areas.covers(view, "a", cell, Fraction(0))
        for cell in corner
    }
    assert shares["A01"] == 1
    assert any(label.startswith("-") and share == 0 for label, share in shares.items())


def test_rp_5_3_7_247_the_marker_stays_until_administration(rp):
    table = rp.play(rp.stage(), (5, 3, 6, 1, 1, 1, 1, 6, 6, 5, 3))
    ((turn, _),) = rp.told(table, "fall")
    ended = rp.told(table, "ended")
    assert [at for at, _ in ended] == [turn] == [2]
    assert ended[0][1].cite == "5.3"
    # There are five couplets, but a group with its marker out is not called before the next turn.
    assert [at for at, _ in rp.told(table, "requested")] == [1]
    assert table.waits_for.question == "delays.command"


def test_rp_7_247_in_shorter_moments_the_marker_stays_ten_minutes(rp):
    # The null game's moments last five minutes, so the marker stays for two of them.
    scenario = rp.stage(parts={"delays": "null"})
    assert scenario.clock.minutes == 5
    table = rp.play(scenario, (6, 1, 6, 6, 6))
    moments = {
        kind: [turn for turn, _ in rp.told(table, kind)] for kind in ("fall", "lingering", "ended")
    }
    assert moments == {"fall": [1], "lingering": [1], "ended": [2]}


def test_rp_7_221_the_aim_wanted_is_a_corner_of_the_target_on_the_far_side(rp):
    scenario = rp.stage()
    target = scenario.missions["a"].target
    assert scenario.centre in target
    assert scenario.frame.label(scenario.centre) == "N18"
    assert {scenario.frame.label(cell) for cell in target} in (
        {"N18", "N19", "O19"},
        {"N18", "N19", "M19"},
    )


def test_rp_7_245_the_aim_covers_as_much_of_a_wide_target_as_can_be(rp):
    scenario = rp.stage(men=300, frontage_m=400, depth_m=250)
    places = {setup.place for setup in scenario.units.values()}
    assert len(places) == 5
    assert set(scenario.missions["a"].target) <= places


def test_severity_of_an_element_is_the_hand_computed_product(rp):
    # By runner, with one command a turn, there is one roll within four turns: 15 of 36. The
    # company's hex is hit in 7 of 9. Howitzers of 105 mm add 5 to the check of a dispersed company
    # in the open with cohesion 8: destroyed on 6 or more (26 of 36), dispersed and spent on 4 or 5
    # (7 of 36).
    scenario = rp.stage("runner", commands=1)
    found = Analysis(scenario, 4).severity()
    struck = Fraction(15, 36) * Fraction(7, 9)
    assert found[Severity.DESTROYED] == struck * Fraction(26, 36)
    assert found[Severity.SUPPRESSED] == struck * Fraction(7, 36)
