"""``python -m fireplan_wacht_am_rhein SCENARIO OBSERVER TARGET``: the fire plan of a scenario, printed.

Which units may fire for that observer at that hex and which may not (with rule and number), which combinations the
limits allow, and the exact distribution of hits and shift for each.
"""

import sys

from fireplan_core.files import FileError
from fireplan_core.play import Catalogue, find_scenario
from fireplan_wacht_am_rhein.plan import plan

ARGUMENTS = 3


def main(arguments: list[str]) -> int:
    """Print a fire plan; status 2 with what is wrong when it cannot be made."""
    if len(arguments) != ARGUMENTS:
        sys.stderr.write(f"{__doc__}\n")
        return 2
    name, observer, target = arguments
    try:
        scenario, _ = find_scenario(Catalogue.installed(), name)
    except FileError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    if observer not in scenario.units:
        sys.stderr.write(f"no unit {observer!r}; there are {', '.join(scenario.units)}\n")
        return 2
    try:
        text = plan(scenario, observer, scenario.frame.parse(target)).render()
    except ValueError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    sys.stdout.write(text + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
