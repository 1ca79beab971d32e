"""Play: the game loop driven by orders and dice, the states, and the catalogue of games."""

from fireplan_core.lazy import lazily

__getattr__, __dir__ = lazily(__name__)
