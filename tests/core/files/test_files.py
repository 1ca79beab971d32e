"""Files as a whole: paths, bytes, syntax, bombs; faults as values and as text."""

import itertools
import pickle
import re

import attrs
import pytest

from fireplan_core.files import (
    MAX_BYTES,
    Fault,
    FileError,
    describe,
    parse_toml,
    printable,
    read_file,
)

LEAST = 'title = "x"\nday = 1944-12-18\n[board]\n'
KNIGHT = '[[knight]]\nid = "n1"\nplace = "b1"\n'


@attrs.frozen
class Empty:
    """A class without fields."""


def refused(path, **words):
    with pytest.raises(FileError) as caught:
        read_file(path, Empty, **words)
    (only,) = caught.value.faults
    return only


# -- the path


@pytest.mark.parametrize("path", ["", ".", "a\0b", "x" * 5000, "a\0b/c", "\udcff"])
def test_paths_that_can_be_no_file(path, tmp_path):
    only = refused(tmp_path / path)
    assert only.path
    assert only.suggestion
    assert describe([only]).isprintable()


def test_a_missing_file_suggests_neighbours_and_shipped_names(tmp_path):
    (tmp_path / "bridge.toml").touch()
    only = refused(tmp_path / "brigde.toml", what="map", shipped={"river/ford": 1, "hill": 2})
    assert (only.path, only.line, only.message) == (
        "brigde.toml",
        None,
        "no such file or shipped map",
    )
    assert only.suggestion == "did you mean bridge.toml? shipped maps: river/ford, hill"


