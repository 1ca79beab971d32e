"""Sheets: games made of ready parts, each described by one TOML file.

A part can also be a class in a Python module beside the file.
"""

from fireplan_core.lazy import lazily

__getattr__, __dir__ = lazily(__name__)
