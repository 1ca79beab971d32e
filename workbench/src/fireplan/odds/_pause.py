"""A pause of Python's search for cyclic garbage, while the odds build what they keep."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """No search meanwhile, also as a decorator: it would go over states that all stay, for a third of the time.

    What nobody refers to any more is freed as ever; only cycles wait, and they are bounded as the states are.
    """
    searching = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if searching:
            gc.enable()
