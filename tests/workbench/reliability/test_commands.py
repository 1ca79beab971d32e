"""Small runs of the commands in ``benchmarks/reliability``, each of which returns a status for
success or failure.
"""

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from seeded import faults, verdict
from tiers import full_then_long

FOLDER = Path(__file__).resolve().parents[3] / "benchmarks" / "reliability"


@pytest.mark.parametrize(
    ("script", "size", "figure"),
    full_then_long(
        [
            (
                "kill.py",
                25,
                "acknowledged inputs lost: 0; journals unreadable: 0; inputs not as typed: 0",
            ),
            ("power.py", 60, "as claimed"),
            ("mutations.py", 400, "tracebacks: 0; messages without a place: 0"),
            ("play.py", 16, "failures: 0"),
            ("resume.py", 400, "steps of the rules run, as many as when it was played"),
            ("two_writers.py", 200, "lost: 0; doubled: 0; reordered: 0"),
        ]
    ),
)
def test_the_command_prints_its_figure(script, size, figure):
    run = subprocess.run(
        [sys.executable, FOLDER / script, str(size)], capture_output=True, text=True, check=False
    )
    assert run.stderr == ""
    assert figure in run.stdout
    assert run.returncode == 0


def simulated(*options):
    command = [sys.executable, FOLDER / "simulate.py", *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_every_fault_that_can_be_seeded_fits_the_sources():
    assert len(faults()) > 50


@pytest.mark.long
def test_a_fault_that_is_seeded_is_found():
    names = ["end not synced", "stale pages are taken", "seals lie open"]
    run = subprocess.run(
        [sys.executable, FOLDER / "seeded.py", *names], capture_output=True, text=True, check=False
    )
    assert run.stderr == ""
    assert "NOT FOUND" not in run.stdout
    assert run.stdout.splitlines()[-1].split() == ["all", "3", "3", "0"]


@pytest.mark.parametrize(
    ("status", "out", "errors", "expected"),
    [
        (
            1,
            "BrokenError: lost\npython simulate.py --seed 3 --steps 64\n2 worlds; 1 failed\n",
            "",
            ("found", "3"),
        ),
        (0, "10 worlds, 640 steps in 60 s; 0 failed\n  pages 9\n", "", ("not found", "")),
        (-signal.SIGKILL, "", "", ("no verdict", "")),
        (1, "", "ImportError: no such module\n", ("no verdict", "")),
        (0, "", "", ("no verdict", "")),
    ],
)
def test_a_simulator_that_ends_without_a_figure_has_judged_nothing(status, out, errors, expected):
    came = verdict(status, out, errors)
    assert (came.kind, came.world) == expected
    assert came.said
    if came.kind == "no verdict":
        assert ("SIGKILL" if status < 0 else f"status {status}") in came.said


@pytest.mark.long
def test_simulated_worlds_keep_every_promise_and_repeat_with_their_seed():
    """A seed always gives the same world; .ci/run simulates fifteen longer ones from seed 1 on."""
    one, two = (
        simulated("--seed", seed, "--runs", runs, "--steps", "30", "--trace")
        for seed, runs in ("31", "22")
    )
    for run, size in ((one, "1 worlds, 30 steps"), (two, "2 worlds, 60 steps")):
        assert run.stderr == ""
        assert run.stdout.splitlines()[-2].startswith(size)
        assert run.stdout.splitlines()[-2].endswith("; 0 failed")
        assert run.returncode == 0
    marks = [re.findall("mark of 3 [0-9,]+", run.stdout) for run in (one, two)]
    assert marks[0] == marks[1] != []
