"""Engagements: what is staged, what is refused and why, and the modern engagement."""

from fractions import Fraction

import pytest

import fireplan as fp
from fireplan.analysis import find_engagement
from fireplan_core import CannotStageError
from fireplan_core.play import Catalogue, stage_engagement


@pytest.mark.parametrize("name", ["woods", "dug_in", "drone"])
def test_engagements_that_are_staged_rest_on_second_hand_sources(stage, name):
    scenario = stage(name)
    assert "from second-hand sources" in " ".join(scenario.provenance)


@pytest.mark.parametrize(
    ("name", "reason"),
    [("open_attack", "and 250 m are required (11)"), ("strongpoint", "sight burst_only")],
)
def test_refused_engagements_give_the_reason(stage, name, reason):
    with pytest.raises(CannotStageError) as error:
        stage(name)
    assert reason in str(error.value)


def test_others_answer_the_modern_engagement_with_a_reason():
    catalogue = Catalogue.installed()
    for key in ("asl", "miniatures_1943", "red_poppies", "wacht_am_rhein"):
        with pytest.raises(CannotStageError) as error:
            stage_engagement(catalogue, key, find_engagement("drone"))
        assert [reason.partition(":")[0] for reason in error.value.reasons[:2]] == [
            "drone",
            "electronic warfare",
        ]


def test_clause_23_chits_of_the_modern_engagement_are_exact():
    """In the first turn each side draws one of seven chits, so each has a chance of 1/7."""
    drone = fp.position("drone", game="battlegroup_clash")
    assert drone.chance(fp.happens("chit", side="firer", chit=3), by="turn 1").chance == Fraction(
        1, 7
    )
    assert drone.chance(fp.happens("chit", side="target", chit=3), by="turn 1").chance == Fraction(
        1, 7
    )


def test_clause_12_a_drone_and_a_fire_plan(stage):
    """Artillery on infantry in the open that the drone sees: 10 of 36 rolls are three hits, which
    eliminate Russians.
    """
    scenario = stage("drone", {"situation": {"electronic_warfare": False}})
    assert scenario.missions["a"].facts["requests"].inside
    quiet = fp.position("drone", game="battlegroup_clash", electronic_warfare=False)
    lost = quiet.chance(
        fp.happens("suffered", unit="platoon 1", severity="destroyed"), by="turn 1"
    ).chance
    assert lost == Fraction(10, 36)


def test_clause_14_no_unit_of_a_position_has_more_hits_than_resilience():
    opens = fp.position("battlegroup_clash/forest_edge")
    unit = next(iter(opens.at.scenario.units))
    most = opens.at.scenario.units[unit].facts["resolution"].resilience
    assert opens.having(units={unit: {"losses": most}})[unit, "losses"] == most
    with pytest.raises(
        fp.InputError, match=f"{unit}: expected losses of 0 to {most}, its resilience, got 99"
    ):
        opens.having(units={unit: {"losses": 99}})
