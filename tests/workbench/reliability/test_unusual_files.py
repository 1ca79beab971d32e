"""Files as other programs leave them, or as a stranger may send them, are read or refused in a
sentence.
"""

import io
import json
import os
from pathlib import Path

import pytest

import fireplan as fp
from fireplan import InputError
from fireplan.chained_file import ChainedFile, Limits
from fireplan.cli import main
from fireplan.table import shipped_playthroughs
from fireplan_core.chance import read_csv
from fireplan_core.play import Catalogue, shipped_scenarios

MARK = b"\xef\xbb\xbf"
"""The byte order mark, with which Windows programs begin a file in UTF-8."""


@pytest.fixture(scope="module")
def games():
    return Catalogue.installed(only=("asl",))


@pytest.fixture(scope="module")
def recorded(journal_bytes):
    """Return the lines of a journal as objects, without their hashes."""
    lines = [json.loads(line) for line in journal_bytes.decode().splitlines()]
    return [{key: value for key, value in line.items() if key != "hash"} for line in lines]


@pytest.fixture
def written(tmp_path):
    """Return a function that writes objects as a journal whose chain of hashes is intact."""

    def write(head, *rows):
        path = tmp_path / "stranger.fireplan"
        ChainedFile.create(path, [head, *rows], Limits()).close()
        return path

    return write


def test_a_scenario_with_a_byte_order_mark_is_opened_everywhere(
    games, tmp_path, capsys, monkeypatch
):
    content = shipped_scenarios(games)["asl/village"].read_bytes()
    path = tmp_path / "mine.toml"
    path.write_bytes(MARK + content)
    monkeypatch.setattr("sys.stdin", io.StringIO("quit\n"))
    journal = str(tmp_path / "mine.fireplan")
    for command in (["odds", "--moments", "1"], ["play", "--journal", journal]):
        assert main([command[0], str(path), *command[1:]]) == 0, capsys.readouterr()
    assert fp.odds(path, moments=2).rows() == fp.odds("asl/village", moments=2).rows()


def test_a_playthrough_a_chart_and_orders_with_a_byte_order_mark_are_read(games, tmp_path):
    path = tmp_path / "mine.txt"
    shipped = shipped_playthroughs(games)["asl/behind_the_ridge"].read_bytes()
    path.write_bytes(MARK + shipped)
    assert fp.load(path).at(2).waits_for == fp.load("asl/behind_the_ridge").at(2).waits_for
    path.write_bytes(MARK + b"roll,runner\r\n1,7\r\n")
    assert read_csv(path) == [{"roll": "1", "runner": "7"}]
    path.write_bytes(MARK + b"requests.fire=convert if on target\r\n")
    assert str(fp.strategy(path)) == "requests.fire=convert if on target"


def test_orders_are_read_from_ordinary_files_of_a_page(tmp_path):
    path = tmp_path / "plan.txt"
    path.write_text("#" + "ü" * 50_000, encoding="utf-8")
    with pytest.raises(InputError, match="longer than 20,000 characters"):
        fp.strategy(path)
    pipe = tmp_path / "pipe.txt"
    os.mkfifo(pipe)
    with pytest.raises(InputError, match="not a regular file"):
        fp.strategy(pipe)


@pytest.mark.parametrize("read", [fp.load, fp.luck, lambda name: fp.strategy(Path(name))])
def test_a_name_with_a_null_character_is_refused(read):
    with pytest.raises(InputError, match="null"):
        read("game\0.txt")


WRONG_HEADS = (
    ("options", []),
    ("numbers", ""),
    ("charts", []),
    ("game", "../../etc/passwd"),
    ("game", ""),
    ("game", "red_poppies"),
)


@pytest.mark.parametrize(("key", "value"), WRONG_HEADS)
def test_a_journal_whose_head_fits_no_game_is_refused_by_every_command(
    recorded, written, key, value, capsys, monkeypatch
):
    head, *rows = recorded
    path = str(written(head | {key: value}, *rows))
    for command in ("replay", "resume", "export", "luck", "film", "odds"):
        monkeypatch.setattr("sys.stdin", io.StringIO("quit\n"))
        assert main([command, path]) == 2
        assert str(path) in "".join(capsys.readouterr().err.split("\n"))


@pytest.mark.parametrize("row", [{"verb": ["call"]}, {"values": ""}, {"values": []}])
def test_an_input_of_another_shape_is_refused_without_the_words_of_python(recorded, written, row):
    head, first, *_ = recorded
    path = written(head, first | row)
    with pytest.raises(InputError) as refused:
        fp.load(path)
    assert str(refused.value).endswith("input 1 does not fit the present rules")


def test_a_journal_does_not_pass_off_its_scenario_as_a_shipped_one(recorded, written):
    """Its positions name its own file, and later questions about the shipped one are unaffected."""
    head = recorded[0]
    assert head["shipped"]
    before = fp.position("asl/village").odds(by=2).rows()
    text = head["text"].replace("morale = 7", "morale = 2")
    assert text != head["text"]
    position = fp.load(written(head | {"text": text})).at(0)
    assert position.odds(by=2).rows() != before
    assert fp.position("asl/village").odds(by=2).rows() == before
    assert not position.line.startswith("fp1 asl/village ")


@pytest.mark.parametrize("name", ["/etc/passwd", "", "asl/no_such", "../village.toml"])
def test_a_journal_that_claims_to_be_shipped_under_any_name_is_read_as_an_own_file(
    recorded, written, name
):
    head, *rows = recorded
    position = fp.load(written(head | {"name": name}, *rows)).at(2)
    assert position.line.startswith(f"fp1 asl/{name}#") or f'"asl/{name}#' in position.line
