"""Sampled scenarios: shares over trajectories, always with their standard errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from fireplan import solver as solving
from fireplan.errors import InputError, outside
from fireplan.questions.question import Progress, asks, silent
from fireplan_core import Scenario, Severity
from fireplan_core.play import State

if TYPE_CHECKING:
    from fireplan.solver.sampling import Engine

MOST_TRAJECTORIES = 1_000_000
SHOWN_UNITS = 12
ADVISED = 1000
"""Default number of trajectories."""
MOST_MET = 10_000
"""Maximum number of distinct situations visited by a sample that the user did not request."""

Shares = dict[str, tuple[float, float]]
"""Maps each measure to its share and standard error."""
Known = tuple[solving.Measure, Callable[[Any], bool]]
"""A condition: a measure, and a function that tests whether its final state meets the condition."""
SAMPLING = "sampling"
"""The word by which a sample reports its progress, a batch at a time."""
NONE_MET = "None of the trajectories met the condition; draw a larger sample."


def asks_sample(meaning: str) -> Any:
    """Return the field for the number of trajectories to sample, 0 by default."""
    return asks(meaning, 0, range=(0, MOST_TRAJECTORIES), unit="trajectories")


def asks_seed() -> Any:
    """Return the field for the seed of a sample, 1 by default."""
    meaning = "Seed of the sample: the same seed gives the same figures everywhere."
    return asks(meaning, 1, range=(0, None))


@attrs.frozen
class Sample:
    """A sample to draw: the number of trajectories (0: none), their seed, and the engine.

    ``advised`` is true if the user did not request the sample.
    """

    trajectories: int = 0
    seed: int = 1
    engine: Engine | None = None
    advised: bool = False

    def or_advised(self) -> Sample:
        """Return a sample of this size, or of ``ADVISED`` trajectories, with the engine "rules".

        A sample that the user did not request stops after ``MOST_MET`` distinct situations.
        """
        return Sample(
            self.trajectories or ADVISED, self.seed, "rules", advised=not self.trajectories
        )

    def faults(self, fewest: int = 1) -> list[str]:
        """Return the faults in the seed and in the size, which is 0 or at least ``fewest``."""
        size = (
            outside("sample", self.trajectories, fewest, MOST_TRAJECTORIES)
            if self.trajectories
            else []
        )
        return size + outside("seed", self.seed, 0)

    def walked(
        self,
        scenario: Scenario,
        moments: int,
        progress: Progress = silent,
        begun: State | None = None,
        condition: Known | None = None,
        compiler: solving.Compiler | None = None,
    ) -> tuple[str, Shares, int]:
        """Return the engine in words, the shares, and the number of trajectories kept.

        Trajectories begin in the state ``begun``, or at the opening. Under a condition, only those
        that meet it are kept. Raise ``InputError`` if no trajectory is kept.
        """
        measures = _measured(scenario)
        watched = [
            solving.Jointly((condition[0], measure)) if condition else measure
            for measure, _ in measures.values()
        ]
        sampler = solving.Sampler(
            scenario, watched, moments, engine=self.engine, state=begun, compiler=compiler
        )
        ends = [state for _, state in measures.values()]
        counts, met = self._counted(sampler, ends, condition, progress)
        if not met:
            raise InputError(NONE_MET)
        why = f" ({sampler.reason})" if sampler.reason != "asked for" else ""
        how = "the explored chain" if sampler.engine == "chain" else f"the rules step by step{why}"
        shares = Shares()
        for label, count in zip(measures, counts, strict=True):
            sampled = solving.Sampled({label: count}, met, sampler.engine)
            shares[label] = sampled.share(label), sampled.error(label)
        return how, shares, met

    def _counted(
        self,
        sampler: solving.Sampler,
        ends: Sequence[Any],
        condition: Known | None,
        progress: Progress,
    ) -> tuple[list[int], int]:
        """Return how many trajectories end in each state, and how many meet the condition.

        ``ends`` has a state for each measure. A sample that the user did not request stops early,
        and the sampler then has the reason.
        """
        size = self.trajectories
        batch = max(1, size // 20)
        counts, met = [0] * len(ends), 0
        for first in range(0, size, batch):
            drawn = [
                meeting(measure.counts, condition)
                for measure in sampler.draw(min(batch, size - first), self.seed, first)
            ]
            counts = [
                count + counted.get(end, 0)
                for count, counted, end in zip(counts, drawn, ends, strict=True)
            ]
            met += sum(drawn[0].values())
            progress(-(-size // batch), SAMPLING)
            if self.advised and sampler.analysis.compiler.runs > MOST_MET:
                sampler.reason = f"stopped after {first + batch:,}, because over {MOST_MET:,} situations were reached"
                break
        return counts, met


def _measured(scenario: Scenario) -> dict[str, tuple[solving.Measure, Any]]:
    """Map the label of each share to its measure, and to the final state that counts."""
    return {
        "fire for effect falls": (solving.Ever("fall", "on_target", (True, False)), True),
        "on target at least once": (solving.Ever("fall", "on_target", (True,)), True),
        "own troops under fire": (solving.own_troops_under_fire(), True),
        "asset exhausted or lost": (solving.exhausted(), True),
        **{
            f"{unit} destroyed": (solving.WorstSeverity(unit), Severity.DESTROYED)
            for unit in scenario.targets[:SHOWN_UNITS]
        },
    }


def meeting(counts: dict[Any, int], condition: Known | None) -> dict[Any, int]:
    """Map each final state of a measure to its number of trajectories that meet a condition.

    Under a condition, the keys of ``counts`` are pairs: the state of the condition's measure, and
    the state of the measure itself.
    """
    if condition is None:
        return counts
    met: dict[Any, int] = {}
    for (seen, state), count in counts.items():
        if condition[1](seen):
            met[state] = met.get(state, 0) + count
    return met
