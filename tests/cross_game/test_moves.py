"""Moves from positions of every game: legal orders against the judge for all places, outcomes
against play.
"""

from __future__ import annotations

import random
from itertools import product

import pytest

import fireplan as fp
from fireplan_core import Ask, Order
from fireplan_core.chance import RandomFaces

SCENARIOS = (
    "asl/ridge",
    "miniatures_1943/chits_in_hand",
    "red_poppies/battle_for_pinon",
    "wacht_am_rhein/crossroads",
)
MOST = 4_000
CALLING = (
    'fp1 red_poppies/battle_for_pinon {} > french?requests.cross_hair("75s") '
    "delays.couplet(1 [2] Couplet(order=[french] half=1)) resolution.turn_over()"
)


def walked(name, seed, steps=7):
    """Yield positions that random play reaches."""
    position, choose, faces = fp.position(name), random.Random(seed), RandomFaces(seed)
    for _ in range(steps):
        table = position.at.table(position.at.moment + 2)
        yield position, table
        if isinstance(table.waits_for, Ask):
            position = position.play(
                choose.choice(table.rulebook.legal(table.waits_for, table.read))
            )
        else:
            position = position.play(dice=faces.faces(table.waits_for))


def placed(frame, value):
    try:
        return frame.parse(frame.label(value)) == value
    except (ValueError, TypeError, AttributeError):
        return False


@pytest.mark.parametrize(
    "name", [*SCENARIOS[:3], pytest.param(SCENARIOS[3], marks=pytest.mark.full)]
)
def test_legal_orders_are_all_that_the_judge_takes_over_all_places(name):
    judged = 0
    for position, table in walked(name, 1):
        ask = table.waits_for
        if not isinstance(ask, Ask):
            continue
        legal, frame = position.legal(), position.at.scenario.frame
        for form in table.rulebook.forms(ask, table.read):
            domains = []
            for slot in form.slots:
                everywhere = (
                    frame.places() if any(placed(frame, value) for value in slot.candidates) else ()
                )
                domains.append(dict.fromkeys([*slot.candidates, *everywhere]))
            orders = [
                Order.of(
                    form.verb, **dict(zip([slot.name for slot in form.slots], values, strict=True))
                )
                for values in product(*domains)
            ]
            if len(orders) > MOST:
                continue
            taken = {
                order for order in orders if table.rulebook.refuse(ask, order, table.read) is None
            }
            assert set(legal[form.verb].orders) == taken
            judged += len(orders)
    assert judged


@pytest.mark.parametrize("name", SCENARIOS)
def test_outcomes_sum_to_one_and_agree_with_play(name):
    for position, table in walked(name, 2, steps=10):
        order = None
        if isinstance(table.waits_for, Ask):
            order = table.rulebook.answer(table.waits_for, {}, table.read)
        found = position.outcomes(order)
        assert sum(one.chance for one in found) == 1
        for one in found:
            for dice in one.dice[:6]:
                assert position.play(order, dice) == one.position
        if not found.roll:
            (one,) = found
            assert position.play(order) == one.position


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_refused_order_is_not_listed_as_legal_and_has_a_reason(name):
    for position, table in walked(name, 3):
        ask = table.waits_for
        if not isinstance(ask, Ask):
            continue
        legal = position.legal()
        for form in table.rulebook.forms(ask, table.read):
            for values in list(product(*(slot.candidates for slot in form.slots)))[:20]:
                order = Order.of(
                    form.verb, **dict(zip([slot.name for slot in form.slots], values, strict=True))
                )
                why = position.why_not(order)
                assert (why is None) == (order in set(legal))
                if why:
                    assert why.endswith("]")
                    with pytest.raises(fp.InputError):
                        position.play(order)


@pytest.mark.parametrize("name", SCENARIOS)
def test_stories_are_likeliest_first_with_the_chances_of_their_rolls(name):
    position = fp.position(name)
    found = position.stories(20, by=1)
    chances = [story.chance for story in found]
    assert chances == sorted(chances, reverse=True)
    assert sum(chances) <= 1
    fell, not_fell = found.where("fall"), found.where(fp.happens("fall", least=0, most=0))
    assert len(fell) + len(not_fell) == len(found)
    assert all("fall" in [entry.event.kind for entry in story.log] for story in fell)
    assert len(found.where(lambda end: end.at.moment == 1)) == len(found)


