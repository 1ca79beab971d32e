"""Lines in and out: a terminal, or a pipe with a script of answers in and a transcript out."""

from __future__ import annotations

import sys

CLEAR = "\033[2J\033[3J\033[H"
"""What clears a terminal and what has scrolled off it."""


class LeaveError(Exception):
    """The players have left."""


def hear_line(prompt: str) -> str:
    """A line from standard input, echoed when it comes over a pipe; leaving at its end."""
    sys.stdout.write(prompt)
    sys.stdout.flush()
    line = sys.stdin.readline()
    if not line:
        raise LeaveError
    if not sys.stdin.isatty():
        sys.stdout.write(line if line.endswith("\n") else line + "\n")
    return line


def say_line(text: str) -> None:
    """A line to standard output."""
    sys.stdout.write(text + "\n")


def in_moments(count: int) -> str:
    """So many moments, in words."""
    return f"{count:,} {'moment' if count == 1 else 'moments'}"
