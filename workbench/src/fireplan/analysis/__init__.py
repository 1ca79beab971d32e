"""Comparing games: engagements, yardsticks, and answers side by side as data and pictures."""

from fireplan_core.lazy import lazily

__getattr__, __dir__ = lazily(__name__)
