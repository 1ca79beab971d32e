"""Sampling and playouts: trajectories drawn with the chances of the rules, repeatable by seed.

The engine ``rules`` walks the compiled rows step by step; ``chain`` solves the joint distribution
of the measures on the explored chain, in floats, and draws final states from it. They draw
different trajectories. The size of batches and the number of workers never change a result.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import accumulate
from math import exp, fsum, lgamma, log, sqrt
from statistics import fmean, variance
from typing import Any, Literal

import attrs

from fireplan.solver.analysis import Analysis
from fireplan.solver.compile import Compiler, StepRows
from fireplan.solver.lump import Layers
from fireplan.solver.measures import Jointly
from fireplan.solver.passes import Distribution, Measure, Reader, passes
from fireplan.solver.states import CLOCK, MAX_STEPS, TooLargeError
from fireplan.strategies import StrategyError
from fireplan_core import MISSION_EVENTS, Ask, Pending, ProcedureError, Scenario
from fireplan_core.chance import RandomFaces, ScriptedFaces, random_bits
from fireplan_core.play import (
    OPENING,
    Answered,
    Input,
    Log,
    LogEntry,
    State,
    StepOutcome,
    Thrown,
    Values,
    opening,
)
from fireplan_core.record import Read

Engine = Literal["chain", "rules"]
RowsAt = Callable[[Pending, Read], StepRows]


@attrs.frozen
class Estimate:
    """The mean of a value over trajectories, and its standard error."""

    mean: float
    error: float

    @classmethod
    def of(cls, values: Iterable[float | Fraction]) -> Estimate:
        """Return the estimate from the value of each trajectory; at least two are needed."""
        numbers = [float(value) for value in values]
        return cls(fmean(numbers), sqrt(variance(numbers) / len(numbers)))


@attrs.frozen
class Sampled:
    """The counts of a measure's final states, the number of trajectories, and the engine."""

    counts: dict[Any, int]
    trajectories: int
    engine: Engine = "rules"

    def share(self, state: Hashable) -> float:
        """Return the share of trajectories that ended in this state."""
        return self.counts.get(state, 0) / self.trajectories

    def error(self, state: Hashable) -> float:
        """Return the standard error of the share of trajectories that ended in this state."""
        share = self.share(state)
        return sqrt(share * (1 - share) / self.trajectories)


def tail(count: int, trajectories: int, chance: Fraction) -> float:
    """Return the smaller tail probability of a count: at most, or at least, this many events.

    The tails are binomial sums in floats, for an event with this chance in each trajectory.
    """
    if chance in (0, 1):
        return float(count == chance * trajectories)
    mean = trajectories * chance
    lower = _lower_tail(count, trajectories, chance) if count < mean + 1 else 1.0
    upper = _lower_tail(trajectories - count, trajectories, 1 - chance) if count > mean - 1 else 1.0
    return min(lower, upper)


def _lower_tail(count: int, trajectories: int, chance: Fraction) -> float:
    """Return the probability of at most ``count`` events, a number no greater than about the mean.

    ``chance`` is the chance of an event in each trajectory. Below the mean each term is smaller
    than the one before; the sum ends when further terms no longer change a float.
    """
    odds = float((1 - chance) / chance)
    term = exp(
        lgamma(trajectories + 1)
        - lgamma(count + 1)
        - lgamma(trajectories - count + 1)
        + count * log(chance)
        + (trajectories - count) * log(1 - chance)
    )
    terms = [term]
    for times in range(count, 0, -1):
        term *= times / (trajectories - times + 1) * odds
        terms.append(term)
        if term <= terms[0] * NEGLIGIBLE:
            break
    return fsum(terms)


NEGLIGIBLE = 1e-20
"""The share of the largest term below which further terms change no digit of a float."""
MOST_NODES = 200_000
"""Maximum number of joint states of chain and measures over all moments."""
BLOCK = 1 << 12
"""Number of trajectories that are drawn together."""
CHANCE_BITS = 32
"""Number of binary digits to which the chance of each final state is rounded."""


