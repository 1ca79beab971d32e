"""Accuracy, error, Blast Area and the life of an FFE: C1.3, C1.31, C1.32, C1.34, C1.4, C1.5, C1.732."""

from __future__ import annotations

from fractions import Fraction

import attrs
import pytest
from support_asl import ON_HAND

from fireplan_core import Asset, Clock, Observer, Order, Reason, Stage, Step, View
from fireplan_core.play import State, Table

TARGET = (10, 10)


def sr(referee, at, **engagement):
    return referee(**engagement).stand(stage=Stage.SPOTTING, impact=at, **ON_HAND)


def view_of(scenario, **values):
    state = {f"missions/a/{name}": value for name, value in values.items()}
    start = {**scenario.initial, **state}
    return View(start.get, scenario, "areas")


@pytest.mark.parametrize(
    ("nation", "date", "observer", "highest"),
    [
        ("german", "1944-12-18", Observer(), 2),
        ("british", "1944-06-06", Observer(), 2),
        ("free_french", "1944-06-06", Observer(), 2),
        ("american", "1944-12-18", Observer(), 2),
        ("russian", "1944-06-22", Observer(), 1),
        ("italian", "1942-10-23", Observer(), 1),
        ("japanese", "1944-06-15", Observer(), 1),
        ("finnish", "1944-06-15", Observer(), 1),
        ("german", "1944-12-18", Observer(kind="offboard"), 1),
        ("american", "1944-12-18", Observer(kind="offboard"), 1),
    ],
)
def test_c1_3_c1_63_accuracy_by_nation_and_offboard_observer(
    referee, nation, date, observer, highest
):
    start = ["black"] if observer.kind == "offboard" else [2, 2, "black"]
    for dr, accurate in ((highest, True), (highest + 1, False)):
        game = referee(nationality=nation, date=date, observer=observer).go([*start, dr])
        assert (game.get("impact") == TARGET) is accurate
        assert (game.waits == "direction") is not accurate


