"""The optimiser against independent answers: every policy of a small game, and laws that hold for
any optimum.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import pairwise, product

import attrs
import j2
import j2_best
import null_setup
import pytest
from random_values import random_choices

from fireplan.solver import Analysis, Ever, FirstFall
from fireplan.solver.best import (
    MEASURES,
    DecisionRule,
    Each,
    FeatureCondition,
    Follower,
    OpenDecisions,
    Pattern,
    Policy,
    Process,
    RuleFollower,
    best,
    bounded,
    decision_rules,
    frontier,
    join,
    standard_values,
    values_of,
)
from fireplan.solver.best import bounds as searching
from fireplan.solver.best.rule_search import STANDARD
from fireplan.solver.best.rules_of_thumb import _partial_slots, rows_of
from fireplan_core import (
    REFEREE,
    Effects,
    Form,
    MissionSetup,
    ProcedureError,
    ask,
    emit,
    orders,
    push,
    record,
    update,
)
from fireplan_core import Delays as DelaysPart
from fireplan_core import step as rule
from fireplan_core.chance import d6


# --- a small game, with every policy tried by hand -----------------------------------------------
@record
class Gun:
    """The gun's aim (0 to 2) and its remaining shells."""

    laid: int = 0
    shells: int = 2


@record
class Fog:
    """Hidden facts: True if the other side hides on the left, and if the referee has confirmed the
    guess.
    """

    left: bool = False
    told: bool = False


class Range(DelaysPart):
    """Delays in which the side lays the gun, which succeeds on 4 or less, or shoots, which hits on
    1, 3 or 5 or less by how well the gun is laid; it has two shells in all.
    """

    @orders(cite="X")
    def shoot(self, view):
        yield Form("shoot", "X", does=push(self.shot), summary="shoot")
        yield Form("lay", "X", does=push(self.lay), summary="lay")

    @rule(cite="X")
    def moment(self, chance, view):
        return Effects(ask("firer", self.shoot)) if view.own("a", Gun).shells else Effects()

    @rule(cite="X")
    def lay(self, chance, view):
        gun = view.own("a", Gun)
        if chance.dice("lay", a=d6).total <= 4:
            return Effects(update(gun, laid=min(2, gun.laid + 1)))
        return Effects()

    @rule(cite="X")
    def shot(self, chance, view):
        gun = view.own("a", Gun)
        hit = chance.dice("hit", a=d6).total <= 1 + 2 * gun.laid
        return Effects(
            update(gun, laid=0, shells=gun.shells - 1),
            emit("shot", "X", mission="a", hit=bool(hit)),
        )


class Hide(DelaysPart):
    """The other side's coin falls left or right, hidden; the side guesses."""

    def hides(self, scenario, name, side):
        return name == "b"

    @orders(cite="X")
    def guess(self, view):
        yield Form("right", "X", does=push(self.guessed, False), summary="right")
        yield Form("left", "X", does=push(self.guessed, True), summary="left")

    @orders(cite="X")
    def truth(self, view):
        yield Form("no", "X", does=emit("shot", "X", mission="a", hit=False), summary="no")
        yield Form("yes", "X", does=emit("shot", "X", mission="a", hit=True), summary="yes")

    @rule(cite="X")
    def moment(self, chance, view):
        fog = view.own("b", Fog)
        return Effects(
            update(fog, left=chance.dice("coin", a=d6).total <= 2), ask("firer", self.guess)
        )

    @rule(cite="X")
    def guessed(self, chance, view, left):
        right = left == view.own("b", Fog).left
        return Effects(emit("shot", "X", mission="a", hit=right))


class Asked(Hide):
    """``Hide``, with a referee who says whether the guess counts."""

    @rule(cite="X")
    def moment(self, chance, view):
        return Effects(ask(REFEREE, self.truth))


