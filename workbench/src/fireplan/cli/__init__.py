"""The command line: commands read arguments and print answers.

Bad input ends with exit status 2, after every fault has been printed.
"""

from __future__ import annotations

import atexit
import gc
import sys
from collections.abc import Sequence

ALLOCATIONS = 1_000_000
"""Number of new objects after which Python collects cyclic garbage."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status.

    The status is 0 on success, 1 if stored results differ, 2 for bad input, and 130 for Ctrl-C.
    """
    if arguments is None:
        # Modules, charts and states live until this process ends. Searching them for garbage, and
        # again at exit, would take a seventh of the time of a short command.
        gc.set_threshold(ALLOCATIONS)
        atexit.register(gc.freeze)
    from fireplan.cli.app import run

    return run(sys.argv[1:] if arguments is None else list(arguments))


__all__ = ["main"]
