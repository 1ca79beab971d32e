"""How near the best the answers of ``best`` are: every shipped scenario with every goal, as a table for docs/best.md.

``python benchmarks/gaps.py [--seconds 60] [--goals hit,falls] [SCENARIO ...]``: processor seconds.
"""

from __future__ import annotations

import argparse
import time
from statistics import median

import fireplan as fp
from fireplan.solver.best import MEASURES
from fireplan_core.play import Catalogue, shipped_scenarios


def asked(name, goal, seconds):
    """The cell of a scenario and goal: the gap as a share of the figure, if there is one, and processor seconds."""
    began = time.process_time()
    try:
        found = fp.best(name, goal, seconds=seconds).found
    except fp.InputError as error:
        return None, ("no meaning here" if "what strikes do" in str(error) else "refused"), 0.0
    took = time.process_time() - began
    if found.gap is None:
        return None, "no bound", took
    if not found.gap:
        return 0.0, "0", took
    share = float(abs(found.gap / found.value)) if found.value else 1.0
    return share, f"{100 * share:.2g} %" + (" sampled" if found.found.trial else ""), took


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("scenarios", nargs="*")
    parser.add_argument("--seconds", type=int)
    parser.add_argument("--goals")
    given = parser.parse_args()
    goals = given.goals.split(",") if given.goals else list(MEASURES)
    shares = []
    print("| scenario |", " | ".join(goals), "| longest |")
    print("|---" * (len(goals) + 2) + "|")
    for name in given.scenarios or shipped_scenarios(Catalogue.installed()):
        cells = [asked(name, goal, given.seconds) for goal in goals]
        shares += [share for share, _, _ in cells if share is not None]
        longest = max(took for _, _, took in cells)
        print(f"| `{name}` |", " | ".join(said for _, said, _ in cells), f"| {longest:.1f} s |", flush=True)
    if shares:
        exact = sum(share == 0 for share in shares)
        print(f"\n{len(shares)} with a bound, {exact} exact; median gap {median(shares):.2%}, most {max(shares):.2%}")


if __name__ == "__main__":
    main()
