"""Marsh Road: five parts and the files in data."""

from fireplan_core import hookimpl
from fireplan_core.ready_parts import plain_game

from fireplan_marsh_road.parts import Calls, Eyes, Fire, Net, Wounded

GAME = plain_game(__package__, Eyes, Calls, Net, Fire, Wounded)
fireplan_game = hookimpl(lambda: GAME)
"""Say what the game tells about itself."""
