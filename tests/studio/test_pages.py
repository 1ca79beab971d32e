"""The pages as a visitor without scripts gets them: the same figures as on the command line, from
an address alone.
"""

import csv
import html
import json
import re
import subprocess
import sys
import time
from contextlib import ExitStack
from fractions import Fraction
from importlib import import_module
from urllib.parse import quote, quote_plus
from xml.etree import ElementTree as ET

import attrs
import pytest
from playing_on import play_over
from tiers import one_in

import fireplan as fp
from fireplan import chained_file
from fireplan.analysis import (
    GOALS,
    SideOdds,
    as_data,
    compare,
    contenders,
    find_engagement,
    in_short,
    percent,
)
from fireplan.questions.question import arguments_of, question_named
from fireplan.questions.result import Grid, Text
from fireplan.solver import Analysis, falls_of
from fireplan.table import (
    Journal,
    Session,
    Visibility,
    make_head,
    reopen,
    scenario_of,
    shipped_briefings,
    sides_of,
    view_of,
)
from fireplan_core import Ask, Order
from fireplan_core.chance import RandomFaces
from fireplan_core.play import Catalogue, find_scenario
from fireplan_studio import Settings, studio
from fireplan_studio.addresses import Parameters, address
from fireplan_studio.app import _application
from fireplan_studio.board import board_of, template_environment
from fireplan_studio.charts import CHARTS, NEVER
from fireplan_studio.copies import ShortAnswer, deflated
from fireplan_studio.engagements import FIELDS, choose, flat
from fireplan_studio.front import doors, shipped_example, worked_out
from fireplan_studio.limits import LIMITS
from fireplan_studio.pages import MODES, Pages, Studio
from fireplan_studio.refusals import Calculation, RequestRefusedError
from fireplan_studio.sessions import Sessions
from fireplan_studio.sketch import sketch_of
from fireplan_studio.tables import TablePages

from .conftest import PORT, Visitor

SHORT = "/compare?games=asl,red_poppies&minutes=12&v=1"


@pytest.fixture(scope="module")
def comparison():
    installed = Catalogue.installed()
    return compare(
        find_engagement("woods"), installed, contenders(installed, ["asl", "wacht_am_rhein"])
    )


def front_with_film(visitor):
    page = visitor.answered("/").text
    while "data-later" in page:
        time.sleep(0.1)
        page = visitor.answered("/").text
    return page


def test_the_first_visit_waits_for_nothing_and_finds_every_example(visitor):
    """A first visitor meets no progress bar: parts that are not ready yet say so, and are filled in
    later.
    """
    page = visitor.get("/")
    assert page.status == 200
    assert page.text.count('class="example"') == 3
    assert '<figure class="short-film"' in page.text


@pytest.mark.full
def test_the_front_page_has_a_film_and_three_doors_whose_examples_lead_to_their_figures(visitor):
    page = front_with_film(visitor)
    shown = doors(shipped_example(Catalogue.installed()), in_short(fp.compare().comparison)[0])
    for door in shown:
        assert f'<a href="{door.path}">{door.word}</a>' in page
        assert html.escape(door.link) in page
        assert html.escape(door.example) in page
    play, _, changed = shown
    odds = fp.odds("asl/village").to_dict()["measures"]["on_target"]["value"]
    assert percent(Fraction(odds)) in play.example
    layers, captions = (
        json.loads(re.search(f'id="short-{name}">(.*?)</script>', page, re.DOTALL)[1])
        for name in ("layers", "captions")
    )
    assert len(layers) == len(captions) > 20
    assert set(layers[0]) == {"fire", "aims", "units", "ways", "fans"}
    assert captions[0] == "Turn 1 PFPh: The game begins."
    assert captions[1].startswith("Turn 1 PFPh: German: ")
    assert all(caption.endswith(".") for caption in captions)
    assert "15.8 points" in changed.example


def test_a_map_shows_each_of_its_cells_whole(visitor):
    page = front_with_film(visitor)
    drawing = re.search(r'<svg[^>]*id="board".*?</svg>', page, re.DOTALL)[0]
    _, top, _, height = map(float, re.search(r'viewBox="([^"]+)"', drawing)[1].split())
    cells = re.findall(r'class="cell" points="([^"]+)"', drawing)
    assert len(cells) > 100
    for cell in cells:
        ys = [float(corner.partition(",")[2]) for corner in cell.split()]
        assert top <= min(ys) <= max(ys) <= top + height


def test_lines_of_a_text_are_lines_on_a_page():
    told = template_environment().get_template("_result.html.j2").module
    page = str(told.blocks([Text("No change was found.\nEvery line is solved exactly.")], "Answer"))
    assert "No change was found.<br>Every line is solved exactly." in page


def test_an_answer_comes_before_the_form_for_another(visitor):
    page = visitor.answered("/questions/odds?go=1&scenario=asl/village&v=1").text
    assert page.index('<h2 id="answer">') < page.index('<form class="choices"')


@pytest.mark.full
def test_only_a_game_unaffected_by_a_changed_fact_says_so(visitor):
    asked = "engagement=woods&e.guns=24&minutes=10&games=asl,red_poppies,wacht_am_rhein&v=1"
    before = fp.compare(minutes=10).comparison.games
    after = fp.compare(minutes=10, guns=24).comparison.games
    page = visitor.answered(f"/compare?{asked}").text
    table = page[page.index('<table class="yardsticks">') :]
    heads = dict(
        re.findall(
            r'<th scope="col">(?:<svg.*?</svg>)? ?([^<]+)<br>(.*?)</th>',
            table[: table.index("</thead>")],
            re.DOTALL,
        )
    )
    listed = csv.DictReader(visitor.answered(f"/compare/comparison.csv?{asked}").text.splitlines())
    listed = list(listed)
    idle = {row["game"]: row["no_change_by"] for row in listed}
    reasons = {row["game"]: row["no_change_why"] for row in listed}
    for key in ("asl", "red_poppies", "wacht_am_rhein"):
        same = before[key].measures == after[key].measures
        assert ("guns change nothing" in heads[after[key].title]) == same
        assert idle[key] == ("guns" if same else "")
    assert {*idle.values()} == {"", "guns"}
    assert "from the calibre (note to 7.0)" in heads[after["red_poppies"].title]
    assert "Red Poppies Campaigns (guns change nothing)" in page, (
        "the copies lack the note about guns"
    )
    assert "from the calibre (note to 7.0)" in reasons["red_poppies"]
    copied = html.unescape(re.search(r'data-copy="([^"]*)"[^>]*>Copy as Markdown<', page)[1])
    charted = re.findall(r"<figcaption>(.*?)</figcaption>", page)
    offline = visitor.answered(f"/compare/comparison.html?{asked}").text
    for text in (copied, *(each for each in charted if each.startswith("Each line")), offline):
        assert "guns change nothing: " in text
        assert "from the calibre (note to 7.0)" in text


@pytest.mark.full
def test_a_dial_explains_why_a_fact_has_no_effect(visitor):
    page = visitor.answered("/dial?v=1&engagement=woods&minutes=10&along=guns&for=delivered").text
    sentence = html.unescape(
        re.search(r'<p class="lead">(.*?)</p>', page.split('id="along"')[1])[1]
    )
    assert "The number of guns changes nothing in " in sentence
    assert "Red Poppies Campaigns: " in sentence
    assert "from the calibre (note to 7.0)" in sentence


def test_no_curve_is_drawn_twice(visitor):
    page = visitor.answered("/compare?games=asl&minutes=12&v=1").text
    pictures = [html.unescape(each) for each in re.findall(r'<img src="([^"]*)"', page)]
    assert len(pictures) == 4
    assert sum(">Delivery" in visitor.answered(each).text for each in pictures) == 1


