"""Laws of positions in every game: a line reads back as it was written, however far play has gone."""

import importlib
import random
import re
from fractions import Fraction
from pathlib import Path

import attrs
import pytest
from playing_on import next_input
from tiers import one_in

import fireplan as fp
from fireplan.analysis import shipped_engagements
from fireplan.positions import Position, Source, Sources, position_of
from fireplan.table import SidePosition
from fireplan_core import WORDS, Ask, FireKind, Mission, Stage, Unit
from fireplan_core.chance import RandomFaces
from fireplan_core.files import FileError
from fireplan_core.play import Answered, Catalogue, Table, Thrown, shipped_scenarios

CATALOGUE = Catalogue.installed()
SOURCES = Sources(CATALOGUE, shipped_engagements())
HYBRIDS = (
    Source(name="woods", game="asl", parts=(("delays", "red_poppies"),)),
    Source(
        name="woods", game="red_poppies", parts=(("areas", "asl"), ("resolution", "wacht_am_rhein"))
    ),
    Source(name="woods", game="asl", parts=(("delays", "miniatures_1943"),)),
)
TABLES = [
    *(Source(name=name) for name in shipped_scenarios(CATALOGUE)),
    *(Source(name="woods", game=game) for game in CATALOGUE.games),
    *HYBRIDS,
]


def positions(source, seed, most=60, moments=6, sources=SOURCES):
    """Yield positions of random play: random legal orders, random dice."""
    scenario = sources.scenario(source)
    table, choose, faces = Table(scenario, moments), random.Random(seed), RandomFaces(seed)
    for _ in range(most):
        yield Position.of(source, scenario, table.state)
        waits = table.waits_for
        if waits is None:
            return
        if isinstance(waits, Ask):
            order = choose.choice(table.rulebook.legal(waits, table.read))
            table.submit(Answered(waits.question, order))
        else:
            table.submit(Thrown(waits.name, faces.faces(waits)))


def same(a, b):
    """Return whether two values are equal, with the same types throughout.

    A whole number may equal a fraction, but must not turn into True or False.
    """
    if isinstance(a, tuple):
        return type(b) is tuple and len(a) == len(b) and all(map(same, a, b))
    return a == b and (
        type(a) is type(b) or (isinstance(a, int | Fraction) and not isinstance(b, bool))
    )


@pytest.mark.parametrize("source", one_in(4, TABLES), ids=str)
@pytest.mark.parametrize("seed", one_in(2, [1, 2]))
def test_every_position_reads_back_from_its_line(source, seed):
    for position in positions(source, seed):
        line = str(position)
        read = position_of(line, SOURCES)
        assert read == position, line
        assert str(read) == line
        for key, value in position.state.values.items():
            assert same(value, read.state.values[key]), key
        assert [type(arg) for step in position.state.agenda for arg in step.args] == [
            type(arg) for step in read.state.agenda for arg in step.args
        ]


@pytest.mark.parametrize("source", one_in(2, TABLES), ids=str)
def test_play_goes_on_from_a_line_as_from_the_table(source):
    scenario, faces = SOURCES.scenario(source), RandomFaces(3)
    table = Table(scenario, 4)
    for _ in range(40):
        waits = table.waits_for
        if waits is None:
            return
        again = position_of(str(Position.of(source, scenario, table.state)), SOURCES).table(4)
        assert again.state == Position.of(source, scenario, table.state).state
        given = next_input(table, faces)
        assert [entry.event for entry in again.submit(given)] == [
            entry.event for entry in table.submit(given)
        ]
        now, then = (Position.of(source, scenario, one.state) for one in (table, again))
        assert now == then


def test_the_opening_is_nothing_but_its_name():
    for source in TABLES[:-3]:
        position = Position.of(source, SOURCES.scenario(source))
        assert str(position) == f"fp1 {source.name}" + (f"@{source.game}" if source.game else "")


def test_positions_with_equal_content_are_equal():
    source = Source(name="asl/village")
    position = Position.of(source, SOURCES.scenario(source))
    said = position.having(assets={"a": {"contact": True}})
    assert said != position
    assert said.having(assets={"a": {"contact": False}}) == position.having(
        assets={"a": {"contact": False}}
    )
    assert hash(said) == hash(position.having(assets={"a": "contact"}))


