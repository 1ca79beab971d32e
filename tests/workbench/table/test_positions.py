"""Positions of a table: at any input of a journal, and as one side knows them."""

import random

import attrs
import pytest

from fireplan.analysis import shipped_engagements
from fireplan.positions import Position, Source, Sources, position_of
from fireplan.table import (
    Session,
    SidePosition,
    begin,
    make_head,
    position_at,
    reopen,
    side_line,
    source_of,
)
from fireplan_core import Ask
from fireplan_core.chance import RandomFaces
from fireplan_core.files import FileError
from fireplan_core.play import Catalogue, State, Table, Thrown

CATALOGUE = Catalogue.installed()
SOURCES = Sources(CATALOGUE, shipped_engagements())
HIDDEN = ["miniatures_1943/river_crossing", "miniatures_1943/hedgerow_farm"]


def played(session, seed, most):
    """Give a session random inputs, die by die; yield before each of them and at the end."""
    choose, faces = random.Random(seed), RandomFaces(seed)
    for _ in range(most):
        yield session
        waits = session.table.waits_for
        if waits is None:
            return
        if isinstance(waits, Ask):
            session.order(choose.choice(session.table.rulebook.legal(waits, session.table.read)))
        else:
            for face in faces.faces(waits):
                session.face(face, typed=False)
                yield session
    yield session


@pytest.mark.parametrize(
    ("name", "game"), [("asl/village", None), ("woods", "red_poppies"), (HIDDEN[0], None)]
)
def test_a_journal_has_a_position_after_each_of_its_inputs(tmp_path, name, game):
    head = make_head(CATALOGUE, name, game, shipped_engagements())
    source = source_of(head)
    session = begin(tmp_path / "table.fireplan", CATALOGUE, head)
    found = {}
    for now in played(session, 1, 25):
        found[len(now.rows)] = Position.of(source, now.scenario, now.table.state, now.faces)
    session.journal.close()
    again, _ = reopen(tmp_path / "table.fireplan", CATALOGUE, read_only=True)
    # The games in HIDDEN throw one die at a time, so no input ends in the middle of a throw.
    assert any(position.faces for position in found.values()) == (name not in HIDDEN)
    for number, position in found.items():
        there = position_at(again, source, number)
        assert there == position
        assert position_of(str(there), SOURCES) == there
    assert position_at(again, source) == found[len(again.rows)]
    with pytest.raises(Exception, match="there is no input 999"):
        position_at(again, source, 999)
    again.journal.close()


# --- as a side knows it --------------------------------------------------------------------------
def secrets_of(position, side):
    """Return the keys of the other side's chits."""
    others = [name for name, setup in position.scenario.missions.items() if setup.side != side]
    return {
        name: [key for key in position.state.values if key.startswith(f"missions/{name}/")]
        for name in others
    }


@pytest.mark.parametrize("name", HIDDEN)
def test_two_positions_that_differ_in_a_secret_are_one_to_the_other_side(name):
    scenario, choose = SOURCES.scenario(Source(name=name)), random.Random(2)
    sides = {setup.side for setup in scenario.missions.values()}
    tried = 0
    for session in played(Session(scenario, 6), 3, 60):
        position = Position.of(Source(name=name), scenario, session.table.state)
        for side in sides:
            hidden = secrets_of(position, side)
            one, other = choose.sample(list(hidden), 2)
            values = position.state.values
            swapped = [(key, values[key.replace(f"/{one}/", f"/{other}/")]) for key in hidden[one]]
            secret = attrs.evolve(
                position, state=State(values.put(tuple(swapped)), position.state.agenda)
            )
            if secret != position:
                tried += 1
                assert side_line(secret, side) == side_line(position, side)
                (owner,) = sides - {side}
                assert side_line(secret, owner) != side_line(position, owner)
    assert tried > 10


def test_a_question_about_a_hidden_air_strike_is_left_out_of_the_line_of_the_enemy():
    strike = '"american air strike 1"'
    position = position_of(
        f"fp1 {HIDDEN[1]} {strike}{{stage=delayed intent=effect aim=@0,-120 outcome=good answer=arrived}}"
        f" table{{filled}} > american?areas.heading({strike})",
        SOURCES,
    )
    assert f"areas.heading({strike})" in side_line(position, "american")
    assert strike not in side_line(position, "german")


def test_the_secret_start_of_a_creeping_barrage_is_unknown_to_the_enemy_until_fire_falls():
    source = Source(name="asl/creeping")
    scenario = SOURCES.scenario(source)
    ((mission, setup),) = scenario.missions.items()
    table = Table(scenario, 6)
    while table.read(f"missions/{mission}/aim", None) is None:
        waits = table.waits_for
        table.submit(Thrown(waits.name, tuple(die.weights[0][0] for die in waits.faces)))
    position = Position.of(source, scenario, table.state)
    (enemy,) = {unit.side for unit in scenario.units.values()} - {setup.side}
    assert "aim=" in side_line(position, setup.side)
    assert "aim=" not in side_line(position, enemy)


@pytest.mark.parametrize("name", [*HIDDEN, "asl/village"])
def test_no_line_of_a_side_names_what_is_hidden_from_it_and_it_reads_back(name):
    source = Source(name=name)
    scenario = SOURCES.scenario(source)
    sides = {setup.side for setup in (*scenario.missions.values(), *scenario.units.values())}
    for session in played(Session(scenario, 6), 5, 50):
        position = Position.of(source, scenario, session.table.state, session.faces)
        for side in sides:
            line = side_line(position, side)
            known = SidePosition.of_line(line, SOURCES)
            assert str(known) == line
            assert known.side == side
            assert known.moment == position.moment
            for unit, setup in scenario.units.items():
                if setup.side == side:
                    assert known.read(f"units/{unit}/place") == position.read(
                        f"units/{unit}/place", None
                    )
            if name in HIDDEN:
                assert not any(f'"{chit}"' in line for chit in secrets_of(position, side))


def test_questions_about_unknown_facts_are_refused():
    source = Source(name=HIDDEN[0])
    position = Position.of(source, SOURCES.scenario(source))
    line = side_line(position, "german")
    assert line == f"fp1 {HIDDEN[0]}?german"
    known = SidePosition.of_line(line, SOURCES)
    with pytest.raises(FileError, match="german does not know this"):
        known.read("missions/soviet barrage 1/delays/to_go")
    with pytest.raises(FileError, match="does not know everything that play depends on"):
        known.table()
    with pytest.raises(FileError, match="what german knows"):
        position_of(line, SOURCES)
    with pytest.raises(FileError, match="not of what a side knows"):
        SidePosition.of_line(str(position), SOURCES)
