"""What makes a game large: its states, the values that multiply with their usual cures, the steps that are run most."""

from collections.abc import Iterator
from heapq import nlargest
from typing import Any

from fireplan.kit._bench import Bench
from fireplan.solver import TooLargeError
from fireplan.solver._states import busiest, cure

SHOWN, MANY = 8, 12
"""Keys and steps that are listed, and the number of values from which on a cure is named."""


def profile(bench: Bench) -> Iterator[str]:
    """Yield, line by line, how large the chain of a bench is and why; of one that is too large, what it says itself."""
    try:
        chain = bench.analysis.plan.chain
    except TooLargeError as error:
        yield f"too large after {error.moments} of {bench.moments} moments: {error}"
    else:
        apart = "places solved one at a time" if bench.analysis.separable else "all places solved together"
        yield f"{len(chain.links):,} states in {bench.moments} moments, {apart}"
        columns = zip(*chain.values, strict=True)
        held: dict[str, list[Any]] = {key: list({*values}) for key, values in zip(chain.keys, columns, strict=True)}
        for key, values in nlargest(SHOWN, held.items(), key=lambda item: len(item[1])):
            yield f"  {key} takes {len(values):,} values" + (f": {cure(key, values)}" if len(values) >= MANY else "")
    compiler = bench.compiler
    yield f"{compiler.runs:,} runs of rules, {compiler.reads:,} readings"
    for name, met, reads in busiest(compiler)[:SHOWN]:
        yield f"  {name}: {met:,} situations, which depend on up to {reads} values"
