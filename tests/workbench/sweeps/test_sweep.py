"""Sweeps give the same bytes whatever the workers and whatever was killed, solve nothing twice, and
report all faults at once.
"""

from __future__ import annotations

import hashlib
import os
import select
import signal
import subprocess
import sys
from contextlib import contextmanager, suppress
from fractions import Fraction
from pathlib import Path

import attrs
import pyarrow.parquet as pq
import pytest
from chained import chained, objects

from fireplan.analysis import FIGURES, find_engagement
from fireplan.solver import Analysis
from fireplan.sweeps import Store, as_rows, read_plan
from fireplan_core.play import Catalogue, Variation, shipped_scenarios, stage_engagement

PLAN = """
title = "nine points"
engagements = ["woods"]
games = ["red_poppies", "wacht_am_rhein", "miniatures_1943"]
minutes = 30

[[vary]]
number = "red_poppies.signal[trench_set]"
values = [6, 7, 8]

[[vary]]
number = "red_poppies.on_target"
values = [1, 3]

[[vary]]
option = "miniatures_1943.turn_minutes"
values = [3, 5]
"""
POINTS = 9
GAMES = Catalogue.installed()
COMMAND = (sys.executable, "-m", "fireplan.cli", "sweep", "plan.toml")


HELD = """
import os, signal, sys
from fireplan.cli import main
from fireplan.questions import sweep

run, held = sweep.run_sweep, int(sys.argv.pop(1))

def holding(store, points, pool, solved):
    done = []

    def told(point):
        solved(point)
        done.append(point)
        if len(done) == held:
            os.kill(os.getpid(), signal.SIGSTOP)

    return run(store, points, pool, told)

sweep.run_sweep = holding
sys.exit(main(sys.argv[1:]))
"""


@contextmanager
def held(folder, after, *arguments):
    """Yield a run that stops after this many points, however fast it and its workers are."""
    command = [sys.executable, "-c", HELD, str(after), *COMMAND[3:], *arguments]
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as run:
        assert os.WIFSTOPPED(os.waitpid(run.pid, os.WUNTRACED)[1])
        yield run


