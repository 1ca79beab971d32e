"""The studio without a server: the same pages, answered where they are requested, on the caller's
own thread.
"""

import asyncio
import base64
import json
import re
import subprocess
import sys
import threading
import zlib
from html import unescape
from importlib.metadata import version
from urllib.parse import parse_qsl, quote_plus, urlsplit

import attrs
import pytest
from tiers import one_in

import fireplan as fp
from fireplan.analysis import as_json, compare, contenders, figures_of, find_engagement
from fireplan.cli import main
from fireplan.errors import FLAGS
from fireplan_core.play import Catalogue
from fireplan_studio import answers, opened_link, without_server
from fireplan_studio.static_site.pack import LATER


@pytest.fixture(scope="module")
def ask(tmp_path_factory):
    answer = without_server(tmp_path_factory.mktemp("tables"))
    return lambda method, address, body=b"": asyncio.run(answer(method, address, body))


def test_it_answers_with_the_same_fractions_and_starts_no_thread(ask):
    before = threading.active_count()
    found = ask("GET", "/compare/comparison.json?engagement=dug_in&games=asl&minutes=4&v=1")
    installed = Catalogue.installed()
    expected = as_json(
        compare(
            attrs.evolve(find_engagement("dug_in"), minutes=4),
            installed,
            contenders(installed, ["asl"]),
        )
    )
    assert (found[0], json.loads(found[2])) == (200, json.loads(expected))
    assert threading.active_count() == before


def test_a_table_is_begun_and_kept(ask):
    begun = ask("POST", "/tables", b"scenario=asl/village")
    assert (begun[0], begun[1]["location"]) == (303, "/tables/asl-village-1")
    assert b"asl-village-1" in ask("GET", "/tables")[2]


def test_a_journal_from_elsewhere_gets_a_name_of_its_own(tmp_path):
    studio = without_server(tmp_path / "here")
    asyncio.run(studio("POST", "/tables", b"scenario=asl/village"))
    asyncio.run(studio("POST", "/tables", b"scenario=asl/ridge"))
    first, second = (
        (tmp_path / "here" / f"asl-{name}-1.journal").read_bytes() for name in ("village", "ridge")
    )
    assert studio.adopt("v-3.fireplan", first) == ("v-3", "")
    assert studio.adopt("V.fireplan", second) == ("v", "")
    assert studio.adopt("v.fireplan", first) == ("v-2", "")
    assert studio.adopt("v.fireplan", second) == ("v-4", "")
    assert studio.adopt("../../v.fireplan", second) == ("v-5", "")
    kept = {name: (tmp_path / "here" / f"{name}.journal").read_bytes() for name in ("v-3", "v")}
    assert kept == {"v-3": first, "v": second}
    name, wrong = studio.adopt("junk.txt", b"no journal")
    assert name == ""
    assert wrong.startswith("junk.txt cannot be opened: ")
    assert "junk" not in asyncio.run(studio("GET", "/tables"))[2].decode()


@pytest.fixture
def no_threads(monkeypatch):
    """Make threads fail to start, as in a browser's Python."""

    def refused(_thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refused)


@pytest.mark.parametrize(
    ("address", "page"),
    [
        ("/jobs/7/cancel", "/"),
        ("/ask/file", "/ask"),
        ("/tables/mine-3/seat/german/order", "/tables/mine-3/seat/german"),
    ],
)
def test_an_address_that_only_takes_forms_leads_to_the_page_of_its_form(
    ask, no_threads, address, page
):
    status, headers, _ = ask("GET", address)
    assert (status, headers["location"]) == (303, page)


