"""The static site as a visitor uses it: nothing installed, Python in the browser, one origin."""

import base64
import io
import json
import os
import re
import subprocess
import sys
import zipfile
import zlib
from fractions import Fraction
from pathlib import Path

import attrs
import pytest

import fireplan as fp
from fireplan.analysis import as_json, compare, contenders, find_engagement
from fireplan.errors import InputError
from fireplan_core.play import Catalogue
from fireplan_studio.static_site.pack import packed
from fireplan_studio.static_site.runtime import runtime_files, with_bytecode

from .conftest import faults_seen

# This game can be played only while its sources are on the site.
READS_ITS_SOURCE = {
    "loud_guns/__init__.py": "from inspect import getsource\nimport loud_guns\ngetsource(loud_guns)\n",
    "loud_guns-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: loud-guns\nVersion: 1.0\n",
    "loud_guns-1.0.dist-info/entry_points.txt": "[fireplan.games]\nloud_guns = loud_guns\n",
}


@pytest.mark.long
def test_the_site_build_reports_a_game_that_does_not_load_from_bytecode():
    tarball = os.environ.get("FIREPLAN_RUNTIME")
    archives = packed(Catalogue.installed())
    grown = io.BytesIO(archives["packages.zip"])
    with zipfile.ZipFile(grown, "a") as archive:
        for name, content in READS_ITS_SOURCE.items():
            archive.writestr(name, content)
    contents = runtime_files(Path(tarball) if tarball else None) | {
        "packages.zip": grown.getvalue()
    }
    with pytest.raises(
        InputError, match=r"loud_guns \(loud-guns\) does not load there: OSError: .*source"
    ):
        with_bytecode(contents)


def test_figures_are_shown_when_python_cannot_load(profile):
    visitor = profile()
    visitor.page.route("**/runtime/**", lambda route: route.fulfill(status=503))
    visitor.page.goto(f"{visitor.server}/#/compare?engagement=open_attack&v=1")
    visitor.page.wait_for_selector(".yardsticks")
    assert "worked out when this site was built" in visitor.page.inner_text("#state")
    visitor.page.get_by_role("link", name="Dial").click()
    visitor.page.wait_for_selector("#along")
    visitor.page.go_back()
    visitor.page.wait_for_selector(".yardsticks")
    visitor.page.wait_for_selector("#said:not([hidden])")
    assert "can still be read" in visitor.page.inner_text("#said")
    visitor.page.wait_for_function(
        "() => [...document.images].every(i => i.complete && i.naturalWidth > 0)"
    )


SAID = """
window.texts = [];
new MutationObserver(() => window.texts.push(document.getElementById("state")?.textContent))
  .observe(document, { childList: true, characterData: true, subtree: true });
"""
KEPT = """async () => {
  const [name] = await caches.keys();
  const kept = name ? await (await caches.open(name)).keys() : [];
  return kept.some(({ url }) => url.includes("/memory?"));
}"""
BREAK = """async () => {
  const cache = await caches.open((await caches.keys())[0]);
  const memory = (await cache.keys()).find(({ url }) => url.includes("/memory?"));
  await cache.put(memory, new Response(new Uint8Array(1000)));
}"""


def test_the_next_start_uses_stored_memory_and_a_broken_one_does_no_harm(profile):
    visitor = profile()
    page = visitor.page
    page.add_init_script(SAID)
    # Start without memory, then from the stored memory, then from broken memory.
    for told in (True, False, True):
        visitor.start("/rules/asl")
        assert ("Reading the rules." in page.evaluate("() => window.texts")) == told
        page.evaluate("() => { location.hash = '#/compare?games=asl&minutes=12&v=1'; }")
        page.wait_for_url(re.compile("games=asl"))
        visitor.rests()
        page.wait_for_selector(".yardsticks")
        page.wait_for_function(KEPT)
        if not told:
            page.evaluate(BREAK)
        page.goto("about:blank")


