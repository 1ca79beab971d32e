"""Chance: dice, piles, charts and modifiers, and the drivers that let them fall or follow every branch.

Rule code asks for ``chance.dice(...)`` and gets a lazy ``Roll``; the exact driver branches only
where the rule distinguishes. Nothing here knows a game, a mission or a table.
"""

from fireplan_core._lazy import lazily

__getattr__, __dir__ = lazily(__name__)
