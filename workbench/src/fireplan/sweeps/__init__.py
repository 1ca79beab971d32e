"""Sweeps: a grid over engagements, scenarios, games, options and numbers, solved point by point.

An interrupted run goes on where it was; the work is done by any ``concurrent.futures.Executor``.
"""

from fireplan_core._lazy import lazily

__getattr__, __dir__ = lazily(__name__)
