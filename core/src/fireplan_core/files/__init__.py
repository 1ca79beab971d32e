"""Strict reading of TOML files into attrs classes.

All faults in a file are reported at once, with their lines and suggestions. The attrs class defines
the keys and values that a file may contain; callers provide the class.
"""

from fireplan_core.lazy import lazily

__getattr__, __dir__ = lazily(__name__)
