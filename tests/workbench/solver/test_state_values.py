"""The value of every state, looked up, against the distribution carried forward from that state."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import attrs
import pytest

import fireplan as fp
from fireplan.solver import (
    Analysis,
    Compiler,
    Ever,
    StateGoal,
    StateValues,
    TooLargeError,
    falls_of,
)
from fireplan.solver.explore import Explorer
from fireplan_core import Ask, Effects, Step, StepDef
from fireplan_core.chance import RandomFaces, d6
from fireplan_core.play import Answered, Catalogue, Table, Thrown, find_scenario

PLAYTHROUGHS = Path(__file__).parents[3] / "plugins/asl/src/fireplan_asl/data/playthroughs"


def goals_of(scenario):
    own = frozenset(scenario.missions)
    falls = falls_of(own)
    return [
        StateGoal(falls),
        StateGoal(falls, frozenset({True, False})),
        StateGoal(Ever("fall", "own_under_fire", (True,), own), frozenset({False})),
    ]


def states_of(scenario, moments, seed):
    """Yield the states of a game played with random legal orders."""
    table, faces = Table(scenario, moments), RandomFaces(seed)
    while (waits := table.waits_for) is not None:
        yield table.state
        if isinstance(waits, Ask):
            orders = sorted(table.rulebook.legal(waits, table.read, each=20), key=str)
            table.submit(Answered(waits.question, orders[faces.below(len(orders))]))
        else:
            table.submit(Thrown(waits.name, faces.faces(waits)))


def forward(scenario, moments, state):
    analysis = Analysis(scenario, moments - state.moment, state=state)
    return tuple(
        sum(
            (p for end, p in analysis.solve(g.measure).shares.items() if g.reached(end)),
            Fraction(0),
        )
        for g in goals_of(scenario)
    )


def check(scenario, moments, seeds, least):
    """Check the value of every state of some games against a separate solution; at least ``least``
    values must differ from one another.
    """
    values = StateValues(Compiler(scenario), goals_of(scenario), moments, 40_000)
    seen = {}
    for seed in seeds:
        for state in states_of(scenario, moments, seed):
            if state not in seen:
                seen[state] = values(state)
                assert seen[state] == forward(scenario, moments, state), state
    assert values.whole
    assert len({*seen.values()}) >= least
    for state, value in seen.items():  # a second request gives the same value
        assert values(state) == value


@pytest.mark.long
def test_every_state_of_random_games_has_the_value_that_it_has_alone(scenario):
    check(scenario, 5, range(6), 20)


@pytest.mark.full
@pytest.mark.parametrize("name", ["battletech/ranging_in", "wacht_am_rhein/dividing_fire"])
def test_every_state_of_a_shipped_scenario_has_the_value_that_it_has_alone(name):
    game = name.partition("/")[0]
    pytest.importorskip(f"fireplan_{game}", reason="the game is in requirements-games.txt")
    scenario, form = find_scenario(Catalogue.installed(), name)
    check(scenario, form.moments, range(2), 3)


def test_a_cycle_within_a_moment_is_solved_exactly(scenario):
    land = scenario.steps["areas.land"]

    def landing(chance, view, m):
        return Effects(land(chance, view, m), Step("test.again", (m,)))

    def again(chance, view, m):
        return Effects(*[Step("test.again", (m,))] * (chance.dice("again", white=d6).total > 4))

    steps = {
        **scenario.steps,
        "areas.land": attrs.evolve(land, run=landing),
        "test.again": StepDef("test.again", "", again),
    }
    check(attrs.evolve(scenario, steps=steps), 4, range(3), 8)


def test_an_oversized_value_is_refused_and_retried_with_fewer_moments(scenario):
    moments = 6
    opening, *_, late = states_of(scenario, moments, 1)
    values = StateValues(Compiler(scenario), goals_of(scenario), moments, 30)
    for _ in range(2):
        with pytest.raises(TooLargeError):
            values(opening)
    assert late.moment > opening.moment
    assert values(late) == forward(scenario, moments, late)


@pytest.fixture
def explored(monkeypatch):
    """Return a list that records each node explored."""
    nodes = []
    links_of = Explorer.links_of

    def counting(self, node, *counts):
        nodes.append(node)
        return links_of(self, node, *counts)

    monkeypatch.setattr(Explorer, "links_of", counting)
    return nodes


def test_a_question_that_is_too_large_leaves_the_values_before_it_known(scenario, explored):
    moments = 6
    opening, *between, late = states_of(scenario, moments, 1)
    values = StateValues(Compiler(scenario), goals_of(scenario), moments, 30)
    known = values(late)
    with pytest.raises(TooLargeError):
        values(opening)
    explored.clear()
    assert values(late) == known
    assert not explored
    for state in [one for one in between if one.moment == late.moment] + [late]:
        assert values(state) == forward(scenario, moments, state)


def test_a_question_that_reads_more_leaves_the_values_before_it_known(explored):
    """In the village's last turn a rule reads the clock, which the opening does not."""
    pytest.importorskip("fireplan_asl", reason="the game is in requirements-games.txt")
    scenario, _ = find_scenario(Catalogue.installed(), "asl/village")
    session = fp.load(PLAYTHROUGHS / "village.playthrough.txt").session
    opening, *_, late = (at.table.state for at, _ in session.again())
    own = frozenset(session.scenario.missions)
    values = StateValues(Compiler(scenario), [StateGoal(falls_of(own))], session.moments, 20_000)
    known = values(opening)
    last = next(
        at.table.state for at, _ in session.again() if at.table.state.moment == late.moment - 1
    )
    values(last)
    assert explored
    explored.clear()
    assert values(opening) == known
    assert not explored


def test_states_explored_before_do_not_count_as_those_of_a_question(scenario, explored):
    """Each question may explore as many states as if it were the only one."""
    moments = 6
    states = [*states_of(scenario, moments, 1)]
    alone = StateValues(Compiler(scenario), goals_of(scenario), moments, 40_000)
    alone(states[0])
    most = len(explored) + 1
    explored.clear()
    values = StateValues(Compiler(scenario), goals_of(scenario), moments, most)
    for state in states:
        values(state)
    assert len(explored) <= 2 * most


def test_strikes_that_come_before_the_next_fall_count_while_those_after_it_do_not():
    """An enemy eliminated by the current fire is no Known enemy when the next fire is aimed."""
    game = fp.load(PLAYTHROUGHS / "village.playthrough.txt")
    scenario, moments = game.session.scenario, game.session.moments
    falls = falls_of(frozenset(scenario.missions))
    values = StateValues(Compiler(scenario), [StateGoal(falls)], moments, 60_000)
    states = [session.table.state for session, _ in game.session.again()]
    struck = [state for state in states if any(each.scope for each in state.agenda)]
    assert len(struck) > 1
    for state in struck[-2:]:
        alone = Analysis(scenario, moments - state.moment, state=state).solve(falls)
        assert values(state) == (alone.shares.get(True, Fraction(0)),)
    assert values.whole
