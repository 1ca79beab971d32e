"""The command line on a machine of any pace: the studio gives up no work, and ends in good order.

Run as a program, with the arguments of ``fireplan``.
"""

import sys

import attrs

from fireplan.cli import main
from fireplan.studio import _server as server
from fireplan.studio._limits import LIMITS

PATIENT = 10**6
"""Seconds that no test takes."""


def unhurried(put):
    """Lengthen the times of the studio; ``put`` sets an entry of a table."""
    for name in ("job_seconds", "answer_seconds", "request_seconds"):
        put(LIMITS, name, attrs.evolve(LIMITS[name], most=PATIENT))


if __name__ == "__main__":
    unhurried(dict.__setitem__)
    server.GRACE = PATIENT
    sys.exit(main(sys.argv[1:]))
