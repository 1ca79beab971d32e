"""Jobs for answers: their order, cancellation, time limits and restarts, and what ends with the
studio.
"""

import asyncio
import math
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import Future

import attrs
import pytest

from fireplan.analysis import find_engagement
from fireplan_studio.jobs import VISITOR, Jobs, Steps, _Job, _Lane, _Worker
from fireplan_studio.limits import LIMITS
from fireplan_studio.refusals import RequestRefusedError
from fireplan_studio.work import Entrant

SMALL = (attrs.evolve(find_engagement("woods"), minutes=10), (Entrant("asl", "asl", "ASL"),))


def heavy(number):
    """Return a comparison that takes longer than any answer may, a different one for each number."""
    entrants = (
        Entrant(f"{number} {n}", "asl", "ASL", (), (), (("set_breaks", str(7 + n % 5)),))
        for n in range(200)
    )
    return find_engagement("dug_in"), tuple(entrants)


@pytest.fixture
def jobs():
    """Yield jobs whose two lanes have no time limit; a test of a limit sets it."""
    found = Jobs()
    found.quick.seconds = found.slow.seconds = math.inf
    yield found
    found.close()


async def patiently(jobs, visitor, arguments):
    VISITOR.set(visitor)
    return await jobs.answer("compared", *arguments, patience=math.inf)


def all_passed_on(jobs, number):
    with jobs._changed:
        jobs._changed.wait_for(
            lambda: len(jobs.slow.waiting) + (jobs.slow.job is not None) == number
        )


def small(jobs, *beside):
    """Return a small answer that is requested after the other work has begun, and that nobody
    cancels.
    """

    async def story():
        begun = [
            asyncio.create_task(patiently(jobs, visitor, arguments))
            for visitor, arguments in beside
        ]
        await asyncio.to_thread(all_passed_on, jobs, len(set(beside)))
        try:
            found = await patiently(jobs, "late", SMALL)
            assert not any(task.done() for task in begun)
        finally:
            for task in begun:
                task.cancel()
            await asyncio.gather(*begun, return_exceptions=True)
        return found

    return asyncio.run(story())


@pytest.mark.long
def test_eight_heavy_requests_keep_no_small_one_waiting(jobs):
    assert "asl" in small(jobs, *(("early", heavy(n)) for n in range(8))).games


@pytest.mark.full
def test_many_visitors_waiting_for_one_answer_delay_nobody_else(jobs):
    """A waiting visitor holds no thread; eight who wanted one file once kept all others waiting."""
    assert "asl" in small(jobs, *[("early", heavy(0))] * 100).games


@pytest.mark.full
def test_requests_that_do_not_look_heavy_keep_no_small_one_waiting(jobs, monkeypatch):
    monkeypatch.setattr("fireplan_studio.jobs.size_of", lambda *_key: 0.0)
    jobs.quick.seconds = 0.0

    async def story():
        begun = [asyncio.create_task(patiently(jobs, "early", heavy(n))) for n in range(3)]
        await asyncio.to_thread(all_passed_on, jobs, 3)
        jobs.quick.seconds = math.inf
        found = await patiently(jobs, "early", SMALL)
        assert not any(task.done() for task in begun)
        for job in list(jobs._jobs.values()):
            jobs.cancel(job.number)
        refused = await asyncio.gather(*begun, return_exceptions=True)
        assert {str(error) for error in refused} == {"The calculation was cancelled."}
        return found

    assert "asl" in asyncio.run(story()).games


@pytest.mark.full
def test_a_slow_job_moves_from_the_quick_lane_to_the_slow_one(jobs):
    jobs.quick.seconds = 0.0
    assert "asl" in asyncio.run(patiently(jobs, "", SMALL)).games


def test_visitors_take_turns_and_the_smallest_of_each_comes_first(jobs):
    lane = _Lane(1.0)
    for number, (visitor, size) in enumerate(
        [("a", 5), ("a", 3), ("a", 9), ("b", 7), ("c", 100), ("b", 1)]
    ):
        lane.waiting.append(_Job(number, (str(number), ()), {visitor}, size, 0.0))
    order = [jobs._take(lane) for _ in range(6)]
    assert [(*job.visitors, job.size) for job in order] == [
        ("b", 1), ("a", 3), ("c", 100), ("b", 7), ("a", 5), ("a", 9),
    ]  # fmt: skip


def test_a_visitor_who_joins_a_job_is_served_with_it(jobs):
    """A visitor who joins the last of thirteen jobs is served next, and so is the one who began it."""
    lane = _Lane(1.0)
    for number in range(12):
        lane.waiting.append(_Job(number, (str(number), ()), {"greedy"}, 1.0, 0.0))
    lane.waiting.append(_Job(12, ("12", ()), {"greedy", "second"}, 9.0, 0.0))
    assert [jobs._take(lane).number for _ in range(3)] == [0, 12, 1]


