"""Odds: the same steps that are played, compiled into a chain, solved exactly or sampled.

Probabilities are integers and fractions throughout; sampled figures say so, with their standard
error.
"""

from fireplan_core._lazy import lazily

__getattr__, __dir__ = lazily(__name__)
