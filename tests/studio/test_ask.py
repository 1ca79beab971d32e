"""Texts that visitors paste: positions as lines, scenario files with faults, sweep plans; and films
of playthroughs.
"""

import html
import re
from fractions import Fraction
from itertools import count
from types import SimpleNamespace
from urllib.parse import urlencode

import pytest

import fireplan as fp
from fireplan.analysis import SideOdds, percent
from fireplan.draw.palette import INK, look, looks_of
from fireplan.table import Session, Viewer, shipped_playthroughs
from fireplan_core.play import Catalogue, find_scenario, shipped_scenarios
from fireplan_studio import work
from fireplan_studio.limits import LIMITS, Limit

LINE = 'fp1 asl/village "turn 2 PFPh" a{stage=requested red=1 contact}'
PLAN = 'title = "Guns"\nengagements = ["woods"]\ngames = ["wacht_am_rhein"]\n[[vary]]\nfact = "guns"\nvalues = [4, 12]\n'


def ask(visitor, page="", **given):
    return visitor.answered(f"/ask{page}?{urlencode(given)}")


def words(answer):
    return html.unescape(re.sub(r"<[^>]+>", " ", answer.text))


def test_a_line_is_answered_with_the_odds_of_the_front_door_and_a_link_that_asks_the_same(visitor):
    answer = ask(visitor, line=LINE, by="turn 4")
    found = fp.position(LINE).odds(by="turn 4")
    assert answer.status == 200
    delivered = Fraction(found.to_dict()["measures"]["delivered"]["value"])
    assert percent(delivered) in words(answer)
    colour = look(looks_of(["asl"])["asl"]).colour
    assert (
        f'<rect width="{float(delivered * 100):.1f}" height="20" fill="{colour}"/></svg>'
        in answer.text
    )
    assert f'svg.share{{@media screen and (prefers-color-scheme: dark){{[fill="{INK}"]' in (
        visitor.get("/static/studio.css").text
    )
    assert not set("▏▎▍▌▋▊▉█") & set(words(answer))
    link = html.unescape(re.search(r'data-copy-link="([^"]*)"', answer.text)[1])
    same = '<p role="status">The figures are exactly those that this link was made with.</p>'
    again = visitor.answered(link).text
    assert same in again
    assert again.replace(same, "") == answer.text
    assert LINE in words(answer)


def test_the_page_has_a_finished_example_of_each_kind_that_is_answered(visitor):
    page = visitor.get("/ask").text
    links = [
        html.unescape(link)
        for link in re.findall(r'href="(/(?:ask\?line|questions/best)[^"]*)"', page)
    ]
    assert len(links) == 3
    for link in links:
        answer = visitor.answered(link)
        assert (answer.status, "faults" in answer.text) == (200, False), link
    assert 'href="/ask/playthroughs/asl/first_mission">first mission</a>' in page
    file = html.unescape(re.search(r'name="text"[^>]*>\n(.*?)</textarea>', page, re.DOTALL)[1])
    shipped = shipped_scenarios(Catalogue.installed())["asl/village"]
    assert file == shipped.read_text(encoding="utf-8")


@pytest.mark.full
def test_the_best_orders_from_a_position_are_sought(visitor):
    answer = words(ask(visitor, line="red_poppies/cut_wires", **{"for": "delivered"}))
    assert "The best there is: " in answer
    assert "Above all call a group by telephone and place its cross hair: 46.4 % instead" in answer
    assert "4 turns to go: call a group by telephone" in answer
    assert "1e+02" not in answer


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"line": "asl/vilage"}, "did you mean asl/village?"),
        ({"line": "/etc/passwd"}, "there is no scenario '/etc/passwd'"),
        ({"line": "../x.toml"}, "there is no scenario"),
        ({"line": "asl/village", "by": "Tuesday"}, "Tuesday"),
        ({"line": "asl/village a{purple=3} b{contact}"}, "purple"),
        ({"line": "asl/village", "for": "glory"}, "Available: delivered, on_target, hit"),
        ({"line": "x" * 2001}, "limit line_characters"),
    ],
)
def test_faults_of_a_line_are_reported_and_no_file_is_opened(visitor, given, said):
    answer = ask(visitor, **given)
    assert answer.status == 400
    assert said in words(answer)
    assert "root:" not in answer.text


def test_a_scenario_file_is_shown_with_each_fault_beside_its_line(visitor):
    shipped = Catalogue.installed()["asl"].game.scenarios.shipped["village"].read_text()
    lines = shipped.split("\n")
    number = next(n for n, line in enumerate(lines) if line.startswith("moments"))
    lines[number] = "moments = 0"
    lines.insert(number, "momets = 3")
    answer = visitor.post("/ask/file", urlencode({"text": "\r\n".join(lines)}).encode())
    rows = re.findall(r'<tr class="at-fault"><th scope="row">(\d+)</th>(.*?)</tr>', answer.text)
    assert [int(line) for line, _ in rows] == [number + 1, number + 2]
    assert "did you mean moments?" in rows[0][1]
    assert "2 faults" in answer.text
    kept = html.unescape(
        re.search("<textarea name=.text.*?>\n(.*?)</textarea>", answer.text, re.DOTALL)[1]
    )
    assert kept == "\n".join(lines), "the form lost the pasted text"
    sound = words(visitor.post("/ask/file", urlencode({"text": shipped}).encode()))
    assert "No faults" in sound
    assert "On target" in sound


