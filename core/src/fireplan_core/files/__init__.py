"""Strict reading of TOML files into attrs classes: everything wrong with a file at once, with its line and a way out.

What a file may hold is told by the class it is read into; this package knows no class of its own.
"""

from fireplan_core.files._faults import Fault, FileError, describe, plain
from fireplan_core.files._read import MAX_BYTES, Document, parse_toml, read_file

__all__ = ["MAX_BYTES", "Document", "Fault", "FileError", "describe", "parse_toml", "plain", "read_file"]
