"""Lines in and out: on a terminal, or over a pipe with a script of answers in and a transcript out; JSON and tables."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.table import Column
    from rich.text import Text

    from fireplan.table import LogLine

CLEAR = "\033[2J\033[3J\033[H"
"""What clears a terminal and what has scrolled off it."""


class LeaveError(Exception):
    """The players have left."""


def hear_line(prompt: str) -> str:
    """Return a line from standard input, echoed when it comes over a pipe; raise ``LeaveError`` at its end."""
    sys.stdout.write(prompt)
    sys.stdout.flush()
    line = sys.stdin.readline()
    if not line:
        raise LeaveError
    if not sys.stdin.isatty():
        sys.stdout.write(line if line.endswith("\n") else line + "\n")
    return line


def say_line(text: str) -> None:
    """Print a line as it is."""
    sys.stdout.write(text + "\n")


def say_json(data: Any) -> None:
    """Print data as JSON."""
    import json

    say_line(json.dumps(data, indent=2, ensure_ascii=False))


def say_text(text: str | Text, style: str = "") -> None:
    """Print text in a style, wrapped to the width of the terminal."""
    from rich.console import Console
    from rich.text import Text

    Console().print(Text(text, style=style) if isinstance(text, str) else text)


def say_table(
    head: Iterable[str | Column], rows: Iterable[Iterable[object]], *, title: str | None = None, pad_edge: bool = False
) -> None:
    """Print a table of text."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(*head, title=title, pad_edge=pad_edge)
    for row in rows:
        table.add_row(*(cell if isinstance(cell, Text) else Text(str(cell)) for cell in row))
    Console().print(table)


def in_moments(count: int) -> str:
    """Return so many moments in words."""
    return f"{count:,} {'moment' if count == 1 else 'moments'}"


def told(line: LogLine) -> str:
    """Return a line of a log with its time."""
    return f"{line.when}: {'taken back: ' if line.kind == 'taken back' else ''}{line}"
