"""Work for an answer: done in processes of their own, capped in time, cancelled by ending the process.

A page waits a moment for its answer, else it shows how long that has taken and a button that
cancels it. There are two lanes with a process each. Work begins in the quick one, unless it is
known to be long, and goes on in the slow one when it has taken its time there. In both, visitors
take turns, and of one visitor the smallest work comes first.
"""

from __future__ import annotations

import asyncio
import itertools
import multiprocessing
import threading
import time  # noqa: TID251 - how long a visitor waits; nothing of play hangs on it
from collections import OrderedDict
from concurrent.futures import Future
from contextvars import ContextVar
from typing import Any

import attrs

from fireplan.sweeps import leave_with_parent
from fireplan_studio.limits import LIMITS, over
from fireplan_studio.work import WORK, size_of

PATIENCE = 1.5
"""Seconds that a page waits before it says that it is still at work."""
_KEPT = 64
_POLL = 0.02
_REMEMBERED = 256
"""Visitors of whom it is known when they had their last turn."""

VISITOR = ContextVar("VISITOR", default="")
"""The address of the visitor whose request is being answered."""


@attrs.frozen
class StillAtWork(Exception):  # noqa: N818 - a page is made of it
    """An answer that is not ready: its number and the seconds it has taken."""

    number: int
    seconds: float


@attrs.frozen
class NoAnswerError(Exception):
    """Say why there is no answer: too long, cancelled, too many waiting, or it cannot be worked out."""

    reason: str
    status: int = 503


@attrs.frozen
class UnanswerableError(NoAnswerError):
    """Say what is wrong with what was asked, as its work has found."""

    status: int = 422


@attrs.define(eq=False)
class _Job:
    number: int
    key: tuple[str, tuple[Any, ...]]
    visitor: str
    size: float
    began: float
    done: Future[None] = attrs.field(factory=Future)
    cancelled: bool = False
    value: Any = None
    error: NoAnswerError | None = None
    sent: float | None = None
    """When a worker was asked for it."""


@attrs.define(eq=False)
class _Lane:
    """A process and what waits for it; ``seconds`` are what an answer may take in it."""

    seconds: float
    waiting: list[_Job] = attrs.field(factory=list)
    turns: list[str] = attrs.field(factory=list)
    """Visitors by their last turn, the latest last."""
    job: _Job | None = None
    worker: _Worker | None = None

    def end(self) -> None:
        worker, self.worker = self.worker, None
        if worker is not None:
            worker.end()


class _TakesLongError(Exception):
    """Work that has taken the time of its lane."""


def _serve(connection: Any) -> None:  # pragma: no cover - runs in the worker
    """The worker: answers one call after the other, as long as the studio lives."""
    leave_with_parent()
    connection.send(("ready", None))
    while True:
        try:
            name, arguments = connection.recv()
        except (EOFError, KeyboardInterrupt):
            return
        try:
            answer = ("value", _worked_out(name, arguments))
        except NoAnswerError as error:
            answer = ("error", error.reason)
        connection.send(answer)


