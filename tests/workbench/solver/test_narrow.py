"""Best orders where not all can be weighed: what is opened, what stays standard, what is sampled; and strikes apart."""

from __future__ import annotations

import sys
from pathlib import Path

import attrs
import pytest

from fireplan.solver import Analysis, Ever, TooLargeError
from fireplan.solver.best import MEASURES, Each, OpenDecisions, Policy, Process, best, join, narrowed, standard, trial
from fireplan.solver.best import _narrow as narrow
from fireplan.solver.best import _trial as trials
from fireplan.solver.best._process import Explored
from fireplan_core import Delays as DelaysPart
from fireplan_core import Effects, Form, MissionSetup, Order, Refusal, ask, emit, orders, push, record, update
from fireplan_core import step as rule
from fireplan_core.chance import d6
from fireplan_core.play import Catalogue, find_scenario

sys.path.insert(0, str(Path(__file__).parents[2] / "games"))
sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks"))
import j2
import null_game

MOMENTS = 3


@pytest.fixture(scope="module")
def outpost():
    catalogue = Catalogue()
    catalogue.admit(null_game)
    return find_scenario(catalogue, "null/outpost")[0]


@pytest.fixture(scope="module")
def goals(outpost):
    # Of the goals, the one of which the standard doctrine lacks something.
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


def test_with_room_enough_every_question_is_opened_and_the_optimum_is_the_whole_one(whole, goals, most):
    found = narrowed(whole, goals)
    assert not found.left
    assert not found.process.open_decisions.aimed
    assert set(found.opened) == whole.compiler.asked
    assert value(found.process, goals) == most


def test_what_does_not_fit_stays_standard_and_the_value_lies_between(whole, goals, most, monkeypatch):
    usual = standard(join(whole.explored(goals), goals, MOMENTS)).values[0]
    assert usual < most
    seen = []
    for states in (40, 160, 320):
        monkeypatch.setattr(narrow, "TRIED_STATES", states)
        try:
            found = narrowed(whole, goals)
        except TooLargeError:
            seen.append("nothing")
            continue
        assert usual <= value(found.process, goals) <= most
        assert set(found.left).isdisjoint(found.opened)
        assert all(left.why for left in found.left.values())
        seen.append((len(found.left), len(found.process.open_decisions.aimed)))
    # Too large even as it stands; one question left; both weighed, one of them at the target alone.
    assert seen == ["nothing", (1, 0), (0, 1)]


def test_aimed_orders_name_the_target_or_the_standard_places_alone(outpost, goals):
    # Where it is wanted, or where the standard order has it; all others name more.
    def places(open_decisions):
        process = Process(outpost, 2, open_decisions)
        explored = process.explored(goals)
        orders = {order for node in explored.decides for order in explored.orders(node) if order.verb == "aim"}
        return {dict(order.values)["at"] for order in orders}, value(process, goals)

    only = OpenDecisions(outpost.firer, {"requests.aim": ()})
    (every, most), (aimed, less) = places(only), places(attrs.evolve(only, aimed=frozenset({"requests.aim"})))
    assert aimed < every
    assert less <= most
    assert {mission.target for mission in outpost.missions.values()} & aimed


def test_rows_taken_over_from_another_latitude_change_nothing(outpost, whole, goals, most):
    closed = Process(outpost, MOMENTS, OpenDecisions(outpost.firer, keep=frozenset(outpost.questions)))
    closed.explored(goals)
    after = Process(outpost, MOMENTS, OpenDecisions(outpost.firer), before=closed.compiler)
    assert value(after, goals) == most
    assert after.compiler.runs < whole.compiler.runs


def test_strikes_set_apart_where_only_places_never_struck_are_read_leave_the_optimum_as_it_is():
    # The observer's own place is read; nothing ever strikes it, so the mission is solved without its targets.
    scenario, _ = find_scenario(Catalogue.installed(), "asl/ridge")
    goal = (MEASURES["hit"].make(scenario, scenario.firer),)
    process = Process(scenario, 3, OpenDecisions(scenario.firer, {"requests.call": (), "delays.contact": ()}))
    apart = process.explored(goal)
    joint = Explored(process, process._chain(apart=False))
    assert len(apart.chain.links) < len(joint.chain.links)
    assert best(join(apart, goal, 3)).values == best(join(joint, goal, 3)).values
    assert standard(join(apart, goal, 3)).values[0] == Analysis(scenario, 3).solve(
        Ever("fall", "on_target", (True,))
    ).shares.get(True, 0)


# --- what waits on the agenda --------------------------------------------------------------------------
@record
class Guess:
    """What was guessed."""

    left: bool = False


class Waiting(DelaysPart):
    """A coin lays one of two steps under a question: no key tells which of them waits."""

    @orders(cite="X")
    def guess(self, view):
        yield Form("right", "X", "right", does=update(view.own("a", Guess), left=False))
        yield Form("left", "X", "left", does=update(view.own("a", Guess), left=True))

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


def test_an_optimum_that_hangs_on_what_waits_is_called_a_bound():
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
    goal = (Each("shot", lambda event: event["hit"]),)
    optimum = best(join(Process(scenario, 1, OpenDecisions("firer")).explored(goal), goal, 1))
    assert optimum.values == (1,)
    policy = Policy(optimum)
    assert policy.untold is not None
    assert policy.is_bound


# --- trials --------------------------------------------------------------------------------------------
def test_a_trial_agrees_with_the_odds_and_is_the_same_again(outpost, hit, monkeypatch):
    monkeypatch.setattr(trials, "SCREENED", 100)
    monkeypatch.setattr(trials, "CONFIRMED", 600)
    first = trial(outpost, MOMENTS, OpenDecisions(outpost.firer), hit, 1)
    assert first == trial(outpost, MOMENTS, OpenDecisions(outpost.firer), hit, 1)
    assert first != trial(outpost, MOMENTS, OpenDecisions(outpost.firer), hit, 2)
    exact = Analysis(outpost, MOMENTS).solve(Ever("fall", "on_target", (True,))).shares[True]
    assert abs(first.standard.mean - exact) <= 5 * first.standard.error + 1e-9
    verbs = {(change.question, change.verb) for change in first.changes}
    assert verbs


def test_a_change_gains_what_it_gains_as_a_doctrine(outpost, hit, monkeypatch):
    monkeypatch.setattr(trials, "SCREENED", 1500)
    monkeypatch.setattr(trials, "CONFIRMED", 2)
    found = trial(outpost, MOMENTS, OpenDecisions(outpost.firer), hit, 1)
    measure = Ever("fall", "on_target", (True,))
    usual = Analysis(outpost, MOMENTS).solve(measure).shares[True]
    gains = {(change.question, change.verb): change.gain for change in found.changes}
    for name, verb in (("requests.ask", "pass"), ("requests.aim", "cancel")):
        question = outpost.questions[name]

        def always(view, *args, question=question, verb=verb):
            order = Order.of(verb)
            return (
                order if not isinstance(question.judge(view, order, *args), Refusal) else question.standard(view, *args)
            )

        exact = Analysis(outpost, MOMENTS, {name: always}).solve(measure).shares.get(True, 0)
        gain = gains[name, verb]
        assert abs(gain.mean - float(exact - usual)) <= 5 * gain.error + 1e-9
