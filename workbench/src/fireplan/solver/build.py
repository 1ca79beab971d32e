"""Building a chain: explore, and start again with more keys or other codes until it succeeds."""

from typing import Any

from fireplan.solver.chain import Chain
from fireplan.solver.compile import Compiler
from fireplan.solver.explore import FORGET, Explorer
from fireplan.solver.guesses import Ahead, Groups, alike_values
from fireplan.solver.packing import _Restart
from fireplan.solver.solving import Plan, reweighed
from fireplan.solver.states import CLOCK, Exploration, scout, uncollected

MOST_TRIES = 12
"""Maximum number of attempts at guessing which values are alike."""


@uncollected()
def build_chain(compiler: Compiler, *, alike: bool = False, **options: Any) -> Chain:
    """Explore every state reachable from an opening; keywords are the fields of ``Exploration``.

    With ``alike``, values that no step distinguishes share a code, and a state shows only one of
    them. Where there are many states, keys that are not read again are dropped in the last moment.

    Raises ``TooLargeError`` beyond ``max_nodes`` states, beyond ``max_runs`` distinct situations of
    steps, or when ``late`` returns true.
    """
    exploration = Exploration(compiler, **options)
    defaults: dict[str, Any] = {}
    groups: Groups = {}
    never: set[str] = {CLOCK}
    tries = MOST_TRIES if alike else 0
    keys_read: set[str] = {CLOCK}
    ahead = None
    while True:
        explorer = Explorer(exploration, defaults, groups, never, look=tries > 0, ahead=ahead)
        try:
            return explorer.explore()
        except _Restart as restart:
            fields = explorer.packing.fields
            if restart.key:
                scout_defaults = {} if defaults else scout(exploration)
                if restart.key in fields:
                    keys_read.add(restart.key)
                defaults = (
                    {key: field.opening for key, field in fields.items()}
                    | {restart.key: restart.default}
                    | scout_defaults
                )
                continue
            tries -= 1
            if len(explorer.packed_states) > FORGET and not exploration.whole:
                ahead = Ahead(compiler, keys_read)
            before, groups = groups, alike_values(compiler, fields, never) if tries else {}
            if groups == before:
                never.update(groups)
                groups = {}


def prepared_plan(before: Plan | None, compiler: Compiler, **options: Any) -> Plan:
    """Return a plan of the chain that ``build_chain`` gives for these options.

    A plan ``before`` with the same opening is reused if its chain differs only in weights, or not
    at all.
    """
    chain = None if before is None else reweighed(before.chain, compiler)
    if before is None or chain is None:
        return Plan(build_chain(compiler, **options))
    return before if chain is before.chain else before.varied(chain)