@pytest.mark.full
def test_the_figures_of_the_front_page_are_those_that_the_command_works_out():
    game, _, example = shipped_example(Catalogue.installed())
    assert worked_out(game, example) == example


def test_an_address_holds_all_that_a_page_shows_and_is_written_one_way():
    left = address(
        "/compare", {"minutes": 30, "games": "asl", "mode": "", "transpose": False, "x": None}
    )
    assert left == "/compare?games=asl&minutes=30&v=1"


def test_another_way_of_writing_an_address_is_sent_to_the_canonical_one(visitor):
    answer = visitor.get("/compare?minutes=12&games=red_poppies&games=asl&mode=atmost&e.men=120")
    assert (answer.status, answer.headers["location"]) == (303, SHORT)


def test_the_figures_are_those_of_the_command_line(visitor):
    shown = visitor.answered(SHORT.replace("/compare", "/compare/comparison.json"))
    installed = Catalogue.installed()
    engagement = attrs.evolve(find_engagement("woods"), minutes=12)
    expected = as_data(
        compare(engagement, installed, contenders(installed, ["asl", "red_poppies"]))
    )
    assert json.loads(shown.text) == json.loads(json.dumps(expected))


@pytest.mark.full
def test_pages_and_files_are_the_same_in_a_new_process(visitor, tables):
    whole_pages = (
        SHORT,
        "/whatif?game=miniatures_1943&minutes=6&set=barrage_yards_spotted%3D100&v=1",
        "/whatif/ranking?for=delivered&game=miniatures_1943&minutes=6&v=1",
        "/rules/asl?find=C1.21&v=1",
    )
    another = Visitor(studio(Settings(port=PORT, tables=tables)))
    try:
        for page in whole_pages:
            assert another.answered(page).body == visitor.answered(page).body
        for name in ("comparison.json", "sheet.svg", "severity.svg"):
            there = another.answered(SHORT.replace("/compare", f"/compare/{name}"))
            assert (
                there.body == visitor.answered(SHORT.replace("/compare", f"/compare/{name}")).body
            )
    finally:
        another.close()


def test_content_is_present_without_scripts(visitor):
    text = visitor.answered(SHORT).text
    assert text.count("<table") >= 4
    assert "Advanced Squad Leader" in text
    assert "Surest to fire at all" in text


def test_a_changed_engagement_is_answered_like_one_from_a_file(visitor):
    shown = visitor.answered("/compare/comparison.json?games=asl&minutes=10&e.cover=open&e.men=60")
    target = json.loads(shown.text)["engagement"]["target"]
    assert (target["cover"], target["men"]) == ("open", 60)


def test_an_engagement_without_own_troops_can_be_asked_for():
    parameters = Parameters("e.own_troops=none")
    chosen = choose(parameters)
    parameters.done()
    assert chosen.engagement.own_troops is None


def test_every_field_of_an_engagement_can_be_changed():
    values = flat(find_engagement("woods"))
    assert {field.key for field in FIELDS} - {"own_troops"} == set(values) - {"own_troops"}


@pytest.mark.parametrize("name", list(CHARTS))
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.full
def test_a_chart_transposed_holds_the_same_shares(comparison, name, mode):
    plain, turned = (CHARTS[name](comparison, mode, transpose=turn) for turn in (False, True))
    assert [label for label, _ in turned.rows] == list(plain.heads)
    for column, (_, shares) in enumerate(turned.rows):
        assert list(shares) == [row[1][column] for row in plain.rows]


@pytest.mark.full
def test_exact_shares_and_the_undecided_rest_sum_to_one(comparison):
    delivery = CHARTS["delivery"](comparison, "exactly", transpose=False)
    assert delivery.rows[-1][0] == NEVER
    for column in range(len(delivery.heads)):
        assert sum((shares[column] for _, shares in delivery.rows), Fraction(0)) == 1


def test_at_most_and_at_least_are_sums_of_exactly(comparison):
    exactly, most, least = (
        CHARTS["severity"](comparison, mode, transpose=False)
        for mode in ("exactly", "atmost", "atleast")
    )
    for column in range(len(exactly.heads)):
        shares = [row[1][column] for row in exactly.rows]
        assert [row[1][column] for row in most.rows] == [sum(shares[: n + 1]) for n in range(4)]
        assert [row[1][column] for row in least.rows] == [sum(shares[n:]) for n in range(4)]


def test_the_form_keeps_what_was_typed_beside_its_faults(visitor):
    answer = visitor.get("/compare?minutes=soon&e.men=many&e.cover=wods&mode=exactly&games=asl")
    assert answer.status == 400
    assert 'value="soon" aria-invalid="true"' in answer.text
    assert '<option value="wods" selected' in answer.text
    assert '<option value="exactly" selected>' in answer.text
    assert 'value="asl" checked' in answer.text
    assert 'value="red_poppies" checked' not in answer.text
    field = answer.text.partition('name="e.men"')[2].partition("</label>")[0]
    assert 'value="many"' in field
    assert 'aria-invalid="true"' in field
    assert "expected a whole number" in field


@pytest.mark.parametrize(
    ("change", "said"),
    one_in(
        3,
        [
            ("n.set_breaks=banana", "set_breaks"),
            ("set=set_braeks=7", "set_breaks"),
            ("minutes=x", "whole"),
        ],
    ),
)
def test_a_change_that_cannot_be_is_shown_in_its_form_again(visitor, change, said):
    answer = visitor.answered(f"/whatif?game=asl&requests=red_poppies&{change}")
    assert answer.status == 400
    assert 'action="/whatif"' in answer.text
    assert change.rpartition("=")[2] in answer.text.partition("<form")[2]
    assert '<option value="red_poppies" selected' in answer.text
    assert said in answer.text.partition('class="wrong"')[2].partition("</span>")[0]


def test_a_rotated_drawing_has_bars_for_its_busiest_rows(comparison):
    chart = CHARTS["delivery"](comparison, "exactly", transpose=True)
    svg = "{http://www.w3.org/2000/svg}"
    boxes = [
        each for each in ET.fromstring(chart.drawing).iter(f"{svg}rect") if each.get("stroke-width")
    ]
    rows = [
        text.text
        for text in ET.fromstring(chart.drawing).iter(f"{svg}text")
        if text.text in chart.heads
    ]
    assert len(rows) == 8
    assert NEVER in rows
    heights = iter(float(box.get("height")) for box in boxes)
    for _, shares in chart.rows:
        drawn = [float(shares[chart.heads.index(row)]) for row in rows]
        assert [next(heights) / 260 for _ in rows] == pytest.approx(drawn, abs=1e-4)
        assert sum(drawn) > 0.9


@pytest.mark.full
def test_a_what_if_marks_differences(visitor):
    same = visitor.answered("/whatif?game=asl&minutes=10").text
    changed = visitor.answered("/whatif?game=asl&minutes=10&set=set_breaks=7").text
    assert 'class="changed"' not in same.partition("Before and after")[2]
    assert 'class="changed"' in changed.partition("Before and after")[2]
    assert "(printed 12)" in changed


@pytest.mark.full
def test_a_hybrid_appears_beside_its_parents(visitor):
    text = visitor.answered("/whatif?game=asl&delays=red_poppies&minutes=20").text
    head = text.partition("Before and after")[2].partition("</thead>")[0]
    assert head.index("Advanced Squad Leader") < head.index("Red Poppies") < head.index("changed")


