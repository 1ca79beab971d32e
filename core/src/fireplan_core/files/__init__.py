"""Strict reading of TOML files into attrs classes.

All faults are reported at once, with their lines and suggestions. The class defines what a file may
hold; this package has no such class of its own.
"""

from fireplan_core._lazy import lazily

__getattr__, __dir__ = lazily(__name__)
