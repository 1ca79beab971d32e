"""Powder cards: calls, jamming, aim and effect of fire are played with one deck of cards. Our own invention."""

from fireplan_core import hookimpl
from fireplan_core.blocks import plain_game
from fireplan_powder_cards.parts import Barrage, Calls, Eyes, Shelling, Wireless

GAME = plain_game(__package__, Eyes, Calls, Wireless, Barrage, Shelling)


@hookimpl
def fireplan_game():
    """Return what the game tells about itself."""
    return GAME
