"""Journals and sessions: nothing acknowledged is lost, nothing changed goes unseen, undo is the replay of a prefix."""

from __future__ import annotations

import datetime as dt
import json
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import attrs
import pytest

from fireplan.errors import JournalError
from fireplan.table import Journal, Session, forecast, offered
from fireplan.table.journal import FORMAT, _digest
from fireplan_core import Ask, Effects, Engagement, Firer, Order, Refusal, Target, cycle, emit
from fireplan_core.chance import ChanceError, RandomFaces, d6
from fireplan_core.play import Catalogue, Rulebook, Table, Thrown, stage_engagement

HERE = Path(__file__)
import null_game  # noqa: E402

MOMENTS = 6


def scenario():
    catalogue = Catalogue()
    catalogue.admit(null_game)
    return stage_engagement(
        catalogue,
        "null",
        Engagement(
            title="t",
            date=dt.date(1944, 1, 1),
            firer=Firer(nationality="x"),
            target=Target(nationality="y", frontage_m=10, depth_m=10),
        ),
    )


def play_some(session, inputs, seed=1):
    """Give so many inputs: standard orders, seeded dice."""
    faces = RandomFaces(seed)
    for _ in range(inputs):
        waits = session.table.waits_for
        if waits is None:
            return
        if isinstance(waits, Ask):
            session.order(session.table.rulebook.answer(waits, {}, session.table.read))
        else:
            session.face(faces.face(session.die), typed=False)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "table.fireplan"


@pytest.mark.parametrize("inputs", [0, 1, 2, 3, 5, 8, 13, 21])
def test_a_journal_resumed_stands_where_it_was_left(path, inputs):
    session = Session(scenario(), MOMENTS, Journal.create(path, {"game": "null"}))
    play_some(session, inputs)
    again = Session(scenario(), MOMENTS, Journal.open(path))
    assert (again.table.state, again.table.log, again.faces) == (
        session.table.state,
        session.table.log,
        session.faces,
    )


def of_two_dice():
    """The null game throws single dice.

    A throw of two is asked of the volley-like direction step by a house of two.
    """
    from fireplan_core import push

    bent = scenario()

    def two(chance, view, m):
        roll = chance.dice("two", coloured=d6, white=d6)
        return Effects(push(cycle.ready, m)) if roll.total > 2 else Effects()

    return attrs.evolve(
        bent,
        steps={**bent.steps, "delays.reach": attrs.evolve(bent.steps["delays.reach"], run=two)},
    )


def test_a_die_is_kept_even_when_its_throw_is_not_complete(path):
    bent = of_two_dice()
    session = Session(bent, MOMENTS, Journal.create(path, {}))
    session.order(Order.of("ask"))
    session.face(4, typed=True)
    again = Session(bent, MOMENTS, Journal.open(path))
    assert again.faces == (4,)
    assert again.die.label == "white"
    with pytest.raises(JournalError, match="finish the throw"):
        again.undo()


def test_dice_that_are_given_together_are_all_kept_or_none(path, monkeypatch):
    bent = of_two_dice()
    session = Session(bent, MOMENTS, Journal.create(path, {}))
    session.order(Order.of("ask"))
    before = (session.table.state, session.faces, list(session.rows))

    def nothing_is_kept(error):
        with pytest.raises(error):
            session.throw([(4, True), (3 if error is JournalError else 7, True)])
        assert (session.table.state, session.faces, session.rows) == before
        assert Journal.open(path).rows == before[2]

    nothing_is_kept(ChanceError)
    with monkeypatch.context() as patch:
        patch.setattr(Journal, "_rows_from", lambda *_: [])
        nothing_is_kept(JournalError)
    whole = Session(bent, MOMENTS, Journal.open(path))
    whole.throw([(4, True), (3, False)])
    assert [row.payload["face"] for row in Journal.open(path).rows[1:]] == [4, 3]
    with pytest.raises(JournalError, match="somebody else has written input 2"):
        session.throw([(1, True), (1, True)])
    again = Session(bent, MOMENTS, Journal.open(path))
    assert (again.table.state, again.differs) == (whole.table.state, "")


def test_refused_orders_and_impossible_dice_leave_no_trace(path):
    session = Session(scenario(), MOMENTS, Journal.create(path, {}))
    assert isinstance(session.order(Order.of("launch")), Refusal)
    session.order(Order.of("ask"))
    with pytest.raises(ChanceError):
        session.face(7, typed=True)
    assert [row.kind for row in Journal.open(path).rows] == ["order"]


