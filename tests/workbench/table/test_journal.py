"""Journals and sessions: acknowledged inputs are never lost, changes are detected, undo replays a
prefix.
"""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import attrs
import pytest
from chained import chained
from null_setup import staged

from fireplan import chained_file
from fireplan.errors import JournalError
from fireplan.table import Journal, JournalRow, Session, forecast, offered
from fireplan.table.journal import FORMAT
from fireplan_core import Ask, Effects, Order, Refusal, cycle, emit
from fireplan_core.chance import ChanceError, RandomFaces, d6
from fireplan_core.play import Rulebook, Table, Thrown

HERE = Path(__file__)

MOMENTS = 6


def play_some(session, inputs, seed=1):
    """Give this many inputs: standard orders, seeded dice."""
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
def test_a_resumed_journal_continues_where_it_stopped(path, inputs):
    session = Session(staged(), MOMENTS, Journal.create(path, {"game": "null"}))
    play_some(session, inputs)
    again = Session(staged(), MOMENTS, Journal.open(path))
    assert (again.table.state, again.table.log, again.faces) == (
        session.table.state,
        session.table.log,
        session.faces,
    )


def of_two_dice():
    """Return the null game in which a roll of two dice decides whether the battery is reached."""
    from fireplan_core import push

    bent = staged()

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


def test_dice_given_together_are_all_kept_or_all_refused(path, monkeypatch):
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
        patch.setattr(os, "fsync", failing(os.fsync, OSError(errno.EIO, "disk error"), after=1))
        nothing_is_kept(JournalError)
    whole = Session(bent, MOMENTS, Journal.open(path))
    whole.throw([(4, True), (3, False)])
    assert [row.payload["face"] for row in Journal.open(path).rows[1:]] == [4, 3]
    with pytest.raises(JournalError, match="somebody else has written input 2"):
        session.throw([(1, True), (1, True)])
    again = Session(bent, MOMENTS, Journal.open(path))
    assert (again.table.state, again.differs) == (whole.table.state, "")
    content = path.read_bytes()
    for cut in range(path.stat().st_size):  # cut it as an interrupted write would
        path.write_bytes(content[:cut])
        with suppress(JournalError):  # the cut is within the first line
            assert len(Journal.open(path, read_only=True).rows) in (0, 1)


def test_refused_orders_and_impossible_dice_leave_no_trace(path):
    session = Session(staged(), MOMENTS, Journal.create(path, {}))
    assert isinstance(session.order(Order.of("launch")), Refusal)
    session.order(Order.of("ask"))
    with pytest.raises(ChanceError):
        session.face(7, typed=True)
    assert [row.kind for row in Journal.open(path).rows] == ["order"]


def test_undo_is_free_before_a_die_fell_and_a_take_back_after(path):
    session = Session(staged(), MOMENTS, Journal.create(path, {}))
    opening = session.table.state
    session.order(Order.of("ask"))
    assert session.undo().startswith("undone")
    assert session.table.state == opening
    assert session.history.story == []
    session.order(Order.of("ask"))
    asked = session.table.state
    session.face(5, typed=True)
    assert session.undo().startswith("taken back")
    assert session.table.state == asked
    given = [(move.given, move.taken_back) for move in session.history.story[1:]]
    assert given == [(Thrown("reach", (5,)), False), (Thrown("reach", (5,)), True)]
    again = Session(staged(), MOMENTS, Journal.open(path))
    assert (again.table.state, again.history.story) == (asked, session.history.story)
    session.undo()
    with pytest.raises(JournalError, match="nothing to take back"):
        session.undo()


def failing(real, error, after=0):
    """Return a system call that works ``after`` times, then raises an error once, then works again."""
    calls = iter(range(after + 1))

    def call(*arguments):
        if next(calls, None) == after:
            raise error
        return real(*arguments)

    return call


