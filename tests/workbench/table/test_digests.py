"""A journal detects that a rule, chart or number has changed since it was played."""

import io
import os
import random
import subprocess
import sys
from enum import Enum
from fractions import Fraction

import attrs
import pytest
from tiers import one_in

from fireplan.cli import main
from fireplan.errors import JournalError
from fireplan.table import begin, differences, make_head, reopen
from fireplan.table.digests import Outcomes, digests_of, text_of
from fireplan_core import Ask, Event, ProcedureError
from fireplan_core.chance import ChanceError
from fireplan_core.numbers import find_numbers, with_numbers
from fireplan_core.play import (
    Catalogue,
    State,
    Table,
    Values,
    Variation,
    load_scenario,
    shipped_scenarios,
)
from fireplan_core.play.table import Answered, LogEntry

GAMES = Catalogue.installed()
SCENARIOS = {
    "asl": "asl/set_piece",
    "miniatures_1943": "miniatures_1943/river_crossing",
    "red_poppies": "red_poppies/battle_for_pinon",
    "wacht_am_rhein": "wacht_am_rhein/two_divisions",
}
EDITS, INPUTS = 6, 60


def play(session, seed, inputs=INPUTS, undo=9):
    """Play random legal orders and random faces, with an occasional take-back."""
    dice = random.Random(seed)
    for number in range(inputs):
        waits = session.table.waits_for
        if waits is None:
            break
        if undo and number % undo == undo - 1 and not session.faces:
            session.undo()
        elif isinstance(waits, Ask):
            session.order(dice.choice(session.table.rulebook.legal(waits, session.table.read)))
        else:
            session.face(dice.choice([face for face, _ in session.die.weights]), typed=True)


def edited(key, name, value):
    """Return the installed games with one number of one game changed."""
    games = Catalogue()
    games.games = dict(GAMES.games)
    entry = games.games[key]
    charts = with_numbers(entry.game.charts, {name: value})
    games.games[key] = attrs.evolve(entry, game=attrs.evolve(entry.game, charts=charts))
    return games


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """Return, by game, the path of a journal, its session, and the numbers that were read while it
    was played.
    """
    found = {}
    for key, name in SCENARIOS.items():
        path = tmp_path_factory.mktemp(key) / "table.fireplan"
        session = begin(path, GAMES, make_head(GAMES, name, None, {}))
        play(session, {"asl": 2, "red_poppies": 5}.get(key, 3), undo=0)
        session.journal.close()
        read = set()
        scenario, form = load_scenario(
            GAMES, shipped_scenarios(GAMES)[name], variation=Variation(note=read.add)
        )
        read.clear()
        table = Table(scenario, form.moments)
        for given in session.table.journal:
            table.submit(given)
        found[key] = (path, session, sorted(read))
    return found


def first_different(key, inputs, games):
    """Return the row after which two tables played side by side differ, or None."""
    file = shipped_scenarios(GAMES)[SCENARIOS[key]]
    found = [load_scenario(one, file) for one in (GAMES, games)]
    before, after = (Table(scenario, form.moments) for scenario, form in found)
    row = 0
    if (before.state, before.log) != (after.state, after.log):
        return row
    for given in inputs:
        row += 1 if isinstance(given, Answered) else len(given.faces)
        before.submit(given)
        try:
            after.submit(given)
        except (ProcedureError, ChanceError):
            return row
        if (before.state, before.log) != (after.state, after.log):
            return row
    return None


@pytest.mark.parametrize("key", one_in(2, SCENARIOS))
def test_every_edit_of_a_number_that_a_game_has_used_is_noticed(played, key):
    path, session, read = played[key]
    charts = GAMES[key].game.charts
    # A name with a colon is an option.
    numbers = [name.partition(".")[2] for name in read if ":" not in name]
    cells = [
        named for name in numbers for named in find_numbers(charts, name)[:2] if named.cell.steps
    ]
    random.Random(2).shuffle(cells)
    assert len(cells) >= EDITS
    came_out = 0
    for named in cells[:EDITS]:
        games = edited(key, named.name, str(named.cell.steps[-1]))
        row = first_different(key, session.table.journal, games)
        try:
            again, head = reopen(path, games, read_only=True)
            words = differences(again, head, games)
        except JournalError as error:
            words = f"{error}; chart {named.chart}"
        assert f"chart {named.chart}" in words
        came_out += row is not None
        if row is None:
            assert words.startswith("every input has the same effects, but")
        else:
            assert words.startswith(
                f"after input {row} (" if row else "before the first input"
            ) or (f"input {row} does not fit" in words)
    again, head = reopen(path, GAMES, read_only=True)
    assert came_out, "none of these edits affects the game that was played: try others"
    assert not differences(again, head, GAMES)


