"""Wacht am Rhein II for fireplan: volley barrages (chapter 12)."""

from fireplan_wacht_am_rhein._plugin import (
    fireplan_areas,
    fireplan_delays,
    fireplan_game,
    fireplan_observers,
    fireplan_requests,
    fireplan_resolution,
)

__all__ = [
    "fireplan_areas",
    "fireplan_delays",
    "fireplan_game",
    "fireplan_observers",
    "fireplan_requests",
    "fireplan_resolution",
]
