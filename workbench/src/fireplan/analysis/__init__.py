"""Comparing games: engagements from files, yardsticks, and the answers side by side as data and picture."""

from fireplan_core._lazy import lazily

__getattr__, __dir__ = lazily(__name__)
