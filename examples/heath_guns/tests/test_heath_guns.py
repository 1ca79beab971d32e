"""The checks of the conformance kit, one by one."""

from fireplan.kit import GameSuite


class TestHeathGuns(GameSuite):
    """Every check, under its id."""

    game = "heath_guns"
