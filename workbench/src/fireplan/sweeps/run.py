"""Running a sweep: an executor solves the points, results are stored, dead workers replaced."""

import gc
import json
import multiprocessing
import sys
import time  # noqa: TID251 - decides the size of batches; no result depends on it
from collections.abc import Callable, Iterator, Sequence
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

from fireplan import sheets
from fireplan.analysis import answer, answer_data, broken, figures_of, load_engagement
from fireplan.errors import InputError
from fireplan.positions import with_facts
from fireplan.solver import Analysis, TooLargeError, uncollected
from fireplan.sweeps.plan import Point
from fireplan.sweeps.processes import leave_with_parent
from fireplan.sweeps.store import Result, Store
from fireplan_core import CannotStageError, Scenario
from fireplan_core.play import (
    USED_PACKAGES,
    Catalogue,
    Variation,
    changed_values,
    load_scenario,
    stage_engagement,
)

SOLVED, CANNOT, TOO_LARGE, REFUSED = "solved", "cannot be staged", "too large", "refused"
SOON, MOST_TOGETHER = 4.0, 64
"""Target time for a batch of points in seconds, and maximum number of points in a batch."""
MOST_DEATHS = 5
"""Maximum number of worker deaths in a row without a result before the run gives up."""


@attrs.frozen
class Pool:
    """The workers of a sweep.

    ``executor`` opens an executor, and a new one after workers have died; ``window`` is the number
    of tasks submitted at a time; ``lost`` contains the errors that mean that workers have died.
    """

    executor: Callable[[], AbstractContextManager[Executor]]
    window: int
    lost: tuple[type[BaseException], ...] = (BrokenExecutor,)


def process_pool(workers: int) -> Pool:
    """Return a pool of processes on this machine, spawned and ended with the run."""

    @contextmanager
    def executor() -> Iterator[Executor]:
        context = multiprocessing.get_context("spawn")
        with (
            _nameless(),
            ProcessPoolExecutor(
                workers,
                mp_context=context,
                initializer=_begin,
                initargs=(sheets.texts(),),
            ) as pool,
        ):
            yield pool

    return Pool(executor, 2 * workers)


@contextmanager
def _nameless() -> Iterator[None]:
    """Keep workers that start inside the block from importing the main program."""
    main: Any = sys.modules["__main__"]
    attributes = {name: getattr(main, name, None) for name in ("__file__", "__spec__")}
    main.__file__ = main.__spec__ = None
    try:
        yield
    finally:
        vars(main).update(attributes)


def _begin(texts: sheets.Texts) -> None:
    """Prepare a worker: give it the sheets of its parent, and let it end when the parent ends."""
    leave_with_parent()
    sheets.keep_texts(texts)


_INTERVALS = (
    "admin.tick.interval",
    "admin.system-monitor.interval",
    "worker.memory.monitor-interval",
)
_SELDOM_WATCHED = {f"distributed.{name}": "1s" for name in _INTERVALS} | {
    "distributed.worker.profile.enabled": False
}
"""Settings of a local cluster; by default, monitoring takes an eighth of the workers' time."""


