"""Measure a sweep on two workers against one, and check that the results are the same.

    python benchmarks/swept.py [POINTS]

On a shared machine the clock only shows how busy others are, so the processor time of all processes
of a run is measured: the workers, the scheduler, and the process that keeps the results. It is
compared with two processes that do nothing but solve half of the points each, in a loop, at the
same time: they share caches and memory, which makes each of them slower than alone.
"""

import hashlib
import resource
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from fireplan.sweeps import Store, dask_pool, process_pool, read_plan, run_sweep, solve_point
from fireplan_core.play import Catalogue

PLAN = """
title = "as many points as are asked for"
minutes = 4
engagements = ["woods"]
games = ["red_poppies"]
[[vary]]
fact = "guns"
values = {guns}
[[vary]]
fact = "men"
values = {men}
"""


def spent():
    """Return the processor seconds of this process and of all its children that have ended."""
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in both)


def run(sweep, pool, file):
    """Return a run's processor seconds including its workers, its clock time, and a digest of its results."""
    before, began = spent(), time.monotonic()
    with Store(file, sweep) as store:
        run_sweep(store, sweep.points, pool)
    return (
        spent() - before,
        time.monotonic() - began,
        hashlib.sha256(file.read_bytes()).hexdigest()[:12],
    )


def loop(points):
    """Return the processor seconds of a loop over points, without loading anything for the first time."""
    solve_point(points[0])
    before = time.process_time()
    for point in points:
        solve_point(point)
    return time.process_time() - before


def main():
    """Measure all three ways, comparing the results first."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    across = max(1, round(count**0.5))
    with tempfile.TemporaryDirectory() as folder:
        plan = Path(folder) / "plan.toml"
        plan.write_text(
            PLAN.format(guns=[*range(1, across + 1)], men=[*range(100, 100 + -(-count // across))])
        )
        sweep = read_plan(plan, Catalogue.installed())
        alone = loop(sweep.points)
        with ProcessPoolExecutor(2, get_context("spawn")) as pool:
            perfect = sum(pool.map(loop, (sweep.points[::2], sweep.points[1::2])))
        found = {
            "one process": run(sweep, process_pool(1), Path(folder) / "one.jsonl"),
            "dask, two workers": run(sweep, dask_pool(None, 2), Path(folder) / "two.jsonl"),
        }
    assert len({digest for _, _, digest in found.values()}) == 1, "the results differ"
    print(
        f"{len(sweep.points):,} points, in a loop: {alone:.1f} s, {1000 * alone / len(sweep.points):.1f} ms each"
    )
    print(f"in two loops at once: {perfect:.1f} s")
    for name, (seconds, clock, digest) in found.items():
        print(
            f"{name:20s} {seconds:6.1f} s of processors, {clock:6.1f} s by the clock, results {digest}"
        )
    one, two = found["one process"], found["dask, two workers"]
    print(
        f"two workers against one: {2 * one[0] / two[0]:.2f} x where none waits; {perfect / two[0]:.0%} of perfect"
    )
    print(f"by the clock, as busy as the machine was: {one[1] / two[1]:.2f} x")


if __name__ == "__main__":
    main()
