"""Work for an answer: done in a process of its own, capped in time, cancelled by ending that process.

A page waits a moment for its answer, else it shows how long that has taken and a button that cancels it.
"""

from __future__ import annotations

import asyncio
import itertools
import multiprocessing
import threading
import time  # noqa: TID251 - how long a visitor waits; nothing of play hangs on it
from collections import OrderedDict
from typing import Any

import attrs

from fireplan.studio._limits import LIMITS, over

PATIENCE = 1.5
"""Seconds that a page waits before it says that it is still at work."""
UNANSWERABLE = 422
"""The status of what was worked out to have no answer."""
_KEPT = 64
_POLL = 0.02


@attrs.frozen
class StillAtWork(Exception):  # noqa: N818 - a page is made of it
    """An answer that is not ready: its number and the seconds it has taken."""

    number: int
    seconds: float


@attrs.frozen
class NoAnswerError(Exception):
    """Why there is no answer: too long, cancelled, too many waiting, or it cannot be worked out."""

    reason: str
    status: int = 503


@attrs.define
class _Job:
    number: int
    began: float
    done: threading.Event = attrs.field(factory=threading.Event)
    cancelled: bool = False
    value: Any = None
    error: NoAnswerError | None = None
    sent: float | None = None
    """When a worker was asked for it."""

    def send(self, worker: _Worker, key: Any) -> None:
        worker.connection.send(key)
        self.sent = time.monotonic()


def _serve(connection: Any) -> None:  # pragma: no cover - runs in the worker
    """The worker: answers one call after the other."""
    from fireplan.studio._work import WORK

    connection.send(("ready", None))
    while True:
        try:
            name, arguments = connection.recv()
        except (EOFError, KeyboardInterrupt):
            return
        try:
            answer = ("value", WORK[name](*arguments))
        except Exception as error:  # noqa: BLE001 - told to the page, which says it in words
            answer = ("error", f"{type(error).__name__}: {error}" if not str(error) else str(error))
        connection.send(answer)


class _Worker:
    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()
        self.warm = False

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.connection.close()


class Jobs:
    """The answers being worked out, and those kept."""

    def __init__(self) -> None:
        self._worker: _Worker | None = None
        self._turn = threading.Lock()
        """Held by the job that is at work."""
        self._numbers = itertools.count(1)
        self._jobs: dict[Any, _Job] = {}
        self._answers: OrderedDict[Any, Any] = OrderedDict()
        self._lock = threading.Lock()

    def warm(self) -> None:
        """Start the worker before it is asked for anything."""
        with self._turn:
            self._worker = self._worker or _Worker()

    async def answer(self, name: str, *arguments: Any, patience: float = PATIENCE) -> Any:
        """Return the answer of a function of ``_work``; the arguments must be hashable.

        Raises ``StillAtWork`` when it is not there in so many seconds, ``NoAnswerError`` when there will be none.
        """
        key = (name, arguments)
        with self._lock:
            if key in self._answers:
                self._answers.move_to_end(key)
                return self._answers[key]
            job = self._jobs.get(key)
            if job is None:
                if over("jobs", sum(not each.done.is_set() for each in self._jobs.values()) + 1):
                    raise NoAnswerError(
                        f"{LIMITS['jobs'].most} answers are being worked out already (limit jobs); wait"
                    )
                if len(self._jobs) >= _KEPT:  # refusals that nobody came back for
                    self._jobs = {other: each for other, each in self._jobs.items() if not each.done.is_set()}
                job = self._jobs[key] = _Job(next(self._numbers), time.monotonic())
                threading.Thread(target=self._run, args=(key, job), daemon=True).start()
        await asyncio.to_thread(job.done.wait, patience)
        if not job.done.is_set():
            raise StillAtWork(job.number, time.monotonic() - job.began)
        with self._lock:
            self._jobs.pop(key, None)
        if job.error is not None:
            raise job.error
        return job.value

    def cancel(self, number: int) -> bool:
        """Cancel an answer; False when there is none of that number at work."""
        with self._lock:
            for job in self._jobs.values():
                if job.number == number and not job.done.is_set():
                    job.cancelled = True
                    return True
        return False

    def close(self) -> None:
        """End the worker."""
        with self._lock:
            for job in self._jobs.values():
                job.cancelled = True
        if self._turn.acquire(timeout=2):
            if self._worker is not None:
                self._worker.end()
            self._turn.release()

    def _run(self, key: Any, job: _Job) -> None:
        """Work one answer out, in a thread of its own that waits for its turn."""
        mine = False
        try:
            while not (mine := self._turn.acquire(timeout=_POLL)):
                _check(job)
            self._worker = self._worker or _Worker()
            job.value = _ask(self._worker, key, job)
            with self._lock:
                self._answers[key] = job.value
                self._jobs.pop(key, None)
                while len(self._answers) > _KEPT:
                    self._answers.popitem(last=False)
        except NoAnswerError as error:
            job.error = error
            if mine and self._worker is not None and error.status != UNANSWERABLE:
                self._worker.end()
                self._worker = None
        finally:
            if mine:
                self._turn.release()
            with self._lock:
                if job.cancelled:
                    self._jobs.pop(key, None)
            job.done.set()


def _check(job: _Job) -> None:
    """Raise ``NoAnswerError`` if a job was cancelled, or has been at work for too long."""
    if job.cancelled:
        raise NoAnswerError("cancelled", 409)
    most = LIMITS["job_seconds"].most
    if job.sent is not None and time.monotonic() - job.sent > most:
        raise NoAnswerError(
            f"it took over {most} seconds (limit job_seconds): ask for fewer minutes or games, or sample it from the"
            " command line"
        )


def _ask(worker: _Worker, key: Any, job: _Job) -> Any:
    """Return the worker's answer; one that is just being started is asked when it is ready."""
    try:
        if worker.warm:
            job.send(worker, key)
        while True:
            if worker.connection.poll(_POLL):
                kind, value = worker.connection.recv()
                if kind == "value":
                    return value
                if kind == "error":
                    raise NoAnswerError(value, UNANSWERABLE)
                worker.warm = True
                job.send(worker, key)
            _check(job)
    except (EOFError, OSError):
        raise NoAnswerError("the process that worked it out has died; ask again", 500) from None
