"""Sampling: the compiled rows walked with whole-number weights. The same seed gives the same answer everywhere.

Each trajectory has a generator of its own, seeded by the seed and its number, so that batches and workers cannot
change a result.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import sqrt
from typing import Any

import attrs

from fireplan.chance import RandomFaces
from fireplan.mission import Pending, ProcedureError
from fireplan.odds._compile import Compiler
from fireplan.odds._solve import Measure
from fireplan.table import OPENING


@attrs.frozen
class Sampled:
    """Counts of a measure's state over a number of trajectories."""

    counts: dict[Any, int]
    trajectories: int

    def share(self, state: Hashable) -> float:
        """The share of trajectories that ended in that state."""
        return self.counts.get(state, 0) / self.trajectories

    def error(self, state: Hashable) -> float:
        """The standard error of that share."""
        share = self.share(state)
        return sqrt(share * (1 - share) / self.trajectories)


def sample(
    compiler: Compiler,
    measures: Sequence[Measure],
    moments: int,
    trajectories: int,
    seed: int,
    *,
    first: int = 0,
) -> tuple[Sampled, ...]:
    """Walk trajectories ``first .. first + trajectories - 1`` and count where each measure ends."""
    counts: list[dict[Hashable, int]] = [{} for _ in measures]
    for number in range(first, first + trajectories):
        ends = _walk(compiler, measures, moments, RandomFaces(f"{seed}/{number}"))
        for count, end in zip(counts, ends, strict=True):
            count[end] = count.get(end, 0) + 1
    return tuple(Sampled(count, trajectories) for count in counts)


def _walk(compiler: Compiler, measures: Sequence[Measure], moments: int, faces: RandomFaces) -> list[Hashable]:
    values: dict[str, Any] = dict(compiler.scenario.initial)
    states: list[Hashable] = [measure.initial for measure in measures]
    for moment in range(moments):
        agenda: list[Pending] = [OPENING]
        values["clock/moment"] = moment
        while agenda:
            rows = compiler.rows(agenda.pop(), values.get)
            spot = faces.below(rows.total) if rows.total > 1 else 0
            for row in rows.rows:
                spot -= row.weight
                if spot < 0:
                    break
            else:
                raise ProcedureError("the weights of a step do not sum to its total")
            outcome = row.outcome
            values.update(outcome.puts)
            agenda.extend(reversed(outcome.pushes))
            for event in outcome.events:
                for position, measure in enumerate(measures):
                    if event.kind in measure.kinds:
                        states[position] = measure.see(states[position], event, moment)
    return states
