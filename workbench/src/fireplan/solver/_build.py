"""Building a chain: exploration, started again with more keys or other codes until it goes through."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fireplan.solver._ahead import Ahead
from fireplan.solver._alike import Groups, alike_values
from fireplan.solver._chain import Chain
from fireplan.solver._compile import Compiler
from fireplan.solver._explore import FORGET, Explorer, RegroupError, Unread
from fireplan.solver._pause import uncollected
from fireplan.solver._reweigh import reweighed
from fireplan.solver._solve import Plan, plan
from fireplan.solver._states import CLOCK, MAX_RUNS, Journey, never, scouted
from fireplan_core import Pending
from fireplan_core.play import OPENING, State

MAX_NODES = 400_000
MOST_TRIES = 12
"""Say how often alike values are guessed."""


@uncollected()
def build_chain(  # noqa: PLR0913 - all but the compiler have defaults that serve
    compiler: Compiler,
    *,
    start: tuple[Pending, ...] = (OPENING,),
    state: State | None = None,
    apart: bool = False,
    watched: frozenset[str] = frozenset(),
    spliced: bool = False,
    alike: bool = False,
    horizon: int | None = None,
    moments: int | None = None,
    max_nodes: int = MAX_NODES,
    max_runs: int = MAX_RUNS,
    carried: frozenset[str] = frozenset(),
    late: Callable[[], bool] = never,
) -> Chain:
    """Explore everything reachable from ``start``, a moment after a moment.

    With ``apart``, steps that carry a scope are not carried out but set apart on their way, so that what they do
    can be solved on its own (but for those of the scopes ``carried``); what is put to the keys ``watched`` is told on
    its way too. With ``state`` the first
    moment is what is left of that state's. With ``spliced``, a state from which there is one way on is not kept: the
    way leads through it and bears what is told. With ``alike``, values that no step tells apart are one, and states
    show only one of them. With ``horizon`` nothing is explored beyond so many moments; nodes reached at its end have a
    way to themselves. Where a rule reads the clock, time is part of the state; then nothing is explored beyond moment
    ``moments``.

    Raises ``TooLargeError`` beyond ``max_nodes`` states, ``max_runs`` distinct situations of steps, or when it is
    ``late``.
    """
    limits = (max_nodes, max_runs, carried, late)
    journey = Journey(compiler, start, state, apart, watched, spliced, horizon, moments, *limits)
    known: dict[str, Any] = {}
    groups: Groups = {}
    never: set[str] = {CLOCK}
    tries = MOST_TRIES if alike else 0
    kept: set[str] = {CLOCK}
    ahead = None
    while True:
        explorer = Explorer(journey, known, groups, never, look=tries > 0, ahead=ahead)
        try:
            return explorer.explore()
        except Unread as unread:
            found = {} if known else scouted(journey)
            if unread.key in explorer.fields:
                kept.add(unread.key)
            known = {a: field.opening for a, field in explorer.fields.items()} | {unread.key: unread.default} | found
        except RegroupError:
            tries -= 1
            if len(explorer.found) > FORGET:
                ahead = Ahead(compiler, kept)
            before, groups = groups, alike_values(compiler, explorer.fields, never) if tries else {}
            if groups == before:
                never.update(groups)
                groups = {}


def readied(before: Plan | None, compiler: Compiler, **journey: Any) -> Plan:
    """Return a chain, as ``build_chain`` takes it, ready for measures.

    Where it is that of a plan ``before`` it with other weights, or quite the same, it is not explored again; both must
    open alike.
    """
    chain = None if before is None else reweighed(before.chain, compiler)
    if before is None or chain is None:
        return plan(build_chain(compiler, **journey), often=True)
    return before if chain is before.chain else before.varied(chain)
