"""``python -m fireplan.kit.mutants``: every fault, and how many of them the kit catches."""

import sys

from fireplan.kit.mutants import FAULTS, try_mutants

ENOUGH = 95
"""Of a hundred faults so many must be caught."""


def main() -> int:
    """Print a line a fault and the figure; status 1 when too few were caught."""
    verdicts = []
    for verdict in try_mutants():
        verdicts.append(verdict)
        sys.stdout.write(f"{verdict}\n")
    caught = sum(verdict.caught for verdict in verdicts)
    sys.stdout.write(f"{caught} of {len(FAULTS)} faults caught, each by the check meant for it\n")
    return 0 if 100 * caught >= ENOUGH * len(verdicts) else 1


sys.exit(main())
