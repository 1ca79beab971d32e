"""Strict reading of TOML files into attrs classes, reporting all faults at once with lines and suggestions.

The class defines what a file may hold; this package has no such class of its own.
"""

from fireplan_core._lazy import lazily

__getattr__, __dir__ = lazily(__name__)
