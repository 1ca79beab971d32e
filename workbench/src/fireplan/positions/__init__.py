"""Positions: a mission anywhere in play as a value, built in a game's words, written as one line and read back.

They stand outside the core because no rule needs them; what a game says of its fields it says with
``kept``.
"""

from fireplan_core._lazy import lazily

__getattr__, __dir__ = lazily(__name__)
