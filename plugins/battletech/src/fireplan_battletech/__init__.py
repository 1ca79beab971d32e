"""BattleTech, from second-hand sources."""
