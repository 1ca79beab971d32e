"""Work for an answer: done in a process of its own, capped in time, cancelled by ending that process.

A page waits a moment for its answer; if it takes longer the visitor sees that it is being worked out, how long it
has taken, and a button that cancels it. Answers are kept, so that the same address is answered at once.
"""

from __future__ import annotations

import asyncio
import itertools
import multiprocessing
import queue
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

    def __init__(self, workers: int = 1) -> None:
        self._free: queue.Queue[_Worker | None] = queue.Queue()
        self._count = workers
        self._numbers = itertools.count(1)
        self._jobs: dict[Any, _Job] = {}
        self._kept: OrderedDict[Any, Any] = OrderedDict()
        self._lock = threading.Lock()
        self._closed = False
        for _ in range(workers):
            self._free.put(None)

    def warm(self) -> None:
        """Start the workers before they are asked for anything."""
        waiting = [self._free.get() for _ in range(self._count)]
        for worker in waiting:
            self._free.put(worker or _Worker())

    async def answer(self, name: str, *arguments: Any, patience: float = PATIENCE) -> Any:
        """Return the answer of a function of ``_work``; the arguments must be hashable.

        Raises ``StillAtWork`` when it is not there in so many seconds, ``NoAnswerError`` when there will be none.
        """
        key = (name, arguments)
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
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
        """End the workers."""
        self._closed = True
        with self._lock:
            for job in self._jobs.values():
                job.cancelled = True
        for _ in range(self._count):
            try:
                worker = self._free.get(timeout=2)
            except queue.Empty:
                continue
            if worker is not None:
                worker.end()

    def _run(self, key: Any, job: _Job) -> None:
        """Work one answer out, in a thread of its own that waits for a worker."""
        worker: _Worker | None = None
        taken = False
        try:
            worker, taken = self._take(job), True
            worker = worker or _Worker()
            job.value = self._ask(worker, key, job)
            with self._lock:
                self._kept[key] = job.value
                self._jobs.pop(key, None)
                while len(self._kept) > _KEPT:
                    self._kept.popitem(last=False)
        except NoAnswerError as error:
            job.error = error
            if worker is not None and error.status != UNANSWERABLE:
                worker.end()
                worker = None
        finally:
            if taken:
                self._free.put(worker)
            with self._lock:
                if job.cancelled:
                    self._jobs.pop(key, None)
            job.done.set()

    def _take(self, job: _Job) -> _Worker | None:
        """Wait for a worker that is free, and return it, or None for one that must be started."""
        while True:
            try:
                return self._free.get(timeout=_POLL)
            except queue.Empty:
                if job.cancelled:
                    raise NoAnswerError("cancelled", 409) from None

    def _ask(self, worker: _Worker, key: Any, job: _Job) -> Any:
        began: float | None = None
        try:
            if worker.warm:
                worker.connection.send(key)
                began = time.monotonic()
            while True:
                if worker.connection.poll(_POLL):
                    kind, value = worker.connection.recv()
                    if kind == "ready":
                        worker.warm = True
                        worker.connection.send(key)
                        began = time.monotonic()
                    elif kind == "error":
                        raise NoAnswerError(value, UNANSWERABLE)
                    else:
                        return value
                if job.cancelled:
                    raise NoAnswerError("cancelled", 409)
                if began is not None and time.monotonic() - began > LIMITS["job_seconds"].most:
                    raise NoAnswerError(
                        f"it took over {LIMITS['job_seconds'].most} seconds (limit job_seconds): ask for fewer minutes"
                        " or games, or sample it from the command line"
                    )
        except (EOFError, OSError):
            raise NoAnswerError("the process that worked it out has died; ask again", 500) from None