def test_every_changed_byte_of_a_journal_is_seen(path, tmp_path):
    """A changed journal is refused; a change in the last three bytes of the last line makes it an
    unfinished line.
    """
    session = played(path, 4)
    content = path.read_bytes()
    copy, asides = tmp_path / "copy.fireplan", []
    for place in range(len(content)):
        changed = bytearray(content)
        changed[place] ^= 1 << place % 8
        copy.write_bytes(changed)
        try:
            journal = Journal.open(copy, read_only=True)
        except JournalError:
            continue
        assert journal.note
        assert journal.rows == session.rows[:3]
        asides.append(len(content) - place)
    assert set(asides) <= {1, 2, 3}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda lines: lines.pop(2), "input 2 was changed or lost; .* 1 earlier input$"),
        (lambda lines: lines.insert(3, lines[3]), "input 4 was changed or lost; .* 3 earlier inputs"),
        (lambda lines: lines.reverse(), "was not written by fireplan"),
        (lambda lines: lines.append(lines[1]), "input 9 was changed or lost; .* 8 earlier inputs"),
        (lambda lines: lines.__setitem__(1, b"x" + lines[1]), "input 1 was changed or lost; there are no earlier inputs"),
    ],
    ids=["lost", "doubled", "backwards", "played again", "begun otherwise"],
)  # fmt: skip
def test_lines_that_were_moved_are_seen(path, change, message):
    played(path, 8)
    lines = path.read_bytes().splitlines(keepends=True)
    change(lines)
    path.write_bytes(b"".join(lines))
    with pytest.raises(JournalError, match=message):
        Journal.open(path)


def test_files_that_are_not_journals_are_refused(tmp_path, path):
    with pytest.raises(JournalError, match="no such journal"):
        Journal.open(path)
    other = tmp_path / "other.fireplan"
    for content, message in {
        b"hello": "was not written by fireplan",
        b"SQLite format 3\0"
        + bytes(4080): "is a database written by an older fireplan: open it with that version",
        b"": "is empty; it contains no game",
        b'{"fireplan": "jou': "its first line was never written to its end; it contains no game",
        b'{"fireplan": "journal"}\n': "its first line was changed after it was written",
        chained([{"fireplan": "sweep results", "format": FORMAT}]): "is not a journal",
        chained([{"fireplan": "journal"}]): "has format None",
    }.items():
        other.write_bytes(content)
        for attempt in (Journal.open, lambda file: Journal.salvage(file, path)):
            with pytest.raises(JournalError, match=message):
                attempt(other)
        assert other.read_bytes() == content
        assert not path.exists()
    Journal.create(path, {}).close()
    with pytest.raises(JournalError, match="already exists"):
        Journal.create(path, {})


def test_only_the_format_named_in_the_head_is_read(path):
    Journal.create(path, {"title": "x"}).close()
    first = {"fireplan": "journal", "format": FORMAT, "title": "x"}
    assert path.read_bytes() == chained([first])
    assert Journal.open(path).head == {"title": "x"}
    newer, older = FORMAT + 98, FORMAT - 1
    for version, advice in (
        (newer, "update it"),
        (older, "open it with the fireplan that wrote it"),
    ):
        message = f"has format {version}, but this fireplan reads format {FORMAT}: {advice}"
        path.write_bytes(chained([{**first, "format": version}]))
        for attempt in (
            lambda: Journal.open(path),
            lambda: Journal.salvage(path, path.with_name("saved.fireplan")),
        ):
            with pytest.raises(JournalError, match=message):
                attempt()


