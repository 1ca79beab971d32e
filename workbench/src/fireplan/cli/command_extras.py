"""Extra work of commands in addition to asking the question and printing the answer.

Each function is a generator with the name of its command. It receives a function that asks the
question, the arguments, and the output options. It yields the answer, and continues after the
answer has been printed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from shutil import get_terminal_size
from typing import Any

from fireplan import analysis
from fireplan.cli.app import STOPPED, end
from fireplan.cli.output import Output
from fireplan.cli.printing import Bar, say_wrapped
from fireplan.errors import besides, shown
from fireplan.questions.opening import catalogue
from fireplan.questions.result import Result

Ask = Callable[[Mapping[str, Any]], Result]
Said = dict[str, Any]


def compare(ask: Ask, arguments: Said, output: Output) -> Iterator[Result]:
    """Yield the comparison, of all games if none are named and the terminal is wide enough.

    After it has been printed, name the installed games that it leaves out. Raise ``InputError`` for
    ``--explain`` together with ``--json`` or ``--csv``.
    """
    from fireplan.questions.compare import room_for

    data = output.json or output.csv
    explained = arguments.get("explain") and data
    faults = (
        ["--explain goes with the table only; leave out --json and --csv."] if explained else []
    )
    installed = catalogue()
    usual = analysis.default_games(installed)
    others = [key for key in installed.games if key not in usual]
    if arguments.get("games") or data:
        others = []
    elif others and len(installed.games) <= room_for(get_terminal_size().columns):
        arguments, others = {**arguments, "games": "all"}, []
    with besides(faults):
        result = ask({**arguments, "catalogue": installed})
    yield result
    if others:
        say_wrapped(f"Also installed: {', '.join(others)}. --games all compares them too.")


def best(ask: Ask, arguments: Said, output: Output) -> Iterator[Result]:
    """Yield the answer; raise ``InputError`` for ``--picture`` without a frontier to draw."""
    lacking = output.picture is not None and "frontier" not in arguments
    with besides(["--picture draws a frontier: add --frontier MEASURE."] if lacking else []):
        result = ask(arguments)
    yield result


def sweep(ask: Ask, arguments: Said, _output: Output) -> Iterator[Result]:
    """Yield the results; show a bar at a terminal, else print each point as it is solved.

    Ctrl-C ends the command with the path of the results so far.
    """
    from fireplan.sweeps import results_file_of

    at_terminal, earlier, done = sys.stderr.isatty(), 0, 0

    def begun(before: int, total: int) -> None:
        nonlocal earlier, done
        earlier = done = before
        if before:
            sys.stderr.write(f"{before} of {total} points are solved already\n")

    def progress(total: int, what: str) -> None:
        nonlocal done
        done += 1
        if at_terminal:
            bar.step(total - earlier, shown(what))
        else:
            sys.stderr.write(f"{done} of {total}: {shown(what)}\n")
            sys.stderr.flush()

    file = arguments.get("results") or results_file_of(Path(arguments.get("plan") or "plan"))
    with Bar() as bar:
        try:
            result = ask({**arguments, "progress": progress, "begun": begun})
        except KeyboardInterrupt:
            end(
                STOPPED,
                f"Stopped. The solved points are in {file}; run the same command to continue.",
            )
    yield result
