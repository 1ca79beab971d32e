"""Radio Contact and Battery Access: C1.2, C1.21, C1.211, C1.22, C1.23, C1.63."""

from __future__ import annotations

from fractions import Fraction

import attrs
import pytest

from fireplan.solver import Analysis, Ever, FirstFall, build_chain
from fireplan_core import (
    Asset,
    CannotStageError,
    Effects,
    Observer,
    Order,
    Reason,
    Stage,
    Step,
    Target,
    cycle,
    hookimpl,
    push,
)

FAR = (20, 10)
"""A hex far from every unit: fire there hits nothing."""
BLIND_TARGET = Target(nationality="russian", men=10, frontage_m=10, depth_m=10, identified=False)


def pile(scenario):
    return scenario.initial["missions/a/delays/black"], scenario.initial["missions/a/delays/red"]


# --- piles: figures typed from the printed chart -------------------------------------------------
@pytest.mark.parametrize(
    ("nation", "date", "expected"),
    [
        ("german", "1941-06-22", (8, 3)),
        ("ss", "1944-06-06", (8, 3)),
        ("british", "1944-06-06", (8, 2)),
        ("free_french", "1944-06-06", (8, 2)),
        ("russian", "1942-06-30", (5, 2)),
        ("american", "1944-12-18", (9, 3)),  # 10 are printed, one of them for plentiful ammunition
        ("french", "1940-05-10", (6, 2)),
        ("italian", "1942-10-23", (7, 3)),
        ("finnish", "1940-01-01", (6, 3)),
        ("finnish", "1942-12-31", (7, 3)),
        # 8 are printed, one of them for plentiful ammunition
        ("finnish", "1943-01-01", (7, 3)),
        ("finnish", "1944-10-01", (7, 3)),
        ("hungarian", "1944-12-01", (6, 3)),
        ("allied_minor", "1940-05-10", (6, 3)),
        ("japanese", "1944-06-15", (5, 2)),
        ("chinese_gmd", "1938-01-01", (5, 2)),
        ("kw_american", "1950-07-05", (9, 3)),
    ],
)
def test_c1_211_pile_by_nation_and_date(make, nation, date, expected):
    assert pile(make(nation, date)) == expected


@pytest.mark.parametrize(
    ("nation", "asset", "expected"),
    [
        ("german", Asset(ammunition="plentiful"), (9, 3)),
        ("german", Asset(ammunition="scarce"), (8, 4)),
        ("german", Asset(preregistered=True), (9, 3)),
        ("german", Asset(ammunition="plentiful", preregistered=True), (10, 3)),
        ("american", Asset(ammunition="plentiful"), (10, 3)),
        ("american", Asset(ammunition="scarce"), (9, 4)),
        ("finnish", Asset(ammunition="plentiful"), (7, 3)),
    ],
)
def test_c1_211_extra_chits(make, nation, asset, expected):
    date = "1940-01-01" if nation == "finnish" else "1944-12-18"
    assert pile(make(nation, date, asset=asset)) == expected


@pytest.mark.parametrize(
    ("squads", "expected"), [("4-4-7", (5, 2)), ("5-3-7", (6, 2)), ("other", (5, 3))]
)
def test_c1_211_chinese_pile_by_majority_squad(make, squads, expected):
    assert pile(make("chinese_gmd", "1938-01-01", options={"chinese_squads": squads})) == expected


def test_c1_211_an_unknown_nation_or_date_gets_a_suggestion(make):
    with pytest.raises(CannotStageError, match="did you mean german"):
        make("germann")
    with pytest.raises(CannotStageError, match="kw_american"):
        make("american", "1950-09-15")
    with pytest.raises(CannotStageError, match="1939-01"):
        make("finnish", "1938-01-01")


# --- contact ---------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("nation", "date", "value"),
    [
        ("german", "1944-01-01", 8),
        ("russian", "1942-06-30", 6),
        ("russian", "1942-07-01", 7),
        ("russian", "1943-06-30", 7),
        ("russian", "1943-07-01", 8),
        ("french", "1940-05-10", 7),
        ("axis_minor", "1942-01-01", 7),
        ("kw_american", "1950-07-05", 7),
        ("kw_american", "1950-09-15", 8),
    ],
)
def test_c1_2_contact_value_by_nation_and_date(referee, nation, date, value):
    made = referee(nationality=nation, date=date).go([value - 5, 5])
    assert made.get("delays/contact")
    failed = referee(nationality=nation, date=date).go([value - 5, 6])
    assert not failed.get("delays/contact")
    assert failed.waits == "contact"  # the next attempt is in the next fire phase
    assert failed.table.state.moment == 1


def test_c1_2_a_phase_is_a_minute_and_prep_fire_alternates_with_defensive_fire(make):
    clock = make().clock
    assert (clock.minutes, clock.grain) == (1, 1)
    assert [clock.name(k) for k in range(3)] == ["turn 1 PFPh", "turn 1 DFPh", "turn 2 PFPh"]


