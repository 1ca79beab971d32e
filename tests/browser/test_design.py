"""The design page in a browser, served and on the static site: a user's own procedure, from a blank
sheet to a link.
"""

import json
import re
import subprocess
import sys

import pytest
from dice_pool_sheet import FIGURES

from fireplan.sheets import sheet_templates

from .conftest import faults_of

PARTS = {
    "observers": ["DeclaredSight"],
    "requests": ["AskAndFire"],
    "delays": ["FixedDelay"],
    "areas": ["Scatter", "Disc"],
    "resolution": ["DicePool"],
}
SENTENCES = '\n[sentences.events]\nrequested = "{mission} is called for, by the book"\n'


@pytest.fixture(scope="module")
def visitor(profile):
    """Return a visitor of the static site whose Python has loaded."""
    made = profile()
    made.start("/rules")
    return made


def text_of(page):
    return page.input_value("#sheet-text")


def rests(page):
    page.wait_for_function("() => !document.querySelector('main[aria-busy]')")


def says(page, words):
    """Wait until the sheet's text contains these words and its answer is there."""
    page.wait_for_function(
        "words => document.getElementById('sheet-text').value.includes(words)", arg=words
    )
    rests(page)


def fill(page, key, value):
    field = page.locator(f'[name="f.{key}"]')
    field.evaluate("each => { const more = each.closest('details'); if (more) more.open = true; }")
    field.fill(value)
    field.blur()


def finish(page):
    """Choose the parts of a procedure from the blank sheet, then fill in its figures; return the
    number of faults before the figures.
    """
    rests(page)
    for word, names in PARTS.items():
        for number, name in enumerate(names):
            page.select_option(f'[id="part:{word}:{number}"]', name)
            says(page, ", ".join(names[: number + 1]))
    faults = page.locator("#faults li").count()
    for key, value in FIGURES.items():
        fill(page, key, value)
        rests(page)
    page.wait_for_selector("#all")
    return faults


def copied(page):
    page.evaluate(
        "() => { navigator.clipboard.writeText = async (text) => { window.taken = text; }; }"
    )
    page.get_by_role("button", name="Copy link").click()
    page.wait_for_function("() => window.taken")
    return page.evaluate("() => window.taken")


def test_from_a_blank_page_to_a_link_that_opens_in_a_fresh_profile(opened):
    watched = opened()
    page = watched.go("/design?template=blank")
    assert finish(page) > 5
    assert page.locator("#faults li").count() == 0
    page.wait_for_selector("#life")
    assert page.locator(".curve svg").count() == 2
    watched.picture("design")
    figures, text, link = page.inner_text(".yardsticks"), text_of(page), copied(page)
    assert len(link) <= 8000
    assert "My game" in figures
    other = opened().page
    asked = []
    other.on("request", lambda request: asked.append(request.url))
    other.goto(link)
    other.wait_for_selector("#all")
    assert text_of(other) == text
    assert other.inner_text(".yardsticks") == figures
    assert "exactly" in other.inner_text("#share ~ [role=status]")
    assert not [url for url in asked if "sheet=" in url.split("#")[0]]
    page.reload()
    page.wait_for_selector("#all")
    assert text_of(page) == text


def test_on_the_static_site_too_and_the_program_opens_the_link(visitor, profile):
    page = visitor.page
    page.evaluate("() => { location.hash = '#/design?template=blank'; }")
    page.wait_for_selector("#cards select")
    assert finish(page) > 5
    figures, text, link = page.inner_text(".yardsticks"), text_of(page), copied(page)
    assert link.startswith(f"{visitor.server}/#/design?")
    assert len(link) <= 8000
    other = profile()
    other.page.goto(link)
    other.here()
    other.page.wait_for_selector("#all")
    assert text_of(other.page) == text
    assert other.page.inner_text(".yardsticks") == figures
    assert "exactly" in other.page.inner_text("#share ~ [role=status]")
    command = [sys.executable, "-m", "fireplan.cli", "open", link, "--json"]
    there = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    share = there["games"]["my_game"]["measures"]["delivered"]["value"]
    assert (share, "Delivered\t100 %" in figures) == ("1", True)


def test_on_the_static_site_a_change_is_answered_at_once_and_own_sentences_are_read(visitor):
    page = visitor.page
    page.evaluate("() => { location.hash = '#/design?template=radio_and_scatter&games=asl'; }")
    page.wait_for_selector('[name="f.delays.skill"]')
    page.wait_for_selector("#all")
    page.locator("#as-text").evaluate("each => { each.open = true; }")
    page.fill("#sheet-text", text_of(page) + SENTENCES)
    page.wait_for_function(
        "() => document.getElementById('story')?.parentElement.textContent.includes('by the book')"
    )
    before = page.inner_text(".yardsticks")
    fill(page, "delays.skill", "9")
    says(page, "skill = 9")
    assert "by the book" in text_of(page)
    assert page.inner_text(".yardsticks") != before


