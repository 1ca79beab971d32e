"""The best use of a game's artillery: the side's own questions left open, and the optimum found exactly.

Everybody else keeps to a doctrine or to stated beliefs. Nothing here is imported by the rest of the
odds.
"""

from fireplan_core._lazy import lazily

__getattr__, __dir__ = lazily(__name__)
