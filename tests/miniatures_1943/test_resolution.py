"""The Area Weapons Chart: chances by hand, modifiers, which bases roll and how often, and how they
are placed.
"""

from fractions import Fraction
from itertools import combinations

import pytest

from fireplan.solver import Analysis, WorstSeverity, own_troops_under_fire, sample, solve
from fireplan_core import Order, Severity, View
from fireplan_core.chance import RandomFaces
from fireplan_core.files import FileError
from fireplan_core.play import Table, play_out, replay
from fireplan_core.space import PlaneRectangle
from fireplan_miniatures_1943.bases import spread
from fireplan_miniatures_1943.charts import read_area_weapons
from fireplan_miniatures_1943.geometry import rectangles_touch

SIXTH = Fraction(1, 6)


def once(scenario):
    """Return the shares (removed, disrupted) of one barrage, which must reach every base."""
    shares = Analysis(scenario, 3).severity()
    assert sum(shares.values()) == 1
    return shares[Severity.DESTROYED], shares[Severity.SUPPRESSED]


# The number of faces that remove (k: 6 or more after the modifiers) and that disrupt (d: 5).
@pytest.mark.parametrize(
    ("posture", "cover", "k", "d"),
    [
        ("standing", "open", 2, 1),  # with +1, 5 and 6 remove (33 %) and 4 disrupts
        ("moving", "open", 2, 1),
        ("prone", "open", 1, 1),  # with +1 and -1, 6 removes (17 %) and 5 disrupts
        ("dug_in", "open", 1, 1),
        ("standing", "buildings", 1, 1),
        ("standing", "trench", 1, 1),
        ("prone", "buildings", 0, 1),  # with +1, -1 and -1, no face removes (0 %) and 6 disrupts
        ("dug_in", "trench", 0, 1),
        ("standing", "woods", 2, 1),
        ("prone", "woods", 1, 1),
    ],
)
def test_6_3_b_modifiers_add_together(stage, engage, posture, cover, k, d):
    scenario = stage(engage(target={"posture": posture, "cover": cover}), supply="used up")
    assert once(scenario) == (k * SIXTH, d * SIXTH)


def test_6_3_c_prone_and_dug_in_count_once(stage, engage):
    prone = stage(engage(target={"posture": "prone"}), supply="used up")
    dug_in = stage(engage(target={"posture": "dug_in"}), supply="used up")
    assert once(prone) == once(dug_in)


def test_6_3_d_hard_cover_is_buildings_and_trenches(stage, engage):
    def hard(cover):
        scenario = stage(engage(target={"cover": cover}))
        return scenario.units["base 1"].slots["resolution"].hard_cover

    assert [hard(cover) for cover in ("open", "woods", "buildings", "trench")] == [
        False,
        False,
        True,
        True,
    ]


def test_6_3_e_woods_are_never_hard_cover(stage, engage):
    woods = stage(engage(target={"posture": "standing", "cover": "woods"}), supply="used up")
    opened = stage(engage(target={"posture": "standing", "cover": "open"}), supply="used up")
    assert once(woods) == once(opened) == (2 * SIXTH, SIXTH)


@pytest.mark.parametrize(("cover", "k"), [("open", 1), ("trench", 0)])
def test_6_3_f_bases_that_are_not_personnel_lack_its_modifier(stage, engage, with_facts, cover, k):
    scenario = stage(engage(target={"posture": "standing", "cover": cover}), supply="used up")
    assert once(with_facts(scenario, personnel=False)) == (k * SIXTH, SIXTH)


def test_6_3_a_option_leaves_disruption_out(stage, engage):
    scenario = stage(engage(target={"posture": "standing"}), supply="used up", d_results=False)
    assert once(scenario) == (2 * SIXTH, 0)


def test_6_3_a_each_modifier_is_shown_with_its_rule(stage, play, engage):
    scenario = stage(engage("american", target={"men": 20, "posture": "prone", "cover": "trench"}))
    told = [e.event for e in play(scenario, 2).log if e.event.kind == "modifier"]
    assert [(event.cite, event["value"]) for event in told] == [
        ("6.3.c", -1),
        ("6.3.d, 6.3.e", -1),
        ("6.3.f", 1),
    ]


# --- which bases roll ---------------------------------------------------------------------------
def throws(table):
    return sum(type(given).__name__ == "Thrown" for given in table.journal)


