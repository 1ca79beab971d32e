"""Running a sweep: points handed to an executor, results kept as they come, lost workers replaced."""

import gc
import json
import multiprocessing
import os
import sys
import threading
import time  # noqa: TID251 - how many points go together; no result depends on it
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

import attrs

from fireplan.analysis import answer, answer_data, broken, figures_of, load_engagement
from fireplan.positions import with_facts
from fireplan.solver import Analysis, TooLargeError, uncollected
from fireplan.sweeps.plan import Point
from fireplan.sweeps.store import Found, Store
from fireplan_core import CannotStageError, Scenario
from fireplan_core.play import Catalogue, Variation, load_scenario, stage_engagement

SOLVED, CANNOT, TOO_LARGE, REFUSED = "solved", "cannot be staged", "too large", "refused"
SOON, MOST_TOGETHER = 4.0, 64
"""Seconds within which points handed out together should come back, and how many there are of them at most."""
MOST_DEATHS = 5
"""Times in a row that workers may die without a single result before the run gives up."""


class SweepError(Exception):
    """A sweep that cannot go on; what was solved is kept."""


@attrs.frozen
class Pool:
    """Say who works: opens an executor (again, when its workers have died).

    How many points it is handed at a time.

    ``lost`` are the errors that say that workers have died.
    """

    executor: Callable[[], AbstractContextManager[Executor]]
    window: int
    lost: tuple[type[BaseException], ...] = (BrokenExecutor,)


def process_pool(workers: int) -> Pool:
    """Return so many processes on this machine, started afresh (spawned), ended with the run that started them."""

    @contextmanager
    def executor() -> Iterator[Executor]:
        context = multiprocessing.get_context("spawn")
        with (
            _nameless(),
            ProcessPoolExecutor(workers, mp_context=context, initializer=leave_with_parent) as pool,
        ):
            yield pool

    return Pool(executor, 2 * workers)


@contextmanager
def _nameless() -> Iterator[None]:
    """Keep workers from reading the program that called: they need nothing of it, and it may be no file."""
    main: Any = sys.modules["__main__"]
    told = {name: getattr(main, name, None) for name in ("__file__", "__spec__")}
    main.__file__ = main.__spec__ = None
    try:
        yield
    finally:
        vars(main).update(told)


def leave_with_parent() -> None:
    """End this worker when its parent is gone, however that ended: nobody would take its results."""
    if (parent := multiprocessing.parent_process()) is None:
        return

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


_INTERVALS = (
    "admin.tick.interval",
    "admin.system-monitor.interval",
    "worker.memory.monitor-interval",
)
_SELDOM_WATCHED = {f"distributed.{name}": "1s" for name in _INTERVALS} | {
    "distributed.worker.profile.enabled": False
}
"""Settings of a cluster of our own: workers that watch themselves all the time take an eighth of it for that."""


def dask_pool(scheduler: str | None, workers: int) -> Pool:
    """Yield the workers of a Dask scheduler at an address.

    Without one, of a cluster of so many on this machine.

    Needs the extra ``dask``. Raises OSError when nobody answers at the address.
    """
    distributed: Any = import_module("distributed")
    settings: Any = import_module("dask.config")

    @contextmanager
    def executor() -> Iterator[Executor]:
        here = {"n_workers": workers, "threads_per_worker": 1, "dashboard_address": None}
        with settings.set(_SELDOM_WATCHED):
            cluster = (
                nullcontext(scheduler)
                if scheduler is not None
                else distributed.LocalCluster(**here)
            )
        with cluster as address, distributed.Client(address, set_as_default=False) as client:
            yield client.get_executor(pure=False)

    return Pool(executor, 4 * workers, (BrokenExecutor, distributed.KilledWorker))


