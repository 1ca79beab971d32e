"""Compare the benchmarks S1 to S13 with another version of fireplan, run in turn with this one.

``python benchmarks/run.py --against REVISION`` prints the table. The other version is built from
the repository, and the answers of both are compared before any time is printed. The jobs are in
``speed.py``.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from fireplan_core.play import Catalogue, shipped_scenarios

SPEED = Path(__file__).parent / "speed.py"
PATIENCE = 300
GOALS = {
    "S2": "<= 3 x 60 moments",
    "S3 20": "3.2 x: 10 M/s a core",
    "S3 60": "3.6 x: 4 M/s a core",
    "S4": "100 x",
    "S5": "15 x",
    "S6": "2 x",
    "S7 of a strike": "4.4 x",
    "S7 of a mission": "4.4 x",
    "S8": "4.4 x",
    "S9 village 8": "1.9 x",
    "S9 village 20": "2.2 x",
    "S9 set_piece 8": "1.9 x",
    "S9 set_piece 20": "2.2 x",
    "S10": "1.8 x",
    "S10 help": "",
}


def against(revision, wanted):
    """Print the table S1 to S13 for this version and a revision, built and run in turn."""
    root = Path(__file__).parents[1]
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "version"
        git = ["git", "-C", str(root), "worktree"]
        subprocess.run([*git, "add", "-q", "--detach", str(tree), revision], check=True)
        try:
            print(
                f"{'':16s} {'job':34s} {revision[:10]:>12s} {'now':>9s} {'ratio':>8s} {'MiB':>6s}  goal; answers"
            )
            largest = 0
            names = list(shipped_scenarios(Catalogue.installed()))
            jobs = [("S1", name) for name in names] + [(job, "") for job in GOALS]
            for job, name in jobs:
                if not wanted or job.partition(" ")[0] in wanted:
                    largest = max(largest, beside(job, name, tree, root))
            print(f"S13: the largest of these processes took {largest} MiB; goal 1,024")
        finally:
            subprocess.run([*git, "remove", "--force", str(tree)], check=True)


def beside(job, name, *trees):
    """Return one line of the table for a job run in both trees; the memory is this version's, in MiB."""
    before, now = (once(job, name, tree) for tree in trees)
    same = (
        "the same"
        if before["answer"] == now["answer"]
        else f"{before['answer']} before, {now['answer']} now"
    )
    goal = GOALS.get(job) or ("<= 0.5 s, else 60 s" if name else "")
    ratio = f"{before['seconds'] / now['seconds']:.2f} x"
    seconds = f"{before['seconds']:10.2f} s {now['seconds']:7.2f} s {ratio:>8s}"
    print(f"{job:16s} {name:34s} {seconds} {now['memory']:6d}  {goal}; {same}", flush=True)
    return now["memory"]


def once(job, name, tree):
    """Run a job in a new process, with the version of fireplan in a tree; return its output."""
    sources = [
        str(path)
        for path in (tree / "core/src", tree / "workbench/src", *tree.glob("plugins/*/src"))
    ]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sources), "PYTHONDONTWRITEBYTECODE": ""}
    command = [sys.executable, str(SPEED), job, *([name] if name else [])]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, env=env, check=False, timeout=PATIENCE
        )
    except subprocess.TimeoutExpired:
        return {"seconds": float(PATIENCE), "memory": 0, "answer": f"none in {PATIENCE} s"}
    if done.returncode:
        return {
            "seconds": float("nan"),
            "memory": 0,
            "answer": "none: " + done.stderr.strip().splitlines()[-1][:80],
        }
    return json.loads(done.stdout)
