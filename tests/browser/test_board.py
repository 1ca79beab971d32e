"""The map of a seat: viewed, pointed at and played on with a mouse only, a keyboard only, or a
finger on a phone.
"""

import json
import re

import pytest
from playing_on import step_on

from fireplan.table import begin, make_head
from fireplan_core import Ask, Order
from fireplan_core.chance import RandomFaces
from fireplan_core.play import Catalogue

from .conftest import without_odds
from .test_studio import extent, new_table, tab_to
from .test_two_seats import MISSIONS as EACH_GAME
from .test_two_seats import act, as_reloaded

MISSIONS = (
    "asl/set_piece",
    "miniatures_1943/chits_in_hand",
    "red_poppies/cut_wires",
    "wacht_am_rhein/dividing_fire",
)
PLAYED = {
    ("miniatures_1943/chits_in_hand", "touch"),
    ("red_poppies/cut_wires", "mouse"),
    ("wacht_am_rhein/dividing_fire", "keyboard"),
}
"""The missions that ``.ci/run`` plays, one for each kind of player; the others run before a
release.
"""
MOST = 160
"""Maximum number of inputs in a mission, after which a test fails."""
PHONE = {
    "viewport": {"width": 400, "height": 800},
    "has_touch": True,
    "is_mobile": True,
    "device_scale_factor": 2,
}


MIDDLES = """all => all.map((each) => {
  const box = each.getBoundingClientRect();
  return [box.x + box.width / 2, box.y + box.height / 2];
})"""
"""Returns the middle of each element, in the window."""


class Mouse:
    """A player with only a mouse, who waits for the odds of every order."""

    sees_odds = True

    def press(self, page, found):
        found.scroll_into_view_if_needed()
        box = found.bounding_box()
        self.at(page, box["x"] + box["width"] / 2, box["y"] + min(box["height"] / 2, 12))

    def at(self, page, x, y):
        page.mouse.click(x, y)

    def point(self, page):
        """Click a highlighted place; return whether one was in view.

        The odds push the map down, so wait for them first: then the map stays in place.
        """
        if self.sees_odds:
            page.wait_for_function("() => !document.getElementById('weigh')")
        found = page.locator("#cells .lit .cell, #spots circle")
        page.locator("#board").scroll_into_view_if_needed()
        window = page.locator("#board").bounding_box()
        low = page.viewport_size["height"]
        for x, y in found.evaluate_all(MIDDLES):
            if window["x"] < x < window["x"] + window["width"] and max(0, window["y"]) < y < min(
                low, window["y"] + window["height"]
            ):
                self.at(page, x, y)
                return True
        return False


class Finger(Mouse):
    """A player who taps with a finger."""

    sees_odds = False

    def at(self, page, x, y):
        page.touchscreen.tap(x, y)


class Keys:
    """A player with only a keyboard."""

    sees_odds = False

    def press(self, page, found):
        found.evaluate("each => { each.dataset.wanted = ''; }")
        tab_to(page, "[data-wanted]", most=400)
        page.keyboard.press("Enter")

    def point(self, page):
        tab_to(page, "#cells [role=gridcell]", most=400)
        page.keyboard.press("n")
        page.keyboard.press("Enter")
        return True


@pytest.mark.parametrize(
    ("scenario", "player"),
    [
        pytest.param(
            scenario,
            player,
            id=f"{scenario}-{name}",
            marks=() if (scenario, name) in PLAYED else pytest.mark.long,
        )
        for scenario in MISSIONS
        for name, player in {"mouse": Mouse(), "keyboard": Keys(), "touch": Finger()}.items()
    ],
)
def test_a_whole_mission_on_the_map(opened, scenario, player):
    """Every second order with a place is given on the map; all others are standard orders, and dice
    are rolled.
    """
    watched = opened(**(PHONE if isinstance(player, Finger) else {}))
    if not player.sees_odds:
        without_odds(watched.page)
    table = new_table(watched, scenario)
    page, pointed, offered = watched.page, 0, 0
    for _ in range(MOST):
        if "/seat/" not in page.url:
            asked = page.locator("li:has(strong) a.seat")
            if not asked.count():
                break
            with page.expect_navigation():
                player.press(page, asked.first)
            continue
        assert (
            page.evaluate("() => document.documentElement.scrollWidth")
            <= page.viewport_size["width"]
        )
        if page.locator("#offers").count():
            offered += 1
            if offered % 2 and player.point(page):
                page.wait_for_selector("#chosen:not([hidden]) button")
                with page.expect_navigation():
                    player.press(page, page.locator("#chosen button").first)
                assert not page.locator("#said .faults").count(), page.inner_text("#said")
                pointed += 1
                continue
        now = page.locator("section.now button.standard, section.now form.choices button").first
        if not now.count():
            break
        with page.expect_navigation():
            player.press(page, now)
    page.goto(f"{watched.server}/tables/{table}")
    assert "The game is over" in page.inner_text("main")
    assert pointed == (offered + 1) // 2
    assert pointed > 0 or scenario in ("asl/set_piece", "red_poppies/cut_wires"), (
        "no order with a place was due"
    )