def test_a_comparison_has_the_same_fractions_as_the_program(visitor):
    page = visitor.page
    page.uncheck("input[value=wacht_am_rhein]")
    page.wait_for_url(re.compile("games=asl,miniatures_1943,red_poppies"))
    visitor.rests()
    page.fill("input[name=minutes]", "30")
    page.keyboard.press("Tab")
    page.wait_for_url(re.compile("minutes=30"))
    visitor.rests()
    assert "Wacht" not in page.inner_text(".yardsticks")
    page.wait_for_function(
        "() => [...document.images].every(i => i.complete && i.naturalWidth > 0)"
    )
    with page.expect_download() as download:
        page.get_by_role("link", name="JSON, exact fractions").click()
    installed = Catalogue.installed()
    games = contenders(installed, ["asl", "miniatures_1943", "red_poppies"])
    engagement = attrs.evolve(find_engagement("woods"), minutes=30)
    assert json.loads(download.value.path().read_text()) == json.loads(
        as_json(compare(engagement, installed, games))
    )


def test_a_picture_is_taken_away_in_pixels(visitor):
    with visitor.page.expect_download() as download:
        visitor.page.get_by_role("link", name="PNG sheet").click()
    assert download.value.path().read_bytes().startswith(b"\x89PNG")


def test_the_dial_proposes_the_fewest_changed_numbers(visitor):
    page = visitor.page
    page.get_by_role("link", name="Dial").click()
    visitor.shows("Targets for")
    page.fill("input[name=minutes]", "12")
    page.fill("input[name=want] >> nth=0", "delivered >= 80 %")
    page.get_by_role("button", name="Find the fewest changes").click()
    visitor.shows("The results of each proposal")
    assert "/dial/tune?" in page.url
    assert "unchanged" in page.inner_text("main")


def test_a_link_gives_the_same_fractions_in_another_profile_and_in_the_program(visitor, profile):
    page = visitor.page
    page.evaluate(
        "() => { location.hash = '#/whatif?e.guns=24&game=asl&minutes=8&set=set_breaks%3D10&v=1'; }"
    )
    page.wait_for_selector("#share")
    visitor.rests()
    page.evaluate(
        "() => { navigator.clipboard.writeText = async (text) => { window.taken = text; }; }"
    )
    page.get_by_role("button", name="Copy link").click()
    page.wait_for_function("() => window.taken")
    link = page.evaluate("() => window.taken")
    assert link.startswith(f"{visitor.server}/#/whatif?e.guns=24&game=asl&made=")
    assert len(link) < 2700
    figures = page.inner_text(".yardsticks")
    page.evaluate("() => { window.taken = undefined; }")
    page.get_by_role("button", name="Copy as Python").click()
    page.wait_for_function("() => window.taken")
    taken = {}
    exec(page.evaluate("() => window.taken").replace("fp.whatif", "found = fp.whatif"), taken)  # noqa: S102 - our own
    command = [sys.executable, "-m", "fireplan.cli", "open", link]
    there = json.loads(subprocess.run([*command, "--json"], capture_output=True, check=True).stdout)
    asked = taken["found"].to_dict()["games"]["asl*"]["measures"]
    assert asked == there["games"]["changed"]["measures"]
    told = " ".join(
        subprocess.run(command, capture_output=True, check=True, text=True).stdout.split()
    )
    assert "The figures are exactly those that this link was made with." in told
    other = profile()
    other.page.route("**/runtime/**", lambda route: route.fulfill(status=503))
    other.page.goto(link)
    other.page.wait_for_selector("table.carried")
    assert "These figures came with the link" in other.page.inner_text("main")
    other.page.unroute("**/runtime/**")
    other.page.reload()
    other.here()
    other.page.get_by_role("button", name="Work them out here").click()
    other.page.wait_for_selector("#share")
    assert "The figures are exactly those" in other.page.inner_text("#share ~ [role=status]")
    assert other.page.inner_text(".yardsticks") == figures
    newer = re.sub(r"made=fireplan-[\d.]+", "made=fireplan-99.0.0", link)
    third = profile.beside(other)
    other.page.close()
    third.page.goto(newer)
    third.page.wait_for_selector("table.carried")
    says = "This link was made with a newer version: fireplan 99.0.0 (here "
    assert third.page.inner_text(".newer").startswith(says)
    third.page.get_by_role("button", name="Work them out here").click()
    third.page.wait_for_selector("#share")
    assert third.page.inner_text(".newer").startswith(says)
    third.page.get_by_role("link", name="Work it out with the version here").click()
    third.page.wait_for_selector("main:not(:has(.newer)) #share")
    assert third.page.inner_text(".yardsticks") == figures
    third.page.evaluate("() => { location.hash = '#/compare?made=fireplan-99.0.0&v=1'; }")
    third.page.wait_for_selector(".newer")
    third.context.close()


