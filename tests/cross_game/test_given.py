"""Conditions: the conditional answer equals following every case and leaving out those that do not
meet the condition.
"""

from __future__ import annotations

from fractions import Fraction

import attrs
import pytest
from tiers import first_of_each_game

from fireplan.solver import (
    Analysis,
    Count,
    Ever,
    Jointly,
    PreparedChain,
    WorstSeverity,
    build_chain,
    solve,
)
from fireplan_core import Severity
from fireplan_core.play import Catalogue, find_scenario

SCENARIOS = (
    "asl/ridge",
    "miniatures_1943/chits_in_hand",
    "red_poppies/battle_for_pinon",
    "wacht_am_rhein/crossroads",
)
MOMENTS = 2


def followed(scenario, moments):
    """Return the chance of every pair (falls, harms suffered), each counted up to three, by the
    plain joint chain.
    """
    chain = build_chain(Analysis(scenario, moments).compiler, horizon=moments, moments=moments)
    mass, found = {(0, 0, 0, 0): Fraction(1)}, {}
    while mass:
        (node, moment, falls, suffered), share = mass.popitem()
        if moment == moments:
            found[falls, suffered] = found.get((falls, suffered), 0) + share
            continue
        for edge in chain.edges[node]:
            kinds = [event.kind for event in edge.events]
            after = falls + kinds.count("fall"), suffered + kinds.count("suffered")
            key = edge.target, moment + edge.ends, *map(min, after, (3, 3))
            mass[key] = mass.get(key, 0) + share * Fraction(edge.weight, chain.totals[node])
    return found


@pytest.mark.parametrize(
    "name", [pytest.param("asl/ridge", marks=pytest.mark.long), *SCENARIOS[1:]]
)
def test_conditional_answers_equal_the_joint_chain_without_the_other_cases(name):
    scenario = find_scenario(Catalogue.installed(), name)[0]
    cases = followed(scenario, MOMENTS)
    given = Analysis(scenario, MOMENTS).given(Count("suffered"))
    chance = sum(share for (_, suffered), share in cases.items() if suffered)
    falls = {}
    for (fell, suffered), share in cases.items():
        if suffered:
            falls[fell] = falls.get(fell, 0) + share / chance
    assert given.chance == chance > 0
    assert given.solve(Count("fall")).shares == falls


def test_an_impossible_condition_is_refused():
    scenario = find_scenario(Catalogue.installed(), SCENARIOS[0])[0]
    given = Analysis(scenario, 1).given(Ever("fall", "on_target", ("neither",)))
    assert given.chance == 0
    with pytest.raises(ValueError, match="never holds"):
        given.solve(Count("fall"))


@pytest.mark.parametrize("name", first_of_each_game(SCENARIOS))
def test_harm_given_a_fall_equals_the_joint_chain_without_the_other_cases(name):
    scenario = find_scenario(Catalogue.installed(), name)[0]
    analysis = Analysis(scenario, MOMENTS)
    fell = Count("fall")
    given = analysis.given(fell)
    joint = PreparedChain(
        build_chain(Analysis(scenario, MOMENTS).compiler, horizon=MOMENTS, moments=MOMENTS)
    )
    for unit in scenario.targets[:3]:
        cases = solve(joint, Jointly((WorstSeverity(unit), fell)), MOMENTS).shares
        chance = sum(share for (_, fallen), share in cases.items() if fallen)
        whole = dict.fromkeys(Severity, Fraction(0))
        for (severity, fallen), share in cases.items():
            whole[severity] += share / chance if fallen else 0
        apart = given.solve(WorstSeverity(unit)).shares
        assert {**dict.fromkeys(Severity, Fraction(0)), **apart} == whole
        assert 1 in (chance, whole[Severity.NONE]) or whole != dict(
            analysis.unit_severities()[unit]
        )


@attrs.frozen
class InTurn:
    """A measure of the first three events, in order: falls of missions and harm done by strikes."""

    kinds: frozenset[str] = frozenset({"fall", "suffered"})
    initial: tuple[str, ...] = ()

    def see(self, state, letter, moment):
        return (*state, letter.kind)[:3]

    def settled(self, state):
        return len(state) == 3


@pytest.mark.parametrize("name", first_of_each_game(SCENARIOS))
def test_the_sequence_of_events_agrees_with_the_joint_chain(name):
    scenario = find_scenario(Catalogue.installed(), name)[0]
    joint = PreparedChain(
        build_chain(Analysis(scenario, MOMENTS).compiler, horizon=MOMENTS, moments=MOMENTS)
    )
    assert Analysis(scenario, MOMENTS).solve(InTurn()) == solve(joint, InTurn(), MOMENTS)