@pytest.mark.full
def test_a_link_shows_its_figures_while_they_are_recomputed(visitor):
    answer = ShortAnswer(
        "A company <b>",
        (Grid(("Yardstick", "ASL"), (("Delivered", "91.8 %\nor so"),)),),
        (),
        (("4/5",),),
    )
    for minutes in (37, 90, 180, 360):  # until one question is not answered at once
        page = visitor.get(answer.carried_by(f"/compare?games=asl&minutes={minutes}&v=1"))
        if page.status == 202:
            break
    assert page.status == 202
    assert "A company &lt;b&gt;" in page.text
    assert '<td title="4/5">91.8 %<br>or so</td>' in page.text
    for broken in ("x", "AAAA", deflated("[1, [[]], 2]"), deflated('["t", [["a"], ["b", "c"]]]')):
        text = visitor.get(f"/compare?games=asl&minutes={minutes}&v=1&figures={broken}").text
        assert "came with the link" not in text
    visitor.answered(f"/compare?games=asl&minutes={minutes}&v=1")


def test_user_figures_appear_beside_the_games_in_table_and_files(visitor):
    line = "delivered = 80 % by 10: Field trials, 1944 <b>"
    asked = f"games=miniatures_1943,red_poppies&minutes=20&reference={quote_plus(line)}"
    text = visitor.answered(f"/compare?{asked}").text
    row = text.partition('<tr class="reference">')[2].partition("</tr>")[0]
    assert "80.0 % (Field trials, 1944 &lt;b&gt;)" in row
    assert row.count("<mark>") == 1
    assert ", nearest</mark>" in row
    # In 1943 fire comes after 6 minutes, in Red Poppies not before 20.
    assert row.index("<mark>100 %, nearest") < row.index("<td>0 %")
    rows = visitor.get(f"/compare/comparison.csv?{asked}").text
    assert "Field trials, 1944" in rows
    (own,) = json.loads(visitor.get(f"/compare/comparison.json?{asked}").text)["reference"]
    assert (own["value"], own["nearest"]) == ("4/5", ["miniatures_1943"])
    wrong = visitor.get(f"/compare?games=red_poppies&reference={quote_plus('delivered = x: y')}")
    assert (wrong.status, "expected a share" in wrong.text) == (400, True)
    assert "delivered = x: y" in wrong.text, "the form lost what was typed"


def test_a_what_if_begins_with_the_numbers_that_matter_by_part(visitor):
    asked = "game=miniatures_1943&minutes=6&for=reduced"
    before = visitor.answered(f"/whatif?{asked}").text
    assert "data-rank" in before
    visitor.answered(f"/whatif/ranking?{asked}")
    text = visitor.answered(f"/whatif?{asked}").text
    ranking = text.partition("Which numbers matter most")[2].partition("Other numbers")[0]
    assert text.index("Which numbers matter most") < text.index("Before and after")
    # The Area Weapons chart belongs to resolution; yards belong to areas.
    assert '<h3 id="part-resolution">' in ranking
    assert "<code>area_weapons[modifiers][personnel]</code>" in ranking
    assert "points</strong>" in ranking
    assert "data-rank" not in text
    moved = visitor.answered(f"/whatif?{asked}&set=area_weapons[modifiers][personnel]=2").text
    assert "With area_weapons[modifiers][personnel] 2." in moved
    assert "points more." in moved
    assert "data-rank" not in moved, "the ranking began again when a number changed"


def test_a_link_with_a_change_shows_that_number_and_folds_the_others(visitor):
    text = visitor.answered("/whatif?game=asl&minutes=5&set=red_chits_to_lose_access=1").text
    form = text.partition("Which numbers matter most")[2]
    shown, _, folded = form.partition("Other numbers")
    assert "data-rank" in shown, "the ranking was not begun"
    assert re.findall(r'name="n\.([^"]+)"', shown) == ["red_chits_to_lose_access"]
    assert "<details><summary>" in (shown + "Other numbers")[-40:]
    assert 'name="n.set_breaks"' in folded


def test_a_figure_is_explained_in_a_players_words(visitor):
    """Half of all missions have fired by the median, and eight of ten between the two tenths."""
    asl = fp.compare("woods", games=["asl"], minutes=20)["asl"]
    fell = asl.measures["minutes_to_first_effect"].distribution

    def by(minute):
        return sum(share for at, share in fell if at <= minute)

    half, low, high = (min(at for at, _ in fell if by(at) >= p) for p in (0.5, 0.1, 0.9))
    text = visitor.answered("/compare?games=asl&minutes=20&v=1").text
    assert f"half within {half}<br>most {low} to {high}<br>never {percent(1 - by(20))}<" in text
    assert "half of all missions have fired by minute 3" in text
    for page in ("/compare?games=asl&minutes=20&v=1", "/whatif?game=asl&minutes=5&v=1", "/design"):
        visible = re.sub(r"<[^>]*>", "", visitor.answered(page).text)
        assert "yardstick" not in visible.lower(), page


def test_every_question_with_arguments_has_a_finished_example(visitor):
    """The link asks the example of the question's help; four that are quick are answered here."""
    listed = re.findall(r'href="/questions/(\w+)"', visitor.get("/questions").text)
    examples = {}
    for name in listed:
        page = visitor.get(f"/questions/{name}").text
        found = re.search(r'For example: <a href="([^"]+)"', page)
        examples[name] = found and html.unescape(found[1])
    assert {name for name, link in examples.items() if not link} == {
        name for name in listed if not arguments_of(question_named(name))
    } | {"engagements", "games", "measures"}
    for name in ("numbers", "odds", "best", "whatif"):
        answer = visitor.answered(examples[name])
        assert (answer.status, 'id="answer"' in answer.text) == (200, True), name
    assert "set_breaks" in visitor.answered(examples["numbers"]).text


def test_numbers_are_ranked_by_how_far_one_step_moves_a_figure(visitor):
    text = visitor.answered("/whatif/ranking?game=miniatures_1943&minutes=6&for=delivered").text
    assert "chance that fire for effect falls at least once" in text
    assert "more numbers are used but move nothing" in text
    wrong = visitor.get("/whatif/ranking?game=miniatures_1943&for=delivred")
    assert (wrong.status, "Did you mean" in wrong.text) == (400, True)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("set=set_braeks=7", "set_breaks"),
        ("set=7", "NAME=VALUE"),
        ("option=nothing=1", "no option"),
        ("game=als", "Did you mean"),
        ("delays=red", "red_poppies"),
    ],
)
def test_a_wrong_change_is_answered_with_a_way_out(visitor, query, said):
    answer = visitor.get(f"/whatif?{'' if 'game=' in query else 'game=asl&'}{query}")
    assert answer.status == 400
    assert said in answer.text


def test_the_rules_of_a_game_can_be_searched(visitor):
    text = visitor.get("/rules/asl?find=C1.21&standing=implemented").text
    assert ">C1.21<" in text
    assert ">C1.61<" not in text


def test_every_number_of_a_game_is_shown_with_its_rule_and_where_it_comes_from(visitor):
    text = visitor.get("/rules/asl").text
    row = text.partition("<code>set_breaks</code>")[2].partition("</tr>")[0]
    for said in (">12<", ">C1.22<", ">printed<"):
        assert said in row


def test_the_life_cycle_is_drawn_from_the_rules(visitor):
    drawing = visitor.answered("/rules/wacht_am_rhein/life.svg")
    assert drawing.headers["content-type"].startswith("image/svg")
    assert "<svg" in drawing.text


# --- tables --------------------------------------------------------------------------------------
def begun(visitor, scenario):
    answer = visitor.post("/tables", f"scenario={scenario}".encode())
    assert answer.status == 303
    return answer.headers["location"]


def seen(text):
    return text.partition('name="seen" value="')[2].partition('"')[0]


