"""A game in play: session and journal, logs and views, seals, playthroughs, forecasts.

The core owns the loop, and the rules are steps of the parts; no odds are computed here.
"""

from fireplan_core._lazy import lazily

__getattr__, __dir__ = lazily(__name__)
