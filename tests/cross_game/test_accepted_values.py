"""The law of accepted values: from a position with any of them, play goes on and stays within
range.
"""

from fractions import Fraction

import pytest
from playing_on import at_random
from shipped import FEW

import fireplan as fp
from fireplan.positions import TABLE
from fireplan.positions.fields import fields_of
from fireplan.positions.hints import members
from fireplan.positions.position import choices_of
from fireplan_core.chance import RandomFaces
from fireplan_core.play.table import Table
from fireplan_core.space import PLACE
from fireplan_kit.play_laws import wander

COUNTED = 99
"""Counters whose upper limit play may exceed."""


def extremes(field):
    """Return the smallest and largest values of a number (the smallest alone if play may exceed the
    largest), or both truth values.
    """
    kinds, bounds = members(field.hint), field.about.get("range")
    if field.places:
        return []
    if bounds and {int, Fraction} & {*kinds}:
        low, high = bounds
        return [low] if high == COUNTED else [low, high]
    return [True, False] if bool in kinds else []


def words_and_places(scenario, field):
    """Return the words that a field may hold, or two places, each with None where that is allowed."""
    if field.places:
        return []
    if PLACE not in members(field.hint):
        return [*choices_of(field), *([None] if type(None) in members(field.hint) else [])]
    setups = [*scenario.units.values(), *scenario.missions.values()]
    places = [getattr(setup, "place", None) or getattr(setup, "target", None) for setup in setups]
    labels = [*dict.fromkeys(scenario.frame.label(place) for place in places if place)]
    return [labels[0], labels[-1], *([None] if field.name != "aim" else [])]


def changes(scenario, values=lambda _scenario, field: extremes(field), most=None):
    """Yield the arguments of ``having`` that set one field to each of ``values``."""
    groups = [("assets", name) for name in [*scenario.missions][:most]]
    groups += [("units", name) for name in [*scenario.units][:most]]
    fields = fields_of(scenario)
    for kind, name in groups:
        for word, field in fields.of(name).items():
            yield from ({kind: {name: {word: value}}} for value in values(scenario, field))
    for word, field in fields.table.items():
        yield from ({TABLE: {word: value}} for value in values(scenario, field))


def out_of_range(scenario, state):
    """Return (key, value) for each number that is out of its field's range."""
    wrong = []
    for key, value in state.values.items():
        if key.startswith("clock/"):
            continue
        low, high = fields_of(scenario).spot(key).field.about.get("range") or (0, COUNTED)
        is_number = isinstance(value, int | Fraction) and not isinstance(value, bool)
        if is_number and not (low <= value and (value <= high or high == COUNTED)):
            wrong.append((key, value))
    return wrong


def play_on(position, inputs):
    """Play at random from a position, and check every state."""
    scenario, faces = position.at.scenario, RandomFaces(5)
    table = Table(scenario, position.at.moment + 2, position.at.state)
    for _ in range(inputs):
        assert not out_of_range(scenario, table.state), str(position)
        if table.waits_for is None:
            return
        table.submit(at_random(table, faces))


def check(name, states, inputs):
    opening, accepted = fp.position(name), 0
    scenario = opening.at.scenario
    seen = [opening.at.state]
    seen += [table.state for table in wander(scenario, 3, seed=1, most=states) if table.waits_for]
    for state in seen:
        for change in changes(scenario):
            try:
                position = opening.standing(state).having(**change)
            except fp.InputError:
                continue
            if position.at.state != state:
                play_on(position, inputs)
                accepted += 1
    assert accepted > 5


@pytest.mark.parametrize("name", [name for name in FEW if not name.startswith("red_poppies/")])
def test_play_goes_on_from_any_accepted_value(name):
    check(name, 1, 6)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(
            name, marks=pytest.mark.long if name.startswith("red_poppies/") else pytest.mark.full
        )
        for name in FEW
    ],
)
def test_play_goes_on_from_any_value_that_is_accepted_in_play(name):
    check(name, 8, 8)


def check_words(name, states, inputs):
    """Print, and play on from, every position with an accepted word or place."""
    opening, accepted = fp.position(name), 0
    scenario = opening.at.scenario
    seen = [table.state for table in wander(scenario, 3, seed=3, most=states) if table.waits_for]
    for state in seen:
        for change in changes(scenario, words_and_places, most=2):
            try:
                position = opening.standing(state).having(**change)
            except fp.InputError:
                continue
            if position.at.state != state:
                assert str(position).startswith(position.line), change
                play_on(position, inputs)
                accepted += 1
    assert accepted > 5


def installed(name):
    """Skip the test unless a scenario's game is installed."""
    game = name.partition("/")[0]
    pytest.importorskip(f"fireplan_{game}", reason="the game is in requirements-games.txt")


QUICK = ("asl/creeping", "combat_commander/lone_radio")
SLOW = ("red_poppies/combined_arms_assault", *(name for name in FEW if name not in QUICK))


@pytest.mark.parametrize(
    "name", [*QUICK, *(pytest.param(name, marks=pytest.mark.long) for name in SLOW)]
)
def test_a_position_with_any_word_or_place_that_is_accepted_prints_and_plays_on(name):
    installed(name)
    check_words(name, 7, 6)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (
            (
                "combat_commander/lone_radio radio{stage=falling} > italian?requests.ask(radio)"
                " delays.activate(radio) delays.end_turn(italian) delays.player_turn(american)"
            ),
            "radio: the stage is falling, but no round has landed",
        ),
        (
            (
                'asl/village "turn 3 PFPh" a{stage=spotting reason=lost round=@N3 outcome=good'
                ' answer="Battery Access" black=7 contact access} > german?requests.fire(a)'
            ),
            "it ended [(]lost[)], but the stage is spotting",
        ),
        ("wacht_am_rhein/crossroads us{target=none}", "us: it has no target"),
        ('battlegroup_clash/causeway "recce patrol"{place=none}', "recce patrol: it has no place"),
    ],
)
def test_a_mission_that_does_not_go_with_its_stage_is_refused_in_play(line, words):
    installed(line)
    with pytest.raises(fp.InputError, match=words):
        fp.position(f"fp1 {line}")


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        ("asl/creeping", {"assets": {"a": {"black": 0}}}, r"needs a black chit, .* \(E12.72\)"),
        (
            "wacht_am_rhein/crossroads",
            {"table": {"turn": 99}},
            r"so none has turn=99 \(12.0\)",
        ),
        (
            "miniatures_1943/chits_in_hand",
            {"assets": {"american barrage 1": {"placed": True}}},
            r"set aim \(6.2.d\)",
        ),
    ],
)
def test_a_value_that_stops_the_rules_is_refused(name, change, words):
    with pytest.raises(fp.InputError, match=words):
        fp.position(name).having(**change)


def test_7_243_an_hour_glass_that_is_set_in_play_leaves_the_aim_where_it_is():
    position = fp.position(
        'fp1 red_poppies/battle_for_pinon "turn 2" "75s"{stage=delayed intent=effect '
        "aim=@AU05/AU06/AV05 outcome=good answer=signal} "
        '> areas.stray("75s" NE)'
    )
    turned = position.having(assets={"75s": {"hourglass": 0}})
    assert turned["75s", "aim"] == position["75s", "aim"]
    assert turned["75s", "hourglass"] == 0
