"""The counter-attack that follows a finished game: from the game's journal to a playable file
(11.2, 11.3).
"""

from __future__ import annotations

import pytest
import support_red_poppies as rp

import fireplan as fp
from fireplan import InputError
from fireplan.analysis import shipped_engagements
from fireplan.cli.journals import follow
from fireplan.table import begin, make_head
from fireplan_core import Ask, Order
from fireplan_core.play import Catalogue, load_scenario

ATTACK = """game = "red_poppies"
title = "attack"
moments = 12
date = 1917-10-23
bombarded = true
board = { west = "M", east = "R", north = 10, south = 24 }

[[side]]
name = "french"

[[side]]
name = "german"
central = true

[[unit]]
name = "eyes"
side = "french"
kind = "late_war_infantry"
at = ["N21"]

[[unit]]
name = "watch"
side = "german"
kind = "late_war_infantry"
at = ["N16"]
formed = true

[[group]]
name = "ours"
side = "french"
firepower = 3
mode = "telephone"
target = "N18/N19/O19"

[[group]]
name = "theirs"
side = "german"
firepower = 3
mode = "runner"
target = "N18/N19/O19"

[[hexside]]
kind = "wire"
at = ["N16"]
sides = ["S"]
"""


def attack(folder, turns=12):
    """Play the attack scenario with a call by each side, the Germans by runner on turn 9, the
    French by telephone on turn 12; return its journal.
    """
    file = folder / "attack.toml"
    file.write_text(ATTACK, encoding="utf-8")
    catalogue = Catalogue.installed()
    journal = folder / "attack.fireplan"
    session = begin(journal, catalogue, make_head(catalogue, str(file), None, {}))
    calls = {(9, "german"): ("theirs", "runner"), (12, "french"): ("ours", "telephone")}
    while session.table.waits_for is not None and session.table.state.moment < turns:
        waits, table = session.table.waits_for, session.table
        if isinstance(waits, Ask):
            call = (
                calls.pop((table.state.moment + 1, waits.who), None)
                if waits.question == "delays.command"
                else None
            )
            if call:
                order = Order.of("call", group=call[0], by=call[1])
            elif waits.question == "delays.command":
                order = Order.of("pass")
            else:
                order = table.rulebook.answer(waits, {}, table.read)
            assert isinstance(session.order(order), tuple)
        else:
            session.face((6, 4)[len(session.faces)], typed=True)
    session.journal.close()
    return journal


def test_rp_11_2_11_32_the_command_writes_the_counter_attack_with_the_defenders_calls(
    tmp_path, capsys
):
    follow(attack(tmp_path), keeps="german")
    file = tmp_path / "counter_attack.toml"
    file.write_text(capsys.readouterr().out, encoding="utf-8")
    scenario, form = load_scenario(Catalogue.installed(), file)
    assert form.moments == 6
    assert {group.name: (group.cross_hair, group.hour_glass) for group in form.group} == {
        "ours": (None, 0), "theirs": ("N18/N19/O19", 3),
    }  # fmt: skip
    assert {unit.name: (unit.at, unit.formed) for unit in form.unit}["watch_1"] == (("N16",), True)
    # A group called on turn 9 with a delay of 6 is primed on turn 3 of the counter-attack (11.32).
    table = rp.run(scenario, (5, 4) * 4, {"delays.command": [Order.of("pass")] * 8}, moments=6)
    assert [(turn, f["mission"]) for turn, _, f in rp.told(table, "primed")] == [(3, "theirs")]


def test_rp_11_2_a_position_played_to_its_end_gives_the_scenario_that_follows(tmp_path, capsys):
    journal = attack(tmp_path)
    follow(journal, keeps="german")
    written = capsys.readouterr().out
    ended = fp.load(str(journal)).at()
    following = ended.follows(keeps="german")
    assert following.at.source.files[0][1] == written
    assert (following.moment, following.usual) == ("turn 1", 6)
    assert following["theirs", "hourglass"] == 3
    assert fp.position(following.line) == following  # the line holds the whole scenario
    with pytest.raises(InputError, match="not over"):
        fp.position("red_poppies/cut_wires").follows()
    with pytest.raises(InputError, match="no campaign"):
        fp.position("asl/village").follows()
    with pytest.raises(InputError, match="keeps: there is no side turkish"):
        ended.follows(keeps="turkish")


def test_rp_11_33_without_a_side_that_keeps_them_no_call_carries_over(tmp_path, capsys):
    follow(attack(tmp_path))
    assert "cross_hair" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("turns", "keeps", "expected"),
    [(12, "turkish", "expected one of french, german"), (3, None, "not over")],
)
def test_rp_11_2_a_scenario_that_cannot_follow_gives_the_reason(tmp_path, turns, keeps, expected):
    with pytest.raises(InputError, match=expected):
        follow(attack(tmp_path, turns), keeps=keeps)


def test_rp_11_2_a_file_that_is_not_a_journal_is_refused_without_a_traceback(tmp_path):
    with pytest.raises(InputError):
        follow(tmp_path / "none.fireplan")


def test_an_engagement_has_no_campaign(tmp_path):
    catalogue = Catalogue.installed()
    journal = tmp_path / "woods.fireplan"
    head = make_head(catalogue, "woods", "red_poppies", shipped_engagements())
    begin(journal, catalogue, head).journal.close()
    with pytest.raises(InputError, match="no campaign"):
        follow(journal)


def test_rp_3_9_11_32_a_side_that_leaves_the_top_level_keeps_control():
    from fireplan_red_poppies.staging import following

    heights = {"board": rp.board(), "hex": (rp.holds("R10", level=2, base=0),), "moves": True}
    unit = rp.unit("x", "R11", side="french", formed=True)
    made = rp.form(unit=(unit,), moments=1, **heights)
    scenario = rp.lay(unit=(unit,), moments=1, **heights)

    def move(to):
        return Order.of("move", unit="x.1", to=scenario.frame.parse(to))

    orders = {
        "delays.command": [Order.of("troops")], "resolution.activate": [Order.of("units", units=("x.1",))],
        "resolution.act": [move("R10"), move("R11"), Order.of("halt")],
    }  # fmt: skip
    table = rp.run(scenario, (5, 4), orders, moments=1)
    after = following(made, scenario, table.read, keeps=None)
    assert [(entry.side, entry.at) for entry in after.control] == [("french", ("R10",))]
    counter = rp.lay(unit=after.unit, control=after.control, **heights)
    assert counter.initial["shared/resolution/heights"] == (
        (scenario.frame.parse("R10"), "french"),
    )
