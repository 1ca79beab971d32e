"""What a stranger laid into the folder of the tables: no page that reads it touches anything else."""

import os
from contextlib import contextmanager
from hashlib import sha256
from urllib.parse import urlencode

import pytest
from strangers import NAMING, beside, home_in

from fireplan.sweeps import Store, read_plan
from fireplan_core.play import Catalogue

NAMES_ANOTHER = NAMING["a rollback file that names another"]
TOLD = "-journal beside it tells SQLite to delete another file"
PLAN = (
    'title = "a stranger\'s"\nengagements = ["woods"]\ngames = ["miniatures_1943"]\nminutes = 6\n'
)


@pytest.fixture
def home(tmp_path):
    return home_in(tmp_path)


@contextmanager
def laid_beside(database, home):
    NAMES_ANOTHER(database, home)
    try:
        yield
    finally:
        beside(database, "-journal").unlink()


def begun(visitor):
    return visitor.post("/tables", b"scenario=asl/village").headers["location"]


def seen(page):
    return page.text.partition('name="seen" value="')[2].partition('"')[0]


def test_a_table_that_a_stranger_sent_is_listed_with_what_is_wrong_and_never_opened(
    visitor, tables, home
):
    mine = tables / f"{begun(visitor).rpartition('/')[2]}.journal"
    sent = tables / "sent-1.journal"
    sent.write_bytes(mine.read_bytes())
    before = home.seen()
    with laid_beside(sent, home):
        assert TOLD in visitor.get("/tables").text
        for page in (
            "",
            "/seat/german",
            "/seat/german/film",
            "/seat/german/film.html",
            "/seat/german/news",
        ):
            answer = visitor.get(f"/tables/sent-1{page}")
            assert (answer.status, TOLD in answer.text) == (422, True), page
        answer = visitor.post("/tables/sent-1/seat/german/order", b"seen=x&order=call")
        assert (answer.status, TOLD in answer.text) == (422, True)
    assert home.seen() == before
    assert visitor.get("/tables/sent-1").status == 200
    sent.unlink()


def test_what_comes_to_lie_beside_a_table_in_play_stops_it_and_nothing_is_lost(
    visitor, tables, home
):
    table = begun(visitor)
    seat, file = f"{table}/seat/german", tables / f"{table.rpartition('/')[2]}.journal"
    page = visitor.get(seat)
    form = f"seen={seen(page)}&order=call".encode()
    before, kept = home.seen(), file.read_bytes()
    with laid_beside(file, home):
        for answer in (visitor.get(seat), visitor.post(f"{seat}/order", form)):
            assert (answer.status, TOLD in answer.text) == (422, True)
    assert (home.seen(), file.read_bytes()) == (before, kept)
    assert visitor.post(f"{seat}/order", form).status == 303


def foretold(plan):
    """The name of the folder that a plan is kept in, which anybody can work out."""
    return sha256(plan.encode()).hexdigest()[:16]


def sent(visitor, plan):
    return visitor.post("/ask/sweep", urlencode({"plan": plan}).encode())


@pytest.mark.parametrize("lay", ["link", "second name", "pipe"])
def test_no_plan_is_written_through_a_file_that_a_stranger_laid_there(visitor, tables, home, lay):
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


def test_the_results_of_a_sweep_are_not_opened_either(visitor, tables, home):
    kept = sent(visitor, PLAN).headers["location"]
    plan = tables / "sweeps" / kept.rpartition("/")[2] / "plan.toml"
    results = plan.with_suffix(".sqlite")
    with Store(results, read_plan(plan, Catalogue.installed())):
        pass
    before = home.seen()
    with laid_beside(results, home):
        answer = visitor.answered(kept)
        assert (answer.status, TOLD in answer.text, str(tables) in answer.text) == (
            422,
            True,
            False,
        )
    assert home.seen() == before
    assert "a stranger" in visitor.answered(kept).text
