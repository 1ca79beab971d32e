"""Lazy rolls: they branch only where a rule distinguishes outcomes, and refuse operations that no
driver allows.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product

import icepool
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fireplan_core.chance import (
    Applied,
    Chance,
    ChanceError,
    Die,
    RandomFaces,
    ScriptedFaces,
    Selection,
    Throw,
    d6,
    d10,
    explore,
)


def shares(run, modifiers=lambda _: ()):
    """Return the exact distribution of a step's result, and the number of its branches."""
    found = Counter()
    branches = explore(run, modifiers)
    for weight, total, answer, _ in branches:
        found[answer] += Fraction(weight, total)
    return dict(found), len(branches)


def test_contact_with_original_12_is_three_branches():
    def contact(chance):
        roll = chance.dice("contact", coloured=d6, white=d6)
        if roll.total == 12:
            return "breaks"
        return "contact" if roll.total + chance.drm(roll) <= 8 else "none"

    found, branches = shares(contact, lambda name: [Applied(name, -1, "C1.22", "maintenance")])
    assert branches == 3
    # Without the 12, 2d6 - 1 is at most 8 for totals of 2 to 9, which are 30 of 36 rolls.
    assert found == {
        "breaks": Fraction(1, 36),
        "contact": Fraction(30, 36),
        "none": Fraction(5, 36),
    }


def test_readings_of_one_roll_share_one_condition():
    def step(chance):
        roll = chance.dice("shot", coloured=d6, white=d6)
        if roll.total == 12:
            return (roll.coloured.exact(), roll.white.exact(), bool(roll.doubles))
        return None

    found, branches = shares(step)
    assert branches == 2
    assert found[6, 6, True] == Fraction(1, 36)


def test_two_dice_of_one_throw_are_compared_with_each_other():
    def initiative(chance):
        roll = chance.dice("initiative", one=d6, other=d6)
        return "one" if roll.one > roll.other else "tie" if roll.one == roll.other else "other"

    found, branches = shares(initiative)
    assert branches == 3
    assert found == {"one": Fraction(15, 36), "tie": Fraction(6, 36), "other": Fraction(15, 36)}


@pytest.mark.parametrize(
    "misuse",
    [
        hash,
        str,
        int,
        bool,
        "{}".format,
        lambda reading: {reading: 1},
        lambda reading: [0, 1][reading],
    ],
    ids=["hash", "str", "int", "bool", "format", "key", "index"],
)
@pytest.mark.parametrize("played", [False, True])
def test_forbidden_operations_raise_in_every_driver(misuse, played):
    fall = (lambda event: event.read((3, 4))) if played else (lambda event: None)
    roll = Chance(fall).dice("throw", a=d6, b=d6)
    with pytest.raises(ChanceError):
        misuse(roll.total)


def test_a_reading_never_shows_its_number():
    roll = Chance(lambda event: event.read((3, 4))).dice("throw", a=d6, b=d6)
    assert "7" not in repr(roll.total)
    assert "3" not in repr(roll)


def test_a_modifier_after_a_modified_comparison_is_an_error():
    def late(chance):
        roll = chance.dice("throw", a=d6)
        if roll.total + 1 > 3:
            return roll.total + 2 > 5
        return False

    with pytest.raises(ChanceError, match="after a comparison"):
        explore(late)


def test_a_second_chance_event_in_one_step_is_an_error():
    with pytest.raises(ChanceError, match="second chance event"):
        explore(lambda c: (c.dice("one", a=d6), c.dice("two", a=d6)))


def test_readings_of_different_rolls_cannot_be_mixed():
    one = Chance(lambda event: None).dice("one", a=d6)
    two = Chance(lambda event: None).dice("two", a=d6)
    with pytest.raises(ChanceError, match="different rolls"):
        bool(one.total <= two.total)


def test_a_draw_knows_only_counts_and_never_draws_exhausted_kinds():
    found, branches = shares(lambda c: c.draw("pile", black=8, red=3).exact())
    assert (found, branches) == ({"black": Fraction(8, 11), "red": Fraction(3, 11)}, 2)
    found, branches = shares(lambda c: c.draw("pile", black=0, red=3).exact())
    assert (found, branches) == ({"red": Fraction(1)}, 1)
    with pytest.raises(ChanceError, match="empty"):
        explore(lambda c: c.draw("pile", black=0, red=0))


def test_a_chance_node_of_99_to_1_is_not_uniform():
    found, _ = shares(lambda c: c.draw("pile", good=99, bad=1) == "bad")
    assert found[True] == Fraction(1, 100)


