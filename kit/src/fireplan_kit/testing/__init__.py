"""Tools for testing games: Hypothesis strategies for positions and missions, monotone figures.

Needs pytest and hypothesis (the extra ``kit``). A failing case is shrunk and printed as a position
line; a mission is also saved as a journal that replays it.
"""

from fireplan_core.lazy import lazily

__getattr__, __dir__ = lazily(__name__)