def test_a_position_is_asked_as_in_python_and_its_link_holds_the_line(visitor):
    page, line = visitor.page, 'fp1 asl/village "turn 2 PFPh" a{stage=requested red=1 contact}'
    page.get_by_role("link", name="Ask").click()
    visitor.shows("A scenario file")
    page.fill("input[name=line]", line)
    page.fill("input[name=by]", "turn 4")
    page.get_by_role("button", name="Ask").click()
    chance = fp.position(line).odds(by="turn 4").to_dict()["measures"]["delivered"]["value"]
    visitor.shows(f"{100 * float(Fraction(chance)):.1f} %")
    assert line in page.inner_text("main")
    assert "requested" in page.get_by_role("link", name="Link to this answer").get_attribute("href")


def test_an_abandoned_long_answer_delays_no_other_page(visitor):
    page = visitor.page
    page.evaluate("() => { location.hash = '#/compare?games=asl&minutes=1438&v=1'; }")
    page.wait_for_selector("#work progress")
    page.wait_for_timeout(4500)  # long enough that Python is at work
    page.evaluate("() => { location.hash = '#/questions'; }")
    page.wait_for_function("() => document.querySelector('h1').textContent === 'Questions'")
    visitor.here()
    assert page.is_hidden("#work")


def test_what_if_starts_with_the_built_ranking_and_keeps_it_through_changes(
    visitor,
):
    page = visitor.page
    page.evaluate("() => { location.hash = '#/whatif'; }")
    page.wait_for_selector(".moves meter")
    visitor.shows(", as printed.")
    ranked = page.locator(".moves meter").count()
    slider = page.locator(".moves input[type=range]").first
    name, value = slider.get_attribute("name").removeprefix("n."), slider.input_value()
    slider.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_selector(".yardsticks .changed")
    visitor.rests()
    assert f"set={name}%3D{int(value) + 1}" in page.url
    assert page.locator(".moves meter").count() == ranked > 3
    assert page.locator(".moves .moved").count() == 1
    page.go_back()
    visitor.shows(", as printed.")
    page.evaluate("() => { location.hash = '#/'; }")
    page.get_by_role("link", name="red chits").click()
    page.wait_for_selector(".verdict")
    visitor.rests()
    assert page.locator(".moves meter").count() == ranked, (
        "an example with a change lacks the ranking"
    )
    assert page.locator(".sliders input:visible").count() == 0
    page.evaluate("() => { location.hash = '#/whatif'; }")
    visitor.shows(", as printed.")
    page.select_option("select[name=game]", "red_poppies")
    page.wait_for_url(re.compile("game=red_poppies"))
    visitor.shows("What if: Red Poppies")
    assert page.locator(".moves meter").count() > 1, "another game lacks the ranking"


def test_the_curve_of_an_abandoned_dial_is_not_finished(visitor):
    page = visitor.page
    page.evaluate("() => { location.hash = '#/dial?along=men&minutes=61&v=1'; }")
    page.wait_for_selector("#working:not([hidden]) progress[value]")
    assert faults_seen(page) == {}, "axe found faults while an answer was computed"
    page.evaluate("() => { location.hash = '#/rules'; }")
    visitor.shows("Every numbered rule of each game")
    assert page.is_hidden("#working")
    curve = "/dial?along=men&for=reduced&game=asl&minutes=61&v=1"
    assert page.evaluate("async path => (await fetch(path)).status", curve) == 202


def test_an_answer_is_a_part_of_another_page(visitor, profile, site_folder):
    page = visitor.page
    page.evaluate("() => { location.hash = '#/compare?engagement=dug_in&v=1'; }")
    visitor.shows("dug in")
    page.evaluate(
        "() => { navigator.clipboard.writeText = async (text) => { window.taken = text; }; }"
    )
    page.get_by_role("button", name="Copy as a frame").click()
    page.wait_for_function("() => window.taken")
    frame = page.evaluate("() => window.taken")
    (site_folder / "mine.html").write_text(f"<!DOCTYPE html><title>Mine</title>{frame}")
    other = profile()
    other.page.goto(f"{other.server}/mine.html")
    other.page.frame_locator("iframe").locator(".yardsticks").wait_for()
    other.page.close()


