"""Positions with an FFE have the shells of its type of Fire Mission (C1.7, C1.71)."""

import pytest

import fireplan as fp

AT_HAND = {"contact": True, "access": True, "black": 7, "round": "K5"}


def ffe(**fields):
    """Return an FFE on K5 in the shipped village, with these fields of its battery."""
    return fp.position("asl/village", turn=2, a={**AT_HAND, **fields})


@pytest.mark.parametrize("stage", [{"stage": "falling"}, {}, {"stage": "lingering"}])
@pytest.mark.parametrize(
    ("kind", "shells"), [("smoke", "smoke"), ("harassing", "he"), ("concentration", "he")]
)
def test_c1_7_an_ffe_has_the_shells_of_its_type(stage, kind, shells):
    position = ffe(type=kind, fell=True, **stage)
    assert position["a", "kind"] == shells
    assert fp.position(position.line) == position


def test_c1_71_a_smoke_ffe_attacks_nobody():
    smoke = ffe(stage="falling", fell=True, type="smoke")
    assert smoke.chance("suffered", by="turn 2 PFPh").chance == 0
    assert smoke.chance("smoke", by="turn 2 PFPh").chance == 1
    assert ffe(stage="falling", fell=True).chance("suffered", by="turn 2 PFPh").chance > 0


@pytest.mark.parametrize(("kind", "shells"), [("smoke", "he"), ("concentration", "smoke")])
def test_c1_7_an_ffe_with_other_shells_is_refused(kind, shells):
    with pytest.raises(fp.InputError, match=rf"a Fire Mission of {kind} \(type\) does not fire"):
        ffe(stage="falling", fell=True, type=kind, kind=shells)
