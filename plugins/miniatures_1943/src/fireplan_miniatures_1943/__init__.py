"""The "1943" miniatures rules for fireplan: requests, barrages and air strikes (chapter 6)."""

from fireplan_miniatures_1943._plugin import fireplan_game

__all__ = ["fireplan_game"]