@pytest.mark.parametrize(
    ("address", "status", "words", "nearest"),
    [
        ("/nowhere", 404, "There is no such page", "/"),
        ("/rules/chess", 400, "chess", "/rules"),
        ("/tables/mine-3", 404, "There is no such table", "/tables"),
        ("/tables/mine-3/seat/german", 404, "There is no such table", "/tables"),
        ("/tables/mine-3/seat/german/news", 404, "There is nothing to follow here", "/tables/mine-3/seat/german"),
        ("/compare?minutes=0&v=1", 400, "must be at least 1", "/compare"),
        ("/questions/odds?scenario=nothing/here&v=1", 400, "nothing/here", ""),
        ("/compare/sheet.png?games=asl&minutes=4&v=1", 404, "No PNG is available here", "/compare"),
        ("/ask/playthroughs/asl/none", 404, "There is no playthrough 'asl/none'", "/ask"),
        ("/ask/sweep/0123456789abcdef?from=x&v=1", 400, "not a whole number", "/ask/sweep/0123456789abcdef"),
    ],
)  # fmt: skip
def test_a_refusal_is_a_page_that_offers_the_nearest(
    ask, no_threads, address, status, words, nearest
):
    answer = ask("GET", address)
    assert answer[0] == status
    page = unescape(answer[2].decode())
    assert words in page
    assert not nearest or f'<a href="{nearest}">' in page


def test_a_link_from_another_version_says_so(ask):
    page = ask("GET", "/compare?games=asl&v=2")[2].decode()
    assert "this link comes from a newer fireplan (address version 2)" in page
    assert "this one reads version 1; open the link with a newer one" in page


@pytest.mark.parametrize(
    "address",
    [
        "/compare?games=asl&made=asl-99.1&made=figures-0&minutes=5&v=1",
        "/questions/games?go=1&made=fireplan-99.0.1",
        "/rules/asl?made=fireplan-99",  # a page without such a parameter
        "/whatif?e.guns=24&game=asl&made=asl-99.1&minutes=5&no_such=1&v=1",
    ],
)
def test_a_link_from_a_newer_version_offers_to_compute_it_here(ask, address):
    page = unescape(answered(ask, address)[2].decode())
    made = re.search(r"made=(fireplan|asl)-([\d.]+)", address)
    note = re.search(r'<p role="status" class="newer">(.*?)</p>', page)[1]
    here = version(f"fireplan-{made[1]}" if made[1] == "asl" else "fireplan")
    assert note.startswith(
        f"This link was made with a newer version: {made[1]} {made[2]} (here {here}). "
    )
    anew = re.search(r'<a href="([^"]+)">Work it out with the version here</a>', note)[1]
    assert "made=" not in anew
    assert urlsplit(anew).path == urlsplit(address).path
    older = re.sub(r"-99[.\d]*", "-0.0.1", address)
    assert 'class="newer"' not in answered(ask, older)[2].decode()
    assert 'class="newer"' not in answered(ask, anew)[2].decode()


def test_a_link_carries_exact_figures_and_copies_are_labelled(ask):
    found = link(ask, "/compare?e.guns=24&games=asl,wacht_am_rhein&minutes=4&v=1")
    packed = dict(parse_qsl(urlsplit(found).query))["figures"]
    raw = base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4))
    title, (heads, *rows), exact = json.loads(zlib.decompress(raw, -15))
    told = fp.compare(games=["asl", "wacht_am_rhein"], guns=24, minutes=4).comparison
    assert title == f"{told.engagement.title}, with 24 guns, over 4 minutes"
    titles = [game.title for game in told.games.values()]
    assert heads[1:] == [f"{titles[0]} (guns change nothing)", titles[1]]
    by_title = {row[0]: values for row, values in zip(rows, exact, strict=True)}
    shares = [str(game.measures["delivered"].value) for game in told.games.values()]
    assert by_title["Delivered"] == shares
    assert len(found) < 2700
    assert ask("GET", found)[0] == 200
    page = ask("GET", found)[2].decode()
    assert f"<h1>{title}</h1>" in page
    copies = {
        name: unescape(text)
        for text, name in re.findall(r'data-copy="([^"]*)"[^>]*>Copy as (\w+)<', page)
    }
    for name in ("Markdown", "BBCode", "text"):
        text = copies[name]
        assert title in text
        assert "{link}" in text
        assert "asl-" in text
        assert rows[1][1] in text
    forged = ask("GET", re.sub("figures=[^&]*", "figures=%3Cscript%3E", found))
    assert (forged[0], b"<script>alert" in forged[2]) == (200, False)


