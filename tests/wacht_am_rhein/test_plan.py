"""The plan of fire: who may, who may not and why, which combinations, and exact chances counted by hand."""

from fractions import Fraction
from itertools import combinations, product

import attrs
import pytest

from fireplan_core import Order, Refusal
from fireplan_core.play import Answered, find_scenario
from fireplan_wacht_am_rhein.plan import plan

TENTH = Fraction(1, 10)


@pytest.fixture
def divisions(war):
    """The shipped scenario of two divisions."""
    return find_scenario(war.catalogue(), "wacht_am_rhein/two_divisions")[0]


def by_unit(found):
    return {one.unit: (one.refusal.cite, one.refusal.why) for one in found.may_not}


def test_12_1_6_a_plan_names_the_rule_and_the_number_that_fails(divisions):
    found = plan(divisions, "I-751", "3229")
    assert found.cite == "12.1.6a"
    assert {one.unit for one in found.may} == {"I-326-Art", "388-VAK", "402-VAK", "405-VAK", "51-Werfer"}
    assert by_unit(found) == {
        "I-277-Art": ("12.1.3", "I-277-Art: range 6 of 5"),
        "II-277-Art": ("12.1.5", "II-277-Art is of 277th-VGD, not of the observer's 326th-VGD"),
        "III-277-Art": ("12.1.2, 12.6.2", "III-277-Art is depleted"),
        "Moerser-1098": ("12.1.2, 12.6.2", "Moerser-1098 is depleted"),
    }


def test_12_1_6b_a_plan_keeps_out_units_that_fit_into_no_legal_combination(war):
    on = war.on_map(
        war.us("I-110", "3030"),
        war.ge("I-77", "3031"),
        war.ge("guns", "3034", factors=4, range=6),
        war.ge("korps", "3034", under="XLVII", factors=4, range=6),
        active=("GE",),
    )
    found = plan(on, "I-77", "3030")
    assert [one.unit for one in found.may] == ["guns"]
    assert by_unit(found) == {"korps": ("12.1.6b", "limit 0 of corps and army units reached: 1 asked")}
    assert [choice.fire for choice in found.choices] == [(("guns", 4),)]


def test_12_1_6a_a_plan_joins_neighbours_of_one_other_formation_alone(war):
    on = war.on_map(
        war.us("I-110", "3029", mode="prepared_assault"),
        war.us("own", "3027", factors=4, range=6),
        war.us("beside", "2930", under="106th", factors=4, range=6),
        war.us("opposite", "3130", under="9th-Armored", factors=5, range=6),
        war.ge("I-77", "3030"),
    )
    found = plan(on, "I-110", "3030")
    assert {tuple(name for name, _ in choice.fire) for choice in found.choices} == {
        ("beside",), ("opposite",), ("beside", "own"), ("opposite", "own"),
    }  # fmt: skip
    assert [(one.unit, one.counts) for one in found.may] == [("own", True), ("beside", False), ("opposite", False)]


@pytest.mark.parametrize(
    ("observer", "target", "cite"),
    [
        ("I-9", "3030", "12.1.6a"),
        ("II-9", "2831", "12.1.6b"),
        ("III-9", "2831", "12.1.6c"),
        ("I-393", "3231", "12.1.6c"),
        ("II-393", "3331", "12.1.6b, 12.1.6d"),
        ("A-9", "3131", "12.1.6e"),
        ("air:99th-Division", "3331", "12.1.6b, 12.1.6f"),
        ("", "3434", "12.1.6g"),
    ],
)
def test_12_1_6_the_shipped_scenario_has_an_observer_for_every_limit(divisions, observer, target, cite):
    found = plan(divisions, observer, target, most=1000)
    assert (found.refusal, found.cite) == (None, cite)
    assert found.legal == len(found.choices) > 0
    # Every combination is an order that the one judge takes, and no other set of able units is.
    able = {one.unit: one.factors for one in found.may}
    legal = {tuple(sorted(name for name, _ in choice.fire)) for choice in found.choices}
    outside = {one.unit for one in found.may if not one.counts}
    for size in range(1, len(able) + 1):
        for names in combinations(sorted(able), size):
            if outside <= set(names):
                fire = tuple((name, able[name]) for name in names)
                assert (judged(divisions, observer, target, fire) is None) is (names in legal)


