"""A policy and a bound always enclose the optimum, whatever fits in memory; sampled values; strikes
solved separately.
"""

from __future__ import annotations

import math
from fractions import Fraction
from statistics import mean, stdev

import attrs
import j2
import null_setup
import pytest
from tiers import one_in

import fireplan as fp
import fireplan.solver.best.process as process_module
from fireplan.solver import Analysis, Ever, TooLargeError
from fireplan.solver.best import (
    MEASURES,
    DoctrineChange,
    Each,
    OpenDecisions,
    Pattern,
    Process,
    best,
    bounded,
    join,
    standard_values,
    trial,
    trials,
    values_of,
)
from fireplan.solver.best import bounds as searching
from fireplan.solver.best.policy import Follower, Policy, policy_values
from fireplan.solver.best.process import Explored
from fireplan.solver.sampling import walk
from fireplan_core import Delays as DelaysPart
from fireplan_core import (
    Effects,
    Event,
    Form,
    MissionSetup,
    ask,
    emit,
    orders,
    push,
    record,
    update,
)
from fireplan_core import step as rule
from fireplan_core.chance import RandomFaces, d6
from fireplan_core.play import Catalogue, find_scenario, opening

MOMENTS = 3
AIMS = tuple(map(Pattern.parse, ("aim at=target", "convert", "cancel")))


@pytest.fixture(scope="module")
def outpost():
    return null_setup.outpost()


@pytest.fixture(scope="module")
def goals(outpost):
    # Of the goals, this is one that the standard doctrine does not reach in full.
    return (MEASURES["exhausted"].make(outpost, outpost.firer),)


@pytest.fixture(scope="module")
def hit(outpost):
    return MEASURES["hit"].make(outpost, outpost.firer)


def value(process, goals):
    return best(join(process.explored(goals), goals, process.moments)).values[0]


@pytest.fixture(scope="module")
def whole(outpost):
    return Process(outpost, MOMENTS, OpenDecisions(outpost.firer))


@pytest.fixture(scope="module")
def most(whole, goals):
    return value(whole, goals)


@pytest.mark.full
def test_aimed_orders_name_only_the_target_or_standard_places(outpost, goals):
    # Aiming anywhere allows more places, and is worth no less.
    def places(open_decisions):
        process = Process(outpost, 2, open_decisions)
        explored = process.explored(goals)
        orders = {
            order
            for node in explored.decides
            for order in explored.orders(node)
            if order.verb == "aim"
        }
        return {dict(order.values)["at"] for order in orders}, value(process, goals)

    only = OpenDecisions(outpost.firer, {"requests.aim": ()})
    (every, most), (aimed, less) = (
        places(only),
        places(attrs.evolve(only, aimed=frozenset({"requests.aim"}))),
    )
    assert aimed < every
    assert less <= most
    assert {mission.target for mission in outpost.missions.values()} & aimed


@pytest.mark.long
def test_rows_taken_over_from_another_latitude_change_nothing(outpost, whole, goals, most):
    closed = Process(
        outpost, MOMENTS, OpenDecisions(outpost.firer, keep=frozenset(outpost.questions))
    )
    closed.explored(goals)
    after = Process(outpost, MOMENTS, OpenDecisions(outpost.firer), before=closed.compiler)
    assert value(after, goals) == most
    assert after.compiler.runs < whole.compiler.runs


@pytest.mark.full
def test_strikes_set_apart_where_only_places_never_struck_are_read_leave_the_optimum_as_it_is():
    # The observer's own place is read, but nothing ever strikes it, so the mission is solved
    # without its targets.
    scenario, _ = find_scenario(Catalogue.installed(), "asl/ridge")
    goal = (MEASURES["hit"].make(scenario, scenario.firer),)
    process = Process(
        scenario, 3, OpenDecisions(scenario.firer, {"requests.call": (), "delays.contact": ()})
    )
    apart = process.explored(goal)
    joint = Explored(process, process._chain(None))
    assert len(apart.chain.links) < len(joint.chain.links)
    assert best(join(apart, goal, 3)).values == best(join(joint, goal, 3)).values
    assert standard_values(join(apart, goal, 3)).values[0] == Analysis(scenario, 3).solve(
        Ever("fall", "on_target", (True,))
    ).shares.get(True, 0)


