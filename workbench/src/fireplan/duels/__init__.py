"""Duels: games with hidden information in which both sides choose, solved with a guarantee.

A side knows only what ``table`` shows it.
"""

from fireplan_core.lazy import lazily

__getattr__, __dir__ = lazily(__name__)
