"""The checks of the conformance kit, one by one."""

from fireplan.kit import GameSuite


class TestSignalCards(GameSuite):
    """Every check, under its id."""

    game = "signal_cards"