def asking(outpost, moments=MOMENTS, aims=AIMS):
    """Return the process in which the firing side may call for fire and choose among these aims."""
    questions = {"requests.ask": (), "requests.aim": aims}
    return Process(outpost, moments, OpenDecisions(outpost.firer, questions))


# --- harm, bounded strike by strike --------------------------------------------------------------------
HARMS = ("suppressed", "reduced", "destroyed")


@pytest.mark.parametrize("name", HARMS)
def test_harm_is_never_worth_more_than_its_strikes_each_at_their_worst(outpost, name):
    whole = asking(outpost)
    goal = MEASURES[name].make(outpost, outpost.firer)
    union, mission = whole.union(goal)
    bound = best(join(mission, [union], MOMENTS)).values[0]
    assert bound >= value(whole, (goal,)) > 0
    # The value of the standard doctrine is bounded in the same way.
    assert standard_values(join(mission, [union], MOMENTS)).values[0] >= values_of(whole, [goal])[0]


@pytest.mark.parametrize("name", one_in(3, HARMS))
def test_a_unit_that_can_be_struck_only_once_has_its_exact_harm_as_the_bound(outpost, name):
    # The first fall comes in the second moment at the earliest, so in two moments no unit is struck
    # twice.
    process = asking(outpost, 2)
    goal = MEASURES[name].make(outpost, outpost.firer)
    union, mission = process.union(goal)
    assert best(join(mission, [union], 2)).values[0] == value(process, (goal,)) > 0


@pytest.mark.long
@pytest.mark.parametrize(
    "name", [HARMS[0], *(pytest.param(name, marks=pytest.mark.long) for name in HARMS[1:])]
)
def test_harm_at_all_places_together_is_never_more_than_the_sum_of_the_best_at_each(outpost, name):
    process = asking(outpost, aims=())
    goal = MEASURES[name].make(outpost, outpost.firer)
    apart = [
        best(join(explored, [part], MOMENTS)).values[0] for part, explored in process.parts(goal)
    ]
    ((_, together),) = process.parts(goal, together=True)
    optimum = best(join(together, [goal], MOMENTS)).values[0]
    assert len(apart) > 1
    # The mission and its targets are explored as one, so this figure does not rely on separating
    # them.
    assert optimum == best(join(Explored(process, process._chain(None)), [goal], MOMENTS)).values[0]
    assert max(apart) <= optimum <= sum(apart)


@pytest.mark.parametrize("name", one_in(3, HARMS))
def test_orders_that_were_solved_for_something_else_are_followed(outpost, name):
    # The solved value (worst strikes, or harm at one place) is not the value of the orders when
    # they are played.
    whole = asking(outpost)
    goal = MEASURES[name].make(outpost, outpost.firer)
    for part, explored in [whole.union(goal), *whole.parts(goal)]:
        solution = best(join(explored, [part], MOMENTS))
        policy = Policy(solution)
        assert (
            policy_values(whole, [goal], solution, policy)
            == values_of(whole, [goal], policy)
            != solution.values
        )


def test_orders_at_the_target_do_not_bound_the_others(whole, hit):
    # Aiming at the target cannot improve on a value of 1, so the value and its bound stay.
    found = searching._solve_aimed(
        searching.Search(whole), searching.Bounded(hit, None, Fraction(1), Fraction(1))
    )
    assert (found.value, found.bound, found.policy) == (1, 1, None)
    assert [(attempt.aimed, attempt.why) for attempt in found.attempts] == [(True, "")]


def test_harm_to_be_avoided_has_no_such_bound(whole, outpost):
    goal = MEASURES["suppressed"].make(outpost, outpost.firer)
    assert whole.union(attrs.evolve(goal, least=True)) is None


