"""Chance: dice, piles, charts and modifiers, and the drivers that let them fall or follow every branch.

Rule code asks for ``chance.dice(...)`` and gets a lazy ``Roll``; the exact driver branches only where the rule
distinguishes. Nothing here knows a game, a mission or a table.
"""

from fireplan_core.chance._cells import Cell, CellError, cells_of, watched, with_cell
from fireplan_core.chance._chance import Applied, Chance, explore
from fireplan_core.chance._charts import PROVENANCES, Chart, ChartError, chart_from_csv, chart_text, read_csv
from fireplan_core.chance._events import (
    ChanceError,
    ChanceEvent,
    Die,
    Draw,
    Face,
    Faces,
    Fold,
    Outcome,
    Selection,
    Throw,
    d6,
    d10,
)
from fireplan_core.chance._numbers import Note, Numbers, numbers_from_csv
from fireplan_core.chance._roll import Reading, Roll
from fireplan_core.chance._sources import RandomFaces, ScriptedFaces, check_face, random_words

__all__ = [
    "PROVENANCES", "Applied", "Cell", "CellError", "Chance", "ChanceError", "ChanceEvent", "Chart", "ChartError", "Die",
    "Draw", "Face", "Faces", "Fold", "Note", "Numbers", "Outcome", "RandomFaces", "Reading", "Roll", "ScriptedFaces",
    "Selection", "Throw", "cells_of", "chart_from_csv", "chart_text", "check_face", "d6", "d10", "explore",
    "numbers_from_csv", "random_words", "read_csv", "watched", "with_cell",
]  # fmt: skip
