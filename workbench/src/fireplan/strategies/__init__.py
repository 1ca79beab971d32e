"""Strategies: orders given in advance, as values that are written as one line and read back.

A scenario under a strategy answers its questions by the strategy, and by the standard orders where
the strategy has no rule; play, odds and search follow it like any other scenario.
"""

from fireplan_core.lazy import lazily

__getattr__, __dir__ = lazily(__name__)
