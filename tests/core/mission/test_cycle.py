"""The neutral cycle with the null game: which hexes are under fire, what a link may stop, and rules
that read the clock.
"""

from __future__ import annotations

import copy
from fractions import Fraction

import attrs
import pytest
from null_setup import ENGAGEMENT, against, staged

from fireplan.solver import Analysis, Compiler, Ever, FirstFall, build_chain, own_troops_under_fire
from fireplan_core import (
    Clock,
    Effects,
    Modifier,
    Outcome,
    OwnTroops,
    Reason,
    Shot,
    Stage,
    Staging,
    Step,
    Update,
    View,
    cycle,
    emit,
    hookimpl,
    push,
    step,
)
from fireplan_core.chance import Chance, RandomFaces, ScriptedFaces
from fireplan_core.play import (
    OPENING,
    Rulebook,
    State,
    Table,
    play_out,
)
from fireplan_core.space import distance
from fireplan_core.space import step as hex_step


def with_own_troops(distance):
    return attrs.evolve(ENGAGEMENT, own_troops=OwnTroops(distance_m=distance))


def test_own_troops_are_north_of_the_target_with_the_observer():
    scenario = staged(with_own_troops(400))
    (own,) = (unit.place for unit in scenario.units.values() if unit.side == scenario.firer)
    (_, own_south), (_, south) = scenario.frame.metres(own), scenario.frame.metres(scenario.centre)
    assert own_south < south


def test_own_troops_next_to_the_target_are_under_fire_and_far_ones_never():
    far = Analysis(staged(with_own_troops(2000)), 12).solve(own_troops_under_fire()).shares
    assert far == {False: Fraction(1)}
    # The firer's own troops are one hex north of the target, so every fall on the target, or on a
    # hex next to both, covers them.
    near = Analysis(staged(with_own_troops(100)), 12)
    fell = 1 - near.solve(FirstFall()).shares[None]
    assert 0 < near.solve(own_troops_under_fire()).shares[True] < fell
    # A first fall within one hex of these troops puts them under fire, so the share of such falls
    # is at most that of own troops under fire.
    within = sum(
        share
        for state, share in near.solve(FirstFall()).shares.items()
        if state is not None
        and near.scenario.frame.gap(state[3], near.scenario.units["o"].place) <= 1
    )
    assert within <= near.solve(own_troops_under_fire()).shares[True]


def test_the_fall_reports_own_troops_it_covers():
    table = play_out(
        Table(staged(with_own_troops(100)), 4),
        ScriptedFaces([3, 1, 4, 1, 1, 1, 1, 1, 1]),
    )
    falls = [entry.event for entry in table.log if entry.event.kind == "fall"]
    assert [fall["own_under_fire"] for fall in falls] == [True, True]
    table = play_out(Table(staged(with_own_troops(2000)), 4), ScriptedFaces([3, 1, 4, 1, 1, 1, 1]))
    falls = [entry.event for entry in table.log if entry.event.kind == "fall"]
    assert [fall["own_under_fire"] for fall in falls] == [False, False]


def _stopped(released, stop):
    return Effects([Update(key, value) for key, value in released.updates], stop, *released.pushes)


def test_a_shot_that_its_link_stops_does_not_leave():
    bent = staged()
    release = bent.steps["core.release"]
    bent = attrs.evolve(
        bent,
        steps={
            **bent.steps,
            "core.release": attrs.evolve(
                release,
                run=lambda chance, view, m, intent: _stopped(
                    release(chance, view, m, intent), push(cycle.cease, m, Reason.DENIED, "N2")
                ),
            ),
        },
    )
    log = play_out(Table(bent, 4), RandomFaces(1)).log
    kinds = {entry.event.kind for entry in log}
    assert "ceased" in kinds
    assert "spotting" not in kinds


class LaterIsHarder:
    """A house rule that reads the clock: from moment 2 on the battery is hard to reach."""

    @hookimpl
    def fireplan_modifiers(self):
        return (
            Modifier(
                "delays.reach", "N2", "later", lambda view, m: -6 if view.moment() >= 2 else 0
            ),
        )


