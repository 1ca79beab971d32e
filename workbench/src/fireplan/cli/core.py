"""The core, loaded when a command first uses it, because listing commands needs no game."""

from fireplan_core.lazy import lazily

__getattr__, __dir__ = lazily(__name__)
