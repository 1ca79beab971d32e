"""Charts as drawn: every title is below its own bars, however many games are side by side."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from itertools import pairwise

import attrs
import pytest

from fireplan.analysis import compare, contenders, find_engagement
from fireplan_core.play import Catalogue
from fireplan_studio.charts import CHARTS

WIDEST_LETTER = 6.2
"""Maximum average width of a label's letters in pixels (a sans serif of 12 pixels)."""


@pytest.fixture(scope="module")
def comparison():
    installed = Catalogue.installed()
    return compare(find_engagement("woods"), installed, contenders(installed, ["wacht_am_rhein"]))


@pytest.fixture(scope="module")
def asl():
    installed = Catalogue.installed()
    return compare(find_engagement("woods"), installed, contenders(installed, ["asl"]))


def _labels(svg):
    """Return the labels below the bars: their middle, and their lines."""
    found = []
    for group in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}g"):
        if group.get("class") == "label":
            texts = list(group)
            found.append((float(texts[0].get("x")), ["".join(text.itertext()) for text in texts]))
    return found


@pytest.mark.parametrize("count", [1, 2, 4, 6, 8])
@pytest.mark.parametrize(
    "title", ["Advanced Squad Leader", 'A "long" title, with parts of three others']
)
@pytest.mark.parametrize(("name", "turn"), [("severity", False), ("delivery", True)])
def test_titles_under_bars_do_not_overlap(comparison, count, title, name, turn):
    one = comparison.games["wacht_am_rhein"]
    games = {f"game{n}": attrs.evolve(one, title=f"{title} {n}") for n in range(count)}
    chart = CHARTS[name](attrs.evolve(comparison, games=games), "exactly", transpose=turn)
    labels = _labels(chart.drawing)
    assert len(labels) == count
    apart = min((b[0] - a[0] for a, b in pairwise(labels)), default=500)
    for n, (_, lines) in enumerate(labels):
        assert " ".join(lines) == f"{title} {n}"
        assert max(map(len, lines)) * WIDEST_LETTER <= apart


RECT, LINE = "{http://www.w3.org/2000/svg}rect", "{http://www.w3.org/2000/svg}polyline"


@pytest.mark.parametrize("turn", [False, True])
def test_bars_are_as_tall_as_the_shares_of_the_table(comparison, turn):
    chart = CHARTS["severity"](comparison, "exactly", transpose=turn)
    drawn = [each for each in ET.fromstring(chart.drawing).iter(RECT) if each.get("stroke-width")]
    bars = drawn[: len(chart.rows) * len(chart.heads)]  # the rest are the legend's labels
    shares = [float(share) for _, row in chart.rows for share in row]
    assert [float(bar.get("height")) / 260 for bar in bars] == pytest.approx(shares, abs=1e-4)


def test_fire_falls_before_a_minute_or_not_before_it(asl):
    """Fire that never falls counts as "not before" every minute."""
    later, earlier = (
        dict(CHARTS["delivery"](asl, mode, transpose=False).rows) for mode in ("atleast", "atmost")
    )
    minutes = [label.rpartition(" ")[2] for label in later if " minute " in label]
    assert minutes
    before = [0]
    for minute in minutes:
        (share,), (was,) = later[f"not before minute {minute}"], before
        assert share + was == 1
        before = earlier[f"by minute {minute}"]


def test_a_line_ends_at_the_share_that_has_fallen_within_the_watch(asl):
    chart = CHARTS["delivery"](asl, "atmost", transpose=False)
    (line,) = ET.fromstring(chart.drawing).iter(LINE)
    corners = [tuple(map(float, corner.split(","))) for corner in line.get("points").split()]
    _, never = chart.rows[-1]
    assert corners[0] == (0, 260)
    assert corners[-1][1] == pytest.approx(260 * float(never[0]), abs=0.01)
    assert all(b[0] >= a[0] and b[1] <= a[1] for a, b in pairwise(corners))
