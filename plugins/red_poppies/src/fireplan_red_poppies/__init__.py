"""Red Poppies Campaigns for fireplan: off-map artillery groups, their calls, signals and fire for effect."""

from fireplan_red_poppies._plugin import fireplan_game

__all__ = ["fireplan_game"]
