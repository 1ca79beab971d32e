"""A game in play: the state and its agenda, the loop, orders and dice as inputs, the journal, the catalogue of games.

The core owns the loop here; the rules are steps of the parts. Nothing here computes odds.
"""

from fireplan_core._lazy import lazily

__getattr__, __dir__ = lazily(__name__)
