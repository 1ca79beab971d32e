"""Measure how near the optimum the answers of ``best`` are, for docs/explanation/best_orders.md.

Run ``python benchmarks/gaps.py [--seconds 60] [--goals hit,falls] [--processes 1] [SCENARIO ...]``.
``--seconds`` is the processor time for each goal. Each question is asked in a separate process,
as ``fireplan best`` does. The last column is the peak memory of a scenario's questions.
"""

from __future__ import annotations

import argparse
import resource
import time
from functools import partial
from itertools import islice
from math import inf
from multiprocessing import get_context
from statistics import median

import fireplan as fp
from fireplan.questions.best_answer import SearchResult
from fireplan.solver.best import MEASURES, OpenDecisions, Process, bounded
from fireplan_core import ProcedureError
from fireplan_core.play import Catalogue, shipped_scenarios


def asked(whole, goal, seconds):
    """Return a goal's gap as a share of the figure (or None), its cell of the table, and processor seconds."""
    began = time.process_time()

    def left():
        return seconds - (time.process_time() - began)

    try:
        found = bounded(whole, goal.goal_of(whole.scenario, whole.open_decisions.side), left)
    except ProcedureError as error:
        return None, ("no meaning here" if "effects of strikes" in str(error) else "refused"), 0.0
    answer, took = SearchResult(goal, whole, found), time.process_time() - began
    if answer.gap is None:
        return None, "no bound", took
    if not answer.gap:
        return 0.0, "0", took
    share = float(abs(answer.gap / answer.value)) if answer.value else 1.0
    said = (
        "<0.1 %"
        if share < 0.001
        else f"{100 * share:.2g} %"
        if share < 1
        else f"{100 * share:.0f} %"
    )
    return share, said + (" sampled" if found.trial else ""), took


def cell(question, seconds):
    """Return the answer for a scenario and a goal, and the peak memory of this process in MiB."""
    name, goal = question
    opens = fp.position(name)
    scenario = opens.at.scenario
    whole = Process(scenario, opens.usual, OpenDecisions(scenario.firer))
    answer = asked(whole, MEASURES[goal], seconds)
    return answer, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("scenarios", nargs="*")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--goals")
    parser.add_argument("--processes", type=int, default=1)
    given = parser.parse_args()
    goals = given.goals.split(",") if given.goals else list(MEASURES)
    names = given.scenarios or shipped_scenarios(Catalogue.installed())
    shares, unbound = [], 0
    print("| scenario |", " | ".join(goals), "| longest | memory |")
    print("|---" * (len(goals) + 3) + "|")
    questions = [(name, goal) for name in names for goal in goals]
    with get_context("spawn").Pool(given.processes, maxtasksperchild=1) as pool:
        answers = pool.imap(partial(cell, seconds=given.seconds), questions, chunksize=1)
        for name in names:
            cells, memory = zip(*islice(answers, len(goals)), strict=True)
            shares += [share for share, _, _ in cells if share is not None]
            unbound += sum(said == "no bound" for _, said, _ in cells)
            longest = max(took for _, _, took in cells)
            print(
                f"| `{name}` |",
                " | ".join(said for _, said, _ in cells),
                f"| {longest:.1f} s | {max(memory)} MiB |",
                flush=True,
            )
    if shares:
        exact, near = (sum(share <= most for share in shares) for most in (0, 0.05))
        middle = median(shares + [inf] * unbound)
        bound = f"{len(shares)} with a bound, {unbound} without"
        print(f"\n{exact} exact, {near} within 5 %, {bound}; median gap {middle:.2%}")


if __name__ == "__main__":
    main()
