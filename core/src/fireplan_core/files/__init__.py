"""Strict reading of TOML files into attrs classes: everything wrong with a file at once, with its line and a way out.

What a file may hold is told by the class it is read into; this package knows no class of its own.
"""

from fireplan_core._lazy import lazily

__getattr__, __dir__ = lazily(__name__)
