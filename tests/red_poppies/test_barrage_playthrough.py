"""A creeping barrage over eight turns, couplet by couplet: its lines, breaches and concealment (7.41 to 7.45)."""

from __future__ import annotations

import pytest
import support_red_poppies as rp

from fireplan_core import Ask, Order, View
from fireplan_core.play import Answered, Table, Thrown
from fireplan_red_poppies.massed import Cloud, clouds_over

# It is night, so a turn may have no couplet; the turn after such a turn is spared the reduction
# (5.12).
DICE = [(5, 2), (5, 4), (6, 1), (5, 3), (5, 1), (5, 4), (5, 4), (5, 1)]
COUPLETS = [2, 0, 5, 1, 3, 0, 1, 3]


def played():
    """Pass throughout; return the table, and the turn and the concealed rows at each command."""
    scenario = rp.lay(
        board=rp.board(), moves=True, night=True, barrage=(rp.barrage(),), unit=(rp.unit("far", "M24"),),
        hexside=(rp.along("wire", "all", "S"),),
    )  # fmt: skip
    table, dice, hidden = Table(scenario, 8), list(DICE), []
    while table.waits_for is not None:
        waits = table.waits_for
        if isinstance(waits, Ask):
            if waits.question == "delays.command":
                hidden.append((table.state.moment + 1, rows(table)))
            order = (
                Order.of("pass") if waits.question == "delays.command"
                else table.rulebook.answer(waits, {}, table.read)
            )  # fmt: skip
            assert isinstance(table.submit(Answered(waits.question, order)), tuple)
        else:
            table.submit(Thrown(waits.name, dice.pop(0)))
    return table, hidden


def rows(table):
    """Return the rows that the barrage covers, as concealment shows them."""
    frame = table.scenario.frame
    view = View(table.read, table.scenario, "observers")
    clouds = clouds_over(view)
    column = [frame.parse(f"N{row}") for row in range(10, 25)]
    return [frame.label(h)[1:] for h in column if clouds.get(h) is Cloud.BARRAGE]


@pytest.fixture(scope="module")
def play():
    return played()


def test_rp_7_42_7_44_7_45_the_lines_of_eight_turns_of_0_1_2_3_and_5_couplets(play):
    table, _ = play
    assert [f["couplets"] for _, _, f in rp.told(table, "initiative")] == COUPLETS
    assert rp.falls(table) == [
        (1, "19"), (1, "18"),  # two couplets: the opening line, then the next (7.42)
        # Turn 2 has no couplet, so nothing is struck.
        (3, "17"), (3, "16"),  # five couplets: no advance after the second (7.45)
        (4, "16"),  # one couplet: the line where the last turn ended
        (5, "15"), (5, "14"),  # three couplets
        # Turn 6 has no couplet.
        (7, "13"),  # one couplet
        (8, "12"), (8, "11"),  # three couplets
    ]  # fmt: skip
    # With fewer than two couplets the barrage advances at the end of the turn without effect
    # (7.44).
    assert [(turn, f["impact"][1:]) for turn, _, f in rp.told(table, "advance")] == [
        (2, "17"), (4, "15"), (6, "13"), (7, "12"),
    ]  # fmt: skip


def test_rp_7_43_8_342_three_breaches_for_each_line_when_it_is_first_hit(play):
    table, _ = play
    breaches = [turn for turn, _, _ in rp.told(table, "breach")]
    # New lines struck in turns 1 to 8: two, none, two, none (the same line again), two, none, one
    # and two. Each new line has three breaches.
    assert [breaches.count(turn) for turn in range(1, 9)] == [6, 0, 6, 0, 6, 0, 3, 6]
    field = table.scenario.missions["barrage"].facts["resolution"].ground
    label = table.scenario.frame.label
    for turn, _, f in rp.told(table, "breach"):
        assert f["side"] in field.wire, (turn, label(f["side"][0]))
    assert {f["by"] for _, _, f in rp.told(table, "breach")} == {"french"}


def test_rp_7_43_7_45_its_line_conceals_for_every_couplet_until_it_moves_on(play):
    _, hidden = play
    # Each couplet asks for two commands.
    expected = {
        1: ["19"] * 2 + ["18"] * 2,
        3: ["17"] * 2 + ["16"] * 8,
        4: ["16"] * 2,
        5: ["15"] * 2 + ["14"] * 4,
        7: ["13"] * 2,
        8: ["12"] * 2 + ["11"] * 4,
    }
    assert hidden == [(turn, [row]) for turn, line in expected.items() for row in line]