class _Urn:
    """The final states of one distribution, drawn in blocks.

    Each block has its own random bits, which depend on the seed of the sample, on ``index`` and on
    the number of the block.
    """

    def __init__(self, distribution: Distribution, index: int) -> None:
        self._index = index
        weights = sorted(distribution.parts.items(), key=lambda part: (-part[1], repr(part[0])))
        tails = [*accumulate(weight for _, weight in reversed(weights))][::-1]
        self._chances = [
            (state, round(weight / tail * (1 << CHANCE_BITS)))
            for (state, weight), tail in zip(weights, tails, strict=True)
        ]
        """The chance of each state if none of the states before it is drawn, scaled to an integer.

        The last state has chance 1.
        """

    def counts(self, first: int, trajectories: int, seed: int) -> dict[Any, int]:
        """Map each state to the number of trajectories that end in it.

        The trajectories counted are those with the indices ``first`` to ``first + trajectories -
        1``.
        """
        total: dict[Any, int] = {}
        for block in range(first // BLOCK, -(-(first + trajectories) // BLOCK)):
            bits = random_bits(f"{seed}/{self._index}/{block}")
            counts = self._block(bits)
            part = range(BLOCK)[
                max(first - block * BLOCK, 0) : first + trajectories - block * BLOCK
            ]
            if len(part) < BLOCK:
                counts = Counter(_shuffled(counts, bits)[part.start : part.stop])
            for state, count in counts.items():
                total[state] = total.get(state, 0) + count
        return total

    def _block(self, bits: Callable[[int], int]) -> dict[Any, int]:
        """Map each state to the number of trajectories of a whole block that end in it.

        ``bits(n)`` returns n random bits.
        """
        counts: dict[Any, int] = {}
        remaining = BLOCK
        for state, chance in self._chances:
            count = _binomial(remaining, chance, bits)
            if count:
                counts[state] = count
                remaining -= count
                if not remaining:
                    break
        return counts


def _binomial(trials: int, chance: int, bits: Callable[[int], int]) -> int:
    """Return a random number of successes; ``chance`` is in units of ``2**-CHANCE_BITS``.

    ``bits(n)`` returns n random bits. Each bit of a mask is one trial: it is 1 if its random binary
    fraction is below the chance. The fractions are compared from their last digit to their first.
    """
    if chance >> CHANCE_BITS:
        return trials
    mask = 0
    for digit in range(CHANCE_BITS):
        mask = mask | bits(trials) if chance >> digit & 1 else mask & bits(trials)
    return mask.bit_count()


def _shuffled(counts: Mapping[Any, int], bits: Callable[[int], int]) -> list[Any]:
    """Return the states in random order, each as often as it was counted.

    ``bits(n)`` returns n random bits.
    """
    return sorted(Counter(counts).elements(), key=lambda _: bits(CHANCE_BITS))


class Sampler:
    """A sampler of measures; any part of the trajectories can be drawn, in any order.

    ``engine`` is ``chain`` if the scenario can be explored, otherwise ``rules``; ``reason``
    explains the choice. If ``chain`` is requested but impossible, ``TooLargeError`` is raised. In
    that engine, measures of mission events share one draw, and each other measure has its own.
    """

    def __init__(
        self,
        scenario: Scenario,
        measures: Sequence[Measure],
        moments: int,
        engine: Engine | None = None,
        state: State | None = None,
        compiler: Compiler | None = None,
    ) -> None:
        first_moment = 0 if state is None else state.moment
        self.state = state
        self.analysis = Analysis(scenario, moments - first_moment, state=state, compiler=compiler)
        self.measures = tuple(measures)
        self.moments = moments
        self.engine: Engine = "rules"
        self.reason = "asked for"
        self._urns: list[tuple[list[int], _Urn]] = []
        if engine == "rules":
            return
        try:
            self._urns = self._draws()
        except TooLargeError as error:
            if engine == "chain":
                raise
            self.reason = str(error)
        else:
            self.engine, self.reason = "chain", "explored"

    def _draws(self) -> list[tuple[list[int], _Urn]]:
        """Return (positions, urn) for each urn to draw from.

        An urn holds the joint distribution of the measures at these positions of ``measures``.
        """

        def drawing(positions: list[int]) -> tuple[list[int], _Urn]:
            joint = Jointly(tuple(self.measures[position] for position in positions))
            return positions, _Urn(_distribution(*self.analysis.focused(joint)), positions[0])

        missions = [
            position
            for position, measure in enumerate(self.measures)
            if measure.kinds <= MISSION_EVENTS
        ]
        draws = []
        if len(missions) > 1:
            with suppress(TooLargeError):  # too large jointly, but perhaps not one by one
                draws.append(drawing(missions))
        single = set(range(len(self.measures))).difference(*(drawn for drawn, _ in draws))
        return draws + [drawing([position]) for position in sorted(single)]

    def draw(self, trajectories: int, seed: int, first: int = 0) -> tuple[Sampled, ...]:
        """Return, for each measure, the counts of its final states.

        They are counted over the trajectories ``first`` to ``first + trajectories - 1`` of a seed.
        The counts of consecutive parts add up to the counts of the whole.
        """
        if self.engine == "chain":
            counts: list[dict[Any, int]] = [{} for _ in self.measures]
            for positions, urn in self._urns:
                for ends, times in urn.counts(first, trajectories, seed).items():
                    for position, end in zip(positions, ends, strict=True):
                        counts[position][end] = counts[position].get(end, 0) + times
            return tuple(Sampled(count, trajectories, "chain") for count in counts)
        compiler, state = self.analysis.compiler, self.state
        return sample(
            compiler, self.measures, self.moments, trajectories, seed, first=first, state=state
        )


def _distribution(layers: Layers, reader: Reader) -> Distribution:
    """Return the distribution of a reader's measure, computed in floats.

    Raises ``TooLargeError`` beyond ``MOST_NODES`` joint states.
    """
    nodes = 0
    for after in passes(layers, reader, exact=False):
        nodes += sum(map(len, after.mass.values())) + len(after.settled[-1][0])
        if nodes > MOST_NODES:
            raise TooLargeError(f"more than {MOST_NODES:,} joint states of chain and measure")
    return after()


def sample(
    compiler: Compiler,
    measures: Sequence[Measure],
    moments: int,
    trajectories: int,
    seed: int,
    **options: Any,
) -> tuple[Sampled, ...]:
    """Return for each measure the counts of its final states over trajectories walked by the rules.

    ``options`` are the keyword arguments of ``walks``.
    """
    counts: list[dict[Hashable, int]] = [{} for _ in measures]
    for ends in walks(compiler, measures, moments, trajectories, seed, **options):
        for count, end in zip(counts, ends, strict=True):
            count[end] = count.get(end, 0) + 1
    return tuple(Sampled(count, trajectories) for count in counts)


def walks(
    compiler: Compiler,
    measures: Sequence[Measure],
    moments: int,
    trajectories: int,
    seed: int,
    *,
    first: int = 0,
    state: State | None = None,
) -> Iterator[list[Any]]:
    """Play at random by the rules, and yield the final states of the measures for each trajectory.

    Trajectories ``first`` to ``first + trajectories - 1`` each have a generator seeded by the seed
    and their index. They begin at ``state``, or at the opening if it is None; ``moments`` is the
    length of the whole play. A trajectory ends early once all measures are settled.
    """
    start = opening(compiler.scenario) if state is None else state
    for number in range(first, first + trajectories):
        ends: list[Any] = [measure.initial for measure in measures]
        for moment, _, outcome in walk(
            compiler.rows, start, moments, RandomFaces(f"{seed}/{number}")
        ):
            for event in outcome.events:
                for position, measure in enumerate(measures):
                    if event.kind in measure.kinds:
                        ends[position] = measure.see(ends[position], event, moment)
            if outcome.events and all(map(_settled, measures, ends)):
                break
        yield ends


def _settled(measure: Measure, state: Any) -> bool:
    return measure.settled(state)


def walk(
    rows: RowsAt, start: State, moments: int, faces: RandomFaces
) -> Iterator[tuple[int, Pending, StepOutcome]]:
    """Yield (moment, step or question, outcome) through one play, with outcomes drawn by weight.

    Raises ``ProcedureError`` for a moment that never ends.
    """
    values: dict[str, Any] = dict(start.values)
    get = values.get
    agenda = [*reversed(start.agenda)]
    for moment in range(start.moment, moments):
        values[CLOCK] = moment
        steps = 0
        while agenda:
            pending = agenda.pop()
            steps += 1
            if steps > MAX_STEPS:
                raise ProcedureError(f"the moment never ends after {pending.name}")
            try:
                found = rows(pending, get)
            except StrategyError as error:
                raise error.at(values, pending, agenda) from None
            outcome = found.rows[0].outcome if found.total == 1 else draw_outcome(found, faces)
            if outcome.updates:
                values.update(outcome.updates)
            if outcome.pushes:
                agenda.extend(reversed(outcome.pushes))
            yield moment, pending, outcome
        agenda = [OPENING]


def draw_outcome(rows: StepRows, faces: RandomFaces) -> StepOutcome:
    """Return an outcome drawn at random by weight."""
    remaining = faces.below(rows.total) if rows.total > 1 else 0
    for row in rows.rows:
        remaining -= row.weight
        if remaining < 0:
            return row.outcome
    raise ProcedureError(
        "the weights of a step do not sum to its total: this is a bug in the solver"
    )


# --- whole plays from compiled rows, without running the rules again ------------------------------
@attrs.frozen
class Playout:
    """A play to its end: all inputs, all events, the chance of its throws, and the final state."""

    journal: tuple[Input, ...]
    log: Log
    chance: Fraction
    end: State


def playout(
    compiler: Compiler, moments: int, faces: RandomFaces | ScriptedFaces, state: State | None = None
) -> Playout:
    """Return the record of a play to the end with these dice; the compiler's doctrine gives orders.

    The play starts from ``state`` or from the opening. Raises ``ChanceError`` if a script of dice
    runs out or names a face that the die does not have.
    """
    start = opening(compiler.scenario) if state is None else state
    values: dict[str, Any] = dict(start.values)
    weight, total = 1, 1
    journal: list[Input] = []
    log: list[LogEntry] = []
    throws = 0
    rows_at, get = compiler.rows, values.get
    for moment in range(start.moment, moments):
        values[CLOCK] = moment
        agenda: list[Pending] = [*reversed(start.agenda)] if moment == start.moment else [OPENING]
        while agenda:
            top = agenda.pop()
            try:
                rows = rows_at(top, get)
            except StrategyError as error:
                raise error.at(values, top, agenda) from None
            throw = None
            if rows.event is None:
                outcome = rows.rows[0].outcome
                if isinstance(top, Ask):
                    # The answer is the first argument of the step that carries it out.
                    journal.append(Answered(top.question, outcome.pushes[0].args[0]))  # type: ignore[arg-type]
            else:
                thrown = faces.faces(rows.event)
                throws += 1
                throw = throws
                journal.append(Thrown(rows.event.name, thrown))
                row = rows.fallen[rows.event.read(thrown)]
                outcome, weight, total = row.outcome, weight * row.weight, total * rows.total
            if outcome.updates:
                values.update(outcome.updates)
            if outcome.pushes:
                agenda.extend(reversed(outcome.pushes))
            if outcome.events:
                log.extend([LogEntry(moment, event, throw) for event in outcome.events])
    values[CLOCK] = moments
    return Playout(
        tuple(journal), tuple(log), Fraction(weight, total), State(Values(values), (OPENING,))
    )
