"""Whatever a stranger lays beside a game or a sweep's results, reading it changes nothing in the reader's home."""

import io
import os
from pathlib import Path

import pytest
from strangers import COMPANIONS, MARK, NAMING, SECOND_NAME, beside, home_in, rollback_naming

import fireplan as fp
from fireplan.cli import main
from fireplan.errors import JournalError
from fireplan.sweeps import Store, as_rows, read_plan
from fireplan.table import Journal, Row, database
from fireplan_core.play import Catalogue

INPUT = Row("die", {"throw": "a", "face": 1, "typed": True})
PLAN = 'title = "x"\nengagements = ["woods"]\ngames = ["miniatures_1943"]\nminutes = 6\n'


@pytest.fixture
def home(tmp_path, monkeypatch):
    home = home_in(tmp_path)
    monkeypatch.chdir(home.downloads)
    return home


@pytest.fixture
def game(home, monkeypatch, capsys):
    """A game that a stranger sent: whole, and borne out by the rules."""
    monkeypatch.setattr("sys.stdin", io.StringIO("call\n\nquit\n"))
    assert main(["play", "asl/village", "--journal", "game.fireplan", "--seed", "1"]) == 0
    capsys.readouterr()
    return home.downloads / "game.fireplan"


@pytest.fixture
def results(home):
    """The results of a sweep that a stranger sent: none yet, which is enough to look beside them."""
    (home.downloads / "plan.toml").write_text(PLAN)
    results = home.downloads / "plan.sqlite"
    with stored(results):
        return results


def stored(results):
    return Store(results, read_plan(results.with_suffix(".toml"), Catalogue.installed()))


@pytest.mark.parametrize("kind", COMPANIONS)
def test_no_file_beside_a_journal_leads_to_another(home, kind):
    path = home.downloads / "game.fireplan"
    Journal.create(path, {}).close()
    COMPANIONS[kind](path, home)
    before = home.seen()
    for attempt in (
        lambda: Journal.open(path),
        lambda: Journal.open(path, read_only=True),
        lambda: Journal.salvage(path, home.downloads / "saved.fireplan"),
    ):
        with pytest.raises(JournalError, match=r"game\.fireplan: "):
            attempt()
        assert home.seen() == before


@pytest.mark.parametrize("kind", COMPANIONS)
def test_no_journal_is_begun_beside_a_file_that_leads_to_another(home, kind):
    path = home.downloads / "new.fireplan"
    COMPANIONS[kind](path, home)
    before = home.seen()
    with pytest.raises(JournalError, match=r"new\.fireplan-(journal|wal|shm) beside it"):
        Journal.create(path, {})
    now = home.seen()
    folder = path.parent.relative_to(home.root)  # a file was made in it and taken away again
    assert now.keys() == before.keys()
    assert {name for name in now if now[name] != before[name]} <= {folder}


@pytest.mark.parametrize("kind", COMPANIONS)
def test_no_file_beside_the_results_of_a_sweep_leads_to_another(home, results, kind):
    COMPANIONS[kind](results, home)
    before = home.seen()
    for attempt in (lambda: stored(results).done(), lambda: list(as_rows(results))):
        with pytest.raises(fp.InputError, match=r"plan\.sqlite-(journal|wal|shm) beside it"):
            attempt()
        assert home.seen() == before


@pytest.mark.parametrize("name", ["plan.sqlite", "plan.sqlite.whole"])
@pytest.mark.parametrize("kind", COMPANIONS)
def test_no_results_are_begun_or_written_anew_beside_a_file_that_leads_to_another(home, kind, name):
    (home.downloads / "plan.toml").write_text(PLAN)
    COMPANIONS[kind](home.downloads / name, home)
    before = home.seen()
    with (
        pytest.raises(fp.InputError, match=rf"{name}-(journal|wal|shm) beside it"),
        stored(home.downloads / "plan.sqlite") as store,
    ):
        store.finish()
    now = home.seen()
    folder = home.downloads.relative_to(home.root)
    assert {name for name in before if now.get(name) != before[name]} <= {folder}


COMMANDS = (
    ("replay", "game.fireplan"),
    ("replay", "--all", "."),
    ("resume", "game.fireplan"),
    ("export", "game.fireplan"),
    ("export", "game.fireplan", "--json"),
    ("export", "game.fireplan", "--into", "export.txt"),
    ("film", "game.fireplan"),
    ("luck", "game.fireplan"),
    ("salvage", "game.fireplan", "saved.fireplan"),
    ("follow", "game.fireplan"),
    ("odds", "game.fireplan", "--at", "1"),
    ("best", "game.fireplan", "--at", "1"),
    ("belief", "game.fireplan", "--at", "1", "--side", "german"),
)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_no_command_deletes_what_a_rollback_file_names(home, game, command, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("quit\n"))
    NAMING["a rollback file that names another from the folder of work"](game, home)
    before = home.seen()
    differs = (
        "--all" in command
    )  # of a folder every game is told of, and status 1 says that one is not the same
    assert main([*command]) == (1 if differs else 2)
    out, err = capsys.readouterr()
    assert "game.fireplan-journal beside it tells SQLite to delete another file" in out + err
    assert home.seen() == before


