"""Sampled figures and rankings against the exact ones from the same table."""

from __future__ import annotations

import attrs
import pytest
from tiers import one_in

from fireplan.analysis import FIGURES, sampled_sensitivity, sensitivity
from fireplan.questions.opening import setting_of
from fireplan.solver import Analysis, Estimate, walks
from fireplan_core.play import Catalogue, Variation

NAME = "miniatures_1943/chits_in_hand"


@pytest.fixture(scope="module")
def table():
    return setting_of(Catalogue.installed(), NAME, None)


@pytest.mark.parametrize("figure", one_in(3, FIGURES.values()), ids=FIGURES)
def test_the_mean_of_trajectories_is_the_exact_figure(table, figure):
    scenario = table.stage(Variation())
    moments = table.moments(scenario)
    analysis = Analysis(scenario, moments)
    exact = figure.of(analysis)
    ends = walks(analysis.compiler, [*figure.parts(scenario, moments)], moments, 400, 1)
    worths = figure.parts(scenario, moments).values()
    mean = Estimate.of(
        [sum(worth(s) for worth, s in zip(worths, states, strict=True)) for states in ends]
    )
    assert abs(mean.mean - exact) <= 5 * mean.error + 1e-9


@pytest.mark.long
def test_a_sampled_ranking_agrees_with_the_exact_one(table):
    figure = FIGURES["destroyed"]
    exact = sensitivity(table, Variation(), figure)
    sampled = sampled_sensitivity(table, Variation(), figure, trajectories=400)
    assert abs(sampled.value.mean - exact.value) <= 5 * sampled.value.error
    assert {effect.name for effect in sampled.effects} == {effect.name for effect in exact.effects}
    moved = {(effect.name, one.to): one.by for effect in exact.effects for one in effect.moved}
    told = 0
    for effect in sampled.effects:
        for one in effect.moved:
            by = moved[effect.name, one.to]
            if one.by is not None and by is not None:
                assert abs(one.by.mean - by) <= 5 * one.by.error + 0.02, effect.name
                told += by != 0 and abs(one.by.mean) > 2 * one.by.error
    assert told > 1


@pytest.mark.full
def test_the_same_seed_gives_the_same_ranking(table):
    short, figure = attrs.evolve(table, own_moments=2), FIGURES["delivered"]

    def ranked(seed):
        found = sampled_sensitivity(short, Variation(), figure, trajectories=20, seed=seed)
        return found.value, found.effects

    assert ranked(3) == ranked(3)
