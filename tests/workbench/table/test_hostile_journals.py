"""Malicious journals are refused with the reason, in bounded work, and nothing in them is executed."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
from chained import chained
from tiers import one_in

from fireplan import chained_file
from fireplan.cli import main
from fireplan.errors import InputError, JournalError
from fireplan.table import (
    Head,
    Journal,
    JournalRow,
    Session,
    journal,
    make_head,
    reopen,
    scenario_of,
)
from fireplan.table.journal import FORMAT
from fireplan_core.play import Catalogue

DIE = {"kind": "die", "throw": "a", "face": 1, "typed": True, "after": ""}
INPUT = JournalRow("die", {"throw": "a", "face": 1, "typed": True})
GAMES = Catalogue.installed()
VILLAGE = make_head(GAMES, "asl/village", None, {})


@pytest.fixture
def path(tmp_path):
    return tmp_path / "table.fireplan"


def made(path, head, *rows):
    """Write a journal of any lines (objects or text), each with its correct hash."""
    path.write_bytes(chained([{"fireplan": "journal", "format": FORMAT, **head}, *rows]))


@pytest.mark.parametrize("part", ["head", "input"])
def test_files_lines_and_values_too_many_are_refused_in_bounded_work(path, part):
    with path.open("wb") as file:
        file.truncate(journal.LIMITS.size + 1)
    with pytest.raises(JournalError, match="larger than 32 MB"):
        Journal.open(path)
    long = "x" * journal.LIMITS.line
    many = "[" + "0, " * journal.LIMITS.values + "0]"
    told = {"head": "the head cannot be read", "input": "input 2 cannot be read"}[part]
    for text, reason in ((f'{{"kind": "{long}"}}', "larger than allowed"),
                         (f'{{"kind": {many}}}', "more values than|larger than")):  # fmt: skip
        if part == "head":
            path.write_bytes(chained([text.replace('{"kind"', '{"fireplan": "journal", "x"')]))
        else:
            made(path, {}, DIE, text)
        with pytest.raises(JournalError, match=rf"{told} .*({reason})|{told}.*({reason})"):
            Journal.open(path)


def test_line_breaks_by_the_million_are_not_all_looked_at(path, monkeypatch):
    made(path, {}, DIE)
    path.write_bytes(path.read_bytes() + b"\n" * (journal.LIMITS.size - path.stat().st_size))
    looked = []
    whole = chained_file._is_whole
    monkeypatch.setattr(chained_file, "_is_whole", lambda *given: looked.append(1) or whole(*given))
    with pytest.raises(JournalError, match=r"input 2 cannot be read \(larger than allowed\)"):
        Journal.open(path)
    assert len(looked) <= journal.LIMITS.lines


def test_no_journal_grows_larger_than_may_be_read(path, monkeypatch):
    made(path, {}, *[DIE] * 20)
    for limits in (
        chained_file.Limits(size=path.stat().st_size + 500),
        chained_file.Limits(lines=23),
    ):
        monkeypatch.setattr(journal, "LIMITS", limits)
        opened_ = Journal.open(path)

        def fill(opened_=opened_):
            for _ in range(100):
                opened_.append(INPUT)

        with pytest.raises(JournalError, match=r"input 2\d cannot be written: it is full"):
            fill()
        assert Journal.open(path).rows == opened_.rows
        assert len(opened_.rows) >= 22
        made(path, {}, *[DIE] * 20)


@pytest.mark.parametrize("kind", one_in(3, ["pipe", "folder", "device"]))
def test_a_special_file_is_refused_as_a_journal_without_waiting(path, kind):
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to("/dev/zero")
    for attempt in (lambda: Journal.open(path), lambda: Journal.open(path, read_only=True)):
        with pytest.raises(JournalError, match=r"is not an ordinary file|is a link"):
            attempt()
    for command in ("replay", "resume"):
        done = subprocess.run([sys.executable, "-m", "fireplan", command, path], capture_output=True, timeout=600,
                              check=False)  # fmt: skip
        assert done.returncode == 2
        assert any(
            words in done.stderr for words in (b"not an ordinary file", b"is a link", b"folder")
        )


def test_a_pipe_that_takes_the_place_of_a_journal_is_not_waited_for(path, monkeypatch):
    """A moment ago, when it was checked, it was an ordinary file."""
    os.mkfifo(path)
    ordinary = Path(__file__).stat()
    with monkeypatch.context() as patch:
        patch.setattr(Path, "stat", lambda *_, **__: ordinary)
        for read_only in (True, False):
            with pytest.raises(JournalError, match="is not an ordinary file"):
                Journal.open(path, read_only=read_only)


@pytest.mark.parametrize(
    "line",
    [
        '{"kind": "die", "face": "\\ud800", "after": ""}',
        '{"kind": "die", "face": 1.5, "after": ""}',
        '{"kind": "die", "face": NaN, "after": ""}',
        '{"kind": "die", "face": 1e999, "after": ""}',
        '{"kind": "die", "face": 100000000000000000000000000000, "after": ""}',
        '{"kind": "die", "face": ' + "9" * 5000 + ', "after": ""}',
        '{"kind": "die", "face": ' + "[" * 900 + "]" * 900 + ', "after": ""}',
        '{"kind": "die", "face": ' + "[" * 200_000 + "]" * 200_000 + ', "after": ""}',
        '{"kind": "die", "face": 1, "face": 1, "after": ""}',
        '{"kind":"die", "face": 1, "after": ""}',
        '{"kind": "die", "face": 1}',
        '{"together": 1}',
        '{"together": [1]}',
        '{"together": [[]]}',
        '{"together": [{"kind": "die"}]}',
        "{}",
        "[]",
        "x",
        '"kind"',
    ],
    ids=lambda line: f"{len(line)} {line[:40]}",
)  # fmt: skip
def test_lines_that_no_table_writes_are_refused_with_their_input(path, tmp_path, line):
    """Each is reported as the second input, and the first input is kept."""
    made(path, {}, DIE, line, DIE)
    with pytest.raises(
        JournalError,
        match=r"input 2 cannot be read .*; 'fireplan salvage' can save 1 earlier input",
    ):
        Journal.open(path)
    saved, wrong = Journal.salvage(path, tmp_path / "saved.fireplan")
    assert (saved.rows, "input 2 cannot be read" in wrong) == ([INPUT], True)


def test_a_line_that_is_not_utf_8_is_refused_with_its_input(path):
    made(path, {}, DIE)
    text = path.read_bytes() + b'{"kind": "\xff", "hash": "'
    path.write_bytes(text + hashlib.sha256(text).hexdigest().encode() + b'"}\n')
    with pytest.raises(JournalError, match=r"input 2 cannot be read \(not written by fireplan\)"):
        Journal.open(path)


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
    "x", ['"\\ud800"', "[" * 900 + "]" * 900, "0.5"], ids=["half a character", "deep", "fraction"]
)
def test_a_head_written_as_no_table_does_is_refused(path, x):
    path.write_bytes(chained([f'{{"fireplan": "journal", "format": {FORMAT}, "x": {x}}}']))
    with pytest.raises(JournalError, match="the head cannot be read"):
        Journal.open(path)


def test_half_a_character_is_refused_when_it_is_to_be_written(path):
    with pytest.raises(
        JournalError, match=r"cannot be written: '\\ud800' is not a complete character"
    ):
        Journal.create(path, {"name": "\ud800"})
    assert not path.exists()
    journal = Journal.create(path, {})
    with pytest.raises(JournalError, match="is not a complete character"):
        journal.append(JournalRow("die", {"face": "\udcff"}))
    journal.append(INPUT)
    assert Journal.open(path).rows == [INPUT]


def test_control_characters_of_a_journal_do_not_reach_the_terminal(path, capsys):
    evil = "\x1b]0;owned\x07\x9b2J\r\u202e"
    order = {"kind": "order", "question": "core.request", "verb": evil, "values": {}, "after": ""}
    made(path, {**VILLAGE.data(), "name": f"{evil}.toml", "house_rules": [evil]}, order)
    assert main(["replay", str(path)]) == 2
    out, err = capsys.readouterr()
    assert not {*evil} & {*(out + err)} - {*"0123456789;owned2J]["}
    assert "\\u001b]0;owned\\u0007\\u009b2J\\u000d\\u202e" in err


def test_a_journal_opens_the_game_named_in_its_head(path):
    made(path, VILLAGE.data())
    session, head = reopen(path, GAMES)
    assert head == Head.of_data(VILLAGE.data())
    assert session.table.state == Session(*scenario_of(GAMES, VILLAGE)).table.state
