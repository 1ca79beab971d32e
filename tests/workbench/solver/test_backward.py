"""Worth carried backwards against chances carried forwards, and what a changed weight does."""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path

import attrs
import pytest

from fireplan.solver import (
    Compiler,
    Ever,
    NumberLog,
    backward,
    build_chain,
    exhausted,
    gradient,
    plan,
    solve,
)
from fireplan.solver._chain import NOTHING, Chain
from fireplan.solver._compile import Row, Rows
from fireplan_core import Event
from fireplan_core.play import Outcome

sys.path.insert(0, str(Path(__file__).parents[2] / "games"))
sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks"))
import j2


@pytest.fixture(scope="module")
def chain():
    return build_chain(Compiler(j2.scenario()), spliced=True)


def test_backward_expectation_is_the_forward_mean(chain):
    shares = solve(plan(chain), j2.Hits(), 4).shares
    mean = sum(hits * share for hits, share in shares.items())
    assert backward(chain, j2.Hits(), 4, Fraction).value == mean
    assert backward(chain, j2.Hits(), 4, float, exact=False).value == pytest.approx(float(mean), abs=1e-12)


def _weighted(a, b):
    """Two throws a moment: a of 6 to be told, else b of 6 to be told."""
    emissions = [NOTHING, (Event("way", "x", (("name", "told"),)),)]
    links = [[(0, a, 1, True), (1, 6 - a, 0, False)], [(0, b, 1, True), (0, 6 - b, 0, True)]]
    nothing = Outcome((), (), ())
    sources = [Rows(6, (Row(w, nothing), Row(6 - w, nothing))) for w in (a, b)]
    return Chain((), ["one", "two"], [6, 6], links, emissions, sources=sources)


def test_gradient_is_the_derivative_of_the_answer():
    measure = Ever("way", "name", ("told",))
    chain = _weighted(2, 3)
    found = gradient(chain, measure, 2, Fraction, exact=True)
    first, second = (found[rows] for rows in chain.sources)
    # P(never) = ((1 - a) (1 - b))^2; with a = 1/3, b = 1/2: dP(told)/da = 2 (1/9) / (2/3) = 1/3, d/db = 4/9.
    assert first[0] - first[1] == Fraction(1, 3)
    assert second[0] - second[1] == Fraction(4, 9)


def test_rows_remember_the_numbers_they_rest_on_and_outlive_the_change_of_others():
    noted = NumberLog()

    class Telling(j2.J2):
        @property
        def contact_on(self):
            noted("contact_on")
            return self.value

    def told(value):
        game = j2.scenario(part=Telling)
        vars(game.parts.delays)["value"] = value
        return game

    before = Compiler(told(8), noted=noted)
    build_chain(before)
    after = before.varied(told(7), {"contact_on"}, noted)
    chain = build_chain(after, spliced=True)
    resting = {rows for rows in chain.sources if rows.numbers}
    assert 0 < after.runs == len(resting) < 5
    fresh = solve(plan(build_chain(Compiler(j2.scenario(contact_on=7)))), j2.Hits(), 3)
    assert dict(solve(plan(chain), j2.Hits(), 3).shares) == dict(fresh.shares)


def test_exhaustion_backward_on_the_null_game(scenario):
    chain = build_chain(Compiler(scenario), apart=True)
    forward = solve(plan(chain), exhausted(), 6).shares[True]
    assert backward(chain, exhausted(), 6, Fraction).value == forward
    assert attrs.fields(Rows).numbers.default == frozenset()
