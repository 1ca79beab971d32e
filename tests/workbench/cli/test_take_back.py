"""Taking back at the keyboard: own orders and rolls, and the other side's if it agrees, without
revealing secrets.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from fireplan.analysis import shipped_engagements
from fireplan.cli.keyboard import Play
from fireplan.table import Session, Viewer, make_head, scenario_of, side_name, view_of
from fireplan_core import Ask, Order
from fireplan_core.play import Catalogue

RELIABILITY = Path(__file__).resolve().parents[3] / "benchmarks" / "reliability"
INSTALLED = Catalogue.installed(only=("miniatures_1943",))
HEAD = make_head(INSTALLED, "miniatures_1943/hedgerow_farm", None, shipped_engagements())
PLACED = "place air_strikes=0 barrages=1 dummies=1"
IN_WORDS = "Place 1 barrage, no air strikes and 1 dummy in the Request box"
CHITS = Order.of("place", barrages=1, air_strikes=0, dummies=1)


def asked_first(session):
    """Roll a 2 and then sixes until a side is asked; return that side."""
    while not isinstance(session.table.waits_for, Ask):
        session.face(2 if not session.faces and not session.history.story else 6, typed=True)
    return session.table.waits_for.who


def chits_of_the_american():
    """Return a session in which the American has just placed his chits in secret, his side, and the
    German side, which is to answer.
    """
    session = Session(*scenario_of(INSTALLED, HEAD))
    first = asked_first(session)
    assert isinstance(session.order(CHITS), tuple)
    assert session.table.waits_for.who != first
    return session, first, session.table.waits_for.who


def at_the_prompt(session, side, *typed):
    """Return what a side sees when it types these lines and then leaves."""
    said, lines = [], list(typed)

    def hear(prompt):
        said.append(prompt)
        if not lines:
            raise EOFError
        return lines.pop(0)

    play = Play(session, said.append, hear, 1)
    play.keyboard.side, play.figures.shown = side, False  # no odds beside the orders
    play.run()
    return "\n".join(said)


@pytest.mark.parametrize("answer", ["no", "", "YES!", "y"])
def test_the_other_sides_secret_order_needs_its_consent_and_stays_secret(answer):
    session, placed, asked = chits_of_the_american()
    rows, before = list(session.rows), session.table.state
    out = at_the_prompt(session, asked, "undo", answer)
    assert (session.rows, session.table.state) == (rows, before)
    assert "that needs the Americans to agree" in out
    assert "not agreed: nothing was changed" in out
    mine = out.partition(" pass the keyboard to ")[2].split(" pass the keyboard to ")
    assert mine[0].startswith("the Germans ")
    assert "dummies" not in out.partition("that needs")[2]
    assert Viewer(session, asked).takes_back() == ""
    assert Viewer(session, placed).takes_back() == IN_WORDS


def test_an_agreed_take_back_is_noted_without_naming_the_order():
    session, placed, asked = chits_of_the_american()
    out = at_the_prompt(session, asked, "undo", " Yes ")
    assert session.table.waits_for.who == placed
    assert "taken back: both sides agreed" in out
    assert "dummies" not in out.partition("that needs")[2].partition("taken back: both")[0]
    assert "undone" not in out
    for side in (placed, asked):
        marks = [line.text for line in view_of(session, side).log if line.kind == "taken back"]
        assert marks == ["taken back: an order of the Americans"]


def test_repeated_take_backs_of_own_orders_leave_one_note():
    session, placed, asked = chits_of_the_american()
    for _ in range(3):
        session.undo()
        assert isinstance(session.order(CHITS), tuple)
    log = view_of(session, asked).log
    assert [line.text for line in log if line.kind == "taken back"] == [
        "taken back: an order of the Americans"
    ]
    session.undo()
    out = at_the_prompt(session, placed, PLACED)
    assert "taken back: an order of the Americans" in out


def test_the_orders_of_both_sides_are_taken_back_one_after_the_other_and_both_noted():
    session, placed, asked = chits_of_the_american()
    due = session.table
    assert isinstance(session.order(due.rulebook.answer(due.waits_for, {}, due.read)), tuple)
    for _ in range(2):
        assert session.undo().startswith("undone")
    for side in (placed, asked):
        marks = [line.text for line in view_of(session, side).log if line.kind == "taken back"]
        assert marks == [
            "taken back: an order of the Germans",
            "taken back: an order of the Americans",
        ]


def test_any_player_at_the_keyboard_can_take_back_a_roll_which_is_named():
    session = Session(*scenario_of(INSTALLED, HEAD))
    while session.die is not None:
        session.face(2 if not session.faces else 6, typed=True)
    out = at_the_prompt(session, "german", "undo")
    assert "agree" not in out
    assert "taken back, which the log notes: " in out
    assert session.history.story[-1].taken_back


@pytest.mark.parametrize(("answer", "revealed"), [("no", False), ("yes", True)])
def test_secrets_are_revealed_before_the_end_only_if_both_agree(answer, revealed):
    session, placed, asked = chits_of_the_american()
    out = at_the_prompt(session, asked, "reveal all", answer)
    assert session.revealed is revealed
    assert f"{side_name(placed)}: agree to reveal all secrets for good (yes or no)" in out


@pytest.mark.full
def test_two_tables_that_differ_in_one_secret_order_show_the_other_side_the_same(
    tmp_path, monkeypatch
):
    monkeypatch.syspath_prepend(str(RELIABILITY))
    monkeypatch.delitem(sys.modules, "shown", raising=False)
    from shown import Screens

    screens = Screens(tmp_path, INSTALLED)
    try:
        seen = []
        for placed in (
            "place barrages=1 air_strikes=0 dummies=1",
            "place barrages=0 air_strikes=1 dummies=1",
        ):
            kept = screens.begin(HEAD)
            session = kept.session
            first = asked_first(session)
            Viewer(session, first).give(Viewer(session, first).read_order(placed))
            seen.append(screens.shown(kept, session.table.waits_for.who, odds=True))
        assert seen[0] == seen[1]
        assert all(seen[0].values())
    finally:
        screens.close()


def test_after_an_undo_the_other_side_reads_each_piece_of_news_once_and_no_number_is_skipped():
    """The American takes back his first marker and places it again before the German takes over."""
    head = make_head(INSTALLED, "miniatures_1943/chits_in_hand", None, shipped_engagements())
    session = Session(*scenario_of(INSTALLED, head))
    typed = ["", "", "", "", "", "", "undo", *[""] * 5, *["4"] * 6, "", ""]
    out = at_the_prompt(session, "american", *typed)
    first, *_, last = out.split("pass the keyboard to the Germans")[1:]
    assert "turn 1: American: End movement" in first
    assert "turn 1: " not in last
    assert last.count("American marker 1 is placed on the table") == 2
    assert "taken back" in last
    assert last.count("American marker 3 is placed on the table") == 1
    assert "American marker 4" not in last
