"""Chances of whole sequences, worked out by hand from the rules text as fractions.

Each figure was written down before the program was asked.
"""

from fractions import Fraction

import pytest

import fireplan as fp

ASL = """
game = "asl"
title = "By hand"
moments = 12
date = {date}
boards = 1

[[battery]]
id = "a"
side = "firer"
nationality = "{nation}"
calibre = 105
target = "K5"
observer = "E6"
missions = ["concentration"]

[[unit]]
id = "squad"
side = "foe"
hex = "K5"
"""
UNKNOWN = 'terrain = "woods"\nconcealed = true\nconcealment_terrain = true\n'

POPPIES = """
game = "red_poppies"
title = "By hand"
moments = 8
date = 1917-10-23
{head}
[board]
west = "M"
east = "R"
north = 10
south = 24
[[side]]
name = "french"
commands = 5
[[side]]
name = "german"
central = true
[[group]]
name = "a"
side = "french"
firepower = 3
mode = "{mode}"
target = "N18/N19/O19"
preregistered = "N18/N19/O19"
[[hex]]
at = ["N19"]
holds = ["trench"]
[[unit]]
name = "foe"
side = "german"
kind = "late_war_infantry"
at = ["N19"]
[[unit]]
name = "eyes"
side = "french"
kind = "late_war_infantry"
at = ["N21"]
"""


@pytest.fixture
def position(tmp_path):
    def make(text, more="", **fields):
        file = tmp_path / "by_hand.toml"
        file.write_text(text + more, encoding="utf-8")
        return fp.position(file, **fields)

    return make


def german(position, more="", **fields):
    on_k5 = {"stage": "spotting", "round": "K5", "contact": True, "access": True, "black": 7}
    text = ASL.format(nation="german", date="1943-08-12")
    return position(text, more, turn=2, a={**on_k5, **fields})


def test_c1_2_c1_22_contact_in_two_phases_with_a_repair_between(position):
    early = position(ASL.format(nation="russian", date="1942-03-01"))
    # Contact on 6; failed without a 12; or broken, repaired on a 1 and then on 6.
    first, failed, repaired = Fraction(15, 36), Fraction(20, 36), Fraction(1, 36) * Fraction(1, 6)
    by_hand = first + failed * first + repaired * first
    assert early.chance("contact", by="turn 1").chance == by_hand == Fraction(1685, 2592)


def test_c1_21_c1_332_two_extra_chits_in_one_phase(position):
    # The Accurate and every errant SR is in or next to the hex of the unknown enemy (C1.4).
    unknown = german(position, UNKNOWN, round="K8")
    asked = fp.position(f"{unknown.line} > firer?requests.fire(a)")
    results = asked.outcomes("correct_convert at=K5", until="end of phase")
    fell = sum(one.chance for one in results if any(e.kind == "fall" for e in one.events))
    assert fell == Fraction(7, 10) ** 2  # the first extra chit is mixed back in


def test_c1_22_c1_34_c1_342_three_fires_in_three_phases(position):
    spotted = german(position)
    kept = Fraction(30, 36)  # Maintenance on 9
    assert spotted.chance(fp.happens("fall", least=2), by="turn 2").chance == kept
    third = spotted.chance(fp.happens("fall", least=3), by=5)  # the PFPh of turn 3
    assert third.chance == kept**3 * Fraction(7, 10) == Fraction(175, 432)


COUPLETS = {
    1: Fraction(10, 36),
    2: Fraction(8, 36),
    3: Fraction(12, 36),
    4: Fraction(4, 36),
    5: Fraction(2, 36),
}  # a tie counts as 3


def within(couplets, signal, unused=0):
    """Return the chance of a signal in a turn with a roll for each couplet but ``unused``."""
    return sum(
        share * (1 - (1 - signal) ** max(0, number - unused)) for number, share in couplets.items()
    )


@pytest.mark.parametrize(
    ("head", "signal"),
    [("", Fraction(21, 36)), ("bombarded = true", Fraction(10, 36))],
    ids=["7", "5"],
)
def test_rp_7_222_a_flare_rolls_from_the_command_after_its_call(position, head, signal):
    flare = position(POPPIES.format(mode="flare", head=head))
    assert flare.chance("fall", by="turn 1").chance == within(COUPLETS, signal, unused=1)


def test_rp_5_12_no_two_night_turns_without_a_couplet(position):
    signal, night = Fraction(30, 36), {number - 1: share for number, share in COUPLETS.items()}
    primed = position(
        POPPIES.format(mode="telephone", head="night = true"),
        turn=3,
        a={"stage": "delayed", "aim": "N18/N19/O19", "hourglass": 1},
    )
    none = night[0]
    other = sum(share * (1 - signal) ** number for number, share in night.items() if number)
    missed = none * (1 - within(COUPLETS, signal)) + other * (1 - within(night, signal))
    assert primed.chance("fall", by="turn 3").chance == within(night, signal)
    assert primed.chance("fall", by="turn 4").chance == 1 - missed == Fraction(527739455, 544195584)
