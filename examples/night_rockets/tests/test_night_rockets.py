"""The checks of the conformance kit, one by one."""

from fireplan_kit import GameSuite


class TestNightRockets(GameSuite):
    """Every check, under its id."""

    game = "night_rockets"
