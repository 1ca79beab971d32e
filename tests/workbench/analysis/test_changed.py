"""A column that changes only numbers reuses the solved printed game, and gives the same answer as
on its own.
"""

from __future__ import annotations

import pytest

from fireplan.analysis import Contender, compare, find_engagement
from fireplan.solver import Analysis
from fireplan_core.play import Catalogue, Variation

CHANGES = {
    "red_poppies": {"on_target": "3"},
    "miniatures_1943": {"barrages_per_turn": "1"},
    "wacht_am_rhein": {"men_per_step": "100"},
}


@pytest.mark.parametrize("game", CHANGES)
def test_a_changed_column_has_the_same_answer_as_alone(game, monkeypatch):
    installed, engagement = Catalogue.installed(), find_engagement("woods")
    changed = Contender(f"{game}*", game, "changed", Variation(numbers=CHANGES[game]))
    varied = []
    plain = Analysis.varied
    monkeypatch.setattr(Analysis, "varied", lambda *given: varied.append(given) or plain(*given))
    alone = compare(engagement, installed, [changed]).games
    assert not varied
    beside = compare(engagement, installed, [Contender(game, game, "printed"), changed]).games
    assert len(varied) == 1
    assert beside[changed.name].measures == alone[changed.name].measures


def test_house_rules_and_options_are_solved_from_scratch(monkeypatch):
    monkeypatch.setattr(Analysis, "varied", None)
    installed, engagement = Catalogue.installed(), find_engagement("woods")
    option = next(
        option for option in installed["red_poppies"].game.options if len(option.values) > 1
    )
    other = next(value for value in option.values if value != option.default)
    changed = Variation(options={option.name: other}, numbers={"on_target": "3"})
    columns = [Contender("a", "red_poppies", "a"), Contender("b", "red_poppies", "b", changed)]
    assert compare(engagement, installed, columns).games.keys() == {"a", "b"}