def staged(kind, **missions):
    """Return the null game with one part replaced."""
    plain = j2.scenario()
    part = kind("x", {}, {})
    core = {name: found for name, found in plain.steps.items() if name.startswith("core.")}
    return attrs.evolve(
        plain,
        parts=attrs.evolve(plain.parts, delays=part),
        steps={**part.steps(), **core},
        questions=part.questions(),
        missions={
            name: MissionSetup(side, (0, 0), {"delays": slot}, {})
            for name, (side, slot) in missions.items()
        },
    )


GOAL = Each("shot", lambda event: event["hit"])


def solved(scenario, moments, goals=(GOAL,), **open_decisions):
    process = Process(scenario, moments, OpenDecisions("firer", **open_decisions))
    return join(process.explored(goals), goals, moments)


def situations_by_hand(moments):
    """Return every reachable (moment, laid, shells) of the gun, derived from the rules alone."""
    here, found = {(0, 2)}, []
    for moment in range(moments):
        found += [(moment, laid, shells) for laid, shells in sorted(here) if shells]
        here = {
            after
            for laid, shells in here
            for after in ((laid, shells), (min(2, laid + 1), shells), (0, shells - 1))
            if shells and after[1] >= 0
        }
    return found


def test_the_optimum_is_the_best_of_all_deterministic_policies():
    moments = 3
    where = situations_by_hand(moments)

    def values_of(policy):
        @cache
        def value(moment, laid, shells):
            if moment == moments or not shells:
                return Fraction(0)
            if policy[moment, laid, shells]:
                hit = Fraction(1 + 2 * laid, 6)
                return hit + value(moment + 1, 0, shells - 1)
            made = Fraction(4, 6)
            better = value(moment + 1, min(2, laid + 1), shells)
            return made * better + (1 - made) * value(moment + 1, laid, shells)

        return value(0, 0, 2)

    assert 8 <= len(where) <= 14
    values = [
        values_of(dict(zip(where, bits, strict=True)))
        for bits in product((False, True), repeat=len(where))
    ]
    joined = solved(staged(Range, a=("firer", Gun())), moments)
    assert best(joined).values[0] == max(values)
    found = bounded(joined.explored.process, GOAL)
    assert found.value == found.bound == max(values)
    # The standard order is to shoot at once: 1 in 6, twice.
    assert standard_values(joined).values[0] == Fraction(2, 6) == values[-1]


def test_the_policy_as_rules_lays_until_the_last_moment():
    # With two moments to go and the gun laid once, shooting gives 3/6 + 1/6; laying gives 4/6 * 5/6
    # + 2/6 * 3/6, which is more.
    joined = solved(staged(Range, a=("firer", Gun())), 3)
    (thumb,) = decision_rules(Policy(best(joined)))
    assert [str(found) for found in thumb.rules] == [
        "at least 2 moments to go: lay",
        "otherwise: shoot",
    ]
    assert thumb.uncovered == 0


# --- what the side cannot see ---------------------------------------------------------------------------
def test_hidden_facts_count_in_the_bound_but_not_in_the_policy():
    scenario = staged(Hide, a=("firer", Gun()), b=("target", Fog()))
    found = bounded(Process(scenario, 2, OpenDecisions("firer")), GOAL)
    assert found.bound == 2  # the bound of a side that saw the coin
    assert found.policy is None or found.policy.hidden == {"missions/b/delays/left"}
    # Without seeing the coin, "right" is correct 4 times in 6.
    assert found.value == found.standard == 2 * Fraction(4, 6)


def test_hidden_facts_that_change_no_order_leave_the_optimum_reachable():
    scenario = staged(Hide, a=("firer", Gun()), b=("target", Fog()))
    found = bounded(Process(scenario, 1, OpenDecisions("firer")), Each("shot", lambda e: True))
    assert found.value == found.bound == 1


