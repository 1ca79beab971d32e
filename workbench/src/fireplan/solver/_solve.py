"""Measures solved on a chain: states that a measure cannot tell apart are made one before chances are passed on."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

import attrs

from fireplan.solver._chain import Chain, Emission
from fireplan.solver._cycles import without_cycles
from fireplan.solver._lump import Last, Layers, Observation, layers_of, lumped
from fireplan.solver._passes import Distribution, Measure, Reader, Waiting, Word, passes
from fireplan.solver._reweigh import Opened
from fireplan_core import ProcedureError, Step


class Plan:
    """A chain ready to be looked at by any number of measures.

    The first measure is solved on the chain as it is, unless it will be looked at ``often``; for more of them, states
    that are alike to everybody are made one first. With ``opened`` it is the chain of another plan with other weights
    (``_reweigh``).
    """

    def __init__(self, chain: Chain, opened: Opened | None = None, *, often: bool = False) -> None:
        self.chain = chain
        self._often = often
        self._links, self._order = (chain.links, opened.order) if opened else without_cycles(chain)[::2]
        self._opened = opened
        self.solved: dict[tuple[Measure, int, bool], Distribution] = {}
        """Say what has been asked already: measure, moments, whether exactly."""
        self._asked: dict[int, Layers] = {}
        self._lumped: dict[int, Layers] = {}
        self._seen: dict[Hashable, list[Layers]] = {}

    def layers(self, moments: int, measures: int = 1, *, modifiers: bool = False) -> Layers:
        """Return the chain as layers for so many moments, where so many measures will look at them.

        They show modifiers where that is asked for. Raises ``ProcedureError`` then for a chain with cycles in a moment.
        """
        asked = self._asked.get(moments)
        if asked is None:
            asked = self._asked[moments] = layers_of(self.chain, self._links, self._order, moments)
            if measures == 1 and not self._often:
                return asked
        if modifiers:
            if self._links is not self.chain.links:
                raise ProcedureError("modifiers within a cycle of one moment cannot be counted: sample instead")
            return asked
        if moments not in self._lumped:
            (self._lumped[moments],) = lumped(asked, [_without_modifiers])
        return self._lumped[moments]

    def varied(self, chain: Chain) -> Plan:
        """Return the plan of this one's chain reweighed."""
        # Cycles within a moment were solved with their weights.
        if self._opened is None and self._links is self.chain.links:
            self._opened = Opened(self.chain, self._order)
        opened = self._opened if self._opened is not None and self._opened.serves(chain) else None
        return Plan(chain, opened, often=self._often)

    def seen(self, observations: Sequence[Observation], moments: int) -> list[Layers]:
        """Return layers in which each onlooker (equal ones look alike) sees the same with the same chances.

        They are the coarsest ones, or where weights were left open, those that are so for all weights.
        """
        if self.chain.reweighed and self._opened is not None:
            return self._opened.seen(self.chain, observations, moments)
        key = (tuple(observations), moments)
        if key not in self._seen:
            modifiers = any(
                look(emission) != look(_without_modifiers(emission))
                for look in observations
                for emission in self.chain.emissions
            )
            self._seen[key] = lumped(self.layers(moments, len(observations), modifiers=modifiers), observations)
        return self._seen[key]


def plan(chain: Chain, *, often: bool = False) -> Plan:
    """Return a chain made ready for one measure or to be looked at ``often``.

    Cycles within a moment are solved exactly and replaced by their exits. Raises ``ProcedureError`` for a moment that
    never ends.
    """
    return Plan(chain, often=often)


def _without_modifiers(emission: Emission) -> Emission | None:
    """Return what is told but for the modifiers: these explain a roll and no measure looks at them."""
    events = tuple(event for event in emission[0] if event.kind != "modifier")
    return (events, emission[1]) if events or emission[1] else None


def focus(ready: Plan, measures: Sequence[Measure], moments: int) -> list[Layers]:
    """Return the chain as each measure sees it: lumped together, so that what looks alike to two of them is one.

    What is told on ways is a word of letters, or None.
    """
    return ready.seen([_onlooker(measure) for measure in measures], moments)


def _onlooker(measure: Measure) -> Observation:
    if isinstance(measure, Waiting):
        return _Waiting(measure.kinds, measure)
    return Observed(measure.kinds, measure.scope)


@attrs.frozen
class _Waiting:
    """Sees the one event that a measure waits for, and nothing afterwards."""

    kinds: frozenset[str]
    measure: Waiting

    def __call__(self, emission: Emission | None) -> Last | None:
        """The first of its letters, or None."""
        awaits = self.measure.awaits
        found = (event for event in (emission[0] if emission else ()) if event.kind in self.kinds and awaits(event))
        return next((Last((event,)) for event in found), None)


@attrs.frozen
class Observed:
    """Sees the events and strikes that can move a measure."""

    kinds: frozenset[str]
    scope: str

    def __call__(self, emission: Emission | None) -> Word | None:
        """The word of letters, or None."""
        if emission is None:
            return None
        events: Word = tuple(event for event in emission[0] if event.kind in self.kinds)
        # A measure knows its place, so it sees only "a strike": places that are struck alike then look alike.
        strikes: Word = tuple(placeless(step) for step in emission[1] if step.scope == self.scope) if self.scope else ()
        return events + strikes or None


def placeless(strike: Step) -> Step:
    """Return a strike without its place: mission and strength."""
    mission, _, *rest = strike.args
    return Step(strike.name, (mission, *rest))


def solve(ready: Plan, measure: Measure, moments: int, *, exact: bool = True) -> Distribution:
    """Return the distribution of a measure after that many moments (at least one): exact, or from passes in floats."""
    key = measure, moments, exact
    if key not in ready.solved:
        (seen,) = focus(ready, [measure], moments)
        for after in passes(seen, Reader(measure), exact=exact):
            answer = after
        ready.solved[key] = answer()
    return ready.solved[key]


def solve_each(ready: Plan, measure: Measure, moments: int) -> Iterator[Distribution]:
    """Yield the exact distribution of a measure after each of that many moments."""
    (seen,) = focus(ready, [measure], moments)
    for after in passes(seen, Reader(measure)):
        yield after()
