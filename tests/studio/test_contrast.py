"""Contrast computed by us: at least 4.5 for text, at least 3 for outlines over any colour that they
may cross.
"""

import re
from itertools import combinations

import pytest

from fireplan.draw.palette import (
    BLACK,
    BLANK,
    DARK,
    DARK_RULES,
    INK,
    LINE,
    PAGE,
    PAPER,
    PLATE,
    RAMP,
    SERIES,
    SOFT,
    TERRAIN,
    UNSEEN,
    ink_on,
    look,
)
from fireplan_studio.pages import static_files

SIDES = (PAGE["side-0"], PAGE["side-1"])
STYLE = static_files()["studio.css"][0].decode()


def luminance(colour):
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a, b):
    dark, light = sorted((luminance(a), luminance(b)))
    return (light + 0.05) / (dark + 0.05)


def palette(text):
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", text))


PAGE = palette(STYLE.partition("@media screen and (prefers-color-scheme: dark)")[0])
PAGE_DARK = palette(
    STYLE.partition("@media screen and (prefers-color-scheme: dark)")[2].partition("* {")[0]
)


def test_the_scale_is_that_of_the_standard():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("colours", [PAGE, PAGE_DARK], ids=["light", "dark"])
@pytest.mark.parametrize(
    ("text", "ground"),
    [("ink", "paper"), ("ink", "plate"), ("soft", "paper"), ("soft", "plate"), ("link", "paper"), ("link", "plate"),
     ("on-accent", "accent"), ("bad", "paper"), ("bad", "plate")],
)  # fmt: skip
def test_text_is_read_on_every_ground(colours, text, ground):
    assert contrast(colours[text], colours[ground]) >= 4.5


@pytest.mark.parametrize("colours", [PAGE, PAGE_DARK], ids=["light", "dark"])
def test_borders_and_marks_are_seen(colours):
    assert contrast(colours["line"], colours["paper"]) >= 3
    assert contrast(colours["bad"], colours["paper"]) >= 3
    assert contrast("#1a1a1a", colours["mark"]) >= 4.5


SCHEMES = {"light": {light: light for light in DARK}, "dark": DARK}
GROUNDS = (*RAMP, PAPER, PLATE, BLANK, UNSEEN, TERRAIN, *SIDES)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("fill", GROUNDS)
def test_an_overlay_is_seen_over_every_colour_of_a_map(scheme, fill):
    """A line with a halo: over any colour, line or halo stands out, and they stand out from each
    other.
    """
    colours = SCHEMES[scheme]
    line, halo, ground = (colours[each] for each in (BLACK, PAPER, fill))
    assert max(contrast(line, ground), contrast(halo, ground)) >= 3
    assert contrast(line, halo) >= 3


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("fill", RAMP)
def test_figures_are_read_on_every_step_of_the_ramp(scheme, fill):
    colours = SCHEMES[scheme]
    assert contrast(colours[ink_on(fill)], colours[fill]) >= 4.5


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_ramp_leads_away_from_the_paper(scheme):
    colours = SCHEMES[scheme]
    from_paper = [contrast(colours[step], colours[PAPER]) for step in RAMP]
    assert from_paper == sorted(from_paper)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("fill", [UNSEEN, TERRAIN, BLANK, *SIDES])
def test_labels_are_read_on_every_cell_and_counter(scheme, fill):
    colours = SCHEMES[scheme]
    assert contrast(colours[INK], colours[fill]) >= 4.5


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("fill", [PAPER, PLATE, BLANK])
def test_words_and_lines_are_read_on_every_paper(scheme, fill):
    colours = SCHEMES[scheme]
    assert min(contrast(colours[each], colours[fill]) for each in (INK, SOFT)) >= 4.5
    assert contrast(colours[LINE], colours[PAPER]) >= 3


@pytest.mark.parametrize("scheme", SCHEMES)
def test_games_contrast_with_the_paper_and_each_other(scheme):
    colours = SCHEMES[scheme]
    assert min(contrast(colours[each], colours[PAPER]) for each in SERIES) >= 2.8
    assert len({colours[each] for each in SERIES}) == len(SERIES)
    for one, other in combinations(map(look, range(5)), 2):
        assert {one.colour, one.dash, one.marker} & {
            other.colour,
            other.dash,
            other.marker,
        } == set()


def test_a_page_and_a_picture_turn_dark_by_the_same_rules():
    for light, dark in DARK.items():
        assert f'[fill="{light}"]{{fill:{dark}}}' in DARK_RULES
    for use in PAGE.keys() & {"paper", "ink", "blank", "unseen", "terrain", "side-0", "side-1"}:
        assert PAGE_DARK[use] == DARK[PAGE[use]]


def test_no_text_is_faded_not_even_while_an_answer_is_worked_out():
    """Opacity would lower the contrast of text; only drawings on the map use it."""
    rules = re.findall(r"([^{}]+){([^{}]*)}", STYLE)
    assert rules
    faded = [where.strip() for where, what in rules if re.search(r"(?<![\w-])opacity:", what)]
    assert [where for where in faded if not where.startswith(".board ")] == []


def blended(over, under, opacity):
    pairs = ((int(over[i : i + 2], 16), int(under[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{round(opacity * a + (1 - opacity) * b):02x}" for a, b in pairs)


@pytest.mark.parametrize("colours", [PAGE, PAGE_DARK], ids=["light", "dark"])
def test_black_pieces_contrast_with_unseen_ground_in_both_modes(colours):
    fill, edge = re.search(r"piece\.black \{ fill: (#\w+); stroke: (#\w+); \}", STYLE).groups()
    assert contrast(fill, colours["paper"]) >= 3 or contrast(edge, colours["paper"]) >= 3
    assert contrast(fill, edge) >= 3
    opacity = float(re.search(r"pattern\.mist path \{[^}]*opacity: ([.\d]+)", STYLE)[1])
    hatching = blended(colours["soft"], colours["unseen"], opacity)
    assert contrast(hatching, colours["unseen"]) >= 2
    assert contrast(hatching, colours["blank"]) >= 2
