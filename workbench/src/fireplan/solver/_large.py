"""Say what makes an exploration too large, in words: the step that meets most situations, the values that multiply."""

from __future__ import annotations

from collections.abc import Mapping
from heapq import nlargest

from fireplan.solver._compile import Compiler
from fireplan.solver._states import Field
from fireplan_core import Ask, Pending

SHOWN = 3


def situations(compiler: Compiler) -> str:
    """Return the step or question that was run most often, e.g. ``9,318 situations in delays.draw``."""
    runs: dict[str, int] = {}
    busiest: dict[str, tuple[int, Pending]] = {}
    for pending in compiler.compiled:
        name = f"the question {pending.question}" if isinstance(pending, Ask) else pending.name
        met = compiler.situations(pending)
        runs[name] = runs.get(name, 0) + met
        busiest[name] = max(busiest.get(name, (0, pending)), (met, pending), key=lambda pair: pair[0])
    most = max(runs, key=lambda name: runs[name])
    reads = len(compiler.keys(busiest[most][1]))
    return f"{runs[most]:,} situations in {most}, which depends on up to {reads} values"


def multiplied(fields: Mapping[str, Field]) -> str:
    """Return the keys that take most values, which multiply with each other."""
    most = nlargest(SHOWN, fields.items(), key=lambda item: len(item[1].members))
    several = sum(len(field.members) > 1 for field in fields.values())
    named = ", ".join(f"{key} takes {len(field.members)}" for key, field in most)
    return f"{several} values that change multiply: {named}"
