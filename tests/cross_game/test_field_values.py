"""Laws of every game's fields: a value used to set a field compares equal to the value read from
it.
"""

from enum import Enum
from fractions import Fraction
from typing import Any, Literal, get_args, get_origin

import pytest

import fireplan as fp
from fireplan.analysis import shipped_engagements
from fireplan.errors import InputError
from fireplan.positions import GROUND, TABLE, Position, Source, Sources
from fireplan.positions.atoms import Node, atoms_of
from fireplan.positions.field_words import FieldWord
from fireplan.positions.fields import fields_of
from fireplan.positions.final import Final, value_of
from fireplan.positions.hints import members
from fireplan_core import Stage
from fireplan_core.files import FileError
from fireplan_core.play import Catalogue, shipped_scenarios
from fireplan_core.play.scenario import State, opening
from fireplan_core.space import PLACE

CATALOGUE = Catalogue.installed()
SOURCES = Sources(CATALOGUE, shipped_engagements())
NAMES = tuple(shipped_scenarios(CATALOGUE))
FEW = tuple({name.partition("/")[0]: name for name in reversed(NAMES)}.values())


def every_field(scenario):
    """Yield group, label and field of every asset and unit, of the table, and of one place on the
    ground.
    """
    fields, label = fields_of(scenario), a_place(scenario)
    for name in (*scenario.missions, *scenario.units):
        for field in fields.of(name).values():
            yield name, "", field
    for field in fields.table.values():
        if not field.places:
            yield TABLE, "", field
    for field in fields.ground.values():
        if not field.places:
            yield GROUND, label, field
    for name in scenario.missions:
        for field in fields.at.values():
            yield name, label, field


def a_place(scenario):
    """Return the label of any unit's place, or of any target."""
    setups = [*scenario.units.values(), *scenario.missions.values()]
    places = [getattr(setup, "place", None) or getattr(setup, "target", None) for setup in setups]
    return next(scenario.frame.label(place) for place in places if place is not None)


def values_of(scenario, field):
    """Yield values that a program may write: words, names, numbers, flags, labels."""
    low, high = field.about.get("range") or (0, 3)
    among = fields_of(scenario).among(field)
    for kind in members(field.hint):
        if isinstance(kind, type) and issubclass(kind, Enum):
            yield from (member.name.lower() for member in kind)
        elif get_origin(kind) is Literal:
            yield from get_args(kind)
        elif kind is bool:
            yield from (True, False)
        elif kind in (int, Fraction):
            yield from map(kind, (low, high))
        elif kind is str:
            yield from among
        elif kind == PLACE:
            yield a_place(scenario)


def read(scenario, group, label, field, value):
    """Return the value read from a field after a value was written to it, as a program would do."""
    key, at = written(scenario, group, label, field, value)
    return Final(scenario, at.read)[key]


def written(scenario, group, label, field, value):
    """Return a field's index, and the position with a value written to it."""
    prefix = {TABLE: "shared", GROUND: "ground"}.get(group) or fields_of(scenario).prefix(group)
    stored = atoms_of(scenario).read(Node.of(value), field.hint, fields_of(scenario).among(field))
    values = opening(scenario).values.put(((field.key(prefix, label), stored),))
    at = Position.of(Source(name=""), scenario, State(values, ()))
    fields = fields_of(scenario)
    if group == TABLE:
        return name_in(fields.table, field), at
    if group == GROUND:
        return (label, name_in(fields.ground, field)), at
    if label:
        return (group, name_in(fields.at, field), label), at
    return (group, name_in(fields.of(group), field)), at


def name_in(fields, field):
    return next(name for name, each in fields.items() if each is field)


def check(name):
    scenario, written, refused = SOURCES.scenario(Source(name=name)), 0, 0
    for group, label, field in every_field(scenario):
        for value in values_of(scenario, field):
            found = read(scenario, group, label, field, value)
            assert found == value, (group, field.name, value)
            written += 1
            if isinstance(found, FieldWord):
                for other in ("no such word", 3, f"{value} ", Stage.IDLE):
                    with pytest.raises(InputError):
                        found == other  # noqa: B015
                refused += 1
            else:
                assert not isinstance(found, Enum)
                assert PLACE not in members(field.hint)
    assert written > 20
    assert refused > 5


@pytest.mark.parametrize("name", FEW)
def test_a_value_set_equals_the_value_read_and_other_words_are_refused(name):
    check(name)


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name in NAMES if name not in FEW])
def test_a_value_set_in_any_scenario_equals_the_value_read(name):
    check(name)


RECORDS = {"landing"}
"""Fields that hold a record of their game, which no question compares with a word."""


