"""How the names of files of games in play end."""

SUFFIX = ".playthrough.txt"
RECORDED = (".fireplan", SUFFIX)
"""Of journals and of playthroughs."""