@pytest.mark.parametrize("key", CATALOGUE.games)
def test_every_field_of_a_game_has_a_meaning_and_a_rule(key):
    game = CATALOGUE[key].game
    parts = [game.parts.of(word) for word in WORDS]
    assert any(part.keeps.records for part in parts)
    for part in parts:
        cites = getattr(part, "cites", {})  # a ready part has topics, which the game maps to rules
        for field in (field for kind in part.keeps.records for field in attrs.fields(kind)):
            assert field.metadata.get("help"), f"{part.__name__}: {field.name}"
            rules = {cites.get(rule, rule) for rule in field.metadata["rule"].split(", ")}
            assert {one for rule in rules for one in rule.split(", ")} <= set(game.ledger.rules), (
                field.name
            )


def test_every_neutral_field_has_a_meaning():
    for kind in (Mission, Unit):
        assert all(field.metadata.get("help") for field in attrs.fields(kind))


# --- in the words of a game ----------------------------------------------------------------------
def village(**said):
    source = Source(name="asl/village")
    return Position.of(source, SOURCES.scenario(source)).having(**said)


def test_a_position_is_built_in_the_words_of_the_game():
    position = village(
        moment="turn 3",
        assets={
            "a": {
                "contact": True,
                "access": True,
                "pile": {"black": 7, "red": 2},
                "round": "H6",
                "stage": "spotting",
            }
        },
        units={"1st squad": "broken"},
        ground={"K5": {"smoke": 3}},
    )
    frame = position.scenario.frame
    read = position.state.values
    assert position.moment == 4  # two phases a turn: the PFPh of turn 3
    assert read["missions/a/delays/contact"] is True
    assert (read["missions/a/delays/black"], read["missions/a/delays/red"]) == (7, 2)
    assert read["missions/a/impact"] == frame.parse("H6")
    assert read["missions/a/stage"] is Stage.SPOTTING
    assert read["units/1st squad/resolution/broken"] is True
    assert read["shared/areas/cells"] == ((frame.parse("K5"), 3, False, FireKind.SMOKE),)
    assert position_of(str(position), SOURCES) == position


def test_smoke_is_written_by_hex_including_dispersed_smoke():
    wp = (2, False, FireKind.WP)
    position = village(ground={"K5": {"smoke": 2}, "J5": {"smoke": (1, True)}, "I5": {"smoke": wp}})
    frame = position.scenario.frame
    k5, j5, i5 = (
        (frame.parse("K5"), 2, False, FireKind.SMOKE),
        (frame.parse("J5"), 1, True, FireKind.SMOKE),
        (frame.parse("I5"), *wp),
    )
    assert position.state.values["shared/areas/cells"] == (k5, j5, i5)
    assert "@K5{smoke=2} @J5{smoke=[1 yes]} @I5{smoke=[2 no wp]}" in str(position)
    gone = position.having(ground={"K5": {"smoke": 0}})
    assert gone.state.values["shared/areas/cells"] == (j5, i5)


def test_every_fault_is_reported_at_once_with_suggestions():
    with pytest.raises(FileError) as refused:
        village(
            moment="turn x",
            assets={
                "a": {
                    "contcat": True,
                    "black": "x",
                    "red": 300,
                    "stage": "spoting",
                    "round": "ZZ99",
                },
                "b": "x",
            },
            units={"1st sqad": "broken"},
            ground={"K5": {"smok": 1}},
        )
    faults = {fault.key: fault for fault in refused.value.faults}
    assert set(faults) == {
        "moment", "a.contcat", "a.black", "a.red", "a.stage", "a.round", "b", "1st sqad", "ground.K5.smok"
    }  # fmt: skip
    assert faults["a.contcat"].suggestion == "did you mean contact?"
    assert faults["a.stage"].suggestion == "did you mean spotting?"
    assert faults["1st sqad"].suggestion == "did you mean 1st squad?"
    assert "whole number" in faults["a.black"].message
    assert "0 to 99" in faults["a.red"].message


