"""The command line for slow machines: the studio abandons no work, ends cleanly, and rolls
repeatable dice.

Run it as a program, with the arguments of ``fireplan``.
"""

import sys

import attrs

from fireplan.cli import main
from fireplan_core.chance import RandomFaces
from fireplan_studio import jobs, server, sessions
from fireplan_studio.jobs import _serve
from fireplan_studio.limits import LIMITS

PATIENT = 86_400
"""A number of seconds that no test reaches, and the most that any search may be given."""


def unhurried(put):
    """Lengthen the time limits of the studio and its workers; ``put(table, key, value)`` stores
    each.
    """
    for name in ("job_seconds", "best_seconds", "answer_seconds", "request_seconds"):
        put(LIMITS, name, attrs.evolve(LIMITS[name], most=PATIENT))
    put(vars(jobs), "_serve", worker)


def worker(connection, sheets):
    """Answer as a worker of the studio, in a process that starts with its own limits."""
    unhurried(dict.__setitem__)
    _serve(connection, sheets)


if __name__ == "__main__":
    unhurried(dict.__setitem__)
    server.GRACE = PATIENT
    vars(sessions)["RandomFaces"] = lambda _seed: RandomFaces("the same dice anew")
    sys.exit(main(sys.argv[1:]))
