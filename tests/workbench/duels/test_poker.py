"""Benchmark games with hidden information, written with fireplan's parts and solved by the code of
``duel``.
"""

from __future__ import annotations

from fractions import Fraction

import poker
import pytest

from fireplan.analysis import find_engagement
from fireplan.duels import DuelTree, SequenceForm, cfr_plus, equilibrium

KUHN = Fraction(-1, 18)
"""The value of the game for the first player (Kuhn, 1950)."""
LEDUC = -0.0856064
"""The value of Leduc poker for the first player, as found by OpenSpiel and others, to seven
decimals.
"""


@pytest.fixture(scope="module")
def kuhn() -> SequenceForm:
    return SequenceForm(DuelTree(poker.poker(poker.Kuhn, find_engagement("woods"))).root)


@pytest.fixture(scope="module")
def leduc() -> SequenceForm:
    return SequenceForm(DuelTree(poker.poker(poker.Leduc, find_engagement("woods"))).root)


def test_kuhn_poker_is_solved_to_its_value_in_fractions(kuhn: SequenceForm) -> None:
    found = equilibrium(kuhn)
    assert (found.low, found.high, found.exploitability) == (KUHN, KUHN, 0)
    assert [len(situations) for situations in kuhn.situations] == [6, 6]


def test_leduc_poker_is_solved_to_its_value(leduc: SequenceForm) -> None:
    found = equilibrium(leduc)
    assert [len(situations) for situations in leduc.situations] == [144, 144]
    assert leduc.sizes == [337, 337]
    assert float(found.low) == pytest.approx(LEDUC, abs=1e-7)
    assert 0 <= found.exploitability < Fraction(1, 10**9)


def test_cfr_plus_comes_close_and_its_bounds_hold_the_value(
    kuhn: SequenceForm, leduc: SequenceForm
) -> None:
    for form, value in ((kuhn, float(KUHN)), (leduc, LEDUC)):
        found = cfr_plus(form)
        assert float(found.low) <= value + 1e-7
        assert value <= float(found.high) + 1e-7
        assert found.exploitability < Fraction(1, 1000)


def test_a_bent_plan_is_sure_of_less(kuhn: SequenceForm) -> None:
    best = equilibrium(kuhn)
    for number, mixture in enumerate(best.mixtures[0]):
        bent = [*best.mixtures[0]]
        bent[number] = [1 - share for share in mixture]
        assert -kuhn.reply(1, kuhn.plan(0, bent)) <= best.low
    # This player never bets and never calls.
    never = [[Fraction(1), Fraction(0)] for _ in best.mixtures[0]]
    assert -kuhn.reply(1, kuhn.plan(0, never)) < best.low
