"""Play: the game loop with orders and dice as its inputs, states, and the catalogue of games."""

from fireplan_core.lazy import lazily

__getattr__, __dir__ = lazily(__name__)
