"""The effects of steps on packed states, compiled once for all states that agree on what is read.

Where values share a code, a step is run for each of them, and all must have the same effects.
"""

from collections.abc import Iterable, Mapping
from itertools import product, takewhile
from math import gcd, prod
from typing import Any

from fireplan.solver.chain import (
    NOTHING,
    PUT,
    Case,
    Effect,
    Emission,
    Leaf,
    PackedTransition,
    is_strike,
)
from fireplan.solver.compile import Compiler, StepRow, StepRows
from fireplan.solver.numbering import Numbering
from fireplan.solver.packing import Packing, Restart
from fireplan.solver.states import CELLS, CODES, Exploration
from fireplan.strategies import StrategyError
from fireplan_core import Pending, Step
from fireplan_core.play import StepOutcome
from fireplan_core.record import Read

MOST_CHECKS = 400
"""Maximum number of combinations of values sharing a code for which a step is run."""


class Emissions(Numbering[Emission]):
    """All emissions met; number 0 is the empty one."""

    def __init__(self) -> None:
        super().__init__(NOTHING)
        self._joined: dict[tuple[int, int], int] = {}

    def join(self, first: int, second: int) -> int:
        """Return the number of the emission that joins two others, given by number."""
        if not first or not second:
            return first or second
        number = self._joined.get((first, second))
        if number is None:
            joined = self.values[first] + self.values[second]
            number = self._joined[first, second] = self.number(joined)
        return number