def test_the_first_differing_input_is_named_with_the_present_ruling(tmp_path):
    path = tmp_path / "table.fireplan"
    session = begin(path, GAMES, make_head(GAMES, "asl/village", None, {}))
    play(session, 1, 12)
    session.journal.close()

    def bent(number, change):
        """Return the session replayed with rules that change one input's answer."""
        from fireplan.table import Journal, Session

        inputs = 0
        real = Table.submit

        def submit(table, given):
            nonlocal inputs
            answer = real(table, given)
            inputs += 1
            return change(table, answer) if inputs == number else answer

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Table, "submit", submit)
            journal = Journal.open(path, read_only=True)
            return Session(session.scenario, session.moments, journal, (), journal.head["opening"])

    def other_ruling(table, answer):
        return (
            *answer[:-1],
            attrs.evolve(answer[-1], event=Event("no_contact", "C1.2", (("mission", "a"),))),
        )

    def other_state(table, answer):
        table.state = attrs.evolve(table.state, values=table.state.values.put((("odd/key", 7),)))
        return answer

    given = [number for number, row in enumerate(session.rows, 1) if row.after.partition("|")[0]]
    assert bent(0, other_ruling).differs == ""
    found = bent(1, other_ruling).differs
    assert found.startswith(f"after input {given[0]} (order ")
    assert "ruling" in found
    assert "(C1.2)" in found
    assert bent(2, lambda _, answer: answer[:-1]).differs.endswith(
        "differs: the present rules say 'nothing more'"
    )
    found = bent(3, other_state).differs
    assert "the rulings are the same, but the state differs (it now changes " in found
    assert "odd/key" in found or "more" in found


def test_replay_all_finds_the_studios_tables_and_names_differences(tmp_path, capsys, monkeypatch):
    for name in ("one.fireplan", "two.journal"):
        session = begin(tmp_path / name, GAMES, make_head(GAMES, "asl/village", None, {}))
        play(session, 2, 20)
        session.journal.close()
    assert main(["replay", "--all", str(tmp_path)]) == 0
    assert capsys.readouterr().out.count(": same") == 2
    number = find_numbers(GAMES["asl"].game.charts, "radio_contact")[0]
    changed = edited("asl", number.name, str(number.cell.value - 1))
    monkeypatch.setattr("fireplan.cli.journals.catalogue", lambda: changed)
    assert main(["replay", "--all", str(tmp_path)]) == 1
    out, err = capsys.readouterr()
    assert out.count("two.journal: ") == out.count("one.fireplan: ") == 1
    assert out.count("chart radio_contact") == 2
    assert "2 of 2 differ" in err
    assert main(["replay", str(tmp_path / "one.fireplan")]) == 1
    assert "changed since it was begun: chart radio_contact" in capsys.readouterr().err
    monkeypatch.setattr("sys.stdin", io.StringIO("quit\n"))
    main(["resume", str(tmp_path / "one.fireplan")])
    assert "This game was begun under different rules: " in capsys.readouterr().out


def test_an_input_that_cannot_be_written_was_never_given(tmp_path, monkeypatch):
    session = begin(tmp_path / "table.fireplan", GAMES, make_head(GAMES, "asl/village", None, {}))
    play(session, 4, 5)
    while session.die is not None:
        session.face(session.die.weights[0][0], typed=True)

    def looks():
        return (session.table.state, session.table.log, session.table.journal, session.table.waits_for, session.faces,
                session.typed, list(session.history.story), list(session.rows), session.last)  # fmt: skip

    def full(_journal, _row):
        raise JournalError("disk full")

    for _ in range(4):
        before = looks()
        with monkeypatch.context() as patch:
            patch.setattr(type(session.journal), "append", full)
            with pytest.raises(JournalError, match="disk full"):
                play(session, 7, 1)
            assert looks() == before
            if not session.faces:
                with pytest.raises(JournalError, match="disk full"):
                    session.undo()
                assert looks() == before
        play(session, 7, 1)
        assert len(session.rows) == len(before[7]) + 1
    again, _ = reopen(tmp_path / "table.fireplan", GAMES, read_only=True)
    assert (again.table.state, again.differs) == (session.table.state, "")


class Colour(Enum):
    RED = 1


@attrs.frozen
class Spot:
    where: frozenset
    colour: Colour


def test_a_value_reads_the_same_in_every_run():
    value = (Spot(frozenset({"b", "a", "c"}), Colour.RED), Fraction(1, 3), None, True, 1, "1")
    assert (
        text_of(value)
        == "(Spot(where={'a','b','c'},colour=Colour.RED),Fraction(1, 3),None,True,1,'1')"
    )
    code = "from fireplan.table.digests import text_of; print(text_of(frozenset({'b', 'a', 'c', ('x', 1)})))"
    said = {
        subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed},
                       capture_output=True, check=True).stdout
        for seed in ("1", "2", "3")
    }  # fmt: skip
    assert len(said) == 1


def test_the_digest_of_a_state_depends_only_on_the_state():
    dice = random.Random(5)
    states = [Values({"a": 1, "b": 2})]
    for _ in range(60):
        base = dice.choice(states)
        states.append(base.put(((dice.choice("abcdefgh"), dice.randrange(3)),)))
    followed = Outcomes()
    known = {}
    for values in (dice.choice(states) for _ in range(400)):
        digest = followed.of((), State(values, ()))
        assert digest == Outcomes().of((), State(values, ()))
        assert known.setdefault(digest, values) == values
    assert len(known) > 30
    entry = LogEntry(1, Event("fall", "C1.3", ()))
    assert followed.of((entry, entry), State(states[0], ())) != followed.of(
        (entry,), State(states[0], ())
    )


def test_digests_of_charts_cover_every_cell():
    charts = GAMES["asl"].game.charts
    before = digests_of(charts)
    for name in ("radio_contact", "set_breaks"):
        named = find_numbers(charts, name)[0]
        after = digests_of(with_numbers(charts, {named.name: str(named.cell.steps[-1])}))
        assert {chart for chart in before if before[chart] != after[chart]} == {named.chart}
