"""The picture: one scale for all maps, exact curves, readable figures, and text that cannot become markup."""

import datetime as dt
import math
import os
import subprocess
import sys
from fractions import Fraction
from itertools import combinations, pairwise
from pathlib import Path
from xml.etree import ElementTree as ET

import attrs
import pytest

from fireplan.analysis import Comparison, GameAnswer, Measured, Picture, svg
from fireplan.draw.lettering import whole_percent, width
from fireplan.draw.shapes import merged
from fireplan_core import Engagement
from fireplan_core.setups.setup import Firer, OwnTroops, Target

SVG = "{http://www.w3.org/2000/svg}"
MILE = 1609.344
TRENCH = 200 * 0.9144
CANARY = "</text><script>alert('&\"')</script>"


def hexagon(x, y, across):
    """Return a hex with the given distance between opposite sides."""
    radius = across / math.sqrt(3)
    turns = (math.radians(60 * k) for k in range(6))
    return tuple((x + radius * math.cos(turn), y + radius * math.sin(turn)) for turn in turns)


def hex_at(q, r, across):
    return hexagon(1.5 * across / math.sqrt(3) * q, across * (r + q / 2), across)


def circle(x, y, radius):
    turns = (math.radians(5 * k) for k in range(72))
    return tuple((x + radius * math.cos(turn), y + radius * math.sin(turn)) for turn in turns)


def around_a_vertex(across):
    radius = across / math.sqrt(3)
    turns = (math.radians(turn) for turn in (0, 120, 240))
    return tuple(
        hexagon(radius * math.cos(turn), radius * math.sin(turn), across) for turn in turns
    )


def game(key, steps, falls, footprint, grain=1, **changes):
    unresolved = 1 - sum(share for _, share in steps)
    answer = GameAnswer(
        key=key,
        title=f"Game {key}",
        edition="second edition",
        moment="turn",
        minutes_per_moment=Fraction(grain),
        grain=Fraction(grain),
        moments=1,
        measures={"minutes_to_first_effect": Measured("min", True, tuple(steps), unresolved)},
        notes=(),
        states=1,
        picture=Picture(tuple(falls), tuple(footprint)),
    )
    return attrs.evolve(answer, **changes)


SIX = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))
FINE_STEPS = [
    (Fraction(2), Fraction(1, 3)),
    (Fraction(5), Fraction(2, 7)),
    (Fraction(31), Fraction(1, 6)),
    (Fraction(59), Fraction(1, 11)),
]
# One cell for each step of the ramp, and scattered ones around them.
FINE_FALLS = [
    (hex_at(0, 0, 40), Fraction(55, 100)),
    (hex_at(1, 0, 40), Fraction(22, 100)),
    (hex_at(0, 1, 40), Fraction(8, 100)),
    (hex_at(-1, 1, 40), Fraction(2, 100)),
    *((hex_at(3 * q, 3 * r, 40), Fraction(1, 1000)) for q, r in SIX),
]


def an_engagement():
    return Engagement(
        title="A company in the open",
        date=dt.date(1944, 12, 18),
        firer=Firer(nationality="german"),
        target=Target(nationality="american"),
        own_troops=OwnTroops(distance_m=300),
    )


def four_games():
    whole = Fraction(1)
    return {
        "fine": game(
            "fine", FINE_STEPS, FINE_FALLS, [hex_at(0, 0, 40), *(hex_at(q, r, 40) for q, r in SIX)]
        ),
        "mile": game(
            "mile",
            [(Fraction(270), Fraction(5, 6))],
            [(hexagon(0, 0, MILE), Fraction(5, 6))],
            [hexagon(0, 0, MILE)],
            grain=270,
        ),
        "vertex": game(
            "vertex",
            [(Fraction(15), Fraction(1, 2)), (Fraction(30), Fraction(1, 4))],
            [(hexagon(0, 0, TRENCH), Fraction(3, 4))],
            around_a_vertex(TRENCH),
            grain=15,
        ),
        "plane": game(
            "plane",
            [(Fraction(10), whole)],
            [(circle(0, 0, 128), whole)],
            [circle(0, 0, 128)],
            grain=5,
        ),
    }


@pytest.fixture
def engagement():
    return an_engagement()


@pytest.fixture
def games():
    return four_games()


@pytest.fixture
def comparison(engagement, games):
    return Comparison(engagement, games, {})


