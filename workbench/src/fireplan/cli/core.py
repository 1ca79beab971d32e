"""The core as the commands use it, loaded on first use, since listing commands needs no game."""

from fireplan_core._lazy import lazily

__getattr__, __dir__ = lazily(__name__)
