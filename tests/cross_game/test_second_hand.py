"""Games without a rulebook: how sure their ledgers are of each clause, and the other reading of
each decision.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fireplan.analysis import find_engagement
from fireplan_core import WORDS, CannotStageError
from fireplan_core.chance import RandomFaces
from fireplan_core.play import Catalogue, Table, Variation, play_out, replay, stage_engagement

GAMES = {
    name: installed.game
    for name, installed in Catalogue.installed().games.items()
    if installed.game.sources
}
CLAUSES = [(name, rule) for name, game in GAMES.items() for rule in game.ledger.rules.values()]
ATTESTED, OPEN = {"S", "P", "A", "B"}, {"C", "I"}
NOT_PLAYED = {
    "combat_commander S2": "defines the men of a counter; engagements are staged by it, and nothing is played",
}
"""Clauses of a source that are refused or have nothing to play."""


PAIRS = [
    (one, other)
    for one in GAMES
    for other in Catalogue.installed().games
    if one < other or other not in GAMES
]
MOMENTS, PLAYS = 12, 8
REFUSED = {("battlegroup_clash", "areas", "wacht_am_rhein"): "danger close"}
"""Refused combinations (game, part, lender): in hexes a mile wide, own troops and target share one."""


def tags(rule):
    """Return the letters by which a game's sheet says how sure a clause is."""
    return set(re.findall(r"\b([A-Z])\b(?! ?\d)", rule.attested.partition(":")[0]))


def options(name, rule):
    """Return a game's options that cite a rule, directly or by a decision that they name."""
    near = {rule.id, *re.findall(r"\bD\d+", rule.summary)}
    return [
        one for one in GAMES[name].options if near & {cite.strip() for cite in one.cite.split(",")}
    ]


@pytest.mark.parametrize(("name", "rule"), CLAUSES, ids=lambda value: getattr(value, "id", value))
def test_every_clause_has_a_rating_and_none_is_open(name, rule):
    assert re.match(r"[SPABCIM]\b|decision|ours|missing", rule.attested), rule.attested
    assert rule.status in ("implemented", "not applicable")


@pytest.mark.parametrize(("name", "rule"), CLAUSES, ids=lambda value: getattr(value, "id", value))
def test_sourced_clauses_are_played_and_contested_ones_have_an_option(name, rule):
    decided = rule.id.startswith("D")
    if not decided and tags(rule) & ATTESTED and f"{name} {rule.id}" not in NOT_PLAYED:
        assert rule.status == "implemented"
    if (decided or tags(rule) & OPEN) and not rule.reason:
        found = options(name, rule)
        assert found, "a decision without an option gives no reason"
        assert all(len(one.values) > 1 for one in found)
    if rule.status == "not applicable" or (decided and not options(name, rule)):
        assert rule.reason


@pytest.mark.parametrize("name", GAMES)
def test_every_output_can_name_the_source_of_the_rules(name):
    game = GAMES[name]
    assert "second-hand" in game.sources
    assert "second-hand" in game.edition


@pytest.mark.parametrize(
    "pair", [both for one, other in PAIRS for both in ((one, other), (other, one))], ids="-".join
)
def test_fire_falls_with_each_part_lent_and_borrowed(pair):
    """Put each part of one game into another, within the three and between the three and the four.

    Each table is played and replayed, or refused with a reason.
    """
    base, lent = pair
    catalogue = Catalogue.installed(only=pair)
    for word in WORDS:
        variation = Variation(parts={word: lent})
        if refused := REFUSED.get((base, word, lent)):
            with pytest.raises(CannotStageError, match=refused):
                stage_engagement(catalogue, base, find_engagement("woods"), variation)
            continue
        scenario = stage_engagement(catalogue, base, find_engagement("woods"), variation)
        for name in {base, lent} & GAMES.keys():
            assert (
                f"the rules of {GAMES[name].title} are from second-hand sources"
                in scenario.provenance
            )
        told = set()
        for seed in range(PLAYS):
            table = play_out(Table(scenario, MOMENTS), RandomFaces(seed))
            assert replay(scenario, MOMENTS, table.journal).state == table.state
            told |= {entry.event.kind for entry in table.log}
            if "fall" in told:
                break
        assert "fall" in told, f"{base} with the {word} of {lent}: fire never falls"


TESTED = re.compile(r"^def test_((?:[a-z]*\d+_|clause_)+)", re.MULTILINE)


@pytest.mark.parametrize("name", GAMES)
def test_every_sourced_clause_is_named_by_a_test(name):
    texts = [
        path.read_text(encoding="utf-8")
        for path in (Path(__file__).parents[1] / name).glob("test_*.py")
    ]
    named = {
        part.upper()
        for text in texts
        for found in TESTED.findall(text)
        for part in found.split("_")
    }
    told = {
        r.id for of, r in CLAUSES if of == name and not r.id.startswith("D") and tags(r) & ATTESTED
    }
    assert {clause for clause in told - named if f"{name} {clause}" not in NOT_PLAYED} == set()
