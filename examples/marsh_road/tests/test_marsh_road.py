"""Run the checks of the conformance kit."""

from fireplan_kit import GameSuite


class TestMarshRoad(GameSuite):
    """One test for each check, named after it."""

    game = "marsh_road"