@pytest.mark.full
def test_a_worker_that_was_killed_while_it_waited_costs_nobody_an_answer(jobs):
    async def story():
        await patiently(jobs, "", SMALL)
        os.kill(jobs.quick.worker.process.pid, signal.SIGKILL)
        jobs.quick.worker.process.join()
        return await patiently(jobs, "", (SMALL[0], (Entrant("again", "asl", "ASL"),)))

    assert "again" in asyncio.run(story()).games


def test_work_whose_workers_die_is_tried_twice_and_anew_when_it_is_asked_again(jobs, monkeypatch):
    made = []

    class Dying(_Worker):
        def __init__(self):
            super().__init__()
            made.append(self)
            self.process.kill()

    monkeypatch.setattr("fireplan_studio.jobs._Worker", Dying)
    with pytest.raises(RequestRefusedError, match="The question may be too large") as refused:
        asyncio.run(patiently(jobs, "", SMALL))
    assert refused.value.status == 500
    assert len(made) == 2
    monkeypatch.setattr("fireplan_studio.jobs._Worker", _Worker)
    assert "asl" in asyncio.run(patiently(jobs, "", SMALL)).games


@pytest.mark.full
def test_a_job_over_the_limit_is_abandoned_and_the_next_is_answered(jobs):
    jobs.slow.seconds = 0.0

    async def story():
        with pytest.raises(RequestRefusedError, match="limit job_seconds"):
            await patiently(jobs, "", heavy(0))
        return await patiently(jobs, "", SMALL)

    assert "asl" in asyncio.run(story()).games


def begun_at_last(job):
    while job.sent is None:
        time.sleep(0.01)


@pytest.mark.full
def test_work_can_be_cancelled_and_the_next_is_answered(jobs):
    async def story():
        begun = asyncio.create_task(patiently(jobs, "", heavy(0)))
        await asyncio.to_thread(all_passed_on, jobs, 1)
        (job,) = jobs._jobs.values()
        await asyncio.to_thread(begun_at_last, job)
        jobs.cancel(job.number)
        with pytest.raises(RequestRefusedError, match="cancelled"):
            await begun
        return await patiently(jobs, "", SMALL)

    assert "asl" in asyncio.run(story()).games


def test_an_abandoned_view_is_not_computed_further(jobs):
    async def story():
        numbers = [await joined(jobs, visitor, heavy(n)) for n, visitor in enumerate("aab")]
        kept = next(job.key for job in jobs._jobs.values() if job.number == numbers[1])
        VISITOR.set("a")
        jobs.leave("compared", {kept})
        return numbers

    numbers = asyncio.run(story())
    cancelled = {job.number for job in jobs._jobs.values() if job.cancelled}
    open_jobs = {job.number for job in jobs._jobs.values() if not job.cancelled}
    assert open_jobs == set(numbers[1:])
    assert cancelled <= {numbers[0]}


def test_a_job_ends_when_nobody_waits_for_it_and_not_before(jobs, monkeypatch):
    """A page that is closed or left sends no message about it."""
    monkeypatch.setattr("fireplan_studio.jobs._ABANDONED", 0.3)

    async def story():
        waits = asyncio.create_task(patiently(jobs, "stays", heavy(0)))
        await asyncio.to_thread(all_passed_on, jobs, 1)
        (stays,) = jobs._jobs.values()
        await joined(jobs, "leaves", heavy(1))
        left = jobs._jobs["compared", heavy(1)]
        await asyncio.wait_for(asyncio.wrap_future(left.done), 60)
        assert (left.cancelled, stays.cancelled, waits.done()) == (True, False, False)
        waits.cancel()
        await asyncio.gather(waits, return_exceptions=True)
        await asyncio.wait_for(asyncio.wrap_future(stays.done), 60)
        return stays, await patiently(jobs, "late", SMALL)

    stays, answer = asyncio.run(story())
    assert stays.cancelled
    assert "asl" in answer.games


async def joined(jobs, visitor, arguments):
    """Begin a job or join it, and return its number."""
    VISITOR.set(visitor)
    with pytest.raises(RequestRefusedError, match="not finished") as work:
        await jobs.answer("compared", *arguments, patience=0)
    return work.value.calculation.number


def cancels(jobs, visitor, number):
    VISITOR.set(visitor)
    jobs.cancel(number)


def test_a_visitor_can_cancel_only_his_own_job(jobs):
    async def story():
        number = await joined(jobs, "owner", heavy(0))
        (job,) = jobs._jobs.values()
        cancels(jobs, "stranger", number)
        assert not job.cancelled
        cancels(jobs, "owner", number)
        assert job.cancelled

    asyncio.run(story())


@pytest.mark.parametrize("order", [("first", "second"), ("second", "first")])
def test_a_job_ends_when_its_last_visitor_cancels(jobs, order):
    async def story():
        number = await joined(jobs, "first", heavy(0))
        assert await joined(jobs, "second", heavy(0)) == number
        (job,) = jobs._jobs.values()
        for _ in range(2):
            cancels(jobs, order[0], number)
            assert not job.cancelled
        cancels(jobs, order[1], number)
        assert job.cancelled

    asyncio.run(story())


