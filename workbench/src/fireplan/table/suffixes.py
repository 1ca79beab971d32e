"""The suffixes of the files in which games in play are kept."""

SUFFIX = ".playthrough.txt"
RECORDED = (".fireplan", SUFFIX)
"""The suffixes of journals and of playthroughs."""
