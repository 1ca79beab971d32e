"""A call timed by the processor's own clock, and a line of a table; for all benchmarks."""

import time

from fireplan_core.play import Catalogue, load_scenario, shipped_scenarios


def least(call, runs=5):
    """Processor seconds of a call, least of several, and its answer."""
    best, answer = float("inf"), None
    for _ in range(runs):
        answer = None  # the last one is not freed at this one's cost
        start = time.process_time()
        answer = call()
        best = min(best, time.process_time() - start)
    return best, answer


def row(name, job, measured, goal):
    """Print a line of the table at once."""
    print(f"{name:4s} {job:66s} {measured:34s} {goal}", flush=True)


def shipped(name):
    """A shipped scenario."""
    catalogue = Catalogue.installed()
    return load_scenario(catalogue, shipped_scenarios(catalogue)[name])[0]
