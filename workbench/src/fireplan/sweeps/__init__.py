"""Sweeps: grids over engagements, scenarios, games, options and numbers, solved point by point.

An interrupted run resumes where it stopped; any ``concurrent.futures.Executor`` can do the work.
"""

from fireplan_core.lazy import lazily

__getattr__, __dir__ = lazily(__name__)