def test_fold_of_many_dice_equals_icepool():
    reading = {face: (max(0, face - 5) // 2, face in (4, 7)) for face in range(10)}

    def volleys(chance):
        roll = chance.fold("volleys", d10, [(7, reading), (1, reading)])
        return roll.add.exact(), bool(roll.any)

    found, branches = shares(volleys)
    expected = Counter()
    # Sums and flags of a die are packed into one number, so that icepool can add eight of them.
    packed = icepool.z(10).map(lambda face: 1000 * reading[face][0] + int(reading[face][1]))
    for outcome, quantity in (8 @ packed).items():
        expected[outcome // 1000, outcome % 1000 > 0] += Fraction(quantity, 10**8)
    assert found == expected
    assert branches <= len(expected)


@given(st.integers(1, 4), st.integers(1, 4))
def test_random_selection_equals_enumeration(names, count):
    of = tuple("abcd"[:names])
    event = Selection("selection", d6, of, count)
    expected = Counter(event.read(faces)[0] for faces in product(range(1, 7), repeat=names))
    assert {outcome[0]: weight for outcome, weight in event.space} == expected


def test_random_selection_takes_ties_so_the_count_is_a_minimum():
    event = Selection("selection", d6, ("a", "b", "c"), 1)
    assert event.read((5, 5, 2)) == (("a", "b"),)
    assert Selection("selection", d6, ("a", "b"), 3).read((1, 2)) == (("a", "b"),)


def test_scripted_faces_are_checked_and_run_out():
    throw = Throw("throw", (("coloured", d6), ("white", d6)))
    assert ScriptedFaces([3, 4]).faces(throw) == (3, 4)
    with pytest.raises(ChanceError, match=r"white: a die shows 1 to 6, not 7"):
        ScriptedFaces([3, 7]).faces(throw)
    with pytest.raises(ChanceError, match="ran out"):
        ScriptedFaces([3]).faces(throw)
    with pytest.raises(ChanceError):
        ScriptedFaces([True, 1]).faces(throw)


def test_seeded_faces_repeat_and_cover_the_die():
    throw = Throw("throw", (("a", d10),))
    one, two = RandomFaces(5), RandomFaces(5)
    fallen = [one.faces(throw) for _ in range(300)]
    assert fallen == [two.faces(throw) for _ in range(300)]
    assert {face for (face,) in fallen} == set(range(10))


def test_a_pile_is_sampled_by_its_counts():
    faces = RandomFaces(1)
    event = Chance(lambda event: None)
    event.draw("pile", black=2, red=1)
    (wanted,) = event.roll._event.faces
    drawn = Counter(faces.face(wanted) for _ in range(3000))
    assert abs(drawn["red"] - 1000) < 4 * (3000 * 2 / 9) ** 0.5


def test_caps_and_halves_of_an_extent():
    found, branches = shares(lambda c: c.dice("extent", white=d6).total.clamped(high=2).exact())
    assert (found, branches) == ({1: Fraction(1, 6), 2: Fraction(5, 6)}, 2)
    found, _ = shares(lambda c: c.dice("extent", white=d6).total.halved_up().exact())
    assert found == {1: Fraction(1, 3), 2: Fraction(1, 3), 3: Fraction(1, 3)}


def test_a_reading_is_kept_up_to_its_lower_limit():
    found, branches = shares(lambda c: c.dice("excess", white=d6).total.clamped(low=3).exact())
    assert found == {3: Fraction(1, 2), 4: Fraction(1, 6), 5: Fraction(1, 6), 6: Fraction(1, 6)}
    assert branches == 4


def test_the_faces_of_a_throw_are_one_branch_each_set():
    def run(chance):
        roll = chance.dice("spared", first=d6, second=d6, third=d6)
        return roll.faces.look_up(lambda faces: tuple(sorted(faces)))

    branches = explore(run)
    counted = Counter(tuple(sorted(set(dice))) for dice in product(range(1, 7), repeat=3))
    assert {answer: weight for weight, _, answer, _ in branches} == counted
    assert len(branches) == len(counted)


DIE = {"white": d6}


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        (lambda chance: chance.dice("x"), "the throw 'x' needs named dice"),
        (
            lambda chance: chance.dice("x", white=6),
            "needs named dice, such as white=d6, not {'white': 6}",
        ),
        (lambda chance: chance.draw("x", green=2, red=-1), "the pile of 'x' holds -1 of 'red'"),
        (lambda chance: chance.draw("x", green=1.5), "the pile of 'x' holds 1.5 of 'green'"),
        (lambda chance: chance.draw("x", green=0), "the pile of 'x' is empty"),
        (lambda chance: chance.fold("x", d6, [(-1, {})]), "-1 dice cannot be thrown for 'x'"),
        (
            lambda chance: chance.fold("x", d6, [(2, {1: (0, False)})]),
            "the reading for 'x' does not cover the face 2",
        ),
        (lambda chance: chance.highest("x", of=()), r"cannot choose 1 of \(\) for 'x'"),
        (
            lambda chance: chance.highest("x", of=("a", "a")),
            r"cannot choose 1 of \('a', 'a'\) for 'x'",
        ),
        (
            lambda chance: chance.highest("x", of=("a", "b"), count=0),
            "cannot choose 0 of .* for 'x'",
        ),
        (lambda chance: chance.dice("x", **DIE).total + 0.5, "0.5 was added to"),
        (
            lambda chance: chance.dice("x", **DIE).total.clamped(3, 2),
            "cannot be limited to the range from 3 to 2",
        ),
        (lambda _chance: Die(0), "expected a die .* got 0 sides"),
        (lambda _chance: Die(2.5), "expected a die .* got 2.5 sides"),
    ],
)
def test_chance_that_makes_no_sense_is_refused(rule, told):
    with pytest.raises(ChanceError, match=told):
        explore(rule)


def test_a_fractional_modifier_is_refused_with_its_rule():
    half = Applied("x", Fraction(1, 2), "3.1", "half cover")
    with pytest.raises(ChanceError, match=r"Fraction\(1, 2\) to 'x' \(half cover, 3.1\)"):
        explore(lambda chance: chance.drm(chance.dice("x", **DIE)), lambda _roll: [half])