def test_a_rule_that_reads_the_clock_is_solved_with_time_in_the_state():
    # If no fire falls in the first two moments, none ever will, because the battery cannot be
    # reached later.
    plain = staged()
    hard = staged(rules=(LaterIsHarder(),))
    by_then = 1 - Analysis(plain, 2).solve(FirstFall()).shares[None]
    assert 1 - Analysis(hard, 10).solve(FirstFall()).shares[None] == by_then
    table = play_out(Table(hard, 6), RandomFaces(4))
    reached = [entry.moment for entry in table.log if entry.event.kind == "reached"]
    assert all(moment < 2 for moment in reached)


class EarlierIsHarder:
    """A house rule that reads the clock: before moment 2 the battery is hard to reach."""

    @hookimpl
    def fireplan_modifiers(self):
        return [
            Modifier("delays.reach", "N2", "sooner", lambda view, m: -6 if view.moment() < 2 else 0)
        ]


def test_a_late_position_is_watched_for_as_many_moments_as_one_at_the_opening():
    scenario = staged(rules=(EarlierIsHarder(),))
    late = State({**scenario.initial, "clock/moment": 10}, (OPENING,))
    assert (
        Analysis(scenario, 3, state=late).solve(Ever("fall", "on_target", (True, False))).shares
        == Analysis(staged(), 3).solve(Ever("fall", "on_target", (True, False))).shares
    )


@pytest.mark.parametrize("moments", [1, 2, 3])
def test_an_event_kind_that_is_never_emitted_never_happens(moments):
    assert Analysis(staged(), moments).solve(Ever("no such", "x", (1,))).shares == {
        False: Fraction(1)
    }


def test_an_emitted_event_may_not_hold_an_unhashable_value():
    with pytest.raises(Exception, match="cannot be kept"):
        emit("odd", "N1", what=[1])


def test_a_resolution_may_open_every_moment():
    plain = staged()
    cite = next(iter(plain.parts.areas.cites.values()))

    class Opening(type(plain.parts.resolution)):
        @step(cite=cite)
        def opening(self, chance, view):
            return Effects(emit("opened", cite))

    opens = Opening("null", {}, {})
    parts = attrs.evolve(plain.parts, resolution=opens)
    played = attrs.evolve(plain, parts=parts, steps={**plain.steps, **opens.steps()})
    log = play_out(Table(played, 3), RandomFaces("1")).log
    firsts = [
        next(entry.event.kind for entry in log if entry.moment == moment) for moment in range(3)
    ]
    assert firsts == ["opened"] * 3


def test_an_asset_with_a_target_of_its_own_is_on_target_where_it_covers_that():
    sound = staged()
    far = hex_step(sound.centre, 3, 8)
    own = attrs.evolve(sound, missions={"a": attrs.evolve(sound.missions["a"], target=far)})
    plays = [play_out(Table(own, 8), RandomFaces(seed)) for seed in range(12)]
    falls = [entry.event for play in plays for entry in play.log if entry.event.kind == "fall"]
    assert {distance(event["impact"], far) for event in falls} >= {0, 1}
    assert all(event["on_target"] is (distance(event["impact"], far) <= 1) for event in falls)


def read_of(**mission):
    return {f"missions/a/{name}": value for name, value in mission.items()}.get


@pytest.mark.parametrize(
    ("reason", "asked"),
    [
        (Reason.EXHAUSTED, False),
        (Reason.LOST, False),
        (Reason.CANCELLED, True),
        (Reason.DENIED, True),
    ],
)
def test_an_exhausted_or_lost_asset_is_not_asked_again(reason, asked):
    view = View(read_of(stage=Stage.ENDED, reason=reason), staged(), "core")
    assert bool(cycle.request(None, view, "a").events) is asked
    assert bool(cycle.opportunity(None, view, "a").pushes) is asked


