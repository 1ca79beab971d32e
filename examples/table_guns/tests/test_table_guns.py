"""The checks of the conformance kit, one by one."""

from fireplan.kit import GameSuite


class TestTableGuns(GameSuite):
    """Every check, under its id."""

    game = "table_guns"
