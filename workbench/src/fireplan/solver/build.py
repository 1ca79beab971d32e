"""Building a chain: explore, and start again with more keys or other codes until it succeeds."""

from typing import Any

from fireplan.solver.chain import Chain
from fireplan.solver.compile import Compiler
from fireplan.solver.explore import FORGET, Explorer
from fireplan.solver.guesses import Ahead, Groups, alike_values
from fireplan.solver.packing import Restart
from fireplan.solver.solving import PreparedChain, reweighed
from fireplan.solver.states import CLOCK, Exploration, scout, uncollected

MOST_TRIES = 12
"""Maximum number of attempts at guessing which values no step distinguishes."""


class Attempts:
    """The attempts at an exploration: each begins with the keys and codes that the last one lacked.

    With ``alike``, values that no step distinguishes share a code.
    """

    def __init__(self, exploration: Exploration, *, alike: bool) -> None:
        self._exploration = exploration
        self._defaults: dict[str, Any] = {}
        self._groups: Groups = {}
        self._never: set[str] = {CLOCK}
        self._tries = MOST_TRIES if alike else 0
        self._keys_read: set[str] = {CLOCK}
        self._ahead: Ahead | None = None

    def explorer(self) -> Explorer:
        """Return an explorer that has found nothing yet."""
        return Explorer(
            self._exploration,
            self._defaults,
            self._groups,
            self._never,
            look=self._tries > 0,
            ahead=self._ahead,
        )

    def failed(self, explorer: Explorer, restart: Restart) -> None:
        """Record what a failed exploration showed: keys that it lacked, and values to group."""
        exploration, fields = self._exploration, explorer.packing.fields
        if restart.key:
            scout_defaults = {} if self._defaults else scout(exploration)
            if restart.key in fields:
                self._keys_read.add(restart.key)
            self._defaults = (
                {key: field.opening for key, field in fields.items()}
                | {restart.key: restart.default}
                | scout_defaults
            )
            return
        self._tries -= 1
        if len(explorer.packed_states) > FORGET and not exploration.whole:
            self._ahead = Ahead(exploration.compiler, self._keys_read)
        groups = alike_values(exploration.compiler, fields, self._never) if self._tries else {}
        if groups == self._groups:
            self._never.update(groups)
            groups = {}
        self._groups = groups


@uncollected()
def build_chain(compiler: Compiler, *, alike: bool = False, **options: Any) -> Chain:
    """Return the chain of all states reachable from an opening.

    Keywords are the fields of ``Exploration``. With ``alike``, values that no step distinguishes
    share a code, and a state shows only one of them. Where there are many states, keys that are not
    read again are dropped in the last moment.

    Raises ``TooLargeError`` beyond ``max_nodes`` states, beyond ``max_runs`` distinct situations of
    steps, or when ``late`` returns true.
    """
    attempts = Attempts(Exploration(compiler, **options), alike=alike)
    while True:
        explorer = attempts.explorer()
        try:
            return explorer.explore()
        except Restart as restart:
            attempts.failed(explorer, restart)


def prepared_plan(
    before: PreparedChain | None, compiler: Compiler, **options: Any
) -> PreparedChain:
    """Return the prepared chain that ``build_chain`` gives for these options.

    A prepared chain ``before`` with the same opening is reused if it differs only in weights, or
    not at all.
    """
    chain = None if before is None else reweighed(before.chain, compiler)
    if before is None or chain is None:
        return PreparedChain(build_chain(compiler, **options))
    return before if chain is before.chain else before.varied(chain)
