"""The chain of a scenario: every state that a doctrine can reach, and the ways between them.

A chain is kept as plain numbers, which is what the passes read; ``edges`` and ``values`` show it in the words of the
rules. How it is found is the matter of ``_explore``, how steps become rows that of ``_compile``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import attrs

from fireplan.odds._compile import Rows
from fireplan_core import Event, Pending, Step

if TYPE_CHECKING:
    from fireplan.odds._explore import Explorer, Leaf

Told = tuple[tuple[Event, ...], tuple[Step, ...]]
"""What is told on a way, and the strikes that are set apart on it."""

NOTHING: Told = ((), ())

Link = tuple[int, int, int, bool]
"""A way in numbers: target, weight, what is told (a position in ``tolds``; 0 is nothing), whether the moment ends."""


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

    ``addresses`` are what a state keeps; ``tops`` is what each node does next; ``altered`` are addresses where
    something new is put that nobody reads; ``sources`` are the rows behind each node, way by way (None where the
    watch ends; empty where values that no step tells apart were made one). Where exploration was bounded,
    ``horizon`` is for how many moments and ``depths`` the first moment in which each node is reached; ``timed`` says
    that states know their moment. ``leaves`` are the steps behind each node, whose effects are its ways, and
    ``explorer`` is who found them. A chain with other weights than were found (``_reweigh``) has those of the leaves
    that differ in ``reweighed``; its ``basis`` is the chain that was found.
    """

    addresses: tuple[str, ...]
    tops: Sequence[Pending]
    totals: Sequence[int]
    links: Sequence[Sequence[Link]]
    tolds: Sequence[Told]
    altered: frozenset[str] = frozenset()
    sources: Sequence[Rows | None] = ()
    horizon: int | None = None
    depths: Sequence[int] = ()
    timed: bool = False
    states: Callable[[], tuple[tuple[Any, ...], ...]] = tuple
    leaves: Sequence[Leaf | None] = ()
    explorer: Explorer | None = None
    reweighed: Mapping[Leaf, Sequence[int]] = attrs.field(factory=dict)
    basis: Chain | None = None

    @cached_property
    def values(self) -> tuple[tuple[Any, ...], ...]:
        """What each node holds at the addresses."""
        return self.states()

    @cached_property
    def edges(self) -> tuple[tuple[Edge, ...], ...]:
        """The ways in the words of the rules."""
        return tuple(
            tuple(Edge(target, weight, *self.tolds[told], ends) for target, weight, told, ends in links)
            for links in self.links
        )
