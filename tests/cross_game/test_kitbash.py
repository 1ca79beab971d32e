"""Kitbash: with parts of different games, a table plays, replays, and is solved exactly and sampled
with the same result.
"""

from __future__ import annotations

import pytest

from fireplan.solver import FirstFall
from fireplan_core import Effects, Stage, View
from fireplan_core.chance import RandomFaces
from fireplan_core.play import (
    Catalogue,
    Table,
    Variation,
    play_out,
    replay,
    stage_engagement,
)
from fireplan_kit import LAWS, Bench

DEAREST = "L23-events"
"""The law that solves each kind of event of a hybrid separately."""

HYBRIDS = {
    "asl with the delays of red_poppies": ("asl", {"delays": "red_poppies"}),
    "red_poppies with the areas of asl": ("red_poppies", {"areas": "asl"}),
}
_benches: dict[str, Bench] = {}


@pytest.fixture(params=HYBRIDS, ids=lambda name: name.replace(" ", "_"))
def hybrid(request, engagement) -> Bench:
    name = request.param
    if name not in _benches:
        key, parts = HYBRIDS[name]
        _benches[name] = Bench(
            Catalogue.installed(), key, engagement, Variation(parts=parts), at_most=6
        )
    return _benches[name]


def test_a_hybrid_fires_and_its_mass_is_one(hybrid: Bench) -> None:
    shares = hybrid.analysis.solve(FirstFall()).shares
    assert sum(shares.values()) == 1
    assert shares.get(None, 0) < 1
    assert sum(hybrid.analysis.severity().values()) == 1


def test_a_hybrid_is_played_and_replayed(hybrid: Bench) -> None:
    table = play_out(Table(hybrid.scenario, hybrid.moments), RandomFaces(4))
    assert replay(hybrid.scenario, hybrid.moments, table.journal).state == table.state
    assert any(entry.event.kind == "requested" for entry in table.log)


@pytest.mark.full
@pytest.mark.parametrize(
    "law",
    [
        pytest.param(law, marks=pytest.mark.long if law.id == DEAREST else ())
        for law in LAWS
        if not law.whole_game
    ],
    ids=lambda law: law.id,
)
def test_a_hybrid_keeps_the_laws(hybrid: Bench, law) -> None:
    assert law.flaws(hybrid) == []


def test_a_part_is_found_by_its_class_where_its_game_supplies_it_and_nowhere_else(engagement):
    kinds = Catalogue.installed().games["asl"].game.parts
    mixed = stage_engagement(
        Catalogue.installed(), "asl", engagement, Variation(parts={"delays": "red_poppies"})
    )
    assert mixed.parts.find(kinds.areas) is mixed.parts.areas
    assert mixed.parts.find(kinds.delays) is None


def test_the_first_sides_fire_phase_leaves_the_fire_of_a_table_with_one_side_to_the_end_of_the_phase(
    engagement,
):
    scenario = stage_engagement(Catalogue.installed(), "asl", engagement)
    areas, (mission, *_) = scenario.parts.areas, scenario.mission_ids
    falling = {f"missions/{mission}/stage": Stage.FALLING}
    view = View(falling.get, scenario, "areas")
    assert areas.fire_phase(None, view, mission) == Effects()


def test_a_mixed_table_calls_an_asset_as_its_own_game_or_the_core_does():
    from fireplan.analysis import find_engagement
    from fireplan_core.play import Catalogue, Variation, stage_engagement
    from fireplan_core.sentences import common

    mixed = Variation(parts={"observers": "miniatures_1943"})
    scenario = stage_engagement(Catalogue.installed(), "asl", find_engagement("woods"), mixed)
    usual = common().tables["names"]["asset"]
    assert scenario.sentences.tables["names"]["asset"][: len(usual)] == usual
