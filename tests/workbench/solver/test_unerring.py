"""A setup in which rounds do not err bounds what a battery can do whose targets are together."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from random import Random

import pytest

import fireplan as fp
from fireplan.solver import TooLargeError
from fireplan.solver.best import MEASURES, OpenDecisions, Process, bounded, values_of
from fireplan_core import ProcedureError

GOALS = ("hit", "falls", "moments_under_fire", "strikes", "suppressed", "destroyed")
MOMENTS = 3
TRIALS = 12
IMPACT, SMOKE = "missions/a/impact", "shared/areas/cells"


def text_of(old="", new=""):
    """Return the text of the village street with one passage replaced."""
    text = (files("fireplan_asl") / "data/scenarios/village.toml").read_text()
    assert old in text
    return text.replace(old, new, 1)


def process_of(tmp_path, old="", new="", moments=MOMENTS):
    path = tmp_path / "village.toml"
    path.write_text(text_of(old, new))
    scenario = fp.position(str(path)).at.scenario
    return Process(scenario, moments, OpenDecisions(scenario.firer))


@pytest.fixture(scope="module")
def village():
    scenario = fp.position("asl/village").at.scenario
    return Process(scenario, MOMENTS, OpenDecisions(scenario.firer))


def goal_of(process, name):
    return MEASURES[name].goal_of(process.scenario, process.scenario.firer)


@cache
def bound_of(process, name):
    """Return the bound of a goal in the process without errors."""
    return bounded(process.unerring, goal_of(process, name)).bound


def orders_drawn(seed, bent):
    """Return a policy that draws each order by seed, question and moment, for ``bent`` only."""

    def choose(ask, read, legal):
        if bent is not None and ask.question != bent:
            return ()
        random = Random(f"{seed} {ask.question} {read('clock/moment', 0)}")
        orders = sorted(legal(), key=repr)
        verb = random.choice(sorted({order.verb for order in orders}))
        return (random.choice([order for order in orders if order.verb == verb]),)

    return choose


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param('hex = "L5"', 'hex = "M5"', id="an enemy beyond a Blast Area at the target"),
        pytest.param(
            '3rd squad"\nside = "russian"', '3rd squad"\nside = "german"', id="own troops near"
        ),
    ],
)
def test_it_is_refused_where_the_target_is_not_always_best(tmp_path, old, new):
    assert process_of(tmp_path, old, new).unerring is None


def test_a_creeping_barrage_and_a_set_piece_are_refused():
    for name in ("asl/creeping", "asl/set_piece"):
        scenario = fp.position(name).at.scenario
        assert Process(scenario, MOMENTS, OpenDecisions(scenario.firer)).unerring is None


@pytest.mark.parametrize("registered", ["", 'preregistered = ["K4"]\n', 'preregistered = ["K5"]\n'])
def test_every_round_lands_on_the_target_and_smoke_hides_nothing(tmp_path, registered):
    whole = process_of(tmp_path, 'link = "radio"\n', 'link = "radio"\n' + registered)
    process = whole.unerring
    explored = process.explored([goal_of(process, "falls")])
    assert explored.decides
    written = {key: set() for key in (IMPACT, SMOKE)}
    for pending in process.compiler.compiled:
        for row in rows_below(process, pending):
            for key, value in row.outcome.updates:
                written.setdefault(key, set()).add(value)
    assert written[IMPACT] == {None, whole.scenario.missions["a"].target}
    assert written[SMOKE] <= {()}


def rows_below(process, pending):
    for node in process.compiler._below(pending):
        yield from getattr(node, "rows", ())


@pytest.mark.parametrize("seed", range(TRIALS))
def test_no_policy_is_better_than_the_bound(village, seed):
    bent = Random(seed).choice([None, "requests.fire", "requests.type", "delays.contact"])
    goals = [goal_of(village, name) for name in GOALS]
    try:
        values = values_of(village, goals, orders_drawn(seed, bent) if seed else None)
    except (TooLargeError, ProcedureError):
        pytest.skip("the orders are too large to follow")
    for name, value in zip(GOALS, values, strict=True):
        assert value <= bound_of(village, name), name
