"""Advanced Squad Leader for fireplan: off-board artillery (C1) and barrages (E12)."""

from fireplan_asl._plugin import fireplan_game

__all__ = ["fireplan_game"]
