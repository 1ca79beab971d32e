"""The answer to a player who names a hex where the cross hair cannot go (6.1)."""

import pytest

import fireplan as fp
from fireplan.table import OrderReader

PINON = "red_poppies/battle_for_pinon"


@pytest.fixture(scope="module")
def cross_hair():
    """Return the table where the cross hair of the 75s is to be placed."""
    return fp.position(f'fp1 {PINON} "75s"{{stage=requested}} > French?requests.cross_hair("75s")')


def test_6_1_a_hex_is_refused_with_the_vertices_at_it(cross_hair):
    refusal = cross_hair.why_not("place at=AW05")
    assert "such as AV05/AW05/AW06, " in refusal
    assert refusal.count("AW05") == 6
    assert "[6.1" in refusal


def test_three_hexes_that_do_not_meet_are_answered_with_the_nearest_vertex(cross_hair):
    table = cross_hair.at.table()
    forms = table.rulebook.forms(table.waits_for, table.read)
    with pytest.raises(fp.InputError, match=r"do not meet at one corner; did you mean .*AX05"):
        OrderReader(table.scenario).read("place at=AW05/AX05/AX07", forms)