def test_a_belief_turns_the_referees_answer_into_chances():
    scenario = staged(Asked, a=("firer", Gun()), b=("target", Fog()))
    belief = {"delays.truth": ((Pattern("yes"), 1), (Pattern("no"), 3))}
    assert best(solved(scenario, 2, belief=belief)).values[0] == Fraction(2, 4)
    assert best(solved(scenario, 2)).values[0] == 0  # the standard answer is no
    wrong = {"delays.truth": ((Pattern("perhaps"), 1),)}
    with pytest.raises(ProcedureError, match="perhaps"):
        solved(scenario, 2, belief=wrong)


# --- a policy and a bound -----------------------------------------------------------------------------
MOMENTS = 3


@pytest.fixture(scope="module")
def whole():
    return Process(staged(Range, a=("firer", Gun())), MOMENTS, OpenDecisions("firer"))


@pytest.fixture(scope="module")
def most(whole):
    return best(join(whole.explored([GOAL]), [GOAL], MOMENTS)).values[0]


def test_with_room_enough_the_policy_is_the_best_of_the_whole_question(whole, most):
    found = bounded(whole, GOAL)
    assert found.gap == 0
    assert found.value == found.bound == most
    assert values_of(whole, [GOAL], found.policy) == (most,)


@pytest.mark.parametrize("states", [2, 4, 8])
def test_with_less_room_the_optimum_is_between_policy_and_bound(whole, most, states, monkeypatch):
    monkeypatch.setattr(searching, "TRIED_STATES", states)
    found = bounded(Process(whole.scenario, MOMENTS, whole.open_decisions), GOAL)
    assert any(attempt.why for attempt in found.attempts)
    assert found.standard <= found.value <= most
    assert found.bound is None or found.bound >= most
    assert values_of(whole, [GOAL], found.policy) == (found.value,)


def test_no_policy_that_is_found_at_random_betters_a_bound(whole, most):
    tried = [values_of(whole, [GOAL], random_choices(seed))[0] for seed in range(40)]
    assert len(set(tried)) > 3
    assert max(tried) <= bounded(whole, GOAL).bound == most


def test_an_order_bent_in_an_optimal_policy_earns_less(whole, most):
    policy = bounded(whole, GOAL).policy
    fell = 0
    for situation in policy.situations:
        for number in set(range(len(situation.orders))) - set(situation.best):

            def bent(ask, read, legal, situation=situation, number=number):
                same = ask == situation.ask and all(
                    read(key, alike[0]) in alike
                    for key, alike in zip(policy.keys, situation.values, strict=True)
                )
                if same and read("clock/moment", 0) == situation.moment:
                    return [situation.orders[number]]
                return policy(ask, read, legal)

            (less,) = values_of(whole, [GOAL], bent)
            assert less <= most
            fell += less < most
            break
        if fell >= 3:
            break
    assert fell >= 3


def test_ctrl_c_gives_the_best_so_far_with_its_bound(whole):
    def interrupt(_what):
        raise KeyboardInterrupt

    found = bounded(whole, GOAL, progress=interrupt)
    assert found.stopped
    assert found.value == found.standard
    assert found.bound is None  # the number of hits has no limit


@pytest.mark.full
def test_where_orders_go_round_within_a_moment_the_standard_doctrine_and_the_goals_limit_answer(
    monkeypatch, outpost
):
    def round_and_round(_process, _goal):
        raise ProcedureError("an order can be repeated without end within a moment")

    monkeypatch.setattr(Process, "parts", round_and_round)
    whole = Process(outpost, 2, OpenDecisions("firer"))
    found = bounded(whole, MEASURES["on_target"].make(outpost, "firer"))
    assert found.value == found.standard
    assert found.standard <= found.bound <= 1
    assert "without end" in found.attempts[0].why


def test_the_time_limit_is_kept(whole):
    ticks = iter(range(10**6))
    found = bounded(whole, GOAL, lambda: 20.0 - next(ticks))
    assert next(ticks) < 2_000
    assert found.bound is None or found.value <= found.bound


