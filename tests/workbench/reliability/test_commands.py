"""The commands of ``benchmarks/reliability`` in a small setting; each judges for itself and says so by its status."""

import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[3] / "benchmarks" / "reliability"


@pytest.mark.parametrize(
    ("script", "size", "figure"),
    [
        ("kill.py", 25, "acknowledged inputs lost: 0; journals unreadable: 0; inputs not as typed: 0"),
        ("power_loss.py", 60, "as claimed"),
        ("mutations.py", 400, "tracebacks: 0; messages without a place: 0"),
        ("random_play.py", 16, "failures: 0"),
        ("resume.py", 400, "steps of the rules run, as many as when it was played"),
        ("two_writers.py", 200, "lost: 0; doubled: 0; reordered: 0"),
    ],
)
def test_the_command_prints_its_figure(script, size, figure):
    run = subprocess.run([sys.executable, FOLDER / script, str(size)], capture_output=True, text=True, check=False)
    assert run.stderr == ""
    assert figure in run.stdout
    assert run.returncode == 0