@pytest.mark.parametrize(
    ("observer", "start"), [(Observer(), [2, 2]), (Observer(kind="offboard"), [])]
)
def test_c1_732_pre_registered_accuracy_and_halved_error(referee, observer, start):
    asset = Asset(preregistered=True)
    assert (
        referee(nationality="russian", asset=asset, observer=observer)
        .go([*start, "black", 4])
        .label
        == "K15"
    )
    for white, hexes in ((1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (6, 3)):
        game = referee(nationality="russian", asset=asset, observer=observer)
        game.go([*start, "black"], []).go([5, 3, white], [Order.of("place", at=TARGET)])
        assert game.get("impact") == (10 + hexes, 10)


@pytest.mark.parametrize(
    ("direction", "label"), [(1, "K13"), (2, "M14"), (3, "M16"), (4, "K17"), (5, "I16"), (6, "I14")]
)
def test_c1_31_direction_of_error_is_clockwise_from_the_lower_numbers(referee, direction, label):
    assert referee().go([3, 3, "black", 6, direction, 2]).label == label


def test_c1_31_a_new_sr_errs_up_to_six_hexes(referee):
    for white in range(1, 7):
        assert referee().go([3, 3, "black", 6, 4, white]).get("impact") == (10, 10 + white)


@pytest.mark.parametrize(
    ("hexes", "cap"),
    [(1, 1), (3, 1), (4, 2), (6, 2), (7, 3), (9, 3), (10, 4), (12, 4), (13, 5), (15, 5), (16, 6)],
)
def test_c1_4_error_of_a_correction_is_capped_at_one_hex_for_three(referee, hexes, cap):
    for white in (1, cap, 6):
        game = sr(referee, (10 + hexes, 10)).go([6, 1, white], [Order.of("correct", at=TARGET)])
        assert game.get("impact") == (10, 10 - min(white, cap))


def test_c1_4_worked_example_of_four_hexes(referee):
    landed = []
    for white in range(1, 7):
        game = sr(referee, (6, 10)).go([6, 3, white], [Order.of("correct", at=TARGET)])
        landed.append(game.get("impact")[0] - 10)
    assert landed == [1, 2, 2, 2, 2, 2]


@pytest.mark.parametrize(("hexes", "drm"), [(2, 0), (6, 0), (7, 1), (12, 1), (13, 2), (18, 2)])
def test_c1_3_drm_of_a_predesignated_long_correction(referee, hexes, drm):
    for dr in (1, 2, 3):
        game = sr(referee, (10 + hexes, 10 - hexes // 2)).go(
            [dr], [Order.of("correct_convert", at=TARGET)]
        )
        assert (game.get("impact") == TARGET) is (dr + drm <= 2)
        game = sr(referee, (10 + hexes, 10 - hexes // 2)).go([dr], [Order.of("correct", at=TARGET)])
        assert (game.get("impact") == TARGET) is (dr <= 2)


@pytest.mark.parametrize(
    ("option", "extent"),
    [("halve, then cap", [1, 1, 2, 2, 2, 2]), ("cap, then halve", [1, 1, 1, 1, 1, 1])],
)
def test_c1_4_c1_732_correction_to_a_pre_registered_hex(referee, option, extent):
    landed = []
    for white in range(1, 7):
        game = sr(
            referee,
            (14, 10),
            asset=Asset(preregistered=True),
            options={"registered_correction": option},
        )
        game.go([5, 3, white], [Order.of("correct", at=TARGET)])
        landed.append(game.get("impact")[0] - 10)
    assert landed == extent


def test_c1_335_c1_732_forced_correction_to_a_pre_registered_hex(referee):
    for option, waits in (("never accurate", "direction"), ("accurate on 4", "accuracy")):
        asset = Asset(preregistered=True)
        game = sr(
            referee, (10, -8), asset=asset, options={"boards": 1, "registered_must_correct": option}
        )
        assert game.go([], [Order.of("correct", at=(10, 0))]).waits == waits


def test_c1_32_blast_area_is_the_hex_and_the_six_around_it(make):
    played = make()
    view = view_of(played, impact=TARGET)
    areas = played.parts.areas
    cells, hectares = areas.footprint(view, "a")
    assert sorted(map(played.frame.label, cells)) == [
        "J14",
        "J15",
        "K14",
        "K15",
        "K16",
        "L14",
        "L15",
    ]
    assert hectares == pytest.approx(7 * 40 * 40 * 0.8660254 / 10_000)
    assert areas.covers(view, "a", (10, 12), Fraction(0)) == 0
    assert areas.covers(view, "a", (11, 10), Fraction(0)) == 1
    assert [len(outline) for outline in areas.shape(view, "a")] == [6] * 7


def test_c1_32_c1_321_offboard_hexes_are_not_part_of_the_blast_area(make):
    played = make(options={"boards": 1})
    parse = played.frame.parse
    cells, _ = played.parts.areas.footprint(view_of(played, impact=parse("K1")), "a")
    assert sorted(map(played.frame.label, cells)) == ["J0", "J1", "K1", "K2", "L0", "L1"]
    view = view_of(played, impact=parse("K0"))
    assert played.parts.areas.covers(view, "a", parse("K0"), Fraction(0)) == 0
    assert played.parts.areas.covers(view, "a", parse("K1"), Fraction(0)) == 1


def test_c1_321_a_sr_may_land_off_the_map_and_is_then_unseen(referee):
    game = referee(options={"boards": 1}).go([3, 3, "black", 6, 1, 6])
    assert (game.label, game.get("stage")) == ("K-1", Stage.SPOTTING)


# --- the cycle of an FFE -------------------------------------------------------------------------
def with_clock(scenario, minutes):
    return attrs.evolve(scenario, clock=Clock(Fraction(minutes), Fraction(minutes), str, "moment"))


def test_c1_5_ffe_1_ffe_2_ffe_c_a_minute_apart(referee):
    game = referee().stand(Step("core.moment"), stage=Stage.SPOTTING, impact=(20, 10), **ON_HAND)
    game.go([3, 3], [Order.of("convert")])
    game.go([6, 5])  # contact is lost, but the FFE:2 is resolved all the same
    kinds = [
        (e.moment, e.event.kind)
        for e in game.table.log
        if e.event.kind in ("fall", "lingering", "ended")
    ]
    assert kinds == [(0, "fall"), (1, "fall"), (1, "lingering"), (2, "ended")]


def test_c1_34_a_ffe_c_lapses_when_access_is_not_tried_for(referee):
    game = referee().stand(
        Step("core.moment"), stage=Stage.LINGERING, impact=(20, 10), fell=True, **ON_HAND
    )
    game.go([6, 5])  # contact is lost, so no chit is drawn
    ended = [e for e in game.table.log if e.event.kind == "ended"]
    assert [(e.moment, e.event["reason"], e.event.cite) for e in ended] == [
        (0, Reason.DELIVERED, "C1.34")
    ]


@pytest.mark.parametrize(
    ("minutes", "falls_in"),
    [(Fraction(1, 2), [0, 2]), (1, [0, 1]), (2, [0, 0]), (10, [0, 0]), (270, [0, 0])],
)
def test_c1_5_the_cycle_keeps_its_minutes_on_another_clock(make, minutes, falls_in):
    table = Table(with_clock(make(), minutes), 6)
    updates = (("missions/a/stage", Stage.SPOTTING), ("missions/a/impact", (20, 10)))
    table.state = State(
        table.state.values.put(updates),
        (Step("core.convert", ("a",)), Step("areas.moment", ("a",))),
    )
    falls = []
    for moment in range(4):
        before = len(table.log)
        while table.state.agenda:
            table._settle(table._run(None), None)
        falls += [moment for entry in table.log[before:] if entry.event.kind == "fall"]
        later = table.state.values.put((("clock/moment", moment + 1),))
        table.state = State(later, (Step("areas.moment", ("a",)),))
    assert falls == falls_in
    assert table.read("missions/a/reason", None) is (Reason.DELIVERED if minutes >= 1 else None)
