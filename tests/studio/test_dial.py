"""The dial: its figures equal the comparison's, its curve is exact at every value, and crossovers
are marked.
"""

import asyncio
import re
from fractions import Fraction
from html import escape, unescape
from urllib.parse import quote_plus

import attrs
import pytest

import fireplan as fp
from fireplan.analysis import (
    FIGURES,
    compare,
    contenders,
    figures_of,
    find_engagement,
    overtakings,
    percent,
)
from fireplan.positions import with_facts
from fireplan_core.play import Catalogue
from fireplan_studio import without_server, work

CATALOGUE = Catalogue.installed()


def rows(page, caption):
    """Return the cells of a table found by its caption: a list for each row, the head first."""
    (table,) = [
        one
        for one in re.findall(r"<table.*?</table>", page, re.DOTALL)
        if f"<caption>{caption}" in one
    ]
    cells = [
        re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)
        for row in re.findall(r"<tr>.*?</tr>", table, re.DOTALL)
    ]
    return [[re.sub(r"<[^>]*>", "", cell).strip() for cell in row] for row in cells]


@pytest.mark.full
def test_every_game_is_shown_with_the_figures_of_the_comparison(visitor):
    page = visitor.answered("/dial?v=1&minutes=12&e.guns=24")
    assert page.status == 200
    heads, *found = rows(page.text, "All figures are exact")
    games = fp.compare(minutes=12, guns=24).comparison.games
    assert heads[1:] == [game.title for game in games.values()]
    told = {row[0]: row[1:] for row in found}
    for name in ("delivered", "on_target", "own_troops_under_fire"):
        assert told[FIGURES[name].summary] == [
            percent(figures_of(game)[name]) for game in games.values()
        ]


@pytest.mark.full
def test_a_number_of_one_game_is_changed_and_the_others_stay(visitor):
    printed = visitor.answered("/dial?v=1&minutes=20")
    changed = visitor.answered("/dial?v=1&minutes=20&game=red_poppies&n.on_target=5")
    (heads, *before), (_, *after) = (
        rows(page.text, "All figures are exact") for page in (printed, changed)
    )
    column = heads.index("Red Poppies Campaigns")
    for one, other in zip(before, after, strict=True):
        assert [cell for at, cell in enumerate(one) if at != column] == [
            c for at, c in enumerate(other) if at != column
        ]
    whole = figures_of(fp.whatif(set={"red_poppies.on_target": 5}, minutes=20)["red_poppies*"])[
        "on_target"
    ]
    assert {row[0]: row[column] for row in after}[FIGURES["on_target"].summary] == percent(whole)
    assert before != after


@pytest.mark.long
def test_the_curve_is_solved_at_every_value_and_names_crossovers(visitor):
    page = visitor.answered("/dial?v=1&along=guns&for=suppressed&minutes=12")
    heads, *found = rows(page.text, FIGURES["suppressed"].summary)
    assert [int(row[0]) for row in found] == [1, 9, 17, 25, 33, 41, 49]
    assert page.text.count("<polyline") == len(heads) - 1
    lines = {}
    for value in (9, 17):
        games = fp.compare(minutes=12, guns=value).comparison.games
        told = {row[0]: row[1:] for row in found}[str(value)]
        assert told == [percent(figures_of(game)["suppressed"]) for game in games.values()]
    for head, *cells in zip(*[heads[1:], *(row[1:] for row in found)], strict=True):
        lines[head] = [float("nan" if cell == "-" else cell.strip(" %<>")) for cell in cells]
    # If the page says that one game overtakes another, its line is below the other's before that
    # value and above it afterwards.
    told = re.search(r'<p class="lead">[^<]*?: (.*?)</p>', page.text[page.text.index("<h2 id=") :])[
        1
    ]
    crossovers = re.findall(r"(?:^|\. )(.*?) overtakes (.*?) at (\d+) guns", told)
    assert crossovers
    assert "between" not in told
    # The games that the page says do not change are those with a constant column.
    flat = told.partition("The number of guns changes nothing in ")[2]
    for title, column in lines.items():
        assert (title in flat) == (len({*column}) == 1), title
    for one, other, at in crossovers:
        for guns, overtaken in ((int(at), True), (int(at) - 1, False)):
            games = fp.compare(minutes=12, guns=guns).comparison.games.values()
            shares = {game.title: game.measures["suppressed"].value for game in games}
            assert (shares[one] > shares[other]) is overtaken


