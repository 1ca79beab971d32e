"""What the commands use of the core, loaded when it is first used: a list of commands needs no game and no rules."""

from fireplan._lazy import lazily

__getattr__, __dir__ = lazily(__name__)