def dask_pool(scheduler: str | None, workers: int) -> Pool:
    """Return a pool of Dask workers, those of a scheduler or of a new cluster on this machine.

    ``scheduler`` is an address, or None for a new cluster of ``workers`` workers. Needs the extra
    ``dask``. Opening the pool's executor raises ``OSError`` if nothing answers at the address.
    """
    distributed: Any = import_module("distributed")
    settings: Any = import_module("dask.config")

    @contextmanager
    def executor() -> Iterator[Executor]:
        settings_here = {"n_workers": workers, "threads_per_worker": 1, "dashboard_address": None}
        with settings.set(_SELDOM_WATCHED):
            cluster = (
                nullcontext(scheduler)
                if scheduler is not None
                else distributed.LocalCluster(**settings_here)
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
    """Solve every point that the store does not contain yet, then finish the store.

    ``progress(point)`` is called after each result. Raise ``InputError`` if workers keep dying.
    """
    done = store.done()
    points_left = {point.number: point for point in points if point.number not in done}
    deaths = 0
    while points_left:
        try:
            with pool.executor() as executor:
                for batch in _solved(executor, list(points_left.values()), pool.window):
                    store.keep(batch)
                    deaths = 0
                    for solved in batch:
                        progress(points_left.pop(solved["number"]))
        except pool.lost as error:
            deaths += 1
            if deaths >= MOST_DEATHS:
                raise InputError(
                    f"workers died {deaths} times in a row without a result ({error}); points left: {len(points_left)}; "
                    "run the same command again to continue"
                ) from error
    store.finish()


def _solved(executor: Executor, points: Sequence[Point], window: int) -> Iterator[list[Result]]:
    """Yield the results of points in batches, in order of arrival.

    At most ``window`` batches are submitted at a time. Batches grow while they return quickly, and
    shrink otherwise.
    """
    waiting: dict[Future[list[Result]], float] = {}
    ahead, size = iter(points), 1
    try:
        while True:
            while len(waiting) < window and (batch := tuple(islice(ahead, size))):
                waiting[executor.submit(solve_points, batch)] = time.monotonic()
            if not waiting:
                return
            done, _ = wait(waiting, return_when=FIRST_COMPLETED)
            longest = max(time.monotonic() - waiting.pop(future) for future in done)
            size = min(2 * size, MOST_TOGETHER) if longest < SOON else max(1, size // 2)
            # Keep these results even if the worker of another batch has died in the meantime.
            for future in sorted(done, key=lambda future: future.exception() is not None):
                yield future.result()
    finally:
        for future in waiting:
            future.cancel()


# --- in a worker, which needs only the point and prints nothing ---------------------------------


@cache
def _catalogue() -> Catalogue:
    return sheets.installed()


def solve_points(points: Sequence[Point]) -> list[Result]:
    """Return the results of several points, solved in a worker one after another.

    Garbage is collected only afterwards. If the rules changed a value that outlives a step, all
    points are marked as refused.
    """
    token = USED_PACKAGES.set(used := set[str]())
    with uncollected():
        results = [solve_point(point) for point in points]
    USED_PACKAGES.reset(token)
    if changed := changed_values(used):
        reason = f"the rules changed {', '.join(changed)} while they ran"
        results = [_result(point, REFUSED, reason) for point in points]
    if not gc.get_freeze_count():
        gc.collect()
        gc.freeze()  # loaded modules stay; walking them again every hundred points is slow
    return results


def solve_point(point: Point) -> Result:
    """Return the exact result of one point.

    If the point cannot be staged or solved, its result says so, and no error is raised.
    """
    game = _catalogue()[point.game]
    try:
        scenario, moments = _staged(_catalogue(), point)
        solved = answer(game.game, Analysis(scenario, moments))
    except CannotStageError as error:
        return _result(point, CANNOT, "; ".join(error.reasons))
    except TooLargeError as error:
        return _result(point, TOO_LARGE, str(error))
    except Exception as error:  # noqa: BLE001 - a broken game must not stop other points
        return _result(point, REFUSED, broken(error))
    figures = {
        name: None if value is None else str(value) for name, value in figures_of(solved).items()
    }
    text = json.dumps(answer_data(solved), ensure_ascii=False, sort_keys=True)
    result = _result(point, SOLVED) | figures
    return result | {"moments": moments, "states": solved.states, "answer": text}


def _result(point: Point, outcome: str, reason: str = "") -> Result:
    """Return the row of a point with its outcome and the reason, but without figures."""
    return {
        "number": point.number,
        "game_version": _catalogue()[point.game].version,
        "outcome": outcome,
        "reason": reason,
        "moments": 0,
        "states": 0,
        "answer": "",
    }


def _staged(catalogue: Catalogue, point: Point) -> tuple[Scenario, int]:
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
