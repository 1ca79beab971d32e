"""The checks of the conformance kit, one by one."""

from fireplan.kit import GameSuite


class TestMarshRoad(GameSuite):
    """Every check, under its id."""

    game = "marsh_road"
