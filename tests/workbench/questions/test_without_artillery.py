"""The best orders of a side without artillery: they minimise the effect of the other side's fire."""

from __future__ import annotations

import pytest

import fireplan as fp
from fireplan.errors import InputError
from fireplan.solver.best import MEASURES
from fireplan_core.play import Catalogue, find_scenario


@pytest.mark.long
def test_a_side_without_decisions_gets_the_value_of_the_standard_orders():
    best = fp.best("asl/ridge", "delivered", side="russian", moments=2).to_dict()
    firing = fp.best("asl/ridge", "delivered", side="german", moments=2).to_dict()
    assert best["value"] == best["standard"] == firing["standard"] != firing["value"]


@pytest.mark.parametrize("name", MEASURES)
def test_its_goal_is_the_opposite_of_the_firing_sides(name):
    scenario, _ = find_scenario(Catalogue.installed(), "asl/ridge")
    assert (
        MEASURES[name].goal_of(scenario, "russian").least
        is not MEASURES[name].goal_of(scenario, "german").least
    )


def test_an_unknown_side_is_refused():
    with pytest.raises(InputError, match="There is no side 'russians'"):
        fp.best("asl/ridge", "on_target", side="russians", moments=1)
