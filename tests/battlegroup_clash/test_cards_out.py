"""Cards drawn in a position: each pile is counted once, and no deck gives out more cards than it
has (25).
"""

import pytest

import fireplan as fp

LINE = "fp1 battlegroup_clash/causeway table{{out=[{}]}}"


@pytest.mark.parametrize(
    ("out", "words"),
    [
        (
            "[chits NATO [1] 1] [chits NATO [1] 1]",
            r"chits NATO \[1\] is named twice: add the counts",
        ),
        ("[chits NATO [] 8]", "8 cards are out of chits, which has 7"),
        ("[chits NATO [] 4] [chits Russia [] 4]", "8 cards are out of chits, which has 7"),
        ("[chits NATO [1] 0]", "expected a count of at least 1, got 0"),
        ("[chitz NATO [1] 1]", "there is no deck 'chitz'; expected etx, chits"),
    ],
)
def test_cards_that_are_miscounted_are_refused(out, words):
    with pytest.raises(fp.InputError, match=words):
        fp.position(LINE.format(out))


def test_every_card_of_a_deck_may_be_out():
    line = LINE.format("[chits NATO [] 4] [chits Russia [] 3]")
    assert fp.position(line).line == line
