"""Playthroughs: what is written is read back and verified, and the first line that fails is named."""

from __future__ import annotations

import pytest
from tiers import one_in

from fireplan.analysis import default_games, shipped_engagements
from fireplan.errors import InputError
from fireplan.table import (
    Session,
    complete_playthrough,
    make_head,
    read_playthrough,
    replay_playthrough,
    scenario_of,
    write_playthrough,
)
from fireplan_core import Ask
from fireplan_core.chance import RandomFaces
from fireplan_core.play import Catalogue, shipped_scenarios

CATALOGUE = Catalogue.installed()
ENGAGEMENTS = shipped_engagements()


def played(name, game=None, seed=3, options=None):
    """Return a whole game by the standard doctrine, with some dice typed and some rolled."""
    head = make_head(CATALOGUE, name, game, ENGAGEMENTS, options)
    scenario, moments = scenario_of(CATALOGUE, head)
    session, faces, count = Session(scenario, moments), RandomFaces(seed), 0
    while (waits := session.table.waits_for) is not None:
        count += 1
        if isinstance(waits, Ask):
            session.order(session.table.rulebook.answer(waits, {}, session.table.read))
        else:
            session.face(faces.face(session.die), typed=bool(count % 2))
    return session, head


def replayed(text):
    playthrough = read_playthrough(text)
    session = Session(*scenario_of(CATALOGUE, playthrough.head(CATALOGUE, ENGAGEMENTS)))
    return replay_playthrough(playthrough, session), session


@pytest.mark.parametrize(
    ("name", "game"),
    one_in(
        3,
        [
            *((name, None) for name in shipped_scenarios(CATALOGUE)),
            *(("open_attack", game) for game in default_games(CATALOGUE)),
        ],
    ),
)
def test_a_written_playthrough_is_verified_and_ends_in_the_same_state(name, game):
    session, head = played(name, game)
    text = write_playthrough(session, head)
    differences, again = replayed(text)
    assert not differences
    assert (again.table.state, again.table.log) == (session.table.state, session.table.log)
    assert [told.typed for told in again.history.story] == [
        told.typed for told in session.history.story
    ]
    playthrough = read_playthrough(text)
    fresh = Session(*scenario_of(CATALOGUE, playthrough.head(CATALOGUE, ENGAGEMENTS)))
    assert (
        complete_playthrough(playthrough, fresh, playthrough.head(CATALOGUE, ENGAGEMENTS)) == text
    )


def test_a_changed_ruling_die_or_order_is_named_with_its_line_and_rule():
    session, head = played("open_attack", "wacht_am_rhein")
    lines = write_playthrough(session, head).splitlines()
    for number, line in enumerate(lines, start=1):
        if line.startswith("  ") and line.endswith(")"):
            changed = [*lines[: number - 1], line.replace(" (", "! (", 1), *lines[number:]]
            (found,), _ = replayed("\n".join(changed))
            assert found.line == number
            assert f"({found.rule})" in line
            dropped = [*lines[: number - 1], *lines[number:]]
            (found,), _ = replayed("\n".join(dropped))
            assert (found.got, found.rule) == (line.strip(), line[line.rindex("(") + 1 : -1])
    with pytest.raises(InputError, match="line 1: expected"):
        read_playthrough("\n".join(lines[1:]))


FIRST = "fireplan playthrough 1\nscenario: asl/village\n\n"


