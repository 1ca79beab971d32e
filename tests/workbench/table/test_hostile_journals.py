"""Journals made by somebody who means harm: refused with what is wrong, in bounded work, and nothing of them is run."""

import json
import os
import sqlite3
import subprocess
import sys

import pytest

from fireplan.cli import main
from fireplan.errors import InputError, JournalError
from fireplan.table import Head, Journal, Row, Session, database, make_head, opened, reopen
from fireplan.table.journal import _digest
from fireplan_core.play import Catalogue

DIE = ("die", '{"face": 1, "throw": "a", "typed": true}')
INPUT = Row("die", {"throw": "a", "face": 1, "typed": True})
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT"
VIEW = "CREATE VIEW {} AS " + ENDLESS + " {} FROM n"
GAMES = Catalogue.installed()
VILLAGE = make_head(GAMES, "asl/village", None, {})


@pytest.fixture
def path(tmp_path):
    return tmp_path / "table.fireplan"


def changed(path, *statements):
    connection = sqlite3.connect(path, isolation_level=None)
    for statement in statements:
        connection.execute(statement)
    connection.close()


def made(path, head, *rows, raw=None):
    """A journal with any texts in it and sound hashes."""
    Journal.create(path, {}).close()
    content = raw or json.dumps(
        {**head, "format": database.FORMAT}, sort_keys=True, ensure_ascii=False
    )
    last = _digest("", "head", content)
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("BEGIN")
    connection.execute("UPDATE head SET content = ?, hash = ?", (content, last))
    for number, (kind, payload) in enumerate(rows, start=1):
        last = _digest(last, kind, payload)
        connection.execute(
            "INSERT INTO inputs VALUES (?, ?, ?, '', ?)", (number, kind, payload, last)
        )
    connection.execute("UPDATE acknowledged SET inputs = ?, hash = ?", (len(rows), last))
    connection.execute("COMMIT")
    connection.close()


@pytest.mark.parametrize(
    "statements",
    [
        ("DROP TABLE head", VIEW.format("head", "'x' AS content, i AS hash")),
        ("DROP TABLE inputs",
         VIEW.format("inputs", "i AS seq, 'die' AS kind, '{}' AS payload, '' AS hash")),
        ("DROP TABLE acknowledged", VIEW.format("acknowledged", "i AS inputs, '' AS hash")),
        ("CREATE TRIGGER swallow BEFORE INSERT ON inputs BEGIN SELECT RAISE(IGNORE); END",),
        ("CREATE TABLE more (x TEXT)",),
        ("CREATE INDEX by_kind ON inputs (kind)",),
        ("DROP TABLE acknowledged",
         "CREATE TABLE acknowledged (inputs INTEGER NOT NULL, hash TEXT NOT NULL, x AS (zeroblob(1000000000)))"),
        ("DROP TABLE acknowledged",),
    ],
)  # fmt: skip
def test_a_file_with_other_tables_than_ours_is_refused_before_anything_in_it_is_run(
    path, tmp_path, statements
):
    Journal.create(path, {}).close()
    changed(path, *statements)
    for attempt in (
        lambda: Journal.open(path),
        lambda: Journal.open(path, read_only=True),
        lambda: Journal.salvage(path, tmp_path / "saved.fireplan"),
    ):
        with pytest.raises(
            JournalError,
            match="does not have the tables of a journal, so none of it can be trusted",
        ):
            attempt()


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER swallow BEFORE INSERT ON inputs BEGIN SELECT RAISE(IGNORE); END",
        "CREATE TRIGGER bend AFTER INSERT ON inputs BEGIN UPDATE inputs SET payload = '{}'; END",
        "CREATE TRIGGER back AFTER UPDATE ON acknowledged BEGIN UPDATE acknowledged SET inputs = 0; END",
    ],
)
def test_an_input_is_read_back_before_it_is_acknowledged(path, statement):
    journal = Journal.create(path, {})
    changed(path, statement)
    with pytest.raises(JournalError, match="input 1"):
        journal.append(INPUT)
    assert journal.rows == []
    changed(path, f"DROP TRIGGER {statement.split()[2]}")
    journal.append(INPUT)
    assert Journal.open(path).rows == [INPUT]


def test_what_may_be_done_to_an_open_journal_is_bounded(path):
    connection = Journal.create(path, {})._connection
    for statement in ("ATTACH ':memory:' AS other", "DROP TABLE inputs", "DELETE FROM inputs", ENDLESS + " i FROM n",
                      "SELECT zeroblob(10)", "CREATE TABLE more (x)"):  # fmt: skip
        with pytest.raises(sqlite3.Error, match=r"not authorized|too many attached"):
            connection.execute(statement)


def test_files_too_large_are_refused_unread_and_none_grows_so_large(path, monkeypatch):
    with path.open("wb") as file:
        file.truncate(database.MOST_BYTES + 1)
    with pytest.raises(JournalError, match="larger than 32 MB"):
        Journal.open(path)
    path.unlink()
    text = json.dumps({"throw": "x" * database._MOST_TEXT, "typed": True})
    made(path, {}, ("die", text))
    with pytest.raises(JournalError, match=r"input 1 cannot be read .*too big"):
        Journal.open(path)
    path.unlink()
    made(path, {}, *[DIE] * 300)
    monkeypatch.setattr(database, "MOST_BYTES", path.stat().st_size)
    journal = Journal.open(path)

    def fill():
        for _ in range(100):
            journal.append(INPUT)

    with pytest.raises(
        JournalError, match=r"input 3\d\d cannot be written \(database or disk is full\)"
    ):
        fill()
    assert Journal.open(path).rows == journal.rows
    assert len(journal.rows) >= 300


