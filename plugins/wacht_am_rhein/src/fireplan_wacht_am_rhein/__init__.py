"""Wacht am Rhein II for fireplan: volley barrages (chapter 12)."""

from fireplan_wacht_am_rhein._plugin import fireplan_game

__all__ = ["fireplan_game"]
