"""A game's number names the rule that states it: the summary of every rule that it cites contains
its figure.
"""

from __future__ import annotations

import re
from fnmatch import fnmatch

import pytest

from fireplan.analysis.rule_pages import rule_page
from fireplan_core import numbers_of
from fireplan_core.numbers import NUMBERS
from fireplan_core.play import Catalogue

CATALOGUE = Catalogue.installed()

SPELLED = (
    "zero no none",
    "one once a single each",
    "two twice both double doubled half halved second",
    "three third",
    "four fourth april",
    "five fifth",
    "six sixth",
    "seven",
    "eight",
    "nine",
    "ten october",
    "eleven",
    "twelve",
)
WORDS = {word: value for value, words in enumerate(SPELLED) for word in words.split()}
"""Words that state a figure; months stand for their numbers."""

ELSEWHERE = {
    "asl": {
        "light_mortar_most_mm": "the 80+ class ends below 100 mm",
        "removed": "by reference: repair of support weapons, A9.72",
        "*least_mm": "on the OBA chart, which the rule works by",
        "us_mortar_mm": "on the OBA chart, which the rule works by",
        "spread_most_mm": "on the OBA chart, which the rule works by",
        "rubble_mm": "by reference: rubble is in another chapter",
        "*_hindrance": "by reference: the normal rules of smoke, A24",
    },
    "combat_commander": {
        "cover_*": "on the terrain chart, which the rule works by",
        "hindrance_*": "on the terrain chart, which the rule works by",
    },
    "battlegroup_clash": {"counter": "our choice"},
    "battletech": {"sniper_mm": "our choice", "long_tom_mm": "our choice"},
}
"""Numbers that their rule does not state, by game and name, with the reason."""


def figures_in(text: str) -> set[int]:
    """Return the whole numbers that a summary states in digits or words, leaving out rule numbers."""
    plain = re.sub(r"\b[A-Z]*\d+(?:\.\d+)+[a-z]?\b", " ", re.sub(r"(?<=\d),(?=\d{3}\b)", "", text))
    digits = {int(figure) for figure in re.findall(r"(?<![\w.])[+-]?\d+|(?<=-)\d+", plain)}
    words = {WORDS[word] for word in re.findall(r"[a-z]+", plain.lower()) if word in WORDS}
    return digits | {abs(figure) for figure in digits} | words


def unstated(key: str) -> set[str]:
    """Return a game's numbers that a cited rule does not state.

    A derived number follows from its rule, so no rule has to state it.
    """
    game = CATALOGUE[key].game
    names = set()
    for named in numbers_of(game.charts).values():
        cell = named.cell
        if named.chart != NUMBERS or cell.provenance == "derived" or cell.cite not in game.ledger:
            continue
        rules = [game.ledger[rule.strip()] for rule in cell.cite.split(",")]
        if any(cell.value not in figures_in(rule.summary) for rule in rules):
            names.add(named.name)
    return names


@pytest.mark.parametrize("key", sorted(CATALOGUE.games))
def test_every_rule_states_the_numbers_that_cite_it(key):
    reasons, names = ELSEWHERE.get(key, {}), unstated(key)
    assert {name for name in names if not any(fnmatch(name, known) for known in reasons)} == set()
    assert {known for known in reasons if not any(fnmatch(name, known) for name in names)} == set()


def test_12_6_1_the_page_of_a_rule_lists_the_numbers_that_it_states():
    page = rule_page(CATALOGUE, "wacht_am_rhein", "12.6.1")
    assert {named.name: named.cell.value for named in page.numbers} == {
        "barrage_limits[depletion][us]": 7,
        "barrage_limits[depletion][ge]": 3,
    }


def test_figures_are_read_from_a_summary():
    assert figures_in("US 7, German 3 (see 14.3.6)") == {7, 3}
    assert figures_in("1 point per 25 mm, -1 before the sixth, 2,000 m off (C1.53)") == {
        -1,
        1,
        6,
        25,
        2000,
    }
    assert figures_in("+1 drm after 7-12 hexes, twice in April") >= {1, 2, 4, 7, 12}
