"""``python -m fireplan_wacht_am_rhein SCENARIO OBSERVER TARGET``: the fire plan of a scenario, printed.

Which units may fire for that observer at that hex and which may not (with rule and number), which combinations the
limits allow, and the exact distribution of hits and shift for each.
"""

import sys

from fireplan_core.files import FileError
from fireplan_core.play import Catalogue, find_scenario
from fireplan_wacht_am_rhein.plan import plan

USAGE = 2
"""The exit status where no plan can be made."""


def main(arguments: list[str]) -> int:
    """Print a fire plan, or what is wrong when it cannot be made."""
    try:
        name, observer, target = arguments
    except ValueError:
        sys.stderr.write(f"{__doc__}\n")
        return USAGE
    try:
        scenario, _ = find_scenario(Catalogue.installed(), name)
        place = scenario.frame.parse(target)
    except (FileError, ValueError) as error:
        wrong = str(error)
    else:
        if observer in scenario.units:
            sys.stdout.write(plan(scenario, observer, place).render() + "\n")
            return 0
        wrong = f"no unit {observer!r}; there are {', '.join(scenario.units)}"
    sys.stderr.write(f"{wrong}\n")
    return USAGE


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
