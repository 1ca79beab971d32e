"""Jobs: answers computed in separate processes, limited in time and cancellable.

A page waits a moment for its answer; after that it shows the time taken and a button to cancel.
There are two lanes, with one process each. A job starts in the quick lane, unless its size shows
that it is long, and moves to the slow lane when its time in the quick lane is up. In both lanes
visitors take turns, and each visitor's smallest job comes first. A job counts for every visitor who
waits for it, and ends when nobody waits any more, or when nobody has asked for it for a while: the
page that asked was closed or left.
"""

from __future__ import annotations

import asyncio
import gc
import itertools
import threading
import time  # noqa: TID251 - how long a visitor waits; not part of play
from collections.abc import Callable, Collection, Iterable
from concurrent.futures import Future
from contextvars import ContextVar
from typing import Any

import attrs

from fireplan import sheets
from fireplan.sweeps import Spawned, leave_with_parent
from fireplan_studio.answers import (
    CACHED,
    PATIENCE,
    UNANSWERABLE,
    Answers,
    JobKey,
    call,
    not_finished,
)
from fireplan_studio.limits import LIMITS, over
from fireplan_studio.refusals import Calculation, RequestRefusedError
from fireplan_studio.work import PROGRESS, size_of

_POLL = 0.02
"""Interval between checks of a job's time and cancellation, in seconds."""
_AT_ONCE = 4
"""Maximum number of questions that one page asks at the same time."""
_ABANDONED = 15.0
"""Seconds after which a job that nobody asks for ends; pages at work ask at least every 2 s."""
_REPORTED = 0.2
"""Interval between two reports of a job's progress, in seconds."""
_ONE_VIEW = ("dialled", "narrowed", "designed", "lived")
"""Functions whose pages show one view at a time; cancelling one job cancels the whole view."""
_REMEMBERED = 256
"""Maximum number of visitors whose last turn is remembered."""
_CANCELLED = "The calculation was cancelled."

VISITOR = ContextVar("VISITOR", default="")
"""The session of the visitor whose request is being answered."""


@attrs.define(eq=False)
class _Job:
    number: int
    key: JobKey
    visitors: set[str]
    """The visitors who wait for this job."""
    size: float
    began: float
    done: Future[None] = attrs.field(factory=Future)
    cancelled: bool = False
    value: Any = None
    error: RequestRefusedError | None = None
    sent: float | None = None
    """The time at which the job was sent to a worker, or None before that."""
    done_steps: int = 0
    steps: int = 0
    """The number of all steps, as the worker last reported it; 0 before its first report."""
    requests: int = 0
    """The number of requests that are waiting for this job."""
    asked: float = attrs.field(factory=time.monotonic)
    """The time at which a request last began or stopped waiting for this job."""

    @property
    def abandoned(self) -> bool:
        """True if no request has waited for this job for a while."""
        return not self.requests and time.monotonic() - self.asked > _ABANDONED


@attrs.define(eq=False)
class _Lane:
    """A process and its queue; ``seconds`` is the time limit for a job in this lane."""

    seconds: float
    waiting: list[_Job] = attrs.field(factory=list)
    turns: list[str] = attrs.field(factory=list)
    """Visitors ordered by their last turns, most recent last."""
    job: _Job | None = None
    worker: _Worker | None = None

    def end(self) -> None:
        worker, self.worker = self.worker, None
        if worker is not None:
            worker.end()


class _TakesLongError(Exception):
    """A signal that a job has used up its time in the quick lane."""


def _serve(connection: Any, texts: sheets.Texts) -> None:  # pragma: no cover - runs in the worker
    """Answer one call after another until the studio ends; this is a worker's main function."""
    leave_with_parent()
    sheets.keep_texts(texts)
    connection.send(("ready", None))
    for number in itertools.count():
        try:
            name, arguments = connection.recv()
        except (EOFError, KeyboardInterrupt):
            return
        PROGRESS.set(Steps(lambda *counted: connection.send(("steps", counted))))
        try:
            answer = ("value", call(name, arguments))
        except RequestRefusedError as error:
            answer = ("error", str(error))
        connection.send(answer)
        if number == 0:
            # Games, charts and modules live until this process ends. Searching them for garbage
            # again and again would add a tenth of a second to an answer.
            gc.collect()
            gc.freeze()


class Steps:
    """A callback for progress that counts the steps and reports them from time to time.

    ``report`` takes the number of steps done and the total.
    """

    def __init__(self, report: Callable[[int, int], object]) -> None:
        self._report = report
        self._done = 0
        self._last_report = 0.0

    def __call__(self, total: int, _what: str) -> None:
        """Count one more step of ``total``."""
        self._done += 1
        if time.monotonic() - self._last_report > _REPORTED:
            self._last_report = time.monotonic()
            self._report(min(self._done, total), total)


class _Worker(Spawned):
    def __init__(self) -> None:
        super().__init__(_serve, sheets.texts())
        self.warm = False