@pytest.mark.parametrize("ask", [fp.load, fp.luck, lambda path: fp.load(path).at(1)])
def test_python_deletes_nothing_that_a_rollback_file_names(home, game, ask):
    NAMING["a rollback file that names another"](game, home)
    before = home.seen()
    with pytest.raises(fp.InputError, match="tells SQLite to delete another file"):
        ask(game)
    assert home.seen() == before


@pytest.mark.parametrize("kind", NAMING)
def test_no_sweep_deletes_what_a_rollback_file_names(home, results, kind, capsys):
    NAMING[kind](results, home)
    before = home.seen()
    assert main(["sweep", "plan.toml", "--workers", "1"]) == 2
    assert (
        "plan.sqlite-journal beside it tells SQLite to delete another file"
        in capsys.readouterr().err
    )
    assert home.seen() == before


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_link_to_a_game_is_followed_before_anybody_looks_beside_it(
    home, game, command, capsys, monkeypatch
):
    monkeypatch.setattr("sys.stdin", io.StringIO("quit\n"))
    (home.downloads / "deep").mkdir()
    real = game.rename(home.downloads / "deep" / "real.fireplan")
    game.symlink_to(real)
    NAMING["a rollback file that names another"](real, home)
    before = home.seen()
    assert main([*command]) in (1, 2)
    out, err = capsys.readouterr()
    told = f"is a link; to write to that game, name {real} itself"  # of the one command that writes
    assert (
        told if "resume" in command else "real.fireplan-journal beside it tells SQLite to delete"
    ) in out + err
    assert home.seen() == before


@pytest.mark.parametrize(
    "to", ["work/new.sqlite", "work/empty", "work/thesis.txt", "downloads/other.sqlite"]
)
def test_results_are_never_written_through_a_link(home, to, capsys):
    (home.downloads / "plan.toml").write_text(PLAN)
    (home.downloads / "plan.sqlite").symlink_to(home.root / to)
    before = home.seen()
    assert main(["sweep", "plan.toml", "--workers", "1"]) == 2
    assert "plan.sqlite is a link" in capsys.readouterr().err
    assert home.seen() == before


def test_a_pipe_is_no_file_of_results(home, capsys):
    (home.downloads / "plan.toml").write_text(PLAN)
    os.mkfifo(home.downloads / "plan.sqlite")
    assert main(["sweep", "plan.toml", "--workers", "1"]) == 2
    assert "not an ordinary file" in capsys.readouterr().err


def test_what_is_copied_to_be_recovered_is_checked_again(home, game, monkeypatch):
    """The file that is copied may be another one than the file that was checked."""
    hostile = home.downloads / "hostile"
    copyfile = database.shutil.copyfile
    hostile.write_bytes(b"")
    NAMING["a rollback file that names another"](game, home)
    beside(game, "-journal").rename(hostile)
    beside(game, "-journal").write_bytes(hostile.read_bytes().removesuffix(MARK))
    monkeypatch.setattr(
        database.shutil,
        "copyfile",
        lambda at, to: copyfile(hostile if str(at).endswith("-journal") else at, to),
    )
    before = home.seen()
    with pytest.raises(
        JournalError, match=r"game\.fireplan: game\.fireplan-journal beside it tells SQLite"
    ):
        Journal.open(game, read_only=True)
    assert home.seen() == before


def test_a_rollback_file_of_our_own_is_still_recovered(home, game):
    """A write that was broken off: its rollback file names nothing, and the game is what it was before that write."""
    rows = Journal.open(game, read_only=True).rows
    whole = game.read_bytes()
    journal = Journal.open(game)
    connection = journal._connection
    connection.execute("PRAGMA cache_size=1")
    connection.execute("BEGIN IMMEDIATE")
    for number in range(200):
        place = len(rows) + 1 + number
        connection.execute("INSERT INTO inputs VALUES (?, 'die', ?, '', 'x')", (place, "{}" * 200))
    torn, rollback = game.read_bytes(), beside(game, "-journal").read_bytes()
    connection.execute("ROLLBACK")
    journal.close()
    assert torn != whole
    assert not rollback.endswith(MARK)
    copy = home.downloads / "copy.fireplan"
    for read_only in (True, False):
        copy.write_bytes(torn)
        beside(copy, "-journal").write_bytes(rollback)
        found = Journal.open(copy, read_only=read_only)
        assert found.rows == rows
        found.close()
    assert copy.read_bytes() == whole
    os.link(copy, home.downloads / "again.fireplan")
    beside(copy, "-journal").write_bytes(rollback)
    assert Journal.open(copy, read_only=True).rows == rows  # of a copy in memory
    with pytest.raises(
        JournalError, match=r"has a second name .* Copy both files to another folder"
    ):
        Journal.open(copy)