def test_a_mission_is_played_with_only_forms(visitor):
    table = begun(visitor, "asl/village")
    seat = f"{table}/seat/german"
    orders = [b"order=call", b"order=roll", b"die0=4&die1=4", b"die0=black", b"order=place at=K5"]
    for order in orders:
        text = visitor.get(seat).text
        kind = "dice" if order.startswith(b"die") else "order"
        answer = visitor.post(f"{seat}/{kind}", f"seen={seen(text)}&".encode() + order)
        assert answer.status == 303, answer.text
    text = visitor.get(seat).text
    assert "(C1.21)" in text
    assert "Roll: <strong>Accuracy</strong>" in text


def test_every_candidate_of_a_value_is_listed_under_what_you_can_type(visitor, tables):
    seat = f"{begun(visitor, 'asl/village')}/seat/german"
    for order in (b"order=call", b"order=roll", b"die0=4&die1=4", b"die0=black"):
        kind = "dice" if order.startswith(b"die") else "order"
        visitor.post(f"{seat}/{kind}", f"seen={seen(visitor.get(seat).text)}&".encode() + order)
    path = tables / f"{seat.split('/')[2]}.journal"
    session, _ = reopen(path, Catalogue.installed(), read_only=True)
    slots = view_of(session, "german").form.slots
    places = {slot.verb: slot.candidates for slot in slots if slot.name == "at"}["place"]
    assert len(places) > 40
    listed = (
        visitor.get(seat).text.partition("<summary>What you can type")[2].partition("</form>")[0]
    )
    of_place = listed.partition("<code>place</code>")[2].partition("</li>")[0]
    assert set(places) <= set(re.findall(r"\w+", of_place))


def test_a_seat_weighs_its_orders_as_the_solver_does(visitor):
    table = begun(visitor, "asl/village")
    seat = f"{table}/seat/german"
    assert "<meter" not in visitor.get(seat).text
    text = html.unescape(visitor.answered(f"{seat}?odds=1&v=1").text)
    scenario, form = find_scenario(Catalogue.installed(), "asl/village")
    falls = falls_of(frozenset(scenario.missions))
    exact = Analysis(scenario, form.moments).solve(falls).shares  # the standard order is to call
    figures = re.findall(r'data-order="(\w+)">(.*?)</span></span></span>', text)
    assert [order for order, _ in figures] == ["call", "pass"]
    best, behind = (words.partition('data-goal="falls"') for _, words in figures)
    assert f'<strong>{percent(exact[True])}</strong> <span class="hint">best' in best[0]
    assert f'<strong>{percent(1 - exact[None])}</strong> <span class="hint">best' in best[2]
    assert "\u22120.1 points" in behind[0]
    # Goals of harm take longest and come after the others.
    assert 'data-goal="harmed"' not in text
    link = re.search(r'id="weigh" href="([^"]*)"', text)[1]
    with_harm = html.unescape(visitor.answered(link).text)
    assert 'id="weigh"' not in with_harm
    later = re.findall(r'data-order="(\w+)">(.*?)</span></span></span>', with_harm)
    assert [order for order, _ in later] == ["call", "pass"]
    for (_, sooner), (_, words) in zip(figures, later, strict=True):
        assert words.startswith(sooner)
        assert 'data-goal="harmed"' in words


def test_no_order_is_best_where_all_have_the_same_odds(visitor):
    """The fire of chits cannot miss, so it lands on target whatever is placed now (6.1.i)."""
    seat = f"{begun(visitor, 'miniatures_1943/chits_in_hand')}/seat/american"
    text = html.unescape(visitor.answered(f"{seat}?odds=1&v=1").text)
    hints = re.findall(
        r'data-goal="target".*?<strong>100 %</strong> <span class="hint">(.*?)<', text
    )
    assert len(hints) > 1
    assert set(hints) == {""}


@pytest.mark.full
def test_orders_that_are_too_large_to_be_solved_are_sampled_with_their_error(monkeypatch):
    scenario, form = find_scenario(Catalogue.installed(), "asl/village")
    session = Session(scenario, form.moments)
    exact = SideOdds("german").orders(session, ["call", "pass"])
    known = {goal for goal, chance in exact.after["call"].items() if not chance.error}
    assert known == {*GOALS} - {"destroyed"}
    monkeypatch.setattr("fireplan.analysis.side_odds.MOST", 2)
    assert SideOdds("german").orders(session, ["call", "pass"], sample=False).after == {}
    sampled = SideOdds("german").orders(session, ["call", "pass"])
    assert sampled.sampled
    for order, chances in sampled.after.items():
        for goal, chance in chances.items():
            assert chance.error > 0
            gap = abs(chance.share - exact.after[order][goal].share)
            assert goal not in known or gap < 5 * chance.error


@pytest.mark.full
def test_a_sampled_figure_stands_beside_the_exact_one_of_the_near_future(visitor):
    pytest.importorskip("fireplan_combat_commander", reason="the game is in requirements-games.txt")
    seat = f"{begun(visitor, 'combat_commander/lone_radio')}/seat/italian"
    text = html.unescape(visitor.answered(f"{seat}?harm=1&odds=1&v=1").text)
    figures = re.findall(r'data-goal="target".*?<strong>(.*?)</strong>.*?\((.*?)\)<', text)
    assert [soon for _, soon in figures] == [
        "13.9 % by the end of round 1",
        "0 % by the end of round 1",
    ]
    assert all("\u00b1" in whole for whole, _ in figures)


def test_a_film_folds_commitments_away(visitor):
    pytest.importorskip(
        "fireplan_battlegroup_clash", reason="the game is in requirements-games.txt"
    )
    table = begun(visitor, "battlegroup_clash/causeway")
    film = visitor.answered(f"{table}/seat/NATO/film").text
    assert "<summary>Commitment</summary>" in film
    assert "commitment" not in film


def test_a_game_that_is_over_has_a_result_and_can_be_tried_again_from_any_point(visitor, tables):
    pytest.importorskip("fireplan_battletech", reason="the game is in requirements-games.txt")
    table = begun(visitor, "battletech/two_pieces")
    seat = f"{table}/seat/firer"
    assert "You have" in visitor.get(seat).text  # the briefing is shown
    assert visitor.get(f"{seat}/result").status == 403
    assert visitor.post(f"{seat}/again", b"inputs=0").status == 403
    path = tables / f"{table.rpartition('/')[2]}.journal"
    session, _ = reopen(path, Catalogue.installed())
    play_over(session)
    assert f'href="{seat}/result"' in visitor.get(seat).text
    assert "first landed on target" in visitor.answered(f"{seat}/result").text
    again = visitor.post(f"{seat}/again", b"inputs=2").headers["location"]
    assert again.endswith("/seat/firer")
    assert again != seat
    begun_again, _ = reopen(
        tables / f"{again.split('/')[2]}.journal", Catalogue.installed(), read_only=True
    )
    assert begun_again.table.journal == session.table.journal[:2]
    last = len(session.table.journal)
    for inputs, status in ((last, 303), (last + 1, 422)):
        assert visitor.post(f"{seat}/again", b"inputs=%d" % inputs).status == status


def test_a_result_is_shown_at_once_and_its_luck_when_it_has_been_worked_out(
    visitor, tables, monkeypatch
):
    pytest.importorskip("fireplan_battletech", reason="the game is in requirements-games.txt")
    table = begun(visitor, "battletech/two_pieces")
    result = f"{table}/seat/firer/result"
    session, _ = reopen(tables / f"{table.rpartition('/')[2]}.journal", Catalogue.installed())
    play_over(session)

    async def takes_long(*_):
        raise RequestRefusedError(202, "not finished yet", calculation=Calculation(1, 0.0, 0, 0))

    with monkeypatch.context() as patch:
        patch.setattr(TablePages, "_worked_out", takes_long)
        first = visitor.get(result)
        assert (first.status, "first landed on target" in first.text) == (200, True)
        assert "the chance that the next shell is on target" not in first.text
        assert not re.search(r"<h2>Luck</h2>\s*<ul>", first.text)
        later = re.search(r'data-rank="([^"]+)" data-ranks-itself', first.text)[1]
        assert visitor.get(later).status == 202
    assert re.search(r"<h2>Luck</h2>\s*<ul>", visitor.answered(later).text)
    assert "the chance that the next shell is on target" in visitor.answered(later).text
    assert visitor.get(result).text == visitor.get(later).text


