"""The command line: commands read arguments and print.

Bad input ends with status 2 and every fault at once.
"""

from __future__ import annotations

import atexit
import gc
import sys
from collections.abc import Sequence

ALLOCATIONS = 1_000_000
"""The number of new objects before Python looks for cyclic garbage."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its status.

    It is 0, 1 if something stored differs, 2 for bad input, 130 for Ctrl-C.
    """
    if arguments is None:
        # The process is this command: modules, charts and states all stay to its end. Looking
        # through them for garbage, and once more when it ends, would take a seventh of a short one.
        gc.set_threshold(ALLOCATIONS)
        atexit.register(gc.freeze)
    from fireplan.cli.app import run

    return run(sys.argv[1:] if arguments is None else list(arguments))


__all__ = ["main"]