def test_a_crossover_is_an_overtaking_and_a_tie_is_not():
    half = Fraction(1, 2)
    lines = {
        "a": {1: half, 2: half, 3: half, 4: half},
        "b": {1: Fraction(0), 2: half, 3: half, 4: Fraction(1)},
        "c": {1: half, 2: half, 3: half, 4: half},
        "d": {4: Fraction(1)},
    }
    assert list(overtakings(lines)) == [("b", "a", 3, 4), ("b", "c", 3, 4)]


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("e.guns=0", "expected a whole number from 1 to 500"),
        ("game=asl&set=set_brakes%3D3", "there is no number"),
        ("for=harm", "There is no"),
        ("minutes=0", "must be at least 1"),
        ("gums=3", "There is no parameter of this page"),
        ("want=delivred+%3E%3D+80+%25", "Did you mean &#39;delivered&#39;?"),
    ],
)
def test_faults_are_shown_in_the_form(visitor, query, said):
    page = visitor.get(f"/dial?v=1&{query}")
    assert page.status == 400
    assert said in page.text
    assert '<form class="choices" method="get" action="/dial"' in page.text


def test_a_game_that_cannot_stage_it_gives_the_reason_and_the_others_continue(visitor):
    page = visitor.answered("/dial?v=1&minutes=12&e.observer=none")
    _, *found = rows(page.text, "All figures are exact")
    assert any(re.fullmatch(r"[\d.<>]+ %", cell) for cell in found[0][1:])
    assert any(not re.fullmatch(r"[\d.<>]+ %", cell) for cell in found[0][1:])


def test_an_address_is_written_one_way(visitor):
    answer = visitor.get("/dial?for=delivered&along=nothing&e.guns=12")
    assert answer.status == 303
    assert answer.headers["location"] == "/dial?for=delivered&game=asl&v=1"


@pytest.mark.full
def test_a_locked_target_is_tuned_and_each_proposal_opens_in_the_dial(monkeypatch, tmp_path):
    # The number found must not depend on the machine.
    monkeypatch.setattr(work.analysis, "time_left", lambda _seconds: lambda: 1)
    ask = without_server(tmp_path)

    def shown(address):
        status, _, body = asyncio.run(ask("GET", address))
        assert status == 200
        return body.decode()

    wants = ("delivered >= 99.0 %", "minutes_to_first_effect <= 11 min")
    asked = "".join(f"&want={quote_plus(want)}" for want in wants)
    page = shown(f"/dial/tune?v=1&game=red_poppies&minutes=12{asked}")
    heads, printed, *found = rows(page, "The results of each proposal")
    assert heads == ["Numbers", *map(escape, wants)]
    game = fp.compare(minutes=12, games="red_poppies").comparison.games["red_poppies"]
    assert printed[:2] == ["unchanged", f"{percent(figures_of(game)['delivered'])}, not reached"]
    assert found
    links = re.findall(r'<th scope="row"><a href="([^"]+)"', page)
    assert len(links) == len(found)
    for row in found:
        changes = dict(each.split(" = ") for each in row[0].split(", "))
        assert 1 <= len(changes) <= 3
        changed = {f"red_poppies.{name}": value for name, value in changes.items()}
        whole = figures_of(fp.whatif(games="red_poppies", set=changed, minutes=12)["red_poppies*"])
        assert row[1] == f"{percent(whole['delivered'])}, reached"
        assert whole["delivered"] >= Fraction(99, 100)
        assert whole["minutes_to_first_effect"] <= 11
    dial = shown(unescape(links[0]))
    assert all(f'value="{escape(want)}"' in dial for want in wants)


def test_without_a_target_an_example_is_given(visitor):
    page = visitor.get("/dial/tune?v=1&game=asl&want=")
    assert page.status == 400
    assert "name at least one target" in page.text
    assert "e.g. delivered &gt;= 80 %" in page.text


@pytest.mark.parametrize("game", [pytest.param("asl", marks=pytest.mark.full), "wacht_am_rhein"])
def test_figures_do_not_depend_on_earlier_solutions(game):
    """ASL ignores the number of guns, so it is not solved again; the other values are solved again."""
    names, entrant = tuple(FIGURES), work.Entrant(game, game, game)
    woods = attrs.evolve(find_engagement("woods"), minutes=6)
    seen = []
    for changes in ({"guns": 12}, {"guns": 24}, {"own_troops": 200}, {"guns": 12}, {"guns": 24}):
        engagement = with_facts(woods, changes)
        expected = compare(engagement, CATALOGUE, contenders(CATALOGUE, [game])).games[game]
        seen.append(work.dialled(engagement, entrant, names))
        assert seen[-1] == tuple(figures_of(expected)[name] for name in names)
    assert (seen[0] == seen[1]) is (game == "asl")
    assert seen[:2] == seen[3:]