def drawn(comparison):
    return ET.fromstring(svg(comparison).encode())


def group(root, name, key=None):
    found = [
        g
        for g in root.iter(f"{SVG}g")
        if g.get("class") == name and key in (None, g.get("data-game"))
    ]
    assert found, (name, key)
    return found[0]


def pixels(points):
    return [tuple(map(float, pair.split(","))) for pair in points.split()]


def words(element):
    return " ".join("".join(text.itertext()) for text in element.iter(f"{SVG}text"))


def sides(outline):
    return [math.dist(a, b) for a, b in zip(outline, outline[1:] + outline[:1], strict=True)]


def area(outline):
    return abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in pairwise([*outline, outline[0]]))) / 2


def metres_per_pixel(root, key, metres):
    """Return the scale of a panel, from the longest side of its cells, whose length is known."""
    cells = [
        pixels(cell.get("points"))
        for cell in group(group(root, "panel", key), "falls").iter(f"{SVG}polygon")
    ]
    return metres / max(max(sides(cell)) for cell in cells)


def test_every_map_has_the_same_metres_in_a_pixel(comparison):
    root = drawn(comparison)
    # A hex's side is its width between opposite sides over the square root of three; the circle has
    # 72 chords.
    lengths = {
        "fine": 40 / math.sqrt(3),
        "mile": MILE / math.sqrt(3),
        "vertex": TRENCH / math.sqrt(3),
        "plane": 2 * 128 * math.sin(math.pi / 72),
    }
    scales = {key: metres_per_pixel(root, key, length) for key, length in lengths.items()}
    for key in lengths:
        bar = next(
            r for r in group(root, "panel", key).iter(f"{SVG}rect") if r.get("class") == "bar"
        )
        assert float(bar.get("data-metres")) / float(bar.get("width")) == pytest.approx(
            scales["mile"], rel=1e-3
        )
        # Coordinates are written to a hundredth of a pixel.
        assert scales[key] == pytest.approx(scales["mile"], rel=5e-3)


def test_the_scale_bar_is_a_round_number(comparison):
    bar = next(r for r in drawn(comparison).iter(f"{SVG}rect") if r.get("class") == "bar")
    assert bar.get("data-metres").rstrip("0") in {"1", "2", "5"}


def test_own_troops_are_north_of_the_target_at_their_distance(comparison):
    root = drawn(comparison)
    panel = group(root, "panel", "fine")
    own, target = (
        tuple(map(float, g.get("transform")[10:-1].split()))
        for g in (group(panel, "own").find(f"{SVG}g"), group(panel, "target"))
    )
    scale = metres_per_pixel(root, "mile", MILE / math.sqrt(3))
    assert own[0] == target[0]
    assert (target[1] - own[1]) * scale == pytest.approx(300, abs=0.1)


def test_own_troops_far_away_are_pointed_at_and_do_not_shrink_the_maps(comparison, engagement):
    near = drawn(comparison)
    far = drawn(
        attrs.evolve(
            comparison, engagement=attrs.evolve(engagement, own_troops=OwnTroops(distance_m=5000))
        )
    )
    assert "own troops, 5,000 m" in words(group(far, "panel", "fine"))
    assert metres_per_pixel(far, "fine", 40) <= metres_per_pixel(near, "fine", 40)


def test_a_coarse_cell_is_clipped_at_the_frame_with_a_note(comparison):
    panel = group(drawn(comparison), "panel", "mile")
    frame = float(panel.find(f"{SVG}rect").get("width"))
    clipped = next(g for g in panel.iter(f"{SVG}g") if g.get("clip-path"))
    (cell,) = (pixels(cell.get("points")) for cell in clipped.iter(f"{SVG}polygon"))
    assert max(x for x, _ in cell) > frame
    assert min(x for x, _ in cell) < 0
    assert "1,858 × 1,609 m" in words(panel)  # noqa: RUF001
    assert "cuts" not in words(group(drawn(comparison), "panel", "fine"))


def test_a_coarse_game_alone_is_shown_whole(engagement, games):
    panel = group(drawn(Comparison(engagement, {"mile": games["mile"]}, {})), "panel")
    frame = float(panel.find(f"{SVG}rect").get("width"))
    (cell,) = (pixels(cell.get("points")) for cell in panel.iter(f"{SVG}polygon"))
    assert all(0 <= coordinate <= frame for point in cell for coordinate in point)


