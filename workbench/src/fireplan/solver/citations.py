"""The rules that an answer rests on: the rules of the steps taken while it is still open.

A roll or a question counts, with the steps that its outcomes lead to, if an event that the measure
reads can still follow within the time limit. Steps do not count after the measure is settled, when
it is too late for such an event, or when such an event can no longer happen. If no such event can
happen in the whole scenario, every step counts.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence

from fireplan.solver.chain import Chain, Letter
from fireplan.solver.passes import Measure, moved_by
from fireplan.solver.states import CELLS
from fireplan_core import Event, Pending

_NEVER = 1 << 60


class OpenSteps:
    """The steps of a chain at which a measure is still open within a number of moments.

    ``scopes`` are the struck places whose strikes can change the measure.
    """

    def __init__(
        self, chain: Chain, measure: Measure, moments: int, scopes: Collection[str] = ()
    ) -> None:
        self._chain = chain
        self._measure = measure
        self._moments = moments
        self._scopes = scopes
        self._moving = [any(map(self._moves, emission)) for emission in chain.emissions]
        self._settling = [any(map(self._settles, emission)) for emission in chain.emissions]

    def __iter__(self) -> Iterator[Pending]:
        """Yield each step and question at which the measure is open, once."""
        ahead = self._moments_ahead()
        steps, packed = self._chain.explorer.steps, self._chain.explorer.packed_states
        given = dict[Pending, None]()
        walked = set[int]()
        impossible = ahead[0] >= self._moments
        for node, moment in enumerate(self._first_moments()):
            latest = moment if impossible else moment + ahead[node]
            if latest >= self._moments or self._chain.leaves[node] is None:
                continue
            leaf, transitions = steps.transitions(packed[node])
            given[leaf.pending] = None
            for keep, bits, _, emission in transitions:
                if not self._settling_at(emission):
                    after = packed[node] & keep | bits
                    given.update(dict.fromkeys(self._forced(after, walked)))
        yield from given

    def _forced(self, state: int, walked: set[int]) -> Iterator[Pending]:
        """Yield the steps with a single outcome after a state, until an event settles the measure.

        ``walked`` collects the states passed.
        """
        steps = self._chain.explorer.steps
        while state & CELLS and state not in walked:
            walked.add(state)
            leaf, transitions = steps.transitions(state)
            if len(transitions) != 1:
                return
            yield leaf.pending
            ((keep, bits, _, emission),) = transitions
            if self._settling_at(emission):
                return
            state = state & keep | bits

    def _settling_at(self, emission: int) -> bool:
        """Return whether an emission, given by index, settles the measure."""
        if emission < len(self._settling):
            return self._settling[emission]
        return any(map(self._settles, self._chain.explorer.steps.emissions.values[emission]))

    def _moves(self, letter: Letter) -> bool:
        if isinstance(letter, Event):
            return moved_by(self._measure, letter)
        return letter.scope in self._scopes

    def _settles(self, letter: Letter) -> bool:
        """Return whether an event settles the measure if it is the first that the measure reads."""
        measure = self._measure
        return (
            isinstance(letter, Event)
            and moved_by(measure, letter)
            and measure.settled(measure.see(measure.initial, letter, 0))
        )

    def _first_moments(self) -> list[int]:
        """Return the first moment in which each node is reached with the measure unsettled.

        The moment is ``_NEVER`` for a node that is only reached settled, or not at all.
        """
        links = self._chain.links
        forward = [
            [
                (target, int(ends))
                for target, _, emission, ends in each
                if not self._settling[emission]
            ]
            for each in links
        ]
        return _nearest(forward, [0])

    def _moments_ahead(self) -> list[int]:
        """Return, for each node, the fewest moments that end before an event of the measure.

        The number is ``_NEVER`` if no such event can follow.
        """
        links = self._chain.links
        backward: list[list[tuple[int, int]]] = [[] for _ in links]
        sources = []
        for node, each in enumerate(links):
            for target, _, emission, ends in each:
                if self._moving[emission]:
                    sources.append(node)
                else:
                    backward[target].append((node, int(ends)))
        return _nearest(backward, sources)


def _nearest(graph: Sequence[Sequence[tuple[int, int]]], sources: Iterable[int]) -> list[int]:
    """Return each node's distance from the nearest source, ``_NEVER`` if none reaches it.

    The lengths of edges are 0 or 1.
    """
    distances = [_NEVER] * len(graph)
    queue = deque(sources)
    for source in queue:
        distances[source] = 0
    while queue:
        node = queue.popleft()
        for target, length in graph[node]:
            if distances[node] + length < distances[target]:
                distances[target] = distances[node] + length
                if length:
                    queue.append(target)
                else:
                    queue.appendleft(target)
    return distances
