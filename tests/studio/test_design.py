"""The design page: a form and a text for one sheet, its figures beside the games', and its link."""

import re
from html import unescape
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import pytest
import tomli
from dice_pool_sheet import FIGURES
from tiers import one_in

import fireplan as fp
from fireplan import sheets
from fireplan.analysis import percent
from fireplan_core.files import Document, keys_of
from fireplan_studio import opened_link
from fireplan_studio.copies import deflated, inflated
from fireplan_studio.design_form import SheetForm, typed, untyped
from fireplan_studio.refusals import RequestRefusedError

EXAMPLES = sorted((Path(__file__).parents[2] / "examples/sheets").glob("*.toml"))
RADIO = sheets.sheet_templates()["radio_and_scatter"].read_text(encoding="utf-8")


def post(visitor, *pairs, **fields):
    form = urlencode([*fields.items(), *pairs])
    return visitor.post("/design", form.encode())


def text_of(page):
    """Return the sheet in a page's text box."""
    box = re.search(r'<textarea name="text"[^>]*>\n(.*?)</textarea>', page.text, re.DOTALL)
    return unescape(box[1])


def figures(page):
    """Return a page's figures by yardstick, the sheet's first."""
    (table,) = re.findall(r'<table class="yardsticks">.*?</table>', page.text, re.DOTALL)
    rows = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in table.split("<tr>")[2:]]
    return {name: [unescape(cell) for cell in cells] for name, *cells in rows}


def link_of(page):
    return unescape(re.search(r'id="here" href="([^"]*)"', page.text)[1])


def test_a_change_of_a_field_is_a_change_of_the_text_and_of_the_figures(visitor, tmp_path):
    guns = sheets.sheet_templates()["naval_gunfire"].read_text(encoding="utf-8")
    page = post(visitor, ("f.delays.boxes", "5"), text=guns, games="asl")
    assert page.status == 200
    assert text_of(page).strip() == guns.replace("boxes = 4", "boxes = 5").strip()
    file = tmp_path / "mine.toml"
    file.write_text(text_of(page), encoding="utf-8")
    there = fp.compare("woods", games=["asl", str(file)]).comparison
    shares = [there.games[key].measures["delivered"].value for key in ("naval_gunfire", "asl")]
    assert figures(page)["Delivered"] == [percent(share) for share in shares]
    before = post(visitor, text=guns, games="asl")
    assert figures(before)["Delivered"][1] == figures(page)["Delivered"][1]
    assert figures(before)["First effect, min"][0] != figures(page)["First effect, min"][0]


def test_the_figures_are_those_of_the_sheet_as_a_game_in_every_fraction(visitor, tmp_path):
    text = sheets.sheet_templates()["naval_gunfire"].read_text(encoding="utf-8")
    file = tmp_path / "guns.toml"
    file.write_text(text, encoding="utf-8")
    there = fp.compare("woods", games=[str(file)]).comparison.games["naval_gunfire"]
    page = post(visitor, text=text, games="red_poppies", harm="1")
    result, told = opened_link(link_of(page))
    here = result.comparison.games["naval_gunfire"]
    assert {name: each.number for name, each in here.measures.items()} == {
        name: each.number for name, each in there.measures.items()
    }
    assert here.measures["target_severity"].distribution == (
        there.measures["target_severity"].distribution
    )
    assert "exactly" in told
    assert figures(page)["Delivered"][0] == percent(there.measures["delivered"].value)


def test_two_sheets_of_one_key_have_each_their_own_figures(visitor):
    other = RADIO.replace("skill = 6", "skill = 3")
    pages = [post(visitor, text=text, games="asl") for text in (RADIO, other, RADIO)]
    first, second, third = (figures(page)["First effect, min"][0] for page in pages)
    assert first == third != second


def test_every_fault_is_shown_at_once_in_a_list_and_at_its_field(visitor):
    text = RADIO.replace("skill = 6", 'skill = "six"').replace('kind = "hexes"', 'kind = "squares"')
    page = post(visitor, ("f.areas.radius", "-4"), text=text, games="asl")
    assert page.status == 400
    faults = page.text.split('class="faults"')[1].split("</section>")[0]
    listed = re.findall(r"<li>(.*?)</li>", faults, re.DOTALL)
    told = [re.search(r"<code>(.*?)</code>", each)[1] for each in listed]
    assert told == ["map.kind", "delays.skill", "areas.radius"]
    assert all(re.match(r"line \d+, ", each) for each in listed)
    for key in told:
        field = re.search(rf'<(?:input|select|textarea) name="f.{re.escape(key)}"[^>]*>', page.text)
        assert f'aria-invalid="true" aria-describedby="wrong:{key}"' in field[0]
        assert f'id="wrong:{key}"' in page.text
    assert 'id="all"' not in page.text