def test_pasted_text_is_shown_and_never_run(visitor):
    canary = "<script>alert(1)</script>"
    for answer in (
        visitor.post("/ask/file", urlencode({"text": f"# {canary}\ntitle = 3"}).encode()),
        ask(visitor, line=canary),
        visitor.post("/ask/sweep", urlencode({"plan": f'title = "{canary}"\n'}).encode()),
        ask(visitor, plan=canary),
    ):
        assert "alert(1)" in answer.text
        assert canary not in answer.text


def sent(visitor, plan):
    """Return the answer to a submitted sweep plan."""
    return visitor.post("/ask/sweep", urlencode({"plan": plan}).encode())


def test_a_sweep_shows_its_progress_and_ends_with_the_same_rows_as_python(
    visitor, tables, tmp_path
):
    counts, page = [], sent(visitor, PLAN).headers["location"]
    assert (tables / "sweeps" / page.rpartition("/")[2] / "plan.toml").read_text() == PLAN
    for _ in range(20):
        answer = visitor.answered(page)
        counts.append(int(re.search(r"(\d+) of 2 points", answer.text)[1]))
        assert f'value="{counts[-1]}" max="2"' in answer.text
        if "refresh" not in answer.headers:
            break
        page = answer.headers["refresh"].partition("url=")[2]
    assert counts == sorted(counts)
    assert counts[-1] == 2
    (tmp_path / "plan.toml").write_text(PLAN)
    rows = fp.sweep(tmp_path / "plan.toml", workers=1).rows()
    for row in rows:
        assert f"{float(Fraction(row['destroyed'])):.4f}" in answer.text
    assert str(tmp_path.parent) not in answer.text
    link = html.unescape(re.search(r'data-copy-link="([^"]*)#grid"', answer.text)[1])
    kept = re.search(
        "<textarea name=.plan.*?>\n(.*?)</textarea>", visitor.get(link).text, re.DOTALL
    )[1]
    assert html.unescape(kept) == PLAN.strip(), "the link did not fill in the plan"


def test_reading_a_page_keeps_no_plan(visitor, tables):
    before = sorted(tables.rglob("*"))
    assert visitor.get(f"/ask/sweep?{urlencode({'plan': PLAN})}").status == 303
    assert visitor.answered("/ask/sweep/0123456789abcdef").status == 422
    assert visitor.get("/ask/sweep/0123456789abcdef?from=x").status == 400
    assert visitor.get(f"/ask?{urlencode({'plan': PLAN.replace('4, 12', '5, 13')})}").status == 200
    assert sorted(tables.rglob("*")) == before


def test_the_number_of_stored_plans_is_limited(tmp_path, monkeypatch):
    monkeypatch.setitem(LIMITS, "sweeps", Limit(1, "sweeps in the folder"))
    assert work.planned(str(tmp_path), PLAN) == work.planned(str(tmp_path), PLAN)
    with pytest.raises(fp.InputError, match="limit sweeps"):
        work.planned(str(tmp_path), PLAN.replace("4, 12", "5, 13"))


def test_a_sweep_comes_on_though_its_second_is_over_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr(work, "time", SimpleNamespace(monotonic=count(step=10).__next__))
    plan = str(tmp_path), work.planned(str(tmp_path), PLAN)
    assert [work.swept(*plan, point)[1:3] for point in (1, 2)] == [(1, 2), (2, 2)]


def test_faults_of_a_plan_are_reported(visitor):
    answer = sent(visitor, PLAN + "colour = 1")
    assert answer.status == 400
    assert "colour" in words(answer)
    some = str(list(range(1, 31)))
    many = PLAN.replace("[4, 12]", some) + f'[[vary]]\nfact = "men"\nvalues = {some}\n'
    assert "limit sweep_points" in words(sent(visitor, many))


def test_every_playthrough_is_listed_and_has_its_film(visitor):
    names = list(shipped_playthroughs(Catalogue.installed()))
    page = visitor.get("/ask").text
    assert [name for name in names if f'href="/ask/playthroughs/{name}"' not in page] == []
    game = next(name for name in names if name.startswith("red_poppies/"))
    film = visitor.answered(f"/ask/playthroughs/{game}")
    assert 'id="film-pictures"' in film.text
    alone = visitor.answered(f"/ask/playthroughs/{game}.html")
    assert "attachment" in alone.headers["content-disposition"]
    assert visitor.get("/ask/playthroughs/asl/nothing").status == 404
    assert visitor.get("/ask/playthroughs/../../etc/passwd").status == 404


@pytest.mark.full
def test_hidden_facts_do_not_change_the_odds_beside_a_sides_orders():
    installed, said = Catalogue.installed(), []
    for chit in ("barrages=1 dummies=0", "barrages=0 dummies=1"):
        scenario, form = find_scenario(installed, "miniatures_1943/hedgerow_farm")
        session = Session(scenario, form.moments)
        while getattr(session.table.waits_for, "question", "") != "requests.request":
            session.face(next(face for face, _ in session.die.weights), typed=False)
        first = session.table.waits_for.who
        session.order(Viewer(session, first).read_order(f"place air_strikes=0 {chit}"))
        other = Viewer(session, "german" if first == "american" else "american")
        orders = [order.text for order in other.form().orders if not order.refusal]
        said.append((other.side, orders, SideOdds(other.side).orders(session, orders)))
    assert said[0] == said[1]