def test_every_shipped_scenario_has_a_briefing_for_each_of_its_sides(visitor):
    text = visitor.get("/tables").text
    briefings = shipped_briefings(Catalogue.installed())
    assert len(briefings) >= 17
    for name, each in briefings.items():
        assert all(each.briefing.wants.values()), name
        assert f'value="{name}"' in text
        assert "_" not in "".join(each.briefing.commands.values()), name


def test_the_list_and_the_door_show_the_units_of_a_scenario_on_a_small_map(visitor):
    map_of_village = "Map: the Germans at E6; the Russians at K5, K4, L5"
    for page in ("/tables", begun(visitor, "asl/village")):
        assert f'aria-label="{map_of_village}"' in visitor.get(page).text, page


@pytest.mark.parametrize("side", ["german", "russian"])
def test_a_small_map_shows_no_unit_that_is_hidden_from_a_side(monkeypatch, side):
    scenario, _ = find_scenario(Catalogue.installed(), "asl/village")
    hidden = Visibility.hidden
    monkeypatch.setattr(
        Visibility,
        "hidden",
        lambda eyes, name: (name == "3rd squad" and eyes.side == side) or hidden(eyes, name),
    )
    assert sketch_of(scenario).says == "the Germans at E6; the Russians at K5, K4"


def test_each_paragraph_of_a_briefing_is_one_on_its_pages(visitor):
    briefing = shipped_briefings(Catalogue.installed())["asl/village"].briefing
    paragraphs = briefing.wants["german"].strip().split("\n")
    assert len(paragraphs) > 1
    table = begun(visitor, "asl/village")
    for page in (table, f"{table}/seat/german"):
        text = html.unescape(visitor.get(page).text)
        assert all(f">{paragraph}</p>" in text for paragraph in paragraphs), page


def test_a_briefing_shows_the_aim_and_folds_the_rest(visitor):
    briefing = shipped_briefings(Catalogue.installed())["asl/village"].briefing
    aim, *rest = briefing.wants["german"].strip().split("\n")
    table = begun(visitor, "asl/village")
    for page in (table, f"{table}/seat/german"):
        before, _, folded = html.unescape(visitor.get(page).text).partition("How to go about it")
        assert aim in before, page
        assert all(each in folded and each not in before for each in rest), page


def test_a_seat_says_whom_its_player_plays_and_whom_it_waits_for(visitor):
    table = begun(visitor, "wacht_am_rhein/crossroads")
    assert "You play <strong>the Germans (GE)</strong>" in visitor.get(f"{table}/seat/GE").text
    assert "You are the <strong>referee</strong>" in visitor.get(f"{table}/seat/referee").text
    assert "Waiting for the Americans: Fire a barrage?" in visitor.get(f"{table}/seat/GE").text


@pytest.mark.parametrize(
    ("scenario", "unit"), [("miniatures_1943/chits_in_hand", "yards"), ("asl/village", "m")]
)
def test_the_scale_of_a_map_is_in_the_unit_of_its_places(visitor, scenario, unit):
    pytest.importorskip(f"fireplan_{scenario.partition('/')[0]}")
    page = visitor.get(f"{begun(visitor, scenario)}/seat/referee").text
    assert re.search(rf'class="scale".*?>\d+ {unit}</text>', page, re.DOTALL)


def test_a_refused_order_names_its_rule_and_changes_nothing(visitor):
    seat = f"{begun(visitor, 'asl/village')}/seat/german"
    before = seen(visitor.get(seat).text)
    answer = visitor.post(f"{seat}/order", f"seen={before}&order=place at=K5".encode())
    assert answer.status == 422
    assert seen(visitor.get(seat).text) == before


def test_a_page_that_is_older_than_the_table_changes_nothing(visitor):
    seat = f"{begun(visitor, 'asl/village')}/seat/german"
    first = seen(visitor.get(seat).text)
    assert visitor.post(f"{seat}/order", f"seen={first}&order=call".encode()).status == 303
    again = visitor.post(f"{seat}/order", f"seen={first}&order=call".encode())
    assert again.status == 409
    assert "moved on" in again.text


def change(tables, name, side, kind, form):
    """Return the result of a change from a seat with an up-to-date page."""
    return tables.change(name, side, tables.get(name).seen(side), kind, form)


@pytest.fixture
def sessions(tmp_path):
    tables = Sessions(tmp_path, Catalogue.installed())
    tables._thread.shutdown()
    yield tables
    for table in tables._open.values():
        table.session.journal.close()


def test_a_seat_gives_its_own_orders_and_takes_back_its_own(sessions):
    name = sessions.begin("asl/village")
    with pytest.raises(RequestRefusedError, match="this side has no order to give now"):
        change(sessions, name, "russian", "order", {"order": "call"})
    change(sessions, name, "german", "order", {"order": "call"})
    with pytest.raises(RequestRefusedError, match="This seat has nothing"):
        change(sessions, name, "russian", "undo", {})
    taken = sessions.get(name).takes_back("german")
    assert taken == "Have the Observer call for fire: he may then roll for Radio Contact"
    change(sessions, name, "german", "undo", {})
    with pytest.raises(RequestRefusedError, match="This seat has nothing"):
        change(sessions, name, "german", "undo", {})


def test_only_the_referee_can_undo_dice(sessions):
    name = sessions.begin("asl/village")
    opened = sessions.get(name)
    for order in ("call", "roll"):
        change(sessions, name, "german", "order", {"order": order})
    change(sessions, name, "german", "dice", {"die0": "1", "die1": "1"})
    thrown = len(opened.session.rows)
    for side in ("german", "russian"):
        assert opened.takes_back(side) == ""
        with pytest.raises(RequestRefusedError, match="Dice have fallen"):
            change(sessions, name, side, "undo", {})
    assert len(opened.session.rows) == thrown
    change(sessions, name, "referee", "undo", {})
    assert len(opened.session.rows) == thrown + 1


def test_a_forbidden_undo_is_greyed_with_its_reason(visitor):
    seat = f"{begun(visitor, 'asl/village')}/seat/german"
    assert "Undo" not in visitor.get(seat).text, "undo is offered before any order"
    for order in ("call", "roll"):
        fresh = seen(visitor.get(seat).text)
        visitor.post(f"{seat}/order", f"seen={fresh}&order={order}".encode())
        assert f'action="{seat}/undo"' in visitor.get(seat).text
    fresh = seen(visitor.get(seat).text)
    visitor.post(f"{seat}/dice", f"seen={fresh}&die0=1&die1=1".encode())
    page = visitor.get(seat).text
    assert f'action="{seat}/undo"' not in page
    button = re.search(r"<button[^>]*>Undo</button>", page)[0]
    assert " disabled" in button
    reason = re.search(r'aria-describedby="([^"]+)"', button)[1]
    assert re.search(f'id="{reason}">Dice have fallen since the last order', page)


