"""Forty questions in a notebook, three lines each; thirteen of the answers are counted by hand.

The tests of the built documentation check the notebook's stored outputs; here the answers are
checked against dice enumerated without fireplan.
"""

import ast
import json
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import pytest

BOOK = Path(__file__).resolve().parents[2] / "docs" / "notebooks" / "forty_questions.ipynb"
CELLS = json.loads(BOOK.read_text(encoding="utf-8"))["cells"]
ASKED = [
    (title["source"], cell["source"])
    for title, cell in pairwise(CELLS)
    if cell["cell_type"] == "code" and title["source"].startswith("**")
]
DIE, TEN = range(1, 7), range(10)
TWO_DICE = [*product(DIE, DIE)]


def share(holds: Callable[..., bool], throws: list[Any]) -> Fraction:
    """Return the share of rolls that have a property."""
    return Fraction(sum(holds(*throw) for throw in throws), len(throws))


@pytest.fixture(scope="module")
def tables() -> dict[str, Any]:
    """Return the names defined at the beginning of the notebook."""
    names: dict[str, Any] = {}
    exec(next(cell["source"] for cell in CELLS if cell["cell_type"] == "code"), names)  # noqa: S102 - ours
    return names


@pytest.fixture
def answered(tables: dict[str, Any]) -> Callable[[str], Any]:
    """Return a function that runs a question's cell, found by some of its words."""

    def answer(words: str) -> Any:
        (code,) = (code for question, code in ASKED if words in question)
        *before, last = ast.parse(code).body
        assert isinstance(last, ast.Expr)
        names = dict(tables)
        exec(compile(ast.Module(before, []), "cell", "exec"), names)  # noqa: S102 - ours
        return eval(compile(ast.Expression(last.value), "cell", "eval"), names)  # noqa: S307 - ours

    return answer


def test_there_are_forty_questions_in_at_most_three_lines():
    assert [int(question.split(".")[0].strip("*")) for question, _ in ASKED] == [*range(1, 41)]
    assert all(1 <= len(code.splitlines()) <= 3 for _, code in ASKED)


def test_every_answer_is_shown():
    code = [cell for cell in CELLS if cell["cell_type"] == "code"]
    assert [len(cell["outputs"]) for cell in code] == [0] + [1] * 40


# --- Advanced Squad Leader ---------------------------------------------------------------------------
def test_contact_is_counted_on_two_dice(answered):
    """There is contact on 8 or less and none on 9 to 11, and on a 12 the radio breaks (C1.2,
    C1.22).
    """
    by_hand = Counter(
        "contact" if a + b <= 8 else "none" if a + b < 12 else "broken" for a, b in TWO_DICE
    )
    shown = {row.text.partition("; ")[2]: row.chance for row in answered("next roll for Contact")}
    assert sorted(shown.values()) == sorted(Fraction(n, 36) for n in by_hand.values())
    assert next(
        chance for text, chance in shown.items() if "has Radio Contact" in text
    ) == Fraction(26, 36)


def test_one_throw_of_two_dice_is_given(answered):
    assert answered("rolled as 4 and 2").condition_chance == share(
        lambda a, b: (a, b) == (4, 2), TWO_DICE
    )


def test_fire_covers_a_hex_and_its_neighbours(answered):
    """The six hexes round K5 are counted on the map, where column K is half a hex higher than J and
    L.
    """
    column, row = ord("K"), 5
    beside = [(0, -1), (0, 1), *product((-1, 1), (-1, 0))]
    near = {(column, row), *((column + right, row + down) for right, down in beside)}
    assert {*answered("would fire on K5 cover")} == {f"{chr(right)}{down}" for right, down in near}


# --- Wacht am Rhein ----------------------------------------------------------------------------------
def test_artillery_is_replenished_on_its_depletion_value(answered):
    """A ten-sided die with +1 for the inactive side must not exceed the depletion value of 4
    (12.6.3).
    """
    assert answered("I-26-Art replenished") == share(
        lambda die: die + 1 <= 4, [(die,) for die in TEN]
    )


# --- Red Poppies -------------------------------------------------------------------------------------
def couplets(german: int, french: int) -> int:
    """Return the number of couplets: the difference of the dice, or three for a tie (5.11)."""
    return abs(german - french) or 3


def test_the_higher_die_wins_the_initiative_and_a_tie_the_central_powers(answered):
    by_hand = share(lambda german, french: german >= french, TWO_DICE)
    assert answered("Germans win the initiative") == by_hand


def test_couplets_are_the_difference_of_the_dice(answered):
    assert answered("winner get five couplets") == share(
        lambda *dice: couplets(*dice) == 5, TWO_DICE
    )
    assert answered("how many on average") == Fraction(
        sum(couplets(*dice) for dice in TWO_DICE), 36
    )
    four = share(lambda german, french: german - french == 4, TWO_DICE)
    assert answered("How likely is that beginning") == four


# --- 1943 --------------------------------------------------------------------------------------------
def destroyed(die: int) -> bool:
    """Return whether a die destroys a prone section: -1 prone, +1 personnel, 6 destroys (6.3)."""
    return die - 1 + 1 >= 6


def test_a_barrage_destroys_a_prone_section_on_a_six(answered):
    rows = answered("one barrage do to the section")
    chance = sum(row.chance for row in rows if "The section is destroyed" in row.text)
    assert chance == share(destroyed, [(die,) for die in DIE])
    assert answered("only one is").chance == chance


def test_three_barrages_are_three_dice(answered):
    three = share(lambda *dice: any(map(destroyed, dice)), [*product(DIE, repeat=3)])
    assert answered("all three chits are placed").chance == three
    fewer = [
        share(lambda *dice: any(map(destroyed, dice)), [*product(DIE, repeat=n)]) for n in (1, 2)
    ]
    assert answered("best chits to place") == max(three, *fewer)


def test_the_air_is_won_by_the_higher_die(answered):
    """The Axis has -5 here, and a tie gives it to neither side (S.a, S.b)."""
    by_hand = share(lambda american, axis: american > axis - 5, TWO_DICE)
    assert answered("the air over the farm") == by_hand