def chart_scales(root):
    """Return functions from pixels to minutes and from pixels to shares, read off the axis labels,
    and the last minute labelled.
    """
    across = {
        float(t.text): float(t.get("x"))
        for t in group(root, "across").iter(f"{SVG}text")
        if t.text.isdigit()
    }
    grid = group(root, "upward")
    heights = [float(path.get("d").split(",")[1].split("H")[0]) for path in grid.iter(f"{SVG}path")]
    upward = dict(
        zip((float(t.text[:-1]) / 100 for t in grid.iter(f"{SVG}text")), heights, strict=True)
    )
    last = max(across)
    return (
        lambda x: (x - across[0]) / (across[last] - across[0]) * last,
        lambda y: (y - upward[0]) / (upward[1] - upward[0]),
        last,
    )


@pytest.mark.parametrize("key", ["fine", "vertex", "plane"])
def test_a_curve_steps_through_the_exact_cumulative_shares(comparison, key):
    root = drawn(comparison)
    minute, share, watch = chart_scales(root)
    line = next(
        p for p in group(root, "curve", key).iter(f"{SVG}polyline") if p.get("class") == "line"
    )
    curve = [(minute(x), share(y)) for x, y in pixels(line.get("points"))]
    assert all(a[0] == b[0] or a[1] == b[1] for a, b in pairwise(curve))
    assert curve[0] == (0, 0)
    assert curve[-1][0] == pytest.approx(watch)
    total = Fraction(0)
    for when, probability in comparison.games[key].measures["minutes_to_first_effect"].distribution:
        here = sorted(s for m, s in curve if m == pytest.approx(float(when), abs=0.01))
        assert here == pytest.approx([float(total), float(total + probability)], abs=1e-4)
        total += probability


def test_an_answer_beyond_the_watch_has_no_line_but_a_note(comparison):
    root = drawn(comparison)
    _, share, watch = chart_scales(root)
    assert watch == comparison.engagement.minutes
    assert not [
        p for p in group(root, "curve", "mile").iter(f"{SVG}polyline") if p.get("class") == "line"
    ]
    end = group(root, "end", "mile")
    assert "within 270 min" in words(end)
    assert "83%" in words(end)
    height = float(end.find(f"{SVG}path").get("transform")[10:-1].split()[1])
    assert share(height) == pytest.approx(5 / 6, abs=1e-4)


def test_labels_at_line_ends_never_overlap(engagement, games):
    same = {f"g{i}": attrs.evolve(games["fine"], key=f"g{i}") for i in range(7)}
    root = drawn(Comparison(engagement, same, {}))
    ends = [g for g in root.iter(f"{SVG}g") if g.get("class") == "end"]
    texts = [g.find(f"{SVG}text") for g in ends]
    heights = sorted(float(text.get("y")) for text in texts)
    assert len(heights) == 7
    assert all(b - a >= float(texts[0].get("font-size")) for a, b in pairwise(heights))


def test_five_games_differ_in_colour_in_dash_and_in_marker(engagement, games):
    five = {f"g{i}": attrs.evolve(games["fine"], key=f"g{i}") for i in range(5)}
    root = drawn(Comparison(engagement, five, {}))
    lines = [p for p in root.iter(f"{SVG}polyline") if p.get("class") == "line"]
    markers = {
        g.find(f"{SVG}path").get("d") for g in root.iter(f"{SVG}g") if g.get("class") == "end"
    }
    assert (
        len({line.get("stroke") for line in lines})
        == len({line.get("stroke-dasharray") for line in lines})
        == 5
    )
    assert len(markers) == 5


