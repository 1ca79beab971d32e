"""Sampling and playouts: trajectories walked with the chances of the rules, the same for a seed everywhere.

The engine ``rules`` walks the compiled rows step by step, ``chain`` the explored chain in numpy;
they draw different trajectories. Neither batches nor workers can change a result.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from importlib.util import find_spec
from math import exp, fsum, lgamma, log, sqrt
from statistics import fmean, variance
from typing import TYPE_CHECKING, Any, Literal

import attrs

from fireplan.solver.analysis import Analysis
from fireplan.solver.compile import Compiler, Rows, name_of
from fireplan.solver.measures import Jointly
from fireplan.solver.passes import Measure
from fireplan.solver.states import CLOCK, MAX_STEPS, TooLargeError
from fireplan_core import MISSION_EVENTS, Ask, Pending, ProcedureError, Scenario
from fireplan_core.chance import RandomFaces, ScriptedFaces
from fireplan_core.play import (
    OPENING,
    Answered,
    Entry,
    Input,
    Outcome,
    State,
    Thrown,
    Values,
    opening,
)

if TYPE_CHECKING:
    from fireplan.solver.bulk import BulkSampler

Engine = Literal["chain", "rules"]
RowsAt = Callable[[Pending, Callable[[str, Any], Any]], Rows]


@attrs.frozen
class Estimate:
    """A mean over trajectories and its standard error."""

    mean: float
    error: float

    @classmethod
    def of(cls, values: Iterable[float | Fraction]) -> Estimate:
        """Return the estimate from what each trajectory came to."""
        found = [float(value) for value in values]
        return cls(fmean(found), sqrt(variance(found) / len(found)))


@attrs.frozen
class Sampled:
    """Counts of a measure's state over a number of trajectories, and the engine that walked them."""

    counts: dict[Any, int]
    trajectories: int
    engine: Engine = "rules"

    def share(self, state: Hashable) -> float:
        """Return the share of trajectories that ended in that state."""
        return self.counts.get(state, 0) / self.trajectories

    def error(self, state: Hashable) -> float:
        """Return the standard error of that share."""
        share = self.share(state)
        return sqrt(share * (1 - share) / self.trajectories)


def tail(count: int, trajectories: int, chance: Fraction) -> float:
    """Return how probable it is that an event of that chance happens so often, or rarer still (or more often), of all.

    Of the two sides, it is the smaller one: exact binomial sums, but for floats.
    """
    if chance in (0, 1):
        return float(count == chance * trajectories)
    win, lose = log(chance), log(1 - chance)

    def mass(times: int) -> float:
        ways = lgamma(trajectories + 1) - lgamma(times + 1) - lgamma(trajectories - times + 1)
        return exp(ways + times * win + (trajectories - times) * lose)

    return min(fsum(map(mass, range(count + 1))), fsum(map(mass, range(count, trajectories + 1))))