def test_errors_are_pages_that_explain_them(ask):
    assert ask("GET", "/compare?minutes=0")[0] == 400
    assert ask("GET", "/nowhere")[0] == 404
    assert ask("GET", "/whatif?game=asl&minutes=4&set=set_breaks%3Dbanana&v=1")[0] == 400


def answered(ask, address):
    """Return the response to a GET request, following redirects."""
    while (found := ask("GET", address))[0] == 303:
        address = found[1]["location"]
    return found


def link(ask, address):
    """Return the link to its answer that a page offers."""
    page = answered(ask, address)[2]
    return unescape(re.search(rb'data-copy-link="([^"]*)"', page)[1].decode())


@pytest.mark.full
def test_a_link_remembers_its_fractions_and_names_the_differing_version(ask):
    found = link(ask, "/compare?e.guns=24&e.own_troops=none&games=asl&minutes=4&v=1")
    answer, stands = opened_link(f"https://example.org/site/#{found}")
    comparison = answer.comparison
    assert stands == "The figures are exactly those that this link was made with."
    assert comparison.engagement.asset.guns == 24
    assert comparison.engagement.own_troops is None
    other = re.sub(r"asl-[0-9.]+", "asl-0.0.9", found.replace("figures-", "figures-f"))
    _, stands = opened_link(f"http://127.0.0.1:8043{other}")
    assert "The figures differ" in stands
    assert "made with asl-0.0.9, now asl-" in stands
    unnamed = re.sub(r"&made=(asl|fireplan)-[0-9.]+", "", found.replace("figures-", "figures-f"))
    _, stands = opened_link(unnamed)
    assert "was made with: now fireplan-" in stands
    page = ask("GET", found)[2].decode()
    assert "The figures are exactly those that this link was made with." in page


@pytest.mark.full
def test_the_link_of_a_dial_is_answered_with_every_game_and_its_changes():
    answer, _ = opened_link("/dial?e.guns=24&game=red_poppies&minutes=12&set=on_target%3D5&v=1")
    printed = fp.compare(minutes=12, guns=24).comparison.games
    changed = fp.whatif(games="red_poppies", set={"red_poppies.on_target": 5}, minutes=12, guns=24)[
        "red_poppies*"
    ]
    comparison = answer.comparison
    assert comparison.games.keys() == printed.keys()
    for key, game in comparison.games.items():
        assert figures_of(game) == figures_of(changed if key == "red_poppies" else printed[key])
    assert figures_of(changed) != figures_of(printed["red_poppies"])


@pytest.mark.parametrize(
    ("address", "python"),
    one_in(
        3,
        [
            (
                "/dial?e.guns=24&game=red_poppies&minutes=4&set=on_target%3D5&v=1",
                "fp.whatif('woods', games=['red_poppies']",
            ),
            (
                "/whatif/ranking?for=minutes_to_first_effect&game=red_poppies&minutes=4&v=1",
                "fp.sensitivity('woods', game='red_poppies'",
            ),
            (
                "/dial/tune?game=red_poppies&minutes=4&v=1&want=delivered+%3E%3D+80.0+%25",
                "fp.tune('red_poppies', 'woods'",
            ),
        ],
    ),
)
def test_every_page_of_figures_is_a_link_and_is_copied(ask, address, python, capsys):
    page = unescape(ask("GET", address)[2].decode())
    found = link(ask, address)
    assert len(found) < 3000
    assert {*parse_qsl(urlsplit(address).query)} <= {*parse_qsl(urlsplit(found).query)}
    assert python in page
    assert "The figures are exactly those" not in page
    assert (
        "The figures are exactly those that this link was made with."
        in ask("GET", found)[2].decode()
    )
    other = re.sub(
        "red_poppies-[0-9.]+", "red_poppies-0.0.9", re.sub("figures-.", "figures-x", found)
    )
    assert "made with red_poppies-0.0.9" in ask("GET", other)[2].decode()
    assert main(["open", found]) == 0
    assert "The figures are exactly those" in capsys.readouterr().out
    assert main(["open", other]) == 0
    assert "red_poppies-0.0.9" in " ".join(capsys.readouterr().out.split())