def test_fields_and_text_are_two_views_and_both_show_faults(opened):
    watched = opened()
    page = watched.go("/design?template=radio_and_scatter&games=red_poppies")
    rests(page)
    page.locator("#as-text summary").click()
    page.fill("#sheet-text", text_of(page).replace("skill = 6", "skill = 7"))
    page.wait_for_function(
        "() => document.querySelector('[name=\"f.delays.skill\"]').value === '7'"
    )
    rests(page)
    figures = page.inner_text(".yardsticks")
    page.fill("#sheet-text", text_of(page).replace("skill = 7", 'skil = "x"'))
    page.wait_for_selector("#faults li")
    rests(page)
    assert page.locator("#faults li").count() == 2
    assert page.inner_text(".yardsticks") == figures
    assert "stale" in page.get_attribute("#answer", "class")
    assert "last sheet without faults" in page.inner_text("#design-status")
    page.locator("#faults li", has_text="skill").first.get_by_role("button").click()
    assert page.evaluate("() => document.activeElement.name") in ("f.delays.skill", "text")
    page.fill("#sheet-text", text_of(page).replace('skil = "x"', "skill = 8"))
    page.wait_for_function("() => !document.querySelector('#faults li')")
    rests(page)
    assert "stale" not in page.get_attribute("#answer", "class")


def test_after_a_change_the_figures_are_there_before_the_life_of_a_mission(opened):
    page = opened().go("/design?template=chits_and_ranging&games=red_poppies")
    page.wait_for_selector("#life")
    before, stories = page.inner_text(".yardsticks"), []
    page.on("request", lambda asked: stories.append("mission=1" in (asked.post_data or "")))
    fill(page, "delays.minutes", "7")
    page.wait_for_function(
        "before => document.querySelector('.yardsticks').innerText !== before", arg=before
    )
    assert not any(stories)
    assert "stale" in page.get_attribute("#mission", "class")
    page.wait_for_selector("#mission:not(.stale) #story")
    assert any(stories)


def test_text_typed_while_an_answer_arrives_is_kept(opened):
    page = opened().go("/design?template=radio_and_scatter&games=red_poppies")
    rests(page)
    page.locator('[name="f.delays.skill"]').fill("8")
    page.keyboard.press("Tab")
    page.wait_for_timeout(50)
    field = page.locator('[name="f.delays.bonus"]')
    field.focus()
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.type("3", delay=200)
    says(page, "skill = 8")
    says(page, "bonus = 3")
    assert page.evaluate("() => document.activeElement.name") == "f.delays.bonus"


def test_a_file_is_opened_and_saved_with_the_same_text(opened, tmp_path):
    page = opened().go("/design?template=blank")
    rests(page)
    text = sheet_templates()["rocket_salvo"].read_text(encoding="utf-8")
    file = tmp_path / "mine.toml"
    file.write_text(text, encoding="utf-8")
    page.set_input_files("#open-file", file)
    page.wait_for_selector("#all")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as file").click()
    assert download.value.suggested_filename == "rocket_salvo.toml"
    assert download.value.path().read_text(encoding="utf-8") == text


def test_by_keyboard_alone(opened):
    page = opened().go("/design?template=radio_and_scatter&games=red_poppies")
    rests(page)
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate("() => document.activeElement.name") == "f.delays.skill":
            break
    before = page.inner_text(".yardsticks")
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.type("9")
    says(page, "skill = 9")
    page.keyboard.press("Enter")
    rests(page)
    assert page.evaluate("() => document.activeElement.name") == "f.delays.skill"
    assert page.inner_text(".yardsticks") != before


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.long)])
def test_it_is_accessible_and_fits_a_phone(opened, scheme):
    watched = opened(color_scheme=scheme, viewport={"width": 400, "height": 800}, has_touch=True)
    for address in ("/design?games=asl,red_poppies&v=1", "/design?template=blank"):
        page = watched.go(address)
        rests(page)
        for each in page.locator("#main details").all():
            each.evaluate("each => { each.open = true; }")
        assert faults_of(page) == [], address
        watched.picture(f"design-{scheme}-{'blank' if 'blank' in address else 'radio'}")


def test_without_scripts_a_card_has_a_button(opened):
    watched = opened(java_script_enabled=False)
    page = watched.page
    page.goto(f"{watched.server}/design?template=radio_and_scatter&games=red_poppies")
    page.fill('[name="f.delays.skill"]', "9")
    page.get_by_role("button", name="Apply").first.click()
    page.wait_for_load_state("load")
    assert re.search(r"skill = 9", text_of(page))
    assert page.locator("#all").count() == 1