@pytest.mark.parametrize(("distance", "bases"), [(100, 8), (400, 6)])
def test_6_2_e_bases_of_both_sides_roll(stage, play, engage, distance, bases):
    # 120 men are 6 bases; the firer's own 40 men are 2 more if they are within reach.
    scenario = stage(engage("american", own_m=distance))
    assert throws(play(scenario, 2)) == bases
    shares = Analysis(scenario, 2).solve(own_troops_under_fire()).shares
    assert shares == {distance == 100: 1}


def test_6_2_e_every_base_rolls_its_own_die(stage, play, seen, engage):
    scenario = stage(engage("american", target={"posture": "prone"}))
    table = play(scenario, 2, face=[6, 5, 4, 1, 5, 6])
    worst = {fields["unit"]: fields["severity"] for _, fields in seen(table, "suffered")}
    assert worst == {
        "base 1": Severity.DESTROYED,
        "base 2": Severity.SUPPRESSED,
        "base 5": Severity.SUPPRESSED,
        "base 6": Severity.DESTROYED,
    }


def test_6_2_g_a_base_rolls_once_for_a_barrage_that_stays(stage, play, engage):
    assert throws(play(stage(engage("american"), duration_turns=3), 4)) == 6


def test_6_2_g_two_barrages_ask_two_rolls(stage, play, engage):
    scenario = stage(engage("american"), assets=("barrage 1", "barrage 2"), supply="used up")
    assert throws(play(scenario, 2)) == 12
    # Prone personnel: removed unless both dice are below 6; unharmed only if both are below 5.
    assert once(scenario) == (1 - Fraction(5, 6) ** 2, Fraction(5, 6) ** 2 - Fraction(4, 6) ** 2)


def test_6_2_g_barrages_side_by_side_strike_each_its_own_bases(stage, play, engage):
    # The blind barrages are 200 yards to either side: with a reach of 80 yards they miss the
    # target's middle.
    what = engage("american", target={"men": 20}, observer={"sight": "none"})
    at = {"barrage 1": (-200, 0), "barrage 2": (0, 0)}
    orders = {"requests.marker": lambda _, m: Order.of("mark", at=at[m])}
    assert throws(play(stage(what, assets=tuple(at)), 2, orders=orders)) == 1


def test_6_2_e_a_removed_base_rolls_no_more(stage, play, seen, engage):
    scenario = stage(engage("american"), assets=("barrage 1", "barrage 2"))
    table = play(scenario, 2, face=6)
    assert throws(table) == 6
    assert len(seen(table, "suffered")) == 6


def test_6_2_e_exact_sampled_and_played_agree(stage, engage):
    scenario = stage(engage("german", target={"posture": "standing"}, own_m=120), supply="renewed")
    analysis = Analysis(scenario, 9)
    assert analysis.separable
    # With one box barrages fall in turns 3, 6 and 9. Each removes on 5 or 6 and disrupts on 4.
    exact = analysis.severity()
    assert exact[Severity.DESTROYED] == 1 - Fraction(4, 6) ** 3
    assert exact[Severity.NONE] == Fraction(3, 6) ** 3
    (drawn,) = sample(analysis.compiler, [WorstSeverity("base 1")], 9, 1500, seed=4)
    for severity in (Severity.NONE, Severity.SUPPRESSED, Severity.DESTROYED):
        assert abs(drawn.share(severity) - float(exact[severity])) < 4 * drawn.error(severity)
    table = play_out(Table(scenario, 9), RandomFaces(2))
    assert replay(scenario, 9, table.journal).state == table.state


def test_6_2_e_separate_places_give_the_joint_answer(stage, engage):
    analysis = Analysis(stage(engage("american", target={"men": 40})), 4)
    whole = solve(analysis._explored(apart=False), WorstSeverity("base 2"), 4).shares
    assert {s: p for s, p in analysis.unit_severities()["base 2"].items() if p} == dict(whole)