def test_a_new_request_for_a_cancelled_job_begins_it_again(jobs):
    """The job's worker may not have noticed the cancellation yet."""

    async def story():
        first = await joined(jobs, "first", heavy(0))
        await asyncio.to_thread(all_passed_on, jobs, 1)
        (job,) = jobs._jobs.values()
        await asyncio.to_thread(begun_at_last, job)
        with jobs._changed:
            cancels(jobs, "first", first)
            second = jobs._join(job.key, "second")
        assert (second is job, second.cancelled) == (False, False)

    asyncio.run(story())


def test_progress_is_counted_and_reported_now_and_then(monkeypatch):
    told = []
    steps = Steps(lambda *counted: told.append(counted))
    for _ in range(3):
        steps(2, "a step")
    assert told == [(1, 2)], "the others followed too soon"
    monkeypatch.setattr("fireplan_studio.jobs._REPORTED", -1)
    steps(2, "a step")
    assert told[-1] == (2, 2), "more answers are reported than exist"


def test_a_visitor_waiting_for_many_answers_sees_their_number(jobs):
    async def story():
        VISITOR.set("owner")
        jobs._answers["compared", heavy(0)] = "an answer"
        assert await jobs.answers("compared", [heavy(0), heavy(0)]) == ["an answer"] * 2
        with pytest.raises(RequestRefusedError, match="not finished") as work:
            await jobs.answers("compared", [heavy(0), heavy(1), heavy(2)], 0)
        calculation = work.value.calculation
        assert (calculation.done, calculation.steps) == (1, 3)

    asyncio.run(story())


def test_stopping_a_part_of_a_view_stops_all_of_it(jobs):
    async def story():
        VISITOR.set("owner")
        for part in ("a", "b"):
            jobs._jobs[part] = _Job(len(jobs._jobs), ("dialled", (part,)), {"owner"}, 0.0, 0.0)
        other = jobs._jobs["c"] = _Job(7, ("compared", ("c",)), {"owner"}, 0.0, 0.0)
        first, second = jobs._jobs["a"], jobs._jobs["b"]
        jobs.cancel(first.number)
        assert (first.cancelled, second.cancelled, other.cancelled) == (True, True, False)

    asyncio.run(story())


def test_work_that_two_wait_for_counts_for_both(jobs):
    async def story():
        for n in range(LIMITS["jobs_each"].most):
            await joined(jobs, "first", heavy(n))
            await joined(jobs, "second", heavy(n))
        for visitor in ("first", "second"):
            VISITOR.set(visitor)
            with pytest.raises(RequestRefusedError, match="limit jobs_each"):
                await jobs.answer("compared", *heavy(99), patience=0)

    asyncio.run(story())


def test_a_visitors_requests_are_limited_so_that_others_have_room(jobs):
    def ask(visitor, number):
        VISITOR.set(visitor)
        return jobs.answer("compared", *heavy(number), patience=0)

    async def story():
        for n in range(LIMITS["jobs_each"].most):
            with pytest.raises(RequestRefusedError, match="not finished"):
                await ask("greedy", n)
        with pytest.raises(RequestRefusedError, match="limit jobs_each"):
            await ask("greedy", 99)
        with pytest.raises(RequestRefusedError, match="not finished"):
            await ask("other", 99)

    asyncio.run(story())


def test_uncollected_answers_do_not_fill_the_queue(jobs):
    async def story():
        for n in range(LIMITS["jobs"].most):
            jobs._jobs[n] = _Job(n, (str(n), ()), {str(n)}, 0.0, 0.0)
            jobs._jobs[n].done.set_result(None)
        with pytest.raises(RequestRefusedError, match="nothing of that name"):
            await jobs.answer("nothing of that name", patience=math.inf)
        for n in range(LIMITS["jobs"].most):
            jobs._jobs[n].done = Future()
        with pytest.raises(RequestRefusedError, match="limit jobs"):
            await jobs.answer("another", patience=math.inf)

    asyncio.run(story())


ORPHAN = """
import asyncio
from fireplan_studio.jobs import Jobs
from fireplan_studio.refusals import RequestRefusedError
from fireplan_studio.work import Entrant
from fireplan.analysis import find_engagement

heavy = tuple(Entrant(f"asl {n}", "asl", "ASL", (), (), (("set_breaks", str(7 + n % 5)),)) for n in range(200))

async def story():
    jobs = Jobs()
    while not jobs.slow.job or not jobs.slow.job.sent:
        try:
            await jobs.answer("compared", find_engagement("dug_in"), heavy)
        except RequestRefusedError:
            pass
    print("at work", flush=True)
    await asyncio.sleep(10**6)

if __name__ == "__main__":
    asyncio.run(story())
"""


@pytest.mark.full
def test_no_worker_outlives_a_studio_that_is_killed(tmp_path):
    """The worker holds the same pipe, so the pipe ends only when both are gone."""
    script = tmp_path / "orphan.py"
    script.write_text(ORPHAN)
    with subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.PIPE, text=True
    ) as studio:
        assert studio.stdout.readline() == "at work\n"
        studio.kill()
        assert studio.stdout.read() == ""
