"""Run the checks of the conformance kit."""

from fireplan_kit import GameSuite


class TestNightRockets(GameSuite):
    """One test for each check, named after it."""

    game = "night_rockets"