def test_a_link_by_itself_saves_nothing_and_a_missing_page_says_so(visitor):
    page, saves = visitor.page, []
    page.on("download", lambda download: saves.append(download.url))
    for address, words in {
        "/%2e%2e/setup.exe": "This cannot be shown",
        "/nowhere/setup.exe": "There is no such page",
        "/compare/comparison.json?engagement=woods&games=asl&v=1": "This is a file",
        "/compare/sheet.png?engagement=woods&games=asl&v=1": "This is a file",
        "/compare/é<b>": "This cannot be shown",
    }.items():
        page.evaluate("address => { location.hash = `#${address}`; }", address)
        visitor.shows(words)
        assert saves == []
    page.goto("about:blank")
    visitor.start("/compare/comparison.json?engagement=woods&games=asl&v=1")
    with page.expect_download() as download:
        page.get_by_role("link", name="Save comparison.json").click()
    assert json.loads(download.value.path().read_text())["games"]


MANY = (
    *("field_phone_contact", "repaired", "removed", "sr_correction", "ffe_correction"),
    *("far_correction", "blast_radius", "critical_hit", "least_mm", "squad_men", "stacking"),
    *("morale_green", "marsh_drm"),
)
"""More numbers than may be changed at a time."""
REFUSED = (
    "/compare?minutes=0&v=1",
    "/compare?games=acl&v=1",
    "/compare?v=2",
    "/compare?reference=delivered&v=1",
    "/compare?e.guns=many&nothing=1&v=1",
    "/whatif?game=asl&set=set_braeks%3D7&v=1",
    "/whatif?game=asl&option=nothing%3D1&v=1",
    "/whatif/ranking?for=delivred&game=asl&v=1",
    "/dial?want=delivered&v=1",
    "/dial/tune?v=1",
    "/design?template=nothing",
    "/compare?engagement=nothing&v=1",
    "/compare?minutes=100000&v=1",
    "/compare?mode=sometimes&v=1",
    "/compare?e.cover=wods&v=1",
    "/compare?reference=delivered+%3D+80+%25+by+10%3A&v=1",
    "/whatif?game=nothing&v=1",
    "/compare?minutes=5&minutes=6&v=1",
    "/compare?e.nothing=1&v=1",
    "/compare?e.date=tomorrow&v=1",
    "/compare?reference=nonsense&v=1",
    "/compare?v=9",
    f"/compare?{'&'.join(f'a{number}=1' for number in range(300))}",
    f"/compare?e.title={'a' * 2500}&v=1",
    "/whatif?game=asl&set=nonsense&v=1",
    "/whatif?game=asl&set=radio_contact=7&v=1",
    "/whatif?game=asl&option=nothing%3D1&v=1",
    "/whatif?game=asl&option=boards%3D9&v=1",
    f"/whatif?game=asl&{'&'.join(f'set={name}=5' for name in MANY)}&v=1",
    "/ask/sweep/0123456789abcdef",
    "/whatif?game=asl&delays=nothing&v=1",
    "/whatif?game=asl&n.set_breaks=banana&v=1",
    "/dial?for=harm&v=1",
    "/dial?e.guns=0&v=1",
    "/dial/tune?game=asl&v=1&want=delivred+%3E%3D+80+%25",
    "/questions/odds?go=1&moments=many&scenario=asl/village",
    "/questions/best?go=1&goal=nothing&scenario=asl/village",
    "/questions/fit",
    "/rules?nothing=1",
    "/rules/asl?standing=nothing",
    "/tables?nothing=1",
    "/ask?line=nonsense&v=1",
    "/ask/playthroughs/asl/nothing",
    "/questions/odds?go=1&scenario=nothing",
    "/questions/nothing",
    "/rules/nothing",
    "/tables/nothing",
    "/tables/nothing/seat/german",
    "/nothing",
)
"""An address for every kind of refusal by the pages."""
ELSEWHERE = r"There are \d+|(?<=no such table).*"
"""The texts that differ on the site, which has one question fewer and keeps tables in the browser.
"""
TOLD = "[...document.querySelectorAll('main h1, main .faults li')].map(each => each.textContent.trim())"


