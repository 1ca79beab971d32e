"""Files that a stranger has put into the folder of tables: pages that read them open no other file."""

import os
from hashlib import sha256
from urllib.parse import urlencode

import pytest
from playing_on import play_over
from strangers import TURNS, home_in, nothing_touched_beside, surround
from tiers import one_in

from fireplan.sweeps import Store, read_plan, results_file_of
from fireplan.table import reopen
from fireplan_core.play import Catalogue

SEAT = "/tables/{table}/seat/{side}"
PLAN = (
    'title = "a stranger\'s"\nengagements = ["woods"]\ngames = ["miniatures_1943"]\nminutes = 6\n'
)


@pytest.fixture
def home(tmp_path):
    return home_in(tmp_path)


def begun(visitor):
    return visitor.post("/tables", b"scenario=asl/village").headers["location"]


def seen(page):
    return page.text.partition('name="seen" value="')[2].partition('"')[0]


def looked_at(visitor, page):
    """Open a page, or a stream until its first event."""
    if page.endswith("/news"):
        with visitor.following(page):
            return
    assert visitor.answered(page).status == 200, page


@pytest.mark.parametrize("turn", one_in(3, TURNS[::3]))
def test_no_page_looks_at_a_file_beside_a_table_that_a_stranger_sent(visitor, tables, home, turn):
    """A table's list, screen, seats, odds, belief, film and stream, and an order."""
    mine = tables / f"{begun(visitor).rpartition('/')[2]}.journal"
    folder = tables / f"sent-{turn}.journal"
    folder.write_bytes(mine.read_bytes())
    surround(folder, home, turn)
    before = home.seen()
    companions = {
        path: path.lstat() for path in tables.iterdir() if path.name.startswith(folder.name + "-")
    }
    with nothing_touched_beside(folder):
        assert f"sent-{turn}" in visitor.get("/tables").text
        seat = f"/tables/sent-{turn}/seat/german"
        asked = () if turn else (f"{seat}?odds=1&v=1", f"{seat}?belief=1&v=1")
        for page in (f"/tables/sent-{turn}", seat, f"{seat}/film", f"{seat}/news", *asked):
            looked_at(visitor, page)
        form = f"seen={seen(visitor.get(seat))}&order=call".encode()
        assert visitor.post(f"{seat}/order", form).status == 303
    assert home.seen() == before
    assert {path: path.lstat() for path in companions} == companions
    for path in tables.glob(f"{folder.name}*"):
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()


@pytest.mark.full
def test_no_page_of_a_game_that_is_over_looks_at_a_file_beside_it(visitor, tables, home):
    """Open every address of a table; the form that is sent begins another table, the only new file."""
    mine = tables / f"{begun(visitor).rpartition('/')[2]}.journal"
    session, _ = reopen(mine, Catalogue.installed())
    play_over(session)
    sent = tables / "over-7.journal"
    sent.write_bytes(mine.read_bytes())
    surround(sent, home, 0)
    before, named = home.seen(), {path.name for path in tables.iterdir()}
    seat = "/tables/over-7/seat/german"
    pages = {"/tables/{table}": "/tables/over-7", SEAT: seat}
    pages |= {
        f"{SEAT}/{name}": f"{seat}/{name}" for name in ("film", "film.html", "news", "result")
    }
    with nothing_touched_beside(sent):
        for page in pages.values():
            looked_at(visitor, page)
        again = visitor.post(f"{seat}/again", b"inputs=2").headers["location"].split("/")[2]
        assert visitor.post(f"{seat}/solo").status == 303
        assert visitor.post(f"{seat}/take", b"invitation=x").status == 404
        form = f"seen={seen(visitor.get(seat))}&order=call".encode()
        assert visitor.post(f"{seat}/order", form).status == 422
    posted = {f"{SEAT}/{name}" for name in ("again", "solo", "take", "{kind}")}
    paths = {route.path for route in visitor.app._app.routes}
    assert {path for path in paths if path.startswith("/tables/{")} == {*pages, *posted}
    assert home.seen() == before
    assert {path.name for path in tables.iterdir()} - named == {f"{again}.journal", "over-7.alone"}
    for path in tables.glob(f"{sent.name}*"):
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()


def test_a_database_of_an_older_fireplan_is_listed_as_such(visitor, tables, home):
    sent = tables / "old-1.journal"
    sent.write_bytes(b"SQLite format 3\0".ljust(4096, b"\0"))
    surround(sent, home, 0)
    before = home.seen()
    told = "is a database written by an older fireplan: open it with that version"
    with nothing_touched_beside(sent):
        assert told in visitor.get("/tables").text
        for page in ("", "/seat/german", "/seat/german/film", "/seat/german/news"):
            answer = visitor.get(f"/tables/old-1{page}")
            assert (answer.status, told in answer.text) == (422, True), page
        answer = visitor.post("/tables/old-1/seat/german/order", b"seen=x&order=call")
        assert (answer.status, told in answer.text) == (422, True)
    assert home.seen() == before
    for path in tables.glob(f"{sent.name}*"):
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()