# --- lines of others -----------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("", "expected fp1"),
        ("fp2 asl/village", "expected fp1"),
        ("fp1 asl/vilage", "did you mean asl/village?"),
        ('fp1 "/etc/passwd"', "there is no scenario"),
        ("fp1 woods@asl(guns=24 gunz=3)", "did you mean guns?"),
        ("fp1 woods@aslx", "did you mean asl?"),
        ("fp1 woods@asl(rule:house)", "no house rule"),
        ("fp1 asl/village a{contact", "expected a field or '}'"),
        ('fp1 asl/village "turn 3', "closing quotation mark is missing"),
        ("fp1 asl/village a{contact=5}", "expected yes or no"),
        ("fp1 asl/village a{kind=Shot()}", "expected one of he"),
        ("fp1 asl/village table{smoke=[[@K5 3]]}", "expected a list"),
        ("fp1 asl/village zz{x}", "no asset or unit 'zz'"),
        ("fp1 asl/village > delays.attempt(b)", "no mission 'b'"),
        ("fp1 asl/village > delays.attempt()", "expected mission"),
        ("fp1 asl/village > delays.atempt(a)", "did you mean delays.attempt?"),
        ("fp1 asl/village | none", "a face of a die"),
        ("fp1 asl/village 10000", "there is no moment 10000"),
        ("fp1 asl/village a{aim=@ZZ1}", "no column ZZ"),
        ("fp1 asl/village a{met=" + "[" * 99, "nested deeper than"),
        ("fp1 asl/village " + "x" * 70_000, "longer than"),
    ],
)
def test_a_wrong_line_is_refused_with_a_way_out(line, told):
    with pytest.raises(FileError) as refused:
        position_of(line, SOURCES)
    assert told in str(refused.value)


def test_an_unreachable_position_is_refused_when_play_continues():
    with pytest.raises(FileError, match="cannot go on"):
        position_of("fp1 asl/village | 4 2 3", SOURCES).table()
    with pytest.raises(FileError, match="cannot go on"):
        position_of("fp1 asl/village > core.landed(a none)", SOURCES).table()


def test_dice_given_so_far_are_at_the_end_of_the_line():
    source = Source(name="asl/village")
    table = Table(SOURCES.scenario(source), 4)
    while isinstance(table.waits_for, Ask):
        table.submit(
            Answered(
                table.waits_for.question, table.rulebook.answer(table.waits_for, {}, table.read)
            )
        )
    position = Position.of(source, table.scenario, table.state, [4])
    assert str(position).endswith("| 4")
    assert position_of(str(position), SOURCES) == position
    assert position.table().waits_for == table.waits_for


def test_mutated_lines_are_read_or_refused():
    choose = random.Random(5)
    marks = [
        *'{}[]()=@>?:|" -/.',
        "none",
        "yes",
        "1/0",
        "99999999999999999999",
        "\\u{110000}",
        "Shot(",
        "\x00",
    ]
    refused = 0
    for source in TABLES[:6]:
        for position in list(positions(source, 4, most=12)):
            line = str(position)
            for _ in range(25):
                at, to = sorted(choose.sample(range(len(line) + 1), 2))
                mark = choose.choice(marks)
                changed = (
                    line[:at] + line[to:],
                    line[:at] + mark + line[at:],
                    line[:at] + mark + line[to:],
                    line[:to] + line[at:],
                )
                try:
                    position_of(choose.choice(changed), SOURCES).table()
                except FileError as error:
                    refused += len(error.faults) > 0
    assert refused


@pytest.mark.parametrize("source", one_in(2, TABLES), ids=str)
def test_play_reaches_no_contradiction(source):
    for moments in (1, 3, 6):
        *_, last = positions(source, moments, most=400, moments=moments)
        if last.moment == moments:  # all sides have moved, so the next turn is about to open
            assert last.having() == last


