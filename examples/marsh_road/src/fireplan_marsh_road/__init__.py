"""Marsh Road: five parts and the files in data."""

from fireplan_core import hookimpl
from fireplan_core.blocks import plain_game

from fireplan_marsh_road.parts import Calls, Eyes, Fire, Net, Wounded

GAME = plain_game(__package__, Eyes, Calls, Net, Fire, Wounded)


@hookimpl
def fireplan_game():
    """Return what the game tells about itself."""
    return GAME