def test_invalid_toml_is_kept_with_the_line_of_its_fault(visitor):
    page = post(
        visitor, ("f.delays.skill", "9"), text=RADIO.replace("[areas]", "[areas"), games="asl"
    )
    assert page.status == 400
    assert "not TOML" in page.text
    assert text_of(page).strip() == RADIO.replace("[areas]", "[areas").strip()
    assert 'name="f.' not in page.text


def test_the_fields_alone_turn_a_blank_sheet_into_a_procedure(visitor):
    page = visitor.get("/design?template=blank")
    assert page.status == 400
    steps = [
        [("part.observers", "DeclaredSight"), ("part.requests", "AskAndFire")],
        [("part.delays", "FixedDelay"), ("f.title", "Mine")],
        [("part.areas", "Scatter"), ("part.areas", "Disc"), ("part.resolution", "DicePool")],
    ]
    for step in steps:
        page = post(visitor, *step, text=text_of(page), games="asl")
    needed = [(f"f.{key}", value) for key, value in FIGURES.items()]
    page = post(visitor, *needed, text=text_of(page), games="asl")
    assert (page.status, re.findall(r"<code>(.*?)</code>: (.*)", page.text)) == (200, [])
    assert figures(page)["Delivered"][0] == "100 %"
    assert "The life of a mission" in page.text
    assert "One mission as a story" in page.text


def test_tables_are_added_and_removed(visitor):
    page = post(visitor, ("add", "rule"), text=RADIO, games="asl")
    rules = tomli.loads(text_of(page))["rule"]
    assert rules[-1] == {"id": ""}
    page = post(visitor, ("remove", f"rule[{len(rules) - 1}]"), text=text_of(page), games="asl")
    assert tomli.loads(text_of(page)) == tomli.loads(RADIO)
    page = post(visitor, ("add", "table"), text=RADIO, games="asl")
    assert tomli.loads(text_of(page))["table"]["table1"] == {"rows": {}}


@pytest.mark.parametrize("name", sheets.sheet_templates())
def test_a_templates_fields_agree_with_its_text(name):
    text = sheets.sheet_templates()[name].read_text(encoding="utf-8")
    form, content = SheetForm(text, ()), Document.of("sheet", text).content
    cards = (*form.parts, *(card for cards in form.rest.values() for card in cards))
    for field in (field for card in cards for field in (*card.fields, *card.cited)):
        value = content
        for key in keys_of(field.key):
            value = value.get(key) if isinstance(value, dict) else value[key]
            if value is None:
                break
        assert untyped(typed(value) if value is not None else "", field.schema) == (
            value if value not in ([], {}, "") else None
        )
        assert field.typed == ("" if value is None else typed(value))


@pytest.mark.parametrize("name", one_in(4, sheets.sheet_templates()))
def test_a_link_holds_the_whole_sheet_and_is_short_enough(visitor, name):
    text = sheets.sheet_templates()[name].read_text(encoding="utf-8")
    page = visitor.answered(f"/design?template={name}&games=red_poppies")
    link = link_of(page)
    assert len(link) <= 8000
    parts = urlsplit(link)
    assert len(parts.path) + len(parts.query) < 1000
    assert inflated(parts.fragment.removeprefix("sheet="), 20000).strip() == text.strip()
    again = post(visitor, sheet=parts.fragment.removeprefix("sheet="), games="red_poppies")
    assert text_of(again).strip() == text.strip()
    assert figures(again) == figures(page)


@pytest.mark.parametrize("sheet", EXAMPLES, ids=[file.stem for file in EXAMPLES])
def test_a_link_holds_an_example_with_its_rules_and_sentences(visitor, sheet):
    text = sheet.read_text(encoding="utf-8")
    link = link_of(post(visitor, sheet=deflated(text), games="red_poppies"))
    assert len(link) <= 8000
    assert inflated(urlsplit(link).fragment.removeprefix("sheet="), 20000).strip() == text.strip()


def test_a_link_that_was_cut_or_packs_too_much_is_refused_in_words(visitor):
    packed = deflated(RADIO)
    for wrong in (packed[:-20], "!!!", deflated("x" * 50_000), deflated("x" * 5_000_000)):
        answer = post(visitor, sheet=wrong, games="asl")
        assert answer.status == 400
        assert "Traceback" not in answer.text
    with pytest.raises(ValueError, match="bytes"):
        inflated(deflated("x" * 5_000_000), 20_000)


