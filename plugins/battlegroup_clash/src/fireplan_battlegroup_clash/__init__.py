"""Battlegroup Clash, from second-hand sources."""
