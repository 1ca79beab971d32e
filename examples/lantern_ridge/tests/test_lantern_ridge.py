"""Run the checks of the conformance kit."""

from fireplan_kit import GameSuite


class TestLanternRidge(GameSuite):
    """One test for each check, named after it."""

    game = "lantern_ridge"