def foretold(plan):
    """Return the name of the folder in which a plan is stored, which anybody can compute."""
    return sha256(plan.encode()).hexdigest()[:16]


def sent(visitor, plan):
    return visitor.post("/ask/sweep", urlencode({"plan": plan}).encode())


@pytest.mark.parametrize("lay", ["link", "second name", "pipe"])
def test_no_plan_is_written_through_a_strangers_file(visitor, tables, home, lay):
    plan = PLAN.replace("a stranger", lay)
    file = tables / "sweeps" / foretold(plan) / "plan.toml"
    file.parent.mkdir(parents=True)
    if lay == "link":
        file.symlink_to(home.thesis)
    elif lay == "pipe":
        os.mkfifo(file)
    else:
        os.link(home.thesis, file)
    thesis = home.thesis.read_bytes()
    assert sent(visitor, plan).headers["location"].endswith(foretold(plan))
    assert (file.read_text(), file.is_symlink(), file.stat().st_nlink) == (plan, False, 1)
    assert home.thesis.read_bytes() == thesis


def test_no_sweep_is_kept_in_a_folder_that_a_link_leads_to(visitor, tables, home):
    plan = PLAN.replace("a stranger", "a link")
    folder = tables / "sweeps" / foretold(plan)
    folder.parent.mkdir(exist_ok=True)
    folder.symlink_to(home.root / "work", target_is_directory=True)
    (home.root / "work" / "plan.toml").write_text(plan)
    before = home.seen()
    answer = sent(visitor, plan)
    assert (answer.status, "is a symbolic link" in answer.text) == (400, True)
    answer = visitor.answered(f"/ask/sweep/{folder.name}")
    assert (answer.status, "is a symbolic link" in answer.text) == (422, True)
    assert home.seen() == before
    folder.unlink()


def test_no_plan_is_read_through_a_link(visitor, tables, home):
    (home.root / "work" / "plan.toml").write_text(PLAN)
    folder = tables / "sweeps" / "0123456789abcdee"
    folder.mkdir(parents=True)
    (folder / "plan.toml").symlink_to(home.root / "work" / "plan.toml")
    answer = visitor.answered(f"/ask/sweep/{folder.name}")
    assert (answer.status, "There is no such sweep here" in answer.text) == (422, True)


def test_no_page_looks_at_a_file_beside_the_results_of_a_sweep(visitor, tables, home):
    kept = sent(visitor, PLAN).headers["location"]
    plan = tables / "sweeps" / kept.rpartition("/")[2] / "plan.toml"
    results = results_file_of(plan)
    with Store(results, read_plan(plan, Catalogue.installed())):
        pass
    surround(results, home, 0)
    before = home.seen()
    with nothing_touched_beside(results):
        assert "a stranger" in visitor.answered(kept).text
    assert home.seen() == before


def test_a_table_with_an_unfinished_last_line_is_listed_with_a_word_and_played_on(visitor, tables):
    table = begun(visitor)
    form = f"seen={seen(visitor.get(f'{table}/seat/german'))}&order=call".encode()
    assert visitor.post(f"{table}/seat/german/order", form).status == 303
    file, seat = tables / f"{table.rpartition('/')[2]}.journal", "/tables/cut-1/seat/german"
    (tables / "cut-1.journal").write_bytes(file.read_bytes()[:-20])
    for _ in range(2):  # read from the file, then from the open table
        assert visitor.get("/tables").text.count("its last line is unfinished") == 1
        form = f"seen={seen(visitor.get(seat))}&order=call".encode()
        for page in (seat, f"{seat}?odds=1&v=1", f"{seat}?belief=1&v=1", f"{seat}/film"):
            assert visitor.answered(page).text.count("its last line is unfinished") == 1
    assert visitor.post(f"{seat}/order", form).status == 303
    assert "its last line is unfinished" not in visitor.get("/tables").text


def test_a_game_in_the_place_of_another_has_its_own_odds(visitor, tables):
    """Both games have the same number of inputs: none."""
    other, mine = (
        visitor.post("/tables", f"scenario={name}".encode()).headers["location"]
        for name in ("asl/ridge", "asl/village")
    )
    odds = [visitor.answered(f"{table}/seat/german?odds=1").text for table in (other, mine)]
    files = [tables / f"{table.rpartition('/')[2]}.journal" for table in (other, mine)]
    files[0].replace(files[1])
    shown = [page.partition('id="chances"')[2].partition("</ul>")[0] for page in odds]
    now = visitor.answered(f"{mine}/seat/german?odds=1").text
    assert shown[0] != shown[1]
    assert now.partition('id="chances"')[2].partition("</ul>")[0] == shown[0]
