"""The best use of a game's artillery: one side's decisions are left open and solved exactly.

All other sides follow a doctrine or stated beliefs. The rest of the solver imports nothing from
this package.
"""

from fireplan_core.lazy import lazily

__getattr__, __dir__ = lazily(__name__)