class Sampler:
    """Samples measures of a scenario.

    Any part of the trajectories can be drawn anywhere, in any order.

    ``engine`` is ``chain`` where numpy is installed and the scenario can be explored, else ``rules``, and ``reason``
    says why; asked for by name, ``chain`` raises ``TooLargeError`` or ``ImportError`` instead of falling back.
    There the measures of what missions alone do are read off one draw; each of the others has a draw of its own.
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
        begun = 0 if state is None else state.moment
        self.state = state
        self.analysis = Analysis(scenario, moments - begun, state=state, compiler=compiler)
        self.measures = tuple(measures)
        self.moments = moments
        self.engine: Engine = "rules"
        self.reason = "asked for"
        self._bulk: list[tuple[list[int], BulkSampler]] = []
        if engine == "rules":
            return
        if engine is None and find_spec("numpy") is None:
            self.reason = "numpy is not installed"
            return
        try:
            self._bulk = self._draws()
        except TooLargeError as error:
            if engine == "chain":
                raise
            self.reason = str(error)
        else:
            self.engine, self.reason = "chain", "explored"

    def _draws(self) -> list[tuple[list[int], BulkSampler]]:
        """The positions of the measures that are read off each draw, and who draws it."""
        from fireplan.solver.bulk import BulkSampler

        def drawing(positions: list[int]) -> tuple[list[int], BulkSampler]:
            joint = Jointly(tuple(self.measures[position] for position in positions))
            return positions, BulkSampler(*self.analysis.focused(joint), positions[0])

        missions = [
            position for position, one in enumerate(self.measures) if one.kinds <= MISSION_EVENTS
        ]
        found = []
        if len(missions) > 1:
            with suppress(TooLargeError):  # together; each by itself may not be
                found.append(drawing(missions))
        left = set(range(len(self.measures))).difference(*(drawn for drawn, _ in found))
        return found + [drawing([position]) for position in sorted(left)]

    def draw(self, trajectories: int, seed: int, first: int = 0) -> tuple[Sampled, ...]:
        """Walk trajectories ``first .. first + trajectories - 1`` of a seed.

        Counts of parts add up to the whole's.
        """
        if self.engine == "chain":
            counts: list[dict[Any, int]] = [{} for _ in self.measures]
            for drawn, bulk in self._bulk:
                for ends, times in bulk.counts(first, trajectories, seed).items():
                    for position, end in zip(drawn, ends, strict=True):
                        counts[position][end] = counts[position].get(end, 0) + times
            return tuple(Sampled(count, trajectories, "chain") for count in counts)
        compiler, begun = self.analysis.compiler, self.state
        return sample(
            compiler, self.measures, self.moments, trajectories, seed, first=first, state=begun
        )


def sample(
    compiler: Compiler,
    measures: Sequence[Measure],
    moments: int,
    trajectories: int,
    seed: int,
    **begun: Any,
) -> tuple[Sampled, ...]:
    """Walk trajectories by the rules, as ``walks`` does, and count where each measure ends."""
    counts: list[dict[Hashable, int]] = [{} for _ in measures]
    for ends in walks(compiler, measures, moments, trajectories, seed, **begun):
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
    """Walk trajectories ``first .. first + trajectories - 1`` by the rules.

    Yield where each measure ends.

    Each has a generator of its own, seeded by the seed and its number; it begins at a state of
    play, or at the scenario's opening. ``moments`` is the number of moments of the whole play.
    """
    begun = opening(compiler.scenario) if state is None else state
    for number in range(first, first + trajectories):
        ends: list[Any] = [measure.initial for measure in measures]
        for moment, _, outcome in walk(
            compiler.rows, begun, moments, RandomFaces(f"{seed}/{number}")
        ):
            for event in outcome.events:
                for position, measure in enumerate(measures):
                    if event.kind in measure.kinds:
                        ends[position] = measure.see(ends[position], event, moment)
        yield ends


def walk(
    rows: RowsAt, begun: State, moments: int, faces: RandomFaces
) -> Iterator[tuple[int, Pending, Outcome]]:
    """Yield what happens in one play: the moment, a step or question, and its outcome, drawn by its weight.

    Raises ``ProcedureError`` for a moment that never ends.
    """
    values: dict[str, Any] = dict(begun.values)
    agenda = [*reversed(begun.agenda)]
    for moment in range(begun.moment, moments):
        values[CLOCK] = moment
        steps = 0
        while agenda:
            pending = agenda.pop()
            steps += 1
            if steps > MAX_STEPS:
                raise ProcedureError(f"the moment never ends: {name_of(pending)}")
            outcome = drawn(rows(pending, values.get), faces)
            values.update(outcome.updates)
            agenda.extend(reversed(outcome.pushes))
            yield moment, pending, outcome
        agenda = [OPENING]


def drawn(rows: Rows, faces: RandomFaces) -> Outcome:
    """Return one outcome by its weight."""
    spot = faces.below(rows.total) if rows.total > 1 else 0
    for row in rows.rows:
        spot -= row.weight
        if spot < 0:
            return row.outcome
    raise ProcedureError("the weights of a step do not sum to its total")


# --- whole plays, told from compiled rows instead of running the rules again ----------------------
@attrs.frozen
class Playout:
    """A play to its end: every input, everything that was told, the chance of its throws, and the state at the end."""

    journal: tuple[Input, ...]
    log: tuple[Entry, ...]
    chance: Fraction
    end: State


def playout(
    compiler: Compiler, moments: int, faces: RandomFaces | ScriptedFaces, state: State | None = None
) -> Playout:
    """Play a scenario from a state, or its opening, to its end with these dice, orders by the compiler's doctrine.

    Raises ``ChanceError`` when a script of dice runs out or names a face that cannot fall.
    """
    begun = opening(compiler.scenario) if state is None else state
    values: dict[str, Any] = dict(begun.values)
    weight, total = 1, 1
    journal: list[Input] = []
    log: list[Entry] = []
    throws = 0
    rows_at, get = compiler.rows, values.get
    for moment in range(begun.moment, moments):
        values[CLOCK] = moment
        agenda: list[Pending] = [*reversed(begun.agenda)] if moment == begun.moment else [OPENING]
        while agenda:
            top = agenda.pop()
            rows = rows_at(top, get)
            throw = None
            if rows.event is None:
                outcome = rows.rows[0].outcome
                if isinstance(top, Ask):
                    # The doctrine's answer is the last argument of the step that carries it out.
                    journal.append(Answered(top.question, outcome.pushes[0].args[0]))  # type: ignore[arg-type]
            else:
                fallen = faces.faces(rows.event)
                throws += 1
                throw = throws
                journal.append(Thrown(rows.event.name, fallen))
                row = rows.fallen[rows.event.read(fallen)]
                outcome, weight, total = row.outcome, weight * row.weight, total * rows.total
            if outcome.updates:
                values.update(outcome.updates)
            if outcome.pushes:
                agenda.extend(reversed(outcome.pushes))
            if outcome.events:
                log.extend([Entry(moment, event, throw) for event in outcome.events])
    values[CLOCK] = moments
    return Playout(
        tuple(journal), tuple(log), Fraction(weight, total), State(Values(values), (OPENING,))
    )