class StepTable:
    """The leaves of all steps met, which give the transitions of a state.

    ``never`` are the keys whose values must not share a code again.
    """

    def __init__(self, exploration: Exploration, packing: Packing, never: set[str]) -> None:
        self.leaves: list[Leaf] = []
        self.emissions = Emissions()
        self._exploration = exploration
        self._packing = packing
        self._never = never

    def transitions(self, state: int) -> tuple[Leaf, tuple[PackedTransition, ...]]:
        """Return the leaf of the step on top of a state's agenda, and its transitions."""
        _, below, trie = self._packing.cells[state & CELLS]
        leaf = trie[0]
        while leaf.__class__ is tuple:
            shift, children = leaf
            leaf = children.get(state >> shift & CODES)
        if leaf is None:
            leaf = self._run(state)
        transitions = leaf.transitions.get(below)
        if transitions is None:
            push = self._packing.push
            transitions = leaf.transitions[below] = tuple(
                [
                    (keep, bits | push(pushes, below), weight, emission)
                    for (keep, bits, pushes, emission), weight in leaf.effects
                ]
            )
        return leaf, transitions

    def _run(self, state: int) -> Leaf:
        """Run the state's next step in a new case, and return its leaf, stored in the trie."""
        pending, _, slot = self._packing.cells[state & CELLS]
        try:
            case = self._case(pending, self._packing.reader(state))
        except StrategyError as error:
            error.state = self._packing.unpacked(state)
            raise
        read, rows = case
        effects = self._effects(rows)
        others = self._check(pending, state, read, effects) if self._packing.groups else ()
        leaf = Leaf(pending, (case, *others), tuple(effects.items()))
        self.leaves.append(leaf)
        index: Any = 0
        for key, _ in read:
            shift = self._packing.fields[key].shift
            if slot[index] is None:
                slot[index] = (shift, {})
            slot = slot[index][1]
            index = state >> shift & CODES
            slot.setdefault(index)
        slot[index] = leaf
        return leaf

    def _effects(self, rows: StepRows) -> dict[Effect, int]:
        """Map each effect of these rows to its weight, in lowest terms."""
        weights: dict[Effect, int] = {}
        for row in rows.rows:
            effect = self._effect(row.outcome)
            weights[effect] = weights.get(effect, 0) + row.weight
        divisor = gcd(*weights.values())
        return {effect: weight // divisor for effect, weight in weights.items()}

    def _effect(self, outcome: StepOutcome) -> Effect:
        keep, bits = self._packing.masks(outcome.updates)
        exploration = self._exploration
        strikes: tuple[Any, ...] = tuple(takewhile(exploration.sets_apart, outcome.pushes))
        updates = tuple(Step(PUT, put) for put in outcome.updates if put[0] in exploration.watched)
        inside = outcome.pushes[len(strikes) :]
        counted = tuple(filter(is_strike, inside)) if exploration.counts else ()
        emission = self.emissions.number((*updates, *outcome.events, *strikes, *counted))
        return keep, bits, inside, emission

    def _check(
        self,
        pending: Pending,
        state: int,
        read: tuple[tuple[str, Any], ...],
        effects: Mapping[Effect, int],
    ) -> Iterable[Case]:
        """Return the cases of a step for all values that the codes it reads may stand for.

        There are none if none of these codes is shared. Raises ``Restart`` if the effects differ
        between cases, or if there are too many.
        """
        keys = [key for key, _ in read]
        values_by_key = {key: self._packing.meanings(key, state) for key in keys}
        shared_keys = {key for key, values in values_by_key.items() if len(values) > 1}
        if prod(map(len, values_by_key.values())) > MOST_CHECKS:
            self._never.update(shared_keys)
            raise Restart
        read_state = self._packing.reader(state)
        cases: list[Case] = []
        differs = False
        for values in product(*values_by_key.values()) if shared_keys else ():
            variant = dict(zip(keys, values, strict=True))

            def get(key: str, default: Any, variant: dict[str, Any] = variant) -> Any:
                return variant[key] if key in variant else read_state(key, default)

            case = self._case(pending, get)
            differs |= [key for key, _ in case[0]] != keys or self._effects(case[1]) != effects
            cases.append(case)
        if differs:
            # Raised only now, so that the next grouping can use all the rows compiled above.
            raise Restart
        return cases

    def _case(self, pending: Pending, get: Read) -> Case:
        """Return the (key, value) pairs that a step reads, and the step's rows.

        Where values share a code, the step may be tried in cases that can never arise. Raises
        ``Restart`` if such a case breaks a rule.
        """
        if self._exploration.sets_apart(pending):
            # Most such steps are recorded when pushed; this step is recorded when reached.
            return (), StepRows(1, (StepRow(1, StepOutcome((), (pending,), ())),))
        groups = self._packing.groups
        if not groups:
            return self._exploration.compiler.situation(pending, get)
        grouped: set[str] = set()

        def noting(key: str, default: Any) -> Any:
            if key in groups:
                grouped.add(key)
            return get(key, default)

        try:
            return self._exploration.compiler.situation(pending, noting)
        except Exception as error:  # a rule may raise anything for values that never occur together
            if not grouped:
                raise
            self._never.update(grouped)
            raise Restart from error

    def changed_weights(self, compiler: Compiler) -> dict[Leaf, list[int]] | None:
        """Map each leaf whose weights differ under this compiler's rows to its new weights.

        Returns None if a step has a new effect, reads a new key, or tells apart values that share a
        code.
        """
        changed: dict[Leaf, list[int]] = {}
        unread = len(self._packing.unread_keys)
        for leaf in self.leaves:
            if self._exploration.sets_apart(leaf.pending):
                continue
            weights: list[int] = []
            for read, before in leaf.cases:
                try:
                    rows = compiler.rows(leaf.pending, _reader_of(read))
                    effects = None if rows is before else self._effects(rows)
                except (Exception, Restart):  # noqa: BLE001 - as above
                    return None
                new = (
                    leaf.weights
                    if effects is None
                    else [effects.pop(effect, 0) for effect, _ in leaf.effects]
                )
                if effects or (weights and new != weights):
                    return None
                weights = new
            if len(self._packing.unread_keys) > unread:
                return None
            if weights != leaf.weights:
                changed[leaf] = weights
        return changed


def _reader_of(values: Mapping[str, Any]) -> Read:
    """Return ``read(key, default)`` for these values; it raises ``Restart`` for other keys."""

    def get(key: str, default: Any) -> Any:
        if key not in values:
            raise Restart(key, default)
        return values[key]

    return get
