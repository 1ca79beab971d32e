"""Table guns: called by a chart, shifted by the opponent, on a table in inches. Our own invention."""

from fireplan_core import hookimpl
from fireplan_core.blocks import plain_game
from fireplan_table_guns.parts import Blast, Calls, Eyes, Net, Wounded

GAME = plain_game(__package__, Eyes, Calls, Net, Blast, Wounded)


@hookimpl
def fireplan_game():
    """Return what the game tells about itself."""
    return GAME