@pytest.mark.long
def test_never_asking_for_fire_is_tried_before_any_large_model():
    scenario, _ = find_scenario(Catalogue.installed(), "miniatures_1943/chits_in_hand")
    whole = Process(scenario, 5, OpenDecisions(scenario.firer))
    found = bounded(whole, MEASURES["exhausted"].goal_of(scenario, scenario.firer))
    assert found.standard == -1
    assert found.value == found.bound == values_of(whole, [found.goal], found.change)[0] == 0
    assert not found.attempts


def test_to_lose_as_little_as_possible_orders_that_name_nothing_are_tried_first():
    """Standard orders pass only when nothing is left, so always passing is another policy."""
    scenario, _ = find_scenario(Catalogue.installed(), "miniatures_1943/chits_in_hand")
    whole = Process(scenario, 2, OpenDecisions(scenario.firer))
    values_of(whole, [MEASURES["exhausted"].goal_of(scenario, scenario.firer)])
    pairs = searching._verbs(whole, least=True)
    assert sorted(pairs) == sorted(searching._verbs(whole))
    passing = pairs.index(("requests.request", "pass"))
    assert passing < min(pairs.index(pair) for pair in pairs if pair[1] in {"mark", "move"})
    assert passing < pairs.index(("requests.request", "place"))
    assert passing < pairs.index(("resolution.movement", "done"))


@pytest.mark.parametrize(
    ("name", "bound", "order"),
    [("hit", 1, "coarse opened"), ("hit", "0.92", "opened coarse"), ("falls", 2, "opened coarse")],
)
def test_far_from_its_end_a_goal_that_counts_once_has_its_coarse_models_before_open_questions(
    whole, monkeypatch, name, bound, order
):
    """While the gap exceeds 5 %, coarse models come first; within 5 % they come last, as for goals
    that count more than once.
    """
    done = []

    def unchanged(_search, result, *_):
        return result

    def too_large(_search, result, *_):
        return result.after(searching.Attempt(aimed=False, why="too large")), 0

    def opened(_search, result):
        done.append("opened")
        return result

    monkeypatch.setattr(searching, "_solve_whole", too_large)
    monkeypatch.setattr(searching, "_open_in_turn", opened)
    monkeypatch.setattr(searching, "coarse_bounds", lambda *_: done.append("coarse") or [])
    for unneeded in ("_sample", "_try_changes", "_bound_alone"):
        monkeypatch.setattr(searching, unneeded, unchanged)
    goal = MEASURES[name].goal_of(whole.scenario, whole.scenario.firer)
    value = Fraction("0.9")
    list(
        searching._Stages(searching.Search(whole, lambda: 9.0)).look(
            searching.Bounded(goal, value, value, Fraction(bound))
        )
    )
    assert done == order.split()


def test_an_oversized_question_is_not_tried_again_with_the_same_time(outpost, hit, monkeypatch):
    explored = []
    build = process_module.build_chain
    monkeypatch.setattr(
        process_module,
        "build_chain",
        lambda *args, **opts: explored.append(1) or build(*args, **opts),
    )

    def attempt(aimed, **limits):
        open_decisions = attrs.evolve(whole.open_decisions, aimed=aimed)
        process = (
            whole.varied(**limits, open_decisions=open_decisions)
            if aimed
            else whole.varied(**limits)
        )
        before = len(explored)
        with pytest.raises(TooLargeError):
            process.parts(hit)
        return len(explored) > before

    whole = Process(outpost, MOMENTS, OpenDecisions(outpost.firer))
    for aimed in (frozenset(), frozenset({"requests.aim"})):
        assert attempt(aimed, max_nodes=20, max_runs=5_000, seconds=10.0)
        assert not attempt(aimed, max_nodes=20, max_runs=5_000, seconds=12.0)
        assert attempt(aimed, max_nodes=20, max_runs=5_000, seconds=21.0)
        assert attempt(aimed, max_nodes=30, max_runs=5_000, seconds=10.0)


@pytest.mark.full
def test_a_process_varied_is_solved_as_one_of_its_own(outpost, hit):
    goals = (hit,)
    whole = Process(outpost, MOMENTS, OpenDecisions(outpost.firer))
    with pytest.raises(TooLargeError):
        whole.varied(max_nodes=20, max_runs=5_000).parts(hit)
    assert value(whole.varied(), goals) == value(
        Process(outpost, MOMENTS, OpenDecisions(outpost.firer)), goals
    )


