"""Red Poppies Campaigns for fireplan: off-map artillery groups, their calls, signals and fire for effect."""

from fireplan_red_poppies._plugin import (
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
