"""Short answers: as text to paste, and as figures in a link."""

import hashlib

from fireplan_studio.copies import short
from fireplan_studio.limits import LIMITS


def test_square_brackets_in_an_answer_do_not_break_the_bbcode():
    copies = short("Woods [1]", ("rule", "chance"), [("C1.22 [EXC]", "5 %")]).copies
    assert "Woods (1)" in copies["BBCode"]
    assert "C1.22 (EXC)" in copies["BBCode"]
    assert "C1.22 [EXC]" in copies["text"]


def test_a_link_carries_figures_as_long_as_it_leaves_room_for_the_address_of_the_site():
    link, most = "/compare?games=asl&v=1", LIMITS["address_characters"].most
    found = []
    for count in range(60):
        cells = [hashlib.sha256(bytes([number])).hexdigest() for number in range(count)]
        found.append(
            short("t", ("game", "figure"), zip(cells, cells, strict=True)).carried_by(link)
        )
    carried = [len(each) for each in found if each != link]
    assert found[-1] == link
    assert 0.7 * most < max(carried) <= most - len("https://") - 255  # the longest name of a host
