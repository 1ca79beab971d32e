"""Twenty fire phases with all of C1, solved exactly and sampled: the two agree in every reported
cell.

A million runs are walked over the explored states; a few thousand more play the rules themselves,
step by step. ``FIREPLAN_ASL_RUNS`` sets the number of those (3000 by default); a million take half
an hour: FIREPLAN_ASL_RUNS=1000000 python -m pytest -q tests/asl/test_exact_and_sampled.py

A cell agrees when it is within four standard errors of the exact share; the standard error is
computed from the exact share, so that rare cells are judged as strictly as common ones. Cells with
an expected count below five, where a standard error means nothing, are pooled; with a million runs
there are hardly any. Anything that the exact answer excludes must not occur.
"""

from __future__ import annotations

import os
from fractions import Fraction
from math import sqrt

import pytest

from fireplan.solver import Analysis, Ever, FirstFall, Sampler, WorstSeverity
from fireplan_asl import fireplan_game as asl
from fireplan_core import Reason, Severity
from fireplan_core.play import Catalogue, load_scenario

RUNS = {"chain": 1_000_000, "rules": int(os.environ.get("FIREPLAN_ASL_RUNS", "3000"))}
PHASES = 20
EVENTS = {
    "contact": Ever("contact", "mission", ("a",)),
    "no contact": Ever("no_contact", "mission", ("a",)),
    "the radio breaks": Ever("set_breaks", "mission", ("a",)),
    "it is repaired": Ever("repaired", "mission", ("a",)),
    "access": Ever("access", "mission", ("a",)),
    "a red chit": Ever("no_access", "mission", ("a",)),
    "a red extra chit": Ever("extra_chit_red", "mission", ("a",)),
    "an SR": Ever("spotting", "mission", ("a",)),
    "on target": Ever("fall", "on_target", (True,)),
    "own troops under fire": Ever("fall", "own_under_fire", (True,)),
    "an FFE:C": Ever("lingering", "mission", ("a",)),
    "exhausted": Ever("ended", "reason", (Reason.EXHAUSTED,)),
    "lost": Ever("ended", "reason", (Reason.LOST,)),
}


def agrees(counted, exact, *states):
    share, found = float(exact), sum(map(counted.share, states))
    return abs(found - share) <= 4 * sqrt(share * (1 - share) / counted.trajectories) + 1e-12


@pytest.fixture(
    scope="module", params=["village", pytest.param("creeping", marks=pytest.mark.long)]
)
def analysis(request):
    """Return the analysis of a scenario, solved once for both engines."""
    catalogue = Catalogue.installed(only=("asl",))
    return Analysis(load_scenario(catalogue, asl().scenarios.shipped[request.param])[0], PHASES)


@pytest.mark.long
@pytest.mark.parametrize("engine", ["chain", "rules"])
def test_c1_exact_and_sampled_agree_over_twenty_fire_phases(analysis, engine):
    played = analysis.scenario
    units = [unit for unit, setup in played.units.items() if setup.side != played.firer]
    measures = [FirstFall(), *EVENTS.values(), *(WorstSeverity(unit) for unit in units)]
    runs = RUNS[engine]
    sampler = Sampler(played, measures, PHASES, engine=engine)
    assert sampler.engine == engine
    first, *others = sampler.draw(runs, seed=20)
    cells = 0
    # Compare the moment, the place and the distance from the target of the first fire for effect.
    exact = analysis.solve(FirstFall()).shares
    assert sum(exact.values()) == 1
    assert set(first.counts) <= set(exact)
    rare = [state for state, share in exact.items() if share * runs < 5]
    for state, share in exact.items():
        assert state in rare or agrees(first, share, state), state
        cells += 1
    assert agrees(first, sum(exact[state] for state in rare), *rare)
    # Compare the chance that each event ever happens.
    for (what, measure), counted in zip(EVENTS.items(), others, strict=False):
        share = analysis.solve(measure).shares.get(True, Fraction(0))
        assert 0 < share * runs < 5 or agrees(counted, share, True), what
        cells += 1
    # Compare the worst harm to each target unit.
    severities = analysis.unit_severities()
    assert set(severities) == set(units)
    for unit, counted in zip(units, others[len(EVENTS) :], strict=True):
        assert sum(severities[unit].values()) == 1
        for severity in Severity:
            share = severities[unit].get(severity, Fraction(0))
            assert 0 < share * runs < 5 or agrees(counted, share, severity), (unit, severity)
            cells += 1
    assert cells == len(exact) + len(EVENTS) + len(Severity) * len(units)
