"""Measure how long commands take, as ratios to an interpreter that does nothing.

Run ``python benchmarks/compare.py [RUNS]``. Times are medians of whole processes, with compiled
bytecode; ratios are comparable between machines, seconds are not. The goals are ``fireplan
compare`` under 2 s and ``fireplan --help`` under 0.2 s on two slow cores.
"""

import statistics
import subprocess
import sys
import time

RUNS = int(sys.argv[1]) if len(sys.argv) > 1 else 7
COMMANDS = {
    "python (nothing)": ["-c", "pass"],
    "fireplan --help": ["-m", "fireplan.cli", "--help"],
    "fireplan games": ["-m", "fireplan.cli", "games"],
    "fireplan compare": ["-m", "fireplan.cli", "compare"],
    "fireplan compare dug_in": ["-m", "fireplan.cli", "compare", "dug_in"],
    "fireplan compare open_attack": ["-m", "fireplan.cli", "compare", "open_attack"],
    "fireplan compare strongpoint": ["-m", "fireplan.cli", "compare", "strongpoint"],
    "fireplan compare --games red_poppies": [
        "-m",
        "fireplan.cli",
        "compare",
        "--games",
        "red_poppies",
    ],
}


def run(arguments: list[str]) -> float:
    """Return the seconds that a whole process takes."""
    start = time.perf_counter()
    subprocess.run([sys.executable, *arguments], stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def main() -> None:
    """Time all commands in turn, several times, so that changes in load affect all of them equally."""
    for arguments in COMMANDS.values():
        run(arguments)
    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(RUNS):
        for name, arguments in COMMANDS.items():
            times[name].append(run(arguments))
    nothing = statistics.median(times["python (nothing)"])
    print(f"{'command':42s} {'median s':>9s} {'min':>7s} {'max':>7s} {'x nothing':>10s}")
    for name, taken in times.items():
        median = statistics.median(taken)
        print(
            f"{name:42s} {median:9.3f} {min(taken):7.3f} {max(taken):7.3f} {median / nothing:10.1f}"
        )


if __name__ == "__main__":
    main()
