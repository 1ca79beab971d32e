"""Reviews of games: refused before the game ends; orders are judged by what the solver gives."""

from fractions import Fraction

import pytest

from fireplan.questions.review import (
    HIDDEN,
    NOT_YET,
    TOLERANCE,
    _roll,
    reached,
    review_of,
    withheld,
)
from fireplan.solver import Analysis, RollLuck, falls_of
from fireplan.table import Session, Words, sides_of
from fireplan_core import Ask, Event, Order, Severity
from fireplan_core.chance import RandomFaces
from fireplan_core.play import Catalogue, State, find_scenario
from fireplan_core.play.table import LogEntry, Thrown


def opening(name):
    scenario, form = find_scenario(Catalogue.installed(), name)
    return Session(scenario, form.moments)


def played(session, given=None, seed="a", *, always=False):
    """Return a game played to its end by standard orders, except for its first order if ``given``.

    With ``always``, ``given`` replaces every order.
    """
    faces = RandomFaces(seed)
    while (waits := session.table.waits_for) is not None:
        if isinstance(waits, Ask):
            standard = session.table.rulebook.answer(waits, {}, session.table.read)
            session.order(given or standard)
            given = given if always else None
        else:
            session.throw([(face, False) for face in faces.faces(waits)])
    return session


def test_a_result_is_held_back_until_all_may_be_seen():
    session = opening("miniatures_1943/chits_in_hand")
    side = session.table.waits_for.who
    assert withheld(session, side) == NOT_YET
    with pytest.raises(ValueError, match="is over"):
        review_of(session, side)
    played(session)
    other = next(each for each in sides_of(session.scenario) if each != side)
    assert withheld(session, other) == HIDDEN
    session.reveal()
    assert withheld(session, other) == ""
    reported = []
    review = review_of(session, other, lambda steps, what: reported.append((steps, what)))
    assert len(review.happened) <= 5
    rolls = sum(isinstance(given, Thrown) for given in session.table.journal)
    assert rolls
    assert {steps for steps, _ in reported} == {len(reported)}
    assert len(reported) % rolls == 0


def test_the_cost_of_an_order_agrees_with_the_solver():
    """Holding fire for good costs, in some turn, all the chance that was left."""
    pytest.importorskip("fireplan_battletech", reason="the game is in requirements-games.txt")
    session = played(opening("battletech/ranging_in"), Order.of("hold"), always=True)
    review = review_of(session, "firer")
    own = frozenset(session.scenario.missions)

    def on_target(then, order):
        state = then.table.state
        step = then.table.rulebook.after(then.table.waits_for, order)
        state = State(state.values, (step, *state.agenda[1:]))
        left = session.moments - state.moment
        return (
            Analysis(session.scenario, left, state=state).solve(falls_of(own)).shares.get(True, 0)
        )

    assert review.costly
    costs = {each.number: each.cost for each in review.costly}
    for number, (then, move) in enumerate(session.again()):
        if move is not None and move.given.order == Order.of("hold"):
            held = on_target(then, Order.of("hold"))
            best = max(
                on_target(then, order)
                for order in then.table.rulebook.legal(
                    then.table.waits_for, then.table.read, each=40
                )
            )
            if number in costs:
                assert costs.pop(number) == best - held
            else:
                assert best - held <= max(TOLERANCE, min(each.cost for each in review.costly))
    assert not costs


def test_a_game_without_fire_lists_its_last_events():
    """A runner takes the call until the end, so no fire falls; the review still lists five events."""
    call = Order.of("call", group="75s", by="runner")
    session = played(opening("red_poppies/cut_wires"), call)
    assert not any(entry.event.kind in {"fall", "suffered"} for entry in session.table.log)
    happened = review_of(session, "french").happened
    assert len(happened) == 5
    assert "the call for fire goes out" in happened[1]
    assert happened[-1].startswith("Turn 4: The French win the initiative")


def test_a_result_counts_the_worst_that_each_unit_suffered_and_not_the_last():
    session = opening("asl/village")
    unit, setup = next(iter(session.scenario.units.items()))
    for severity in (Severity.DESTROYED, Severity.SUPPRESSED):
        event = Event("suffered", "C1.5", (("unit", unit), ("severity", severity)))
        session.table._log.append(LogEntry(0, event))
    own = [each for each in session.scenario.units.values() if each.side == setup.side]
    assert any(f"1 of {len(own)} units lost" in line for line in reached(session))


@pytest.mark.parametrize("seed", ["a", "b", "c"])
def test_a_result_counts_one_roll_and_lists_no_modifiers(seed):
    session = played(opening("wacht_am_rhein/crossroads"), seed=seed)
    session.reveal()
    review = review_of(session, "US")
    assert any(words.endswith("over 1 roll") for _, words in review.luck)
    assert not any("to the roll for" in line for line in review.happened)


@pytest.mark.parametrize(
    ("harm", "said"),
    [(Fraction(1, 50), "under 0.1 units more"), (Fraction(-1, 2), "0.5 units less")],
)
def test_little_harm_is_not_called_no_harm(harm, said):
    roll = RollLuck(0, "ift", ("1", "2"), "harm", Fraction(0), harm, Fraction(1, 2), Fraction(1))
    words = Words(opening("asl/village").scenario)
    assert f"{said} harm than expected" in _roll(roll, words, "turn 1")
