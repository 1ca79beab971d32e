"""Whole barrages: which units may fire together and why not, and exact chances counted by hand."""

from fractions import Fraction
from itertools import chain, combinations

import attrs
import pytest

from fireplan_core import Order, Refusal, View
from fireplan_core.play import find_scenario

TENTH = Fraction(1, 10)


@pytest.fixture
def divisions(war):
    """Return the shipped scenario with two divisions."""
    return find_scenario(war.catalogue(), "wacht_am_rhein/two_divisions")[0]


def declaring(scenario, side, read=None):
    """Return the barrages that a side can declare at the opening, or in a state."""
    return scenario.parts.requests.declaring(
        View(read or scenario.initial.get, scenario, "requests"), side
    )


def judged(scenario, side, observer, target, fire, read=None):
    """Return the refusal of a barrage, or None."""
    view = View(read or scenario.initial.get, scenario, "requests")
    order = Order.of(
        "barrage",
        at=scenario.frame.parse(target),
        observer=observer,
        fire=tuple(sorted(fire.items())),
    )
    found = scenario.parts.requests.questions()["requests.barrage"].judge(view, order, side)
    return found if isinstance(found, Refusal) else None


def left(scenario, side, target):
    """Return the factors that each artillery unit has left."""
    return {
        gun.unit.name: gun.left
        for gun in declaring(scenario, side).guns(scenario.frame.parse(target))
    }


def alone(scenario, side, observer, target):
    """Return why each artillery unit may not fire alone with all it has left, or None if it may."""
    each = left(scenario, side, target).items()
    found = {
        name: judged(scenario, side, observer, target, {name: factors}) for name, factors in each
    }
    return {name: refusal and (refusal.cite, refusal.why) for name, refusal in found.items()}


def legal(scenario, side, observer, target):
    """Return every set of units that may fire together with all the factors they have left."""
    factors = left(scenario, side, target)
    able = [
        name
        for name, why in alone(scenario, side, observer, target).items()
        if why is None or "limit" in why[1]
    ]
    able += [
        name
        for name in factors
        if name not in able and _joins(scenario, side, observer, target, name)
    ]
    sets = chain.from_iterable(combinations(sorted(able), size) for size in range(1, len(able) + 1))
    return {
        s
        for s in sets
        if judged(scenario, side, observer, target, {one: factors[one] for one in s}) is None
    }


def _joins(scenario, side, observer, target, name):
    """Return whether a unit may join a barrage of the observer's formation."""
    at = scenario.frame.parse(target)
    judge, guns = (
        declaring(scenario, side).judge(at, observer),
        declaring(scenario, side).guns(at, [name]),
    )
    return judge.refuse_unit(guns[0], guns[0].left) is None


def test_12_1_6_the_rule_and_the_number_that_fails(divisions):
    found = alone(divisions, "ge", "I-751", "3229")
    barred = {"I-277-Art", "II-277-Art", "III-277-Art", "Moerser-1098"}
    assert {name: found[name] for name in barred} == {
        "I-277-Art": ("12.1.3", "I-277-Art is 6 hexes away; its range is 5"),
        "II-277-Art": (
            "12.1.5",
            "II-277-Art belongs to 277th-VGD, not to the observer's 326th-VGD",
        ),
        "III-277-Art": ("12.1.2, 12.6.2", "III-277-Art is Ammo Depleted"),
        "Moerser-1098": ("12.1.2, 12.6.2", "Moerser-1098 is Ammo Depleted"),
    }
    taking_part = set(chain.from_iterable(legal(divisions, "ge", "I-751", "3229")))
    assert (
        taking_part
        == {"I-326-Art", "388-VAK", "402-VAK", "405-VAK", "51-Werfer"}
        == {*found} - barred
    )


def test_12_1_6b_units_that_fit_into_no_legal_combination_are_kept_out_by_the_limit(war):
    on = war.on_map(
        war.us("I-110", "3030"),
        war.ge("I-77", "3031"),
        war.ge("guns", "3034", factors=4, range=6),
        war.ge("korps", "3034", under="XLVII", factors=4, range=6),
        active=("GE",),
    )
    limit = ("12.1.6b", "the limit for corps and army units is 0, not 1")
    assert alone(on, "ge", "I-77", "3030") == {"guns": None, "korps": limit}
    assert legal(on, "ge", "I-77", "3030") == {("guns",)}