@pytest.mark.parametrize("name", ["rivr/ford", "river/fort", "fort.toml"])
def test_a_shipped_name_is_known_by_its_last_part_too(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = type(tmp_path)(name)
    assert refused(path, shipped={"river/ford": 1}).suggestion.startswith(
        "did you mean river/ford?"
    )


def test_shipped_names_are_not_mentioned_if_there_are_none(tmp_path):
    only = refused(tmp_path / "qqq.toml")
    assert (only.message, only.suggestion) == ("no such file", "check the path")


# -- bytes and syntax


@pytest.mark.parametrize("prefix", [b"\xef\xbb\xbf", b"# note\r\n"])
def test_a_byte_order_mark_and_windows_line_ends_are_harmless(read, prefix):
    assert read(prefix + LEAST.replace("\n", "\r\n").encode()).title == "x"


def test_a_file_that_is_not_utf_8_names_the_line(fault):
    only = fault(LEAST.encode() + b"# caf\xe9\n")
    assert (only.line, only.message) == (4, "not UTF-8 text")


def test_a_file_saved_as_utf_16(fault):
    assert fault(LEAST.encode("utf-16")).message == "not UTF-8 text"


def test_the_largest_file_is_256_kb(fault, read):
    assert MAX_BYTES == 64_000
    room = MAX_BYTES - len(LEAST)
    assert read(LEAST + "#" * room).title == "x"
    assert "64 kB" in fault(LEAST + "#" * (room + 1)).message


@pytest.mark.parametrize(
    ("line", "place", "hint"),
    [
        ("gait = walk", 4, "quotes"),
        ("size = 8\nsize = 9", 5, "twice"),
        ("[board]", 4, "twice"),
        ("size 8", 4, "key = value"),
        ('gait = "walk', 4, "quotes"),
        ("wooden = True", 4, "lower case"),
        ("size = 8 wooden = true", 4, "one key = value per line"),
        ("= 3", 4, "key = value"),
        ("size = [1, 2", 6, "bracket"),
    ],
)
def test_invalid_toml_is_reported_with_its_line_and_a_remedy(fault, line, place, hint):
    only = fault(LEAST + line + "\n# end\n")
    assert only.line == place
    assert only.message.startswith("not TOML: ")
    assert hint in only.suggestion


# -- files made to exhaust the reader


@pytest.mark.parametrize(
    "bomb",
    [
        "x = " + "[" * 60_000,
        "x = " + "{a=" * 20_000,
        ".".join("a" * 30_000) + " = 1",
        "[" + ".".join("a" * 30_000) + "]",
        "x = " + "9" * 60_000,
    ],
    ids=["arrays", "inline tables", "dotted key", "dotted header", "digits"],
)
def test_bombs_are_refused_at_once(fault, bomb):
    only = fault(LEAST + bomb)
    assert re.search(r"nested too deeply|thousands of digits", only.message)


def test_thousands_of_unknown_keys_are_counted_not_listed(faults):
    found = faults("".join(f"k{n} = 1\n" for n in range(5_000)) + LEAST)
    assert len(found) < 50
    assert any("more unknown keys" in fault.message for fault in found)


@pytest.mark.parametrize(
    "bomb",
    [
        "knight = [" + "{}," * 1_000 + "]\n" + LEAST,
        LEAST + "[[knight]]\n" * 1_000,
        LEAST + "[[knight]]\n" + "[[knight.rider]]\n" * 1_000,
        LEAST + "[stock]\n" + "".join(f"k{n} = -1\n" for n in range(1_000)),
        "scores = [" + "-1," * 1_000 + "]\n" + LEAST,
    ],
    ids=["inline tables", "headers", "inner headers", "free keys", "numbers"],
)
def test_of_a_thousand_faults_a_hundred_are_named(faults, bomb):
    found = faults(bomb)
    assert len(found) == 101
    assert found[-1].message == "more faults than are listed here"


@pytest.mark.parametrize(
    ("bomb", "key"),
    [
        ("knight = [" + "{}," * 15_000 + "]\n" + LEAST, "knight"),
        (LEAST + "[[knight]]\n" * 4_000, "knight"),
        (LEAST + KNIGHT + "[[knight.rider]]\n" * 3_000, "knight[0].rider"),
        (LEAST + "[stock]\n" + "".join(f"k{n} = -1\n" for n in range(4_000)), "stock"),
        ("scores = [" + "1," * 1_001 + "]\n" + LEAST, "scores"),
    ],
    ids=["inline tables", "headers", "inner headers", "free keys", "numbers"],
)
def test_more_than_a_thousand_entries_are_one_fault(fault, bomb, key):
    only = fault(bomb)
    assert (only.key, only.message[:34]) == (key, "expected at most 1000 entries, got")


@attrs.frozen
class Suspicious:
    """A class whose own check always adds a fault."""

    def check(self):
        return ((f"a{n}", "is wrong", "") for n in itertools.count())


def test_a_class_reports_no_more_faults_than_are_listed(tmp_path):
    file = tmp_path / "my.toml"
    file.write_text("")
    with pytest.raises(FileError) as caught:
        read_file(file, Suspicious)
    assert len(caught.value.faults) == 101


# -- content read before the class is known


def test_content_is_looked_into_before_the_class_is_known(tmp_path):
    file = tmp_path / "my.toml"
    file.write_text("kind = 1\n[a]\nb = 2\n")
    document = parse_toml(file)
    assert document.content == {"kind": 1, "a": {"b": 2}}
    (one, other) = document.error([("a.b", "m", "s"), ("kind", "n", "")]).faults
    assert (one, other) == (
        Fault("n", key="kind", line=1, file="my.toml"),
        Fault("m", "s", key="a.b", line=3, file="my.toml"),
    )
    with pytest.raises(FileError, match="unknown key"):
        document.read(Empty)


# -- faults


def test_a_fault_as_text():
    full = Fault("m", "s", key="unit[2].place", line=3, file="a.toml")
    assert (
        describe([full, Fault("n", file="b.toml")])
        == "a.toml: line 3: unit[2].place: m - s\nb.toml: n"
    )
    assert full.path == "a.toml: unit[2].place"


def test_an_error_survives_the_way_between_processes():
    error = FileError((Fault("m", "s", key="minutes", line=3, file="a.toml"),))
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
    assert again.faults == error.faults
    assert str(again) == "a.toml: line 3: minutes: m - s"


def test_plain_text_is_short_and_printable():
    assert printable("a\n\x1b[31m") == "a\\n\\x1b[31m"
    assert printable("x" * 50, 10) == "x" * 10 + "..."