def test_a_rollback_file_that_is_stored_elsewhere_too_is_never_recovered_where_it_is(home, results):
    path, new = home.downloads / "game.fireplan", home.downloads / "new.fireplan"
    Journal.create(path, {}).close()
    for file in (path, new, results):
        SECOND_NAME(file, home)
    before = home.seen()
    Journal.open(path, read_only=True).close()
    for attempt in (
        lambda: Journal.open(path),
        lambda: Journal.create(new, {}),
        lambda: stored(results),
    ):
        with pytest.raises((JournalError, fp.InputError), match="second name"):
            attempt()
    del before[home.downloads.relative_to(home.root)]  # a file was made in it and taken away again
    assert {name: kept for name, kept in home.seen().items() if name in before} == before


@pytest.mark.parametrize("page", [4096, 0])
def test_a_rollback_file_that_makes_a_game_huge_is_refused(home, page):
    path = home.downloads / "game.fireplan"
    Journal.create(path, {}).close()
    header = MARK + (0).to_bytes(8, "big") + (500_000).to_bytes(4, "big") + (512).to_bytes(4, "big")
    beside(path, "-journal").write_bytes((header + page.to_bytes(4, "big")).ljust(512, b"\0"))
    before = home.seen()
    for read_only in (True, False):
        with pytest.raises(JournalError, match="larger than 32 MB"):
            Journal.open(path, read_only=read_only)
    assert home.seen() == before


@pytest.mark.parametrize(
    "name", ["file:x%2efireplan", "file:..%2Fwork%2Fx.fireplan", "file:x.fireplan?mode=memory"]
)
def test_a_name_that_looks_like_an_address_is_a_name(home, name):
    """SQLite reads a relative path that begins with "file:" as a URI, and would look beside another file."""
    beside(home.downloads / "x.fireplan", "-journal").write_bytes(
        rollback_naming(home.thesis, home.downloads / "x")
    )
    before = home.seen()
    path = Path(name)
    journal = Journal.create(path, {})
    journal.append(INPUT)
    journal.close()
    assert Journal.open(path, read_only=True).rows == Journal.open(path).rows == [INPUT]
    assert home.seen().keys() - before.keys() == {home.downloads.relative_to(home.root) / name}
    plan = Path(name).with_suffix(".toml")
    plan.write_text(PLAN)
    with stored(plan.with_suffix(".sqlite")) as store:
        store.finish()
    now = home.seen()
    assert {name: now[name] for name in before if name.parts[0] != "downloads"} == {
        name: kept for name, kept in before.items() if name.parts[0] != "downloads"
    }


def test_results_that_are_stored_elsewhere_too_are_not_written(home, capsys):
    (home.downloads / "plan.toml").write_text(PLAN)
    os.link(home.root / "work" / "empty", home.downloads / "plan.sqlite")
    before = home.seen()
    assert main(["sweep", "plan.toml", "--workers", "1"]) == 2
    assert "plan.sqlite is a link" in capsys.readouterr().err
    assert home.seen() == before


@pytest.mark.parametrize(
    "command", [("film", "game.fireplan"), ("export", "game.fireplan", "--into", "game.html")]
)
def test_nothing_new_is_written_through_a_link_to_nothing(home, game, command, capsys):
    (home.downloads / "game.html").symlink_to(home.root / "work" / "new.html")
    before = home.seen()
    assert main([*command]) == 2
    assert "game.html: is already there" in capsys.readouterr().err
    assert home.seen() == before


@pytest.mark.parametrize("kind", COMPANIONS)
def test_what_comes_to_lie_beside_an_open_journal_is_seen_before_the_next_input(
    home, kind, monkeypatch
):
    path = home.downloads / "game.fireplan"
    journal = Journal.create(Path(path.name), {})
    journal.append(INPUT)
    monkeypatch.chdir(home.root)
    COMPANIONS[kind](path, home)
    before = home.seen()
    assert journal.outrun
    with pytest.raises(JournalError, match=r"game\.fireplan: "):
        journal.append(INPUT)
    assert home.seen() == before
    assert journal.rows == [INPUT]
    journal.close()
    assert home.seen() == before
