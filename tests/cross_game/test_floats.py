"""Floats on request: equal to the exact answers except for rounding, and never called exact."""

from __future__ import annotations

from fractions import Fraction

from fireplan.solver import Analysis, FirstFall, exhausted, own_troops_under_fire
from fireplan_kit import Bench

MOMENTS = 5
CLOSE = Fraction(1, 10**12)


def close(rounded, exact):
    """Compare each share with its exact one, by relative error."""
    assert {state for state, share in rounded.items() if share} == {
        state for state, share in exact.items() if share
    }
    assert all(abs(rounded[state] - share) <= CLOSE * share for state, share in exact.items())


def test_floats_are_exact_but_for_rounding(bench: Bench) -> None:
    exact = Analysis(bench.scenario, MOMENTS)
    floats = Analysis(bench.scenario, MOMENTS, exact=False)
    for measure in (FirstFall(), exhausted(), own_troops_under_fire()):
        one, other = exact.solve(measure), floats.solve(measure)
        assert (one.exact, other.exact) == (True, False)
        close(other.shares, one.shares)
    units, suffered = floats.unit_severities(), exact.unit_severities()
    for unit in suffered:
        close(units[unit], suffered[unit])
    close(floats.severity(), exact.severity())


def test_floats_are_floats(bench: Bench) -> None:
    shares = Analysis(bench.scenario, MOMENTS, exact=False).solve(FirstFall()).shares
    assert all(Fraction(float(share)) == share for share in shares.values())