def test_a_story_is_played_again_with_its_own_chance():
    position, faces = fp.position("asl/ridge"), RandomFaces("7")
    story, chance = position.story("7", by=2), 1
    while position.at.moment < 2:
        table = position.at.table(position.at.moment + 2)
        if isinstance(table.waits_for, Ask):
            position = position.play(table.rulebook.answer(table.waits_for, {}, table.read))
            continue
        dice = faces.faces(table.waits_for)
        outcome = next(one for one in position.outcomes() if dice in one.dice)
        chance *= outcome.chance
        position = position.play(dice=dice)
    assert story.chance == chance
    assert story.end["a", "stage"] == position["a", "stage"]


def test_c1_4_a_correction_leads_to_every_hex_within_reach():
    spotted = fp.position('fp1 asl/village "turn 2 PFPh" a{stage=spotting round=@H6 black=7 contact access} '
                          "> german?requests.fire(a)")  # fmt: skip
    legal = spotted.legal()
    assert len(legal["correct"].values("at")) == 272
    assert "H6" not in legal["correct"].values("at")
    assert legal.complete
    assert "C1.4" in spotted.why_not("correct at=H6")


def test_rp_6_1_a_cross_hair_may_go_to_every_corner_of_the_map_that_infantry_sees():
    called = fp.position(CALLING.format(""))
    frame, legal = called.at.scenario.frame, called.legal()
    assert legal.complete
    corners = [place for place in frame.places() if len(place) == 3]
    assert len(corners) > 3_500
    seen = {
        frame.label(corner) for corner in corners if called.sees("75s", frame.label(corner)).ground
    }
    assert legal["place"].values("at") == seen
    assert 0 < len(seen) < len(corners)


MARCHING = """\
game = "red_poppies"
title = "three companies abreast"
moments = 2
date = 1917-10-23
moves = true
[[side]]
name = "french"
[[side]]
name = "german"
central = true
[[unit]]
name = "company"
side = "french"
kind = "late_war_infantry"
at = ["N18", "O18", "O19"]
formed = true
"""


def test_rp_3_5_where_units_may_be_put_together_otherwise_the_form_is_not_called_complete(tmp_path):
    path = tmp_path / "three.toml"
    path.write_text(MARCHING)
    position = fp.position(str(path)).play(dice=(6, 5)).play("troops")
    legal = position.legal()
    assert not legal["units"].complete
    assert legal["nothing"].complete
    mass = Order.of("units", units=("company.1", "company.2", "company.3"))
    assert mass not in set(legal)
    assert position.why_not(mass) is None


def test_legal_orders_are_judged_again_when_the_state_they_read_changes():
    def corners(said):
        return fp.position(CALLING.format(said)).legal()["place"].values("at")

    french = [
        name
        for name, unit in fp.position(CALLING.format("")).at.scenario.units.items()
        if unit.side == "french"
    ]
    all_eyes = corners("")
    blind = " ".join(f'"{name}"{{destroyed place=none}}' for name in french[1:])
    one_eye = corners(blind)
    assert one_eye < all_eyes
    assert corners("") == all_eyes
    assert corners('"75s"{spent}') == all_eyes


def test_c1_7_a_concentration_covers_its_hex_and_the_six_around():
    village = fp.position("asl/village")
    assert len(village.covers("a", "K5")) == 7
    assert "K5" in village.covers("a", "K5")


def test_a_strike_is_listed_for_all_faces():
    found = fp.position("asl/village").attack("a", "K5")
    assert sorted(dice for one in found for dice in one.dice) == [
        (a, b) for a in range(1, 7) for b in range(1, 7)
    ]
    assert sum(one.chance for one in found) == 1
    critical = next(one for one in found if (1, 1) in one.dice)
    assert critical.chance * 36 == 1
    assert "Critical Hit" in critical.text


def test_moves_that_cannot_be_are_refused():
    village = fp.position("asl/village")
    with pytest.raises(fp.InputError, match="Play is waiting for an order"):
        village.play(dice=(1, 2))
    with pytest.raises(fp.InputError, match="Play is waiting for an order"):
        village.outcomes()
    for wrong in ("at=K5", "frobnicate at=K5"):
        with pytest.raises(fp.InputError):
            village.play(wrong)
    with pytest.raises(fp.InputError, match="There is no asset 'b'"):
        village.sees("b", "K5")
    with pytest.raises(fp.InputError):
        village.covers("a", "nowhere")


@pytest.mark.parametrize(
    ("line", "until", "moments"),
    [
        ("asl/village", "fall", "200 fire phases"),  # the radio may fail in every phase
        ("wacht_am_rhein/crossroads", "advanced", "200 barrage segments"),
    ],
)
def test_results_that_may_never_get_to_the_stop_are_refused(line, until, moments):
    with pytest.raises(fp.InputError, match=f"Some results do not get there within {moments}"):
        fp.position(line).outcomes(until=until)