class Jobs(Answers):
    """The answers being computed in two processes, and recent answers."""

    def __init__(self) -> None:
        super().__init__()
        self.quick, self.slow = (
            _Lane(LIMITS[limit].most) for limit in ("quick_seconds", "job_seconds")
        )
        self._numbers = itertools.count(1)
        self._jobs: dict[Any, _Job] = {}
        self._closed = False
        self._changed = threading.Condition()
        """Guards all state except the lanes' workers, which belong to the lanes' threads."""
        for lane in (self.quick, self.slow):
            threading.Thread(target=self._run, args=(lane,), daemon=True).start()

    def warm(self) -> None:
        """Start the quick lane's worker before its first job."""
        with self._changed:
            if self.quick.job is None and self.quick.worker is None:
                self.quick.worker = _Worker()

    async def answer(self, name: str, *arguments: Any, patience: float = PATIENCE) -> Any:
        """Return the answer of a function of ``work``, computed in a lane's process.

        Raises ``RequestRefusedError`` as ``Answers.answer`` does; with the status 202, it has the
        number of the calculation, by which it can be cancelled.
        """
        key = (name, arguments)
        with self._changed:
            if key in self._answers:
                self._answers.move_to_end(key)
                return self._answers[key]
            job = self._join(key, VISITOR.get())
            job.requests += 1
        try:
            # Blocking here would tie up one of the server's few threads.
            await asyncio.wait([asyncio.wrap_future(job.done)], timeout=patience)
        finally:
            with self._changed:
                job.requests -= 1
                job.asked = time.monotonic()
        if not job.done.done():
            raise not_finished(
                Calculation(job.number, time.monotonic() - job.began, job.done_steps, job.steps)
            )
        with self._changed:
            self._forget(job)
        if job.error is not None:
            raise job.error
        return job.value

    async def answers(
        self, name: str, questions: Iterable[tuple[Any, ...]], patience: float = PATIENCE
    ) -> list[Any]:
        """Return the answers of a function of ``work``, a few of them computed at the same time.

        Raises ``RequestRefusedError`` as ``Answers.answers`` does.
        """
        asked = list(questions)
        distinct = [*dict.fromkeys(asked)]
        gate = asyncio.Semaphore(_AT_ONCE)

        async def one(arguments: tuple[Any, ...]) -> Any:
            async with gate:
                value = await self.answer(name, *arguments, patience=patience)
            PROGRESS.get()(len(distinct), name)
            return value

        tasks = [asyncio.ensure_future(one(arguments)) for arguments in distinct]
        try:
            found = dict(zip(distinct, await asyncio.gather(*tasks), strict=True))
        except RequestRefusedError as error:
            if error.calculation is None:
                raise
            done = sum((name, arguments) in self._answers for arguments in distinct)
            work = attrs.evolve(error.calculation, done=done, steps=len(distinct))
            raise not_finished(work) from error
        finally:
            for task in tasks:
                task.cancel()
        return [found[arguments] for arguments in asked]

    def _join(self, key: JobKey, visitor: str) -> _Job:
        """Return the job with this key, which the visitor now waits for; begin it if it is new.

        Raises ``RequestRefusedError`` if too many jobs are open.
        """
        job = self._jobs.get(key)
        if job is not None and (job.done.done() or visitor in job.visitors):
            return job
        open_jobs = [each for each in self._jobs.values() if not each.done.done()]
        mine = sum(visitor in each.visitors for each in open_jobs)
        begun = len(open_jobs) + (job is None)
        if reason := over("jobs", begun) or over("jobs_each", mine + 1):
            raise RequestRefusedError(503, f"{reason}; wait for some of them, or cancel them")
        if job is None:
            job = self._jobs[key] = self._begin(key)
        job.visitors.add(visitor)
        return job

    def _begin(self, key: JobKey) -> _Job:
        if len(self._jobs) >= CACHED:  # drop errors that were never fetched
            self._jobs = {
                key: waiting for key, waiting in self._jobs.items() if not waiting.done.done()
            }
        job = _Job(next(self._numbers), key, set(), size_of(*key), time.monotonic())
        (self.slow if over("quick_size", job.size) else self.quick).waiting.append(job)
        self._changed.notify_all()
        return job

    def _forget(self, job: _Job) -> None:
        """Let the next request with this job's key begin a new job."""
        if self._jobs.get(job.key) is job:
            del self._jobs[job.key]

    def cancel(self, number: int) -> None:
        """Stop this visitor's wait for the job with this number, and for the rest of its view.

        The job ends if nobody else waits for it. A job that has ended already, or that the visitor
        does not wait for, stays as it is.
        """
        with self._changed:
            mine = [
                job
                for job in self._jobs.values()
                if VISITOR.get() in job.visitors and not job.done.done()
            ]
            named = {job.key[0] for job in mine if job.number == number}
            view = named.intersection(_ONE_VIEW)
            for job in mine:
                if job.number == number or job.key[0] in view:
                    self._give_up(job)

    def leave(self, name: str, keys: Collection[Any]) -> None:
        """Stop this visitor's waits for jobs of a function, except those with the given keys.

        A page that shows one view at a time calls this as its next view begins.
        """
        with self._changed:
            for key, job in list(self._jobs.items()):
                left = key[0] == name and key not in keys and VISITOR.get() in job.visitors
                if left and not job.done.done():
                    self._give_up(job)

    def _give_up(self, job: _Job) -> None:
        """Stop this visitor's wait for a job; the job ends if nobody else waits for it."""
        job.visitors.remove(VISITOR.get())
        if not job.visitors:
            self._cancel(job)

    def _cancel(self, job: _Job) -> None:
        job.cancelled = True
        self._forget(job)
        for lane in (self.quick, self.slow):
            if job in lane.waiting:
                lane.waiting.remove(job)
                self._refuse(job, RequestRefusedError(409, _CANCELLED))

    def _refuse(self, job: _Job, error: RequestRefusedError) -> None:
        with self._changed:
            job.error = error
            job.done.set_result(None)

    def close(self) -> None:
        """Cancel all jobs and end the workers."""
        with self._changed:
            self._closed = True
            for job in list(self._jobs.values()):
                self._cancel(job)
            self._changed.notify_all()
            for lane in (self.quick, self.slow):
                lane.end()

    # --- called in the threads of the lanes -------------------------------------------------------
    def _run(self, lane: _Lane) -> None:
        while (job := self._take(lane)) is not None:
            try:
                job.value = self._ask(lane, job)
            except _TakesLongError:
                self._pass_on(job)
                continue
            except RequestRefusedError as error:
                if error.status != UNANSWERABLE:
                    lane.end()
                self._refuse(job, error)
                continue
            with self._changed:
                self._keep(job.key, job.value)
                self._forget(job)
            job.done.set_result(None)

    def _take(self, lane: _Lane) -> _Job | None:
        """Wait for the next job of a lane and return it, or None when the studio closes.

        The next job is the smallest job of the visitor whose last turn was longest ago. It counts
        as a turn of every visitor who waits for it.
        """
        with self._changed:
            lane.job = None
            self._changed.wait_for(lambda: self._closed or lane.waiting)
            if self._closed:
                return None
            turns = {visitor: turn for turn, visitor in enumerate(lane.turns)}

            def place(job: _Job) -> tuple[int, float, int]:
                turn = min(turns.get(visitor, -1) for visitor in job.visitors)
                return turn, job.size, job.number

            job = min(lane.waiting, key=place)
            lane.waiting.remove(job)
            lane.job = job
            others = [visitor for visitor in lane.turns if visitor not in job.visitors]
            lane.turns = [*others, *sorted(job.visitors)][-_REMEMBERED:]
            return job

    def _pass_on(self, job: _Job) -> None:
        """Move a long job to the slow lane, with its process if that lane is idle.

        Otherwise the job starts again in the slow lane.
        """
        with self._changed:
            if self.slow.job is None and not self.slow.waiting:
                self.quick.worker, self.slow.worker = self.slow.worker, self.quick.worker
            else:
                self.quick.end()
                job.sent = None
            if self._closed or job.cancelled:
                self.slow.end()
                self._refuse(job, RequestRefusedError(409, _CANCELLED))
            else:
                self.slow.waiting.append(job)
            self._changed.notify_all()

    def _ask(self, lane: _Lane, job: _Job) -> Any:
        """Return the answer of a lane's worker; if the worker dies, try another worker once.

        Raises ``RequestRefusedError`` if that worker dies too, or if the studio closes.
        """
        for _ in range(2):
            try:
                return self._await_answer(lane, job)
            except (EOFError, OSError):
                lane.end()
                job.sent = None
                if self._closed:
                    break
        raise RequestRefusedError(
            500,
            "The process working on this answer died. The question may be too large: try a smaller one.",
        )

    def _await_answer(self, lane: _Lane, job: _Job) -> Any:
        """Return the answer of the lane's worker, starting a worker if necessary.

        A worker gets its job once it has reported that it is ready. Raises ``RequestRefusedError``
        if the worker refuses the job, and ``EOFError`` or ``OSError`` if the worker dies.
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
                    raise RequestRefusedError(UNANSWERABLE, value)
                if kind == "steps":
                    job.done_steps, job.steps = value
                    continue
                worker.warm = True
                worker.connection.send(job.key)
                job.sent = time.monotonic()
            self._check(lane, job)

    def _check(self, lane: _Lane, job: _Job) -> None:
        """Raise an error if a job was cancelled or has used up its time in this lane.

        It is ``_TakesLongError`` if the time in the quick lane is up, else ``RequestRefusedError``.
        Abandoned jobs, including those still in the queue, are cancelled first.
        """
        with self._changed:
            for each in [each for each in self._jobs.values() if each.abandoned]:
                if not each.done.done():
                    self._cancel(each)
        if job.cancelled:
            raise RequestRefusedError(409, _CANCELLED)
        if job.sent is not None and time.monotonic() - job.sent > lane.seconds:
            if lane is self.quick:
                raise _TakesLongError
            raise RequestRefusedError(
                503,
                f"The answer took over {lane.seconds} seconds (limit job_seconds). Ask for fewer minutes or"
                " games, or sample the answer from the command line.",
            )
