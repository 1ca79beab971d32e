"""The command that answers other programs: ``fireplan mcp``."""

from __future__ import annotations

from fireplan.errors import InputError
from fireplan.extras import needs

_LONGEST = 600
"""Largest time limit for one answer, in seconds."""


def mcp(*, seconds: int = 30) -> None:
    """Answer assistants and other programs over the Model Context Protocol; read-only.

    It uses standard input and output. Its tools are fireplan's questions, and tools that judge
    orders at a position. Needs the extra 'mcp' (pip install 'fireplan[mcp]').

    :param seconds: Time limit for one answer, in seconds; longer work is stopped and refused.
    """
    if not 1 <= seconds <= _LONGEST:
        raise InputError(f"--seconds: expected 1 to {_LONGEST}, got {seconds}.")
    try:
        from fireplan.mcp_server import serve
    except ImportError as error:
        raise InputError(needs("mcp", error.name)) from error
    serve(seconds)