def test_contradictory_settings_are_refused_with_their_rule():
    for said, told in [
        ({"access": True}, "without Radio Contact (contact) (C1.2)"),
        ({"contact": True, "radio_broken": True}, "broken radio (radio_broken) (C1.22)"),
        ({"black": 30}, "the Draw Pile began with only 8 black chits (C1.211)"),
        ({"hand": 2}, "there is no Observer 2: hand is 0 to 1"),
        ({"stage": "idle", "round": "H6"}, "but the stage is idle"),
        ({"stage": "spotting"}, "no round has landed"),
        ({"intent": "effect"}, "a shot is under way"),
        ({"stage": "lingering", "round": "K5", "resolved": True}, "no FFE:2 (resolved)"),
    ]:
        with pytest.raises(FileError) as refused:
            village(assets={"a": said})
        assert told in str(refused.value)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("fp1 asl/village a{type=banana}", "expected one of concentration, harassing"),
        ("fp1 asl/village a{drawn_by=nobody}", "expected one of none, lieutenant, sergeant"),
        ("fp1 asl/village @K5{smoke=4}", "the Hindrance of a SMOKE counter is 1 to 3 (C1.71)"),
        (
            "fp1 wacht_am_rhein/crossroads I-77{steps=99}",
            "I-77: it has 99 steps, but it began with 2 steps (12.4.1a)",
        ),
        (
            "fp1 miniatures_1943/chits_in_hand table{axis=martian}",
            "expected one of none, american, german",
        ),
    ],
)
def test_a_value_that_no_table_has_is_refused(line, told):
    with pytest.raises(FileError) as refused:
        of_line(line)
    assert told in str(refused.value)


def of_line(line):
    return position_of(line, SOURCES)


@pytest.mark.parametrize(
    ("line", "said", "follows"),
    [
        ("asl/village", {"assets": {"a": "contact"}}, "a{stage=requested contact}"),
        ("asl/village", {"assets": {"a": {"round": "H6"}}}, "a{stage=spotting round=@H6}"),
        (
            "asl/village",
            {"assets": {"a": {"round": "H6", "resolved": True}}},
            "a{stage=falling round=@H6 fell resolved}",
        ),
        (
            "woods@red_poppies",
            {"assets": {"a": {"hourglass": 2}}},
            "a{stage=delayed aim=@M19/N18/N19 hourglass=2}",
        ),
        ("wacht_am_rhein/two_divisions", {"moment": 3}, '"barrage segment 4" table{turn=1}'),
        ("woods@miniatures_1943", {"assets": {"a": {"to_go": 2}}}, "a{stage=delayed to_go=2}"),
    ],
)
def test_a_setting_brings_its_consequences(line, said, follows):
    assert str(of_line(f"fp1 {line}").having(**said)) == f"fp1 {line} {follows}"


PAGE = (Path(__file__).parents[2] / "docs/reference/positions.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("line", re.findall("^fp1 .*", PAGE, re.MULTILINE))
def test_the_lines_of_the_page_are_positions(line):
    if "?german" in line:
        assert str(SidePosition.of_line(line, SOURCES)) == line
        return
    position = of_line(line)
    assert of_line(str(position)) == position
    assert position.table().waits_for is not None


@pytest.mark.parametrize("name", ["null_game", "fireplan_night_rockets"])
def test_lines_of_games_made_of_ready_parts_and_by_hand_read_back(name, monkeypatch):
    root = Path(__file__).parents[2]
    for folder in ("tests/games", "examples/night_rockets/src"):
        monkeypatch.syspath_prepend(root / folder)
    catalogue = Catalogue()
    game = catalogue.admit(importlib.import_module(name))
    sources, source = Sources(catalogue, shipped_engagements()), Source(name="woods", game=game.key)
    for seed in range(3):
        for position in positions(source, seed, sources=sources):
            assert position_of(str(position), sources) == position


STORED = [
    line
    for file in sorted(Path(__file__).parents[2].glob("plugins/*/src/*/data/*.toml"))
    for line in re.findall(r"^position = '(fp1 .*)'$", file.read_text("utf-8"), re.MULTILINE)
    if line.split()[1].partition("/")[0] in CATALOGUE.games
]
"""Every position line in the data of the installed games."""


@pytest.mark.long
def test_a_position_that_is_accepted_can_be_asked_everything():
    """Only questions that do not fit the pending one are refused; no other error occurs."""
    assert STORED
    for line in STORED:
        position = fp.position(line)
        position.to_dict()
        try:
            assert position.legal().to_dict()["forms"], line
        except fp.InputError as error:
            assert str(error).startswith("No order can be given now"), line  # noqa: PT017 - refused or not