def test_what_takes_longer_than_any_journal_can_is_stopped(path, monkeypatch):
    made(path, {}, *[DIE] * 100)
    monkeypatch.setattr(database, "_STEPS_PER_CHECK", 10)
    monkeypatch.setattr(database, "_CHECKS", 20)
    with pytest.raises(JournalError, match="interrupted"):
        Journal.open(path)


def test_pages_that_lead_back_to_each_other_are_followed_once(path):
    made(path, {}, *[DIE] * 300)
    connection = sqlite3.connect(path)
    (size,) = connection.execute("PRAGMA page_size").fetchone()
    (root,) = connection.execute(
        "SELECT rootpage FROM sqlite_master WHERE name = 'inputs'"
    ).fetchone()
    connection.close()
    content = bytearray(path.read_bytes())
    begin = (root - 1) * size
    assert content[begin] == 5  # an interior page
    cells = int.from_bytes(content[begin + 3 : begin + 5], "big")
    for n in range(cells):
        at = begin + int.from_bytes(content[begin + 12 + 2 * n : begin + 14 + 2 * n], "big")
        content[at : at + 4] = root.to_bytes(4, "big")
    path.write_bytes(content)
    with pytest.raises(JournalError, match="input 1 "):
        Journal.open(path)


@pytest.mark.parametrize("name", ["table.fireplan", "table.fireplan-journal"])
def test_a_pipe_is_no_journal(path, name):
    if name != path.name:
        Journal.create(path, {}).close()
    os.mkfifo(path.with_name(name))
    for command in ("replay", "resume"):
        done = subprocess.run([sys.executable, "-m", "fireplan", command, path], capture_output=True, timeout=600,
                              check=False)  # fmt: skip
        assert (done.returncode, b"is not an ordinary file" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    "payload",
    [
        '{"face": 1, "throw": "\\ud800", "typed": true}',
        '{"face": 1.5, "throw": "a", "typed": true}',
        '{"face": NaN, "throw": "a", "typed": true}',
        '{"face": 100000000000000000000000000000, "throw": "a", "typed": true}',
        '{"face": ' + "9" * 5000 + ', "throw": "a", "typed": true}',
        '{"face": ' + "[" * 900 + "]" * 900 + ', "throw": "a", "typed": true}',
        '{"face": ' + "[" * 200_000 + "]" * 200_000 + ', "throw": "a", "typed": true}',
        '{"face": 1, "face": 1, "throw": "a", "typed": true}',
        "[]",
        "x",
    ],
)
def test_texts_that_no_table_writes_are_refused_with_their_input(path, tmp_path, payload):
    made(path, {}, ("die", '{"face": 1}'), ("die", payload))
    with pytest.raises(
        JournalError,
        match=r"input 2 cannot be read .*; 'fireplan salvage' can save the inputs before it \(1\)",
    ):
        Journal.open(path)
    saved, _ = Journal.salvage(path, tmp_path / "saved.fireplan")
    assert saved.rows == [Row("die", {"face": 1})]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"moments": 10**18}, "does not describe a game"),
        ({"moments": 10_001}, "does not describe a game"),
        ({"options": {"a": {"b": 1}}}, "does not describe a game"),
        ({"seals": [["a"]]}, "does not describe a game"),
        ({"text": "\x1b[2J" * 20_000}, "larger than 64 kB"),
        ({"name": "\x1b]0;owned\x07/\0"}, "null"),
    ],
)
def test_heads_that_no_table_writes_are_refused(path, change, message):
    made(path, {**VILLAGE.data(), **change})
    with pytest.raises((JournalError, InputError), match=message):
        reopen(path, GAMES)


@pytest.mark.parametrize(
    "raw", ['{"format": 2, "x": "\\ud800"}', '{"format": 2, "x": ' + "[" * 900 + "]" * 900 + "}"]
)
def test_a_head_written_as_no_table_does_is_refused(path, raw):
    made(path, {}, raw=raw)
    with pytest.raises(JournalError, match="its head cannot be read"):
        Journal.open(path)


def test_half_a_character_is_refused_when_it_is_to_be_written(path):
    with pytest.raises(JournalError, match=r"cannot be written: '\\ud800' is half a character"):
        Journal.create(path, {"name": "\ud800"})
    assert not path.exists()
    journal = Journal.create(path, {})
    with pytest.raises(JournalError, match="half a character"):
        journal.append(Row("die", {"face": "\udcff"}))
    journal.append(INPUT)
    assert Journal.open(path).rows == [INPUT]


def test_control_characters_of_a_journal_do_not_reach_the_terminal(path, capsys):
    evil = "\x1b]0;owned\x07\x9b2J\r\u202e"
    order = {"question": "core.request", "verb": evil, "values": {}}
    made(path, {**VILLAGE.data(), "name": f"{evil}.toml", "house_rules": [evil]}, ("order", json.dumps(
        order, sort_keys=True, ensure_ascii=False)))  # fmt: skip
    assert main(["replay", str(path)]) == 2
    out, err = capsys.readouterr()
    assert not {*evil} & {*(out + err)} - {*"0123456789;owned2J]["}
    assert "\\u001b]0;owned\\u0007\\u009b2J\\u000d\\u202e" in err


def test_what_a_head_says_is_what_is_opened(path):
    made(path, VILLAGE.data())
    session, head = reopen(path, GAMES)
    assert head == Head.of_data(VILLAGE.data())
    assert session.table.state == Session(*opened(GAMES, VILLAGE)).table.state
