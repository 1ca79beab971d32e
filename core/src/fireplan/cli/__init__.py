"""The command line: ``fireplan compare``, ``games``, ``rules``, ``graph``.

Commands only read arguments and print; everything they say is found elsewhere. Bad input ends with status 2 and
every fault at once, never with a traceback.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit status (0, or 2 for bad input)."""
    from fireplan.cli._app import run

    return run(sys.argv[1:] if arguments is None else list(arguments))


__all__ = ["main"]
