"""Charts as they are drawn: every title is read under its own bars, however many games stand side by side."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from itertools import pairwise

import attrs
import pytest

from fireplan.comparison import compare, contenders, find_engagement
from fireplan.draw.vega import drawn
from fireplan.studio._charts import CHARTS
from fireplan_core.play import Catalogue

WIDEST_LETTER = 6.2
"""Pixels that a letter of a label takes on average at most (a sans serif of 12 pixels)."""


@pytest.fixture(scope="module")
def comparison():
    installed = Catalogue.installed()
    return compare(find_engagement("woods"), installed, contenders(installed, ["wacht_am_rhein"]))


def _labels(svg):
    """The labels under the bars: their middle, and their lines."""
    found = []
    for group in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}g"):
        if "role-axis-label" not in group.get("class", ""):
            continue
        texts = list(group.iter("{http://www.w3.org/2000/svg}text"))
        if texts and texts[0].get("text-anchor") == "middle":
            for text in texts:
                lines = [part for part in text.itertext() if part.strip()]
                found.append((float(text.get("transform").partition("(")[2].partition(",")[0]), lines))
    return found


@pytest.mark.parametrize("count", [1, 2, 4, 6, 8])
@pytest.mark.parametrize("title", ["Advanced Squad Leader", 'A "long" title, with parts of three others'])
@pytest.mark.parametrize(("name", "turn"), [("severity", False), ("delivery", True)])
def test_titles_under_bars_stand_apart(comparison, count, title, name, turn):
    one = comparison.games["wacht_am_rhein"]
    games = {f"game{n}": attrs.evolve(one, title=f"{title} {n}") for n in range(count)}
    chart = CHARTS[name](attrs.evolve(comparison, games=games), "exactly", transpose=turn)
    labels = _labels(drawn(chart.spec))
    assert len(labels) == count
    apart = min((b[0] - a[0] for a, b in pairwise(labels)), default=500)
    for n, (_, lines) in enumerate(labels):
        assert " ".join(lines) == f"{title} {n}"
        assert max(map(len, lines)) * WIDEST_LETTER <= apart
