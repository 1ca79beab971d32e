"""Questions too large to solve: one message gives the cause and the usual remedies."""

from __future__ import annotations

import gc
import weakref

import attrs
import pytest
from null_setup import null_catalogue
from tiers import one_in

from fireplan.solver import Analysis, Compiler, TooLargeError, build_chain
from fireplan.solver.best import OpenDecisions, Process
from fireplan.solver.compile import StepRows, tree_nodes
from fireplan.solver.explore import Explorer
from fireplan.solver.states import cure
from fireplan_core import Ask, Effects, Severity, record, update
from fireplan_kit import STANDARD, Bench, profile


@record
class Tally:
    """A counter with unbounded values."""

    count: int = 0
    drawn: tuple[int, ...] = ()


def growing(scenario, more):
    """Return the scenario in which each attempt to reach the battery also has the effects of
    ``more``.
    """
    reach = scenario.steps["delays.reach"]

    def run(chance, view, m):
        done = reach(chance, view, m)
        return Effects(done, more(view, m)) if done.events else done

    return attrs.evolve(
        scenario, steps={**scenario.steps, "delays.reach": attrs.evolve(reach, run=run)}
    )


def counts(view, m):
    tally = view.own(m, Tally)
    return update(tally, count=tally.count + 1)


def lists(view, m):
    tally = view.own(m, Tally)
    return update(tally, drawn=(*tally.drawn, len(tally.drawn) % 3))


def wanders(view, m):
    now = view.mission(m)
    q, r = now.previous or (0, 0)
    return update(now, previous=(q + 1, r))


@pytest.mark.parametrize(
    ("more", "key", "help_"),
    one_in(
        3,
        [
            (counts, "missions/a/delays/count", "stop it at the highest value that a rule reads"),
            (lists, "missions/a/delays/drawn", "keep counts by kind"),
            (wanders, "missions/a/previous", "limit how far it moves"),
        ],
    ),
)
def test_the_key_whose_values_multiply_is_named_with_the_usual_cure(scenario, more, key, help_):
    with pytest.raises(TooLargeError) as told:
        build_chain(Compiler(growing(scenario, more)), spliced=True, max_nodes=60_000, horizon=80)
    assert f": {key} takes " in str(told.value)
    assert help_ in str(told.value)
    assert "\n" not in str(told.value)
    assert told.value.moments > 0


@pytest.fixture
def explorers(monkeypatch):
    """Return a list of weak references to every explorer made from now on.

    Objects left by earlier tests are exempt from garbage collection.
    """
    gc.freeze()
    made = []
    begin = Explorer.__init__

    def begun(self, *args, **options):
        made.append(weakref.ref(self))
        begin(self, *args, **options)

    monkeypatch.setattr(Explorer, "__init__", begun)
    return made


def test_explored_states_are_freed_if_best_orders_are_too_large(scenario, explorers):
    process = Process(scenario, 8, OpenDecisions(scenario.firer), max_nodes=20)
    for _ in range(2):  # the second time the refusal comes from memory
        with pytest.raises(TooLargeError, match="more than 20 states"):
            process.mission_apart()
    gc.collect()
    assert explorers
    assert not any(explorer() for explorer in explorers)


def test_explored_states_are_freed_if_odds_are_too_large(scenario, explorers, monkeypatch):
    usual = Analysis._options.fget
    fewer = property(lambda self: {**usual(self), "max_nodes": 20_000})
    monkeypatch.setattr(Analysis, "_options", fewer)
    analysis = Analysis(growing(scenario, counts), 10_000)
    for _ in range(2):
        with pytest.raises(TooLargeError, match="more than 20,000 states"):
            _ = analysis.chain
    gc.collect()
    assert explorers
    assert not any(explorer() for explorer in explorers)


def test_strikes_on_one_unit_have_a_cure_of_their_own():
    assert "clear it each turn" in cure("units/t1/resolution/hits", [0, 1, 2])
    assert "read the same few properties of every card" in cure(
        "shared/out", [(), (("fate", "hand", (1,), 1),)]
    )
    assert "only as much of it" in cure("missions/a/x/worst", list(Severity))


def test_a_profile_gives_the_size_of_a_game_and_its_cause():
    first, *lines = profile(Bench(null_catalogue(), "null", STANDARD))
    assert first.endswith("in 8 moments, places solved one at a time")
    assert lines[0].startswith("  missions/a/impact takes 20 values: an unbounded place")
    assert any(line.startswith("  the question requests.aim: ") for line in lines)


def test_the_same_orders_of_many_situations_are_kept_once(scenario):
    compiler = Compiler(scenario, every_order=50)
    build_chain(compiler, spliced=True, horizon=3)
    rows = [
        row
        for pending, root in compiler._tries.items()
        if isinstance(pending, Ask)
        for node in tree_nodes(root)
        if isinstance(node, StepRows)
        for row in node.rows
    ]
    assert len(rows) > len(set(rows)) > 1
    assert len({id(row) for row in rows}) == len(set(rows))
