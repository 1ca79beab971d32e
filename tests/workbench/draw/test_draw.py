"""Drawing: text that cannot become markup, palettes exchanged as a whole, and looks that belong to
a game.
"""

import re
import zlib
from fractions import Fraction
from xml.etree import ElementTree as ET

import pytest

from fireplan.draw import plot
from fireplan.draw.palette import DARK, PAPER, RAMP, look, looks_of
from fireplan.draw.shapes import round_length
from fireplan.draw.svg import compressed, coordinate, template_environment

SVG = "{http://www.w3.org/2000/svg}"
CANARY = "</text><script>alert('&\"')</script>\x00"


PICTURE = """{% extends "picture.svg.j2" %}{% import "_marks.svg.j2" as marks %}{% block body %}
{{ marks.text((1, 2), canary, fill=ramp) }}<circle r="4" aria-label="{{ canary }}"><title>{{ canary }}</title></circle>
{% endblock %}"""


def drawing():
    return (
        template_environment("fireplan.draw")
        .from_string(PICTURE)
        .render(width=10, height=20, canary=CANARY, ramp=RAMP[0])
    )


def test_text_is_text_in_elements_and_attributes():
    root = ET.fromstring(drawing())
    said = CANARY.replace("\x00", "\N{REPLACEMENT CHARACTER}")
    assert root.find(f"{SVG}text").text == root.find(f"{SVG}circle/{SVG}title").text == said
    assert root.find(f"{SVG}circle").get("aria-label") == said


def test_in_the_dark_every_colour_of_the_palette_is_exchanged_and_no_other():
    media, _, rules = ET.fromstring(drawing()).find(f"{SVG}style").text.partition("{")
    assert media == "@media screen and (prefers-color-scheme: dark)"
    found = re.findall(r'\[(fill|stroke)="(#\w+)"\]\{(fill|stroke):(#\w+)\}', rules)
    assert found == [
        (use, light, use, dark) for light, dark in DARK.items() for use in ("fill", "stroke")
    ]
    assert f'[fill="{PAPER}"]{{fill:{DARK[PAPER]}}}' in rules


def test_a_game_has_its_look_by_its_name_and_no_two_have_the_same():
    keys = [f"game{n}" for n in range(9)]
    assert len(set(looks_of(keys).values())) == 9
    assert sorted(looks_of(keys[:7]).values()) == [*range(7)]
    for key in keys:
        assert looks_of([key]) == {key: looks_of([key, "another"])[key]}
    assert looks_of(["asl", "asl"]) == looks_of(["asl"])
    assert look(0) != look(8)


def test_every_shipped_game_has_a_colour_dash_and_marker_of_its_own_wherever_it_is_drawn():
    shipped = ["asl", "wacht_am_rhein", "red_poppies", "miniatures_1943", "battletech"]
    shipped += ["combat_commander", "battlegroup_clash"]
    alone = [look(looks_of([key])[key]) for key in shipped]
    together = [look(number) for number in looks_of(shipped).values()]
    assert alone == together, "the other games changed the look of this one"
    for name in ("colour", "dash", "marker"):
        assert len({getattr(each, name) for each in alone}) == 7


@pytest.mark.parametrize(("most", "length"), [(1, 1), (4.9, 2), (5, 5), (160, 100), (6437, 5000)])
def test_a_scale_bar_is_a_round_length(most, length):
    assert round_length(most) == length


@pytest.mark.parametrize(
    ("value", "text"), [(0.004, "0"), (-0.001, "0"), (2.5, "2.5"), (3, "3"), (1 / 3, "0.33")]
)
def test_a_coordinate_is_written_to_a_hundredth_of_a_pixel(value, text):
    assert coordinate(value) == text


def test_a_png_is_smaller_with_the_same_pixels():
    vl_convert = pytest.importorskip("vl_convert")
    made = bytes(vl_convert.svg_to_png(svg=drawing(), scale=1.5))
    smaller = compressed(made)
    assert len(smaller) < len(made)
    assert pixels(smaller) == pixels(made)


def pixels(image: bytes) -> tuple[bytes, bytes]:
    """Return the header and the uncompressed rows of a PNG, after checking every chunk's checksum."""
    found: dict[bytes, bytes] = {}
    start = 8
    while start < len(image):
        length = int.from_bytes(image[start : start + 4], "big")
        kind, content = image[start + 4 : start + 8], image[start + 8 : start + 8 + length]
        sum_stated = int.from_bytes(image[start + 8 + length : start + 12 + length], "big")
        assert zlib.crc32(kind + content) == sum_stated
        found[kind] = found.get(kind, b"") + content
        start += 12 + length
    return found[b"IHDR"], zlib.decompress(found[b"IDAT"])


@pytest.mark.parametrize(("kind", "corner"), [("after", (100, 1)), ("before", (0, 0.5))])
def test_a_curve_steps_at_its_later_or_its_earlier_amount(kind, corner):
    """Fire due by minute 10 is delivered then, not before."""
    steps = [(0, 0), (10, Fraction(1, 2))]
    corners = [(x, plot.HEIGHT * y) for x, y in ((0, 1), corner, (100, 0.5))]
    assert plot.curve(steps, 20, 200, look(0), kind)[1] == plot.points(corners)


def test_bars_are_stacked_or_side_by_side():
    shares = [("red", Fraction(1, 4)), ("green", Fraction(1, 2)), ("blue", Fraction(1, 4))]
    stacked = plot.bars([("Game", shares)], 100, stacked=True).drawn
    apart = plot.bars([("Game", shares)], 100).drawn
    assert [top / plot.HEIGHT for _, _, top, *_ in stacked] == [0.75, 0.25, 0]
    assert [top / plot.HEIGHT for _, _, top, *_ in apart] == [0.75, 0.5, 0.75]
    assert len({left for _, left, *_ in stacked}) == 1
    assert len({left for _, left, *_ in apart}) == 3


def test_the_axes_of_a_trade_off_have_their_own_titles(monkeypatch):
    monkeypatch.setattr(plot, "chart", lambda _, plots, __: plots)
    [drawn] = plot.trade_off([(0, 1), (10, 3)], "Minutes", "Hits")
    assert (drawn.across, drawn.upward) == ("Minutes", "Hits")
    assert (drawn.labels[-1][1], drawn.rungs[-1]) == (["10"], "3")
