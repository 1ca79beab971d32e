"""Building a chain: exploration, started again with more keys or other codes until it goes through."""

from typing import Any

from fireplan.solver.chain import Chain
from fireplan.solver.compile import Compiler
from fireplan.solver.explore import FORGET, Explorer, RegroupError, Unread
from fireplan.solver.guesses import Ahead, Groups, alike_values
from fireplan.solver.solving import Plan, reweighed
from fireplan.solver.states import CLOCK, Journey, scouted, uncollected

MOST_TRIES = 12
"""Say how often alike values are guessed."""


@uncollected()
def build_chain(compiler: Compiler, *, alike: bool = False, **asked: Any) -> Chain:
    """Explore everything reachable from an opening, a moment after a moment, as a ``Journey`` says (its fields).

    With ``alike``, values that no step tells apart are one, and states show only one of them; what
    nothing reads any more in the last of many states is forgotten.

    Raises ``TooLargeError`` beyond ``max_nodes`` states, ``max_runs`` distinct situations of steps,
    or when it is ``late``.
    """
    journey = Journey(compiler, **asked)
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
            known = (
                {a: field.opening for a, field in explorer.fields.items()}
                | {unread.key: unread.default}
                | found
            )
        except RegroupError:
            tries -= 1
            if len(explorer.found) > FORGET and not journey.whole:
                ahead = Ahead(compiler, kept)
            before, groups = groups, alike_values(compiler, explorer.fields, never) if tries else {}
            if groups == before:
                never.update(groups)
                groups = {}


def readied(before: Plan | None, compiler: Compiler, **journey: Any) -> Plan:
    """Return a chain, as ``build_chain`` takes it, ready for measures.

    Where it is that of a plan ``before`` it with other weights, or quite the same, it is not
    explored again; both must open alike.
    """
    chain = None if before is None else reweighed(before.chain, compiler)
    if before is None or chain is None:
        return Plan(build_chain(compiler, **journey))
    return before if chain is before.chain else before.varied(chain)
