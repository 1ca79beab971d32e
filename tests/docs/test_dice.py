"""The twelve rolls of the page on dice: each expression runs and has the chance that the page
states.
"""

import re
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

from fireplan_core.chance import Die, FromDeck, d6, explore

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how_to" / "dice.md"
ROWS = re.findall(r"^\| ([^|]*) \| `([^`]*)` \| (\d+/\d+) \|$", PAGE.read_text(), re.MULTILINE)
SIX = range(1, 7)
BY_FACES = {
    "a die of 4 or more": ([SIX], lambda a: a >= 4),
    "two dice and a modifier, at most 8": ([SIX, SIX], lambda a, b: a + b + 1 <= 8),
    "percentile dice, at most 35": ([range(1, 101)], lambda a: a <= 35),
    "doubles": ([SIX, SIX], lambda a, b: a == b),
    "a d8 is 8": ([range(1, 9)], lambda a: a == 8),
    "a d3, half a die rounded up, is 3": ([SIX], lambda a: (a + 1) // 2 == 3),
    "a pool of six: three or more 5s and 6s": ([SIX] * 6, lambda *f: sum(x > 4 for x in f) > 2),
    "a pool of five: any 6": ([SIX] * 5, lambda *faces: 6 in faces),
    "two kinds of guns: no hit on 5 (three dice) and on 4 (two)": (
        [SIX] * 5,
        lambda a, b, c, d, e: max(a, b, c) < 5 and max(d, e) < 4,
    ),
    "the highest of three dice is 6": ([SIX] * 3, lambda *faces: max(faces) == 6),
    "a die behind a screen is 6": ([SIX], lambda a: a == 6),
    "a chit from a pile is green": (["GGGGWWWWRR"], lambda chit: chit == "G"),
}


def test_the_table_has_twelve_throws():
    assert [throw for throw, _, _ in ROWS] == [*BY_FACES]


@pytest.mark.parametrize(("throw", "code", "stated"), ROWS, ids=[row[0] for row in ROWS])
def test_a_throw_has_the_chance_that_counting_its_faces_gives(throw, code, stated):
    names = {"d6": d6, "Die": Die, "FromDeck": FromDeck}
    branches = explore(lambda chance: eval(code, {"chance": chance, **names}))  # noqa: S307
    share = sum(Fraction(weight, total) for weight, total, true, _ in branches if true)
    dice, holds = BY_FACES[throw]
    counted = [bool(holds(*faces)) for faces in product(*dice)]
    assert Fraction(stated) == share == Fraction(sum(counted), len(counted))
