"""The best use of a game's artillery: the side's decisions are left open, and solved exactly.

Everybody else follows a doctrine or stated beliefs. The rest of the solver imports nothing from
here.
"""

from fireplan_core._lazy import lazily

__getattr__, __dir__ = lazily(__name__)
