"""Say what some assets among several may expect from a state of play: measures of theirs, solved where that fits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs

from fireplan.solver._build import build_chain
from fireplan.solver._compile import Compiler
from fireplan.solver._measures import Awaited
from fireplan.solver._passes import Distribution, Measure
from fireplan.solver._places import LOCAL
from fireplan.solver._solve import plan, solve
from fireplan.solver._states import TooLargeError
from fireplan_core import Event
from fireplan_core.play import State


@attrs.frozen
class FallsOf(Awaited):
    """Fire for effect of some assets: None until it first falls, then whether it did so on the target."""

    missions: frozenset[str]
    kinds: frozenset[str] = frozenset({"fall"})

    def see(self, state: Any, letter: Event, moment: int) -> Any:  # noqa: ARG002
        """Note the first fall."""
        return letter["on_target"] if state is None and self.awaits(letter) else state

    def awaits(self, letter: Event) -> bool:
        """Return whether an event is a fall of theirs."""
        return letter["mission"] in self.missions


@attrs.frozen
class Expected:
    """Exact distributions of measures of missions; not ``whole`` where what strikes do to the missions is left out."""

    distributions: tuple[Distribution, ...]
    whole: bool


def expected(compiler: Compiler, state: State, last: int, measures: Sequence[Measure], most: int) -> Expected:
    """Return what is to be expected from a state of play at the end of the moments (``last`` is their number).

    Where missions read units or ground (an observer who may be hit) the joint chain is solved; when that has more
    than so many states, strikes are left out. Raises ``TooLargeError`` when that is too large as well.
    """
    chain = build_chain(compiler, state=state, apart=True, spliced=True, moments=last, max_nodes=most)
    whole = not any(key.startswith(LOCAL) for key in chain.keys)
    if not whole:
        try:
            chain = build_chain(compiler, state=state, spliced=True, moments=last, max_nodes=most)
            whole = True
        except TooLargeError:
            pass
    ready = plan(chain)
    return Expected(tuple(solve(ready, measure, last - state.moment) for measure in measures), whole)
