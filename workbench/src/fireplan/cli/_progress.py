"""Progress on long work: a bar on standard error that appears only when the work takes more than a second."""

from __future__ import annotations

import sys
import time  # noqa: TID251 - how long a person has waited; no rule depends on it
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.progress import Progress

PATIENCE = 1.0
"""Seconds before a bar is shown."""


class Bar:
    """A bar over a number of steps; silent when standard error is no terminal."""

    def __init__(self, total: int = 0) -> None:
        self._total = total
        self._done = 0
        self._start = time.monotonic()
        self._progress: Progress | None = None

    def __enter__(self) -> Self:
        """Begin to count."""
        return self

    def step(self, what: str) -> None:
        """Count one step."""
        self._done += 1
        if self._progress is None and sys.stderr.isatty() and time.monotonic() - self._start > PATIENCE:
            self._progress = _shown()
            self._progress.start()
            self._progress.add_task(what, total=self._total)
        if self._progress is not None:
            self._progress.update(self._progress.task_ids[0], completed=min(self._done, self._total), description=what)

    def step_of(self, total: int, what: str) -> None:
        """Count one of so many steps; how many there are is told with each."""
        self._total = total
        self.step(what)

    def __exit__(self, *_: object) -> None:
        """Take the bar away."""
        if self._progress is not None:
            self._progress.stop()


def _shown() -> Progress:
    """Return the bar of a terminal; what draws it is loaded only now."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )


@contextmanager
def explained(words: str) -> Iterator[None]:
    """Say on a terminal, after a second, what takes so long; for work whose steps nobody can count."""
    timer = Timer(PATIENCE, sys.stderr.write, (f"{words} ...\n",))
    if sys.stderr.isatty():
        timer.start()
    try:
        yield
    finally:
        timer.cancel()
