"""The chain of a scenario: every state that a doctrine can reach, and the ways between them, in plain numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol

import attrs

from fireplan.solver._compile import Rows
from fireplan.solver._states import Journey
from fireplan_core import Event, Pending, Step

Letter = Event | Step
"""An event, or a step that was set apart: a strike, or what is put to a key (``PUT``)."""

Emission = tuple[Letter, ...]
"""Say what is told on a way, in order."""

NOTHING: Emission = ()

PUT = "odds.put"
"""The name of what stands for a value put to a key: both are its arguments."""

Link = tuple[int, int, int, bool]
"""A way in numbers: target, weight, what is told (a position in ``emissions``, 0 is nothing), if the moment ends."""

Effect = tuple[int, int, tuple[Pending, ...], int]
"""Say what an outcome does to a state: bits kept, bits put, steps pushed, what is told (as a number)."""

Transition = tuple[int, int, int, int]
"""An effect where the agenda below is known: bits kept, bits put, weight, what is told."""

Situation = tuple[tuple[tuple[str, Any], ...], Rows]
"""Say what a step reads, key by key, and its rows there."""


class Leaf:
    """The effects of a step in states that agree on what it reads; where values were made one, in all situations."""

    __slots__ = ("effects", "pending", "situations", "total", "transitions", "weights")

    def __init__(
        self, pending: Pending, situations: tuple[Situation, ...], effects: tuple[tuple[Effect, int], ...]
    ) -> None:
        self.pending = pending
        self.situations = [(dict(read), rows) for read, rows in situations]
        self.effects = effects
        self.weights = [weight for _, weight in effects]
        self.total = sum(self.weights)
        self.transitions: dict[int, tuple[Transition, ...]] = {}
        """By the cell of the agenda below."""


class Explored(Protocol):
    """An exploration as a changed number weighs its chain anew: its leaves, and the effects of other rows there."""

    journey: Journey
    leaves: list[Leaf]
    altered: set[str]

    def summed(self, rows: Rows) -> dict[Effect, int]:
        """Return the effects of these rows with their weights, equal ones together."""


@attrs.frozen(eq=False, repr=False)
class Edge:
    """A way from one state to the next: target node, weight, what was told and which scoped steps were set apart.

    ``ends`` is set when the moment ends with it; the target then stands at the opening of the next one.
    """

    target: int
    weight: int
    events: tuple[Event, ...]
    apart: tuple[Step, ...]
    ends: bool


@attrs.frozen(eq=False, repr=False, slots=False)
class Chain:
    """All reachable states: for each node the total of its weights and its ways; node 0 is the opening.

    ``keys`` are what a state keeps; ``tops`` is what each node does next; ``altered`` are keys where
    something is put that nobody reads. Where exploration was bounded, ``horizon`` is for how many moments and
    ``depths`` the first moment in which each node is reached; ``timed`` says that states know their moment. ``leaves``
    are the steps behind each node, whose effects are its ways, and ``explorer`` is who found them. A chain with other
    weights than were found (``_reweigh``) has those of the leaves that differ in ``reweighed``; its ``basis`` is the
    chain that was found.
    """

    keys: tuple[str, ...]
    tops: Sequence[Pending]
    totals: Sequence[int]
    links: Sequence[Sequence[Link]]
    emissions: Sequence[Emission]
    altered: frozenset[str] = frozenset()
    horizon: int | None = None
    depths: Sequence[int] = ()
    timed: bool = False
    states: Callable[[], tuple[tuple[Any, ...], ...]] = tuple
    leaves: Sequence[Leaf | None] = ()
    explorer: Explored | None = None
    reweighed: Mapping[Leaf, Sequence[int]] = attrs.field(factory=dict)
    basis: Chain | None = None

    @cached_property
    def values(self) -> tuple[tuple[Any, ...], ...]:
        """Return what each node holds at the keys."""
        return self.states()

    def reader(self, node: int, initial: Mapping[str, Any]) -> Callable[[str, Any], Any]:
        """Return how a step reads the state of a node, ``read(key, default)``, in a scenario with this opening."""
        return {**initial, **dict(zip(self.keys, self.values[node], strict=True))}.get

    @cached_property
    def edges(self) -> tuple[tuple[Edge, ...], ...]:
        """Return the ways in the words of the rules."""
        return tuple(
            tuple(
                Edge(target, weight, events_of(self.emissions[emission]), strikes_of(self.emissions[emission]), ends)
                for target, weight, emission, ends in links
            )
            for links in self.links
        )


def events_of(emission: Emission) -> tuple[Event, ...]:
    """Return the events among what is told."""
    return tuple(letter for letter in emission if isinstance(letter, Event))


def strikes_of(emission: Emission) -> tuple[Step, ...]:
    """Return the strikes among what is told."""
    return tuple(letter for letter in emission if isinstance(letter, Step) and letter.scope)
