"""The exact solver against independent sums: cycles, mass, projection, and the null game worked by
hand.
"""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace

import attrs
import null_game
import pytest

from fireplan.solver import (
    Analysis,
    Compiler,
    Ever,
    FirstFall,
    PreparedChain,
    TooLargeError,
    WorstSeverity,
    build_chain,
    exhausted,
    solve,
)
from fireplan.solver.analysis import weighed
from fireplan.solver.chain import NOTHING, Chain
from fireplan_core import (
    Effects,
    Event,
    Order,
    ProcedureError,
    Severity,
    StepDef,
    cycle,
    push,
    update,
)


def test_first_spotting_round_and_loss_by_hand(scenario):
    # In moment 1 a d6 of 1 loses the battery (1/6), a 2 does not reach it, and 3 to 6 reach it
    # (4/6).
    assert Analysis(scenario, 1).solve(exhausted()).shares[True] == Fraction(1, 6)
    # Fire for effect in moment 2 needs three things: the battery is reached in moment 1, a round
    # lands within one hex, and the battery is reached again. A round is within one hex if it is
    # accurate (2/6), or in any direction with a halved extent of 1 (2/6 of the rest).
    near = Fraction(2, 6) + Fraction(4, 6) * Fraction(2, 6)
    assert 1 - Analysis(scenario, 2).solve(FirstFall()).shares[None] == Fraction(
        4, 6
    ) * near * Fraction(4, 6)


def test_apart_and_joint_severity_agree(scenario):
    analysis = Analysis(scenario, 6)
    joint = PreparedChain(build_chain(Compiler(scenario)))
    for unit in scenario.targets:
        apart = {s: p for s, p in analysis.unit_severities()[unit].items() if p}
        assert apart == dict(solve(joint, WorstSeverity(unit), 6).shares)
    assert sum(analysis.severity().values()) == 1


def test_projection_drops_keys_that_no_step_reads(scenario):
    chain = build_chain(Compiler(scenario), apart=True)
    assert not any(key.startswith("units/") for key in chain.keys)
    assert "clock/moment" not in chain.keys


def _chain(*nodes):
    """Return a chain from (total, [(target, weight, ends), ...]) per node; events carry the
    transition's name.
    """
    emissions, links = [NOTHING], []
    for n, (_, ways) in enumerate(nodes):
        links.append([])
        for i, (target, weight, ends) in enumerate(ways):
            if ends:
                emissions.append((Event("way", "x", (("name", f"{n}-{i}"),)),))
            links[-1].append((target, weight, len(emissions) - 1 if ends else 0, ends))
    return Chain(
        (),
        [f"step {n}" for n in range(len(nodes))],
        [total for total, _ in nodes],
        links,
        emissions,
    )


def test_a_cycle_within_a_moment_is_solved_exactly():
    # Node 0 rolls: 1/6 goes to 1, 5/6 ends. Node 1 rolls: 1/6 back to 0, 5/6 ends another way.
    chain = _chain((6, [(1, 1, False), (0, 5, True)]), (6, [(0, 1, False), (0, 5, True)]))
    share = solve(PreparedChain(chain), Ever("way", "name", ("1-1",)), 1).shares
    # The chance of leaving from node 1 is 1/6 * 5/6 times the sum of all (1/36)^n: (5/36) / (35/36)
    # = 1/7.
    assert share == {True: Fraction(1, 7), False: Fraction(6, 7)}


def test_a_moment_that_never_ends_is_an_error():
    with pytest.raises(ProcedureError, match="never ends"):
        PreparedChain(_chain((2, [(1, 2, False)]), (1, [(0, 1, False)])))


def test_self_loop_until_it_ends():
    chain = _chain((6, [(0, 5, False), (0, 1, True)]))
    assert solve(PreparedChain(chain), Ever("way", "name", ("0-1",)), 1).shares == {
        True: Fraction(1)
    }


def test_too_many_states_are_refused_not_truncated(scenario):
    with pytest.raises(TooLargeError):
        build_chain(Compiler(scenario), max_nodes=50)


def test_a_doctrine_is_asked_by_name_and_its_wrong_order_is_an_error(scenario):
    passing = Compiler(scenario, {"requests.ask": lambda view, m: Order.of("pass")})
    chain = build_chain(passing)
    assert solve(PreparedChain(chain), FirstFall(), 5).shares == {None: Fraction(1)}
    wrong = Compiler(scenario, {"requests.aim": lambda view, m: Order.of("convert")})
    with pytest.raises(ProcedureError, match="N6"):
        build_chain(wrong)


def test_a_reading_kept_in_the_state_is_refused(scenario):
    from fireplan_core.chance import ChanceError, d6

    def leaky(chance, view, m):
        return Effects(
            push(scenario.parts.areas.extent, m, chance.dice("direction", coloured=d6).total)
        )

    steps = {
        **scenario.steps,
        "areas.direction": attrs.evolve(scenario.steps["areas.direction"], run=leaky),
    }
    with pytest.raises((ProcedureError, ChanceError)):
        build_chain(Compiler(attrs.evolve(scenario, steps=steps)))


def test_severities_are_ordered():
    assert Severity.NONE < Severity.SUPPRESSED < Severity.REDUCED < Severity.DESTROYED


def test_a_mission_that_writes_where_strikes_read_is_solved_jointly(scenario):
    # A house rule: the first spotting round suppresses the first unit of the target, without a
    # strike.
    release = scenario.steps["areas.land"]

    def landing(chance, view, m):
        man = view.seen_by("resolution").unit("t00", null_game.NullMan)
        return Effects(update(man, state=Severity.SUPPRESSED), *_parts_of(release(chance, view, m)))

    steps = {**scenario.steps, "areas.land": attrs.evolve(release, run=landing)}
    analysis = Analysis(attrs.evolve(scenario, steps=steps), 4)
    joint = PreparedChain(build_chain(Compiler(analysis.scenario)))
    for unit in analysis.scenario.targets:
        found = {s: p for s, p in analysis.unit_severities()[unit].items() if p}
        assert found == dict(solve(joint, WorstSeverity(unit), 4).shares)
    assert analysis.unit_severities()["t00"] != analysis.unit_severities()["t01"]


def _parts_of(then):
    return (*then.pushes, *then.events)


def test_a_moment_of_one_step_after_another_without_end_is_refused(scenario):
    again = StepDef("core.moment", "", lambda chance, view: Effects(push(cycle.moment)))
    endless = attrs.evolve(scenario, steps={**scenario.steps, "core.moment": again})
    with pytest.raises(ProcedureError, match="the moment never ends"):
        build_chain(Compiler(endless), spliced=True)


def test_harm_to_the_target_counts_a_unit_by_its_strength():
    target = SimpleNamespace(
        target_strength=4,
        units={"three": SimpleNamespace(strength=3), "one": SimpleNamespace(strength=1)},
    )
    harm = weighed(
        target, {"three": {Severity.DESTROYED: Fraction(1)}, "one": {Severity.NONE: Fraction(1)}}
    )
    assert harm[Severity.DESTROYED] == Fraction(3, 4)
    assert harm[Severity.NONE] == Fraction(1, 4)


def test_an_event_counts_only_for_its_missions_and_units():
    spent = Ever("ended", "reason", ("exhausted",), missions=frozenset("a"))
    assert spent.awaits({"reason": "exhausted", "mission": "a"})
    assert not spent.awaits({"reason": "exhausted", "mission": "b"})
    assert not spent.awaits({"reason": "delivered", "mission": "a"})
