"""The "1943" miniatures rules for fireplan: requests, barrages and air strikes (chapter 6)."""

from fireplan_miniatures_1943._plugin import (
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
