"""The checks of the conformance kit, one by one."""

from fireplan.kit import GameSuite


class TestPowderCards(GameSuite):
    """Every check, under its id."""

    game = "powder_cards"