@pytest.mark.parametrize("extents", [(0, 50), (50, 0)])
def test_a_place_is_struck_as_hard_as_the_unit_there_that_is_covered_best(extents, monkeypatch):
    sound = staged()
    (unit, setup), *_ = sound.units.items()
    units = {f"{unit}{n}": attrs.evolve(setup, extent=Fraction(m)) for n, m in enumerate(extents)}
    halves = attrs.evolve(sound, units=units)
    half = {"covers": lambda _view, _m, _place, extent: Fraction(1, 1 + bool(extent))}
    monkeypatch.setitem(vars(sound.parts.areas), "covers", half["covers"])
    now = View(read_of(target=sound.centre, impact=sound.centre), halves, "core")
    (strike,) = (
        step for step in cycle.fall(None, now, "a").pushes if step.name == "resolution.strike"
    )
    assert strike.args == ("a", setup.place, Shot())


@pytest.mark.parametrize(("watch", "moments"), [(1, 1), (30, 1), (31, 2), (60, 2), (61, 3)])
def test_a_watch_holds_every_moment_that_opens_in_it(watch, moments):
    assert Clock(Fraction(30), Fraction(30), str, "phase").moments(watch) == moments


def test_the_places_of_a_target_are_within_its_rectangle():
    wide = against(frontage_m=900, depth_m=100)
    staging = Staging("t", staged().parts.areas, wide)
    x, y = staging.frame.metres(staging.centre)
    found = [staging.frame.metres(place) for place in staging.target_places()]
    assert all(abs(east - x) <= 450 and abs(south - y) <= 50 for east, south in found)
    assert max(east for east, _ in found) > x + 200


def test_steps_pushed_by_a_confined_step_stay_at_its_place():
    sound = staged()
    rulebook, place = Rulebook(sound), sound.units["t00"].place
    strike = Step("resolution.strike", ("a", place, Shot()), scope="place K5")
    done = rulebook.perform(strike, Chance(None), sound.initial.get)
    assert {(pushed.name, pushed.scope) for pushed in done.pushes} == {
        ("resolution.hit", "place K5")
    }
    free = rulebook.perform(attrs.evolve(strike, scope=""), Chance(None), sound.initial.get)
    assert {pushed.scope for pushed in free.pushes} == {""}


def test_a_copy_of_a_table_goes_on_by_itself():
    before = Table(staged(), 4)
    start = before.journal, before.log, before.state
    play_out(copy.copy(before), RandomFaces(2))
    assert (before.journal, before.log, before.state) == start


@pytest.mark.parametrize("strength", [Fraction(1, 2), Fraction(1), Fraction(2)])
def test_fire_of_half_or_double_strength_has_half_or_double_effect(strength):
    scenario = staged()
    compiler = Compiler(scenario)
    chain = build_chain(compiler, moments=4)
    node, fall = next(
        (node, top)
        for node, top in enumerate(chain.tops)
        if getattr(top, "name", "") == "core.fall"
    )
    read = chain.reader(node, scenario.initial)

    def stronger(key, default=None):
        return strength if key == "missions/a/strength" else read(key, default)

    struck = [
        argument.strength
        for row in compiler.rows(fall, stronger).rows
        for pushed in row.outcome.pushes
        for argument in pushed.args
        if isinstance(argument, Shot)
    ]
    assert {*struck} == {strength}


@pytest.mark.parametrize(
    ("reason", "outcome"),
    [(Reason.DENIED, Outcome.REFUSED), (Reason.LOST, Outcome.REFUSED), (Reason.DELIVERED, None)],
)
def test_a_request_that_is_denied_or_whose_asset_is_lost_is_refused(reason, outcome):
    scenario = staged()
    (row,) = (
        Compiler(scenario).rows(Step("core.close", ("a", reason, "N4")), scenario.initial.get).rows
    )
    assert dict(row.outcome.updates).get("missions/a/outcome") == outcome
