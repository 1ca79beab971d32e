"""Mechanisms of sheets: the example of each in docs/mechanisms.toml, with chances worked out by
hand.
"""

from fractions import Fraction
from pathlib import Path

import pytest
import tomli

import fireplan as fp
from fireplan.sheets import kinds_of, sheet_game
from fireplan.sheets.tables import cited_names
from fireplan_core import ready_parts
from fireplan_core.files import Document
from fireplan_core.play import Catalogue

FILE = Path(__file__).parents[3] / "docs/mechanisms.toml"
MECHANISMS = {one["name"]: one for one in tomli.loads(FILE.read_text("utf-8"))["mechanism"]}
SAID = [name for name, one in MECHANISMS.items() if "sheet" in one]

PLAIN = {
    "observers": 'observers.kind = "DeclaredSight"',
    "requests": 'requests.kind = "AskAndFire"',
    "delays": 'delays.kind = "FixedDelay"\ndelays.minutes = 1\ndelays.delay = 0',
    "areas": 'areas.kind = "AsAimed, Disc"\nareas.radius = 0',
    "resolution": 'resolution.kind = "FixedDamage"\nresolution.men_lost = { open = 10 }',
}
"""The parts that an example leaves out: fire at once, as aimed, that destroys a unit of ten men."""

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)

# For each example: the moments to play, the unit's place (the target if empty), a measure, and its
# value.
WORKED_OUT = {
    "sight as declared": [(3, "", "delivered", 0)],  # the observer is 500 m away and sees 400 m
    "ask, then fire for effect": [(1, "", "delivered", 1)],
    "range-in": [(2, "", "delivered", HALF)],  # half the spotting rounds land on the target
    "plotted fire": [(1, "", "delivered", 1)],
    "card that grants a request": [(1, "", "delivered", HALF)],
    "hand of cards": [(1, "", "delivered", Fraction(2, 3))],  # two of three cards are in hand
    "answer by the other side": [(1, "", "delivered", HALF)],
    "fixed delay": [(2, "", "delivered", 0), (3, "", "delivered", 1)],
    # Fire at 6,000 m takes two moments.
    "delay by range": [(2, "", "delivered", 0), (3, "", "delivered", 1)],
    "relay": [(2, "", "delivered", THIRD), (3, "", "delivered", Fraction(5, 9))],
    # 7 or less is 21 of 36, 8 or less 26 of 36.
    "roll under a skill": [
        (2, "", "delivered", Fraction(21, 36)),
        (3, "", "delivered", Fraction(21, 36) + Fraction(15, 36) * Fraction(26, 36)),
    ],
    "request chart": [(2, "", "delivered", HALF)],
    "chit pile": [(2, "", "delivered", Fraction(2, 3)), (3, "", "delivered", 1)],
    "card deck": [(1, "", "on_target", Fraction(2, 3))],
    "track": [(2, "", "delivered", HALF), (3, "", "delivered", 1)],
    "fire lands as aimed": [(1, "", "on_target", 1)],
    "scatter by direction and extent": [(1, "", "on_target", THIRD)],
    # The first round is 2 or 3 hexes off, the second 0 or 1; then fire for effect is called.
    "ranging that narrows": [(4, "", "on_target", HALF)],
    "scatter by margin": [(1, "", "on_target", Fraction(21, 36))],
    "scatter to a neighbour": [
        (1, "", "on_target", HALF),
        (1, "J9", "destroyed", Fraction(1, 12)),
        (1, "J10", "destroyed", 0),
    ],
    "deviation in the plane": [(1, "", "on_target", HALF)],
    "shift by the other side": [(1, "", "destroyed", HALF)],
    "drift with the wind": [(1, "10,0", "destroyed", 0), (2, "10,0", "destroyed", HALF)],
    "whole hexes": [(1, "", "destroyed", 1), (1, "J9", "destroyed", 0)],
    "disc of hexes": [(1, "J9", "destroyed", 1), (1, "J10", "destroyed", 0)],
    "line of hexes": [(1, "J9", "destroyed", 1), (1, "K8", "destroyed", 0)],
    "moving barrage": [(1, "J9", "destroyed", 0), (2, "J9", "destroyed", 1)],
    "corner of hexes": [(1, "", "destroyed", 1), (1, "J10", "destroyed", 0)],
    "template": [(1, "3,4", "destroyed", 1), (1, "4,4", "destroyed", 0)],
    "rectangle along the line of fire": [(1, "3,10", "destroyed", 1), (1, "4,0", "destroyed", 0)],
    "oval along the line of fire": [(1, "3,8", "destroyed", 1), (1, "4,8", "destroyed", 0)],
    "rings with falloff": [(1, "J9", "reduced", 1), (1, "J9", "destroyed", 0)],
    "results table": [(1, "", "destroyed", Fraction(21, 36))],
    "one roll for all": [(1, "", "destroyed", Fraction(21, 36))],
    "pool of dice": [(1, "", "destroyed", Fraction(5, 9))],
    # Twelve guns roll at most three dice.
    "dice for each gun": [(1, "", "destroyed", Fraction(7, 8))],
    "hits, saves and wounds": [(1, "", "destroyed", THIRD)],  # a die hits on 4 and saves on 5
    "check against a score": [(1, "", "suppressed", Fraction(15, 36))],
    "damage without dice": [(1, "", "reduced", 1), (1, "", "destroyed", 0)],
    "depletion": [(1, "", "exhausted", THIRD)],
    "counted missions": [(1, "", "exhausted", 1)],
}