def at_a_question(tables, name, scenario, question):
    """Store a table where a question is asked; return the path of the seat that is asked."""
    installed = Catalogue.installed()
    session = begin(tables / f"{name}.journal", installed, make_head(installed, scenario, None, {}))
    dice = RandomFaces(name)
    while (waits := session.table.waits_for) is not None:
        if isinstance(waits, Ask) and waits.question == question:
            break
        step_on(session, dice)
    assert waits is not None
    session.journal.close()
    return f"/tables/{name}/seat/{waits.who}"


def test_the_map_is_walked_and_measured_by_keys_and_by_mouse(watched):
    table = new_table(watched, "asl/village")
    page = watched.go(f"/tables/{table}/seat/german")
    tab_to(page, "#cells [role=gridcell]")
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert "2 hexes, 80 m" in page.inner_text("#measured")
    page.locator("#cells [data-label=G5] .cell").click()
    page.locator("#cells [data-label=J5] .cell").hover()
    assert "G5 to J5: 3 hexes" in page.inner_text("#measured")


def test_only_legal_places_are_highlighted_each_with_its_rule(watched, tables):
    page = watched.go(
        at_a_question(tables, "lit", "wacht_am_rhein/two_divisions", "requests.barrage")
    )
    offers = json.loads(page.locator("#offers").text_content())
    lit = {each.get_attribute("data-label") for each in page.locator("#cells .lit").all()}
    assert lit == {offer["label"] for offer in offers if offer["cell"]}
    assert 0 < len(lit) < page.locator("#cells [role=gridcell]").count() / 2
    first = page.locator("#cells .lit").first
    assert re.search(r"order here: .*\(12\.1\.1", first.get_attribute("aria-label"))
    first.locator(".cell").hover()
    assert re.search(r"\(12\.1\.1, 12\.1\.2\)", page.inner_text("#measured"))
    page.get_by_role("button", name="Fit").click()
    dark = page.locator("#cells [role=gridcell]:not(.lit) .cell")
    dark.nth(dark.count() // 2).click()
    assert page.locator("#chosen[hidden]").count()


def test_a_stack_fans_out_with_full_names(watched, tables):
    page = watched.go(at_a_question(tables, "fan", "asl/village", "requests.fire"))
    shown = page.locator("#fans .fan:visible")
    assert shown.count() == 0
    page.locator("#cells [data-label=K4] .cell").hover()
    assert [each.text_content().strip() for each in shown.locator(".name").all()] == [
        "2nd squad",
        "tank",
    ]
    letters = {each.text_content() for each in page.locator("#units .letter").all()}
    shapes = {each.get_attribute("d") for each in page.locator("#units .plate").all()}
    assert letters == {"G", "R"}
    assert len(shapes) == 2, "the sides differ only by colour"


def test_the_map_is_zoomed_and_moved_by_wheel_drag_and_pinch(watched, opened, tables):
    address = at_a_question(tables, "zoom", "asl/village", "requests.fire")
    page = watched.go(address)
    whole = extent(page)
    box = page.locator("#board").bounding_box()
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(*middle)
    for _ in range(5):
        page.mouse.wheel(0, -300)
    page.wait_for_function(
        f"() => document.getElementById('board').viewBox.baseVal.width < {whole[2] / 2}"
    )
    near = extent(page)
    page.mouse.down()
    page.mouse.move(middle[0] - 60, middle[1] - 40, steps=4)
    page.mouse.up()
    moved = extent(page)
    assert moved[0] > near[0]
    assert moved[1] > near[1]
    assert page.locator("#chosen[hidden]").count(), "a drag chose a place"
    page.reload()
    assert extent(page) == moved, "a reload changed the view of the map"
    phone = opened(**PHONE)
    page = phone.go(address)
    before = extent(page)
    page.evaluate("""() => {
        const board = document.getElementById("board"), box = board.getBoundingClientRect();
        const finger = (type, pointerId, x) => board.dispatchEvent(new PointerEvent(type, {
            pointerId, pointerType: "touch", button: 0, bubbles: true,
            clientX: box.x + box.width / 2 + x, clientY: box.y + box.height / 2 }));
        finger("pointerdown", 1, -20); finger("pointerdown", 2, 20);
        finger("pointermove", 1, -60); finger("pointermove", 2, 60);
        finger("pointerup", 1, -60); finger("pointerup", 2, 60);
    }""")
    assert extent(page)[2] == pytest.approx(before[2] / 3, rel=0.05)


def test_a_drifted_round_is_drawn_where_it_fell(watched, tables):
    """The round was aimed at K5 and landed elsewhere.

    The aim of the correction does not begin a second scatter arrow.
    """
    installed = Catalogue.installed()
    session = begin(
        tables / "drift.journal", installed, make_head(installed, "asl/village", None, {})
    )
    dice, impact = RandomFaces("drifts"), None
    while impact is None or session.scenario.frame.label(impact) == "K5":
        step_on(session, dice)
        impact = session.table.read("missions/a/impact", None)
    label = session.scenario.frame.label(impact)

    def ways(page, kind):
        found = page.locator(f"#ways .{kind} .line").all()
        said = [re.findall(r"[\d.-]+", each.get_attribute("d")) for each in found]
        return [[[float(x), float(y)], [float(to_x), float(to_y)]] for x, y, to_x, to_y in said]

    def centre(page, label):
        cell = page.locator(f"#cells [data-label={label}] .cell")
        found = cell.evaluate(
            "c => { const b = c.getBBox(); return [b.x + b.width / 2, b.y + b.height / 2]; }"
        )
        return pytest.approx(found, abs=0.1)

    page = watched.go("/tables/drift/seat/german")
    assert ways(page, "drifted") == [[centre(page, "K5"), centre(page, label)]]
    assert ways(page, "corrected") == []
    page.locator("#cells [data-label=K4] .cell").hover()
    watched.picture("board")
    while (
        not isinstance(session.table.waits_for, Ask)
        or session.table.waits_for.question != "requests.fire"
    ):
        waits = session.table.waits_for
        if isinstance(waits, Ask):
            session.order(session.table.rulebook.answer(waits, {}, session.table.read))
        else:
            session.throw([(die.weights[0][0], True) for die in waits.faces])
    assert session.table.read("missions/a/impact", None) == impact
    session.order(Order.of("correct", at=session.scenario.frame.parse("J5")))
    session.journal.close()
    page = watched.go("/tables/drift/seat/german")
    assert ways(page, "drifted") == [[centre(page, "K5"), centre(page, label)]]
    assert ways(page, "corrected") == [[centre(page, label), centre(page, "J5")]]


def test_the_other_seat_follows_without_reloading_and_learns_of_its_turn(opened, tables):
    seat = at_a_question(tables, "follow", "miniatures_1943/chits_in_hand", "resolution.firing")
    asked = seat.rpartition("/")[2]
    mine, other = opened(), opened()
    page = mine.go(seat)
    waiting = other.go(f"/tables/follow/seat/{'german' if asked == 'american' else 'american'}")
    waiting.evaluate("() => { window.same = true; }")
    assert waiting.locator("[data-kind=wait]").count()
    assert act(page)
    as_reloaded(waiting)
    while not waiting.locator("[data-kind=order]").count():
        assert not waiting.title().startswith("(your turn) "), "a roll was called a side's turn"
        assert act(page)
        as_reloaded(waiting)
    assert waiting.evaluate("() => window.same"), "the page was reloaded"
    assert waiting.title().startswith("(your turn) ")
    log = waiting.inner_text("ol.log")
    waiting.reload()
    assert waiting.inner_text("ol.log") == log, "the page differs from a reloaded one"
    assert not waiting.title().startswith("(your turn) ")


GAPS = """() => {
  const frame = document.querySelector(".board").getBoundingClientRect();
  const cells = [...document.querySelectorAll("#cells .cell")].map((cell) => cell.getBoundingClientRect());
  const least = (side) => Math.min(...cells.map((cell) => cell[side]));
  const most = (side) => Math.max(...cells.map((cell) => cell[side]));
  const gaps = [least("left") - frame.left, frame.right - most("right"), least("top") - frame.top, frame.bottom - most("bottom")];
  return gaps.map((gap) => gap / cells[0].width);
}"""
"""The ground shown beyond each edge of the frame, in cells."""


@pytest.mark.parametrize("scenario", EACH_GAME)
def test_the_ground_fills_the_frame_of_the_board(opened, scenario):
    watched = opened()
    new_table(watched, scenario)
    page = watched.page
    page.goto(watched.server + page.locator("a.seat").first.get_attribute("href"))
    for width in (1280, 400):
        for scheme in ("light", "dark"):
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme=scheme)
            page.locator("[data-map=fit]").click()
            left, right, above, below = page.evaluate(GAPS)
            assert max(left, right, above) < 0.75
            assert below < 1.25, "the scale is too far below the map"
            assert page.evaluate("() => document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(
    "scenario", ["asl/set_piece", "red_poppies/bloody_repulse", "miniatures_1943/chits_in_hand"]
)
def test_a_line_of_the_log_lights_the_place_it_names_and_the_place_its_lines(opened, scenario):
    """The places are hexes, vertices and points, and both mouse and keyboard are used."""
    watched = opened()
    table = new_table(watched, scenario)
    watched.go(f"/tables/{table}/seat/referee")
    page = watched.page
    lit = page.locator("ol.log li[tabindex]")
    for _ in range(40):
        if lit.count():
            break
        assert act(page)
    label = "() => document.getElementById('spoken').getAttribute('d')"
    lit.first.hover()
    lights = page.evaluate(label)
    assert lights
    named = page.evaluate(
        """lights => [...document.querySelectorAll("#cells [role=gridcell]")].filter(
            (cell) => lights.includes(cell.querySelector(".cell").getAttribute("points").trim().split(/ +/).join("L"))
        ).map((cell) => cell.dataset.label)""",
        lights,
    )
    fans, text = page.locator(".fan .name").all_text_contents(), lit.first.inner_text()
    units = [name.partition(", ")[0] for name in fans]
    for place in named:
        if scenario.startswith("miniatures"):
            x, y = map(int, place.split(","))
            points = [tuple(map(int, each)) for each in re.findall(r"(-?\d+),(-?\d+)", text)]
            assert any(abs(x - east) <= 50 and abs(y - south) <= 50 for east, south in points) or (
                any(unit.lower() in text.lower() for unit in units)
            )
        else:
            assert re.search(rf"\b{place}\b", text) or any(
                unit.lower() in text.lower() for unit in units
            )
    page.mouse.move(2, 2)
    assert not page.evaluate(label)
    page.keyboard.press("l")
    page.keyboard.press("ArrowDown")
    assert lit.first.evaluate("line => line === document.activeElement")
    assert page.evaluate(label) == lights
    page.evaluate(
        "label => document.querySelector(`#cells [data-label='${label}']`).focus()", named[0]
    )
    assert "spoken" in lit.first.get_attribute("class").split()


def test_a_map_that_is_zoomed_in_at_its_lower_edge_ends_with_its_cells(opened):
    """The scale is below the cells: zoomed in, the map once left a blank band there."""
    watched = opened()
    without_odds(watched.page)
    watched.go(f"/tables/{new_table(watched, 'battlegroup_clash/jammed_nets')}/seat/NATO")
    assert watched.page.locator("#board.near").count(), (
        "the map does not open zoomed in on its target"
    )
    below = "() => document.getElementById('board').getBoundingClientRect().bottom"
    cells = "() => document.getElementById('cells').getBoundingClientRect().bottom"
    assert watched.page.evaluate(cells) >= watched.page.evaluate(below) - 1


def test_a_long_map_is_not_a_strip_and_reserves_no_room_for_unused_shading(opened):
    """The map of the causeway is five times as long as it is wide, and only one place on it can be
    chosen.
    """
    watched = opened()
    without_odds(watched.page)
    watched.go(f"/tables/{new_table(watched, 'battlegroup_clash/causeway')}/seat/NATO")
    box = watched.page.locator("#board").bounding_box()
    assert box["width"] > 0.7 * box["height"]
    assert watched.page.locator("#tint").bounding_box()["height"] == 0
