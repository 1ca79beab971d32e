"""Lantern Ridge: all of it but the rules of its five parts stands in the folder ``data``."""

from fireplan_core import hookimpl
from fireplan_core.ready_parts import plain_game

from fireplan_lantern_ridge.parts import Barrage, Calls, Eyes, Laying, Shelling

GAME = plain_game(__package__, Eyes, Calls, Laying, Barrage, Shelling)
fireplan_game = hookimpl(lambda: GAME)
"""Say what the game tells about itself."""