@pytest.mark.parametrize(
    ("asset", "passes"),
    [
        (Asset(), 9),
        (Asset(weapon="mortar", calibre_mm=81), 10),
        (Asset(weapon="mortar", calibre_mm=75), 10),
        (Asset(weapon="mortar", calibre_mm=120), 9),
        (Asset(weapon="gun", calibre_mm=75), 9),
    ],
)
def test_c1_22_maintenance_drm(referee, asset, passes):
    for total, kept in ((passes, True), (passes + 1, False)):
        game = referee(asset=asset).go([3, 3, "black", 1])  # contact, access and an accurate SR
        game.go([total - 6 if total > 7 else 1, 6 if total > 7 else total - 1])
        assert game.get("delays/contact") is kept


def test_c1_22_original_12_breaks_the_radio_even_if_the_drm_would_pass(referee):
    game = referee(asset=Asset(weapon="mortar", calibre_mm=81)).go([6, 6])
    assert game.get("delays/broken")
    assert game.waits == "repair"
    assert game.go([2]).waits == "repair"
    game.go([1])
    assert game.waits == "contact"  # repaired in the RPh, so the fire phase rolls for Contact
    assert not game.get("delays/broken")


def test_c1_22_a_removed_radio_ends_the_mission_for_good(referee):
    game = referee().go([6, 6, 6])
    assert (game.get("stage"), game.get("reason")) == (Stage.ENDED, Reason.LOST)
    assert game.waits == ""  # there is no further roll


def test_c1_23_field_phone_passes_on_11_and_is_lost_on_12(referee):
    phone = Observer(link="telephone")
    assert referee(observer=phone).go([5, 6]).get("delays/contact")
    game = referee(observer=phone).go([6, 6])
    assert (game.get("stage"), game.get("reason")) == (Stage.ENDED, Reason.LOST)


@pytest.mark.parametrize(("link", "rule"), [("radio", "C1.22"), ("telephone", "C1.23")])
def test_c1_22_c1_23_the_message_cites_the_rule_of_the_set_that_breaks(referee, link, rule):
    game = referee(observer=Observer(link=link)).go([6, 6])
    (broke,) = (entry.event for entry in game.table.log if entry.event.kind == "set_breaks")
    assert broke.cite == rule


def test_c1_63_offboard_observer_needs_no_contact_roll(referee):
    game = referee(observer=Observer(kind="offboard"))
    assert game.go(["black"]).waits == "requests.fire"
    assert game.table.state.moment == 0


def test_c1_22_lost_contact_keeps_access_and_the_sr(referee):
    game = referee().go([3, 3, "black", 1]).go([5, 6])
    assert (game.get("stage"), game.get("delays/access"), game.get("delays/contact")) == (
        Stage.SPOTTING,
        True,
        False,
    )
    game.go([3, 3])  # a second Contact DR follows, without a draw
    assert game.waits == "requests.fire"
    assert game.get("delays/black") == 7


def test_c1_22_a_lost_ffe_is_resolved_and_gone_after_the_next_rally_phase(referee):
    game = referee().stand(
        Step("core.moment"),
        stage=Stage.FALLING, impact=FAR, areas__resolved=True, delays__contact=True, delays__access=True,
    )  # fmt: skip
    game.go([6, 5])  # contact is lost, but the FFE:2 is resolved all the same
    assert [e["impact"] for e in game.emitted("fall")] == [FAR]
    assert game.waits == "contact"
    assert [e["reason"] for e in game.emitted("ended")] == [Reason.DELIVERED]
    assert game.emitted("ended")[0].cite == "C1.22"


def test_c1_22_declining_to_roll_is_voluntary_only_without_los_to_the_burst(referee):
    game = referee()
    hex_ = game.scenario.centre
    seen = referee().stand(
        Step("delays.attempt", ("a",)),
        stage=Stage.SPOTTING, impact=hex_, delays__contact=True, delays__access=True,
    ).go([], [Order.of("pass")])  # fmt: skip
    assert (seen.get("stage"), seen.get("delays/access")) == (Stage.SPOTTING, True)
    off = game.scenario.frame.parse("K-2")
    unseen = referee().stand(
        Step("delays.attempt", ("a",)),
        stage=Stage.SPOTTING, impact=off, delays__contact=True, delays__access=True,
    ).go([], [Order.of("pass")])  # fmt: skip
    assert (unseen.get("stage"), unseen.get("delays/access")) == (Stage.DELAYED, False)
    assert unseen.emitted("ceased")[0].cite == "C1.22"


# --- access ----------------------------------------------------------------------------------------
def test_c1_21_black_gives_access_and_leaves_the_pile(referee):
    game = referee().go([3, 3, "black"])
    assert (game.get("delays/access"), game.get("delays/black"), game.get("delays/red")) == (
        True,
        7,
        3,
    )


