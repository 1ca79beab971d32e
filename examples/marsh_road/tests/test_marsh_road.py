"""The checks of the conformance kit, one by one."""

from fireplan_kit import GameSuite


class TestMarshRoad(GameSuite):
    """Every check, under its id."""

    game = "marsh_road"