def test_a_journal_cut_off_at_any_byte_is_an_earlier_state_and_says_so(path, tmp_path):
    """Only a cut between two lines goes unreported: such a copy is the game as it was then."""
    session = played(path, 6)
    data = path.read_bytes()
    ends = [place + 1 for place, byte in enumerate(data) if byte == ord("\n")]
    cut = tmp_path / "cut.fireplan"
    for length in range(len(data)):
        cut.write_bytes(data[:length])
        if length < ends[0]:
            with pytest.raises(JournalError, match="it contains no game"):
                Journal.open(cut)
            continue
        looked_at = length % 23 and not ends[-3] < length < ends[-3] + 10
        journal = Journal.open(cut, read_only=bool(looked_at))
        kept = sum(end <= length for end in ends) - 1
        assert (journal.rows, bool(journal.note)) == (session.rows[:kept], length not in ends)
        if looked_at:
            continue
        journal.append(session.rows[-1])
        journal.close()
        again = Journal.open(cut, read_only=True)
        assert (again.rows, again.note) == ([*session.rows[:kept], session.rows[-1]], "")
        again.close()
        assert cut.read_bytes()[:length] == data[:length]


KILLED = """
import os, sys
sys.path[:0] = [{games!r}, {here!r}, {tests!r}]
import test_journal as t
session = t.Session(t.staged(), t.MOMENTS, t.Journal.create(t.Path(sys.argv[1]), {{}}))
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
    code = KILLED.format(
        games=str(HERE.parents[2] / "games"), here=str(HERE.parent), tests=str(HERE.parents[2])
    )
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
    Session(staged(), MOMENTS, Journal.open(path))


def test_a_forecast_lists_the_branches_of_a_roll():
    table = Table(staged(), MOMENTS)
    session = Session(staged(), MOMENTS)
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


def reached_by(reach):
    """Return the forecast of the roll by which this rule decides whether a call reaches the
    battery.
    """
    sound = staged()
    steps = {**sound.steps, "delays.reach": attrs.evolve(sound.steps["delays.reach"], run=reach)}
    session = Session(attrs.evolve(sound, steps=steps), MOMENTS)
    session.order(Order.of("ask"))
    return forecast(session.table)


@pytest.mark.parametrize(
    ("groups", "told"),
    [
        # One die: its faces, whatever value each stands for.
        ([(1, {1: (0, False), 2: (0, True), 3: (1, False), 4: (1, False), 5: (1, True), 6: (0, True)})],
         {"1": "sum 0, flag no", "2, 6": "sum 0, flag yes", "3 to 4": "sum 1, flag no", "5": "sum 1, flag yes"}),
        # Several dice: the sum and the flag are never added together.
        ([(2, {1: (0, False), 2: (0, False), 3: (0, True), 4: (0, True), 5: (1, False), 6: (1, False)})],
         {"4 of 36 throws": "sum 0, flag no", "12 of 36 throws": "sum 0, flag yes", "a count of 2": "sum 2, flag no"}),
    ],
)  # fmt: skip
def test_a_forecast_of_many_dice_gives_faces_or_sum_and_flag(groups, told):
    def reach(chance, view, mission):
        roll = chance.fold("reach", d6, groups)
        return Effects(emit("came", "N2", sum=roll.add.exact(), flag=roll.any.exact()))

    found = {prospect.when: prospect.what for prospect in reached_by(reach)}
    # Two of the meanings have 8 of 36 rolls each.
    assert found.pop("8 of 36 throws", "Came: sum 1").startswith("Came: sum 1")
    assert found == {when: f"Came: {what}" for when, what in told.items()}


def test_a_forecast_of_one_die_gives_the_faces_that_set_the_flag():
    def reach(chance, view, mission):
        roll = chance.fold(
            "reach", d6, [(2, {face: (int(face >= 5), face == 6) for face in d6.faces})]
        )
        return Effects(emit("came", "N2", sum=0, flag=bool(roll.any)))

    found = {prospect.when: str(prospect.chance) for prospect in reached_by(reach)}
    assert found == {"any die of 6": "11/36", "no die of 6": "25/36"}


def test_orders_on_offer_come_with_their_refusals():
    session = Session(staged(), MOMENTS)
    session.order(Order.of("ask"))
    session.face(3, typed=True)
    verdicts = {order.verb: refusal for order, refusal in offered(session.table)}
    assert verdicts["aim"] is None
    assert verdicts["convert"].cite == "N6"


def played(path, inputs=12):
    """Return a session with an open journal, after this many inputs."""
    session = Session(staged(), MOMENTS, Journal.create(path, {"title": "x"}))
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
    resumed = Session(staged(), MOMENTS, Journal.open(path))
    play_some(resumed, 3, 5)
    copy.write_bytes(path.read_bytes())
    assert Journal.open(copy, read_only=True).rows == resumed.rows
    assert (path.stat().st_mode & 0o777) == 0o600


def test_a_partial_write_is_continued(path, tmp_path, monkeypatch):
    """A call may write fewer bytes, for example on a nearly full disk, and still not fail."""
    whole, write = played(path), os.write
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda descriptor, text: write(descriptor, text[:7]))
        in_pieces = played(tmp_path / "pieces.fireplan")
    assert in_pieces.rows == whole.rows
    assert (tmp_path / "pieces.fireplan").read_bytes() == path.read_bytes()


def test_a_failed_write_takes_its_bytes_away_again_and_nothing_is_lost(path, monkeypatch):
    """This holds whichever call fails; bytes that cannot be removed are not counted, and are
    reported as unfinished.
    """
    session = played(path)
    journal, content = session.journal, path.read_bytes()
    write, truncate = os.write, os.ftruncate
    for name, after in (("write", 0), ("write", 1), ("fsync", 0), ("fsync", 1)):
        with monkeypatch.context() as patch:
            error = OSError(errno.ENOSPC, "No space left on device")
            patch.setattr(os, name, failing(getattr(os, name), error, after))
            with pytest.raises(JournalError, match=r"input 13 cannot be written \(No space left"):
                journal.append(session.rows[0])
        assert path.read_bytes() == content
        assert not journal.outrun
    with monkeypatch.context() as patch:
        # Half of the line is written, then the disk is full, and the program ends before it can
        # remove that half.
        pieces = iter([40, None])

        def half(descriptor, text):
            size = next(pieces)
            if size is None:
                raise OSError(errno.ENOSPC, "No space left on device")
            return write(descriptor, text[:size])

        patch.setattr(os, "write", half)
        patch.setattr(os, "ftruncate", failing(truncate, OSError(errno.EIO, "disk error")))
        with pytest.raises(JournalError, match="input 13 cannot be written"):
            journal.append(session.rows[0])
    assert journal.outrun
    left = path.read_bytes()
    assert left[: len(content)] == content
    assert len(left) == len(content) + 40
    reader = Journal.open(path, read_only=True)
    assert (reader.rows, "its last line is unfinished (40 bytes)" in reader.note) == (
        session.rows,
        True,
    )
    assert path.read_bytes() == left
    with pytest.raises(JournalError, match="input 13 cannot be written: it was opened read-only"):
        reader.append(session.rows[0])
    writer = Journal.open(path)
    writer.append(session.rows[0])
    assert path.read_bytes().startswith(left + b" (interrupted)\n{")
    assert Journal.open(path).rows == [*session.rows, session.rows[0]]


@pytest.mark.parametrize("cut", [1, 2, 3])
def test_a_line_without_its_end_never_becomes_an_input(path, cut):
    """It was not acknowledged, so it stays without effect when the next line follows, hash or not."""
    session = played(path)
    path.write_bytes(path.read_bytes()[:-cut])
    journal = Journal.open(path)
    assert (journal.rows, bool(journal.note)) == (session.rows[:-1], True)
    for row in session.rows[:2]:
        journal.append(row)
    again = Journal.open(path)
    assert (again.rows, again.note) == ([*session.rows[:-1], *session.rows[:2]], "")
    with pytest.raises(JournalError, match="somebody else has written"):
        session.journal.append(session.rows[0])


@pytest.mark.parametrize(
    "garbage",
    [b"\0" * 600, b"\0" * 30 + b"\n" + b"\xff" * 30, b"\n\n\n", b'{"kind": "die"}\n', b"half a l"],
)  # fmt: skip
def test_the_next_hash_covers_the_remains_of_a_torn_write(path, garbage):
    session = played(path)
    path.write_bytes(path.read_bytes() + garbage)
    if garbage.endswith(b'"}\n'):  # a complete line, newline included
        with pytest.raises(JournalError, match="input 13 was changed or lost"):
            Journal.open(path)
        return
    journal = Journal.open(path)
    assert (journal.rows, f"({len(garbage)} bytes)" in journal.note) == (session.rows, True)
    journal.append(session.rows[0])
    assert Journal.open(path).rows == [*session.rows, session.rows[0]]
    content = path.read_bytes()
    place = content.index(garbage + b" (interrupted)\n")
    assert place
    path.write_bytes(content[:place] + b"x" + content[place + 1 :])
    with pytest.raises(JournalError, match="input 13 was changed or lost"):
        Journal.open(path)


def test_an_input_is_on_the_disk_before_it_is_acknowledged_and_its_end_after_its_text(
    path, monkeypatch
):
    """The order of calls: text, sync, end, sync; a new file's folder is synced too."""
    calls, synced = [], os.fsync
    write = os.write
    monkeypatch.setattr(
        os, "write", lambda fd, text: calls.append(bytes(text[-3:])) or write(fd, text)
    )
    monkeypatch.setattr(
        os,
        "fsync",
        lambda fd: (
            calls.append("folder" if stat.S_ISDIR(os.fstat(fd).st_mode) else "file") or synced(fd)
        ),
    )
    journal = Journal.create(path, {})
    end = b'"}\n'
    one = [calls[0], "file", end, "file"]
    assert calls == [*one, "folder"]
    assert end not in calls[0]
    calls.clear()
    journal.append(JournalRow("die", {"throw": "a", "face": 1, "typed": True}))
    assert calls == [calls[0], *one[1:]]


