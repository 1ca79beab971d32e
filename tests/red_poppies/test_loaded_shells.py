"""Positions of Red Poppies load a group only with shells that it has (7.51, 7.52)."""

import pytest

import fireplan as fp

CALLED = {"stage": "delayed", "aim": "AT05/AU05/AU06", "hourglass": 0}


@pytest.mark.parametrize("kind", ["gas", "smoke", "wp"])
def test_rp_7_51_7_52_shells_that_a_group_does_not_have_are_refused(kind):
    with pytest.raises(fp.InputError, match="does not have these shells"):
        fp.position("red_poppies/cut_wires", turn=2, **{"75s": {**CALLED, "kind": kind}})


def test_rp_7_51_a_group_may_be_loaded_with_its_shells():
    he = fp.position("red_poppies/cut_wires", turn=2, **{"75s": {**CALLED, "kind": "he"}})
    assert he["75s", "kind"] == "he"
