"""Questions about positions: answers equal those of a walk that follows every case and shares no
solver code.
"""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

import pytest

import fireplan as fp
from fireplan.positions import Position
from fireplan.positions.field_words import unmarked
from fireplan_core import Ask, Effects, Form, Order, Refusal, Slot
from fireplan_core.play import OPENING, Rulebook, State, opening

ASKED = {
    "asl/ridge": (2, "contact", fp.dice(4, 2), lambda event, faces: faces == (4, 2)),
    "asl/village": (1, "access", "black", lambda event, faces: faces == ("black",)),
    "red_poppies/battle_for_pinon": (2, "signal", 7, lambda event, faces: sum(faces) == 7),
    "wacht_am_rhein/crossroads": (1, "depletion", fp.dice(3), lambda event, faces: faces == (3,)),
    "miniatures_1943/chits_in_hand": (
        2,
        "area_weapons",
        fp.dice(6),
        lambda event, faces: faces == (6,),
    ),
}


def followed(scenario, until, roll="", fits=None):
    """Yield the chance of every ending: its state, whether fire fell, and the first such roll."""
    book, begun = Rulebook(scenario), opening(scenario)
    mass = {(begun, False, None): Fraction(1)}
    while mass:
        after = defaultdict(Fraction)
        for (now, fell, met), share in mass.items():
            state = now
            if not state.agenda:
                moment = state.moment + 1
                state = State(state.values.put((("clock/moment", moment),)), (OPENING,))
                if moment == until:
                    yield state, fell, met, share
                    continue
            top, *rest = state.agenda
            if isinstance(top, Ask):
                step = book.after(top, book.answer(top, {}, state.values.get))
                after[State(state.values, (step, *rest)), fell, met] += share
                continue
            for weight, total, outcome, chance in book.branches(top, state.values.get):
                then = State(state.values.put(outcome.updates), (*outcome.pushes, *rest))
                falls = fell or any(event.kind == "fall" for event in outcome.events)
                if met is None and chance.roll is not None and chance.roll.event.name == roll:
                    for faces, one in chance.roll.left:
                        after[then, falls, fits(chance.roll.event, faces)] += share * Fraction(
                            one, total
                        )
                else:
                    after[then, falls, met] += share * Fraction(weight, total)
        mass = after


@pytest.mark.parametrize("name", ASKED)
def test_given_a_roll_is_every_case_followed_with_the_others_left_out(name):
    until, roll, said, fits = ASKED[name]
    position = fp.position(name)
    scenario = position.at.scenario
    asset, unit = scenario.mission_ids[0], scenario.targets[0]
    wanted, fell, chance = defaultdict(Fraction), Fraction(0), Fraction(0)
    for state, falls, met, share in followed(scenario, until, roll, fits):
        if met:
            chance += share
            fell += share * falls
            end = fp.Final(scenario, state.values.get)
            wanted[unmarked((end[asset, "stage"], end[asset, "round"], end[unit, "place"]))] += (
                share
            )
    assert 0 < chance < 1
    given = position.given(**{roll: said})
    there = given.chance("fall", by=until)
    assert there.condition_chance == chance
    assert there.chance == fell / chance
    found = given.distribution(
        lambda end: (end[asset, "stage"], end[asset, "round"], end[unit, "place"]), by=until
    )
    assert found.shares == {end: share / chance for end, share in wanted.items()}
    assert found.condition_chance == chance


@pytest.mark.parametrize("name", ASKED)
def test_chances_from_later_positions_add_up_to_those_at_the_opening(name):
    position = fp.position(name)
    before, scenario = Fraction(0), position.at.scenario
    until = max(2, ASKED[name][0])
    for state, fell, _, share in followed(scenario, 1):
        there = type(position)(
            Position.of(position.at.source, scenario, state), position.game, position.usual
        )
        before += share * (1 if fell else there.chance("fall", by=until).chance)
    assert before == position.chance("fall", by=until).chance


@pytest.mark.parametrize("name", ["asl/ridge", "wacht_am_rhein/crossroads"])
def test_endings_with_and_without_strike_effects_add_up(name):
    position = fp.position(name)
    asset = position.at.scenario.mission_ids[0]

    def stage(end):
        return end[asset, "stage"]

    until = ASKED[name][0]
    whole = position.distribution(stage, by=until).shares
    some = position.given("suffered").distribution(stage, by=until)
    none = position.given(suffered=False).distribution(stage, by=until)
    assert 0 < some.condition_chance == 1 - none.condition_chance < 1
    for ending, share in whole.items():
        assert share == some.condition_chance * some[ending] + none.condition_chance * none[ending]


@pytest.mark.parametrize(
    ("value", "taken"),
    [
        ((9, 9), True),
        ((Fraction(1, 2), 3), True),
        ((1.5, 2), False),
        ("K5", False),
        (("a", "b"), False),
        (3, False),
    ],
)
def test_a_free_slot_takes_other_values_of_the_kind_that_is_offered_and_no_others(value, taken):
    form = Form(
        "aim",
        "1",
        (Slot("at", "a place", ((0, 0), (4, 4)), free=True),),
        lambda at: Effects(),
        summary="aim",
    )
    assert isinstance(form.judge(Order.of("aim", at=value)), Refusal) is not taken
