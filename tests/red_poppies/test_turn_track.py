"""The turn track of a position whose turn is about to open (7.221, 7.222)."""

import pytest

import fireplan as fp

CALLED = (
    'fp1 red_poppies/battle_for_pinon "turn 3" '
    '"75s"{{stage=delayed aim=@AT05/AU05/AU06 hourglass={glass} spent}}'
)


@pytest.mark.parametrize(
    ("glass", "track", "more"),
    [
        (1, "turn 3: turn marker, hour glass of 75s (primed then)", ["primed"]),
        (2, "turn 3: turn marker; turn 4: hour glass of 75s (primed then)", ["primed in 1 turn"]),
    ],
)
def test_rp_7_222_the_hour_glass_is_in_the_turn_that_primes_the_group(glass, track, more):
    position = fp.position(CALLED.format(glass=glass))
    shown = position.to_dict()
    assert shown["displays"][0] == f"turn track: {track}"
    assert shown["assets"]["75s"]["more"] == more
    assert position.chance(fp.happens("primed"), by=f"turn {2 + glass}").chance == 1