def test_undo_is_free_before_a_die_fell_and_a_take_back_after(path):
    session = Session(scenario(), MOMENTS, Journal.create(path, {}))
    opening = session.table.state
    session.order(Order.of("ask"))
    assert session.undo().startswith("undone")
    assert session.table.state == opening
    assert session.history.story == []
    session.order(Order.of("ask"))
    asked = session.table.state
    session.face(5, typed=True)
    assert session.undo().startswith("take-back")
    assert session.table.state == asked
    given = [(move.given, move.taken_back) for move in session.history.story[1:]]
    assert given == [(Thrown("reach", (5,)), False), (Thrown("reach", (5,)), True)]
    again = Session(scenario(), MOMENTS, Journal.open(path))
    assert (again.table.state, again.history.story) == (asked, session.history.story)
    session.undo()
    with pytest.raises(JournalError, match="nothing to take back"):
        session.undo()


def test_every_change_to_a_journal_is_seen(path):
    session = Session(scenario(), MOMENTS, Journal.create(path, {"title": "x"}))
    play_some(session, 8)
    session.journal.close()
    changes = {
        "UPDATE inputs SET payload = payload || ' ' WHERE seq = 3": "input 3 .* the inputs before it \\(2\\)",
        "DELETE FROM inputs WHERE seq = 2": "input 2 ",
        "DELETE FROM inputs WHERE seq > 6": "input 7 and what came after it were cut off; .* before it \\(6\\)",
        "DELETE FROM inputs": "input 1 and what came after it were cut off; no input",
        "UPDATE head SET content = '{}'": "head was changed",
        "UPDATE inputs SET kind = 'undo' WHERE seq = 5": "input 5 ",
    }
    for number, (change, message) in enumerate(changes.items()):
        copy = path.with_name(f"copy{number}.fireplan")
        copy.write_bytes(path.read_bytes())
        with sqlite3.connect(copy) as connection:
            connection.execute(change)
        connection.close()
        with pytest.raises(JournalError, match=message):
            Journal.open(copy)


def test_files_that_are_no_journal_are_refused(tmp_path, path):
    with pytest.raises(JournalError, match="no such journal"):
        Journal.open(path)
    text = tmp_path / "text.fireplan"
    text.write_text("hello")
    with pytest.raises(JournalError, match="cannot be read"):
        Journal.open(text)
    other = tmp_path / "other.fireplan"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE head (content TEXT, hash TEXT)")
    connection.close()
    with pytest.raises(JournalError, match="not a fireplan journal"):
        Journal.open(other)
    Journal.create(path, {}).close()
    with pytest.raises(JournalError, match="already exists"):
        Journal.create(path, {})


def test_the_format_stands_in_the_head_and_no_other_is_read(path):
    Journal.create(path, {"title": "x"}).close()
    with sqlite3.connect(path) as connection:
        (content,) = connection.execute("SELECT content FROM head").fetchone()
    connection.close()
    assert json.loads(content) == {"title": "x", "format": FORMAT}
    reopened = Journal.open(path)
    assert reopened.head == {"title": "x"}
    reopened.close()
    newer, older = FORMAT + 98, FORMAT - 1
    for version, advice in (
        (newer, "update it"),
        (older, "open it with the fireplan that wrote it"),
    ):
        message = f"has format {version}, this fireplan reads format {FORMAT}: {advice}"
        with sqlite3.connect(path) as connection:
            connection.execute(f"PRAGMA user_version={version}")
        connection.close()
        for attempt in (
            lambda: Journal.open(path),
            lambda: Journal.salvage(path, path.with_name("saved.fireplan")),
        ):
            with pytest.raises(JournalError, match=message):
                attempt()
    # Whoever mends only the file's own header is told by the head, which is under the hash chain.
    content = json.dumps({"title": "x", "format": newer}, sort_keys=True)
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA user_version={FORMAT}")
        connection.execute(
            "UPDATE head SET content = ?, hash = ?", (content, _digest("", "head", content))
        )
    connection.close()
    with pytest.raises(JournalError, match=f"has format {newer}"):
        Journal.open(path)


def test_a_journal_cut_off_at_any_length_is_refused_or_sound(path, tmp_path):
    session = Session(scenario(), MOMENTS, Journal.create(path, {}))
    play_some(session, 10)
    session.journal.close()
    data = path.read_bytes()
    for length in range(0, len(data), 1024):
        cut = tmp_path / f"cut{length}.fireplan"
        cut.write_bytes(data[:length])
        with pytest.raises(JournalError):
            Journal.open(cut)


