"""Odds: the same steps that are played, compiled into a chain, and solved exactly or sampled.

Probabilities are integers and fractions throughout. Sampled figures are marked and have standard
errors.
"""

from fireplan_core.lazy import lazily

__getattr__, __dir__ = lazily(__name__)