def run_sweep(
    store: Store,
    points: Sequence[Point],
    pool: Pool,
    progress: Callable[[Point], None] = lambda _point: None,
) -> None:
    """Solve every point that the store does not hold yet, then finish the store.

    ``progress(point)`` is called as each is kept. Raises ``SweepError`` when workers die again and again.
    """
    done = store.done()
    left = {point.number: point for point in points if point.number not in done}
    deaths = 0
    while left:
        try:
            with pool.executor() as executor:
                for together in _solved(executor, list(left.values()), pool.window):
                    store.keep(together)
                    deaths = 0
                    for solved in together:
                        progress(left.pop(solved["number"]))
        except pool.lost as error:
            deaths += 1
            if deaths >= MOST_DEATHS:
                raise SweepError(
                    f"workers died {deaths} times in a row without a result ({error}); {len(left)} points are left, "
                    "and the same command goes on with them"
                ) from error
    store.finish()


def _solved(executor: Executor, points: Sequence[Point], window: int) -> Iterator[list[Found]]:
    """The results as they come, by who were handed out together: several, as long as these come back soon."""
    waiting: dict[Future[list[Found]], float] = {}
    ahead, size = iter(points), 1
    try:
        while True:
            while len(waiting) < window and (some := tuple(islice(ahead, size))):
                waiting[executor.submit(solve_points, some)] = time.monotonic()
            if not waiting:
                return
            done, _ = wait(waiting, return_when=FIRST_COMPLETED)
            longest = max(time.monotonic() - waiting.pop(future) for future in done)
            size = min(2 * size, MOST_TOGETHER) if longest < SOON else max(1, size // 2)
            # What came is kept even if another's worker has died meanwhile.
            for future in sorted(done, key=lambda future: future.exception() is not None):
                yield future.result()
    finally:
        for future in waiting:
            future.cancel()


# --- what a worker does: it needs nothing but the point, and prints nothing --------------------------


@cache
def _catalogue() -> Catalogue:
    return Catalogue.installed()


def solve_points(points: Iterable[Point]) -> list[Found]:
    """Solve some points in a worker, one after the other.

    Garbage is searched for when they are done.
    """
    with uncollected():
        found = [solve_point(point) for point in points]
    if not gc.get_freeze_count():
        gc.collect()
        gc.freeze()  # what is loaded by now stays, and would be walked again every hundred points
    return found


def solve_point(point: Point) -> Found:
    """Stage and solve one point exactly.

    What cannot be staged or solved is an outcome, not an error.
    """
    game = _catalogue()[point.game]
    found: Found = {
        "number": point.number,
        "game_version": game.version,
        "outcome": SOLVED,
        "reason": "",
    }
    found |= {"moments": 0, "states": 0, "answer": ""}
    try:
        scenario, moments = _laid(_catalogue(), point)
        solved = answer(game.game, Analysis(scenario, moments))
    except CannotStageError as error:
        return found | {"outcome": CANNOT, "reason": "; ".join(error.reasons)}
    except TooLargeError as error:
        return found | {"outcome": TOO_LARGE, "reason": str(error)}
    except Exception as error:  # noqa: BLE001 - a game that breaks takes no other point with it
        return found | {"outcome": REFUSED, "reason": broken(error)}
    figures = {
        name: None if value is None else str(value) for name, value in figures_of(solved).items()
    }
    text = json.dumps(answer_data(solved), ensure_ascii=False, sort_keys=True)
    return found | figures | {"moments": moments, "states": solved.states, "answer": text}


def _laid(catalogue: Catalogue, point: Point) -> tuple[Scenario, int]:
    variation = Variation(options=dict(point.options), numbers=dict(point.numbers))
    path = Path(point.path)
    if point.is_scenario:
        scenario, form = load_scenario(catalogue, path, variation=variation)
        return scenario, form.moments if point.minutes is None else scenario.clock.moments(
            point.minutes
        )
    engagement = with_facts(load_engagement(path), dict(point.facts))
    scenario = stage_engagement(catalogue, point.game, engagement, variation)
    return scenario, scenario.clock.moments(point.minutes or engagement.minutes)
