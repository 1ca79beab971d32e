"""Positions in play with fields set at random: they are refused when they are read, or play goes
on.
"""

import random

import pytest
from playing_on import at_random
from random_values import values
from shipped import FEW, NAMES

import fireplan as fp
from fireplan.positions import TABLE
from fireplan.positions.fields import fields_of
from fireplan_core.chance import RandomFaces
from fireplan_core.play.table import Table
from fireplan_kit.play_laws import wander


def change_of(choose, scenario):
    """Return the arguments of ``having`` that set a random field to a random value."""
    fields = fields_of(scenario)
    kind, name = choose.choice(
        [
            *((TABLE, "") for field in fields.table.values() if not field.places),
            *(("assets", name) for name in scenario.missions),
            *(("units", name) for name in scenario.units),
        ]
    )
    group = fields.table if kind == TABLE else fields.of(name)
    word = choose.choice([word for word, field in group.items() if not field.places])
    found = values(choose, scenario, group[word])
    value = choose.choice(found) if found else None
    return {kind: {word: value}} if kind == TABLE else {kind: {name: {word: value}}}


def play_on(position, seed, inputs):
    """Play at random from a position."""
    scenario, faces = position.at.scenario, RandomFaces(seed)
    table = Table(scenario, position.at.moment + 2, position.at.state)
    for _ in range(inputs):
        if table.waits_for is None:
            return
        table.submit(at_random(table, faces, each=1))


def attack(name, seed, states, changes):
    """Set random fields at random points of play; return how many were accepted."""
    opening, choose, accepted = fp.position(name), random.Random(seed), 0
    scenario = opening.at.scenario
    seen = [table.state for table in wander(scenario, 3, seed=seed, most=30) if table.waits_for]
    for state in choose.sample(seen, min(states, len(seen))):
        for _ in range(changes):
            change = change_of(choose, scenario)
            try:
                position = opening.standing(state).having(**change)
            except fp.InputError:
                continue
            accepted += 1
            try:
                play_on(position, seed, 10)
                assert fp.position(position.line) == position
            except Exception as error:
                error.add_note(f"{opening.standing(state).line} {change}")
                raise
    return accepted


@pytest.mark.parametrize("name", FEW)
def test_a_field_set_at_random_in_play_is_refused_or_played_on(name):
    assert attack(name, 1, 3, 12)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 8))
@pytest.mark.parametrize("name", NAMES)
def test_any_field_set_at_random_in_play_is_refused_or_played_on(name, seed):
    assert attack(name, seed, 8, 40)


AIMED = [
    (
        'asl/ridge "turn 2 DFPh" a{stage=requested intent=spotting outcome=good answer="Battery Access"'
        " black=7 contact access} > areas.land(a)"
    ),
    (
        'red_poppies/battle_for_pinon "turn 2" "75s"{stage=delayed intent=effect outcome=good'
        ' answer=signal hourglass=0} > areas.land("75s")'
    ),
    (
        'wacht_am_rhein/crossroads "barrage segment 2" us{stage=requested strength=1/2 outcome=good'
        ' answer=barrage used=[["109-FA" 4 1]] firing=["109-FA"] formation="28th-Division" observed}'
        " table{hexes=[[US @3030]] minutes=270 asked=[us]} > requests.ammunition(us)"
        " core.release(us effect) resolution.turn_over() requests.turn_over(US)"
    ),
    (
        'battlegroup_clash/causeway "turn 2" mortar{stage=requested intent=effect outcome=good'
        ' answer="at once" left=2 plan=@E13/N10 unit="fire support team" by=[recce] cost=1}'
        ' table{acted={mortar} first=""} > Russia?delays.counter(mortar) core.shot(mortar)'
        " delays.activation(Russia) delays.clean_up() resolution.turn_over()"
    ),
]


@pytest.mark.parametrize("line", AIMED)
def test_a_shot_under_way_without_an_aim_is_refused(line):
    pytest.importorskip(f"fireplan_{line.partition('/')[0]}")
    with pytest.raises(fp.InputError, match="a shot of it is under way, so aim cannot be none"):
        fp.position(f"fp1 {line}")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("asl/creeping a{black=9} >> areas.creep_lands(a 1)", "the rules cannot go on from here"),
        ("battlegroup_clash/causeway table{sides=[]}", "table.sides: expected 2 values"),
        ("battlegroup_clash/causeway table{modifiers=[-1]}", "table.modifiers: expected 2 values"),
        ("battlegroup_clash/causeway battery{unit=banana}", "expected one of none, "),
        ('battlegroup_clash/causeway table{flyers=["Russland"]}', "did you mean Russia"),
        (
            "red_poppies/cut_wires table{sides=[]}",
            "table.sides: expected the sides of the scenario: french",
        ),
        ("red_poppies/cut_wires table{troops}", "whether units on the map can act is fixed"),
        ("red_poppies/cut_wires table{commands=[]}", "table.commands: expected one number for"),
        ("battletech/two_pieces sniper{left=[1 2]}", "a time of flight [(]left[)] for each shell"),
        ('miniatures_1943/hedgerow_farm "american barrage 1"{stage=delayed to_go=99}', "at most"),
    ],
)
def test_lists_and_counts_that_the_rules_cannot_read_are_refused(line, words):
    pytest.importorskip(f"fireplan_{line.partition('/')[0]}")
    with pytest.raises(fp.InputError, match=words):
        fp.position(f"fp1 {line}")
