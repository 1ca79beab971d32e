"""Journals from the command line: exported, replayed, saved, verified and analysed, and never
modified.
"""

from __future__ import annotations

import io
import json
import os
import re
from fractions import Fraction

import pytest
from chained import chained
from tiers import one_in

from fireplan.cli import main
from fireplan.table.journal import FORMAT


@pytest.fixture(scope="module")
def barrage(tmp_path_factory):
    """Return the content of a journal of a barrage that was played to its end."""
    typed = ["barrage", "barrage at=3030 observer=I-110 fire=109-FA:4+687-FA:4", "0", "7"]
    journal = tmp_path_factory.mktemp("barrage") / "c.fireplan"
    asked = ["play", "wacht_am_rhein/crossroads", "--journal", str(journal), "--seed", "1"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdin", io.StringIO("\n".join([*typed, *[""] * 50])))
        main(asked)
    return journal.read_bytes()


@pytest.fixture
def crossroads(barrage, tmp_path):
    """Return a copy of the barrage's journal."""
    journal = tmp_path / "c.fireplan"
    journal.write_bytes(barrage)
    return journal


def test_a_shipped_playthrough_is_checked_by_its_name_and_never_written(sit):
    status, out = sit("playthrough", "asl/contact_lost", "miniatures_1943/only_dummies")
    assert status == 0
    names = [line.partition(": same; ")[0] for line in out.splitlines()]
    assert names == ["asl/contact_lost", "miniatures_1943/only_dummies"]
    status, out = sit("playthrough", "--write", "asl/contact_lost")
    assert status == 2
    assert "asl/contact_lost: no such file" in out


def test_an_export_is_a_verified_playthrough_and_leaves_the_journal_unchanged(
    sit, crossroads, tmp_path
):
    before = crossroads.read_bytes()
    assert sit("export", crossroads, "--into", "c.playthrough.txt")[0] == 0
    status, out = sit("playthrough", "c.playthrough.txt")
    assert (status, "same" in out) == (0, True)
    for into in (crossroads, "c.playthrough.txt"):
        status, out = sit("export", crossroads, "--into", into)
        assert status == 2
        assert "an export never overwrites a file" in out
    for command in (("replay",), ("luck",), ("export",), ("export", "--json")):
        assert sit(command[0], crossroads, *command[1:])[0] == 0
    assert crossroads.read_bytes() == before
    assert sorted(file.name for file in tmp_path.iterdir()) == ["c.fireplan", "c.playthrough.txt"]
    assert "(rolled)" in (tmp_path / "c.playthrough.txt").read_text()
    assert "volleys 1 7\n" in (tmp_path / "c.playthrough.txt").read_text()


def test_json_has_the_inputs_only_for_the_referee(sit, crossroads):
    data = json.loads(sit("export", crossroads, "--json")[1])
    assert [row["kind"] for row in data["inputs"][:3]] == ["order", "order", "die"]
    assert data["opening"]["game"] == "wacht_am_rhein"
    side = json.loads(sit("export", crossroads, "--json", "--side", "GE")[1])
    assert "inputs" not in side
    assert "text" not in side["opening"]
    assert side["log"]
    own = sit("export", crossroads, "--side", "GE")
    assert sit("export", crossroads, "--side", "Germans") == own
    assert sit("export", crossroads, "--side", "French")[0] == 2


def test_a_replay_goes_step_by_step_or_up_to_a_line(sit, crossroads):
    whole = sit("replay", crossroads)[1].splitlines()
    status, out = sit("replay", crossroads, "--to", 4)
    assert status == 0
    assert out.splitlines() == whole[:5]
    _, out = sit("replay", crossroads, "--step", typed=["", "", "q"])
    assert out.count("Enter goes on") == 3


def test_all_stored_games_of_a_folder_are_checked_and_the_first_difference_is_named(
    sit, crossroads, tmp_path
):
    sit("export", crossroads, "--into", "c.playthrough.txt")
    status, out = sit("replay", "--all", ".")
    assert (status, out.count(": same")) == (0, 2)
    text = (tmp_path / "c.playthrough.txt").read_text()
    (tmp_path / "c.playthrough.txt").write_text(text.replace("loses a step", "loses 2 steps"))
    status, out = sit("replay", "--all", ".")
    assert status == 1
    assert "(12.4.1a" in out
    assert "1 of 2 differ" in out
    status, out = sit("playthrough", ".")
    assert status == 1


def test_a_file_with_a_line_break_in_its_name_forges_no_line(sit, tmp_path):
    (tmp_path / "a: same\nb.fireplan").write_text("no journal")
    status, out = sit("replay", "--all", ".")
    assert (status, len([line for line in out.splitlines() if "same" in line])) == (1, 1)
    assert "a: same\\nb.fireplan: " in out


@pytest.mark.skipif(os.name == "nt", reason="Windows forbids such names")
@pytest.mark.parametrize("command", one_in(4, ["replay", "export", "resume", "salvage"]))
def test_the_name_of_a_strangers_file_commands_no_terminal(sit, crossroads, tmp_path, command):
    """The message about the unfinished last line escapes the control characters of its name."""
    sent = tmp_path / "\x1b]0;owned\x07\x9b2J.fireplan"
    sent.write_bytes(crossroads.read_bytes() + b"{")
    more = [tmp_path / "\x1b[31m/new.fireplan"] if command == "salvage" else []
    _, out = sit(command, sent, *more, typed=["quit"])
    assert not {*"\x1b\x07\x9b"} & {*out}
    assert "\\u001b" in out


def changed(path, line, before, after):
    """Replace a line's text (line 0 is the head) and leave its hash as it was."""
    lines = path.read_bytes().splitlines(keepends=True)
    assert before in lines[line]
    lines[line] = lines[line].replace(before, after, 1)
    path.write_bytes(b"".join(lines))


@pytest.mark.parametrize(
    ("line", "before", "after", "words"),
    one_in(
        2,
        [
            (4, b"7", b"8", "input 4 was changed"),
            (2, b"}\n", b"} \n", "input 2 was changed"),
            (0, b"US", b"UK", "its first line was changed after it was written"),
            (0, b'"fireplan"', b'"fireplam"', "was not written by fireplan"),
        ],
    ),
)
def test_changed_journals_are_refused_with_the_fault(sit, crossroads, line, before, after, words):
    changed(crossroads, line, before, after)
    for command in ("replay", "resume", "export"):
        status, out = sit(command, crossroads)
        assert status == 2
        assert words in " ".join(out.split())
        assert "Traceback" not in out


@pytest.mark.parametrize(
    ("change", "words"),
    one_in(
        3,
        [
            (lambda lines: lines.pop(1), "input 1 was changed or lost"),
            (lambda lines: lines.insert(3, lines[3]), "input 4 was changed or lost"),
            (lambda lines: lines.pop(0), "was not written by fireplan"),
        ],
    ),
    ids=["a line lost", "a line twice", "no head"],
)
def test_lines_that_were_lost_or_added_are_seen(sit, crossroads, change, words):
    lines = crossroads.read_bytes().splitlines(keepends=True)
    change(lines)
    crossroads.write_bytes(b"".join(lines))
    for command in ("replay", "resume", "export"):
        status, out = sit(command, crossroads)
        assert (status, words in " ".join(out.split())) == (2, True), out


def test_a_broken_journal_is_salvaged_up_to_the_break_and_resumed(sit, crossroads):
    changed(crossroads, 3, b'"kind"', b'"kinder"')
    status, out = sit("salvage", crossroads, "new.fireplan")
    assert status == 0
    assert "2 inputs saved (input 3" in out
    status, out = sit("resume", "new.fireplan", typed=["7", "quit"])
    assert status == 0
    assert "The barrage on 3030 scores 2 hits" in out
    assert sit("salvage", crossroads, "new.fireplan")[0] == 2


@pytest.mark.parametrize(
    "command",
    one_in(9, ["resume", "export", "salvage", "replay", "luck", "film", "odds", "belief", "best"]),
)
def test_an_unfinished_last_line_is_set_aside_with_a_word_and_stays_in_the_file(
    sit, crossroads, command
):
    content = crossroads.read_bytes()
    lines = len(content.splitlines())
    crossroads.write_bytes(content[:-10])
    more = {
        "salvage": ["new.fireplan"],
        "film": ["--side", "US"],
        "belief": ["--at", "1", "--side", "US"],
        "odds": ["--at", "1"],
        "best": ["--at", "1"],
    }
    status, out = sit(command, crossroads, *more.get(command, []), typed=["quit"])
    words = " ".join(out.split())
    assert (status, words.count("its last line is unfinished")) == (0, 1), out
    assert crossroads.read_bytes() == content[:-10]
    if command == "salvage":
        assert f"{lines - 2} inputs saved" in words


@pytest.mark.full
def test_80_000_junk_lines_are_salvaged_at_once(sit, tmp_path):
    """The longest journal is written with few syncs; one sync per line took 23 s."""
    junk = {"kind": "die", "throw": "a", "face": 1, "typed": True, "after": ""}
    head = {"fireplan": "journal", "format": FORMAT}
    (tmp_path / "junk.fireplan").write_bytes(chained([head, *[junk] * 80_000]))
    syncs = []
    fsync = os.fsync
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda descriptor: syncs.append(1) or fsync(descriptor))
        status, out = sit("salvage", "junk.fireplan", "new.fireplan")
    assert (status, "80000 inputs saved; nothing was wrong" in out) == (0, True)
    assert len(syncs) < 10
    assert (tmp_path / "new.fireplan").read_bytes() == (tmp_path / "junk.fireplan").read_bytes()


