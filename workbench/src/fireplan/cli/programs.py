"""The command that answers other programs: ``fireplan mcp``."""

from __future__ import annotations

from fireplan.questions.errors import InputError

_LONGEST = 600
"""The most seconds that one answer may take."""


def mcp(*, seconds: int = 30) -> None:
    """Answer programs on standard input and output over the Model Context Protocol: a referee that changes nothing.

    Its tools list games, scenarios, engagements, fields, numbers and rules, and answer positions:
    the legal orders, why an order is refused, odds and what-ifs. Needs the extra 'mcp' (pip install
    'fireplan[mcp]').

    :param seconds: How long one answer may take; what takes longer is stopped and refused.
    """
    if not 1 <= seconds <= _LONGEST:
        raise InputError(f"--seconds: expected 1 to {_LONGEST}, got {seconds}.")
    try:
        from fireplan.mcp_server import serve
    except ImportError as error:
        raise InputError(
            f"This needs the extra 'mcp' ({error.name} is missing): pip install 'fireplan[mcp]'."
        ) from error
    serve(seconds)