# --- pending steps on the agenda -----------------------------------------------------------------
@record
class Guess:
    """The side's guess."""

    left: bool = False


class Waiting(DelaysPart):
    """A coin puts one of two steps below a question on the agenda, and no key shows which."""

    @orders(cite="X")
    def guess(self, view):
        yield Form("right", "X", does=update(view.own("a", Guess), left=False), summary="right")
        yield Form("left", "X", does=update(view.own("a", Guess), left=True), summary="left")

    @rule(cite="X")
    def moment(self, chance, view):
        heads = chance.dice("coin", a=d6).total <= 2
        return Effects(ask("firer", self.guess), push(self.heads if heads else self.tails))

    @rule(cite="X")
    def heads(self, chance, view):
        return Effects(emit("shot", "X", mission="a", hit=view.own("a", Guess).left))

    @rule(cite="X")
    def tails(self, chance, view):
        return Effects(emit("shot", "X", mission="a", hit=not view.own("a", Guess).left))


def test_hidden_pending_steps_count_in_the_bound_but_not_in_the_policy():
    plain = j2.scenario()
    part = Waiting("x", {}, {})
    core = {name: found for name, found in plain.steps.items() if name.startswith("core.")}
    scenario = attrs.evolve(
        plain,
        parts=attrs.evolve(plain.parts, delays=part),
        steps={**part.steps(), **core},
        questions=part.questions(),
        missions={"a": MissionSetup("firer", (0, 0), {"delays": Guess()}, {})},
    )
    found = bounded(
        Process(scenario, 1, OpenDecisions("firer")), Each("shot", lambda event: event["hit"])
    )
    assert found.bound == 1
    # A side that cannot see the coin is right at most 4 times in 6.
    assert found.value == Fraction(4, 6)


# --- what the goal has seen -----------------------------------------------------------------------------
@pytest.mark.long
def test_orders_that_depend_on_who_was_harmed_earn_the_solved_value():
    scenario, _ = find_scenario(Catalogue.installed(), "wacht_am_rhein/dividing_fire")
    position = fp.position("wacht_am_rhein/dividing_fire")
    whole = Process(scenario, position.usual, OpenDecisions(scenario.firer))
    goal = MEASURES["suppressed"].goal_of(scenario, scenario.firer)
    found = bounded(whole, goal, lambda: 60.0)
    assert found.value == found.bound
    assert any(situation.seen for situation in found.policy.situations)
    # Orders that forget which units were suppressed earn less.
    assert values_of(whole, [goal], found.policy)[0] < found.value
    # The policy's table of situations is played with a record of the suppressed units.
    harmed, followers = set(), {}

    def remembering(seen):
        def fits(each, ask, read):
            known = zip(found.policy.values(read), each.values, strict=True)
            return (
                each.ask == ask
                and each.moment == read("clock/moment", 0)
                and all(v in alike for v, alike in known)
            )

        def chosen(ask, read, _legal):
            known = [
                each
                for each in found.policy.situations
                if each.seen in (None, seen) and fits(each, ask, read)
            ]
            return [each.orders[number] for each in known for number in each.best]

        return Follower(whole, chosen)

    def rows(pending, read):
        seen = frozenset(harmed)
        if seen not in followers:
            followers[seen] = remembering(seen)
        return followers[seen].rows(pending, read)

    earned = []
    for number in range(4_000):
        harmed.clear()
        for _, _, outcome in walk(
            rows, opening(scenario), whole.moments, RandomFaces(f"remembered/{number}")
        ):
            for event in outcome.events:
                if (
                    event.kind == "suffered"
                    and event["severity"] >= goal.severity
                    and event["unit"] in goal.shares
                ):
                    harmed.add(event["unit"])
        earned.append(float(sum(goal.shares[unit] for unit in harmed)))
    assert abs(mean(earned) - float(found.value)) < 5 * stdev(earned) / len(earned) ** 0.5