KILLED = """
import os, sys
sys.path[:0] = [{games!r}, {here!r}]
import test_journal as t
session = t.Session(t.scenario(), t.MOMENTS, t.Journal.create(t.Path(sys.argv[1]), {{}}))
for seed in range(200):
    t.play_some(session, 1, seed)
    print(len(session.journal.rows), flush=True)
    if session.table.over:
        break
while True:
    pass
"""


@pytest.mark.parametrize("after", [1, 4, 9])
def test_a_killed_program_loses_nothing_it_has_acknowledged(path, after):
    code = KILLED.format(games=str(HERE.parents[2] / "games"), here=str(HERE.parent))
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True
    )
    acknowledged = 0
    for line in process.stdout:
        acknowledged = int(line)
        if acknowledged >= after:
            break
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    rows = Journal.open(path).rows
    assert len(rows) >= acknowledged
    Session(scenario(), MOMENTS, Journal.open(path))


def test_what_a_throw_will_mean_is_read_off_its_branches():
    table = Table(scenario(), MOMENTS)
    session = Session(scenario(), MOMENTS)
    assert forecast(table) == ()
    session.order(Order.of("ask"))
    found = {
        prospect.when: (prospect.what, str(prospect.chance)) for prospect in forecast(session.table)
    }
    assert found == {
        "3 or more": ("Reached", "2/3"),
        "1": ("The fire mission of the battery is over: it is lost", "1/6"),
        "2": ("Not reached", "1/6"),
    }


@pytest.mark.parametrize(
    ("groups", "told"),
    [
        # One die: its faces, whatever they are read to.
        ([(1, {1: (0, False), 2: (0, True), 3: (1, False), 4: (1, False), 5: (1, True), 6: (0, True)})],
         {"1": "sum 0, flag no", "2, 6": "sum 0, flag yes", "3 to 4": "sum 1, flag no", "5": "sum 1, flag yes"}),
        # Several: the sum and the flag, never added to each other.
        ([(2, {1: (0, False), 2: (0, False), 3: (0, True), 4: (0, True), 5: (1, False), 6: (1, False)})],
         {"4 of 36 throws": "sum 0, flag no", "12 of 36 throws": "sum 0, flag yes", "a count of 2": "sum 2, flag no"}),
    ],
)  # fmt: skip
def test_what_many_dice_mean_tells_faces_or_the_sum_and_the_flag(groups, told):
    def reach(chance, view, mission):
        roll = chance.fold("reach", d6, groups)
        return Effects(emit("came", "N2", sum=roll.add.exact(), flag=roll.any.exact()))

    sound = scenario()
    steps = {**sound.steps, "delays.reach": attrs.evolve(sound.steps["delays.reach"], run=reach)}
    session = Session(attrs.evolve(sound, steps=steps), MOMENTS)
    session.order(Order.of("ask"))
    found = {prospect.when: prospect.what for prospect in forecast(session.table)}
    # Two meanings of 8 of 36 throws each.
    assert found.pop("8 of 36 throws", "Came: sum 1").startswith("Came: sum 1")
    assert found == {when: f"Came: {what}" for when, what in told.items()}


def test_orders_on_offer_come_with_their_refusals():
    session = Session(scenario(), MOMENTS)
    session.order(Order.of("ask"))
    session.face(3, typed=True)
    verdicts = {order.verb: refusal for order, refusal in offered(session.table)}
    assert verdicts["aim"] is None
    assert verdicts["convert"].cite == "N6"


def played(path, inputs=12):
    """A journal with so many inputs, still open."""
    session = Session(scenario(), MOMENTS, Journal.create(path, {"title": "x"}))
    play_some(session, inputs)
    return session


def test_after_every_acknowledged_input_the_game_is_one_file(path, tmp_path):
    session = played(path, 0)
    for number in range(12):
        play_some(session, 1, number)
        assert [file.name for file in tmp_path.iterdir()] == [path.name]
        copy = tmp_path / "copy.fireplan"
        copy.write_bytes(path.read_bytes())
        assert Journal.open(copy, read_only=True).rows == session.rows
        copy.unlink()
    resumed = Session(scenario(), MOMENTS, Journal.open(path))
    play_some(resumed, 3, 5)
    copy.write_bytes(path.read_bytes())
    assert Journal.open(copy, read_only=True).rows == resumed.rows
    assert (path.stat().st_mode & 0o777) == 0o600


