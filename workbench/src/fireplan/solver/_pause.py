"""A pause of Python's search for cyclic garbage, while the odds build what they keep."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Keep the garbage collector off meanwhile, also as a decorator: it would walk states that all stay.

    What nobody refers to any more is freed as ever; only cycles wait, and they are bounded as the states are.
    """
    searching = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if searching:
            gc.enable()