# --- orders too large to follow are sampled ------------------------------------------------------
@pytest.mark.full
def test_a_policy_too_large_to_follow_is_sampled_and_keeps_its_bound(
    whole, outpost, hit, monkeypatch
):
    def too_large(*_args, **_named):
        raise TooLargeError("more than 1 states", 2)

    monkeypatch.setattr(searching, "values_of", too_large)
    monkeypatch.setattr(searching, "policy_values", too_large)
    monkeypatch.setattr(trials, "SCREENED", 40)
    monkeypatch.setattr(trials, "CONFIRMED", 600)
    found = bounded(whole, hit)
    assert found.value is None
    assert found.bound is not None
    exact = Analysis(outpost, MOMENTS).solve(Ever("fall", "on_target", (True,))).shares[True]
    assert abs(found.trial.standard.mean - exact) <= 5 * found.trial.standard.error + 1e-9
    assert found.trial.value.mean <= found.bound + 5 * found.trial.value.error
    assert found.trial == bounded(whole, hit).trial


def test_a_change_gains_the_same_as_a_doctrine(whole, outpost, monkeypatch):
    goal = MEASURES["exhausted"].goal_of(outpost, outpost.firer)
    monkeypatch.setattr(trials, "SCREENED", 200)
    monkeypatch.setattr(trials, "CONFIRMED", 1500)
    changes = [
        DoctrineChange((("requests.ask", "pass"),)),
        DoctrineChange((("requests.aim", "cancel"),)),
    ]
    found = trial(whole, goal, changes)
    exact = {
        change: values_of(whole, [goal], change)[0] - values_of(whole, [goal])[0]
        for change in changes
    }
    assert found.best is not None
    assert abs(found.gain.mean - float(exact[found.best])) <= 5 * found.gain.error + 1e-9


def test_where_nothing_could_be_solved_changes_of_the_standard_doctrine_better_it(
    whole, outpost, monkeypatch
):
    monkeypatch.setattr(searching, "TRIED_STATES", 20)
    goal = MEASURES["exhausted"].goal_of(outpost, outpost.firer)
    found = bounded(Process(outpost, MOMENTS, OpenDecisions(outpost.firer)), goal)
    assert found.policy is None
    assert found.standard < found.value == values_of(whole, [goal], found.change)[0]
    # A side that never asks spends nothing, and no orders can do better.
    assert found.value == found.bound == 0


@pytest.mark.parametrize(
    ("left", "runs", "fewest"),
    [(0, 10**6, trials.FEWEST_TIMED), (float("inf"), 0, trials.FEWEST)],
    ids=["the time is over", "enough was run"],
)
def test_no_more_than_the_fewest_trajectories_are_walked_when(
    whole, outpost, monkeypatch, left, runs, fewest
):
    goal = MEASURES["exhausted"].goal_of(outpost, outpost.firer)
    monkeypatch.setattr(trials, "TRIED_RUNS", runs)
    found = trial(whole, goal, [DoctrineChange((("requests.ask", "pass"),))], lambda: left)
    assert found.trajectories == fewest


def test_a_change_is_worth_the_same_after_the_standard_orders_and_before(outpost, hit):
    """Rows of questions that the change does not answer are shared; rows of questions that it
    answers are not.
    """
    shared = Process(outpost, MOMENTS, OpenDecisions(outpost.firer))
    (usual,) = values_of(shared, [hit])
    different = 0
    for pair in searching._verbs(shared):
        change = DoctrineChange((pair,))
        (value,) = values_of(shared, [hit], change)
        fresh = Process(outpost, MOMENTS, OpenDecisions(outpost.firer))
        assert values_of(fresh, [hit], change) == (value,)
        different += value != usual
    assert different


def test_a_change_that_took_too_long_is_tried_again_with_more_time(outpost, hit, monkeypatch):
    whole = Process(outpost, MOMENTS, OpenDecisions(outpost.firer))
    (usual,) = values_of(whole, [hit])
    clock, allowed = [0.0], []

    def slow(_process, _goals, change, late, _max_runs):
        begun = clock[0]
        while not late():
            clock[0] += 0.01
        allowed.append((change, clock[0] - begun))
        raise TooLargeError("late")

    monkeypatch.setattr(searching, "values_of", slow)
    tried: dict[DoctrineChange, float] = {}
    result = searching.Bounded(hit, usual, usual, None)
    searching._try_changes(searching.Search(whole, lambda: 40 - clock[0]), result, 0.9, tried)
    by_change = {change: [time for other, time in allowed if other == change] for change in tried}
    assert all(first < 0.8 for first, *_ in by_change.values())
    assert any(len(times) > 1 and times[1] > times[0] for times in by_change.values())