def broken_off(path, copy):
    """Copy a journal as a kill in the middle of a commit leaves it: a page written, its rollback file beside it."""
    whole = path.read_bytes()
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA cache_size=0")  # pages reach the file before the commit
    connection.execute("PRAGMA cache_spill=1")
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("UPDATE acknowledged SET inputs = 99")
    connection.execute("CREATE TABLE much (content TEXT)")
    connection.executemany("INSERT INTO much VALUES (?)", [("x" * 9000,)] * 300)
    copy.write_bytes(path.read_bytes())
    hot = path.with_name(f"{path.name}-journal").read_bytes()
    copy.with_name(f"{copy.name}-journal").write_bytes(hot)
    connection.execute("ROLLBACK")
    connection.close()
    assert path.read_bytes() == whole != copy.read_bytes()


def test_a_write_that_was_broken_off_is_taken_back_and_a_reader_touches_nothing(path, tmp_path):
    session = played(path)
    copy = tmp_path / "copy.fireplan"
    broken_off(path, copy)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    reader = Journal.open(copy, read_only=True)
    assert (reader.rows, reader.outrun) == (session.rows, False)
    with pytest.raises(JournalError, match="input 13 cannot be written"):
        reader.append(session.rows[0])
    reader.close()
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before
    writer = Journal.open(copy)
    assert writer.rows == session.rows
    writer.append(session.rows[0])
    # Without its rollback file the copy is torn, and shows it.
    copy.write_bytes(before[copy.name])
    with pytest.raises(JournalError):
        Journal.open(copy)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        # The page of the inputs is newer than that of the count, then older.
        ("UPDATE acknowledged SET inputs = 11, hash = (SELECT hash FROM inputs WHERE seq = 11)",
         "input 12 was being written when this copy was made: copy it again; 'fireplan salvage' can save the inputs before it \\(11\\)"),
        ("DELETE FROM inputs WHERE seq = 12", "input 12 and what came after it were cut off; 'fireplan salvage' can save the inputs before it \\(11\\)"),
        ("UPDATE acknowledged SET hash = ''", "input 13 and what came after it were cut off"),
        ("DELETE FROM acknowledged", "cut off; 'fireplan salvage' can save the inputs before it \\(12\\)"),
        ("UPDATE acknowledged SET inputs = -1", "cut off; 'fireplan salvage' can save the inputs before it \\(12\\)"),
        ("UPDATE acknowledged SET inputs = 'many'", "cut off; 'fireplan salvage' can save the inputs before it \\(12\\)"),
    ],
)  # fmt: skip
def test_a_copy_torn_from_a_write_shows_it(path, change, message):
    played(path).journal.close()
    with sqlite3.connect(path) as connection:
        connection.execute(change)
    connection.close()
    with pytest.raises(JournalError, match=message):
        Journal.open(path)


def test_a_file_that_belongs_to_a_missing_log_is_refused_and_nobody_is_told_to_delete_it(path):
    session = played(path)
    session.journal.close()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("UPDATE acknowledged SET inputs = 99")
    connection.commit()
    torn = path.with_name("torn.fireplan")
    torn.write_bytes(path.read_bytes())
    for file, message in (
        (
            torn,
            "was copied without the file torn.fireplan-wal, .* Keep it; put torn.fireplan-wal from where",
        ),
        (path, "is in SQLite's WAL mode"),
    ):
        for read_only in (True, False):
            with pytest.raises(JournalError, match=message) as caught:
                Journal.open(file, read_only=read_only)
            assert "delete" not in str(caught.value)
    connection.close()
    torn.write_bytes(b"")
    with pytest.raises(JournalError, match="is empty: no game was begun in it") as caught:
        Journal.open(torn)
    assert "delete" not in str(caught.value)


def test_a_game_is_resumed_in_the_steps_it_was_played_in_however_much_was_taken_back(
    path, monkeypatch
):
    steps = 0
    real = Rulebook.run

    def counted(book, *args):
        nonlocal steps
        steps += 1
        return real(book, *args)

    monkeypatch.setattr(Rulebook, "run", counted)
    journal = Journal.create(path, {})
    session = Session(scenario(), MOMENTS, journal)
    play_some(session, 12)
    before = session.table.state
    for _ in range(25):
        told = len(session.rows)
        while session.table.state == before or session.faces:  # until an input is whole
            play_some(session, 1, told)
        played = steps
        session.undo()
        assert (steps, session.table.state) == (played, before)
    played, steps = steps, 0
    again = Session(scenario(), MOMENTS, Journal.open(path))
    assert (again.table.state, again.table.log) == (session.table.state, session.table.log)
    assert steps == played
    for number in range(5, 0, -1):  # and back to where it began, one by one
        again.undo()
        assert len(again.table.journal) == len(session.table.journal) - 6 + number
    assert steps == played