def test_a_ranking_and_a_proposal_are_answered_in_the_terminal_with_the_fractions_of_python():
    ranked, _ = opened_link(
        "/whatif/ranking?for=minutes_to_first_effect&game=red_poppies&minutes=4&v=1"
    )
    expected = fp.sensitivity(game="red_poppies", measure="minutes_to_first_effect", minutes=4)
    assert ranked.rows() == expected.rows()
    tuned, _ = opened_link(
        "/dial/tune?game=red_poppies&minutes=4&v=1&want=delivered+%3E%3D+80.0+%25"
    )
    assert tuned.rows()[0] == fp.tune("red_poppies", want="delivered >= 80 %", minutes=4).rows()[0]


def test_a_question_at_a_position_is_a_link_that_is_answered_in_the_terminal(ask, capsys):
    line = 'fp1 red_poppies/cut_wires "turn 1"'
    asked = f"/ask?by=turn+3&line={quote_plus(line)}&v=1"
    page, found = unescape(answered(ask, asked)[2].decode()), link(ask, asked)
    assert {*parse_qsl(urlsplit(asked).query)} <= {*parse_qsl(urlsplit(found).query)}
    assert f"fp.odds(by='turn 3', line={line!r})" in page
    assert fp.position(line).line in page
    assert (
        "The figures are exactly those that this link was made with."
        in ask("GET", found)[2].decode()
    )
    answer, stands = opened_link(f"https://example.org/site/#{found}")
    assert answer.to_dict() == fp.position(line).odds("turn 3").to_dict()
    earlier, _ = opened_link(asked.replace("fp1+", ""))
    assert earlier.to_dict() == answer.to_dict(), (
        "an old address of the /ask page answers differently"
    )
    assert stands == "The figures are exactly those that this link was made with."
    other = re.sub(
        "red_poppies-[0-9.]+", "red_poppies-0.0.9", re.sub("figures-.", "figures-x", found)
    )
    assert main(["open", other]) == 0
    assert "made with red_poppies-0.0.9" in " ".join(capsys.readouterr().out.split())


@pytest.mark.long
def test_a_link_to_best_orders_remembers_only_versions(ask):
    asked = f"/ask?for=delivered&line={quote_plus('red_poppies/cut_wires')}&v=1"
    found = link(ask, asked)
    assert "red_poppies-" in found
    assert "figures-" not in found
    assert opened_link(found)[1] == "The versions are those that this link was made with."
    assert opened_link(re.sub("red_poppies-[0-9.]+", "red_poppies-0.0.9", found))[1].startswith(
        "The versions differ"
    )


def test_links_from_a_page_do_not_remember_the_figures_of_another(ask):
    found = link(ask, "/whatif?game=red_poppies&minutes=4&v=1")
    (ranking,) = re.findall(r'href="(/whatif/ranking[^"]*)"', ask("GET", found)[2].decode())
    assert "made" not in ranking
    page = ask("GET", link(ask, unescape(ranking)))[2].decode()
    assert not re.search(r'(href="/whatif\?[^"]*made=|name="made")', page)


@pytest.mark.parametrize(
    "address",
    [
        "/rules/asl",
        "/compare?minutes=0",
        "nonsense",
        "http://[",
        "/dial/tune?v=1",
        "/whatif?game=asl&minutes=4&set=set_breaks%3Dx&v=1",
    ],
)
def test_a_link_that_leads_to_no_answer_is_refused(address, capsys):
    assert main(["open", address]) == 2
    assert capsys.readouterr().err


def test_every_copy_states_the_same_question(ask):
    page = unescape(ask("GET", "/compare?e.guns=24&games=asl&minutes=4&v=1")[2].decode())
    assert "fp1 woods@asl(guns=24" in page
    assert "fp.compare('woods', games=['asl'], minutes=4, guns=24)" in page
    assert "| Delivered |" in page
    titled = unescape(ask("GET", "/compare?e.title=Mine&games=asl&minutes=4&v=1")[2].decode())
    assert "Copy as Python" not in titled
    assert "Copy as position line" not in titled


