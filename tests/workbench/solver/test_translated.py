"""Orders that are best in a relaxed process are translated into orders of the whole process."""

from __future__ import annotations

from functools import cache

import attrs
import pytest
from support_solver import goal_of, process_of

from fireplan.solver.best import values_of
from fireplan.solver.best.bounds import Bounded, Search, _solve_translated, relaxed_bound
from fireplan.solver.best.translated import good_solutions, translated_policy
from fireplan_core import Ask, Order
from fireplan_core.mission import Stage

translation = pytest.importorskip("fireplan_asl.translation")

FIRE, TYPE, CREEP = (
    Ask("german", question, ("a",)) for question in ("requests.fire", "requests.type", "areas.creep_ar")
)  # fmt: skip


@cache
def shipped(name, moments):
    return process_of(f"asl/{name}", moments)


def followed(name, moments, goal):
    """Return the value of the translated orders, and the bound of the relaxed process."""
    process = shipped(name, moments)
    goal = goal_of(process, goal)
    chooser = translated_policy(process.relaxed(goal), goal)
    (value,) = values_of(process, [goal], chooser)
    return value, relaxed_bound(process, goal)


@pytest.mark.parametrize("goal", ["falls", "moments_under_fire"])
def test_in_the_set_piece_they_are_the_best(goal):
    value, bound = followed("set_piece", 4, goal)
    assert value == bound


@pytest.mark.parametrize("goal", ["suppressed", "destroyed", "strikes"])
@pytest.mark.parametrize("name", ["village", "set_piece"])
def test_they_are_never_better_than_the_bound(name, goal):
    value, bound = followed(name, 3, goal)
    assert 0 < value <= bound


def test_they_are_better_than_the_standard_orders():
    process = shipped("set_piece", 4)
    goal = goal_of(process, "falls")
    (standard,) = values_of(process, [goal])
    relaxed = process.relaxed(goal)
    started = Bounded(goal, standard, standard, relaxed_bound(process, goal))
    left = iter(range(10**6, 0, -1))
    result = _solve_translated(Search(process, lambda: next(left)), started)
    assert result.value > standard
    assert result.gap == 0
    assert result.policy.situations
    assert relaxed.translation is not None


def test_without_a_translation_nothing_is_tried():
    process = process_of("asl/set_piece", 2)
    goal = goal_of(process, "falls")
    relaxed = process.relaxed(goal)
    relaxed.translation = None
    assert translated_policy(relaxed, goal) is None


def test_only_the_proposed_orders_are_weighed_against_the_standard_order():
    process = process_of("asl/set_piece", 3)
    goal = goal_of(process, "falls")
    (standard,) = values_of(process, [goal])

    def passing(ask, _read, legal):
        return (order for order in legal() if order.verb == "pass")

    decisions = attrs.evolve(process.open_decisions, proposed=(passing,))
    proposed = process.varied(open_decisions=decisions)
    (solution,) = good_solutions(proposed, goal, bool)
    assert solution.values[0] == standard  # a side that passes gets no fire
    explored = proposed.explored([goal])
    assert explored.decides
    for node in explored.decides:
        _, *others = explored.orders(node)
        assert {order.verb for order in others} == {"pass"}


# --- hexes and shots ------------------------------------------------------------------------------
def settled():
    """Return the translation of the set piece, where its rounds settle, and its map's frame."""
    process = shipped("set_piece", 4)
    relaxed = process.relaxed(goal_of(process, "falls"))
    (settling,) = relaxed.translation.settlings.values()
    return relaxed.translation, settling


def reading(stage, impact):
    return {"missions/a/stage": stage, "missions/a/impact": impact}.get


def test_a_round_far_away_counts_as_the_farthest():
    hexes, settling = settled()
    read = reading(Stage.FALLING, (99, 99))
    far = hexes.value("missions/a/impact", (99, 99), read)
    assert settling.off[far] == max(settling.off.values())
    assert hexes.value("missions/a/impact", None, read) is None
    assert hexes.value("missions/a/aim", (99, 99), read) == (99, 99)


def test_a_spotting_round_off_the_map_counts_as_unseen():
    hexes, settling = settled()
    off_map = next(at for at in settling.spots if settling.spots[at] not in settling.off)
    for stage in (Stage.SPOTTING, Stage.FALLING, Stage.LINGERING):
        place = hexes.value("missions/a/impact", off_map, reading(stage, off_map))
        assert (place in settling.off) == (stage is not Stage.SPOTTING)


@pytest.mark.parametrize(
    ("verb", "stage", "sign"),
    [
        ("fire", Stage.IDLE, 0),
        ("replace", Stage.SPOTTING, 0),
        ("correct", Stage.FALLING, -1),
        ("correct", Stage.SPOTTING, 1),
        ("correct", Stage.LINGERING, 1),
    ],
)
def test_an_order_is_aimed_as_the_shot_that_it_names(verb, stage, sign):
    hexes, settling = settled()
    impact = next(iter(settling.off))
    shots = settling.shots[sign * settling.off[impact]]
    read = reading(stage, impact)
    for name, shot in shots.items():
        order = hexes.order(FIRE, Order.of(verb, at=name), read)
        assert order == Order.of(verb, at=shot.aim)
        (_, back) = hexes.ask(attrs.evolve(TYPE, args=("a", order)), read).args
        assert shots[back["at"]].aim == shot.aim


def test_other_orders_stay_as_they_are():
    hexes, settling = settled()
    read = reading(Stage.SPOTTING, next(iter(settling.off)))
    name = next(iter(settling.shots[translation.NEW]))
    assert hexes.order(FIRE, Order.of("cancel"), read) == Order.of("cancel")
    assert hexes.order(CREEP, Order.of("place", at=name), read) == Order.of("place", at=name)
    assert hexes.ask(FIRE, read) == FIRE
