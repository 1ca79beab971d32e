"""Measures solved on a chain: states that a measure cannot tell apart are made one before chances are passed on."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence

import attrs

from fireplan.solver._chain import Chain, Emission
from fireplan.solver._cycles import without_cycles
from fireplan.solver._factors import LONG
from fireplan.solver._lump import Last, Layers, Observation, layers_of, lumped
from fireplan.solver._passes import Distribution, Measure, Reader, Sign, Word, passes
from fireplan.solver._reweigh import Opened
from fireplan_core import Event, ProcedureError, Step


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

        They are the coarsest ones, or where weights were left open, those that are so for all weights: more of them, so
        that over many moments the coarsest are found anew.
        """
        if self.chain.reweighed and self._opened is not None and moments < LONG:
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
    return tuple(told for told in emission if not isinstance(told, Event) or told.kind != "modifier") or None


def focus(ready: Plan, measures: Sequence[Measure], moments: int) -> list[Layers]:
    """Return the chain as each measure sees it: lumped together, so that what looks alike to two of them is one.

    What is told on ways is a word of letters, or None.
    """
    return ready.seen([Observed(measure) for measure in measures], moments)


@attrs.frozen
class Observed:
    """Sees the events that can move a measure, and what stands for some of the steps that were set apart."""

    measure: Measure
    steps: Mapping[Step, Sequence[Sign]] = attrs.field(factory=dict, hash=False)

    def __call__(self, emission: Emission | None) -> Word | Last | None:
        """Return the word of letters, or None; the first letter that a measure waits for is the last that it sees."""
        found: list[Event | Sign] = []
        for letter in emission or ():
            if not isinstance(letter, Event):
                found += self.steps.get(letter, ())
            elif moved_by(self.measure, letter):
                found.append(letter)
                if hasattr(self.measure, "awaits"):
                    return Last(tuple(found))
        return tuple(found) or None


def moved_by(measure: Measure, event: Event) -> bool:
    """Return whether an event can move a measure."""
    if event.kind not in measure.kinds:
        return False
    concerns = getattr(measure, "concerns", None) or getattr(measure, "awaits", None)
    return concerns is None or concerns(event)


def solve(ready: Plan, measure: Measure, moments: int, *, exact: bool = True) -> Distribution:
    """Return the distribution of a measure after that many moments (at least one): exact, or from passes in floats."""
    (seen,) = focus(ready, [measure], moments)
    *_, after = passes(seen, Reader(measure), exact=exact)
    return after()


def solve_each(ready: Plan, measure: Measure, moments: int) -> Iterator[Distribution]:
    """Yield the exact distribution of a measure after each of that many moments."""
    (seen,) = focus(ready, [measure], moments)
    for after in passes(seen, Reader(measure)):
        yield after()
