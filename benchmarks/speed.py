"""Run one job of the table S1 to S13, in whichever version of fireplan is on the path.

``run.py --against`` runs it in a separate process: ``python benchmarks/speed.py JOB [SCENARIO]``
prints a line of JSON with processor seconds, peak memory in MiB, and the answer (a digest, or why
there is none), by which two versions are compared.
"""

import hashlib
import json
import os
import resource
import subprocess
import sys
import time

try:
    from fireplan.chance import RandomFaces  # versions before the core became a separate package
    from fireplan.odds import (
        Analysis,
        Compiler,
        Ever,
        FirstFall,
        Sampler,
        exhausted,
        own_troops_under_fire,
        playout,
        sample,
        uncollected,
    )
    from fireplan.odds import TooLargeError as Large

    from fireplan.table import Catalogue, load_scenario, shipped_scenarios
except ImportError:
    from fireplan.solver import (
        Analysis,
        Compiler,
        Ever,
        FirstFall,
        Sampler,
        exhausted,
        own_troops_under_fire,
        playout,
        sample,
        uncollected,
    )
    from fireplan.solver import TooLargeError as Large
    from fireplan_core.chance import RandomFaces
    from fireplan_core.play import Catalogue, load_scenario, shipped_scenarios

FEWER = {"wacht_am_rhein/two_divisions": 2}
"""Maps scenarios to a number of moments smaller than that of the job."""
INSTALLED = Catalogue.installed()


def shipped(name):
    """Return a shipped scenario."""
    return load_scenario(INSTALLED, shipped_scenarios(INSTALLED)[name])[0]


@uncollected()
def measured(name, moments):
    """Return all exact measures of a scenario, or None if it is too large."""
    analysis = Analysis(shipped(name), moments)
    try:
        found = [analysis.solve(m()).shares for m in (FirstFall, exhausted, own_troops_under_fire)]
        return [*found, {state: share for state, share in analysis.severity().items() if share}]
    except Large:
        return None


def cold(name, moments, runs=3):
    """Return the seconds and the measures of the fastest of several runs, each starting from the
    rules.
    """
    return min(
        (timed(lambda: measured(name, moments)) for _ in range(runs)), key=lambda pair: pair[0]
    )


def timed(call):
    """Return the processor seconds of a call and its result."""
    start = time.process_time()
    found = call()
    return time.process_time() - start, found


def command(*words, runs=3):
    """Return the seconds of the fastest of several runs of a command, and its output if it is JSON,
    else "".
    """
    best = float("inf")
    for _ in range(runs):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        line = [sys.executable, "-m", "fireplan.cli", *words]
        done = subprocess.run(line, capture_output=True, text=True, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return best, done.stdout if "--json" in words else ""


def together(name, moments):
    """Return the fastest time of a million trajectories over the explored chain, with three
    yardsticks, in seconds, and an empty answer.
    """
    yardsticks = [Ever("fall", "on_target", (True, False)), exhausted(), own_troops_under_fire()]
    sampler = Sampler(shipped(name), yardsticks, moments, engine="chain")
    return min(timed(lambda: sampler.draw(1_000_000, 1))[0] for _ in range(3)), ""


def walked(name, moments, size):
    """Return the seconds for ``size`` trajectories that follow the rules, and the counts of their
    first falls.
    """
    compiler = Compiler(shipped(name))
    sample(compiler, [FirstFall()], moments, 20, 1)
    seconds, found = timed(lambda: sample(compiler, [FirstFall()], moments, size, 2))
    return seconds, repr(sorted(map(repr, found[0].counts.items())))


def logged(name, moments, size):
    """Return the seconds for ``size`` logged playouts, and an empty answer."""
    compiler = Compiler(shipped(name))
    playout(compiler, moments, RandomFaces(1))
    seconds, _ = timed(
        lambda: [playout(compiler, moments, RandomFaces(seed)) for seed in range(size)]
    )
    return seconds, ""


JOBS = {
    "S1": lambda name: timed(lambda: measured(name, FEWER.get(name, 60))),
    "S2": lambda _: timed(
        lambda: measured("asl/village", int(os.environ.get("FIREPLAN_LONG", "1000")))
    ),
    "S3 20": lambda _: together("asl/village", 20),
    "S3 60": lambda _: together("asl/village", 60),
    "S4": lambda _: walked("wacht_am_rhein/two_divisions", 2, 100),
    "S5": lambda _: logged("asl/village", 8, 1000),
    "S6": lambda _: command("compare", "woods"),
    "S7 of a strike": lambda _: command("whatif", "--set", "asl.ift[fp12][5]=NMC"),
    "S7 of a mission": lambda _: command("whatif", "--set", "asl.set_breaks=11"),
    "S8": lambda _: command("sensitivity", "asl/village", runs=1),
    "S9 village 8": lambda _: cold("asl/village", 8),
    "S9 village 20": lambda _: cold("asl/village", 20),
    "S9 set_piece 8": lambda _: cold("asl/set_piece", 8),
    "S9 set_piece 20": lambda _: cold("asl/set_piece", 20),
    "S10": lambda _: command("odds", "asl/village", "--moments", "8"),
    "S10 help": lambda _: command("--help"),
}


def main():
    """Run one job."""
    job, *name = sys.argv[1:]
    seconds, found = JOBS[job](*(name or [None]))
    text = (
        found
        if isinstance(found, str)
        else repr([sorted(map(repr, shares.items())) for shares in found or ()])
    )
    answer = "too large" if found is None else hashlib.sha256(text.encode()).hexdigest()[:12]
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    print(json.dumps({"seconds": seconds, "memory": memory, "answer": answer}))


if __name__ == "__main__":
    main()
