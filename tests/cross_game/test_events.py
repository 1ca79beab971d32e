"""Events wherever they are emitted: solver, joint chain and samples agree, for shipped scenarios
and hybrids.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import islice
from pathlib import Path

import attrs
import pytest
from tiers import first_of_each_game, full_then_long

from fireplan.analysis import find_engagement
from fireplan.solver import (
    Analysis,
    Count,
    Ever,
    PreparedChain,
    TooLargeError,
    WorstSeverity,
    sample,
    solve,
    tail,
)
from fireplan_core import Severity
from fireplan_core.play import Catalogue, Variation, find_scenario, stage_engagement
from fireplan_kit import LAWS, Bench, combinations

SHIPPED = ("asl", "miniatures_1943", "red_poppies", "wacht_am_rhein")
DESTROYED = Ever("suffered", "severity", (Severity.DESTROYED,))
(LAW,) = (law for law in LAWS if law.id == "L23-events")


@pytest.fixture(scope="module")
def catalogue():
    return Catalogue.installed()


SCENARIOS = {
    "asl/creeping": 1,
    "asl/ridge": 3,
    "asl/set_piece": 2,
    "asl/village": 3,
    "miniatures_1943/chits_in_hand": 3,
    "red_poppies/battle_for_pinon": 3,
    "red_poppies/bloody_repulse": 3,
    "red_poppies/combined_arms_assault": 1,
    "red_poppies/cut_wires": 3,
    "red_poppies/fourteenth_corps": 3,
    "red_poppies/perfect_battle_day_1": 1,
    "red_poppies/perfect_battle_day_2": 3,
    "wacht_am_rhein/crossroads": 3,
    "wacht_am_rhein/dividing_fire": 3,
    "miniatures_1943/river_crossing": 1,
    "miniatures_1943/hedgerow_farm": 1,
    "wacht_am_rhein/two_divisions": 1,
}


def bench_of(catalogue, key, scenario, moments):
    """Return a bench on a scenario of a game instead of an engagement; checks of the whole game
    cannot use it.
    """
    bench = Bench.__new__(Bench)
    bench.key, bench.catalogue, bench.installed = key, catalogue, catalogue[key]
    bench.scenario, bench.moments, bench.ledgers = scenario, moments, (catalogue[key].game.ledger,)
    return bench


@pytest.mark.parametrize("name", first_of_each_game(SCENARIOS))
def test_events_of_shipped_scenarios_are_solved_where_they_happen(catalogue, name):
    scenario = find_scenario(catalogue, name)[0]
    bench = bench_of(catalogue, name.partition("/")[0], scenario, SCENARIOS[name])
    assert LAW.flaws(bench) == []


@pytest.mark.parametrize("number", full_then_long(range(3, 4**5, 211)))
def test_events_of_hybrids_are_solved_where_they_happen(catalogue, number):
    (parts,) = islice(combinations(SHIPPED), number, number + 1)
    if parts["delays"] == "asl" and parts["requests"] != "asl":
        parts["delays"] = "red_poppies"  # such chains take long to compile
    if parts["resolution"] == "asl" and parts["areas"] == "wacht_am_rhein":
        parts["areas"] = "asl"  # 32 squads in one hex are too large
    scenario = stage_engagement(
        catalogue, parts["requests"], find_engagement("woods"), Variation(parts=parts)
    )
    assert LAW.flaws(bench_of(catalogue, parts["requests"], scenario, 1)) == []


def test_events_of_the_example_game_are_solved_where_they_happen(engagement, monkeypatch):
    monkeypatch.syspath_prepend(
        str(Path(__file__).parents[2] / "examples" / "night_rockets" / "src")
    )
    catalogue = Catalogue()
    import fireplan_night_rockets

    catalogue.admit(fireplan_night_rockets)
    bench = Bench(catalogue, "night_rockets", engagement)
    assert bench.analysis.solve(DESTROYED).shares.get(True, 0) > 0
    assert LAW.flaws(bench) == []


@pytest.mark.parametrize("key", [key for key in SHIPPED if key != "asl"])
def test_the_chance_of_any_loss_agrees_with_the_joint_distribution(catalogue, key):
    analysis = Analysis(stage_engagement(catalogue, key, find_engagement("woods")), 3)
    assert analysis.separable
    share = analysis.solve(DESTROYED).shares[True]
    assert share == solve(PreparedChain(analysis.chain), DESTROYED, 3).shares[True]
    single = [shares[Severity.DESTROYED] for shares in analysis.unit_severities().values()]
    assert max(single) <= share <= sum(single)


@pytest.mark.long
def test_that_anybody_is_destroyed_is_refused_where_it_is_too_large(catalogue):
    analysis = Analysis(stage_engagement(catalogue, "asl", find_engagement("woods")), 3)
    with pytest.raises(TooLargeError, match="ask for a single unit"):
        analysis.solve(DESTROYED)
    unit, shares = next(iter(analysis.unit_severities().items()))
    assert analysis.solve(WorstSeverity(unit)).shares == {
        s: share for s, share in shares.items() if share
    }


def test_12_3_2_hits_and_shifts_of_a_barrage_are_seen_where_it_strikes(catalogue):
    scenario = stage_engagement(catalogue, "wacht_am_rhein", find_engagement("woods"))
    analysis = Analysis(scenario, 1)
    assert sorted(analysis.solve(HitsAndShift()).shares.values()) == [
        Fraction(1, 5),
        Fraction(1, 5),
        Fraction(3, 5),
    ]


@attrs.frozen
class HitsAndShift:
    """A measure of the last barrage's hits and shift."""

    kinds: frozenset[str] = frozenset({"final_result"})
    initial: tuple[int, bool] = (0, False)

    def see(self, state, letter, moment):
        return letter["hits"], letter["shift"]

    def settled(self, state):
        return False


@attrs.frozen
class InTurn:
    """A measure of the first four events, in order: falls of missions and harm done by strikes."""

    kinds: frozenset[str] = frozenset({"fall", "suffered"})
    initial: tuple[str, ...] = ()

    def see(self, state, letter, moment):
        return (*state, letter.kind)[:4]

    def settled(self, state):
        return len(state) == 4


@pytest.mark.parametrize(
    "name", ["asl/village", "red_poppies/battle_for_pinon", "red_poppies/cut_wires"]
)
def test_the_order_of_events_of_mission_and_strikes_is_kept(catalogue, name):
    analysis = Analysis(find_scenario(catalogue, name)[0], 3)
    assert analysis.separable
    assert (
        analysis.solve(InTurn()).shares == solve(PreparedChain(analysis.chain), InTurn(), 3).shares
    )


@pytest.mark.parametrize("key", SHIPPED)
def test_the_law_notices_when_strikes_are_not_looked_at(catalogue, engagement, key, monkeypatch):
    monkeypatch.setattr(Analysis, "_movers", lambda _analysis, _measure: [])
    assert LAW.flaws(Bench(catalogue, key, engagement))


def test_modifiers_are_events_too(catalogue):
    analysis = Analysis(find_scenario(catalogue, "red_poppies/battle_for_pinon")[0], 2)
    (drawn,) = sample(analysis.compiler, [Count("modifier")], 2, 400, seed=3)
    shares = analysis.solve(Count("modifier")).shares
    assert drawn.counts.keys() <= shares.keys() != {0}
    assert all(
        tail(drawn.counts.get(times, 0), 400, share) > 1e-6 for times, share in shares.items()
    )
