"""Sweeps: a grid over engagements, scenarios, games, options and numbers, solved point by point on any executor.

A killed run goes on where it was, and who works is anybody's ``concurrent.futures.Executor``.
"""

from fireplan_core._lazy import lazily

__getattr__, __dir__ = lazily(__name__)
