"""ASL's piles and scatter against icepool: chits drawn without replacement, and the error of a
missed round.
"""

from __future__ import annotations

import datetime as dt
from fractions import Fraction

import attrs
import icepool
import pytest

from fireplan.solver import Analysis, FirstFall
from fireplan_core import Asset, Engagement, Firer, Observer, Target
from fireplan_core.play import Catalogue, stage_engagement

FAR = Engagement(
    title="oracle",
    date=dt.date(1944, 12, 18),
    firer=Firer(nationality="german"),
    target=Target(nationality="american", men=10, frontage_m=40, depth_m=40),
    observer=Observer(kind="offboard"),
    minutes=6,
)


def first_falls(asset, moments):
    scenario = stage_engagement(Catalogue.installed(), "asl", attrs.evolve(FAR, asset=asset))
    return Analysis(scenario, moments).solve(FirstFall()).shares


def shares_of(die):
    whole = die.denominator()
    return {outcome: Fraction(weight, whole) for outcome, weight in die.items()}


@pytest.mark.parametrize(
    ("ammunition", "black", "red"), [("normal", 8, 3), ("plentiful", 9, 3), ("scarce", 8, 4)]
)
def test_c1_21_access_is_lost_when_the_first_two_chits_are_red(ammunition, black, red):
    # Contact of an Offboard Observer is automatic, and fire on a Pre-Registered hex falls with the
    # first black chit: it never falls only if the first two chits are red. Pre-Registered fire adds
    # a black chit (C1.211).
    pile = icepool.Deck({"black": black + 1, "red": red})
    both_red = Fraction(
        icepool.map(lambda hand: hand == ("red", "red"), pile.deal(2)).probability(True)
    )
    shares = first_falls(Asset(ammunition=ammunition, preregistered=True), 6)
    assert shares[None] == both_red


def test_c1_73_c1_732_a_miss_of_a_registered_hex_is_half_an_extent_away():
    # The shot is accurate on 4 of 6 faces; otherwise a direction is rolled, and the extent is
    # halved and rounded up.
    shares = first_falls(Asset(preregistered=True), 1)
    fallen = {state: share for state, share in shares.items() if state is not None}
    whole = sum(fallen.values())
    by_gap = {}
    for (_, gap, _, _), share in fallen.items():
        by_gap[gap] = by_gap.get(gap, 0) + share / whole
    half = icepool.d6.map(lambda extent: (extent + 1) // 2)
    hexes = shares_of(icepool.d6.map(lambda accuracy: half if accuracy > 4 else 0))
    assert sorted(by_gap.values()) == sorted(hexes.values())
    assert by_gap[min(by_gap)] == hexes[0] == Fraction(2, 3)


def test_c1_9_rockets_scatter_to_36_places_by_direction_and_extent():
    # Rockets are never accurate: one die for direction, one for extent.
    shares = first_falls(Asset(weapon="rocket", calibre_mm=150), 1)
    fallen = {state: share for state, share in shares.items() if state is not None}
    whole = sum(fallen.values())
    places = {}
    for (_, _, _, impact), share in fallen.items():
        places[impact] = places.get(impact, 0) + share / whole
    expected = shares_of(icepool.tupleize(icepool.d6, icepool.d6))
    assert sorted(places.values()) == sorted(expected.values())
    assert len(places) == len(expected) == 36