def test_the_page_of_a_question_shows_each_fault_beside_its_field(ask):
    FLAGS.set(False)  # commands that earlier tests ran name arguments as options
    status, _, body = ask("GET", "/questions/odds?go=1&moments=0&sample=x&scenario=asl/vilage&v=1")
    fields = re.findall(r'<label class="wide">(.*?)</label>', unescape(body.decode()), re.DOTALL)
    beside = {
        re.search('name="([a-z_]+)"', field)[1]: re.findall('class="wrong">([^<]*)<', field)
        for field in fields
    }
    assert status == 400
    assert beside["moments"] == ["moments: expected 1 to 1000, got 0."]
    assert beside["sample"] == ["sample: expected a whole number, got 'x'."]
    assert "Did you mean 'asl/village'?" in beside["scenario"][0]
    assert not any(wrong for name, wrong in beside.items() if name in ("game", "seed", "by"))


def test_an_answer_to_a_question_is_a_picture_and_files_too(ask):
    asked = "go=1&moments=3&scenario=asl/village&v=1"
    page = unescape(ask("GET", f"/questions/odds?{asked}")[2].decode())
    found = fp.odds("asl/village", moments=3)
    for ending, content in (("svg", found.svg()), ("csv", found.csv()), ("json", found.json())):
        (address,) = {
            each
            for each in re.findall('"(/questions/[^"]*)"', page)
            if f"/answer.{ending}?" in each
        }
        assert ask("GET", address)[2].decode() == content
    assert "fp.odds(moments=3, scenario='asl/village')" in page
    assert ask("GET", f"/questions/games/answer.svg?{asked}")[0] in (404, 422)


def test_a_view_of_many_answers_comes_in_parts_computed_only_on_request(tmp_path, monkeypatch):
    """Python in a browser has one thread: a curve that was left must not delay the next page."""
    studio, called = without_server(tmp_path), []
    call = answers.call
    monkeypatch.setattr(answers, "call", lambda *given: called.append(given) or call(*given))
    curve = "/dial?along=guns&for=delivered&game=asl&minutes=4&v=1"
    counts = []
    while True:
        status, _, body = asyncio.run(studio("GET", curve, seconds=0.0))
        counts.append(len(called))
        if status == 200:
            break
        assert status == 202
        assert f'value="{len(counts)}"' in body.decode()
    assert counts[:-1] == [*range(1, len(counts))], "answers did not arrive one more at a time"
    assert counts[-1] == len(set(called))
    assert asyncio.run(studio("GET", curve))[2] == body


def test_a_site_that_was_shipped_with_a_ranking_begins_with_it(monkeypatch, tmp_path):
    """No number is changed again: the page has the ranking from another process."""
    page = "/whatif?game=red_poppies&for=delivered&e.guns=6&minutes=4"
    first = without_server(tmp_path / "first")

    def asked(studio, address):
        status, headers, body = asyncio.run(studio("GET", address))
        return asked(studio, headers["location"]) if status == 303 else body.decode()

    ranking = unescape(re.search(r'data-rank="([^"]+)"', asked(first, page))[1])
    asked(first, ranking)
    shipped = tmp_path / "shipped"
    shipped.mkdir()
    (shipped / "ranked.answers").write_bytes(first.computed("ranked"))
    monkeypatch.setattr(answers, "files", lambda _package: shipped)
    monkeypatch.setitem(
        answers.WORK, "ranked", lambda *_: pytest.fail("the ranking is computed again")
    )
    found = asked(without_server(tmp_path / "second"), page)
    assert "data-rank=" not in found
    assert "<meter" in found
    assert found == asked(first, page)


def test_the_studio_starts_without_the_libraries_that_the_site_brings_later():
    """The site must start without them, or it could not be built."""
    script = f"""
import sys
from fireplan_studio import without_server
assert callable(without_server)
sys.exit(", ".join({set(LATER)!r} & sys.modules.keys()) or 0)
"""
    ended = subprocess.run(
        [sys.executable, "-c", script], check=False, capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stderr