def _worked_out(name: str, arguments: tuple[Any, ...]) -> Any:
    try:
        return WORK[name](*arguments)
    except Exception as error:
        raise UnanswerableError(str(error) or type(error).__name__) from error


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
    """The answers being worked out, and those kept.

    With ``alone`` each is worked out where it is asked for.
    """

    def __init__(self, *, alone: bool = False) -> None:
        self._alone = alone
        self.quick, self.slow = (
            _Lane(LIMITS[limit].most) for limit in ("quick_seconds", "job_seconds")
        )
        self._numbers = itertools.count(1)
        self._jobs: dict[Any, _Job] = {}
        self._answers: OrderedDict[Any, Any] = OrderedDict()
        self._closed = False
        self._changed = threading.Condition()
        """Guards all of this but the lanes' workers, each of which is its lane's own."""
        for lane in () if alone else (self.quick, self.slow):
            threading.Thread(target=self._run, args=(lane,), daemon=True).start()

    def warm(self) -> None:
        """Start a worker before it is asked for anything."""
        with self._changed:
            if self.quick.job is None and self.quick.worker is None:
                self.quick.worker = _Worker()

    async def answer(self, name: str, *arguments: Any, patience: float = PATIENCE) -> Any:
        """Return the answer of a function of ``_work``; the arguments must be hashable.

        Raises ``StillAtWork`` when it is not there in so many seconds, ``NoAnswerError`` when there
        will be none.
        """
        key = (name, arguments)
        with self._changed:
            if key in self._answers:
                self._answers.move_to_end(key)
                return self._answers[key]
            if self._alone:
                return self._keep(key, _worked_out(name, arguments))
            job = self._jobs.get(key)
            if job is None:
                job = self._jobs[key] = self._new(key, VISITOR.get())
        await asyncio.wait(
            [asyncio.wrap_future(job.done)], timeout=patience
        )  # in no thread: those are few
        if not job.done.done():
            raise StillAtWork(job.number, time.monotonic() - job.began)
        with self._changed:
            self._jobs.pop(key, None)
        if job.error is not None:
            raise job.error
        return job.value

    def _keep(self, key: tuple[str, tuple[Any, ...]], value: Any) -> Any:
        self._answers[key] = value
        if len(self._answers) > _KEPT:
            self._answers.popitem(last=False)
        return value

    def _new(self, key: tuple[str, tuple[Any, ...]], visitor: str) -> _Job:
        open_jobs = [job for job in self._jobs.values() if not job.done.done()]
        mine = sum(job.visitor == visitor for job in open_jobs)
        if wrong := over("jobs", len(open_jobs) + 1) or over("jobs_each", mine + 1):
            raise NoAnswerError(f"{wrong}; wait for some of them, or cancel them")
        if len(self._jobs) >= _KEPT:  # refusals that nobody came back for
            self._jobs = {other: each for other, each in self._jobs.items() if not each.done.done()}
        job = _Job(next(self._numbers), key, visitor, size_of(*key), time.monotonic())
        (self.slow if over("quick_size", job.size) else self.quick).waiting.append(job)
        self._changed.notify_all()
        return job

    def cancel(self, number: int) -> None:
        """Cancel an answer that this visitor has asked for.

        Raises ``NoAnswerError`` when none is at work for him.
        """
        with self._changed:
            for job in self._jobs.values():
                if job.number == number and job.visitor == VISITOR.get() and not job.done.done():
                    self._cancel(job)
                    return
        raise NoAnswerError("you have no such answer at work", 404)

    def _cancel(self, job: _Job) -> None:
        job.cancelled = True
        for lane in (self.quick, self.slow):
            if job in lane.waiting:
                lane.waiting.remove(job)
                self._refuse(job, NoAnswerError("cancelled", 409))

    def _refuse(self, job: _Job, error: NoAnswerError) -> None:
        """Finish work without an answer; whoever asks again after a cancellation begins anew."""
        with self._changed:
            if job.cancelled:
                self._jobs.pop(job.key, None)
            job.error = error
            job.done.set_result(None)

    def close(self) -> None:
        """End the workers, whatever they are at."""
        with self._changed:
            self._closed = True
            for job in list(self._jobs.values()):
                self._cancel(job)
            self._changed.notify_all()
            for lane in (self.quick, self.slow):
                lane.end()

    # --- in the threads of the lanes -------------------------------------------------------------
    def _run(self, lane: _Lane) -> None:
        while (job := self._take(lane)) is not None:
            try:
                job.value = self._ask(lane, job)
            except _TakesLongError:
                self._pass_on(job)
                continue
            except NoAnswerError as error:
                if not isinstance(error, UnanswerableError):
                    lane.end()
                self._refuse(job, error)
                continue
            with self._changed:
                self._keep(job.key, job.value)
                self._jobs.pop(job.key, None)
            job.done.set_result(None)

    def _take(self, lane: _Lane) -> _Job | None:
        """Return the work that is next in a lane: of whoever had no turn for longest, the smallest.

        None at the end.
        """
        with self._changed:
            lane.job = None
            self._changed.wait_for(lambda: self._closed or lane.waiting)
            if self._closed:
                return None
            turns = {visitor: turn for turn, visitor in enumerate(lane.turns)}
            job = min(
                lane.waiting, key=lambda each: (turns.get(each.visitor, -1), each.size, each.number)
            )
            lane.waiting.remove(job)
            lane.job = job
            lane.turns = [*(each for each in lane.turns if each != job.visitor), job.visitor][
                -_REMEMBERED:
            ]
            return job

    def _pass_on(self, job: _Job) -> None:
        """Let work that takes long go on in the slow lane.

        If that is at work itself, it will begin anew there.
        """
        with self._changed:
            if self.slow.job is None and not self.slow.waiting:
                self.quick.worker, self.slow.worker = self.slow.worker, self.quick.worker
            else:
                self.quick.end()
                job.sent = None
            if self._closed or job.cancelled:
                self.slow.end()
                self._refuse(job, NoAnswerError("cancelled", 409))
            else:
                self.slow.waiting.append(job)
            self._changed.notify_all()

    def _ask(self, lane: _Lane, job: _Job) -> Any:
        """Return the answer of a lane's worker; where it has died, that of another."""
        for _ in range(2):
            try:
                return self._asked(lane, job)
            except (EOFError, OSError):
                lane.end()
                job.sent = None
                if self._closed:
                    break
        raise NoAnswerError(
            "the process that worked it out has died; ask for something smaller", 500
        )

    def _asked(self, lane: _Lane, job: _Job) -> Any:
        """Return the answer of the worker.

        One that is just being started is asked when it is ready.
        """
        with self._changed:
            if self._closed:
                raise EOFError
            worker = lane.worker = lane.worker or _Worker()
        if worker.warm and job.sent is None:
            worker.connection.send(job.key)
            job.sent = time.monotonic()
        while True:
            if worker.connection.poll(_POLL):
                kind, value = worker.connection.recv()
                if kind == "value":
                    return value
                if kind == "error":
                    raise UnanswerableError(value)
                worker.warm = True
                worker.connection.send(job.key)
                job.sent = time.monotonic()
            self._check(lane, job)

    def _check(self, lane: _Lane, job: _Job) -> None:
        """Raise what ends the work in this lane: it was cancelled, or has been at work for too long."""
        if job.cancelled:
            raise NoAnswerError("cancelled", 409)
        if job.sent is not None and time.monotonic() - job.sent > lane.seconds:
            if lane is self.quick:
                raise _TakesLongError
            raise NoAnswerError(
                f"it took over {lane.seconds} seconds (limit job_seconds): ask for fewer minutes or games, or sample it"
                " from the command line"
            )