def luminance(colour):
    red, green, blue = (
        v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4
        for v in (c / 255 for c in bytes.fromhex(colour[1:]))
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(a, b):
    dark, light = sorted((luminance(a), luminance(b)))
    return (light + 0.05) / (dark + 0.05)


def test_figures_are_readable_on_every_colour_of_the_ramp(comparison):
    root = drawn(comparison)
    figures = {
        (text.get("stroke"), text.get("fill"))
        for g in root.iter(f"{SVG}g")
        if g.get("class") == "figures"
        for text in g.iter(f"{SVG}text")
    }
    key = list(group(root, "key"))
    steps = [
        (a[0].get("fill"), b.get("fill"))
        for a, b in pairwise(key)
        if len(a) and a[0].get("class") == "step"
    ]
    cells = {cell.get("fill") for cell in root.iter(f"{SVG}polygon")}
    assert len(steps) == len({ground for ground, _ in steps}) == 5
    assert cells == {ground for ground, _ in steps}
    assert {ground for ground, _ in figures} == {ground for ground, _ in steps[1:]}
    assert min(contrast(ground, ink) for ground, ink in [*figures, *steps]) >= 4.5


def test_the_ramp_darkens_as_chance_grows(comparison):
    cells = group(group(drawn(comparison), "panel", "fine"), "falls").iter(f"{SVG}polygon")
    # The likeliest is drawn last, so that it is on top.
    assert [luminance(c.get("fill")) for c in cells] == sorted(
        (luminance(c) for c in ramp_of_fine()), reverse=True
    )


def ramp_of_fine():
    return ["#fee838"] * 6 + ["#bcae6c", "#7d7c78", "#434e6c", "#00224e"]


def test_figures_stay_inside_their_cells_and_apart(comparison):
    panel = group(drawn(comparison), "panel", "fine")
    boxes = []
    for text in group(panel, "figures").iter(f"{SVG}text"):
        half = width(text.text, float(text.get("font-size")), bold=True) / 2
        x, y = float(text.get("x")), float(text.get("y"))
        boxes.append((x - half, y - 0.73 * float(text.get("font-size")), x + half, y))
    assert [t.text.rstrip("%") for t in group(panel, "figures").iter(f"{SVG}text")] == [
        "55",
        "22",
        "8",
        "2",
    ]
    assert all(
        a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
        for a, b in combinations(boxes, 2)
    )


def test_fire_at_close_points_is_drawn_separately_with_a_note(engagement):
    falls = [
        (circle(30 * x, 30 * y, 128), Fraction(1, 25)) for x in range(-2, 3) for y in range(-2, 3)
    ]
    plane = game("plane", [(Fraction(5), Fraction(1))], falls, [circle(0, 0, 128)])
    panel = group(drawn(Comparison(engagement, {"plane": plane}, {})), "panel")
    cells = [pixels(cell.get("points")) for cell in group(panel, "falls").iter(f"{SVG}polygon")]
    middles = [tuple(sum(axis) / len(cell) for axis in zip(*cell, strict=True)) for cell in cells]
    radius = max(
        math.dist(middle, point)
        for middle, cell in zip(middles, cells, strict=True)
        for point in cell
    )
    assert len(cells) == 25
    assert min(math.dist(a, b) for a, b in combinations(middles, 2)) >= 2 * radius - 0.1
    assert "Marks are smaller" in words(panel)


def test_the_footprint_is_one_outline_around_cells_side_by_side():
    (border,) = merged(around_a_vertex(TRENCH))
    # Of the eighteen sides, three are shared by two hexes.
    assert len(border) == 18 - 2 * 3
    assert area(border) == pytest.approx(3 * TRENCH**2 * math.sqrt(3) / 2)
    assert len(merged([hexagon(0, 0, 40), hexagon(500, 0, 40)])) == 2
    ring = merged([hex_at(q, r, 40) for q, r in SIX])
    assert sorted(map(len, ring)) == [6, 18]


def test_games_that_cannot_be_staged_give_the_reason(engagement, games):
    reasons = ("No telephone before 1915.", "The target is nearer than a hex.")
    root = drawn(Comparison(engagement, {"fine": games["fine"]}, {"other": reasons}))
    panel = group(root, "panel", "other")
    assert all(reason in words(panel) for reason in reasons)
    assert not list(panel.iter(f"{SVG}polygon"))


@pytest.mark.parametrize("cannot", [{}, {"a": ("no",), "b": ("no",)}])
def test_a_sheet_without_any_staged_game_is_still_a_sheet(engagement, cannot):
    assert engagement.title in words(drawn(Comparison(engagement, {}, cannot)))


def test_a_game_without_outlines_or_without_times_is_still_drawn(engagement, games):
    bare = attrs.evolve(games["plane"], picture=Picture((((), Fraction(1)),), ((),)), measures={})
    none = attrs.evolve(games["plane"], key="none", picture=None)
    root = drawn(Comparison(engagement, {"plane": bare, "none": none}, {}))
    assert "no map" in words(group(root, "panel", "plane"))
    assert "no map" in words(group(root, "panel", "none"))


def test_a_game_that_never_delivers_has_a_flat_line(engagement):
    never = game("never", [], [], [circle(0, 0, 128)])
    root = drawn(Comparison(engagement, {"never": never}, {}))
    line = next(
        p for p in group(root, "curve", "never").iter(f"{SVG}polyline") if p.get("class") == "line"
    )
    assert len({y for _, y in pixels(line.get("points"))}) == 1
    assert "Falls within 60 min: 0%; does not: 100%." in words(root)


def test_text_from_outside_never_becomes_markup(engagement, games):
    plain = Comparison(engagement, {"a": games["fine"], "b": games["mile"]}, {"c": ("no",)})
    armed = Comparison(
        attrs.evolve(
            engagement,
            title=CANARY,
            firer=Firer(nationality=CANARY),
            target=Target(nationality=CANARY),
        ),
        {
            "a": attrs.evolve(games["fine"], title=CANARY, edition=CANARY, moment=CANARY),
            CANARY: attrs.evolve(
                games["mile"], key=CANARY, title=CANARY, edition=CANARY, moment=CANARY
            ),
        },
        {"c" + CANARY: (CANARY,)},
    )
    # The longer text may fill more lines, but it adds no new kind of element.
    assert {e.tag for e in drawn(armed).iter()} == {e.tag for e in drawn(plain).iter()}
    assert "<script" not in svg(armed)
    assert drawn(armed).find(f"{SVG}title").text == CANARY


def test_characters_that_xml_forbids_are_replaced(engagement, games):
    forbidden = "a\x00b\x1bc\ufffed\ud800e"
    root = drawn(
        Comparison(
            attrs.evolve(engagement, title=forbidden),
            {"g": attrs.evolve(games["fine"], title=forbidden)},
            {},
        )
    )
    assert root.find(f"{SVG}title").text == "a\ufffdb\ufffdc\ufffdd\ufffde"


def test_text_never_leaves_its_panel(engagement, games):
    long = "An extraordinarily long title of a game about artillery " * 6 + "x" * 300
    four = {
        f"g{i}": attrs.evolve(games["fine"], key=f"g{i}", title=long, edition=long, moment=long)
        for i in range(3)
    }
    root = drawn(
        Comparison(attrs.evolve(engagement, title=long), four, {"none": (long, long, long)})
    )
    for panel in (g for g in root.iter(f"{SVG}g") if g.get("class") == "panel"):
        frame = float(panel.find(f"{SVG}rect").get("width"))
        for text in panel.findall(f"{SVG}text"):
            size, bold = float(text.get("font-size")), text.get("font-weight") == "bold"
            assert float(text.get("x")) + width(text.text, size, bold=bold) <= frame


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (Fraction(0), "0%"),
        (Fraction(1, 10**9), "<1%"),
        (Fraction(5, 6), "83%"),
        (1 - Fraction(1, 10**9), ">99%"),
        (Fraction(1), "100%"),
    ],
)
def test_neither_a_chance_nor_a_doubt_is_rounded_away(share, text):
    assert whole_percent(share) == text