@pytest.mark.parametrize(
    ("body", "line", "words"),
    [
        ("> call\n> call", 5, "'call' is refused"),
        ("> russian: call", 4, "german must answer here"),
        ("> roll contact: 3, 4", 4, "expected an answer to requests.call"),
        ("> call\n> roll\n> roll contact: 3, 4, 5", 6, "too many dice: 3 given, 2 left to throw"),
        ("> call\n> roll\n> roll contact: 3, 9", 6, "a die shows 1 to 6, not 9"),
        ("> call\n> roll\n> roll access: black", 6, "expected roll contact"),
        ("> take back", 4, "nothing to take back"),
        ("> call=1", 4, "expected an order"),
        ("> call at", 4, "call takes no values"),
    ],
)
def test_inputs_that_do_not_fit_are_named(body, line, words):
    (found,), _ = replayed(FIRST + body)
    # Without earlier rulings the opening heading is missing first; completing the text names the
    # faulty input.
    playthrough = read_playthrough(FIRST + body)
    head = playthrough.head(CATALOGUE, ENGAGEMENTS)
    with pytest.raises(InputError, match=f"line {line}: .*{words}"):
        complete_playthrough(playthrough, Session(*scenario_of(CATALOGUE, head)), head)
    assert found.got.startswith("==")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not a playthrough"),
        ("fireplan playthrough 2\n", "not a playthrough"),
        (
            "fireplan playthrough 1\nscenario: a\nengagement: b\n",
            "either a scenario or an engagement",
        ),
        ("fireplan playthrough 1\nengagement: woods\n", "game: KEY"),
        ("fireplan playthrough 1\nscenario asl/village\n", "line 2"),
        ("fireplan playthrough 1\nsenario: asl/village\n", "the head has no key"),
        ("fireplan playthrough 1\nscenario: asl/village\nmoments: 0\n", "whole number from 1"),
        ("fireplan playthrough 1\n| text\n", "must follow"),
    ],
)
def test_heads_that_are_wrong_are_refused(text, words):
    with pytest.raises(InputError, match=words):
        read_playthrough(text)


def test_unknown_names_are_answered_with_the_nearest():
    playthrough = read_playthrough("fireplan playthrough 1\nscenario: asl/vilage\n")
    with pytest.raises(InputError, match="'asl/village'"):
        playthrough.head(CATALOGUE, ENGAGEMENTS)


def _stages(name, value):
    try:
        scenario_of(CATALOGUE, make_head(CATALOGUE, "woods", "asl", ENGAGEMENTS, {name: value}))
    except InputError:
        return False
    return True


def test_comments_options_and_inline_texts_are_kept():
    text = ENGAGEMENTS["woods"].read_text(encoding="utf-8")
    rows = "\n".join(f"| {row}".rstrip() for row in text.splitlines())
    option, chosen = next(
        (o, v) for o in CATALOGUE["asl"].game.options for v in o.values[1:] if _stages(o.name, v)
    )
    value = {True: "yes", False: "no"}.get(chosen, chosen)
    source = (
        f"fireplan playthrough 1\nengagement: mine\ngame: asl\noption {option.name}: {value}\nmoments: 3\n"
        f"text:\n{rows}\n\n"
        "# first we call\n> call\n# then nothing\n> pass\n"
    )
    playthrough = read_playthrough(source)
    head = playthrough.head(CATALOGUE, ENGAGEMENTS)
    assert head.options == {option.name: chosen}
    scenario, moments = scenario_of(CATALOGUE, head)
    woods, _ = scenario_of(CATALOGUE, make_head(CATALOGUE, "woods", "asl", ENGAGEMENTS))
    assert (scenario.title, moments) == (woods.title, 3)
    done = complete_playthrough(playthrough, Session(scenario, moments), head)
    called = "  The Observer calls for fire (C1.2)\n"
    assert f"# first we call\n> firer: call\n{called}# then nothing\n> firer: pass\n" in done
    assert read_playthrough(done).text == playthrough.text
    assert not replayed(done)[0]


def test_a_take_back_stays_and_a_free_undo_does_not():
    head = make_head(CATALOGUE, "asl/village", None, ENGAGEMENTS)
    session = Session(*scenario_of(CATALOGUE, head))
    view = session.table.rulebook
    for _ in range(2):
        session.order(view.answer(session.table.waits_for, {}, session.table.read))
    session.undo()
    session.order(session.table.rulebook.answer(session.table.waits_for, {}, session.table.read))
    for face in (1, 2):
        session.face(face, typed=True)
    session.undo()
    for face in (3, 4):
        session.face(face, typed=True)
    text = write_playthrough(session, head)
    assert text.count("> german: roll\n") == 1
    assert text.count("> take back\n") == 1
    differences, again = replayed(text)
    assert not differences
    assert again.table.state == session.table.state
    assert [move.taken_back for move in again.history.story] == [
        move.taken_back for move in session.history.story
    ]
    # Orders given before a die was rolled are taken back visibly too.
    again.undo()
    assert again.undo().startswith("taken back")