# --- what each side may see ----------------------------------------------------------------------
def test_6_1_h_exports_of_a_side_hold_commitments_that_verify_at_the_end(sit, tmp_path):
    dice = ["2", "6"]
    sit("play", "miniatures_1943/hedgerow_farm", "--journal", "whole.fireplan", typed=[
        "odds off", *dice, "place barrages=2 air_strikes=0 dummies=1", "place barrages=1 air_strikes=0 dummies=0",
        "reveal", "reveal all", "yes", "quit",
    ])  # fmt: skip
    *inputs, revealed = (tmp_path / "whole.fireplan").read_bytes().splitlines(keepends=True)
    assert b"reveal" in revealed
    (tmp_path / "t.fireplan").write_bytes(b"".join(inputs))
    assert sit("export", "t.fireplan", "--side", "german", "--into", "before.txt")[0] == 0
    before = (tmp_path / "before.txt").read_text()
    assert "sealed by the American player, place in turn 1: commitment " in before
    assert "sealed by the American player, chits of the American line: commitment " in before
    assert not any(word in before for word in ("american barrage", "american dummy", "barrages=2"))
    assert re.search(r"German barrage \d is placed in the Request box", before)
    journal = json.loads(sit("export", "t.fireplan", "--side", "german", "--json")[1])
    assert "barrages=2" not in json.dumps(journal)
    status, out = sit("verify", "before.txt", "before.txt")
    assert (status, "the later text does not open it" in out) == (1, True)
    sit("export", "whole.fireplan", "--side", "german", "--into", "after.txt")
    after = (tmp_path / "after.txt").read_text()
    assert "place in turn 1: barrages=2 air_strikes=0 dummies=1 [salt " in after
    status, out = sit("verify", "before.txt", "after.txt")
    assert (status, "4 sealed records" in out) == (0, True)
    forged = after.replace(
        "barrages=2 air_strikes=0 dummies=1", "barrages=1 air_strikes=0 dummies=2"
    )
    (tmp_path / "forged.txt").write_text(forged)
    status, out = sit("verify", "before.txt", "forged.txt")
    assert (status, "differs from what was sealed" in out) == (1, True)


