"""Red Poppies parts at a table whose other parts are the null game's."""

from __future__ import annotations

from fractions import Fraction

import attrs
import pytest

from fireplan.solver import Analysis, FirstFall
from fireplan_core import Effects, Intent, Shot, Stage, View, cycle, push, update
from fireplan_core.play import Variation, stage_engagement


@pytest.mark.parametrize("word", ["observers", "delays", "areas", "resolution"])
def test_a_null_part_in_red_poppies_is_solved_exactly(rp, word):
    found = Analysis(rp.stage(parts={word: "null"}), 6).solve(FirstFall())
    assert sum(found.shares.values()) == 1
    assert any(state for state in found.shares)


@pytest.mark.parametrize("word", ["observers", "requests", "delays", "resolution"])
def test_a_red_poppies_part_in_the_null_game_is_solved_exactly(rp, word):
    scenario = stage_engagement(
        rp.catalogue(), "null", rp.engage(), Variation(parts={word: "red_poppies"})
    )
    found = Analysis(scenario, 6).solve(FirstFall())
    assert sum(found.shares.values()) == 1
    assert any(state for state in found.shares)


def test_the_cross_hair_goes_on_the_other_games_place(rp):
    scenario = rp.stage(parts={"areas": "null"})
    # The signal roll is 2, and the null game's accuracy of 1 puts the fire on the aim point, which
    # is a hex.
    table = rp.play(scenario, (5, 3, 5, 4, 1, 1, 1))
    ((_, fall),) = rp.told(table, "fall")
    assert fall["impact"] == scenario.centre


def test_ready_without_a_call_asks_for_a_cross_hair_and_fires_at_once(rp):
    # The null game's link succeeds on 3 or more, in the same moment as the request.
    scenario = rp.stage(parts={"delays": "null"})
    table = rp.play(scenario, (6, 1, 6, 6))
    assert [turn for turn, _ in rp.told(table, "fall")] == [1]
    # Without an aim (fire that was stopped) the cross hair is asked for when the asset is ready.
    ready = scenario.steps["requests.ready"]
    values = {"missions/a/stage": Stage.DELAYED}
    then = ready(None, View(values.get, scenario, "requests"), "a")
    assert [ask.question for ask in then.pushes] == ["requests.cross_hair"]


def spotting_first(step_def):
    """Return the step with the other game's orders: a spotting round first, then fire for effect."""

    def run(_chance, view, mission):
        now = view.mission(mission)
        if now.stage is Stage.SPOTTING:
            return Effects(push(cycle.convert, mission))
        return Effects(update(now, aim=now.target), push(cycle.release, mission, Intent.SPOTTING))

    return attrs.evolve(step_def, run=run)


def test_rp_6_02_a_group_stays_primed_after_a_spotting_round(rp):
    scenario = rp.stage(commands=5, works="entrenched", men=1, frontage_m=10, depth_m=10)
    steps = {**scenario.steps, "requests.ready": spotting_first(scenario.steps["requests.ready"])}
    scenario = attrs.evolve(scenario, steps=steps)
    # Turn 2 has five couplets. The first signal brings a spotting round on the aim point, the
    # second fails, and the third brings fire for effect (check 1-1).
    table = rp.play(scenario, (5, 3, 6, 1, 1, 1, 1, 6, 6, 1, 1, 1, 1, 5, 3))
    assert [event["through"] for _, event in rp.told(table, "signal")] == [True, False, True]
    assert len(rp.told(table, "spotting")) == len(rp.told(table, "fall")) == 1
    # After the fire for effect a new call is needed.
    assert table.read("missions/a/delays/hourglass", "?") is None
    assert table.read("missions/a/stage", None) is Stage.ENDED


def test_rp_7_248_fire_that_another_game_ceases_must_be_called_again(rp):
    scenario = rp.stage()

    def pushed(values, stage):
        view = View(values.get, scenario, "delays")
        return [p.name for p in scenario.steps["delays.ceased"](None, view, "a", stage).pushes]

    assert pushed({"missions/a/delays/hourglass": None}, Stage.FALLING) == ["core.close"]
    assert pushed({"missions/a/delays/hourglass": 0}, Stage.SPOTTING) == []


def test_intensity_scales_firepower_fractions_up(rp):
    scenario = rp.stage(calibre_mm=105)
    view = View(scenario.initial.get, scenario, "resolution")
    for intensity, power in ((Fraction(1), 5), (Fraction(1, 2), 3), (Fraction(2), 10)):
        then = scenario.steps["resolution.strike"](
            None, view, "a", scenario.centre, Shot(strength=intensity)
        )
        assert [p.args for p in then.pushes] == [("a", "t1.1", power)]


def test_other_games_may_name_a_hex_and_get_its_natural_corner(rp):
    scenario = rp.stage()
    areas = scenario.parts.areas
    hex_ = scenario.frame.parse("N18")
    assert len(areas.aim_at(hex_)) == 6
    assert all(hex_ in corner for corner in areas.aim_at(hex_))
    assert areas.aim_at(areas.aim_at(hex_)[0])[0] == areas.aim_at(hex_)[0]