def test_the_site_shows_every_refusal_of_the_served_studio(visitor, opened):
    served, page, other = opened(), visitor.page, {}
    for address in REFUSED:
        served.go(address)
        told = served.page.evaluate(f"() => {TOLD}")
        assert told, address
        page.evaluate("address => { location.hash = `#${address}`; }", address)
        visitor.shows(told[0])
        here = page.evaluate(f"() => {TOLD}")
        if [re.sub(ELSEWHERE, "", text) for text in here] != [
            re.sub(ELSEWHERE, "", text) for text in told
        ]:
            other[address] = (here, told)
    assert other == {}


def test_the_answer_to_a_form_can_be_reloaded(visitor):
    page = visitor.page
    page.evaluate("() => { location.hash = '#/ask'; }")
    visitor.shows("A scenario file")
    page.fill("textarea[name=text]", "name = 1")
    page.get_by_role("button", name="Check").click()
    visitor.shows("The file with its faults")
    visitor.rests()
    page.reload()
    visitor.here()
    visitor.shows("A scenario file")
    page.goto("about:blank")
    visitor.start("/ask/file")
    visitor.shows("A scenario file")


def test_it_works_without_a_network_and_announces_a_newer_build(visitor, site_folder):
    page = visitor.page
    page.wait_for_function("() => document.getElementById('state').textContent.includes('offline')")
    visitor.context.set_offline(True)
    page.goto("about:blank")
    visitor.start("/compare?games=asl&minutes=12&v=1")
    page.wait_for_selector(".yardsticks")
    for address, shown in {
        "/": "#short-play:not([hidden])",
        "/compare?games=red_poppies&minutes=13&v=1": ".yardsticks",
        "/whatif?game=red_poppies&minutes=13&set=on_target%3D5&v=1": ".yardsticks .changed",
        "/dial?minutes=13&v=1": "#along",
        "/ask/playthroughs/asl/first_mission": "#film-pictures > li.shown",
        "/design": ".yardsticks",
        "/tables": "select[name=scenario]",
        "/rules/asl": ".ledger",
    }.items():
        page.evaluate("address => { location.hash = `#${address}`; }", address)
        page.wait_for_selector(shown)
        visitor.rests()
    visitor.context.set_offline(False)
    script = site_folder / "sw.js"
    newer = re.sub(r"(const CACHE = .*[}])", r"\1newer-", built := script.read_text())
    assert newer != built
    script.write_text(newer)
    page.evaluate("async () => { await (await navigator.serviceWorker.ready).update(); }")
    page.wait_for_selector("#newer")
    page.get_by_role("button", name="Load it").click()
    page.wait_for_function("() => !document.getElementById('newer')")
    visitor.here()


COUNTED = """
const Native = window.DecompressionStream;
window.inflated = 0;
window.DecompressionStream = class {
  constructor(format) {
    const made = new Native(format);
    this.writable = made.writable;
    this.readable = made.readable.pipeThrough(new TransformStream({
      transform(part, stream) { window.inflated += part.length; stream.enqueue(part); },
    }));
  }
};
"""


def link_with(text):
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    figures = base64.urlsafe_b64encode(packer.compress(text) + packer.flush()).decode().rstrip("=")
    return f"/rules?v=1&figures={figures}"


@pytest.mark.parametrize(
    "text",
    [b'["' + b"x" * 100_000_000 + b'", []]', b'["t", []]', b'["t"]', b'{"t": 1}', b"null", b"[["],
    ids=lambda text: text[:12].decode(),
)
def test_broken_or_exploding_figures_in_a_link_are_left_out(profile, text):
    """Only as much is unpacked as figures can need, and the page is shown without them."""
    stranger = profile()
    stranger.page.add_init_script(COUNTED)
    stranger.page.goto(f"{stranger.server}/#{link_with(text)}")
    stranger.page.wait_for_selector("main h1")
    assert stranger.page.locator("table.carried").count() == 0
    assert stranger.page.evaluate("() => window.inflated") < 1_000_000
    stranger.context.close()
