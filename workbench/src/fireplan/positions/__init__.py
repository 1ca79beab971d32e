"""Positions: a mission at any point in play as a value, written as one line and read back.

This package is outside the core because no rule needs it. A game describes its fields with
``kept``.
"""

from fireplan_core.lazy import lazily

__getattr__, __dir__ = lazily(__name__)
