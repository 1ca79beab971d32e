"""Time a call by the processor's clock, and print a line of a table; for all benchmarks."""

import time

from fireplan_core.play import Catalogue, load_scenario, shipped_scenarios


def least(call, runs=5):
    """Return the least processor seconds of several calls, and the answer."""
    best, answer = float("inf"), None
    for _ in range(runs):
        answer = None  # freeing the last answer does not count as this call's time
        start = time.process_time()
        answer = call()
        best = min(best, time.process_time() - start)
    return best, answer


def row(name, job, measured, goal):
    """Print a line of the table at once."""
    print(f"{name:4s} {job:66s} {measured:34s} {goal}", flush=True)


def shipped(name):
    """Return a shipped scenario."""
    catalogue = Catalogue.installed()
    return load_scenario(catalogue, shipped_scenarios(catalogue)[name])[0]
