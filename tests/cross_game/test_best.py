"""The shipped studies of best orders: in every game the optimum withstands independent checks and
plays out as promised.
"""

from __future__ import annotations

from fractions import Fraction

import attrs
import null_game
import pytest

from fireplan.analysis import find_engagement
from fireplan.solver import Analysis, Ever
from fireplan.solver.best import (
    MEASURES,
    Follower,
    OpenDecisions,
    Pattern,
    Policy,
    Process,
    best,
    decision_rules,
    join,
    standard_values,
)
from fireplan_core import Severity
from fireplan_core.play import Catalogue, find_scenario, stage_engagement

CORRECTING = ("leave", "correct_convert at=target", "correct at=target", "convert", "cancel")
AIMING = ("aim at=target", "convert", "cancel")
# For each study: its scenario, its moments, its goal, and the orders that are weighed.
STUDIES = {
    "null": ("null/outpost", 4, "hit", {"requests.aim": AIMING, "requests.ask": ()}),
    "asl": ("woods", 5, "hit", {"requests.fire": CORRECTING}),
    "wacht_am_rhein": (
        "wacht_am_rhein/dividing_fire",
        1,
        "reduced",
        {"requests.declare": (), "requests.barrage": ()},
    ),
    "red_poppies": ("red_poppies/cut_wires", 3, "hit", {"delays.command": ()}),
    "miniatures_1943": (
        "miniatures_1943/chits_in_hand",
        5,
        "moments_under_fire",
        {"requests.request": ()},
    ),
}


@pytest.fixture(scope="module")
def catalogue():
    installed = Catalogue.installed()
    installed.admit(null_game)
    return installed


@pytest.fixture(scope="module")
def study(request, catalogue):
    game = request.param
    where, moments, goal, only = STUDIES[game]
    scenario = (
        find_scenario(catalogue, where)[0]
        if "/" in where
        else stage_engagement(catalogue, game, find_engagement(where))
    )
    open_decisions = OpenDecisions(
        scenario.firer, {q: tuple(map(Pattern.parse, orders)) for q, orders in only.items()}
    )
    goals = (MEASURES[goal].make(scenario, scenario.firer),)
    joined = join(Process(scenario, moments, open_decisions).explored(goals), goals, moments)
    return scenario, moments, goal, best(joined), standard_values(joined)


def pytest_generate_tests(metafunc):
    metafunc.parametrize("study", STUDIES, indirect=True)


@attrs.frozen
class UnderFire:
    """A measure for the odds: the number of moments with fire on the target, and the last of them."""

    kinds: frozenset[str] = frozenset({"fall"})
    initial: tuple[int, int] = (0, -1)

    def see(self, state, letter, moment):
        """Return the count after an event; each moment counts once."""
        return (state[0] + 1, moment) if letter["on_target"] and state[1] != moment else state

    def settled(self, state):
        """Return False: the measure is never settled."""
        return False


def odds_of(scenario, moments, goal, follower=None):
    """Return the same figure from the odds, with the orders of a policy."""
    odds = Analysis(scenario, moments, compiler=follower)
    if goal == "hit":
        return odds.solve(Ever("fall", "on_target", (True,))).shares.get(True, Fraction(0))
    if goal == "moments_under_fire":
        return sum(count * share for (count, _), share in odds.solve(UnderFire()).shares.items())
    assert goal == "reduced"
    return sum(share for severity, share in odds.severity().items() if severity >= Severity.REDUCED)


def test_the_optimum_is_never_worse_than_the_standard_doctrine(study):
    scenario, moments, goal, optimum, usual = study
    assert optimum.values[0] >= usual.values[0]
    assert usual.values[0] == odds_of(scenario, moments, goal)


def test_the_policy_played_as_a_doctrine_is_worth_exactly_the_optimum(study):
    scenario, moments, goal, optimum, _ = study
    policy = Policy(optimum)
    follower = Follower(policy.process, policy)
    assert optimum.values[0] == odds_of(scenario, moments, goal, follower)


def test_the_rules_of_thumb_leave_nothing_open(study):
    *_, optimum, _ = study
    for thumb in decision_rules(Policy(optimum)):
        assert thumb.uncovered == 0
        assert sum(rule.situations for rule in thumb.rules) + thumb.indifferent >= thumb.situations