def check_comparisons_of(name):
    """Compare every field, in a question's function, with values that it can hold and that it
    cannot.
    """
    scenario = SOURCES.scenario(Source(name=name))
    for group, label, field in every_field(scenario):
        values = [*values_of(scenario, field)]
        if {type(None), PLACE} & {*members(field.hint)}:
            values.append(None)
        for value in values:
            key, at = written(scenario, group, label, field, value)
            assert value_of(lambda end, key=key, value=value: end[key] == value, scenario, at.read)
            for other in (3 if str in members(field.hint) else "no such word", "yes", Stage.IDLE):
                if field.name in RECORDS or (str in members(field.hint) and other == "yes"):
                    continue
                with pytest.raises(InputError):
                    value_of(lambda end, key=key, other=other: end[key] == other, scenario, at.read)
                with pytest.raises(InputError):
                    value_of(lambda end, key=key, other=other: end[key] != other, scenario, at.read)
            if None not in values and not {Any, object} & {*members(field.hint)}:
                with pytest.raises(InputError):
                    value_of(lambda end, key=key: end[key] == None, scenario, at.read)  # noqa: E711


@pytest.mark.parametrize("name", FEW)
def test_no_field_is_compared_with_a_value_that_it_can_never_hold(name):
    check_comparisons_of(name)


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name in NAMES if name not in FEW])
def test_no_field_of_any_scenario_is_compared_with_a_value_that_it_can_never_hold(name):
    check_comparisons_of(name)


IMPOSSIBLE = {
    "contact: expected True or False, got 'yes'": lambda end: end["a", "contact"] == "yes",
    "round: 'ZZ99' is not the label": lambda end: end["a", "round"] == "ZZ99",
    "no value of reason 'lots'": lambda end: end["a", "reason"] == "lots",
    "red: expected a whole number [(]0 to 99[)], got 100": lambda end: end["a", "red"] == 100,
    "smoke: expected a whole number or a list": lambda end: end["K5", "smoke"] != "none",
}


@pytest.mark.parametrize("words", IMPOSSIBLE)
def test_every_question_that_takes_a_function_refuses_impossible_comparisons(words):
    village, never = fp.position("asl/village"), IMPOSSIBLE[words]
    asked = [
        lambda: village.distribution(never, by="turn 1"),
        lambda: village.distribution(never, by="turn 1", sample=5),
        lambda: village.stories(3, by="turn 1").where(never),
        lambda: village.chance("fall", by=1, orders=lambda end, _: "call" if never(end) else None),
    ]
    for question in asked:
        with pytest.raises(fp.InputError, match=words):
            question()


@pytest.mark.full
def test_allowed_comparisons_in_a_function_are_answered():
    village = fp.position("asl/village")
    contact = village.distribution(lambda end: end["a", "contact"], by="turn 1").shares
    for function in (
        lambda end: end["a", "contact"] is True,
        lambda end: end["a", "contact"] == True,  # noqa: E712
        lambda end: end["a", "contact"] == 1,
        lambda end: end["a", "contact"] != False,  # noqa: E712
        lambda end: {True: True, False: False}[end["a", "contact"]],
    ):
        assert village.distribution(function, by="turn 1").shares == contact
    landed = village.distribution(lambda end: end["a", "round"] is not None, by="turn 1").shares
    assert village.distribution(lambda end: end["a", "round"] != None, by="turn 1").shares == landed  # noqa: E711
    assert 0 < landed[True] < contact[True]


def test_words_in_events_are_read_as_in_fields():
    events = [event for story in fp.position("asl/village").stories(40) for event in story.events]
    hurt = next(event for event in events if event.kind == "suffered")
    assert hurt["severity"] in ("suppressed", "destroyed")
    assert hurt["unit"] in ("1st squad", "2nd squad", "3rd squad", "tank")
    for name, word in (("severity", "destoyed"), ("unit", "4th squad")):
        with pytest.raises(InputError, match=word):
            hurt[name] == word  # noqa: B015


@pytest.mark.parametrize("name", NAMES)
def test_every_field_of_a_scenario_is_listed(name):
    scenario = SOURCES.scenario(Source(name=name))
    listed = {(row["of"], row["name"]) for row in fp.fields(name.partition("/")[0]).rows()}
    fields = fields_of(scenario)
    groups = {"table": [fields.table], "place": [fields.ground], "asset at a place": [fields.at]}
    groups["asset"] = [fields.of(mission) for mission in scenario.missions]
    groups["unit"] = [fields.of(unit) for unit in scenario.units]
    assert {
        (of, each) for of, named in groups.items() for names in named for each in names
    } <= listed


@pytest.mark.parametrize("text", ["yes", "none", "3", "1/2"])
def test_a_program_writes_flags_and_numbers_as_themselves(text):
    scenario = SOURCES.scenario(Source(name="asl/village"))
    for hint in (bool, int, Fraction, int | None):
        with pytest.raises(FileError, match="expected"):
            atoms_of(scenario).read(Node.of(text), hint)
