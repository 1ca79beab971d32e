"""Sampling in bulk: against exact answers, in parts, and with an exact report of what was done."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from math import comb, sqrt

import j2
import pytest

from fireplan.solver import (
    Analysis,
    Compiler,
    Ever,
    FirstFall,
    Sampled,
    Sampler,
    WorstSeverity,
    exhausted,
    falls_of,
    sample,
    tail,
)
from fireplan_core import Ask, Severity
from fireplan_core.chance import RandomFaces
from fireplan_core.play import Answered, Catalogue, Table, Thrown, load_scenario, shipped_scenarios


def within(sampled, shares, errors=4.0):
    """Check that every cell with enough samples lies within this many standard errors."""
    n = sampled.trajectories
    assert set(sampled.counts) <= {state for state, share in shares.items() if share}
    for state, share in shares.items():
        p = float(share)
        assert abs(sampled.share(state) - p) <= errors * sqrt(p * (1 - p) / n) + 5 / n, state


@pytest.mark.long
def test_a_million_trajectories_of_twenty_phases_agree_with_the_exact_answer_in_every_cell():
    catalogue = Catalogue.installed()
    scenario, _ = load_scenario(catalogue, shipped_scenarios(catalogue)["asl/set_piece"])
    units = scenario.targets[::3]
    measures = [FirstFall(), exhausted(), *(WorstSeverity(unit) for unit in units)]
    sampler = Sampler(scenario, measures, 20)
    assert sampler.engine == "chain"
    drawn = sampler.draw(1_000_000, seed=3)
    analysis = Analysis(scenario, 20)
    severities = analysis.unit_severities()
    for measure, found in zip(measures, drawn, strict=True):
        within(
            found,
            severities[measure.unit]
            if isinstance(measure, WorstSeverity)
            else analysis.solve(measure).shares,
        )
    assert Severity.DESTROYED in drawn[-1].counts


def test_mission_measures_share_one_draw(scenario):
    measures = [
        FirstFall(),
        WorstSeverity(scenario.targets[0]),
        Ever("fall", "on_target", (True, False)),
    ]
    first, _, fell = Sampler(scenario, measures, 5, engine="chain").draw(20_000, seed=4)
    assert 0 < fell.counts[False] < 20_000
    assert first.counts[FirstFall().initial] == fell.counts[False]


def test_parts_drawn_anywhere_add_up_to_the_whole():
    sampler = Sampler(j2.scenario(), [j2.Hits()], 8)
    (whole,) = sampler.draw(40_000, seed=5)
    total = {}
    for first, last in ((30_000, 40_000), (0, 17), (17, 16_385), (16_385, 30_000)):
        (part,) = Sampler(j2.scenario(), [j2.Hits()], 8).draw(last - first, seed=5, first=first)
        for state, count in part.counts.items():
            total[state] = total.get(state, 0) + count
    assert total == whole.counts
    assert sampler.draw(40_000, seed=6)[0].counts != whole.counts


def test_both_engines_agree_and_name_themselves(scenario):
    measures = [FirstFall(), exhausted()]
    rules = sample(Compiler(scenario), measures, 5, 800, seed=1)
    again = Sampler(scenario, measures, 5, engine="rules")
    assert again.draw(800, seed=1) == rules
    assert (again.engine, again.reason, rules[0].engine) == ("rules", "asked for", "rules")
    chain = Sampler(scenario, measures, 5, engine="chain").draw(50_000, seed=1)
    analysis = Analysis(scenario, 5)
    for measure, slow, fast in zip(measures, rules, chain, strict=True):
        assert fast.engine == "chain"
        within(slow, analysis.solve(measure).shares, errors=4.5)
        within(fast, analysis.solve(measure).shares)


def test_a_table_too_large_to_explore_is_sampled_by_the_rules_with_the_reason(
    scenario, monkeypatch
):
    monkeypatch.setattr("fireplan.solver.sampling.MOST_NODES", 10)
    sampler = Sampler(scenario, [FirstFall()], 5)
    assert sampler.engine == "rules"
    assert "10 joint states" in sampler.reason
    assert sampler.draw(20, seed=1)[0].engine == "rules"
    from fireplan.solver import TooLargeError

    with pytest.raises(TooLargeError):
        Sampler(scenario, [FirstFall()], 5, engine="chain")


def test_solving_does_not_need_numpy():
    code = "import sys, fireplan.solver, fireplan.cli; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.long
def test_a_sample_that_begins_in_the_middle_of_a_play_agrees_with_the_exact_answer_from_there():
    catalogue = Catalogue.installed()
    scenario, form = load_scenario(catalogue, shipped_scenarios(catalogue)["asl/village"])
    moments = form.moments
    table = Table(scenario, moments)
    faces = RandomFaces("begun")
    while table.state.moment < 2:
        waits = table.waits_for
        if isinstance(waits, Ask):
            table.submit(Answered(waits.question, table.rulebook.answer(waits, {}, table.read)))
        else:
            table.submit(Thrown(waits.name, faces.faces(waits)))
    own = frozenset(scenario.missions)
    left = moments - table.state.moment
    exact = Analysis(scenario, left, state=table.state).solve(falls_of(own))
    fresh, _ = load_scenario(catalogue, shipped_scenarios(catalogue)["asl/village"])
    (drawn,) = sample(Compiler(fresh), [falls_of(own)], moments, 3000, 7, state=table.state)
    within(drawn, exact.shares)
    (whole,) = sample(Compiler(fresh), [falls_of(own)], moments, 3000, 7)
    with pytest.raises(AssertionError):
        within(whole, exact.shares)


@pytest.mark.parametrize("chance", [Fraction(1, 36), Fraction(1, 2), Fraction(5, 6)])
def test_the_tail_of_a_count_is_the_smaller_of_two_binomial_sums(chance):
    size = 40
    shares = [
        comb(size, times) * chance**times * (1 - chance) ** (size - times)
        for times in range(size + 1)
    ]
    for count in range(size + 1):
        smaller = min(sum(shares[: count + 1]), sum(shares[count:]))
        assert tail(count, size, chance) == pytest.approx(float(smaller), rel=1e-12)


def test_the_standard_error_of_a_share_falls_with_the_root_of_the_number_drawn():
    small, large = (
        Sampled({"hit": 20, "miss": 80}, 100),
        Sampled({"hit": 2_000, "miss": 8_000}, 10_000),
    )
    assert small.error("hit") == pytest.approx(sqrt(0.2 * 0.8 / 100))
    assert large.error("hit") == pytest.approx(small.error("hit") / 10)