def test_c1_21_first_red_keeps_contact_and_second_red_loses_access_for_good(referee):
    game = referee().go([3, 3, "red"])
    assert (game.get("delays/contact"), game.get("delays/access"), game.get("delays/red")) == (
        True,
        False,
        2,
    )
    assert game.get("stage") is Stage.REQUESTED
    game.go([4, 5, "red"])  # a Maintenance DR of 9 keeps contact
    assert (game.get("stage"), game.get("reason")) == (Stage.ENDED, Reason.EXHAUSTED)
    assert game.waits == ""


def test_c1_21_extra_draw_is_mixed_back_and_red_does_not_count(referee):
    game = referee(target=BLIND_TARGET).go([3, 3, "black", "black"])
    assert (game.get("delays/black"), game.get("delays/red")) == (7, 3)
    assert game.waits == "accuracy"
    game = referee(target=BLIND_TARGET).go([3, 3, "black", "red"])
    assert (game.get("delays/black"), game.get("delays/red")) == (7, 3)
    assert (game.get("stage"), game.get("delays/access"), game.get("delays/contact")) == (
        Stage.DELAYED,
        False,
        True,
    )
    game.go([4, 5, "red"])  # the first red chit that counts
    assert game.get("reason") is None
    assert game.waits == "maintenance"


def test_c1_21_extra_draw_is_due_again_when_the_sr_is_converted(referee):
    game = referee(target=BLIND_TARGET).go([3, 3, "black", "black", 1, 3, 3])
    game.go(["red"], [Order.of("convert")])
    assert game.emitted("extra_chit_red")
    assert (game.get("stage"), game.get("impact"), game.get("delays/access")) == (
        Stage.DELAYED,
        None,
        False,
    )


def test_c1_21_no_extra_draw_for_a_known_enemy_or_none_nearby(referee):
    assert (
        referee().go([3, 3, "black"], []).go([], [Order.of("place", at=(10, 10))]).waits
        == "accuracy"
    )
    blind = referee(target=BLIND_TARGET).go([3, 3, "black"])
    # Two hexes from the target no unit is near the AR, so the Accuracy dr follows at once.
    assert blind.go([], [Order.of("place", at=(10, 8))]).waits == "accuracy"
    blind = referee(target=BLIND_TARGET).go([3, 3, "black"])
    assert blind.go([], [Order.of("place", at=(10, 9))]).waits == "extra"


def test_c1_21_red_extra_chit_option(referee):
    game = referee(target=BLIND_TARGET, options={"red_extra_chit": "access is kept"}).go(
        [3, 3, "black", "red", 4, 5]
    )
    assert game.waits == "requests.fire"  # no new chit is drawn
    assert game.get("delays/black") == 7


def test_c1_21_access_ends_with_the_rally_phase_of_the_ffe_c_and_red_then_removes_it(referee):
    game = referee().stand(
        Step("core.moment"),
        stage=Stage.LINGERING, impact=(10, 10), fell=True, delays__contact=True, delays__access=True,
        delays__black=7,
    )  # fmt: skip
    game.go([3, 3, "red"])
    assert (game.get("impact"), game.get("delays/red"), game.get("delays/contact")) == (
        None,
        2,
        True,
    )


# --- exact figures, worked by hand ---------------------------------------------------------------
def test_c1_2_c1_21_contact_and_access_in_the_first_phase(make):
    # Contact is made on 8 or less (26 of 36 rolls), and 8 of 11 chits are black.
    shares = Analysis(make(), 1).solve(Ever("access", "mission", ("a",))).shares
    assert shares[True] == Fraction(26, 36) * Fraction(8, 11)


def test_c1_21_exhausted_within_two_phases(make):
    # The factors are Contact, the first red chit, Maintenance on 9 or less and the second red chit.
    shares = Analysis(make(), 2).solve(Ever("ended", "reason", (Reason.EXHAUSTED,))).shares
    assert shares[True] == Fraction(26, 36) * Fraction(3, 11) * Fraction(30, 36) * Fraction(2, 10)


class NoRepair:
    """A house rule: a broken radio is never repaired."""

    @hookimpl
    def fireplan_variants(self):
        def wrap(definition):
            gone = lambda chance, view, m: Effects(push(cycle.close, m, Reason.LOST, "C1.22"))  # noqa: E731
            return attrs.evolve(definition, run=gone)

        return {"delays.repair": wrap}


def test_c1_first_ffe_within_four_phases_of_a_simplified_mission(make):
    """A simplified mission (Contact on 8, Maintenance -1, 12 ends it, every SR Converted) agrees
    with three other programs.
    """

    def always_convert(view, mission):
        if view.mission(mission).stage is Stage.SPOTTING:
            return Order.of("convert")
        return view.scenario.questions["requests.fire"].standard(view, mission)

    shares = (
        Analysis(make(rules=(NoRepair(),)), 4, {"requests.fire": always_convert})
        .solve(FirstFall())
        .shares
    )
    assert sum(share for state, share in shares.items() if state) == Fraction(26195, 32076)


def test_c1_the_mission_has_few_states_and_is_solved_apart_from_its_targets(make):
    analysis = Analysis(make(), 60)
    assert analysis.separable
    assert len(build_chain(analysis.compiler, apart=True).edges) < 40_000