@pytest.mark.parametrize("hash_seed", ["1", "2"])
def test_the_same_comparison_gives_the_same_bytes_in_another_process(comparison, hash_seed):
    first = svg(comparison)
    assert first == svg(comparison)
    program = (
        "import runpy, sys; test = runpy.run_path(sys.argv[1]);"
        "drawn = test['svg'](test['Comparison'](test['an_engagement'](), test['four_games'](), {}));"
        "sys.stdout.buffer.write(drawn.encode())"
    )
    other = subprocess.run(
        [sys.executable, "-c", program, str(Path(__file__))],
        env={**os.environ, "PYTHONHASHSEED": hash_seed, "TZ": "Asia/Tokyo", "LC_ALL": "C"},
        capture_output=True,
        check=True,
    )
    assert other.stdout == first.encode()


def test_a_game_keeps_its_look_and_title_beside_any_other(engagement, games):
    looks, titles = {"fine": 0, "mile": 1, "plane": 2}, {"mile": "The Mile Game"}
    all_three = drawn(Comparison(engagement, games, {}, titles, looks))
    alone = drawn(
        Comparison(engagement, {"plane": games["plane"]}, {"mile": ("no",)}, titles, looks)
    )
    fills = [
        {key: group(root, "panel", key).find(f"{SVG}path").get("fill") for key in ("plane", "mile")}
        for root in (all_three, alone)
    ]
    assert fills[0] == fills[1]
    assert "The Mile Game" in words(alone)
