"""Which units observe for a group (4.7, 4.82, 6.1, 7.21), and scenarios that are refused."""

from __future__ import annotations

import pytest

from fireplan_core import CannotStageError, View


def sight(scenario):
    view = View(lambda key, default: default, scenario, "observers")
    return scenario.parts.observers.sees(view, "a", scenario.centre)


def test_rp_6_1_infantry_must_see_the_point(rp):
    assert sight(rp.stage()).ground
    for seen in ("burst_only", "none"):
        with pytest.raises(CannotStageError, match="line of sight"):
            rp.stage(sight=seen)


@pytest.mark.parametrize("way", [{"kind": "aircraft"}, {"link": "aircraft", "kind": "none"}])
def test_rp_4_7_an_aircraft_sees_every_vertex(rp, way):
    assert sight(rp.stage(sight="none", **way)).ground


@pytest.mark.parametrize("kind", ["none", "offboard"])
def test_rp_7_21_no_other_mode_without_infantry_on_the_map(rp, kind):
    with pytest.raises(CannotStageError, match="infantry"):
        rp.stage(kind=kind)


def test_rp_4_82_at_night_sight_reaches_two_hexes(rp):
    # Two hexes are 366 m; three are 549 m.
    assert sight(rp.stage(night=True, distance=366)).ground
    with pytest.raises(CannotStageError, match=r"4\.82"):
        rp.stage(night=True, distance=549)
    assert sight(rp.stage(distance=549)).ground


def test_rp_11_522_no_aircraft_sees_at_night(rp):
    with pytest.raises(CannotStageError):
        rp.stage(kind="aircraft", link="aircraft", sight="none", night=True)


def test_rp_7_3_a_flare_group_needs_its_vertex_at_the_target(rp):
    with pytest.raises(CannotStageError, match="preregistered"):
        rp.stage("flare")
    assert rp.stage("flare", preregistered=True).missions["a"].target is not None


def test_known_enemy_is_the_identified_target_that_is_seen(rp):
    assert sight(rp.stage()).known_enemy
    assert not sight(rp.stage(identified=False)).known_enemy