# --- the null game --------------------------------------------------------------------------------------
AIMS = {
    "requests.aim": (
        Pattern.parse("aim at=target"),
        Pattern.parse("convert"),
        Pattern.parse("cancel"),
    )
}


@pytest.fixture(scope="module")
def outpost():
    return null_setup.outpost()


@pytest.mark.parametrize("goal", MEASURES)
def test_the_optimum_is_never_worse_than_the_standard_doctrine(outpost, goal):
    measured = MEASURES[goal]
    goals = (measured.make(outpost, "firer"),)
    joined = solved(outpost, 4, goals, only=AIMS)
    assert best(joined).values[0] >= standard_values(joined).values[0]


def test_the_value_of_the_standard_doctrine_agrees_with_the_odds(outpost):
    odds = Analysis(outpost, 5)
    for goal, measure in (
        ("hit", Ever("fall", "on_target", (True,))),
        ("delivered", Ever("fall", "on_target", (True, False))),
    ):
        joined = solved(outpost, 5, (MEASURES[goal].make(outpost, "firer"),), only=AIMS)
        assert standard_values(joined).values[0] == odds.solve(measure).shares[True]
    severity = odds.severity()
    for goal, least in (("suppressed", 1), ("reduced", 2), ("destroyed", 3)):
        joined = solved(outpost, 5, (MEASURES[goal].make(outpost, "firer"),), only=AIMS)
        share = sum(share for found, share in severity.items() if found >= least)
        assert standard_values(joined).values[0] == share


def test_mean_minutes_count_missions_without_fire_as_the_full_time(outpost):
    measured = MEASURES["minutes_to_first_effect"]
    joined = solved(outpost, 5, (measured.make(outpost, "firer"),), only=AIMS)
    clock = outpost.clock
    mean = sum(
        share * (5 * clock.minutes if state is None else state[0] * clock.minutes + clock.grain)
        for state, share in Analysis(outpost, 5).solve(FirstFall()).shares.items()
    )
    assert measured.shown(standard_values(joined).values[0], outpost, 5) == mean


def test_a_condition_holds_as_it_reads():
    for how, fits, words in (
        ("=", {3}, "hexes 3"),
        ("<=", {2, 3}, "hexes at most 3"),
        (">", {4}, "hexes at least 4"),
    ):
        condition = FeatureCondition("hexes", how, 3)
        assert {number for number in (2, 3, 4) if condition.holds({"hexes": number})} == fits
        assert str(condition) == words
        assert not condition.holds({})
    assert not FeatureCondition("seen", "=", 1).holds({"seen": True})


@pytest.mark.parametrize(
    ("feature", "limits", "words"),
    [
        ("metres off the target", ["<= 120", "> 0"], "between 1 and 120 m off the target"),
        ("metres off the target", ["> 0"], "off the target"),
        ("metres off the target", ["<= 0"], "on the target"),
        ("moments to go", ["> 2", "<= 5", "> 3"], "between 4 and 5 moments to go"),
        ("moments to go", ["> 2", "<= 3"], "3 moments to go"),
        ("number of chits", ["= 0"], "no chits"),
        ("number of chits", ["> 0"], "at least 1 chits"),
        ("hourglass", ["> 1"], "hourglass at least 2"),
    ],
)
def test_two_limits_of_a_number_read_as_a_range(feature, limits, words):
    when = [FeatureCondition(feature, how, int(value)) for how, value in map(str.split, limits)]
    assert str(DecisionRule(tuple(when), "fire", (), 1)) == f"{words}: fire"


@pytest.mark.parametrize("goal", ["hit", "on_target"])
def test_the_policy_played_as_a_doctrine_is_worth_exactly_the_optimum(outpost, goal):
    joined = solved(outpost, 5, (MEASURES[goal].make(outpost, "firer"),), only=AIMS)
    optimum = best(joined)
    follower = Follower(joined.explored.process, Policy(optimum))
    odds = Analysis(outpost, 5, compiler=follower)
    if goal == "hit":
        assert odds.solve(Ever("fall", "on_target", (True,))).shares[True] == optimum.values[0]
        return
    first = odds.solve(FirstFall()).shares
    assert (
        sum(share for state, share in first.items() if state is not None and state[2])
        == optimum.values[0]
    )


