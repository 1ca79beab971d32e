"""Chance: dice, piles, charts and modifiers, with drivers that roll dice or follow every branch.

Rule code calls ``chance.dice(...)`` and gets a lazy ``Roll``; the exact driver branches only where
the rule distinguishes results. This package knows nothing about games, missions or tables.
"""

from fireplan_core.lazy import lazily

__getattr__, __dir__ = lazily(__name__)
