"""The exact solver checks its assumptions while it runs, and refuses if one does not hold."""

from __future__ import annotations

from fractions import Fraction

import attrs
import pytest

from fireplan.solver import Analysis, Compiler, FirstFall, build_chain
from fireplan_core import Effects, Order, ProcedureError, Refusal, Stage, record, update
from fireplan_core.play import Rulebook


def with_step(scenario, name, run):
    """Return the scenario in which a step also returns the effects of ``run``."""
    found = scenario.steps[name]

    def both(chance, view, *args):
        return Effects(found(chance, view, *args), run(view, *args))

    return attrs.evolve(scenario, steps={**scenario.steps, name: attrs.evolve(found, run=both)})


@record
class Kept:
    value: object = None


@pytest.mark.parametrize("one", [True, Fraction(1), (1, (True,))])
def test_equal_values_of_two_kinds_at_one_key_are_refused(scenario, one):
    other = (1, (1,)) if isinstance(one, tuple) else 1
    assert one == other

    def mixes(view, m):
        # The value differs in every stage, and no other rule writes this key.
        return update(view.mission(m), aim=one if view.mission(m).forced else other)

    def turns(view, m):
        return update(view.mission(m), forced=not view.mission(m).forced)

    mixed = with_step(with_step(scenario, "delays.reach", mixes), "delays.reach", turns)
    with pytest.raises(
        ProcedureError, match="to missions/a/aim, which held an equal value of another type"
    ):
        build_chain(Compiler(mixed), horizon=3)


def test_a_rule_that_remembers_is_refused_when_it_answers_otherwise(scenario):
    called = []

    def remembers(view, m):
        called.append(m)
        return update(view.mission(m), forced=len(called) % 2 == 0)

    with pytest.raises(
        ProcedureError, match=r"delays.reach\(a\) gives a different result when it is run again"
    ):
        Analysis(with_step(scenario, "delays.reach", remembers), 3).solve(FirstFall())


def test_a_doctrine_that_remembers_is_refused(scenario):
    orders = iter([Order.of("ask"), *[Order.of("pass")] * 99])
    with pytest.raises(ProcedureError, match=r"requests\.ask.* gives a different result"):
        Analysis(scenario, 3, {"requests.ask": lambda _view, _m: next(orders)}).solve(FirstFall())


def test_nothing_of_a_setup_or_a_part_changes_in_play(scenario):
    with pytest.raises(
        ProcedureError, match=r"NullAreas.seen cannot be changed in play: keep it in a record"
    ):
        scenario.parts.areas.seen = 1
    (unit, *_) = scenario.units
    for mapping in (
        scenario.units,
        scenario.missions,
        scenario.shared,
        scenario.units[unit].slots,
        scenario.initial,
    ):
        with pytest.raises(TypeError, match="does not support item assignment"):
            mapping["x"] = 1


@pytest.mark.parametrize("at", ["here", 3, None, (1.5, 0), ((0, 0),)])
def test_a_value_of_an_unoffered_kind_is_refused_before_the_judge(scenario, at):
    rulebook = Rulebook(scenario)
    tops = build_chain(Compiler(scenario), horizon=2).tops
    asked = next(top for top in tops if getattr(top, "question", "") == "requests.aim")
    here = {**scenario.initial, "missions/a/stage": Stage.DELAYED}
    refusal = rulebook.refuse(asked, Order.of("aim", at=at), here.get)
    assert refusal == Refusal("N3", f"at is where, not {at!r}", "requests")
