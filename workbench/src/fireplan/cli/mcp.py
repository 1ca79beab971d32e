"""``fireplan mcp``: a referee that programs may ask."""

from __future__ import annotations

from fireplan.api import InputError
from fireplan.cli._open import needing

_LEAST, _MOST = 1, 600


def mcp(*, seconds: int = 30) -> None:
    """Answer programs on standard input and output over the Model Context Protocol: a referee that changes nothing.

    Its tools list games, scenarios, engagements, fields, numbers and rules, and answer positions: the legal orders, why
    an order is refused, odds and what-ifs. Needs the extra 'mcp' (pip install 'fireplan[mcp]').

    :param seconds: How long one answer may take; what takes longer is stopped and refused.
    """
    if not _LEAST <= seconds <= _MOST:
        raise InputError(f"--seconds: expected {_LEAST} to {_MOST}, got {seconds}.")
    with needing("mcp", "The referee"):
        from fireplan.referee import serve
    serve(seconds)