def test_every_situation_gets_a_best_order_from_the_first_rule_that_holds(outpost):
    joined = solved(outpost, 6, (MEASURES["falls"].make(outpost, "firer"),), only=AIMS)
    policy = Policy(best(joined))
    for thumb in decision_rules(policy):
        deciding = [
            found
            for found in policy.situations
            if found.ask.question == thumb.question and len(found.best) < len(found.orders)
        ]
        assert len(deciding) + thumb.indifferent == thumb.situations
        assert thumb.uncovered == 0
        told = _partial_slots(policy, deciding)
        decided = dict.fromkeys(thumb.rules, 0)
        for situation in deciding:
            row = next(rows_of(policy, situation, told))
            first = next(
                r for r in thumb.rules if all(condition.holds(row.features) for condition in r.when)
            )
            decided[first] += 1
            order = row.standard if first.order == STANDARD else first.order
            assert order in row.best
            assert set(first.ties) <= row.best
        assert all(0 < count <= found.situations for found, count in decided.items())
    # Under the real rules, the orders earn what the policy promises.
    assert values_of(
        policy.process, joined.goals, RuleFollower(policy, decision_rules(policy))
    ) == policy_value(joined)


def policy_value(joined):
    return best(joined).values


def test_the_frontier_runs_between_the_optima_of_both_goals(scenario):
    goals = tuple(
        MEASURES[name].make(scenario, "firer") for name in ("delivered", "own_troops_under_fire")
    )
    joined = solved(scenario, 6, goals, only=AIMS)
    found = frontier(joined)
    assert found.whole
    values = [corner.values for corner in found.corners]
    for number, goal in enumerate(goals):
        assert (
            max(value[number] for value in values)
            == best(solved(scenario, 6, (goal,), only=AIMS)).values[0]
        )
    assert values == sorted(values, reverse=True)
    assert [second for _, second in values] == sorted(second for _, second in values)
    # The frontier is concave: each unit of the first goal given up gains less of the second.
    slopes = [(b[1] - a[1]) / (a[0] - b[0]) for a, b in pairwise(values)]
    assert len(slopes) > 3
    assert slopes == sorted(slopes, reverse=True)
    # No weighting of the two goals finds a point beyond the frontier.
    for weights in (
        (1, 1),
        (2, 5),
        (1, 3),
        (1, 4),
        (1, 20),
        *((1, round(1 / slope) + 1) for slope in slopes),
    ):
        beyond = best(joined, (weights,)).values
        assert sum(w * v for w, v in zip(weights, beyond, strict=True)) == max(
            sum(w * v for w, v in zip(weights, value, strict=True)) for value in values
        )


def test_moments_under_fire_counts_a_moment_once(outpost):
    # Two falls in one moment are impossible in this game, so moments under fire and falls are the
    # same number.
    falls, moments = (
        best(solved(outpost, 5, (MEASURES[name].make(outpost, "firer"),), only=AIMS)).values[0]
        for name in ("falls", "moments_under_fire")
    )
    assert falls == moments > 0


# --- the reference job ----------------------------------------------------------------------------------
def test_j2_optimum_equals_a_hand_written_induction_and_an_independent_program():
    found, plain = j2_best.with_fireplan(j2_best.scenario(), j2_best.THREE, usual=True)
    most, usual = found.values[0], plain.values[0]
    assert most == j2_best.by_hand(j2_best.THREE)
    # A matrix-based backward induction over the same three intentions, in floats, gave this number.
    assert abs(float(most) - 3.815921261051443) < 1e-12
    assert abs(float(usual) - 3.80354) < 1e-5