def test_a_writer_waits_for_another_and_is_refused_if_that_lasts(path, monkeypatch):
    session = played(path)
    other = Journal.open(path)
    other._file.hold()
    tries = []
    monkeypatch.setattr(chained_file.time, "sleep", tries.append)
    with pytest.raises(JournalError, match="input 13 is in use by another program; try again"):
        session.journal.append(session.rows[0])
    with pytest.raises(JournalError, match="is in use by another program; try again"):
        Journal.open(path, read_only=True)
    assert len(tries) > 100
    monkeypatch.setattr(chained_file.time, "sleep", lambda pause: other.close())
    session.journal.append(session.rows[0])
    assert Journal.open(path).rows == session.rows[:12] + session.rows[:1]


def test_an_open_journal_notices_a_restored_earlier_file(path):
    """The last line and its hash are compared, so it is noticed even if as many bytes were written
    since.
    """
    journal = Journal.create(path, {})
    row = JournalRow("die", {"throw": "a", "face": 1, "typed": True})
    journal.append(row)
    first = path.read_bytes()
    journal.append(row)
    size = path.stat().st_size
    path.write_bytes(first)
    assert journal.outrun
    other = Journal.open(path)
    other.append(attrs.evolve(row, payload={**row.payload, "face": 2}))
    assert path.stat().st_size == size
    assert journal.outrun
    with pytest.raises(JournalError, match="somebody else has written input 3"):
        journal.append(row)
    assert len(Journal.open(path).rows) == 2


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
    session = Session(staged(), MOMENTS, journal)
    play_some(session, 12)
    before = session.table.state
    for _ in range(25):
        told = len(session.rows)
        while session.table.state == before or session.faces:  # play on until an input is complete
            play_some(session, 1, told)
        played = steps
        session.undo()
        assert (steps, session.table.state) == (played, before)
    played, steps = steps, 0
    again = Session(staged(), MOMENTS, Journal.open(path))
    assert (again.table.state, again.table.log) == (session.table.state, session.table.log)
    assert steps == played
    for number in range(5, 0, -1):  # then back to the start, input by input
        again.undo()
        assert len(again.table.journal) == len(session.table.journal) - 6 + number
    assert steps == played
