"""Strict reading of TOML files into attrs classes: everything wrong with a file at once, with its line and a way out.

What a file may hold is told by the class it is read into; this package knows no class of its own.
"""

from fireplan_core._ordinary import ALLOW_OUTSIDE, below, read_ordinary
from fireplan_core.files._checks import Complaint, about, near, repeated, shipped, unknown, unread
from fireplan_core.files._faults import Fault, FileError, describe, plain
from fireplan_core.files._read import MAX_BYTES, Document, parse_toml, read_file
from fireplan_core.files._write import write_toml

__all__ = [
    "ALLOW_OUTSIDE", "MAX_BYTES", "Complaint", "Document", "Fault", "FileError", "about", "below", "describe", "near",
    "parse_toml", "plain", "read_file", "read_ordinary", "repeated", "shipped", "unknown", "unread", "write_toml",
]  # fmt: skip
