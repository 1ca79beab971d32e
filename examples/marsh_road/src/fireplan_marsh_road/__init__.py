"""Marsh Road: the game is made of its five parts and the files in ``data``."""

from fireplan_core import hookimpl
from fireplan_core.ready_parts import plain_game

from fireplan_marsh_road.parts import Barrage, Calls, Eyes, Net, Wounded

GAME = plain_game(__package__, Eyes, Calls, Net, Barrage, Wounded)
fireplan_game = hookimpl(lambda: GAME)
"""The plugin hook that hands the game to fireplan."""
