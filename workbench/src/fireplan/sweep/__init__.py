"""Sweeps: a grid over engagements, scenarios, games, options and numbers, solved point by point on any executor.

A plan is a strict TOML file (``_plan``), a point of its grid is solved where no one else looks (``_work``), results
are kept one by one so that a killed run goes on where it was (``_store``), and who works is anybody's
``concurrent.futures.Executor`` (``_run``). How a point is solved is the matter of ``fireplan.compare``.
"""

from fireplan.sweep._plan import Axis, Plan, Point, Sweep, read_plan
from fireplan.sweep._run import Pool, SweepError, dask_pool, process_pool, run_sweep
from fireplan.sweep._store import Store, StoreError, as_rows, write_parquet
from fireplan.sweep._work import Solved, solve_point

__all__ = [
    "Axis",
    "Plan",
    "Point",
    "Pool",
    "Solved",
    "Store",
    "StoreError",
    "Sweep",
    "SweepError",
    "as_rows",
    "dask_pool",
    "process_pool",
    "read_plan",
    "run_sweep",
    "solve_point",
    "write_parquet",
]