def judged(scenario, observer, target, fire):
    from fireplan_core import View

    requests = scenario.parts.requests
    view = View(scenario.initial.get, scenario, "requests")
    order = Order.of("barrage", at=scenario.frame.parse(target), observer=observer, fire=fire)
    found = requests.questions()["requests.barrage"].judge(view, order, "us")
    return found if isinstance(found, Refusal) else None


@pytest.mark.parametrize(
    ("observer", "target", "cite"),
    [
        ("III-393", "3331", "12.1.6b"),
        ("II-9", "3331", "12.1.6"),
        ("", "3030", "12.1.6g"),
        ("air:2nd-Division", "3131", "12.1.6f"),
        ("I-9", "3029", "12.1.1"),
    ],
)
def test_12_1_6_a_plan_says_why_somebody_cannot_observe(divisions, observer, target, cite):
    found = plan(divisions, observer, target)
    assert found.refusal.cite == cite
    assert str(found.refusal) in found.render()


def test_12_3_3_a_plans_chances_are_those_counted_by_hand(war):
    on = war.on_map(
        war.us("I-110", "3029"),
        war.us("a", "3026", factors=4, range=6),
        war.us("b", "3026", factors=4, range=6),
        war.ge("I-77", "3030"),
    )
    best, *others = plan(on, "I-110", "3030").choices
    # Value 8 on three steps: a shift on 0-1, a hit on 2-3, both on 4-5, two on 6-8, two and a shift on 9.
    assert dict(best.results) == {
        (0, True): 2 * TENTH, (1, False): 2 * TENTH, (1, True): 2 * TENTH, (2, False): 3 * TENTH, (2, True): TENTH,
    }  # fmt: skip
    assert (best.hits, best.shift) == (Fraction(12, 10), Fraction(5, 10))
    # Dice of 8 and 9 exceed 7 by one and two.
    assert dict(best.depleted) == {0: 8 * TENTH, 1: TENTH, 2: TENTH}
    assert best.cost == 3 * TENTH
    assert [one.fire for one in others] == [(("a", 4),), (("b", 4),)]


def test_12_3_3_a_plan_agrees_with_the_exact_solution_of_the_barrage_itself(war):
    def on(option):
        return war.on_map(
            war.us("I-110", "3029"),
            war.us("a", "3026", factors=20, range=6),
            war.ge("I-77", "3030"),
            war.ge("II-77", "3030"),
            options={"density": option},
        )

    @attrs.frozen
    class Result:
        kinds: frozenset = frozenset({"final_result"})
        initial: object = None

        def see(self, state, event, moment):
            return state or (event["hits"], event["shift"])

        def settled(self, state):
            return state is not None

    means = []
    for option in ("at_start", "per_volley"):
        (choice,) = plan(on(option), "I-110", "3030").choices
        assert choice.volleys == (8, 8, 4)
        assert dict(war.Analysis(on(option), 1).solve(Result()).shares) == dict(choice.results)
        means.append(choice.hits)
    assert means[1] < means[0]  # fewer steps are a harder target: counted anew, density falls with each hit


def test_12_1_4_a_plan_follows_the_table_in_play(war):
    on = war.on_map(
        war.us("I-110", "3029", sees=(war.hex("3031"),)),
        war.us("a", "3026", factors=8, range=6),
        war.ge("I-77", "3030"),
        war.ge("II-77", "3031"),
    )
    table = war.Play(on, faces=[0, 0])
    table.until("requests.barrage")
    table.barrage({"a": 5}, at=war.hex("3030"), observer="I-110")
    table.until("requests.declare")
    (left,) = plan(on, "I-110", "3031", read=table.table.read).may
    assert left.factors == 3
    table.table.submit(Answered("requests.declare", Order.of("pass")))


def test_a_plan_is_text_and_frozen(divisions):
    found = plan(divisions, "I-9", "3030")
    text = found.render()
    assert text.splitlines()[0] == "I-9 observing 3030, limit by 12.1.6a, depletion value 7"
    assert "may not  142-FG: range 8 of 7 [12.1.3]" in text
    assert "10 of 255 legal combinations, best first:" in text
    assert [choice.hits for choice in found.choices] == sorted((c.hits for c in found.choices), reverse=True)
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        found.observer = "II-9"
    for choice, shares in product(found.choices, ("results", "depleted")):
        assert sum(share for _, share in getattr(choice, shares)) == 1