def test_both_agree_that_an_order_is_taken_back(sessions):
    name = sessions.begin("asl/village")
    opened = sessions.get(name)
    with pytest.raises(RequestRefusedError, match="No other side has an order"):
        change(sessions, name, "russian", "ask", {})
    change(sessions, name, "german", "order", {"order": "call"})
    assert [opened.may_ask(side) for side in ("german", "russian", "referee")] == ["", "german", ""]
    with pytest.raises(RequestRefusedError, match="No other side has an order"):
        change(sessions, name, "german", "ask", {})
    change(sessions, name, "russian", "ask", {})
    assert [row.kind for row in opened.session.rows] == ["order"], (
        "asking for a take-back took it back"
    )
    with pytest.raises(RequestRefusedError, match="This seat has nothing"):
        change(sessions, name, "russian", "undo", {})
    change(sessions, name, "german", "undo", {})
    assert (
        opened.session.table.state
        == sessions.get(sessions.begin("asl/village")).session.table.state
    )


def test_nobody_asks_for_a_take_back_of_a_secret_order(sessions):
    opened = sessions.get(sessions.begin("miniatures_1943/hedgerow_farm"))
    session = opened.session
    while session.die is not None:
        session.face(2 if not session.faces else 6, typed=True)
    placed, question = session.table.waits_for.who, session.table.waits_for.question
    assert session.scenario.questions[question].secret
    session.order(Order.of("place", barrages=1, air_strikes=0, dummies=1))
    (other,) = {"american", "german"} - {placed}
    assert opened.may_ask(other) == ""
    assert opened.takes_back(placed)


def test_a_seat_reads_that_it_is_asked_and_takes_its_order_back_or_plays_on(visitor):
    table = visitor.post("/tables", b"scenario=asl/village").headers["location"]

    def say(side, kind, more=""):
        seat = f"{table}/seat/{side}"
        form = f"seen={seen(visitor.get(seat).text)}{more}".encode()
        return visitor.post(f"{seat}/{kind}", form).status

    def page(side):
        return visitor.get(f"{table}/seat/{side}").text

    assert say("german", "order", "&order=call") == 303
    assert 'seat/russian/ask"' in page("russian")
    assert 'seat/german/ask"' not in page("german")
    assert say("russian", "ask") == 303
    assert "You have asked the Germans to take the last order back" in page("russian")
    assert "You are asked by the Russians to take your last order back" in page("german")
    assert say("german", "undo") == 303
    assert "You are asked by" not in page("german")
    assert say("german", "order", "&order=call") == 303
    assert "You are asked by" not in page("german"), "the earlier request returned"


def test_an_open_page_notices_that_it_is_asked_to_take_its_order_back(visitor, monkeypatch):
    monkeypatch.setattr("fireplan_studio.tables._EVERY", 0)
    monkeypatch.setattr("fireplan_studio.tables._LOOKS", 2)
    table = begun(visitor, "asl/village")
    german, russian = (f"{table}/seat/{side}" for side in ("german", "russian"))

    def now(seat):
        page, news = visitor.get(seat).text, visitor.get(f"{seat}/news").text
        mark = page.partition('data-seen="')[2].partition('"')[0]
        assert news == f"data: {mark}\n\n", "the stream and the page disagree"
        return mark, f"seen={seen(page)}".encode()

    visitor.post(f"{german}/order", now(german)[1] + b"&order=call")
    (before, form), asking = now(german), now(russian)[1]
    assert visitor.post(f"{russian}/ask", asking).status == 303
    assert now(german)[0] != before
    assert visitor.post(f"{german}/undo", form).status == 303, "the older page is not out of date"
    assert now(german)[0] != before


def test_only_the_referee_reveals_secrets_before_the_end(sessions):
    name = sessions.begin("miniatures_1943/hedgerow_farm")
    with pytest.raises(RequestRefusedError, match="referee"):
        change(sessions, name, "american", "reveal", {})
    change(sessions, name, "referee", "reveal", {})
    assert sessions.get(name).session.revealed


@pytest.mark.parametrize("side", ["foo", "", "Referee", "german "])
def test_an_unknown_seat_accepts_nothing(sessions, side):
    name = sessions.begin("asl/village")
    for kind in ("order", "dice", "undo", "reveal"):
        with pytest.raises(RequestRefusedError, match="no seat"):
            sessions.change(name, side, "", kind, {"order": "call"})


def test_a_pages_version_mark_reveals_no_secret_action(sessions):
    """The German orders his chits, takes that back and orders others; the American's page does not
    change.
    """
    name = sessions.begin("miniatures_1943/hedgerow_farm")
    while (form := sessions.get(name).view("german").form).kind != "order":
        if form.kind == "dice":
            change(
                sessions,
                name,
                "german",
                "dice",
                dict.fromkeys([f"die{n}" for n in range(len(form.dice))], "3"),
            )
        else:
            change(
                sessions,
                name,
                "american",
                "order",
                {"order": "place air_strikes=0 barrages=1 dummies=0"},
            )
    marks = set()
    for order in (
        "place air_strikes=0 barrages=1 dummies=0",
        "place air_strikes=0 barrages=0 dummies=1",
    ):
        change(sessions, name, "german", "order", {"order": order})
        marks.add(sessions.get(name).seen("american"))
        change(sessions, name, "german", "undo", {})
    assert len(marks) == 1


def test_the_list_of_tables_reports_broken_journals_and_ignores_other_files(sessions, tmp_path):
    name = sessions.begin("asl/village")
    (tmp_path / "broken.journal").write_text("nonsense")
    (tmp_path / "notes.txt").write_text("private")
    (tmp_path / "linked.journal").symlink_to(tmp_path / f"{name}.journal")
    (tmp_path / "folder.journal").mkdir()
    listed = {entry.id: entry for entry in sessions.listed()}
    assert set(listed) == {name, "broken", "folder"}
    assert listed[name].scenario == "asl/village"
    assert "journal" in listed["broken"].wrong
    assert str(tmp_path) not in listed["broken"].wrong
    for other in ("linked", "notes", "notes.txt", "../x", "folder"):
        with pytest.raises(RequestRefusedError):
            sessions.get(other)


def test_a_single_player_plays_against_the_other_sides_standard_orders(visitor):
    """While nobody has the other seat, this page always asks for an order or dice, or shows the
    end.
    """
    table = begun(visitor, "wacht_am_rhein/crossroads")
    seat = f"{table}/seat/GE"
    assert "Play the Germans alone" in visitor.get(table).text
    assert visitor.post(f"{seat}/solo", b"").headers["location"] == seat
    assert "Play the Germans alone" not in visitor.get(table).text
    for _ in range(30):
        text = visitor.get(seat).text
        assert "played against standard orders" in text
        assert "Waiting for" not in text
        if "The game is over" in text:
            break
        if offered := re.search('name="order" value="([^"]+)"', text):
            kind, body = "order", f"order={quote(html.unescape(offered[1]))}"
        else:
            dice = range(text.count('<select name="die'))
            kind, body = "dice", "&".join(f"die{n}=" for n in dice)
        answer = visitor.post(f"{seat}/{kind}", f"seen={seen(text)}&{body}".encode())
        assert answer.status == 303, answer.text
    assert "The game is over" in text
    assert "US: Conduct a barrage" in text, "the standard order of the empty seat was not given"


def test_12_4_2_a_seats_page_marks_a_retreat_that_eliminates_the_unit(visitor):
    """The prompt lists the same remark (tests/workbench/cli/test_play.py)."""
    seat = f"{begun(visitor, 'wacht_am_rhein/crossroads')}/seat/referee"
    for dice in ("", "", "die0=7", "die0=9"):
        text = visitor.get(seat).text
        standard = re.search('name="order" value="([^"]+)"', text)
        kind, body = ("dice", dice) if dice else ("order", f"order={quote(standard[1])}")
        assert visitor.post(f"{seat}/{kind}", f"seen={seen(text)}&{body}".encode()).status == 303
    offer = re.compile('value="([^"]+)" type="submit".*?<span class="hint">([^<]*)')
    offers = offer.findall(visitor.get(seat).text)
    marked = {order for order, hint in offers if "; eliminates I-77" in hint}
    assert {order.rpartition("=")[2] for order in marked} == {"2930", "3130"}


