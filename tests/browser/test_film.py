"""The film of a game in Chromium: from a file without a network, with mouse, keys and finger, light
and dark.
"""

import re

import pytest

from fireplan.cli import main

from .conftest import faults_of
from .test_studio import new_table

PHONE = {"viewport": {"width": 400, "height": 800}, "has_touch": True}


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    file = tmp_path_factory.mktemp("film") / "film.html"
    assert main(["film", "asl/village", "-o", str(file)]) == 0
    return file


def shown(page):
    """Return the number of the picture on screen."""
    return int(page.locator("#film-pictures > li.shown").get_attribute("value"))


@pytest.mark.parametrize(
    ("scheme", "screen"),
    [
        pytest.param("light", {}, id="light-wide"),
        pytest.param("dark", PHONE, id="dark-phone"),
        pytest.param("dark", {}, id="dark-wide", marks=pytest.mark.long),
        pytest.param("light", PHONE, id="light-phone", marks=pytest.mark.long),
    ],
)
def test_a_film_needs_no_network_and_has_no_fault_of_accessibility(opened, file, scheme, screen):
    watched = opened(color_scheme=scheme, **screen)
    page = watched.page
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(file.as_uri())
    for _ in range(8):
        page.keyboard.press("ArrowRight")
    watched.picture(f"film-{scheme}{'-phone' if screen else ''}")
    assert faults_of(page) == []
    assert asked == [file.as_uri()]


def test_a_film_is_played_stepped_and_dragged(opened, file):
    page = opened().page
    page.goto(file.as_uri())
    last = page.locator("#film-pictures > li").count()
    assert shown(page) == 1
    for key, number in (
        ("ArrowRight", 2),
        ("ArrowRight", 3),
        ("ArrowLeft", 2),
        ("End", last),
        ("Home", 1),
    ):
        page.keyboard.press(key)
        assert shown(page) == number
    page.keyboard.press("PageDown")
    turn = shown(page)
    assert turn > 1
    page.keyboard.press("PageUp")
    assert shown(page) == 1
    units = page.locator("#aims").inner_html()
    page.locator("#film-at").fill(str(last - 1))
    assert shown(page) == last
    assert page.locator("#aims").inner_html() != units or page.locator("#fire").inner_html()
    page.get_by_role("button", name="Step back").click()
    assert shown(page) == last - 1
    page.keyboard.press("Home")
    page.select_option("#film-speed", "300")
    page.get_by_role("button", name="Play").click()
    page.wait_for_function(
        "() => Number(document.querySelector('#film-pictures > .shown').value) >= 3"
    )
    page.get_by_role("button", name="Pause").click()
    assert page.get_by_role("button", name="Play").count() == 1
    page.locator("body").press(" ")
    page.wait_for_function(
        "last => Number(document.querySelector('#film-pictures > .shown').value) === last", arg=last
    )
    assert page.get_by_role("button", name="Play").count() == 1, "the film did not stop at its end"


def test_a_film_without_scripts_is_the_report_of_the_game(opened, file):
    page = opened(java_script_enabled=False).page
    page.goto(file.as_uri())
    assert (
        page.locator("#film-pictures > li:visible").count()
        == page.locator("#film-pictures > li").count()
        > 5
    )
    assert page.locator("#board").is_visible()


def test_a_seat_shows_its_film_in_the_studio(opened):
    watched = opened()
    page = watched.page
    new_table(watched, "red_poppies/cut_wires")
    page.locator("a.seat").first.click()
    page.get_by_role("link", name="Film").click()
    page.wait_for_url(re.compile("/film$"))
    watched.ready()
    page.wait_for_selector("#film-pictures > li.shown")
    with page.expect_download() as download:
        page.get_by_role("link", name="As one file").click()
    assert "default-src 'none'" in download.value.path().read_text()
