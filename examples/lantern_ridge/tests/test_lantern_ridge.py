"""The checks of the conformance kit, one by one."""

from fireplan_kit import GameSuite


class TestLanternRidge(GameSuite):
    """Every check, under its id."""

    game = "lantern_ridge"
