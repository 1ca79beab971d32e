"""The core as the commands use it, loaded when it is first used: a list of commands needs no game, no rules."""

from fireplan_core._lazy import lazily

__getattr__, __dir__ = lazily(__name__)
