"""Clauses 1 and 2: fire plans are written in secret, before play and in new orders."""

import copy
from fractions import Fraction

import pytest

import fireplan as fp
from fireplan.table import Visibility, believed
from fireplan_battlegroup_clash.facts import FireMissionState
from fireplan_battlegroup_clash.requests import BGCRequests
from fireplan_core import Order
from fireplan_core.play import Answered, Table
from fireplan_kit.secrecy_laws import _leaks, _shown

NAMES = {"asset": "guns", "at": (25_000, -22_000)}


@pytest.fixture
def scenario(lay):
    """Return a scenario with guns of blue and of red whose plans name distant squares."""
    guns = {"kind": "artillery", "missions": 5, "plan": ("E10/N10",)}
    return lay([], [{**guns, "id": "guns"}, {**guns, "id": "battery", "side": "red"}])


def ordered(scenario, *orders):
    """Return the tables before and after each order that blue gives about its plans."""
    table = Table(scenario, 2)
    tables = [copy.copy(table)]
    for order in (*orders, Order.of("keep")):
        table.submit(Answered("requests.plan", order))
        tables.append(copy.copy(table))
    return tables


def test_clause_2_the_enemy_believes_the_same_whatever_is_rewritten(scenario):
    orders = (
        Order.of("rewrite", **NAMES),
        Order.of("rewrite", **NAMES | {"at": (10_000, -9_000)}),
    )
    truth, other = (ordered(scenario, order)[-1].state for order in orders)
    assert truth != other
    of_red, of_blue = (
        [believed(scenario, state, Visibility(scenario, side), ())[1] for state in (truth, other)]
        for side in ("red", "blue")
    )
    assert of_red[0] == of_red[1]
    assert of_blue == [truth, other]


def test_clause_2_the_enemy_does_not_know_which_asset_lost_its_turn(scenario):
    state = ordered(scenario, Order.of("rewrite", **NAMES))[-1].state
    known = believed(scenario, state, Visibility(scenario, "red"), ())[1]
    assert state.values["missions/guns/requests/orders"] == "turn"
    assert known.values["missions/guns/requests/orders"] == ""


def test_clause_1_the_enemy_does_not_know_the_plans_of_before_play(scenario, lay):
    guns = {"id": "guns", "kind": "artillery", "missions": 5, "plan": ("E24/N22",)}
    other = lay([], [guns, {**guns, "id": "battery", "side": "red", "plan": ("E10/N10",)}])
    seen = [
        believed(each, Table(each, 2).state, Visibility(each, "red"), ())[0]
        for each in (scenario, other)
    ]
    plans = [[setup.facts["requests"].plan for setup in each.missions.values()] for each in seen]
    assert plans[0] == plans[1] == [("everywhere",), ("E10/N10",)]


def test_clause_2_a_position_shows_the_enemy_nothing_of_new_orders():
    line = "fp1 battlegroup_clash/forest_edge mortar{plan=@E24/N22 orders=turn}"
    ((share, world),) = fp.position(line).belief("Russia").positions()
    assert share == 1
    assert "plan=" not in str(world)
    assert "orders=" not in str(world)


def test_clause_2_unseen_new_orders_are_equally_likely():
    """Two assets and two intersections near their targets make four worlds."""
    opening = fp.position("battlegroup_clash/forest_edge")
    after = opening.play("rewrite asset=mortar at=E24/N22").play("keep").play("keep")
    shares = [share for share, _ in after.belief("Russia").positions()]
    assert shares == [Fraction(1, 4)] * 4


def test_l21_a_rewritten_plan_on_the_board_is_found(scenario, monkeypatch):
    tables, eyes = ordered(scenario, Order.of("rewrite", **NAMES)), Visibility(scenario, "red")

    def leaks():
        return list(_leaks(eyes, [(table, _shown(eyes, table)) for table in tables[1:]]))

    assert leaks() == []
    tells = lambda _, view, side: (f"plan: {view.own('guns', FireMissionState).plan}",)  # noqa: E731
    monkeypatch.setattr(BGCRequests, "board", tells)
    found = leaks()
    assert any("whether missions/guns/requests/plan is None" in str(text) for text in found), found
