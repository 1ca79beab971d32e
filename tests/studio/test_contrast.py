"""Contrast by our own computation: text at least 4.5, outlines at least 3 over every colour that they may cross."""

import re
from importlib.resources import files

import pytest

from fireplan.compare._drawing import RAMP, ink_on

STYLE = files("fireplan.studio").joinpath("static/studio.css").read_text()
BOARD = files("fireplan.studio").joinpath("templates/_board.svg.j2").read_text()


def luminance(colour):
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a, b):
    dark, light = sorted((luminance(a), luminance(b)))
    return (light + 0.05) / (dark + 0.05)


def palette(text):
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", text))


LIGHT = palette(STYLE.partition("@media screen and (prefers-color-scheme: dark)")[0])
DARK = palette(STYLE.partition("@media screen and (prefers-color-scheme: dark)")[2].partition("* {")[0])


def test_the_scale_is_that_of_the_standard():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize(
    ("text", "ground"),
    [("ink", "paper"), ("ink", "plate"), ("soft", "paper"), ("soft", "plate"), ("link", "paper"), ("link", "plate"),
     ("on-accent", "accent"), ("bad", "paper"), ("bad", "plate")],
)  # fmt: skip
def test_text_is_read_on_every_ground(colours, text, ground):
    assert contrast(colours[text], colours[ground]) >= 4.5


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_borders_and_marks_are_seen(colours):
    assert contrast(colours["line"], colours["paper"]) >= 3
    assert contrast(colours["bad"], colours["paper"]) >= 3
    assert contrast("#1a1a1a", colours["mark"]) >= 4.5


FILLS = sorted({*RAMP, *re.findall(r'"(#[0-9a-f]{6})"', BOARD)} - {"#8a8f96"})


@pytest.mark.parametrize("fill", FILLS)
def test_an_overlay_is_seen_over_every_colour_of_a_map(fill):
    """A black line with a white halo: one of the two stands out whatever lies below, and they from each other."""
    assert max(contrast("#000000", fill), contrast("#ffffff", fill)) >= 3
    assert contrast("#000000", "#ffffff") >= 3


@pytest.mark.parametrize("fill", RAMP)
def test_figures_are_read_on_every_step_of_the_ramp(fill):
    assert contrast(ink_on(fill), fill) >= 4.5


@pytest.mark.parametrize("fill", ["#dfe3e8", "#eef3e6", "#f7f8f9", "#cfe3f2", "#f6d5c3"])
def test_labels_are_read_on_every_cell_and_counter(fill):
    assert fill in BOARD
    assert contrast("#1a1a1a", fill) >= 4.5
