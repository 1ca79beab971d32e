"""Strict reading of TOML files into attrs classes: everything wrong with a file at once, with its line and a way out.

What a file may hold is told by the class it is read into; this package knows no class of its own.
"""

from fireplan.files._checks import Complaint, about, near, repeated, unknown, unread
from fireplan.files._faults import Fault, FileError, describe, plain
from fireplan.files._read import MAX_BYTES, Document, parse_toml, read_file

__all__ = [
    "MAX_BYTES",
    "Complaint",
    "Document",
    "Fault",
    "FileError",
    "about",
    "describe",
    "near",
    "parse_toml",
    "plain",
    "read_file",
    "repeated",
    "unknown",
    "unread",
]