# --- bases on the table ---------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("men", "frontage", "depth"),
    [(120, 150, 100), (200, 100, 100), (600, 400, 300), (20, 10, 10), (55, 200, 30)],
)
def test_6_2_e_the_target_is_bases_of_20_men_that_do_not_overlap(
    stage, engage, men, frontage, depth
):
    scenario = stage(engage(target={"men": men, "frontage_m": frontage, "depth_m": depth}))
    units = scenario.units.values()
    assert sum(unit.strength for unit in units) == men
    assert sorted((unit.strength for unit in units), reverse=True)[:-1] == [20] * (len(units) - 1)
    # The rectangles are a yard smaller than the real bases, because places are rounded.
    bases = [PlaneRectangle(unit.place, (0, -1), length=19, width=39) for unit in units]
    assert not any(rectangles_touch(a, b) for a, b in combinations(bases, 2))
    for unit in units:
        assert abs(unit.place[0]) * 0.9144 <= frontage / 2
        assert abs(unit.place[1]) * 0.9144 <= depth / 2
    assert not any("overlap" in note for note in scenario.provenance)


def test_6_2_e_a_target_too_dense_for_its_bases_is_noted(stage, engage):
    scenario = stage(engage(target={"men": 600, "frontage_m": 100, "depth_m": 50}))
    assert any("overlap" in note for note in scenario.provenance)


def test_6_2_e_six_bases_form_two_rows_of_three():
    points, fit = spread(6, Fraction(150), Fraction(100), (Fraction(37), Fraction(19)))
    assert fit
    assert points == ((-50, -25), (0, -25), (50, -25), (-50, 25), (0, 25), (50, 25))


# --- the chart's file -----------------------------------------------------------------------------
GOOD = """
provenance = "printed"
[modifiers]
prone = -2
hard_cover = -1
personnel = 0
[result]
3 = "none"
4 = "K"
"""


def charts(tmp_path, text):
    file = tmp_path / "chart.toml"
    file.write_text(text, encoding="utf-8")
    return read_area_weapons(file)


def test_6_3_a_a_printed_chart_takes_the_place_of_ours(stage, engage, tmp_path):
    ours = {"area_weapons": charts(tmp_path, GOOD)}
    scenario = stage(engage(target={"posture": "prone"}), charts=ours, supply="used up")
    assert once(scenario) == (SIXTH, 0)  # with -2, only a 6 makes 4
    assert not any("Area Weapons" in note for note in scenario.provenance)


def test_6_3_a_ours_is_noted(stage):
    assert any("Area Weapons Chart is reconstructed" in note for note in stage().provenance)


def test_6_3_a_a_chart_with_faults_is_refused_with_all_of_them(tmp_path):
    text = """
provenance = "guessed"
[modifiers]
prone = "-1"
personnel = 1
woods = -1
[result]
4 = "X"
"""
    with pytest.raises(FileError) as caught:
        charts(tmp_path, text)
    faults = str(caught.value).splitlines()
    for fault in (
        '"guessed"',
        "woods: unknown key",
        'prone: expected a whole number, got "-1"',
        "hard_cover",
        '"X"',
    ):
        assert any(fault in found for found in faults), (fault, faults)
    assert len(faults) == 5
    with pytest.raises(FileError, match="roll 5 has no result"):
        charts(tmp_path, GOOD.replace("4 =", "6 ="))
    for wrong in ("four", "4.5", "", "٤", "999999999"):
        with pytest.raises(FileError, match="one is not a whole number of at most two digits"):
            charts(tmp_path, GOOD.replace("4 =", f'"{wrong}" ='))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "die = ",
        "modifiers = 3\nresult = [1]\n",
        "[[result]]\nmin = -9999999999\nresult = 'K'\n[[result]]\nmax = 1\n",
    ],
)
def test_6_3_a_an_empty_or_unreadable_chart_is_refused(tmp_path, text):
    with pytest.raises(FileError):
        charts(tmp_path, text)


@pytest.mark.parametrize(
    ("posture", "prone", "dug_in"),
    [
        ("standing", False, False),
        ("prone", True, False),
        ("dug_in", False, True),
        ("prone_dug_in", True, True),
    ],
)
def test_6_3_c_a_base_is_prone_or_dug_in_or_both_and_that_is_one_modifier(
    lay, a_base, posture, prone, dug_in
):
    bases = (a_base("gun", "blue", 0, 0, posture=posture), a_base("spotter", "red", 0, -300))
    scenario = lay(bases=bases)
    base = scenario.units["gun"].slots["resolution"]
    assert (base.prone, base.dug_in) == (prone, dug_in)
    drms = [
        modifier.value(View(scenario.initial.get, scenario, "resolution"), "a", "gun")
        for modifier in scenario.modifiers
        if modifier.summary == "target prone"
    ]
    assert drms == [-1 if prone or dug_in else 0] * len(drms) != []