def test_cards_that_only_an_empty_seat_sees_are_drawn_for_it_and_no_others(sessions):
    pytest.importorskip("fireplan_combat_commander", reason="the game is in requirements-games.txt")
    name = sessions.begin("combat_commander/orchard")
    sessions.play_solo(name, "russian")
    opened = sessions.get(name)
    drawn = [each.move.who for each in opened.session.history.standing if each.move.event]
    assert "german" in drawn
    assert "russian" not in drawn
    assert opened.view("russian").form.kind in ("order", "dice")


def test_a_new_table_with_the_name_of_a_deleted_one_has_a_player_for_every_side(sessions, tmp_path):
    name = sessions.begin("asl/village")
    sessions.play_solo(name, "german")
    sessions._shut()
    assert sessions.get(name).solo == "german"
    sessions._shut()
    (tmp_path / f"{name}.journal").unlink()
    assert sessions.begin("asl/village") == name
    sessions._shut()
    assert sessions.get(name).solo == ""


def test_a_journal_written_to_elsewhere_is_read_again(visitor, tables):
    from fireplan.table import reopen

    table = begun(visitor, "asl/village")
    name = table.rpartition("/")[2]
    before = seen(visitor.get(f"{table}/seat/german").text)
    session, _ = reopen(tables / f"{name}.journal", Catalogue.installed())
    session.order(Order.of("call"))
    session.journal.close()
    text = visitor.get(f"{table}/seat/german").text
    assert "German: Have the Observer call for fire" in text
    assert seen(text) != before
    stale = visitor.post(f"{table}/seat/german/order", f"seen={before}&order=roll".encode())
    assert stale.status == 409


@pytest.mark.full
def test_the_terminal_and_the_studio_play_the_same_journal_in_turn(visitor, tables):
    table = begun(visitor, "asl/village")
    seat = f"{table}/seat/german"
    mark = seen(visitor.get(seat).text)
    assert visitor.post(f"{seat}/order", f"seen={mark}&order=call".encode()).status == 303
    command = [
        sys.executable,
        "-m",
        "fireplan.cli",
        "resume",
        str(tables / f"{table.rpartition('/')[2]}.journal"),
    ]
    at_the_prompt = subprocess.run(
        command, input="roll\n4\n", capture_output=True, text=True, check=False
    )
    assert "German: Have the Observer call for fire" in at_the_prompt.stdout
    text = visitor.get(seat).text
    assert "Roll: <strong>Radio Contact</strong>" in text
    assert text.count('<select name="die') == 1, "a die rolled at the prompt is asked for again"
    mark = seen(text)
    assert visitor.post(f"{seat}/dice", f"seen={mark}&die0=1".encode()).status == 303
    assert "Radio Contact (C1.2)" in re.sub("<[^>]*>", "", visitor.get(seat).text)


@pytest.mark.parametrize("name", ["nothing", "..", "%2e%2e", "a" * 80, "x.journal"])
def test_a_missing_table_is_not_found(visitor, name):
    assert visitor.get(f"/tables/{name}").status == 404


def test_a_board_shows_a_side_exactly_its_view():
    installed = Catalogue.installed()
    scenario, moments = scenario_of(installed, make_head(installed, "asl/village", None, {}))
    session = Session(scenario, moments)
    own, other = (board_of(session, view_of(session, side)) for side in sides_of(scenario))
    for said in ('class="wanted"', "target of"):
        assert said in own.svg
        assert said not in other.svg


def test_terrain_is_drawn_on_the_map():
    installed = Catalogue.installed()
    drawn = {}
    for name in (
        "red_poppies/combined_arms_assault",
        "miniatures_1943/hedgerow_farm",
        "wacht_am_rhein/two_divisions",
    ):
        scenario, moments = scenario_of(installed, make_head(installed, name, None, {}))
        session = Session(scenario, moments)
        board = board_of(session, view_of(session, "referee"))
        words = [
            text.text for text in ET.fromstring(board.svg).iter("{http://www.w3.org/2000/svg}text")
        ]
        drawn[name.partition("/")[0]] = {
            word for words_of in words for word in words_of.split(", ") if word
        }
    assert "trench" in drawn["red_poppies"]
    assert {"building", "woods", "wire"} <= drawn["miniatures_1943"]
    assert {"rough", "woods"} <= drawn["wacht_am_rhein"]


@pytest.mark.full
def test_hidden_chits_of_one_side_change_no_byte_of_the_other_seat(visitor, monkeypatch):
    """Two 1943 tables whose German side holds back different chits look the same to the American,
    page and stream.
    """
    monkeypatch.setattr("fireplan_studio.tables._LOOKS", 2)
    pages, streams, beliefs = [], [], []
    for order in (
        "place air_strikes=0 barrages=1 dummies=0",
        "place air_strikes=0 barrages=0 dummies=1",
    ):
        table = begun(visitor, "miniatures_1943/hedgerow_farm")
        for _ in range(12):
            sides = [
                s
                for s in ("american", "german")
                if 'name="order"' in visitor.get(f"{table}/seat/{s}").text
            ]
            side = sides[0] if sides else "american"
            text = visitor.get(f"{table}/seat/{side}").text
            if "Throw" in text:
                dice = "&".join(f"die{n}=3" for n in range(text.count('name="die')))
                assert (
                    visitor.post(
                        f"{table}/seat/{side}/dice", f"seen={seen(text)}&{dice}".encode()
                    ).status
                    == 303
                )
            elif side == "german":
                assert (
                    visitor.post(
                        f"{table}/seat/german/order", f"seen={seen(text)}&order={order}".encode()
                    ).status
                    == 303
                )
                break
            else:
                given = "order=place air_strikes=0 barrages=1 dummies=0"
                assert (
                    visitor.post(
                        f"{table}/seat/american/order", f"seen={seen(text)}&{given}".encode()
                    ).status
                    == 303
                )
        name = table.rpartition("/")[2]
        pages.append(
            visitor.answered(f"{table}/seat/american?odds=1&v=1").text.replace(name, "table")
        )
        beliefs.append(
            visitor.answered(f"{table}/seat/american?belief=1&v=1").text.replace(name, "table")
        )
        streams.append(visitor.get(f"{table}/seat/american/news").text)
    assert "what the Americans may infer" in beliefs[0]
    assert seen(beliefs[0]) == seen(pages[0])
    plain = [re.sub(r"[0-9a-f]{64}", "commitment", page) for page in beliefs]
    assert plain[0] == plain[1]
    assert streams[0] == streams[1] == f"data: {seen(pages[0])}\n\n"
    plain = [re.sub(r"[0-9a-f]{64}", "commitment", page) for page in pages]
    assert plain[0] == plain[1]
    assert "a barrage falls" in plain[0]


def test_a_stream_announces_each_visible_change_once(visitor, monkeypatch):
    monkeypatch.setattr("fireplan_studio.tables._EVERY", 0)
    monkeypatch.setattr("fireplan_studio.tables._LOOKS", 3)
    table = begun(visitor, "asl/village")
    seat = f"{table}/seat/german"
    before = visitor.get(f"{seat}/news")
    assert before.headers["content-type"].startswith("text/event-stream")
    mark = seen(visitor.get(seat).text)
    assert before.text == f"data: {mark}\n\n"
    assert visitor.post(f"{seat}/order", f"seen={mark}&order=call".encode()).status == 303
    assert (
        visitor.get(f"{seat}/news").text
        == f"data: {seen(visitor.get(seat).text)}\n\n"
        != before.text
    )


