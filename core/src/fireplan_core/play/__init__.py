"""Play: the state and the agenda, the game loop with orders and dice as inputs, the catalogue of installed games."""

from fireplan_core._lazy import lazily

__getattr__, __dir__ = lazily(__name__)
