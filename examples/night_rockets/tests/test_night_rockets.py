"""The checks of the conformance kit, one by one."""

from fireplan.kit import GameSuite


class TestNightRockets(GameSuite):
    """Every check, under its id."""

    game = "night_rockets"
