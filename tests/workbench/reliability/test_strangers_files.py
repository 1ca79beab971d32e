"""Reading a file from a stranger changes nothing in the reader's home, whatever other files came
with it.
"""

import io
import os
from pathlib import Path

import pytest
from strangers import TURNS, beside, home_in, nothing_touched_beside, rollback_naming, surround
from tiers import one_in

import fireplan as fp
from fireplan.cli import main
from fireplan.errors import JournalError
from fireplan.questions.from_position import FromPosition
from fireplan.questions.question import question_named
from fireplan.questions.registry import places
from fireplan.sweeps import Store, as_rows, read_plan
from fireplan.table import Journal, JournalRow
from fireplan_core.play import Catalogue

INPUT = JournalRow("die", {"throw": "a", "face": 1, "typed": True})
PLAN = 'title = "x"\nengagements = ["woods"]\ngames = ["miniatures_1943"]\nminutes = 6\n'


@pytest.fixture
def home(tmp_path, monkeypatch):
    home = home_in(tmp_path)
    monkeypatch.chdir(home.downloads)
    return home


@pytest.fixture
def game(home, journal_bytes):
    """Return the journal of a game from a stranger."""
    journal = home.downloads / "game.fireplan"
    journal.write_bytes(journal_bytes)
    return journal


@pytest.fixture
def results(home):
    """Return a stranger's sweep results, still empty: enough to make the reader look beside them."""
    (home.downloads / "plan.toml").write_text(PLAN)
    results = home.downloads / "plan.jsonl"
    with stored(results):
        return results


def stored(results):
    return Store(results, read_plan(results.with_suffix(".toml"), Catalogue.installed()))


def others(home, *mine):
    """Return the contents of a home folder, except these files and the folders that contain them."""
    changing = {file.relative_to(home.root) for file in (*mine, *(file.parent for file in mine))}
    return {name: now for name, now in home.seen().items() if name not in changing}


@pytest.mark.parametrize("turn", TURNS)
def test_no_file_beside_a_journal_is_looked_at(home, turn):
    path, saved = home.downloads / "game.fireplan", home.downloads / "saved.fireplan"
    for file in (path, saved):
        surround(file, home, turn)
    before = others(home, path, saved)
    with nothing_touched_beside(path), nothing_touched_beside(saved):
        journal = Journal.create(path, {})
        journal.append(INPUT)
        journal.close()
        for read_only in (True, False):
            again = Journal.open(path, read_only=read_only)
            assert (again.rows, again.outrun) == ([INPUT], False)
            again.close()
        Journal.salvage(path, saved)[0].close()
    assert others(home, path, saved) == before


@pytest.mark.parametrize("turn", TURNS)
def test_no_file_beside_the_results_of_a_sweep_is_looked_at(home, results, turn):
    surround(results, home, turn)
    before = others(home, results)
    with nothing_touched_beside(results):
        with stored(results) as store:
            store.keep([{"number": 0, "game_version": "1", "outcome": "refused", "reason": "", "moments": 0,
                         "states": 0, "answer": ""}])  # fmt: skip
            store.finish()
        assert [row["number"] for row in as_rows(results)] == [0]
    assert others(home, results) == before


COMMANDS = (
    ("replay", "game.fireplan"),
    ("replay", "--all", "."),
    ("resume", "game.fireplan"),
    ("export", "game.fireplan"),
    ("export", "game.fireplan", "--json"),
    ("export", "game.fireplan", "--into", "export.txt"),
    ("film", "game.fireplan", "--side", "german"),
    ("luck", "game.fireplan"),
    ("salvage", "game.fireplan", "saved.fireplan"),
    ("follow", "game.fireplan"),
    ("odds", "game.fireplan", "--at", "1"),
    ("best", "game.fireplan", "--at", "1", "--seconds", "2"),
    ("belief", "game.fireplan", "--at", "1", "--side", "german"),
    ("chance", "game.fireplan", "--at", "1", "--of", "fall"),
)
STATUS = {"follow": 2}
"""The status of each command; ``follow`` refuses a game that nothing follows, the others read it.
"""


def test_every_question_about_a_recorded_game_is_among_the_commands():
    about_games = {name for name in places() if issubclass(question_named(name), FromPosition)}
    assert {"odds", "best"} < about_games < {command[0] for command in COMMANDS}


@pytest.mark.parametrize("line", one_in(5, map(" ".join, COMMANDS)))
def test_no_command_looks_at_a_file_beside_a_game(home, game, line, capsys, monkeypatch):
    command = line.split()
    monkeypatch.setattr("sys.stdin", io.StringIO("quit\n"))
    surround(game, home, 0)
    made = [home.downloads / name for name in ("export.txt", "saved.fireplan", "game.html")]
    before = others(home, *made)
    with nothing_touched_beside(game):
        assert main(command) == STATUS.get(command[0], 0), capsys.readouterr()
    assert others(home, *made) == before


@pytest.mark.parametrize("ask", one_in(3, [fp.load, fp.luck, lambda path: fp.load(path).at(1)]))
def test_python_looks_at_no_file_beside_a_game(home, game, ask):
    surround(game, home, 0)
    before = home.seen()
    with nothing_touched_beside(game):
        ask(game)
    assert home.seen() == before


def test_no_sweep_looks_at_a_file_beside_its_results(home, results):
    surround(results, home, 0)
    before = others(home, results)
    with nothing_touched_beside(results):
        assert main(["sweep", "plan.toml", "--workers", "1"]) == 0
    assert others(home, results) == before


