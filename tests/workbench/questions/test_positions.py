"""Positions in Python: built, read, recorded and asked, and every fault of a question at once."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import pytest

import fireplan as fp
from fireplan.questions import position as opening_positions
from fireplan.questions.opening import catalogue
from fireplan.table import begin, make_head
from fireplan_core import Ask, Order
from fireplan_core.play import Catalogue


@pytest.fixture(scope="module")
def village():
    return fp.position(
        "asl/village", turn=2, a={"stage": "requested", "contact": True, "pile": {"red": 1}}
    )


def test_a_position_prints_as_its_line_and_is_read_back(village):
    assert village.moment == "turn 2 PFPh"
    assert village.line == 'fp1 asl/village "turn 2 PFPh" a{stage=requested red=1 contact}'
    assert fp.position(village.line) == village
    assert village["a", "red"] == 1
    assert village["a", "contact"] is True
    guns = fp.position("woods", game="asl", guns=24)
    assert fp.position(guns.line) == guns != fp.position("woods", game="asl")


def test_a_position_with_a_changed_chart_cell_is_read_back():
    changed = fp.position("asl/village", set={"asl.ift[fp12][7]": "1MC"})
    assert fp.position(changed.line) == changed != fp.position("asl/village")


def test_a_fault_in_a_line_is_named_by_its_first_character_counted_from_1():
    line = "fp1 asl/village a{contact}"
    with pytest.raises(fp.InputError, match=f"at character {len(line) + 1}, after "):
        fp.position(f"{line}}}")


def test_a_curve_ends_with_the_chance_of_delivery(village):
    found = village.odds(by="turn 3")
    assert (
        found.curve[-1][1]
        == found.answer.measures["delivered"].value
        == village.chance("fall", by="turn 3").chance
    )
    assert found.until == "turn 3 DFPh"


def test_a_chit_that_is_known_has_its_share_of_the_pile():
    ready = fp.position(
        "fp1 asl/village a{stage=requested contact black=7 red=3} > delays.access(a)"
    )
    drawn = ready.given(access="red").chance("fall", by=1)
    assert drawn.condition_chance == Fraction(3, 10)
    assert drawn.chance == 0


def test_dice_already_given_condition_the_roll():
    before = fp.position("fp1 asl/village a{stage=requested} > delays.radio(a)")
    shares = [
        fp.position(f"{before.line} | {face}").chance("contact", by=1).chance
        for face in range(1, 7)
    ]
    assert sum(shares) / 6 == before.chance("contact", by=1).chance
    assert shares == sorted(shares, reverse=True)
    both = fp.position(f"{before.line} | 4").given(contact=fp.dice(4, 2)).chance("contact", by=1)
    assert (both.condition_chance, both.chance) == (Fraction(1, 6), 1)


def test_fire_called_for_late_is_as_sure_as_fire_called_for_at_the_opening():
    """No rule of this mission depends on the turn."""
    early = fp.position("fp1 asl/village a{stage=requested}")
    late = early.having(moment=20)
    assert late.chance("fall", by=24).chance == early.chance("fall", by=4).chance > 0
    assert (
        late.odds(by=24).answer.measures["delivered"].value
        == early.odds(by=4).answer.measures["delivered"].value
    )


def test_odds_watch_as_many_moments_as_are_asked_for():
    def delivered(found):
        return found.answer.measures["delivered"].value

    watched = [delivered(fp.odds("asl/village", moments=number)) for number in (3, 4)]
    assert watched[0] == delivered(fp.position("asl/village").odds(by=3))
    assert watched[0] < watched[1]


def test_a_given_total_keeps_only_its_rolls():
    """C1.2 rolls two dice: five of their 36 results make six."""
    thrown = fp.position("fp1 asl/village a{stage=requested} > delays.radio(a)")
    assert thrown.given(contact=6).chance("contact", by=1).condition_chance == Fraction(5, 36)


def test_given_a_lost_battery_it_stays_lost(village):
    def lost(position):
        return position.odds(by=4).answer.measures["exhausted"].value

    assert lost(village.given(ended={"reason": "lost"})) == 1
    assert 0 < lost(village) < 1


def test_fire_of_the_first_moment_falls_at_its_end():
    """A turn of Wacht am Rhein has 270 minutes, and fire falls in the first."""
    first = fp.odds(game="wacht_am_rhein", minutes=4).answer.measures["minutes_to_first_effect"]
    assert first.distribution == ((270, 1),)


def test_dice_of_a_throw_are_not_taken_along_to_another_moment():
    thrown = fp.position("fp1 asl/village a{stage=requested} > delays.radio(a) | 4")
    assert "| 4" in thrown.having(a={"red": 1}).line
    assert "|" not in thrown.having(moment=3).line


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"moment": -1}, "there is no moment -1"),
        ({"moment": 10_000}, "there is no moment 10000"),
        ({"a": {"black": -1}}, "expected 0 to 99, got -1"),
        ({"a": {"black": 100}}, "expected 0 to 99, got 100"),
    ],
)
def test_numbers_have_a_lower_and_an_upper_bound(wrong, said):
    with pytest.raises(fp.InputError, match=said):
        fp.position("asl/village", **wrong)


def test_a_sample_is_near_the_exact_answer(village):
    exact, drawn = (
        village.chance("fall", by="turn 3"),
        village.chance("fall", by="turn 3", sample=400),
    )
    assert abs(float(drawn) - float(exact)) < 5 * drawn.error(True)
    assert not drawn.exact
    assert "standard error" in str(drawn)


def test_how_often_is_asked_with_bounds(village):
    never = village.chance(fp.happens("fall", least=0, most=0), by="turn 3")
    twice = village.chance(fp.happens("fall", least=2), by="turn 3")
    once = village.chance(fp.happens("fall", least=1, most=1), by="turn 3")
    assert never.chance + once.chance + twice.chance == 1
    assert min(never.chance, once.chance, twice.chance) > 0


def test_expectations_are_means_of_the_field(village):
    red = village.distribution(lambda end: end["a", "red"], by="turn 3")
    assert village.expect(lambda end: end["a", "red"], by="turn 3") == sum(
        n * red[n] for n in red.shares
    )


def test_a_playthrough_is_as_long_as_its_inputs_and_every_position_goes_on():
    told = fp.load("asl/behind_the_ridge")
    positions = told.positions
    assert len(positions) == len(told) + 1
    assert [told.at(number) for number in (0, 7, len(told))] == [
        positions[number] for number in (0, 7, -1)
    ]
    assert positions[0].chance("fall", by=3) == fp.position("asl/ridge").chance("fall", by=3)


def test_a_journal_has_its_dice_and_orders(tmp_path):
    path = tmp_path / "mission.fireplan"
    session = begin(path, Catalogue.installed(), make_head(catalogue(), "asl/village", None, {}))
    while isinstance(session.table.waits_for, Ask):
        session.order(
            session.table.rulebook.answer(session.table.waits_for, {}, session.table.read)
        )
    session.face(2, typed=True)
    session.journal.close()
    recorded = fp.load(path)
    assert recorded.at(0).moment == "turn 1 PFPh"
    assert recorded.at(len(recorded)).line.endswith("| 2")


def test_every_fault_of_a_position_or_question_is_reported(village, tmp_path):
    asset, units = {"contcat": True, "red": 300}, {"1st sqad": "broken"}
    with pytest.raises(fp.InputError) as error:
        fp.position("asl/village", a=asset, units=units, ground={"K5": {"x": 1}})
    assert len(error.value.faults) == 4
    assert "did you mean contact?" in str(error.value)
    asks = {
        "Did you mean 'fall'": lambda: village.chance("fal"),
        "Did you mean 'access'": lambda: village.given(acces="red"),
        "There is no severity 'destroid'. Did you mean 'destroyed'": lambda: village.chance(
            fp.happens("suffered", severity="destroid"), by=5
        ),
        "Did you mean '1st squad'": lambda: village.given(suffered={"unit": "1st squd"}).chance(
            "fall", by=5
        ),
        "Only numbers have an expected value": lambda: village.expect(
            lambda end: end["a", "stage"], by=3
        ),
        "there is no moment 'turn x'": lambda: fp.position("asl/village", turn="x"),
        "turn: the moment is already given": lambda: fp.position(
            "asl/village", turn=2, moment="turn 3 PFPh"
        ),
        "Did you mean 'on_target'": lambda: village.chance(fp.happens("fall", on_tagret=True)),
        "Did you mean 'broken'": lambda: village.distribution(
            lambda end: end["1st squad", "brokn"], by="turn 3"
        ),
        "there is no moment 'turm 4'": lambda: village.odds(by="turm 4"),
        "by: expected 3 to": lambda: village.odds(by=1),
        "cannot be met in the time considered": lambda: village.given(repair=1).chance(
            "fall", by=3
        ),
        "expected 2 dice, got 3": lambda: village.given(contact=fp.dice(1, 2, 3)).chance(
            "fall", by=3
        ),
        "expected 0 to": lambda: fp.load("asl/behind_the_ridge").at(1000),
        "no such file": lambda: fp.load(tmp_path / "none.fireplan"),
        "Did you mean 'asl/behind_the_ridge'": lambda: fp.load("behind_the_rigde"),
    }
    for words, ask in asks.items():
        with pytest.raises(fp.InputError, match="(?s).*".join(words.split(" ... "))):
            ask()
    with pytest.raises(fp.InputError) as error:
        village.given(acces="red", conact=3)
    assert len(error.value.faults) == 2


def test_an_oversized_question_suggests_how_to_reduce_it(village, monkeypatch):
    monkeypatch.setattr("fireplan.solver.states.MAX_WALKED", 500)
    with pytest.raises(fp.InputError, match=r"too large to be solved exactly.*sample=1000"):
        village.chance("fall", by="turn 6")


@pytest.mark.parametrize(
    ("opening", "kind", "roll"),
    [
        ("asl/village", "falling_rubble", "terrain_check"),
        ("miniatures_1943/chits_in_hand", "terrain_lost", "area_weapons"),
        ("wacht_am_rhein/crossroads", "overkill", "volleys"),
        ("red_poppies/cut_wires", "initiative", "signal"),
    ],
)
def test_every_event_and_roll_that_a_game_has_words_for_can_be_asked_for(opening, kind, roll):
    asked = fp.position(opening).given(fp.happens(kind), **{roll: 1})
    assert [str(one) for one in asked.conditions]


def test_stories_print_the_likeliest_first(village):
    found = village.stories(5, by=4)
    told = str(found).splitlines()
    assert len(told) == len(found) + 1
    assert told[1].endswith(found[0].lines[-1])
    assert found.to_dict()["drawn"] == 5


def test_orders_are_not_events(village):
    with pytest.raises(fp.InputError, match="There is no event"):
        village.chance(str(Order.of("correct")))


def test_every_fault_of_a_position_is_reported_at_once():
    with pytest.raises(fp.InputError) as refused:
        fp.position("woods", game="asl", guns=0, truns=3, a={"contcat": True})
    assert len(refused.value.faults) == 3
    told = str(refused.value)
    assert "guns: expected a whole number from 1 to 500, got 0" in told
    assert "no word 'truns'. Did you mean 'turn'?" in told
    assert "did you mean contact?" in told


def test_facts_of_an_engagement_have_one_name_in_python_and_in_a_line():
    said = fp.position("woods", game="asl", guns=24, own_troops=None, range=9000)
    assert said.line == "fp1 woods@asl(guns=24 own_troops=none range=9000)"
    assert fp.position(said.line) == said


def test_pairs_of_small_numbers_are_not_places_and_places_are_labels(village):
    both = village.distribution(lambda end: (end["a", "red"], end["a", "black"]), by="turn 2")
    assert all(isinstance(number, int) for pair in both.shares for number in pair)
    assert {row["value"] for row in both.rows()} == {
        f"{red}; {black}" for red, black in both.shares
    }
    lies = village.distribution(lambda end: end["a", "round"], by="turn 3").shares
    assert "K5" in lies
    assert None in lies


# --- rulings ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["asl/village", "asl/ridge", "wacht_am_rhein/crossroads"])
def test_may_fire_agrees_with_the_legal_orders(name):
    there = fp.position(name)
    table = there.at.table()
    assert isinstance(table.waits_for, Ask)
    legal = {form.verb for form in there.legal().forms if form.orders}
    told = there.may_fire(table.waits_for.args[0])
    assert {verb for verb, why_not in told.items() if why_not is None} == legal
    assert all(why_not is None or "[" in why_not for why_not in told.values())


def test_c1_2_a_contact_throw_is_that_of_two_dice_against_eight():
    asked = fp.position("asl/village", a={"stage": "requested"})
    shares = {one.events[-1].kind: one.chance for one in asked.throw("contact", "a")}
    assert shares == {
        "contact": Fraction(26, 36),
        "no_contact": Fraction(9, 36),
        "set_breaks": Fraction(1, 36),
    }


def test_7_23_a_signal_throw_waits_for_a_primed_group():
    pinon = fp.position("red_poppies/battle_for_pinon")
    with pytest.raises(fp.InputError, match="no throw 'signal'"):
        pinon.throw("signal", "75s")
    primed = pinon.having(
        assets={"75s": {"stage": "delayed", "hourglass": 0, "aim": "AT05/AU05/AU06"}}
    )
    assert sum(one.chance for one in primed.throw("signal", "75s")) == 1


def test_an_unseen_place_has_its_rule():
    hazy = fp.position("asl/village", ground={"J5": {"smoke": 3}, "I6": {"smoke": 3}})
    assert (hazy.sees("a", "K5").ground, hazy.sees("a", "K5").why) == (True, "")
    assert (hazy.sees("a", "L5").rule, hazy.sees("a", "L5").why) == (
        "C1.62",
        "the Hindrances add up to 6",
    )
    assert fp.position("asl/village").sees("a", "L5").rule == "C1.6"  # L5 is behind the house
    for opening, asset, place, rule in (
        ("wacht_am_rhein/two_divisions", "us", "0101", "12.1.6g"),
        ("miniatures_1943/chits_in_hand", "american barrage 1", "5000,5000", "6.2.b"),
    ):
        sight = fp.position(opening).sees(asset, place)
        assert not sight.ground
        assert rule in sight.rule
        assert sight.why


def test_a_strike_on_an_empty_place_has_no_effect():
    nobody = fp.position("red_poppies/battle_for_pinon").attack("75s", "AT06")
    assert [(one.chance, one.events) for one in nobody] == [(1, ())]


def test_lies_returns_the_ground_that_was_set():
    ground = {"K5": {"smoke": 3}, "L6": {"smoke": 2}}
    assert fp.position("asl/village", ground=ground).lies() == ground
    assert fp.position("asl/village").lies() == {}


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"units": "broken"}, "units: expected names with values, got 'broken'"),
        ({"a": 3}, "a: expected names with values, got '3'"),
        ({"moment": 1.5}, "there is no moment 1.5"),
        ({"turns": 3}, "no word 'turns'. Did you mean 'turn'"),
    ],
)
def test_unusual_spellings_are_refused(said, told):
    with pytest.raises(fp.InputError) as refused:
        fp.position("asl/village", **said)
    assert told in str(refused.value)


@pytest.mark.parametrize("by", ["turn", "turn 99999", 2.5])
def test_a_time_that_never_ends_or_comes_is_refused(village, by):
    with pytest.raises(fp.InputError, match="there is no moment"):
        village.chance("fall", by=by)


def test_bounds_that_nothing_can_meet_are_refused(village):
    with pytest.raises(fp.InputError, match="expected bounds from 0 up, got 3 to 1"):
        village.chance(fp.happens("fall", least=3, most=1), by="turn 3")


@pytest.mark.parametrize(
    "name",
    [
        "asl/access_kept_without_counter",  # a user's own scenario, with an option
        "asl/creeping",  # a shipped scenario with the name of the playthrough
        "miniatures_1943/only_dummies",
        "red_poppies/bomb_stop",
        "wacht_am_rhein/next_to_the_enemy",
    ],
)
def test_a_position_of_a_shipped_playthrough_is_a_line_that_anybody_can_read(name, monkeypatch):
    told = fp.load(name).at()
    # Empty the cache, as it is in another program.
    monkeypatch.setattr(
        opening_positions, "_sources_with", cache(opening_positions._sources_with.__wrapped__)
    )
    read = fp.position(told.line)
    assert read.line == told.line
    assert read.at.state == told.at.state
    assert read.at.scenario.title == told.at.scenario.title


@pytest.mark.parametrize(
    "line",
    [
        "fp1 wacht_am_rhein/crossroads table{asked=[us]} > requests.replenish(ge I-no26-Art US)",
        "fp1 asl/village | 4",
    ],
)
def test_a_position_that_cannot_continue_is_refused_when_read(line):
    with pytest.raises(fp.InputError, match="the rules cannot go on from here: "):
        fp.position(line)


def test_7_12_a_bombardment_throw_is_asked_for_where_other_steps_cannot_be_reached():
    found = fp.position("red_poppies/combined_arms_assault").throw("bombardment", "bombardment")
    assert [row.chance for row in found] == [Fraction(5, 6), Fraction(1, 6)]


def test_empty_changes_of_assets_are_allowed_and_lists_are_refused(village):
    assert village.having(assets=None, units=None).line == village.line
    with pytest.raises(fp.InputError, match="assets: expected names with values"):
        village.having(assets=["a"])


def test_an_option_called_none_needs_no_quotes():
    pytest.importorskip(
        "fireplan_battlegroup_clash", reason="the game is in requirements-games.txt"
    )
    bare = fp.position("fp1 battlegroup_clash/causeway(option:ew=none)")
    assert bare == fp.position('fp1 battlegroup_clash/causeway(option:ew="none")')
    assert fp.position(bare.line) == bare


def test_a_list_of_the_wrong_shape_is_refused_with_the_right_one():
    pytest.importorskip(
        "fireplan_battlegroup_clash", reason="the game is in requirements-games.txt"
    )
    with pytest.raises(
        fp.InputError, match=r"such as \[\[a name, a name, \[a whole number, \.\.\.\]"
    ):
        fp.position("battlegroup_clash/forest_edge", table={"out": [("etx", "etx", ["A"], 1)]})
