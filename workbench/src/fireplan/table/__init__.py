"""A game in play: session and journal, logs and views, seals, playthroughs, forecasts.

The core runs the loop, and the rules are steps of the parts. This package computes no odds.
"""

from fireplan_core.lazy import lazily

__getattr__, __dir__ = lazily(__name__)