def test_c1_73_e12_71_records_made_before_play_are_sealed(sit):
    for name, side, other, said in (
        (
            "set_piece",
            "british",
            "german",
            "Pre-Registered hexes of a: C6 with a Barrage H6 with a Barrage [salt ",
        ),
        (
            "creeping",
            "american",
            "german",
            "Creeping Barrage of a: first hex G5, Aiming Hex P5, PFPh and DFPh, ",
        ),
    ):
        sit("play", f"asl/{name}", "--journal", f"{name}.fireplan", typed=["quit"])
        closed = sit("export", f"{name}.fireplan", "--side", other)[1]
        assert f"sealed by the {side.title()} player, " in closed
        assert said.partition(": ")[2][:12] not in closed
        assert "aim G5" not in closed
        sit("resume", f"{name}.fireplan", typed=["odds off", "reveal all", "yes", "quit"])
        assert said in sit("export", f"{name}.fireplan", "--side", other)[1]


# --- luck ------------------------------------------------------------------------------------------------
@pytest.mark.full
def test_luck_of_a_barrage_is_weighed_for_both_sides(sit, crossroads):
    status, out = sit("luck", crossroads)
    assert status == 0
    assert "standard deviations" in out
    found = {one["side"]: one for one in json.loads(sit("luck", crossroads, "--json")[1])["sides"]}
    assert set(found) == {"US", "GE"}
    us, ge = (
        next(roll for roll in found[side]["rolls"] if roll["name"] == "volleys")
        for side in ("US", "GE")
    )
    assert us["measure"] == ge["measure"] == "harm"
    assert Fraction(us["after"]) == -Fraction(ge["after"])
    # The chances of "at least as good" for both sides add up to more than 1, since both include
    # what was rolled.
    assert Fraction(us["at_least"]) + Fraction(ge["at_least"]) > 1


@pytest.mark.parametrize("command", ["luck", "film"])
def test_a_pipe_in_the_place_of_a_game_is_refused_and_not_read(sit, tmp_path, command):
    os.mkfifo(tmp_path / "game.txt")
    pipe = os.open(tmp_path / "game.txt", os.O_RDWR)
    try:
        os.write(pipe, b"#" * 100)
        status, out = sit(command, str(tmp_path / "game.txt"))
        assert (status, "not a regular file" in out) == (2, True)
        assert os.read(pipe, 200) == b"#" * 100
    finally:
        os.close(pipe)