def test_12_1_6a_neighbours_of_one_other_formation_alone_join_in(war):
    on = war.on_map(
        war.us("I-110", "3029", mode="prepared_assault"),
        war.us("own", "3027", factors=4, range=6),
        war.us("beside", "2930", under="106th", factors=4, range=6),
        war.us("opposite", "3130", under="9th-Armored", factors=5, range=6),
        war.ge("I-77", "3030"),
    )
    assert legal(on, "us", "I-110", "3030") == {
        ("own",), ("beside",), ("opposite",), ("beside", "own"), ("opposite", "own"),
    }  # fmt: skip
    judge = declaring(on, "us").judge(war.hex("3030"), "I-110")
    counted = {
        gun.unit.name: judge.counted(gun) for gun in declaring(on, "us").guns(war.hex("3030"))
    }
    assert counted == {"own": True, "beside": False, "opposite": False}


@pytest.mark.full
@pytest.mark.parametrize(
    ("observer", "target", "cite"),
    [
        ("I-9", "3030", "12.1.6a"),
        ("II-9", "2831", "12.1.6b"),
        ("III-9", "2831", "12.1.6c"),
        ("I-393", "3231", "12.1.6c"),
        ("II-393", "3331", "12.1.6b, 12.1.6d"),
        ("A-9", "3131", "12.1.6b"),  # no more than one unit by 12.1.6e
        ("air:99th-Division", "3331", "12.1.6b, 12.1.6f"),
        ("", "3434", "12.1.6g"),
    ],
)
def test_12_1_6_the_shipped_scenario_has_an_observer_for_every_limit(
    divisions, observer, target, cite
):
    judge = declaring(divisions, "us").judge(divisions.frame.parse(target), observer)
    assert judge.allowance.cite == cite
    # Of all legal combinations, tried one by one, none has more factors than the combination called
    # strongest.
    factors, sets = left(divisions, "us", target), legal(divisions, "us", observer, target)
    strongest = judge.best(declaring(divisions, "us").guns(divisions.frame.parse(target)))
    assert tuple(sorted(name for name, _ in strongest)) in sets
    assert sum(given for _, given in strongest) == max(
        sum(factors[name] for name in some) for some in sets
    )


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
def test_12_1_6_units_that_cannot_observe_get_a_reason(divisions, observer, target, cite):
    assert judged(divisions, "us", observer, target, {"12-FA": 1}).cite == cite


@attrs.frozen
class Result:
    """A measure of the first barrage's hits and shift."""

    kinds: frozenset = frozenset({"final_result"})
    initial: object = None

    def see(self, state, event, moment):
        return state or (event["hits"], event["shift"])

    def settled(self, state):
        return state is not None


def test_12_3_3_the_chances_of_a_barrage_are_those_counted_by_hand(war):
    on = war.on_map(
        war.us("I-110", "3029"),
        war.us("a", "3026", factors=4, range=6),
        war.us("b", "3026", factors=4, range=6),
        war.ge("I-77", "3030"),
    )
    assert legal(on, "us", "I-110", "3030") == {("a",), ("b",), ("a", "b")}
    # Value 8 against three steps: a shift on 0-1, a hit on 2-3, both on 4-5, two hits on 6-8, two
    # and a shift on 9.
    found = dict(war.Analysis(on, 1).solve(Result()).shares)
    assert found == {
        (0, True): 2 * TENTH, (1, False): 2 * TENTH, (1, True): 2 * TENTH, (2, False): 3 * TENTH, (2, True): TENTH,
    }  # fmt: skip
    # Dice of 8 and 9 exceed 7 by one and two.
    depleted = dict(war.Analysis(on, 1).solve(war.Count("depleted")).shares)
    assert depleted == {0: 8 * TENTH, 1: TENTH, 2: TENTH}


def test_12_3_1_recounted_density_makes_later_volleys_less_likely_to_hit(
    war,
):
    def mean(option):
        on = war.on_map(
            war.us("I-110", "3029"),
            war.us("a", "3026", factors=20, range=6),
            war.ge("I-77", "3030"),
            war.ge("II-77", "3030"),
            options={"density": option},
        )
        shares = war.Analysis(on, 1).solve(Result()).shares
        return sum(share * hits for (hits, _), share in shares.items())

    assert mean("per_volley") < mean("at_start")


def test_12_1_4_a_unit_keeps_the_factors_it_has_not_fired(war):
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
    read = table.table.read
    assert judged(on, "us", "I-110", "3031", {"a": 3}, read) is None
    assert judged(on, "us", "I-110", "3031", {"a": 4}, read).cite == "12.1.4"