def sweep(folder, *arguments):
    run = subprocess.run(
        [*COMMAND, *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    return [line for line in run.stderr.splitlines() if ": " in line and " of " in line]


def digest(file):
    return hashlib.sha256(file.read_bytes()).hexdigest()


def workers_of(pid):
    """Return a run's worker processes (Linux); none when it has ended."""
    found = []
    with suppress(OSError):
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            with suppress(OSError):  # the process has ended in the meantime
                if "spawn_main" in Path(f"/proc/{child}/cmdline").read_text():
                    found.append(int(child))
    return found


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Return the results of a sweep run in one go by one worker."""
    folder = tmp_path_factory.mktemp("whole")
    (folder / "plan.toml").write_text(PLAN)
    assert len(sweep(folder, "--workers", "1")) == POINTS
    return folder / "plan.jsonl"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "plan.toml").write_text(PLAN)
    return tmp_path


def test_every_point_has_its_versions_and_numbers(whole):
    rows = list(as_rows(whole))
    assert [row["number"] for row in rows] == list(range(POINTS))
    assert {row["outcome"] for row in rows} == {"solved"}
    assert len({row["plan"] for row in rows}) == 1
    assert all(row["version"] and row["game_version"] for row in rows)
    varied = {(row["options"], row["numbers"]) for row in rows if row["game"] == "red_poppies"}
    assert len(varied) == 6
    # These are the numbers of one point, worked by hand.
    numbers = {"signal[trench_set]": "6", "on_target": "3"}
    woods = find_engagement("woods")
    scenario = stage_engagement(
        Catalogue.installed(), "red_poppies", woods, Variation(numbers=numbers)
    )
    analysis = Analysis(scenario, 3)
    (row,) = (
        row for row in rows if '"6"' in row["numbers"] and '"on_target": "3"' in row["numbers"]
    )
    for name, figure in FIGURES.items():
        assert Fraction(row[name]) == figure.of(analysis), name


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("plan.toml", "unknown file extension .toml; use .parquet"),
        ("away/rows.parquet", "there is no folder away; create it first"),
    ],
)
def test_rows_are_written_as_parquet_to_no_other_kind_of_file(folder, name, told):
    """The fault is reported before anything is solved, and an existing file is left as it was."""
    before = sorted((file.name, file.read_bytes()) for file in folder.iterdir())
    run = subprocess.run(
        (*COMMAND, "--parquet", name), cwd=folder, capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stderr) == (2, f"{name}: cannot be written: {told}.\n")
    assert sorted((file.name, file.read_bytes()) for file in folder.iterdir()) == before


@pytest.mark.full
def test_two_workers_write_the_same_bytes_and_parquet_the_same_rows(whole, folder):
    sweep(folder, "--workers", "2", "--parquet", "rows.parquet")
    assert digest(folder / "plan.jsonl") == digest(whole)
    assert pq.read_table(folder / "rows.parquet").to_pylist() == list(as_rows(whole))


@pytest.mark.full
def test_a_killed_run_resumes_and_solves_nothing_twice(whole, folder):
    with held(folder, 4, "--workers", "1") as run:
        run.send_signal(signal.SIGKILL)
    kept = len(list(as_rows(folder / "plan.jsonl")))
    # The points reported, and the points saved together with the last one.
    assert 4 <= kept < POINTS
    told = sweep(folder, "--workers", "2")
    assert len(told) == POINTS - kept
    assert digest(folder / "plan.jsonl") == digest(whole)


@pytest.mark.long
def test_a_killed_worker_changes_nothing(whole, folder):
    with held(folder, 2, "--workers", "2") as run:
        worker, *_ = workers_of(run.pid)
        os.kill(worker, signal.SIGKILL)
        run.send_signal(signal.SIGCONT)
        run.stderr.read()
        assert run.wait() == 0
    assert digest(folder / "plan.jsonl") == digest(whole)


@pytest.mark.full
def test_workers_end_with_the_run_that_started_them(folder):
    with held(folder, 1, "--workers", "2") as run:
        workers = [os.pidfd_open(worker) for worker in workers_of(run.pid)]
        assert workers
        run.send_signal(signal.SIGKILL)
        for worker in workers:
            select.select([worker], [], [])  # wait until the worker has ended
            os.close(worker)


@pytest.mark.long
def test_dask_writes_the_same_bytes(whole, folder):
    sweep(folder, "--dask", "local", "--workers", "1")
    assert digest(folder / "plan.jsonl") == digest(whole)


def test_a_finished_sweep_has_nothing_left_to_do(whole):
    before = digest(whole)
    assert sweep(whole.parent) == []
    assert digest(whole) == before


def test_results_of_another_plan_are_not_mixed(whole, tmp_path, printed):
    (tmp_path / "plan.toml").write_text(PLAN.replace("30", "20"))
    status, said = printed("sweep", tmp_path / "plan.toml", "--results", whole)
    assert status == 2
    assert "results of another plan" in said
    (tmp_path / "text.jsonl").write_text("no results " * 100)
    status, said = printed("sweep", tmp_path / "plan.toml", "--results", tmp_path / "text.jsonl")
    assert status == 2
    assert "text.jsonl: was not written by fireplan" in said
    (tmp_path / "text.jsonl").write_bytes(b"SQLite format 3\0" + bytes(4080))
    status, said = printed("sweep", tmp_path / "plan.toml", "--results", tmp_path / "text.jsonl")
    assert (status, "is a database written by an older fireplan" in said) == (2, True)


@pytest.mark.parametrize(
    ("line", "name", "value", "words"),
    [
        (0, "plan", "another", "results of another plan"),
        (0, "fireplan", "journal", "the file is a journal"),
        (0, "format", 2, "results of another plan"),
        (3, "number", 99, "point 99 appears twice or is not in the plan"),
        (3, "number", 0, "point 0 appears twice or is not in the plan"),
        (3, "number", -1, "a line is not a result of a sweep"),
        (3, "number", True, "a line is not a result of a sweep"),
        (3, "delivered", "1e1000000000", "a line is not a result of a sweep"),
        (3, "delivered", "1/0", "a line is not a result of a sweep"),
        (3, "delivered", "9" * 5000, "a line is not a result of a sweep"),
        (3, "delivered", 1, "a line is not a result of a sweep"),
        (3, "facts", {"guns": [1]}, "a line is not a result of a sweep"),
        (3, "facts", "{}", "a line is not a result of a sweep"),
        (3, "more", "x", "a line is not a result of a sweep"),
        (3, "answer", None, "a line is not a result of a sweep"),
        (3, "moments", 0.5, "not written by fireplan"),
    ],
)
def test_received_results_may_hold_only_rows_of_this_sweep(
    whole, tmp_path, printed, line, name, value, words
):
    (tmp_path / "plan.toml").write_text(PLAN)
    lines = objects(whole.read_bytes())
    lines[line][name] = value
    sent = chained(lines)
    (tmp_path / "plan.jsonl").write_bytes(sent)
    status, said = printed("sweep", tmp_path / "plan.toml", "--workers", "1")
    assert (status, words in said) == (2, True), said
    assert (tmp_path / "plan.jsonl").read_bytes() == sent


def test_results_that_were_changed_or_cut_are_solved_again_and_nothing_else(whole, tmp_path):
    """Whatever happened to the end of a file, the same command ends with the same bytes."""
    content = whole.read_bytes()
    lines = content.splitlines(keepends=True)
    at_5 = len(b"".join(lines[:5]))
    for broken, kept in (
        (content[:at_5], 4),
        (content[: at_5 + 100], 4),
        (content[: at_5 - 1], 3),
        (content.replace(b'"number": 4,', b'"number": 3,'), 4),
        (content[:at_5] + bytes(300) + b"\n" + bytes(10), 4),
        (lines[0][:50], 0),
        (b"", 0),
    ):
        (tmp_path / "plan.toml").write_text(PLAN)
        (tmp_path / "plan.jsonl").write_bytes(broken)
        with Store(tmp_path / "plan.jsonl", read_plan(tmp_path / "plan.toml", GAMES)) as store:
            assert store.done() == frozenset(range(kept))
            rows = list(as_rows(whole))
            store.keep(row_of(rows[number]) for number in range(POINTS - 1, kept - 1, -1))
            store.finish()
        assert (tmp_path / "plan.jsonl").read_bytes() == content
    assert sorted(file.name for file in tmp_path.iterdir()) == ["plan.jsonl", "plan.toml"]


def row_of(row):
    """Return a row in the form that a worker sends."""
    return {name: value for name, value in row.items() if name not in ("plan", "version")}


def test_finished_results_are_read_where_nothing_can_be_written(whole, tmp_path, printed):
    (tmp_path / "plan.toml").write_text(PLAN)
    (tmp_path / "plan.jsonl").write_bytes(whole.read_bytes())
    before = (tmp_path / "plan.jsonl").stat()
    status, said = printed("sweep", tmp_path / "plan.toml")
    assert (status, "nine points" in said) == (0, True)
    after = (tmp_path / "plan.jsonl").stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_two_sweeps_do_not_write_the_same_results(whole, tmp_path, printed):
    (tmp_path / "plan.toml").write_text(PLAN)
    with Store(tmp_path / "plan.jsonl", read_plan(tmp_path / "plan.toml", GAMES)):
        status, said = printed("sweep", tmp_path / "plan.toml", "--workers", "1")
    assert (status, "plan.jsonl: is in use by another program" in said) == (2, True)


def test_results_rest_on_the_charts_that_a_scenario_names_too(tmp_path):
    catalogue = Catalogue.installed()
    shipped = shipped_scenarios(catalogue)["wacht_am_rhein/crossroads"]
    chart = (
        Path(catalogue["wacht_am_rhein"].plugin.__file__).parent / "data" / "barrage_results.csv"
    )
    (tmp_path / "mine.csv").write_bytes(chart.read_bytes())
    text = shipped.read_text(encoding="utf-8")
    (tmp_path / "mine.toml").write_text(
        text + '\n[charts]\nbarrage_results = "mine.csv"\n', encoding="utf-8"
    )
    (tmp_path / "plan.toml").write_text(
        'title = "x"\nscenarios = ["mine.toml"]\n', encoding="utf-8"
    )
    before = read_plan(tmp_path / "plan.toml", catalogue).key
    assert read_plan(tmp_path / "plan.toml", catalogue).key == before
    (tmp_path / "mine.csv").write_bytes(chart.read_bytes() + b"\n")
    assert read_plan(tmp_path / "plan.toml", catalogue).key != before


def test_results_depend_on_the_version_of_each_game(tmp_path):
    plan, catalogue = tmp_path / "plan.toml", Catalogue.installed(only=("asl",))
    plan.write_text('title = "x"\nscenarios = ["asl/village"]\n', encoding="utf-8")
    before = read_plan(plan, catalogue).key
    catalogue.games["asl"] = attrs.evolve(catalogue.games["asl"], version="0.0.1")
    assert read_plan(plan, catalogue).key != before


def test_every_fault_of_a_plan_at_once(tmp_path, printed):
    file = tmp_path / "plan.toml"
    file.write_text(
        'title = "wrong"\nengagements = ["wods"]\nscenarios = ["asl/vilage"]\ngames = ["als"]\n'
        '[[vary]]\nnumber = "red_poppies.signl"\nvalues = [1]\n'
        '[[vary]]\noption = "asl.boards"\nvalues = [1, 2]\n'
        '[[vary]]\nnumber = "red_poppies.on_target"\nvalues = ["two"]\n'
    )
    status, said = printed("sweep", file)
    assert status == 2
    for part in (
        "'wods'",
        "'asl/vilage'",
        "'als'",
        "'signl'",
        "2 is not one of 3, 1",
        "whole number",
    ):
        assert part in said, part
    assert "line 6" in said
    file.write_text(
        'title = "wrong"\n[[vary]]\nvalues = [1, 1]\n[[vary]]\nnumber = "x"\nvalues = []\n'
    )
    status, said = printed("sweep", file)
    assert status == 2
    for part in (
        "the plan names nothing to solve",
        "one of them",
        "appears twice",
        "does not name a game",
        "no values",
    ):
        assert part in said, part


def test_varying_an_absent_game_is_a_fault(tmp_path, printed):
    file = tmp_path / "plan.toml"
    file.write_text(PLAN.replace('"red_poppies", ', ""))
    status, said = printed("sweep", file, "--check")
    assert status == 2
    assert "vary[0]" in said
    assert "vary[1]" in said
    assert "vary[2]" not in said
    assert "red_poppies has nothing to stage in this plan" in said


def test_a_plan_can_be_checked_without_running_it(folder, printed):
    status, said = printed("sweep", folder / "plan.toml", "--check")
    assert status == 0
    assert f"{POINTS} points" in said
    assert not (folder / "plan.jsonl").exists()
    status, said = printed("sweep", folder / "plan.toml", "--workers", "0", "--dask", "remote")
    assert status == 2
    assert "--workers" in said
    assert "--dask" in said


def test_a_point_that_cannot_be_staged_is_an_outcome(tmp_path, printed):
    (tmp_path / "plan.toml").write_text(
        'title = "one"\nengagements = ["strongpoint"]\ngames = ["red_poppies"]\n'
    )
    status, said = printed("sweep", tmp_path / "plan.toml", "--workers", "1")
    assert status == 0, said
    (row,) = as_rows(tmp_path / "plan.jsonl")
    assert row["outcome"] == "cannot be staged"
    assert "burst_only" in row["reason"]
    assert row["delivered"] is None


def test_the_grid_is_that_of_the_plan(folder):
    sweep_ = read_plan(folder / "plan.toml", Catalogue.installed())
    assert [point.game for point in sweep_.points] == ["red_poppies"] * 6 + ["wacht_am_rhein"] + [
        "miniatures_1943"
    ] * 2
    assert [dict(point.numbers)["on_target"] for point in sweep_.points[:4]] == ["1", "3", "1", "3"]
