"""Lantern Ridge: the game is made of its five parts and the files in ``data``."""

from fireplan_core import hookimpl
from fireplan_core.ready_parts import plain_game

from fireplan_lantern_ridge.parts import Barrage, Calls, Eyes, Laying, Shelling

GAME = plain_game(__package__, Eyes, Calls, Laying, Barrage, Shelling)
fireplan_game = hookimpl(lambda: GAME)
"""The plugin hook that hands the game to fireplan."""
