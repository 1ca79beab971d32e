"""Advanced Squad Leader for fireplan: off-board artillery (C1) and barrages (E12)."""

from fireplan_asl._plugin import (
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
