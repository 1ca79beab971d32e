"""Laws of the fields of every game: what sets a field compares equal to what is read from it."""

from enum import Enum
from fractions import Fraction
from typing import Literal, get_args, get_origin

import pytest

import fireplan as fp
from fireplan.analysis import shipped_engagements
from fireplan.errors import InputError
from fireplan.positions import GROUND, TABLE, Position, Source, Sources
from fireplan.positions.atoms import Node, atoms_of, members
from fireplan.positions.field_words import FieldWord
from fireplan.positions.fields import fields_of
from fireplan.positions.final import Final
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
    """Yield group, label and field of one of each kind: asset, unit, table, ground."""
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
    """Return the label of the place of any unit, or of any target."""
    setups = [*scenario.units.values(), *scenario.missions.values()]
    places = [getattr(setup, "place", None) or getattr(setup, "target", None) for setup in setups]
    return next(scenario.frame.label(place) for place in places if place is not None)


def values_of(scenario, field):
    """Yield what a program may write: words, names, numbers, flags, labels."""
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
    """Return what is read from a field into which a value was written, as a program does it."""
    prefix = {TABLE: "shared", GROUND: "ground"}.get(group) or fields_of(scenario).prefix(group)
    stored = atoms_of(scenario).read(Node.of(value), field.hint, fields_of(scenario).among(field))
    values = opening(scenario).values.put(((field.key(prefix, label), stored),))
    at = Position.of(Source(name=""), scenario, State(values, ()))
    final = Final(scenario, at.read)
    if group == TABLE:
        return final[name_in(fields_of(scenario).table, field)]
    if group == GROUND:
        return final[label, name_in(fields_of(scenario).ground, field)]
    if label:
        return final[group, name_in(fields_of(scenario).at, field), label]
    return final[group, name_in(fields_of(scenario).of(group), field)]


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
def test_what_sets_a_field_equals_what_is_read_and_other_words_are_refused(name):
    check(name)


@pytest.mark.full
@pytest.mark.parametrize("name", [name for name in NAMES if name not in FEW])
def test_what_sets_a_field_of_any_scenario_equals_what_is_read(name):
    check(name)


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