@pytest.mark.full
def test_one_open_question_finds_orders_that_no_single_verb_gives():
    """With three real chits, one request a turn puts three turns under fire; three at once only
    one.
    """
    scenario, _ = find_scenario(Catalogue.installed(), "miniatures_1943/chits_in_hand")
    whole = Process(scenario, 5, OpenDecisions(scenario.firer))
    goal = MEASURES["moments_under_fire"].goal_of(scenario, scenario.firer)
    (usual,) = values_of(whole, [goal])
    assert usual == 1
    for verb in ("place", "pass"):
        assert values_of(whole, [goal], DoctrineChange((("requests.request", verb),)))[0] <= 1
    result = searching.Bounded(goal, usual, usual, goal.most(5))
    one = ("requests.request", str(whole.compiler.single["requests.request"]))
    assert one in searching._verbs(whole)
    changed = searching._try_changes(searching.Search(whole), result, 1, {})
    assert (changed.value, changed.change) == (3, DoctrineChange((one,)))
    assert str(changed.change) == "requests.request always place one at a time (barrages)"
    opened = searching._open_in_turn(searching.Search(whole), result)
    assert opened.value == 3
    assert values_of(whole, [goal], opened.policy) == (3,)


def test_only_a_fall_of_the_sides_own_can_be_its_first():
    """The Soviet barrage falls first; whether the Germans' first one is on target is still open."""
    scenario, _ = find_scenario(Catalogue.installed(), "miniatures_1943/river_crossing")
    own, theirs = (
        next(name for name, setup in scenario.missions.items() if setup.side == side)
        for side in ("german", "soviet")
    )

    def earned(*falls: tuple[str, bool]) -> Fraction:
        goal = MEASURES["on_target"].goal_of(scenario, "german")
        state, total = goal.initial, Fraction(0)
        for mission, on_target in falls:
            fall = Event("fall", "", (("mission", mission), ("on_target", on_target)))
            state, (reward, _) = goal.see(state, fall)
            total += reward
        return total

    assert earned((theirs, False), (own, True)) == 1
    assert earned((theirs, True), (own, False), (own, True)) == 0
    assert earned((own, True), (own, True)) == 1


@pytest.mark.long
def test_oversized_orders_are_kept_if_their_sample_is_surely_better():
    """Three chits placed one after another put three turns under fire; all at once only one."""
    scenario, form = find_scenario(Catalogue.installed(), "miniatures_1943/chits_in_hand")
    whole = Process(scenario, form.moments, OpenDecisions(scenario.firer))
    goal = MEASURES["moments_under_fire"].goal_of(scenario, scenario.firer)
    (standard,) = values_of(whole, [goal])
    (single,) = searching._singles(whole)
    change = DoctrineChange((single,))
    assert (standard, *values_of(whole, [goal], change)) == (1, 3)

    def sampled(value: int, bound: int, tried: dict[DoctrineChange, float]) -> searching.Bounded:
        result = searching.Bounded(goal, standard, Fraction(value), Fraction(bound))
        return searching._sample(searching.Search(whole, lambda: 1e9), result, tried)

    found = sampled(1, 3, {})
    assert found.trial is not None
    assert (found.trial.best, found.trial.value.mean) == (change, 3)
    # The trial is no better than the orders that were followed.
    assert sampled(3, 10, {}).trial is None
    assert sampled(3, 3, {}).trial is None
    followed = dict.fromkeys(
        [DoctrineChange((pair,)) for pair in searching._verbs(whole)], math.inf
    )
    assert sampled(1, 3, followed).trial is None
    assert found.without_beaten_trial().trial is found.trial
    assert attrs.evolve(found, value=Fraction(3)).without_beaten_trial().trial is None
