"""Rules tests for games of others: every game, positions and stories by Hypothesis, monotone figures.

With pytest and hypothesis (the extra ``kit``). Used in a test, a failing case is shrunk and printed
as a position line, and where it was played as a journal that replays it.
"""

from fireplan_core._lazy import lazily

__getattr__, __dir__ = lazily(__name__)
