"""Five laws that every installed game obeys, written with ``fireplan_kit.testing``.

docs/how_to/testing.md shows them.
"""

from hypothesis import given, settings
from hypothesis import strategies as st

from fireplan_core import FINAL, Ask, Refusal, Stage
from fireplan_core.play import Answered
from fireplan_kit.testing import assert_monotone, for_every_game, orders, played_missions, positions


@for_every_game
@settings(max_examples=10)
@given(data=st.data())
def test_an_asset_that_is_spent_or_lost_never_fires_again(game, data):
    mission = data.draw(played_missions(game, inputs=20))
    gone = set()
    for entry in mission.log:
        if entry.event.kind == "fall":
            assert entry.event["mission"] not in gone
        if entry.event.kind == "ended" and entry.event["reason"] in FINAL:
            gone.add(entry.event["mission"])


@for_every_game
@settings(max_examples=10)
@given(data=st.data())
def test_fire_that_falls_has_an_impact_and_a_stage(game, data):
    position = data.draw(positions(game, inputs=20))
    for mission in position.scenario.missions:
        stage = position.read(f"missions/{mission}/stage", Stage.IDLE)
        if stage is Stage.FALLING:
            assert position.read(f"missions/{mission}/impact", None) is not None
        if stage is Stage.ENDED:
            assert position.read(f"missions/{mission}/aim", None) is None


@for_every_game
@settings(max_examples=10)
@given(data=st.data())
def test_an_order_on_offer_is_taken(game, data):
    position = data.draw(positions(game, inputs=20))
    table = position.table()
    if isinstance(table.waits_for, Ask):
        order = data.draw(orders(position))
        assert not isinstance(table.submit(Answered(table.waits_for.question, order)), Refusal)


@for_every_game
@settings(max_examples=10)
@given(data=st.data())
def test_time_never_goes_back(game, data):
    moments = [entry.moment for entry in data.draw(played_missions(game, inputs=20)).log]
    assert moments == sorted(moments)


# In BattleTech errors of four hexes are likelier than errors of one; Battlegroup Clash forbids fire
# so close.
@for_every_game(but=("battletech", "battlegroup_clash"))
def test_own_troops_farther_off_are_hit_no_more_and_a_longer_watch_delivers_no_less(game):
    assert_monotone(
        "own_troops_under_fire", over="own_troops", values=(50, 100, 200), game=game, falling=True
    )
    assert assert_monotone("delivered", over="minutes", values=(10, 20, 40), game=game)[-1] > 0