def test_a_database_of_an_older_fireplan_is_refused_in_a_sentence_and_not_opened(home, capsys):
    """Only its first line is read, and no file that it names is opened."""
    for name in ("game.fireplan", "plan.jsonl"):
        (home.downloads / name).write_bytes(b"SQLite format 3\0".ljust(4096, b"\0"))
        beside(home.downloads / name, "-journal").write_bytes(rollback_naming(home.thesis))
    (home.downloads / "plan.toml").write_text(PLAN)
    before = home.seen()
    for command in (*COMMANDS, ("sweep", "plan.toml")):
        assert main(command) == (1 if "--all" in command else 2)
        out, err = capsys.readouterr()
        told = "is a database written by an older fireplan: open it with that version"
        assert told in " ".join((out + err).split())
    assert home.seen() == before


def test_a_link_to_a_game_is_followed_to_read_and_refused_to_write(home, game, capsys):
    (home.downloads / "deep").mkdir()
    real = game.rename(home.downloads / "deep" / "real.fireplan")
    game.symlink_to(real)
    surround(real, home, 0)
    before = home.seen()
    for command in (("replay", "game.fireplan"), ("export", "game.fireplan")):
        assert main(command) == 0
    assert main(["resume", "game.fireplan"]) == 2
    told = f"is a link; to write to its target, name {real} instead"
    assert told in " ".join(capsys.readouterr().err.split())
    assert home.seen() == before


@pytest.mark.parametrize(
    "to", ["work/new.jsonl", "work/empty", "work/thesis.txt", "downloads/other.jsonl"]
)
def test_results_are_never_written_through_a_link(home, to, capsys):
    (home.downloads / "plan.toml").write_text(PLAN)
    (home.downloads / "plan.jsonl").symlink_to(home.root / to)
    before = home.seen()
    assert main(["sweep", "plan.toml", "--workers", "1"]) == 2
    assert "plan.jsonl: is a link" in capsys.readouterr().err
    assert home.seen() == before


@pytest.mark.parametrize("to", one_in(3, ["work/thesis.txt", "work/nothing", "work/empty"]))
def test_no_game_is_begun_or_salvaged_through_a_link(home, game, to, capsys):
    (home.downloads / "new.fireplan").symlink_to(home.root / to)
    before = home.seen()
    for command in (("play", "asl/village", "--journal"), ("salvage", "game.fireplan")):
        assert main([*command, "new.fireplan"]) == 2
        assert "new.fireplan: already exists" in capsys.readouterr().err
    assert home.seen() == before


def test_a_pipe_is_not_a_results_file(home, capsys):
    (home.downloads / "plan.toml").write_text(PLAN)
    os.mkfifo(home.downloads / "plan.jsonl")
    assert main(["sweep", "plan.toml", "--workers", "1"]) == 2
    assert "not an ordinary file" in capsys.readouterr().err


@pytest.mark.parametrize(
    "name", ["file:x%2efireplan", "file:..%2Fwork%2Fx.fireplan", "file:x.fireplan?mode=memory", ":memory:"]
)  # fmt: skip
def test_a_name_that_looks_like_an_address_is_a_name(home, name):
    """A relative path that begins with "file:" is not taken for a URI, which would open another
    file.
    """
    before = home.seen()
    path = Path(name)
    journal = Journal.create(path, {})
    journal.append(INPUT)
    journal.close()
    assert Journal.open(path, read_only=True).rows == Journal.open(path).rows == [INPUT]
    assert home.seen().keys() - before.keys() == {home.downloads.relative_to(home.root) / name}


def test_results_that_are_stored_elsewhere_too_are_not_written(home, capsys):
    (home.downloads / "plan.toml").write_text(PLAN)
    os.link(home.root / "work" / "empty", home.downloads / "plan.jsonl")
    before = home.seen()
    assert main(["sweep", "plan.toml", "--workers", "1"]) == 2
    assert "plan.jsonl: is a link" in capsys.readouterr().err
    assert home.seen() == before


@pytest.mark.parametrize(
    "command", [("film", "game.fireplan"), ("export", "game.fireplan", "--into", "game.html")]
)
def test_nothing_new_is_written_through_a_link_to_nothing(home, game, command, capsys):
    (home.downloads / "game.html").symlink_to(home.root / "work" / "new.html")
    before = home.seen()
    assert main(command) == 2
    assert "game.html: already exists" in capsys.readouterr().err
    assert home.seen() == before


@pytest.mark.parametrize("turn", TURNS)
def test_files_that_appear_beside_an_open_journal_are_not_opened(home, turn, monkeypatch):
    path = home.downloads / "game.fireplan"
    journal = Journal.create(Path(path.name), {})
    journal.append(INPUT)
    monkeypatch.chdir(home.root)
    surround(path, home, turn)
    before = others(home, path)
    with nothing_touched_beside(path):
        assert not journal.outrun
        journal.append(INPUT)
    journal.close()
    assert others(home, path) == before
    assert Journal.open(path, read_only=True).rows == [INPUT, INPUT]


@pytest.mark.parametrize("kind", ["link", "another file", "nothing"])
def test_an_open_journal_that_was_replaced_is_not_written(home, kind):
    """Another file is now at its path, so the open file no longer has a name."""
    path = home.downloads / "game.fireplan"
    journal = Journal.create(path, {})
    journal.append(INPUT)
    path.unlink()
    if kind == "link":
        path.symlink_to(home.thesis)
    elif kind == "another file":
        path.write_text("something else")
    before = home.seen()
    assert journal.outrun
    with pytest.raises(JournalError, match="somebody else has written input 2"):
        journal.append(INPUT)
    journal.close()
    assert home.seen() == before
