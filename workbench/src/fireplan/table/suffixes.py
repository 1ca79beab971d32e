"""File suffixes of games in play."""

SUFFIX = ".playthrough.txt"
RECORDED = (".fireplan", SUFFIX)
"""Suffixes of journals and of playthroughs."""