def sheet_of(said, moments, place):
    """Return a sheet with these entries and plain ones for everything else."""
    own = tomli.loads(said)
    target = "0,0" if own.get("map", {}).get("kind") == "table" else "J8"
    lines = ['sheet = 1\nkey = "example"\ntitle = "Example"\nmap.metres = 100', said]
    lines += ['map.kind = "hexes"'] if "map" not in own else []
    lines += [plain for word, plain in PLAIN.items() if "kind" not in own.get(word, {})]
    chosen = tomli.loads("\n".join(lines))
    rules = {}
    for word in PLAIN:
        kinds = tuple(kinds_of(word)[name.strip()] for name in chosen[word]["kind"].split(","))
        rules |= {name: word for names in cited_names(kinds) for name in names}
    for word in PLAIN:
        cited = ", ".join(f'{name} = "{name}"' for name in rules if rules[name] == word)
        lines.append(f"{word}.rules = {{ {cited} }}")
    lines += [
        f'[[scenario]]\nname = "first"\ntitle = "First"\nmoments = {moments}\ntarget = "{target}"',
        f'[[scenario.unit]]\nid = "unit"\nplace = "{place or target}"',
    ]
    lines += [f'[[rule]]\nid = "{name}"\nsummary = "The rule for {name}."' for name in rules]
    return "\n".join(lines)


def admitted(text):
    """Return a catalogue with the sheet's game."""
    catalogue = Catalogue()
    catalogue.admit(sheet_game(Document.of("example.toml", text)))
    return catalogue


@pytest.mark.parametrize("name", SAID)
def test_a_sheet_expresses_a_mechanism(name):
    assert WORKED_OUT[name]
    for moments, place, measure, value in WORKED_OUT[name]:
        catalogue = admitted(sheet_of(MECHANISMS[name]["sheet"].strip(), moments, place))
        answer = fp.odds("example/first", catalogue=catalogue).answer
        assert answer.measures[measure].number == value, (moments, place, measure)


@pytest.mark.parametrize("name", [name for name in SAID if "ready" in MECHANISMS[name]])
def test_the_example_of_a_mechanism_is_made_of_its_ready_part(name):
    game = admitted(sheet_of(MECHANISMS[name]["sheet"].strip(), 1, ""))["example"].game
    ready = MECHANISMS[name]["ready"]
    if ready == "Cards":
        assert game.parts.areas.draws
    else:
        kinds = [game.parts.of(word) for word in PLAIN]
        assert any(issubclass(kind, getattr(ready_parts, ready)) for kind in kinds)


def test_most_mechanisms_can_be_expressed_in_a_sheet():
    assert set(WORKED_OUT) == set(SAID)
    assert all(("sheet" in one) != ("no_sheet" in one) for one in MECHANISMS.values())
    assert len(SAID) >= 41
