"""The rules that an answer cites are enough: the other rules do not affect it."""

from __future__ import annotations

from collections.abc import Collection

import attrs
import pytest
from tiers import first_of_each_game

import fireplan as fp
from fireplan.solver import Analysis, FirstFall, TooLargeError
from fireplan.solver.citations import OpenSteps
from fireplan_core import Effects, Scenario
from fireplan_core.play import Catalogue, find_scenario, shipped_scenarios

CATALOGUE = Catalogue.installed()
MOMENTS = 2
LONGEST = "wacht_am_rhein/two_divisions"


def with_idle(scenario: Scenario, names: Collection[str]) -> Scenario:
    """Return the scenario with the named steps made to do nothing."""
    idle = {
        name: attrs.evolve(scenario.steps[name], run=lambda *_, **__: Effects()) for name in names
    }
    return attrs.evolve(scenario, steps={**scenario.steps, **idle})


@pytest.mark.parametrize(
    "name",
    [
        *first_of_each_game(name for name in shipped_scenarios(CATALOGUE) if name != LONGEST),
        pytest.param(LONGEST, marks=pytest.mark.long),
    ],
)
def test_steps_that_are_not_cited_change_nothing_of_the_first_fall(name):
    scenario, measure = find_scenario(CATALOGUE, name)[0], FirstFall()
    analysis = Analysis(scenario, MOMENTS)
    try:
        shares = analysis.solve(measure).shares
    except TooLargeError as error:
        pytest.skip(f"it cannot be solved: {error}")
    cited = {step.name for step in OpenSteps(analysis.plan.chain, measure, MOMENTS)}
    uncited = {step.name for step in analysis.compiler.compiled} - cited
    changed = with_idle(scenario, uncited & scenario.steps.keys())
    assert Analysis(changed, MOMENTS).solve(measure).shares == shares


def test_c1_22_contact_is_cited_only_if_it_can_be_lost_before_the_fall():
    """From the second player turn on Contact is rolled for again."""
    opening = fp.position("asl/village")
    assert "C1.22" not in opening.chance("fall", by="turn 1").rules
    assert "C1.22" in opening.chance("fall", by="turn 3").rules


def test_c1_5_the_attack_is_cited_for_what_a_unit_suffers_and_not_for_the_fall():
    opening = fp.position("asl/village")
    assert "C1.5" not in opening.chance("fall", by="turn 3").rules
    hurt = opening.chance(fp.happens("suffered", unit="1st squad"), by="turn 3")
    assert "C1.5" in hurt.rules


def test_citations_do_not_depend_on_earlier_questions():
    fresh = fp.position("asl/village").chance("fall", by="turn 1").rules
    opening = fp.position("asl/village")
    opening.chance("fall", by="turn 3")
    assert opening.chance("fall", by="turn 1").rules == fresh