HOSTILE = {
    "a file of this machine": RADIO.replace('chart = "fire"', 'chart = "/etc/passwd"'),
    "a file above": RADIO.replace("[table.fire]", '[table."../../secret"]'),
    "code": RADIO.replace('kind = "SkillCheck"', "kind = \"__import__('os').system('false')\""),
    "a module": RADIO.replace("[delays]", '[delays]\npython = "evil.py:Part"'),
    "a module beside": RADIO.replace('kind = "SkillCheck"', 'module = "evil.py"'),
    "a page": RADIO.replace("Radio and scatter", "<script>document.title='caught'</script>"),
    "an installed game": RADIO.replace('key = "radio_and_scatter"', 'key = "asl"'),
    "nesting": "a = " + "[" * 9000,
    "a thousand tables": RADIO
    + "".join(f'[table.t{n}]\nrows = {{ "1" = "-" }}\n' for n in range(400)),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_strangers_sheet_reads_no_file_and_runs_no_code(visitor, what, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(sheets.ALLOW_CODE, "1")
    (tmp_path / "evil.py").write_text("import pathlib\npathlib.Path('ran').touch()\n")
    answer = post(visitor, text=HOSTILE[what], games="asl")
    assert answer.status in (200, 400)
    assert "<script>document" not in answer.text
    assert "root:" not in answer.text
    assert "Traceback" not in answer.text
    assert not (tmp_path / "ran").exists()
    assert what == "a page" or answer.status == 400


def test_a_sheet_with_a_module_cannot_be_a_link(visitor, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(sheets.ALLOW_CODE, "1")
    (tmp_path / "evil.py").write_text("import pathlib\npathlib.Path('ran').touch()\n")
    text = HOSTILE["a module beside"]
    page = post(visitor, text=text, games="asl")
    assert 'id="share"' not in page.text
    assert "a link, a page or a journal contains only the sheet" in unescape(page.text)
    with pytest.raises(RequestRefusedError, match="contains only the sheet"):
        opened_link(f"/design?games=asl&linked=1#sheet={deflated(text)}")
    assert not (tmp_path / "ran").exists()


def test_the_story_ends_with_its_mission_and_another_can_be_shown(visitor):
    first, again, other = (
        post(visitor, text=RADIO, games="asl", seed=seed).text.split('id="story"')[1]
        for seed in ("1", "1", "2")
    )
    assert first == again != other
    lines = [unescape(line) for line in re.findall(r"<li>(.*?)</li>", first.split("</section>")[0])]
    assert [n for n, line in enumerate(lines) if "is over" in line] == [len(lines) - 1]


def test_the_figures_come_before_the_life_of_a_mission(visitor):
    whole, soon, mission = (
        post(visitor, *more, text=RADIO, games="asl")
        for more in ((), (("soon", "1"),), (("soon", "1"), ("mission", "1")))
    )
    assert figures(soon) == figures(whole)
    assert link_of(soon) == link_of(whole)
    for part in ('id="life"', 'id="story"'):
        assert part in whole.text
        assert part not in soon.text
        assert part in mission.text
    assert 'class="yardsticks"' not in mission.text
    lived = whole.text.split('<div id="mission">')[1].split('<div id="below">')[0]
    assert mission.text.split('<div id="mission">')[1].strip() == lived.strip()


def test_the_effect_on_the_target_is_computed_only_on_request(visitor):
    text = sheets.sheet_templates()["rocket_salvo"].read_text(encoding="utf-8")
    without = post(visitor, text=text, games="red_poppies")
    with_harm = post(visitor, text=text, games="red_poppies", harm="1")
    severities = [name for name in figures(with_harm) if "destroyed" in name]
    assert severities
    assert severities[0] not in figures(without)
    assert {name: figures(with_harm)[name] for name in figures(without)} == figures(without)


def test_a_faulty_address_lists_its_faults(visitor):
    answer = visitor.get("/design?template=nothing&engagement=mud&foo=1")
    assert answer.status == 400
    assert all(word in answer.text for word in ("template", "engagement", "foo"))


@pytest.mark.parametrize(
    ("text", "change", "told"),
    [
        (RADIO, ("remove", f"rule[{'9' * 5000}]"), ""),
        (RADIO, ("remove", "."), "There is no table &#39;.&#39; to remove"),
        (RADIO, (f"f.rule[{'9' * 150}].id", "x"), ""),
        ("sheet = 1\nrule = 5\n", ("add", "rule"), "rule: expected tables"),
        ("sheet = 1\ntable = 5\n", ("add", "table"), "table: expected tables"),
    ],
    ids=["an endless number", "no key", "another", "no list", "no tables"],
)
def test_a_change_that_no_form_of_the_page_sends_is_answered_by_the_page(
    visitor, text, change, told
):
    page = post(visitor, change, text=text, games="asl")
    assert page.status in (200, 400)
    assert told in page.text
    assert text_of(page).strip() == text.strip()


def test_a_fault_inside_a_list_is_shown_at_the_lists_field(visitor):
    text = RADIO.replace('posture = ["dug_in"]', 'posture = ["dug_in", "sitting"]')
    page = post(visitor, text=text, games="asl")
    assert "<code>modifier[0].posture[1]</code>" in page.text
    field = re.search(r'<textarea name="f\.modifier\[0\]\.posture"[^>]*>', page.text)
    assert 'aria-invalid="true"' in field[0]