def test_an_open_stream_announces_a_change_that_happens_while_it_is_open(visitor, monkeypatch):
    monkeypatch.setattr("fireplan_studio.tables._EVERY", 0.01)
    seat = f"{begun(visitor, 'asl/village')}/seat/german"
    form = f"seen={seen(visitor.get(seat).text)}&order=call".encode()
    with visitor.following(f"{seat}/news") as sent:
        sent.body.clear()
        assert visitor.post(f"{seat}/order", form).status == 303
        assert sent.body.wait(60)
        assert sent[-1]["body"].decode() == f"data: {seen(visitor.get(seat).text)}\n\n"


@pytest.mark.parametrize("when", ["before", "at the write"])
def test_a_journal_locked_by_another_is_reported_and_not_changed(
    visitor, tables, monkeypatch, when
):
    monkeypatch.setattr(chained_file, "_TRIES", 1)
    table = begun(visitor, "asl/village")
    seat, file = f"{table}/seat/german", tables / f"{table.rpartition('/')[2]}.journal"
    form, append = f"seen={seen(visitor.get(seat).text)}&order=call".encode(), Journal.append
    before, other = file.read_bytes(), Journal.open(file)
    with monkeypatch.context() as patched:
        if when == "before":
            other._file.hold()
        else:
            patched.setattr(Journal, "append", lambda *given: (other._file.hold(), append(*given)))
        answer = visitor.post(f"{seat}/order", form)
        assert (answer.status, "in use by another program" in answer.text) == (422, True)
        assert file.read_bytes() == before
    other.close()
    assert visitor.post(f"{seat}/order", form).status == 303


@pytest.mark.full
def test_a_seats_view_is_hashed_once_for_all_visitors(visitor, monkeypatch):
    """The page, stream and form need the same hash; only a change of the table needs another."""
    monkeypatch.setattr("fireplan_studio.tables._LOOKS", 1)
    seat, hashed = f"{begun(visitor, 'asl/village')}/seat/german", []
    module = import_module("fireplan.table")
    as_data = module.as_data
    monkeypatch.setattr(module, "as_data", lambda view: hashed.append(1) or as_data(view))
    for mark, order in ((1, b"call"), (2, b"")):
        for _ in range(3):
            page = visitor.get(seat).text
            assert seen(page) in visitor.get(f"{seat}/news").text
        assert len(hashed) == mark
        if order:
            form = b"seen=%s&order=%s" % (seen(page).encode(), order)
            assert visitor.post(f"{seat}/order", form).status == 303


def test_a_seats_page_is_rendered_once_for_each_change_however_many_look(visitor, monkeypatch):
    """A page with a message or odds is made for one visitor alone."""
    seat, rendered = f"{begun(visitor, 'asl/village')}/seat/german", []
    text = Pages.text
    monkeypatch.setattr(
        Pages,
        "text",
        lambda self, name, **shown: rendered.append(name) or text(self, name, **shown),
    )

    def order(words):
        form = f"seen={seen(visitor.get(seat).text)}&order={words}".encode()
        return visitor.post(f"{seat}/order", form)

    for changes in range(1, 3):
        pages = {visitor.get(seat).text for _ in range(3)}
        assert (len(pages), rendered.count("seat.html.j2")) == (1, changes)
        if changes == 1:
            assert order("call").status == 303
    assert "Refused" in order("fire").text or "cannot" in order("fire").text
    assert visitor.get(seat).text in pages
    assert visitor.get(f"{seat}?why=pass").text != visitor.get(seat).text


def test_an_overtaken_page_has_the_hash_of_the_view_it_shows(tables, monkeypatch):
    """Otherwise an order chosen on it would count for a table that nobody has seen."""
    shared, text = Studio(Settings(port=PORT, tables=tables)), Pages.text
    visitor = Visitor(_application(shared))
    seat = f"{begun(visitor, 'asl/village')}/seat/german"

    def overtaken(self, template, **shown):
        monkeypatch.setattr(Pages, "text", text)
        change(shared.sessions, seat.split("/")[2], "german", "order", {"order": "call"})
        return text(self, template, **shown)

    monkeypatch.setattr(Pages, "text", overtaken)
    page = visitor.get(seat).text
    form = f"seen={seen(page)}&order=call".encode()
    assert visitor.post(f"{seat}/order", form).status == 409
    assert visitor.get(seat).text != page
    visitor.close()


def test_lines_of_sight_kept_by_a_map_equal_fresh_ones():
    """Smoke, fire and moves change them, and a take-back restores them."""
    installed = Catalogue.installed()
    session = Session(*scenario_of(installed, make_head(installed, "asl/village", None, {})))
    dice, last, hidden = RandomFaces(4), {}, set()
    for step in range(24):
        for side in sides_of(session.scenario):
            view = view_of(session, side)
            last[side] = board_of(session, view, last=last.get(side))
            assert last[side] == board_of(session, view)
            if last[side] is not None:
                cells = [cell for row in last[side].rows.values() for cell in row]
                hidden.add(tuple(cell.label for cell in cells if cell.hidden))
        waits = session.table.waits_for
        if waits is None:
            break
        if step % 7 == 6 and not session.faces:
            session.undo()
        elif isinstance(waits, Ask):
            session.order(session.table.rulebook.legal(waits, session.table.read)[0])
        else:
            session.throw([(dice.face(session.die), False)])
    assert len(hidden) > 1


@pytest.mark.parametrize("limit", ["streams", "streams_each"])
def test_streams_have_a_limit_and_one_that_ends_makes_room(visitor, monkeypatch, limit):
    monkeypatch.setattr("fireplan_studio.tables._LOOKS", 1)
    seat = f"{begun(visitor, 'asl/village')}/seat/german"
    monkeypatch.setitem(LIMITS, limit, attrs.evolve(LIMITS[limit], most=1))
    assert [visitor.get(f"{seat}/news").status for _ in range(3)] == [200, 200, 200]
    monkeypatch.setitem(LIMITS, limit, attrs.evolve(LIMITS[limit], most=0))
    refused = visitor.get(f"{seat}/news")
    assert (refused.status, f"(limit {limit})" in refused.text) == (503, True)


def hands_over(visitor, scenario, sides, followed):
    """Play by standard orders, with some seats' pages open, until a seat has acted and must wait.

    Return the address within the table to which its player is sent.
    """
    table = begun(visitor, scenario)
    with ExitStack() as pages:
        for side in followed:
            pages.enter_context(visitor.following(f"{table}/seat/{side}/news"))
        for _ in range(30):
            for side in sides:
                seat = f"{table}/seat/{side}"
                text = visitor.get(seat).text
                standard = re.search(
                    r'name="order" value="([^"]+)" type="submit" class="standard"', text
                )
                if not standard and 'data-kind="dice"' not in text:
                    continue
                kind, form = (
                    ("order", "&order=" + quote(html.unescape(standard[1])))
                    if standard
                    else ("dice", "&" + die(text))
                )
                answer = visitor.post(f"{seat}/{kind}", f"seen={seen(text)}{form}".encode())
                assert answer.status == 303, answer.text
                if 'data-kind="wait"' in visitor.get(seat).text:
                    return side, answer.headers["location"].removeprefix(table)
    raise AssertionError("nobody had to wait")


def die(text):
    return "&".join(f"{name}=" for name in re.findall(r'select name="(die\d)"', text))


def test_the_screen_between_the_seats_comes_unless_the_other_seat_has_a_page_of_its_own(visitor):
    game, sides = "miniatures_1943/chits_in_hand", ("american", "german")
    side, place = hands_over(visitor, game, sides, ())
    assert place == ""
    assert hands_over(visitor, game, sides, (side,)) == (side, "")
    assert hands_over(visitor, game, sides, sides) == (side, f"/seat/{side}")


def test_an_address_of_garbage_is_refused():
    with pytest.raises(RequestRefusedError):
        Parameters("%ff=%fe")
