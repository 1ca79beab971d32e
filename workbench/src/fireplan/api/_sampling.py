"""Scenarios sampled: shares over trajectories with their standard errors, never called exact."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import attrs

from fireplan import solver as solving
from fireplan.api._errors import outside
from fireplan_core import Scenario, Severity
from fireplan_core.play import State

if TYPE_CHECKING:
    from fireplan.solver._sample import Engine

MOST_TRAJECTORIES = 1_000_000
SHOWN_UNITS = 12
ADVISED = 1000
"""Trajectories that are drawn where nobody says how many."""

Shares = dict[str, tuple[float, float]]
"""Say what is counted, by what it is called: its share and its standard error."""
Progress = Callable[[int, str], None]
"""Is told of each step of long work: how many there are in all, and what is done."""


Begin = Callable[[float], None]
"""Is told before long work roughly how many seconds it will take; raises where it shall not begin."""


def at_once(_seconds: float) -> None:
    """Let everything begin."""


def silent(_total: int, _what: str) -> None:
    """Tell nobody."""


@attrs.frozen
class Sample:
    """A sample that is asked for: trajectories (0: none), their seed, and whether the rules themselves are walked."""

    trajectories: int = 0
    seed: int = 1
    engine: Engine | None = None

    def faults(self, fewest: int = 1) -> list[str]:
        """Return what is wrong with it."""
        size = outside("sample", self.trajectories, fewest, MOST_TRAJECTORIES) if self.trajectories else []
        return size + outside("seed", self.seed, 0)

    def shares(self, scenario: Scenario, moments: int, progress: Progress = silent) -> Shares:
        """Return what is counted over the trajectories of a scenario."""
        return self.walked(scenario, moments, progress)[1]

    def walked(
        self, scenario: Scenario, moments: int, progress: Progress = silent, begun: State | None = None
    ) -> tuple[str, Shares]:
        """Return what was walked, in words, and what is counted over its trajectories, from a state or the opening."""
        units = scenario.targets[:SHOWN_UNITS]
        measures: dict[str, tuple[solving.Measure, Any]] = {
            "fire for effect falls": (solving.Ever("fall", "on_target", (True, False)), True),
            "on target at least once": (solving.Ever("fall", "on_target", (True,)), True),
            "own troops under fire": (solving.own_troops_under_fire(), True),
            "asset exhausted or lost": (solving.exhausted(), True),
            **{f"{unit} destroyed": (solving.WorstSeverity(unit), Severity.DESTROYED) for unit in units},
        }
        watched = [measure for measure, _ in measures.values()]
        sampler = solving.Sampler(scenario, watched, moments, engine=self.engine, state=begun)
        size = self.trajectories
        batch = max(1, size // 20)
        counts = dict.fromkeys(measures, 0)
        for first in range(0, size, batch):
            drawn = sampler.draw(min(batch, size - first), self.seed, first)
            for (label, (_, state)), counted in zip(measures.items(), drawn, strict=True):
                counts[label] += counted.counts.get(state, 0)
            progress(-(-size // batch), "sampling")
        why = "" if self.engine else f" ({sampler.reason})"
        how = "the explored chain" if sampler.engine == "chain" else f"the rules step by step{why}"
        found = {label: solving.Sampled({label: count}, size, sampler.engine) for label, count in counts.items()}
        return how, {label: (one.share(label), one.error(label)) for label, one in found.items()}
