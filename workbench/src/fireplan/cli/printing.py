"""Output of commands: lines, tables, JSON, and the progress of long-running work.

Input and output use a terminal, or pipes that carry scripted answers and a transcript.
"""

from __future__ import annotations

import sys
import time  # noqa: TID251 - measures how long the user has waited; no rule depends on it
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from shutil import get_terminal_size
from textwrap import TextWrapper
from typing import TYPE_CHECKING, Self, TextIO

from fireplan.errors import InputError, shown
from fireplan.questions.question import expected

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession
    from rich.progress import Progress

    from fireplan.table import LogLine

CLEAR = "\033[2J\033[3J\033[H"
"""Escape codes that clear a terminal and its scrollback."""
PATIENCE = 1.0
"""Delay before a progress bar appears, in seconds."""
LONGEST_LINE = 10_000
"""Maximum number of characters read at a prompt."""


NARROWEST, WIDEST = 40, 200
"""Minimum and maximum width of wrapped text, in columns."""


def terminal_width() -> int:
    """Return the width for text on this terminal, in columns."""
    return min(max(get_terminal_size().columns, NARROWEST), WIDEST)


def say_wrapped(text: str) -> None:
    """Print lines wrapped at words to the width of the terminal; continued lines are indented."""
    if text == CLEAR or not attended(sys.stdout):
        say_line(text)
        return
    wide = terminal_width() - 1
    for line in text.split("\n"):
        indent = " " * (len(line) - len(line.lstrip()) + 2)
        wrapped = TextWrapper(
            wide, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
        )
        say_line(line if len(line) <= wide else wrapped.fill(line))


@cache
def _prompter() -> PromptSession[str]:
    """Return a prompt session that reads lines at a terminal, with history."""
    from prompt_toolkit import PromptSession

    return PromptSession(complete_while_typing=False)


def hear_line(prompt: str, possible: Sequence[str] = ()) -> str:
    """Return a line of standard input, echoed if it comes from a pipe.

    At a terminal, lines can be edited and recalled, and Tab completes ``possible`` inputs. A very
    long line is cut at a terminal; in a pipe it is skipped with a message. Raise ``EOFError`` at
    the end of input, including a closed standard input.
    """
    if attended(sys.stdin) and attended(sys.stdout):
        from prompt_toolkit.completion import WordCompleter

        completer = WordCompleter(list(possible), ignore_case=True, sentence=True)
        return _prompter().prompt(shown(prompt), completer=completer)[:LONGEST_LINE]
    while True:
        sys.stdout.write(shown(prompt))
        sys.stdout.flush()
        line = _read_line()
        if not line:
            say_line("")
            raise EOFError
        if not attended(sys.stdin):
            say_line(line.removesuffix("\n"))
        if len(line) <= LONGEST_LINE:
            return line
        say_line(f"  that line is longer than {LONGEST_LINE:,} characters; none of it was read")


def _read_line() -> str:
    """Return a line of standard input, cut if it is too long, with surrogates as question marks.

    The result is empty at the end of input.
    """
    if sys.stdin is None or sys.stdin.closed:
        return ""
    line = more = sys.stdin.readline(LONGEST_LINE + 1)
    while more and not more.endswith("\n") and len(line) > LONGEST_LINE:
        more = sys.stdin.readline(LONGEST_LINE)
    return line.encode("utf-8", "replace").decode()


def attended(stream: TextIO | None) -> bool:
    """Return whether a standard stream is open and connected to a terminal."""
    return stream is not None and not stream.closed and stream.isatty()


def say_line(text: str) -> None:
    """Print a line with its control characters escaped; ``CLEAR`` clears the terminal."""
    sys.stdout.write((text if text == CLEAR else shown(text)) + "\n")


def timed_line(line: LogLine) -> str:
    """Return a line of a log, preceded by its time."""
    return f"{line.when}: {line}"


# --- progress -------------------------------------------------------------------------
class Bar:
    """A progress bar on a terminal, shown once ``PATIENCE`` seconds have passed."""

    def __init__(self) -> None:
        self._done = 0
        self._start = time.monotonic()
        self._progress: Progress | None = None

    def __enter__(self) -> Self:
        return self

    def step(self, total: int, what: str) -> None:
        """Advance the bar by one of ``total`` steps; ``what`` becomes its label."""
        self._done += 1
        if (
            self._progress is None
            and sys.stderr.isatty()
            and time.monotonic() - self._start > PATIENCE
        ):
            self._progress = _shown()
            self._progress.start()
            self._progress.add_task(what, total=total)
        if self._progress is not None:
            self._progress.update(
                self._progress.task_ids[0], completed=min(self._done, total), description=what
            )

    def __exit__(self, *_: object) -> None:
        if self._progress is not None:
            self._progress.stop()


def _shown() -> Progress:
    """Return a progress bar for a terminal, loading its library."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    return Progress(*columns, console=Console(stderr=True), transient=True)


# --- long-running work ---------------------------------------------------------------
LONG = 20.0
"""Expected time above which the user is asked before work begins, in seconds."""


def asking(instead: str, *, yes: bool) -> Callable[[float], None]:
    """Return a function of the expected seconds that asks the user before long-running work.

    With ``yes``, it never asks. It raises ``InputError`` if the user's answer is no, or if there is
    no terminal to ask at. ``instead`` is the advice printed for a faster answer.
    """

    def ask(seconds: float) -> None:
        if yes or seconds < LONG:
            return
        words = expected(seconds)
        if not (attended(sys.stdin) and attended(sys.stderr)):
            raise InputError(f"{words}: add --yes to start anyway, or {instead}.")
        sys.stderr.write(f"{words} ({instead} to have it sooner). Start (yes or no)? ")
        sys.stderr.flush()
        if sys.stdin.readline().strip().lower() not in ("y", "yes"):
            raise InputError("Not started.")

    return ask


# --- too large to be solved exactly ---------------------------------------------------
def say_sampled(why: str, exactly: Iterable[tuple[str, str]]) -> None:
    """Print to standard error the reason for sampling, and commands for an exact answer.

    ``exactly`` has pairs of a description and a command.
    """
    ways = "".join(f"\n  {what}: {typed}" for what, typed in exactly)
    sys.stderr.write(
        f"This is too large to be solved exactly: {why}. It is sampled instead.{ways}\n"
    )
