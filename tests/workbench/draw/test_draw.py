"""The drawing room: text that cannot become markup, colours exchanged whole, looks that a game keeps."""

import re
import zlib
from xml.etree import ElementTree as ET

import pytest

from fireplan.draw.palette import DARK, PAPER, RAMP, look, looks_of
from fireplan.draw.shapes import round_length
from fireplan.draw.svg import compressed, number, templates

SVG = "{http://www.w3.org/2000/svg}"
CANARY = "</text><script>alert('&\"')</script>\x00"


PICTURE = """{% extends "picture.svg.j2" %}{% import "_marks.svg.j2" as marks %}{% block body %}
{{ marks.text((1, 2), canary, fill=ramp) }}<circle r="4" aria-label="{{ canary }}"><title>{{ canary }}</title></circle>
{% endblock %}"""


def drawing():
    return (
        templates("fireplan.draw")
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
    assert alone == together, "the others beside it change nothing"
    for name in ("colour", "dash", "marker"):
        assert len({getattr(each, name) for each in alone}) == 7


@pytest.mark.parametrize(("most", "length"), [(1, 1), (4.9, 2), (5, 5), (160, 100), (6437, 5000)])
def test_a_scale_bar_is_a_round_length(most, length):
    assert round_length(most) == length


@pytest.mark.parametrize(
    ("value", "text"), [(0.004, "0"), (-0.001, "0"), (2.5, "2.5"), (3, "3"), (1 / 3, "0.33")]
)
def test_a_coordinate_is_written_to_a_hundredth_of_a_pixel(value, text):
    assert number(value) == text


def test_a_png_is_smaller_with_the_same_pixels():
    vl_convert = pytest.importorskip("vl_convert")
    made = bytes(vl_convert.svg_to_png(svg=drawing(), scale=1.5))
    smaller = compressed(made)
    assert len(smaller) < len(made)
    assert pixels(smaller) == pixels(made)


def pixels(image: bytes) -> tuple[bytes, bytes]:
    """Return the header and the uncompressed lines of a PNG, after checking every chunk's sum."""
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
